"""What decides some properties of a program, and whether its executions are any: a part of it.

Each variable that is read at any time, and whether its instance runs, belongs to it. What does not
may have any value: neither the properties nor the restrictions depend on that.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.dependents import Dependents, reads_of
from mutproof.model.instances import Instance
from mutproof.model.program import Element
from mutproof.model.sorts import leaves
from mutproof.model.spot import Spot

MOST_KEPT = 256
MOST_PLACES = 1_000_000
"""How many answers are kept, and of how many variables."""


@dataclass(frozen=True, slots=True)
class Relevant:
    """Hold what decides the `goals`: places of bodies, and variables with their positions.

    Among the variables are those that nothing defines; `shown` are their flat scalar parts, in the
    order of the program, and `prefixes` those of the instances where any of that is.
    """

    goals: AbstractSet[str]
    places: AbstractSet[int]
    names: AbstractSet[str]
    positions: AbstractSet[int]
    shown: Sequence[str]
    prefixes: AbstractSet[str]


class Relevance:
    """Find what decides properties of a program; caches only."""

    def __init__(self, dependents: Dependents) -> None:
        self._dependents = dependents
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
        most = max(1, min(MOST_KEPT, MOST_PLACES // (len(dependents.plans) or 1)))
        self._known: Memo[frozenset[int]] = Memo(most)
        self._parts: Memo[Relevant] = Memo(most)

    def of(
        self, goals: frozenset[str], exchanged: Mapping[int, Spot], names: Iterable[str]
    ) -> Relevant:
        """Return what decides goals where some places have other bodies, and names matter too."""
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
        plans, positions = self._dependents.plans, self._dependents.positions
        own = self._dependents.layout.own
        found: set[int] = set()
        stack = [*places]
        stack += [p for name in names if (p := plans[positions[name]].place) is not None]
        while stack:
            place = stack.pop()
            if place in found or place in known:
                continue
            found.add(place)
            read = self._read.get(place)
            if read is None:
                read = self._read[place] = _reads(own[place])
            stack += [p for name in read if (p := plans[positions[name]].place) is not None]
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

    def _made(self, goals: frozenset[str], places: AbstractSet[int]) -> Relevant:
        plans, layout, stated = self._dependents.plans, self._dependents.layout, self._stated
        inside = [p for p, plan in enumerate(plans) if plan.place is None or plan.place in places]
        names = {plans[position].name for position in inside}
        ordered = (name for some in layout.variables.values() for name in some if name in names)
        shown = [name + path for name in ordered for path, _ in leaves(layout.sorts[name])]
        own = layout.own
        prefixes = {"", *(own[place].prefix for place in places)}
        prefixes.update(stated[goal][0].prefix for goal in goals if goal in stated)
        return Relevant(goals, places, names, frozenset(inside), shown, prefixes)


def _reads(spot: Spot) -> tuple[str, ...]:
    """Return the variables that a body reads, in this step or for the next."""
    if spot.code is None:
        return ()
    return tuple(reads_of(spot, (*spot.code.now, *spot.code.later)).names)
