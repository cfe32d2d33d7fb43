"""Parts of directed graphs: what can be reached, in which order, and what lies on cycles."""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Hashable,
    Iterable,
    Iterator,
    Mapping,
    Sequence,
)
from typing import TypeVar

from mutproof.base.giving_way import STEPS, give_way

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


def depth_first(
    starts: Iterable[NodeT], following: Callable[[NodeT], Sequence[NodeT]]
) -> Iterator[tuple[NodeT, ...]]:
    """Yield what is reached, each node after those that follow it, and cycles as they close.

    A node comes alone; a cycle ends with the node that it begins with.
    """
    done: set[NodeT] = set()
    steps = 0
    for start in starts:
        path: dict[NodeT, None] = {}
        stack = [(start, False)]
        while stack:
            steps += 1
            if not steps % STEPS:
                give_way()
            node, leaving = stack.pop()
            if leaving:
                del path[node]
                done.add(node)
                yield (node,)
            elif node in path:
                nodes = list(path)
                yield (*nodes[nodes.index(node) :], node)
            elif node not in done:
                path[node] = None
                stack.append((node, True))
                stack.extend((other, False) for other in reversed(following(node)))


def cycles(
    starts: Iterable[NodeT], following: Callable[[NodeT], Sequence[NodeT]]
) -> Iterator[tuple[NodeT, ...]]:
    """Yield cycles that are reached; all nodes on cycles are on one of them."""
    return (found for found in depth_first(starts, following) if len(found) > 1)


def cyclic_components(graph: Mapping[NodeT, Collection[NodeT]]) -> Iterator[list[NodeT]]:
    """Yield the strongly connected components of a graph that have a cycle; see `components`."""
    return (found for found in components(graph) if len(found) > 1 or found[0] in graph[found[0]])


def components(graph: Mapping[NodeT, Iterable[NodeT]]) -> Iterator[list[NodeT]]:
    """Yield the strongly connected components of a graph, each after those that follow it.

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
                    yield found
