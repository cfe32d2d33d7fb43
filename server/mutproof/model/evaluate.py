"""The oracle: run a program step by step, straight from its meaning.

It knows nothing of transition systems and orders nothing ahead of time: `pre e` is the value e had
when its node last ran, a node under `condact` does not run while its clock is false. Every
counterexample is replayed before it is reported, those of mutants too: here, or in `evaluator`,
which runs a mutant on from the execution of its model where that is known.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

from mutproof.model import parts_on_demand
from mutproof.model.clocks import Clocks
from mutproof.model.execution import Execution, InstantaneousLoop, execution_of
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.layout import Plan, ProgramLayout, planned, site_of
from mutproof.model.program import Bodies, Program
from mutproof.model.relevance import Relevant
from mutproof.model.rerun import Deciding
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Value
from mutproof.model.spot import Source, Spot
from mutproof.model.step_values import MISSING, ShownStep, StepValues, Undefined, WholeStep
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.values import leaves_of


def evaluate(program: Program, choices: Choices, bodies: Bodies | None = None) -> Execution:
    """Run a program for as many steps as the choices have, every value on demand.

    With other bodies for some elements; None as a body leaves the variables free.

    Raises:
        InstantaneousLoop: the program with these bodies is not causal.
    """
    run = OracleRun(ProgramLayout(program), choices, bodies or {})
    return execution_of(choices, [*run.steps()])


class OracleRun(StepValues):
    """Run a program, with other bodies for some elements, on choices once; mutable."""

    def __init__(
        self,
        layout: ProgramLayout,
        choices: Choices,
        bodies: Bodies,
        deciding: Deciding | None = None,
    ) -> None:
        super().__init__(layout.beginnings.of(layout.sharing.under(bodies)), choices)
        program = layout.program
        self._layout = layout
        self._program = program
        self._instances = layout.instances
        self.sorts = layout.sorts
        self._sources = layout.sources.copy() if bodies else layout.sources
        exchanged: list[str] = []  # the variables with a new definition
        others: dict[int, Spot] = {}  # those with other bodies, by place
        for element in bodies:
            for place in layout.places.get(element, ()):
                others[place] = layout.spot(place)
                exchanged += self._exchange(place, others[place], bodies[element])
        self._bounded = layout.bounds.bounded(bodies)
        self._own_plans = {name: planned(name, self._sources, others) for name in exchanged}
        self._plans: Sequence[Plan] = layout.plans
        self._names: Mapping[str, Sequence[str]] = layout.variables
        self._relevant: Relevant | None = None
        places: Iterable[int] = range(len(layout.own))
        if deciding is not None:
            relevant = self._relevant = deciding(others, self._bounded.names())
            places, names = sorted(relevant.places), relevant.names
            self._instances = tuple(i for i in self._instances if i.prefix in relevant.prefixes)
            self._names = {
                i.prefix: [name for name in layout.variables[i.prefix] if name in names]
                for i in self._instances
            }
            self._plans = [plan for plan in layout.plans if plan.name in names]
        self._every = {place: others.get(place) or layout.spot(place) for place in places}
        self._spots: dict[str, list[Spot]] = {one.prefix: [] for one in layout.instances}
        self._restricting: list[tuple[int, Spot]] = []
        for place, spot in self._every.items():
            self._spots[spot.prefix].append(spot)
            if spot.element.restricts and spot.body is not None:
                self._restricting.append((place, spot))
        self._clocks = Clocks(layout.instances)
        self._settling: set[str] = set()  # variables being computed part by part

    def _exchange(self, place: int, spot: Spot, body: Term | None) -> list[str]:
        """Give an element another body in one instance; return the names either body defines."""
        layout = self._layout
        names = self._sources.remove(spot, layout.calls(spot.element.body))
        spot.body, spot.code = body, None
        if body is not None:
            spot.code = layout.code_of(body)
            names += self._sources.add(place, spot, layout.calls(body))
        return names

    # --- steps ----------------------------------------------------------------------------

    def steps(self) -> Iterator[ShownStep]:
        """Yield what each step shows."""
        for step in range(len(self.choices.steps)):
            outcome, active, _ = self._stepped(step)
            self._remember(active)
            yield outcome

    def whole_steps(self, known: Sequence[WholeStep]) -> Iterator[WholeStep]:
        """Yield the steps that follow known ones, also with what does not matter."""
        every, remembering = self._every, self._layout.remembering
        if known:
            self.ran, self.held = known[-1].ran, dict(known[-1].held)
            for place, values in known[-1].last.items():
                every[place].last = values
        for step in range(len(known), len(self.choices.steps)):
            outcome, active, failing = self._stepped(step)
            complete = step > 0 or self._complete_now()
            self._remember(active)
            last: dict[int, list[Any] | None] = {p: every[p].last for p in remembering}
            yield WholeStep(
                outcome,
                outcome.values if outcome.values == self.now else self.now,
                {place: every[place].values for place in remembering},
                last,
                active,
                self.ran,
                dict(self.held),
                failing,
                complete,
            )

    def _stepped(self, step: int) -> tuple[ShownStep, set[str], set[int]]:
        """Run a step; return what it shows, which instances run, and what does not hold."""
        self.step = step
        self.now, self.holding = {}, {}
        self._clocks.begin()
        for spot in self._every.values():
            spot.values = [MISSING] * (0 if spot.code is None else spot.code.size)
        active = self._run_step()
        violated = [name for name, holds in self._properties(active) if not holds]
        failing = {
            place
            for place, spot in self._restricting
            if spot.prefix in active and not self.restriction_holds(spot)
        }
        allowed = not failing and self._bounded.hold(active, self.now)
        return ShownStep(self._flattened(active), violated, allowed), active, failing

    def _run_step(self) -> set[str]:
        active: set[str] = set()
        order: list[str] = []
        self._compute_in_order()
        for instance in self._instances:
            if self._runs(instance):
                active.add(instance.prefix)
                for name in self._names[instance.prefix]:
                    if name not in self.now:
                        self._demand(name, order)
        for _, spot in self._restricting:
            if spot.prefix in active:
                self._spot_value(spot)
        self._layout.learn(order)
        return active

    def _complete_now(self) -> bool:
        """Compute variables of instances that do not run; tell whether that was possible."""
        with suppress(InstantaneousLoop, NumberTooLarge):
            for name in self.sorts:
                if name not in self.now:
                    self._demand(name, [])
            return True
        self._settling.clear()
        return False

    def _compute_in_order(self) -> None:
        """Compute variables in the order of the last step, which usually works again.

        Where it does not, a value is computed on demand.
        """
        now, every, own = self.now, self._every, self._own_plans
        for usual in self._plans:
            name = usual.name
            if name in now:
                continue
            plan = own.get(name, usual)
            if plan.place is None:
                now[name] = self.chosen(name)
                continue
            spot = every[plan.place]
            values = spot.values
            if values[plan.slot] is MISSING:
                try:
                    self.fill(spot, plan.entries)
                except Undefined:
                    continue
            value = values[plan.slot]
            now[name] = value if plan.part is None else value[plan.part]

    def _runs(self, instance: Instance) -> bool:
        """Tell whether an instance runs; compute its clock if that is still unknown."""
        while True:
            try:
                return self.runs(instance.prefix)
            except Undefined as missing:
                self._demand(missing.name, [])

    def runs(self, prefix: str) -> bool:
        """Tell whether an instance runs in this step."""
        return self._clocks.run(prefix, self._clock_holds)

    def _clock_holds(self, instance: Instance) -> bool:
        assert instance.parent is not None
        spot = next(s for s in self._spots[instance.parent.prefix] if s.element is instance.element)
        if spot.body is None or spot.code is None:
            return False
        return any(
            bool(self._part(spot, term.args[0]))
            for term in spot.code.clocked
            if child_prefix(instance.parent.prefix, spot.element, site_of(term.args[1]))
            == instance.prefix
        )

    def _remember(self, active: set[str]) -> None:
        """Keep this step's values of the operands of `pre`, for the next step of each instance."""
        for prefix in active:
            for spot in self._spots[prefix]:
                if spot.code is not None:
                    self.complete(spot)
        if not self.step:
            self._begin_holding(active)
        for prefix in active:
            for spot in self._spots[prefix]:
                spot.last = spot.values
            self.held.update(self.holding.get(prefix, {}))  # of instances that run only
        self.ran = self.ran | active

    def _begin_holding(self, active: set[str]) -> None:
        """Give outputs held by condacts their defaults, also in instances that do not run yet.

        Source: JKind 4.6, `RemoveCondacts.clockOutputs`.
        """
        for prefix, spots in self._spots.items():
            if prefix not in active:
                for spot in spots:
                    for term in () if spot.code is None else spot.code.clocked:
                        self._settled(spot, term)
                self.held.update(self.holding.get(prefix, {}))

    def _flattened(self, active: set[str]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for instance in self._instances:
            if instance.prefix in active:
                for name in self._names[instance.prefix]:
                    sort, value = self.sorts[name], self.now[name]
                    if isinstance(value, tuple):
                        found.update((name + path, leaf) for path, leaf in leaves_of(sort, value))
                    else:
                        found[name] = value
        return found

    def _properties(self, active: set[str]) -> Iterator[tuple[str, bool]]:
        for instance in self._instances:
            if instance.prefix in active:
                for stated in self._program.component(instance.component).properties:
                    name = instance.prefix + stated.name
                    if self._relevant is None or name in self._relevant.goals:
                        yield name, bool(self.stated(instance, stated.term))

    # --- values on demand -----------------------------------------------------------------

    def _demand(self, wanted: str, order: list[str]) -> Any:
        """Return the value of a variable; compute what it needs first, with an explicit stack."""
        stack = [wanted]
        while stack:
            name = stack[-1]
            if name in self.now:
                stack.pop()
                continue
            try:
                self._compute(name)
                order.append(name)
                stack.pop()
            except Undefined as missing:
                if missing.name in stack:
                    self._settle_parts(missing.name)
                else:
                    stack.append(missing.name)
        return self.now[wanted]

    def _compute(self, name: str) -> None:
        if name in self.now:
            return
        source = self.source(name)
        if source is None:
            self.now[name] = self.chosen(name)
            return
        value = self._part(source.spot, source.term)
        self.now[name] = value if source.part is None else value[source.part]

    def _settle_parts(self, name: str) -> None:
        """Compute a variable that needs itself, part by part."""
        if name in self._settling:
            raise InstantaneousLoop(name) from None
        self._settling.add(name)
        while name not in self.now:
            try:
                self.now.update(parts_on_demand.settled(self, name))
            except Undefined as missing:
                self._demand(missing.name, [])
                continue
            if name not in self.now:
                raise InstantaneousLoop(name) from None
        self._settling.discard(name)

    def source(self, name: str) -> Source | None:
        """Return what defines a variable; None if it is known already, or chosen."""
        return None if name in self.now else self._sources.of(name, self._every)

    def _spot_value(self, spot: Spot) -> Any:
        assert spot.body is not None
        return self._settled(spot, spot.body)

    def _settled(self, spot: Spot, root: Term) -> Any:
        """Return the value of a subterm of a body; compute the variables that it needs."""
        while True:
            try:
                return self._part(spot, root)
            except Undefined as missing:
                self._demand(missing.name, [])

    def _part(self, spot: Spot, root: Term) -> Any:
        """Return the value of a subterm of a body; raise `Undefined` if a variable is missing."""
        code = spot.code
        assert code is not None
        slot = code.slots[root]
        if spot.values[slot] is MISSING:
            self.fill(spot, code.needed(root))
        return spot.values[slot]
