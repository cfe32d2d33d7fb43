"""The states a small model of `tree_nusmv` gets to, and what recurs in graphs.

Shares no code with the product.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from support.tree_nusmv import NOWHERE, Explicit, State, TooLargeError
from support.tree_nusmv_values import key

Graph = Mapping[Any, Sequence[Any]]
MOST_WITH_STEPS = 1_100


class Space:
    """Hold the reachable states of a model, by number, and what follows them."""

    def __init__(self, model: Explicit) -> None:
        self.model = model
        self.is_path = False
        found = _Pool(model)
        order = [number for number, state in enumerate(found.states) if model.is_first(state)]
        self.first = range(len(order))
        left = found.everything & ~_bits(order)
        for number in order:  # grows while it is walked
            if not left:
                break
            following = found.following(number, left)
            order += following
            left &= ~_bits(following)
        self.states = [found.states[number] for number in order]
        self._pool, self._order = found, order

    @classmethod
    def of_path(
        cls, model: Explicit, states: list[State], first: int, after: dict[int, list[int]]
    ) -> Space:
        """Return some states, of which so many are initial, with what follows them here."""
        space = cls.__new__(cls)
        space.model, space.states, space.first = model, states, range(first)
        space.is_path = True
        space.__dict__["after"] = after
        return space

    @cached_property
    def after(self) -> dict[int, list[int]]:
        """Return the successors of each state."""
        if len(self.states) > MOST_WITH_STEPS:
            raise TooLargeError
        place = {number: n for n, number in enumerate(self._order)}
        reached = _bits(self._order)
        return {
            n: [place[other] for other in self._pool.following(number, reached)]
            for n, number in enumerate(self._order)
        }

    @cached_property
    def _twins(self) -> list[list[int]]:
        """Return for each state those that differ in inputs only."""
        names = [name for name in self.model.domains if name not in self.model.inputs]
        groups: dict[Hashable, list[int]] = {}
        for number, state in enumerate(self.states):
            groups.setdefault(tuple(state[name] for name in names), []).append(number)
        return [groups[tuple(state[name] for name in names)] for state in self.states]

    def closed(self, found: Iterable[int]) -> frozenset[int]:
        """Add to states those that differ from them in inputs only."""
        return frozenset(twin for number in found for twin in self._twins[number])

    def where(self, demand: Callable[[State, State], Any]) -> frozenset[int]:
        """Return the states in which something is true."""
        return frozenset(n for n, state in enumerate(self.states) if demand(state, NOWHERE))

    @cached_property
    def justice(self) -> list[frozenset[int]]:
        """Return the sets of states of which each is visited infinitely often."""
        return [self.where(demand) for demand in self.model.justice]

    @cached_property
    def fair(self) -> frozenset[int]:
        """Return the states from which an execution never ends and is just."""
        return self.closed(endless(self.after, self.justice, []))


def _bits(numbers: Iterable[int]) -> int:
    found = bytearray()
    for number in numbers:
        if number >> 3 >= len(found):
            found.extend(bytes((number >> 3) + 1 - len(found)))
        found[number >> 3] |= 1 << (number & 7)
    return int.from_bytes(found, "little")


class _Pool:
    """Find states that follow others; a set of states is a number with their bits."""

    def __init__(self, model: Explicit) -> None:
        self.model = model
        self.states = model.states()
        self.everything = (1 << len(self.states)) - 1
        self._with: dict[tuple[str, Any], int] = {}
        values: dict[tuple[str, Any], list[int]] = {}
        for number, state in enumerate(self.states):
            for name, value in state.items():
                values.setdefault((name, key(value)), []).append(number)
        for which, numbers in values.items():
            self._with[which] = _bits(numbers)

    def following(self, number: int, among: int) -> list[int]:
        """Return which of some states can follow one."""
        state = self.states[number]
        demands = self.model.demands(state)
        if demands is None:
            return []
        allowed, late = demands
        for name, keys in allowed.items():
            fitting = 0
            for one in keys:
                fitting |= self._with.get((name, one), 0)
            among &= fitting
        found = [place for place, bit in enumerate(reversed(f"{among:b}")) if bit == "1"]
        return [n for n in found if all(demand(state, self.states[n]) for demand in late)]


# --- graphs -----------------------------------------------------------------------------------


def endless(
    graph: Graph,
    justice: Sequence[frozenset[Any]],
    compassion: Sequence[tuple[frozenset[Any], frozenset[Any]]],
) -> set[Any]:
    """Return the nodes from which some endless path meets all demands on what recurs."""
    good: set[Any] = set()
    work = components(graph, graph)
    while work:
        part = work.pop()
        inside = {node: [other for other in graph[node] if other in part] for node in part}
        if not any(inside.values()) or any(not part & wanted for wanted in justice):
            continue
        banned = {n for left, right in compassion if not part & right for n in part & left}
        if not banned:
            good |= part
        else:
            rest = part - banned
            work += components({n: [o for o in inside[n] if o in rest] for n in rest}, rest)
    return _leading(graph, good)


def _leading(graph: Graph, goal: Iterable[Any]) -> set[Any]:
    before: dict[Any, list[Any]] = {}
    for node, others in graph.items():
        for other in others:
            before.setdefault(other, []).append(node)
    found = set(goal)
    stack = list(found)
    while stack:
        for node in before.get(stack.pop(), ()):
            if node not in found:
                found.add(node)
                stack.append(node)
    return found


def components(graph: Graph, nodes: Iterable[Any]) -> list[set[Any]]:
    """Return the strongly connected parts of a graph (Kosaraju)."""
    order: list[Any] = []
    seen: set[Any] = set()
    for root in nodes:
        stack = [] if root in seen else [(root, iter(graph[root]))]
        seen.add(root)
        while stack:
            node, others = stack[-1]
            for other in others:
                if other not in seen:
                    seen.add(other)
                    stack.append((other, iter(graph[other])))
                    break
            else:
                order.append(node)
                stack.pop()
    before: dict[Any, list[Any]] = {}
    for node in order:
        for other in graph[node]:
            before.setdefault(other, []).append(node)
    parts: list[set[Any]] = []
    placed: set[Any] = set()
    for root in reversed(order):
        if root in placed:
            continue
        part, left = {root}, [root]
        placed.add(root)
        while left:
            for node in before.get(left.pop(), ()):
                if node not in placed:
                    placed.add(node)
                    part.add(node)
                    left.append(node)
        parts.append(part)
    return parts
