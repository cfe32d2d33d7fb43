"""Graphs of states, those that hardly differ from a known one, and fair paths in these.

Such a path is sought by always stepping nearer to the next condition that is to recur. The
distances may be those of the known graph: then nothing may be found where there is a path, but what
is found is one.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.terms import Term

Distances: TypeAlias = Mapping[int, int]
"""How many steps states are from the nearest one of some, which they reach."""

FAR = 1 << 40
"""How far states are from those that they do not reach."""

MOST_CHANGED, MOST_NEW = 1_500, 800
"""How many states of a graph that hardly differs may have other successors than in the known one,
and how many it may have that this has not."""

MOST_STEPS = 20_000
"""How long a walk may be."""

MOST_WALKS = 8
"""How many walks are kept, and from how many initial states one is sought."""


@dataclass(frozen=True, slots=True)
class ReachedGraph:
    """Hold the reachable states by number: which are initial, and what follows each.

    `is_own`: they and their steps are those of the program as it is. `where` tells at least of
    them whether a term without time is true; `values` are those of all variables.
    """

    initial: tuple[int, ...]
    following: Mapping[int, tuple[int, ...]]
    is_own: bool
    where: Callable[[Term], Mapping[int, bool]]
    values: Sequence[Mapping[str, Any]]


@dataclass(frozen=True, slots=True)
class NearGraph:
    """Hold how a graph differs from a known one: where it begins, what follows `changed` states.

    `new` are states that the known one has not, with what follows them. Its other states may not be
    reached any more.
    """

    initial: Sequence[int]
    changed: Mapping[int, Sequence[int]]
    new: Mapping[int, Sequence[int]]

    @property
    def key(self) -> Hashable:
        """Return what alone tells two of them apart."""
        return (
            frozenset(self.initial),
            frozenset(self.changed.items()),
            frozenset(self.new.items()),
        )

    def after(self, graph: Mapping[int, Sequence[int]]) -> Callable[[int], Sequence[int]]:
        """Return what follows a state, where all others have what follows in the known graph."""
        changed, new = self.changed, self.new

        def after(state: int) -> Sequence[int]:
            if state in changed:
                return changed[state]
            return new[state] if state in new else graph[state]

        return after


@dataclass(frozen=True, slots=True)
class Walk:
    """Hold states that follow each other; the last one is followed by the one at `loop`."""

    path: Sequence[int]
    loop: int


class FairWalks:
    """Find fair paths in graphs that hardly differ from a known one; keeps some of the latest.

    `fair` are the states of the known graph on fair paths, with those of them that follow each, and
    `often` those on which each condition is true.
    """

    def __init__(self, fair: Mapping[int, Sequence[int]], often: Sequence[Iterable[int]]) -> None:
        self._distances = [distances(fair, one) for one in often]
        self._kept: list[tuple[frozenset[int], Walk]] = []

    def found(
        self, near: NearGraph, after: Callable[[int], Sequence[int]], often: Sequence[Iterable[int]]
    ) -> Walk | None:
        """Return a fair path from an initial state of a graph; None if it has none or is lost.

        `often` are the new states on which each condition is true.
        """
        for states, known in self._kept:
            if states.isdisjoint(near.changed) and known.path[0] in near.initial:
                return known
        new = near.new
        ways = [
            _distance(own, farther(own, new, goals))
            for own, goals in zip(self._distances, often, strict=True)
        ]
        for start in near.initial[:MOST_WALKS]:
            walk = fair_walk(start, after, ways)
            if walk is None:
                continue
            if not any(one in near.changed or one in new for one in walk.path):
                self._kept = [*self._kept[1 - MOST_WALKS :], (frozenset(walk.path), walk)]
            return walk
        return None


def _distance(own: Distances, new: Distances) -> Callable[[int], int]:
    def distance(state: int) -> int:
        found = own.get(state)
        return new.get(state, FAR) if found is None else found

    return distance


def distances(graph: Mapping[int, Sequence[int]], goals: Iterable[int]) -> Distances:
    """Return how far the states of a graph are from those of some that it has."""
    before: dict[int, list[int]] = {state: [] for state in graph}
    for state, others in graph.items():
        for other in others:
            before[other].append(state)
    found = {goal: 0 for goal in goals if goal in graph}
    queue = [*found]
    for state in queue:
        for other in before[state]:
            if other not in found:
                found[other] = found[state] + 1
                queue.append(other)
    return found


def farther(
    known: Distances, new: Mapping[int, Sequence[int]], goals: Iterable[int]
) -> dict[int, int]:
    """Return how far new states are from goals, new ones or those of `known` distances."""
    found = dict.fromkeys(goals, 0)
    is_open = True
    while is_open:
        is_open = False
        for state in reversed([*new]):
            nearest = min(
                (found.get(o, FAR) if o in new else known.get(o, FAR) for o in new[state]),
                default=FAR,
            )
            if nearest + 1 < found.get(state, FAR):
                found[state] = nearest + 1
                is_open = True
    return found


def fair_walk(
    start: int,
    after: Callable[[int], Sequence[int]],
    distances: Sequence[Callable[[int], int]],
) -> Walk | None:
    """Return a walk without end on which all recurs to which there are distances; None if lost."""
    path = [start]
    begun: dict[int, int] = {}
    while path[-1] not in begun:
        begun[path[-1]] = len(path) - 1
        path.append(min(after(path[-1]), key=distances[0]))
        for distance in distances:
            seen: set[int] = set()
            while distance(path[-1]):
                if path[-1] in seen or len(path) > MOST_STEPS:
                    return None
                seen.add(path[-1])
                path.append(min(after(path[-1]), key=distance))
    return Walk(path[:-1], begun[path[-1]])
