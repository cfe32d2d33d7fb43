"""Run a program with other bodies for some elements from its own execution on the same choices.

The values are those that a whole run computes: what reads nothing that changed has the values
that the program itself had. So only what the bodies change is computed, step by step. Where they
change which instances run, or calls, or leave variables without an order, a whole run is needed.
Where only some properties matter, only what decides them is computed (`relevance`).
"""

from __future__ import annotations

from collections.abc import (
    Callable,
    Collection,
    Iterable,
    Iterator,
    Mapping,
    MutableMapping,
    Sequence,
)
from collections.abc import Set as AbstractSet
from heapq import heapify, heappop, heappush
from typing import Any

from mutproof.base.rows import Row
from mutproof.model.code import Entries
from mutproof.model.conjunctions import LEAST
from mutproof.model.dependents import Dependents, add_plan, add_spot, reads_of
from mutproof.model.instances import child_prefix
from mutproof.model.layout import Plan, ProgramLayout, planned, site_of
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element
from mutproof.model.relevance import Relevant
from mutproof.model.spot import Sources, Spot
from mutproof.model.step_values import MISSING, ShownStep, StepValues, Undefined, WholeStep
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.values import leaves_of

Deciding = Callable[[Mapping[int, Spot], Iterable[str]], Relevant]
"""Return what matters where some places have other bodies, and the values of some names matter."""


class _Unlike(Exception):  # noqa: N818 - control flow inside this module
    """Say that something changed that is not followed here."""


def rerun(
    dependents: Dependents,
    recorded: Sequence[WholeStep],
    choices: Choices,
    bodies: Bodies,
    *,
    deciding: Deciding | None = None,
    edited: Collection[Element] | None = None,
    count: Callable[[int], None] | None = None,
) -> list[ShownStep] | None:
    """Return the steps of an execution with other bodies; None if it takes a whole run to tell.

    `recorded` are the steps of the program itself; or, if elements are `edited`, of another one, in
    which all else has these bodies already. If `deciding` is given, steps show only what matters,
    and only violations of the goals. `count` is told how many values are others in each step.
    """
    layout = dependents.layout
    if recorded and not recorded[0].whole:
        return None
    if not same_calls(layout, bodies):
        return None
    try:
        run = _Rerun(dependents, choices, bodies, deciding, edited=edited)
        return [*run.outcomes(recorded, count)]
    except (_Unlike, Undefined):
        return None


def same_calls(layout: ProgramLayout, bodies: Bodies) -> bool:
    """Tell whether bodies have the calls of their elements, each once, as they are shared."""
    return layout.sharing.under(bodies) is layout.sharing.base and all(
        _has_same_calls(layout, element, body) for element, body in bodies.items()
    )


def _has_same_calls(layout: ProgramLayout, element: Element, body: Term | None) -> bool:
    """Tell whether a body has the calls of an element, each once, with a clock or without."""
    before = layout.calls(element.body)
    if body is None or not before:
        return not before and (body is None or not layout.calls(body))
    after = layout.calls(body)
    sites = {site for site, _, _ in before}
    if len(sites) < len(before) or len(before) != len(after):
        return False
    if any(old[0] != new[0] or old[2] != new[2] for old, new in zip(before, after, strict=True)):
        return False
    clocked = {call for _, call, has_clock in after if has_clock}
    code = layout.code_of(body)
    return body not in clocked and not any(
        arg in clocked
        for term in code.slots
        for place, arg in enumerate(term.args)
        if term.op is not Op.CONDACT or place != 1
    )


class ChangedValues(dict[str, Any]):
    """Hold values that differ from others, which are found here too."""

    def __init__(self, others: Mapping[str, Any]) -> None:
        super().__init__()
        self._others = others

    def __missing__(self, name: str) -> Any:
        return self._others[name]


