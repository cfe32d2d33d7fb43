"""What reads the values of a program's variables, and an order in which they can be computed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field
from graphlib import CycleError, TopologicalSorter

from mutproof.base.giving_way import by_steps
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.base.rows import Row
from mutproof.model import walk
from mutproof.model.code import Entries
from mutproof.model.conjunctions import Conjunctions
from mutproof.model.instances import Instance
from mutproof.model.layout import Plan, ProgramLayout, planned
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.spot import Spot
from mutproof.model.step_values import ShownStep
from mutproof.model.terms import Term

MOST_SHOWN = 64
"""Of how many steps it is kept what is shown of them for some properties."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Hold a property in an instance."""

    name: str
    instance: Instance
    term: Term


@dataclass(frozen=True, slots=True)
class BodyReads:
    """Hold what some subterms of a body read: variables, those that condacts hold, and a `pre`."""

    names: Sequence[str]
    held: Sequence[str]
    remembered: bool


@dataclass(frozen=True, slots=True)
class Dependents:
    """Hold what depends on what in each step, all of it whichever instances run.

    `plans` say how variables are computed, each after what it reads; `positions` are theirs by
    name. By the name of a variable: `plans_of` has the positions of what reads it, `spots_of` the
    places of bodies that do and are more than that (restrictions, calls, memories), `properties_of`
    the properties. `holding` has the positions of what a condact gives, and the places of its body,
    by the names that it holds. By the place of a spot: `remembering` has the positions of what a
    `pre` in it gives. `conjunctions` compute long bodies.
    """

    layout: ProgramLayout
    plans: Sequence[Plan]
    positions: Mapping[str, int]
    plans_of: dict[str, list[int]] = field(default_factory=dict)
    spots_of: dict[str, list[int]] = field(default_factory=dict)
    properties_of: dict[str, list[Stated]] = field(default_factory=dict)
    holding: dict[str, tuple[list[int], list[int]]] = field(default_factory=dict)
    remembering: dict[int, list[int]] = field(default_factory=dict)
    properties: dict[str, int] = field(default_factory=dict)
    conjunctions: Conjunctions = field(default_factory=Conjunctions)
    _shown: Memo[tuple[ShownStep, Sequence[str], dict[str, Value]]] = field(
        default_factory=lambda: Memo(MOST_SHOWN)
    )

    def shown(self, step: ShownStep, names: Sequence[str]) -> dict[str, Value]:
        """Return the values of some names in a step, which may not be changed."""

        def found() -> tuple[ShownStep, Sequence[str], dict[str, Value]]:
            values = step.values
            if isinstance(values, Row):
                return step, names, values.of(names)
            return step, names, {name: values[name] for name in names if name in values}

        return self._shown.get((id(step), id(names)), found)[2]


def reads_of(spot: Spot, entries: Entries) -> BodyReads:
    """Return what entries of a body read within a step."""
    names: dict[str, None] = {}
    held: dict[str, None] = {}
    remembered = False
    for _, term, _, _ in entries:
        if term.op is Op.VAR:
            names[spot.prefix + str(term.payload)] = None
        elif term.op is Op.PRE:
            remembered = True
        elif term.op is Op.CALL:
            names.update(dict.fromkeys(spot.output_names(term)))
        elif term.op is Op.CONDACT:
            held.update(dict.fromkeys(spot.output_names(term.args[1])))
    names.update(held)
    return BodyReads([*names], [*held], remembered)


def dependents_of(layout: ProgramLayout) -> Dependents | None:
    """Return what depends on what in a program; None if some of its variables have no order."""
    spots = layout.own
    plans = {name: planned(name, layout.sources, spots) for name in by_steps(layout.sorts)}
    reads = {
        name: reads_of(spots[plan.place], plan.entries)
        for name, plan in plans.items()
        if plan.place is not None
    }
    before = {name: reads[name].names if name in reads else () for name in plans}
    try:
        order = [*TopologicalSorter(before).static_order()]
    except CycleError:
        return None
    found = Dependents(layout, [plans[name] for name in order], {n: p for p, n in enumerate(order)})
    for position, name in enumerate(order):
        if name in reads:
            add_plan(found, position, plans[name], reads[name])
    for place, spot in enumerate(spots):
        add_spot(found, place, spot)
    stated = (
        (instance, one)
        for instance in layout.instances
        for one in layout.program.component(instance.component).properties
    )
    for place, (instance, one) in enumerate(stated):
        item = Stated(instance.prefix + one.name, instance, one.term)
        found.properties[item.name] = place
        for variable in sorted(walk.variables(one.term)):
            found.properties_of.setdefault(instance.prefix + variable, []).append(item)
    return found


def add_plan(found: Dependents, position: int, plan: Plan, reads: BodyReads) -> None:
    """Note what computing a variable reads."""
    _append(found.plans_of, reads.names, position)
    for name in reads.held:
        found.holding.setdefault(name, ([], []))[0].append(position)
    if reads.remembered:
        assert plan.place is not None
        found.remembering.setdefault(plan.place, []).append(position)


def add_spot(found: Dependents, place: int, spot: Spot) -> None:
    """Note what a body reads that is more than the variables it gives."""
    assert spot.code is not None
    reads = reads_of(spot, (*spot.code.now, *spot.code.later))
    if spot.code.later or reads.held or reads.remembered or spot.element.restricts:
        _append(found.spots_of, reads.names, place)
    for name in reads.held:
        found.holding.setdefault(name, ([], []))[1].append(place)
    if reads.remembered:
        found.remembering.setdefault(place, [])
    if spot.element.circular:
        _append(found.spots_of, [spot.prefix + name for name in spot.element.targets], place)


def _append(readers: dict[str, list[int]], names: Iterable[str], number: int) -> None:
    for name in names:
        readers.setdefault(name, []).append(number)
