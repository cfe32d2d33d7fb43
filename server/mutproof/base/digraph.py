"""Parts of directed graphs: what can be reached, and what lies on cycles."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from typing import TypeVar

NodeT = TypeVar("NodeT", bound=Hashable)


def reached(
    starts: Iterable[NodeT], following: Callable[[NodeT], Iterable[NodeT]]
) -> dict[NodeT, None]:
    """Return some nodes and all that follow them, directly or through others, nearest first."""
    found = dict.fromkeys(starts)
    queue = [*found]
    for node in queue:
        for other in following(node):
            if other not in found:
                found[other] = None
                queue.append(other)
    return found


def cyclic_components(graph: Mapping[NodeT, Iterable[NodeT]]) -> Iterator[list[NodeT]]:
    """Yield the strongly connected components of a graph that have a cycle.

    `graph` maps each node to those that follow it, each of which is a node too.
    Source: Tarjan, Depth-first search and linear graph algorithms, SIAM J. Comput. 1(2), 1972.
    """
    number: dict[NodeT, int] = {}
    low: dict[NodeT, int] = {}
    waiting: dict[NodeT, None] = {}
    for root in graph:
        if root in number:
            continue
        stack = [(root, iter(graph[root]))]
        number[root] = low[root] = len(number)
        waiting[root] = None
        while stack:
            node, left = stack[-1]
            for other in left:
                if other not in number:
                    number[other] = low[other] = len(number)
                    waiting[other] = None
                    stack.append((other, iter(graph[other])))
                    break
                if other in waiting:
                    low[node] = min(low[node], number[other])
            else:
                stack.pop()
                if stack:
                    before = stack[-1][0]
                    low[before] = min(low[before], low[node])
                if low[node] == number[node]:
                    found = [waiting.popitem()[0]]
                    while found[-1] != node:
                        found.append(waiting.popitem()[0])
                    if len(found) > 1 or node in graph[node]:
                        yield found