class _Rerun(StepValues):
    def __init__(
        self,
        dependents: Dependents,
        choices: Choices,
        bodies: Bodies,
        deciding: Deciding | None,
        *,
        edited: Collection[Element] | None,
    ) -> None:
        layout = dependents.layout
        super().__init__(layout.beginnings.of(layout.sharing.base), choices)
        self._layout = layout
        self._dependents = dependents
        self._bounded = layout.bounds.bounded(bodies)
        self._exchanged: dict[int, Spot] = {}  # spots with other bodies, by place
        self._plans: dict[int, Plan] = {}  # theirs, by position
        self._places: set[int] = set()
        self._fresh: set[int] = set()  # the positions of those that recorded values lack
        self._settled = Dependents(layout, (), {})  # what the others read
        self._keys: dict[int, float] = {}  # when to compute what has another position now
        self._last: dict[int, list[Any]] = {}  # values for `pre` that differ, by place
        self._held: dict[str, Any] = {}  # outputs that condacts hold, where they differ
        self._spots: dict[int, Spot] = {}  # those that are computed in this step, by place
        self._begun: dict[int, Spot] = {}  # those with bodies of the program that ever are
        for element, body in bodies.items():
            for place in layout.places.get(element, ()):
                self._exchange(place, body, settled=edited is not None and element not in edited)
        for element in edited or ():
            if element not in bodies:
                self._places.update(layout.places[element])
                self._fresh.update(self._computed(element))
        self._order()
        self._row_names: tuple[str, ...] = ()
        self._shows_rows = False  # whether rows have just the variables that are shown
        self._relevant: Relevant | None = None
        if deciding is not None:
            self._relevant = deciding(self._exchanged, self._bounded.names())

    def _computed(self, element: Element) -> Iterator[int]:
        """Yield the positions of what an element without calls defines."""
        for place in self._layout.places[element]:
            prefix = self._layout.own[place].prefix
            yield from (self._dependents.positions[prefix + name] for name in element.defines)

    def _exchange(self, place: int, body: Term | None, *, settled: bool) -> None:
        """Give an element another body in one instance."""
        layout, own = self._layout, self._layout.own[place]
        code = None if body is None else layout.code_of(body)
        spot = self._exchanged[place] = Spot(own.instance, own.element, body, code, [])
        sources = Sources(layout.program)
        names = dict.fromkeys(sources.add(place, own, layout.calls(own.element.body)))
        sources = Sources(layout.program)
        if body is not None:
            names.update(dict.fromkeys(sources.add(place, spot, layout.calls(body))))
        for name in names:
            plan = planned(name, sources, self._exchanged)
            position = self._dependents.positions[name]
            self._plans[position] = plan
            if not settled:
                self._fresh.add(position)
            elif plan.place is not None:
                add_plan(self._settled, position, plan, reads_of(spot, plan.entries))
        if not settled:
            self._places.add(place)
        elif code is not None:
            add_spot(self._settled, place, spot)

    def _order(self) -> None:
        """Find when to compute what reads something that is computed later in the program itself.

        Raises:
            _Unlike: more than one variable does, or one depends on itself.
        """
        dependents, positions = self._dependents, self._dependents.positions
        reading = {
            position: [
                positions[n] for n in reads_of(self._exchanged[plan.place], plan.entries).names
            ]
            for position, plan in self._plans.items()
            if plan.place is not None
        }
        late = [p for p, read in reading.items() if any(one >= p for one in read)]
        if not late:
            return
        if len(late) > 1:
            raise _Unlike
        (first,) = late
        end = max(reading[first])
        moved, stack = {first}, [first]
        while stack:
            position = stack.pop()
            name = dependents.plans[position].name
            after = [p for p in dependents.plans_of.get(name, ()) if p not in self._plans]
            after += [p for p, read in reading.items() if position in read]
            for one in after:
                if one <= end and one not in moved:
                    moved.add(one)
                    stack.append(one)
        if not moved.isdisjoint(reading[first]):
            raise _Unlike
        size = len(dependents.plans) + 1
        self._keys = {position: end + (position + 1) / (size + 1) for position in moved}

    # --- steps ----------------------------------------------------------------------------

    def outcomes(
        self, recorded: Sequence[WholeStep], count: Callable[[int], None] | None = None
    ) -> Iterator[ShownStep]:
        """Yield what each step shows."""
        held: Mapping[str, Any] = {}
        last: Mapping[int, list[Any] | None] = {}
        for number, step in enumerate(recorded):
            self.step = number
            self._active = step.active
            self.now = now = ChangedValues(step.now)
            self.held = ChangedValues(held)
            self.held.update(self._held)
            self.holding = {}
            self._spots = {}
            self._recorded_last = last
            places = self._propagate(step, now)
            failing = self._complete(step, places)
            if count is not None:
                count(len(now))
            self._hold(step)
            self.ran, held, last = step.ran, step.held, step.last
            yield self._outcome(step, now, failing)
            relevant = self._relevant
            if relevant is not None and relevant.by:
                self._last = {p: v for p, v in self._last.items() if relevant.at(p, number + 1)}

    def runs(self, prefix: str) -> bool:
        return prefix in self._active

    def _spot(self, place: int) -> Spot:
        """Return a spot to compute values of this step in; begin to, if that is new."""
        spot = self._exchanged.get(place) or self._begun.get(place)
        last = self._last.get(place)
        if place not in self._places:
            last = last or self._recorded_last.get(place)
        if spot is None:
            own = self._layout.own[place]
            spot = Spot(own.instance, own.element, own.body, own.code, [], last, own.outputs)
            self._begun[place] = spot
        spot.last = last
        spot.values = [] if spot.code is None else [MISSING] * spot.code.size
        self._spots[place] = spot
        return spot

    def _propagate(self, step: WholeStep, now: ChangedValues) -> set[int]:
        """Compute variables that may differ; return the places of bodies that may."""
        dependents, keys, plans, before = self._dependents, self._keys, self._plans, step.now
        settled = self._settled
        places = {*self._places, *self._last}
        queued = {*self._fresh}
        for place in self._last:
            queued.update(dependents.remembering.get(place, ()))
            queued.update(settled.remembering.get(place, ()))
        for name in self._held:
            positions, bodies = dependents.holding[name]
            queued.update(positions)
            places.update(bodies)
        relevant = self._relevant
        if relevant is not None:
            queued = {p for p in queued if relevant.at(self._place(p), self.step)}
        queue = [(keys.get(position, position), position) for position in queued]
        heapify(queue)
        while queue:
            _, position = heappop(queue)
            plan = plans.get(position) or dependents.plans[position]
            name = plan.name
            if plan.place is None:
                value = self.chosen(name)
            else:
                spot = self._spots.get(plan.place) or self._spot(plan.place)
                if self.step and spot.instance.prefix not in self._active:
                    continue
                values = spot.values
                if values[plan.slot] is MISSING and plan.slot >= LEAST:
                    self._compute_conjunction(plan, spot, step)
                if values[plan.slot] is MISSING:
                    self.fill(spot, plan.entries)
                value = values[plan.slot] if plan.part is None else values[plan.slot][plan.part]
            if value == before.get(name, MISSING):
                continue
            now[name] = value
            readers: Iterable[int] = dependents.plans_of.get(name, ())
            if name in dependents.spots_of:
                places.update(dependents.spots_of[name])
            if settled.plans_of or settled.spots_of:
                readers = (*readers, *settled.plans_of.get(name, ()))
                places.update(settled.spots_of.get(name, ()))
            for reader in readers:
                if reader in queued:
                    continue
                if relevant is None or relevant.at(self._place(reader), self.step):
                    queued.add(reader)
                    heappush(queue, (keys.get(reader, reader), reader))
        if relevant is None:
            return places
        return {place for place in places if relevant.at(place, self.step)}

    def _compute_conjunction(self, plan: Plan, spot: Spot, step: WholeStep) -> None:
        """Compute what a plan gives if that is a long conjunction, of which little differs."""
        place = plan.place
        if place is not None and place not in self._exchanged and plan.part is None:
            known = self._dependents.conjunctions
            spot.values[plan.slot] = known.value(
                place, spot, step, changed=self.now, fill=self._filled
            )

    def _filled(self, spot: Spot, entries: Entries, given: Mapping[str, Any] | None) -> None:
        """Compute entries from variables, those of this step if none are given."""
        now = self.now
        if given is not None:
            self.now = ChangedValues(given)
        try:
            self.fill(spot, entries)
        finally:
            self.now = now

    def _place(self, position: int) -> int | None:
        return (self._plans.get(position) or self._dependents.plans[position]).place

    def _complete(self, step: WholeStep, places: set[int]) -> set[int]:
        """Compute the rest of bodies that may differ; return the places of what does not hold."""
        failing = {*step.failing}
        for place in places:
            spot = self._spots.get(place) or self._spot(place)
            if spot.code is None:
                failing.discard(place)
            elif spot.prefix in step.active:
                self.complete(spot)
                self._check_clocks(spot)
                if spot.element.restricts:
                    failing.discard(place)
                    if not self.restriction_holds(spot):
                        failing.add(place)
                if place in self._places:
                    self._last[place] = spot.values
                elif place in self._remembering(place):
                    values, known = spot.values, step.values[place]
                    if all(values[slot] == known[slot] for slot, _ in spot.code.remembered):
                        self._last.pop(place, None)
                    else:
                        self._last[place] = values
            elif not self.step:
                for term in spot.code.clocked:
                    self.fill(spot, spot.code.needed(term))
        return failing

    def _remembering(self, place: int) -> Mapping[int, Sequence[int]]:
        """Return what depends on memories, by place, in bodies as the one at a place."""
        chosen = self._settled if place in self._exchanged else self._dependents
        return chosen.remembering

    def _check_clocks(self, spot: Spot) -> None:
        """Raise `_Unlike` unless the calls of a body run as those of the program itself do."""
        assert spot.code is not None
        for term in spot.code.clocked:
            child = child_prefix(spot.prefix, spot.element, site_of(term.args[1]))
            clock = spot.values[spot.code.slots[term.args[0]]]
            if clock is MISSING or bool(clock) is not (child in self._active):
                raise _Unlike

    def _hold(self, step: WholeStep) -> None:
        """Keep the outputs that condacts hold now, where they differ."""
        for prefix, values in self.holding.items():
            if prefix in step.active or not self.step:
                for name, value in values.items():
                    if value == step.held.get(name, MISSING):
                        self._held.pop(name, None)
                    else:
                        self._held[name] = value

    def _outcome(self, step: WholeStep, now: ChangedValues, failing: set[int]) -> ShownStep:
        outcome = step.outcome
        allowed = not failing and self._bounded.hold(step.active, now)
        relevant, brief = self._relevant, False
        goals: AbstractSet[str] = frozenset()
        if relevant is not None:
            goals = relevant.goals_at(self.step)
            brief = self.step > relevant.last
            values = {} if brief else self._shown(outcome, relevant.shown, changes=bool(now))
            violated = {name for name in outcome.violated if name in goals}
        elif now:
            values, violated = dict(outcome.values), {*outcome.violated}
        else:
            return ShownStep(outcome.values, outcome.violated, allowed)
        sorts = self._layout.sorts
        for name, value in now.items() if values else ():
            if isinstance(value, tuple):
                leaves = [(name + path, leaf) for path, leaf in leaves_of(sorts[name], value)]
            else:
                leaves = [(name, value)]
            for leaf, found in leaves:
                if leaf in values:
                    values[leaf] = found
        for name in now:
            for stated in self._dependents.properties_of.get(name, ()):
                if relevant is not None and stated.name not in goals:
                    continue
                if stated.instance.prefix in step.active:
                    violated.discard(stated.name)
                    if not self.stated(stated.instance, stated.term):
                        violated.add(stated.name)
        order = self._dependents.properties
        return ShownStep(values, sorted(violated, key=order.__getitem__), allowed, brief)

    def _shown(
        self, outcome: ShownStep, names: Sequence[str], *, changes: bool
    ) -> MutableMapping[str, Any]:
        """Return some values of a step, a copy if any of them changes."""
        before = outcome.values
        if isinstance(before, Row):
            if before.names is not self._row_names:  # all rows of an execution have the same
                self._row_names, self._shows_rows = before.names, [*before.names] == [*names]
            if self._shows_rows:
                return before.copy() if changes else before
        elif len(before) == len(names) and [*before] == [*names]:
            return dict(before)
        found = self._dependents.shown(outcome, names)
        return {**found} if changes else found
