"""What decides some properties of a program, and whether its executions are any: a part of it.

Each variable that is read at any time, and whether its instance runs, belongs to it. What does not
may have any value: neither the properties nor the restrictions depend on that.
"""

from __future__ import annotations

import sys
from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import field, replace

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.dependents import Dependents, reads_of
from mutproof.model.horizon import last_steps
from mutproof.model.instances import Instance
from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.sorts import leaves
from mutproof.model.spot import Spot

MOST_KEPT = 256
MOST_PLACES = 1_000_000
"""How many answers are kept, and of how many variables."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """Hold what decides the `goals`: places of bodies, and variables.

    Among the variables are those that nothing defines; `shown` are their flat scalar parts, in the
    order of the program, and `prefixes` those of the instances where any of that is. If goals
    matter up to steps `by` only, these are what decides the first of them, and matter up to its
    step, the `last` one that shows values; all places that decide any goal matter up to their steps
    in `until`.
    """

    goals: AbstractSet[str]
    places: AbstractSet[int]
    names: AbstractSet[str]
    shown: Sequence[str]
    prefixes: AbstractSet[str]
    by: Mapping[str, int] = field(default_factory=dict)
    last: int = sys.maxsize
    until: Mapping[int, int] = field(default_factory=dict)

    def at(self, place: int | None, step: int) -> bool:
        """Tell whether what a body, or a choice, gives in a step may matter."""
        if place is None or self.until.get(place, -1) >= step:
            return True
        return place in self.places and step <= self.last

    def goals_at(self, step: int) -> AbstractSet[str]:
        """Return the goals that matter in a step."""
        if not self.by:
            return self.goals
        return frozenset(goal for goal, last in self.by.items() if last >= step)


class Relevance:
    """Find what decides properties of a program; caches only."""

    def __init__(self, dependents: Dependents) -> None:
        self.dependents = dependents
        layout = dependents.layout
        self._placed: dict[tuple[str, Element], int] = {
            (spot.prefix, spot.element): place for place, spot in enumerate(layout.own)
        }
        self._stated = {
            instance.prefix + stated.name: (instance, stated.term)
            for instance in layout.instances
            for stated in layout.program.component(instance.component).properties
        }
        # Assertions of called nodes restrict nothing.
        self._restricting = [
            place
            for place, spot in enumerate(layout.own)
            if spot.element.restricts and (spot.element.circular or not spot.prefix)
        ]
        self._read: dict[int, tuple[str, ...]] = {}
        self._sources: dict[int, tuple[Sequence[int], Sequence[int]]] = {}
        most = max(1, min(MOST_KEPT, MOST_PLACES // (len(dependents.plans) or 1)))
        self._known: Memo[frozenset[int]] = Memo(most)
        self._parts: Memo[Relevant] = Memo(most)

    def of(
        self,
        goals: frozenset[str],
        exchanged: Mapping[int, Spot],
        names: Iterable[str],
        *,
        by: Mapping[str, int] | None = None,
        steps: int = 0,
    ) -> Relevant:
        """Return what decides goals where some places have other bodies, and names matter too.

        Each goal does up to its step in `by`, the assertions in as many steps as there are.
        """
        names = [*names]
        if not by:
            return self._of(goals, exchanged, names)
        first = min(by.values())
        shown = self._of(frozenset(n for n in by if by[n] == first), exchanged, names)
        return replace(
            shown, by=by, last=first, until=self._until(by, exchanged, names, steps=steps)
        )

    def _of(
        self, goals: frozenset[str], exchanged: Mapping[int, Spot], names: Iterable[str]
    ) -> Relevant:
        base = self._known.get(goals, lambda: self._deciding(goals))
        read = {name for spot in exchanged.values() for name in _reads(spot)}
        more = self._reached({*read, *names}, exchanged, base)
        key = goals, frozenset(more)
        return self._parts.get(key, lambda: self._made(goals, base | more))

    def _deciding(self, goals: frozenset[str]) -> frozenset[int]:
        names: set[str] = set()
        places = [*self._restricting]
        for goal in goals & self._stated.keys():
            instance, term = self._stated[goal]
            names.update(instance.prefix + name for name in walk.variables(term))
            places += self._callers(instance)
        return frozenset(self._reached(names, places, frozenset()))

    def _reached(
        self, names: Iterable[str], places: Iterable[int], known: AbstractSet[int]
    ) -> set[int]:
        """Return the places of all that names and places depend on, without the `known` ones."""
        own = self.dependents.layout.own
        found: set[int] = set()
        stack = [*places, *self._defining(names)]
        while stack:
            place = stack.pop()
            if place in found or place in known:
                continue
            found.add(place)
            read = self._read.get(place)
            if read is None:
                read = self._read[place] = _reads(own[place])
            stack += self._defining(read)
            if own[place].prefix:
                stack += self._callers(own[place].instance)
        return found

    def _callers(self, instance: Instance) -> list[int]:
        """Return the places of what calls an instance, which decides whether it runs."""
        found: list[int] = []
        current = instance
        while current.parent is not None:
            assert current.element is not None
            found.append(self._placed[current.parent.prefix, current.element])
            current = current.parent
        return found

    def _until(
        self,
        by: Mapping[str, int],
        exchanged: Mapping[int, Spot],
        names: Iterable[str],
        *,
        steps: int,
    ) -> Mapping[int, int]:
        """Return the last step at which each body matters, by place."""
        wanted = dict.fromkeys([*self._restricting, *self._defining(names)], steps - 1)
        for goal, step in by.items():
            if goal in self._stated:
                instance, term = self._stated[goal]
                read = (instance.prefix + name for name in walk.variables(term))
                for place in (*self._defining(read), *self._callers(instance)):
                    wanted[place] = max(step, wanted.get(place, 0))
        own = {place: self._sources_of(spot) for place, spot in exchanged.items()}

        def sources(place: int) -> tuple[Sequence[int], Sequence[int]]:
            found = own.get(place) or self._sources.get(place)
            if found is None:
                found = self._sources[place] = self._sources_of(self.dependents.layout.own[place])
            return found

        return last_steps(wanted, lambda place: sources(place)[0], lambda place: sources(place)[1])

    def _sources_of(self, spot: Spot) -> tuple[Sequence[int], Sequence[int]]:
        """Return the places of bodies that a body needs in the same step, and in earlier ones.

        Calls in it need their arguments in the same step.
        """
        callers = self._callers(spot.instance)
        if spot.code is None:
            return callers, ()
        same, earlier = spot.code.now, spot.code.later
        if any(term.op is Op.CALL for _, term, _, _ in (*same, *earlier)):
            same, earlier = (*same, *earlier), ()
        now, before = (self._defining(reads_of(spot, some).names) for some in (same, earlier))
        return (*now, *callers), before

    def _defining(self, names: Iterable[str]) -> list[int]:
        """Return the places of the bodies that define variables."""
        plans, positions = self.dependents.plans, self.dependents.positions
        found = (plans[positions[name]].place for name in names)
        return [place for place in found if place is not None]

    def _made(self, goals: frozenset[str], places: AbstractSet[int]) -> Relevant:
        plans, layout, stated = self.dependents.plans, self.dependents.layout, self._stated
        names = {plan.name for plan in plans if plan.place is None or plan.place in places}
        ordered = (name for some in layout.variables.values() for name in some if name in names)
        shown = [name + path for name in ordered for path, _ in leaves(layout.sorts[name])]
        own = layout.own
        prefixes = {"", *(own[place].prefix for place in places)}
        prefixes.update(stated[goal][0].prefix for goal in goals if goal in stated)
        return Relevant(goals, places, names, shown, prefixes)


def _reads(spot: Spot) -> tuple[str, ...]:
    """Return the variables that a body reads, in this step or for the next."""
    if spot.code is None:
        return ()
    return tuple(reads_of(spot, (*spot.code.now, *spot.code.later)).names)
