"""The oracle: run a program step by step, straight from its meaning.

It knows nothing of transition systems and orders nothing ahead of time: `pre e` is the value e had
when its node last ran, a node under `condact` does not run while its clock is false. Every
counterexample is replayed here before it is reported, those of mutants too.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import suppress
from dataclasses import replace
from typing import Any

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import parts_on_demand, semantics
from mutproof.model.arbitrary import timeless
from mutproof.model.clocks import Clocks
from mutproof.model.code import Entries
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.layout import ProgramLayout, planned, site_of
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Value
from mutproof.model.spot import Source, Spot
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.model.values import leaves_of


@dataclass(frozen=True, slots=True)
class Execution:
    """Hold what running a program on choices gave.

    `trace` has the flat scalar variables of all instances that ran; `violated` are the properties
    that are false, with the first 0-based step at which they are; `assumed` tells that all
    assertions of the main component, and all circular equations, held at every step.
    """

    trace: Trace
    violated: Mapping[str, int]
    assumed: bool


class InstantaneousLoop(Exception):  # noqa: N818 - a fact about the program
    """Say that a variable depends on itself within one step."""


class _Undefined(Exception):  # noqa: N818 - control flow inside this module
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def evaluate(
    program: Program, choices: Choices, bodies: Mapping[Element, Term | None] | None = None
) -> Execution:
    """Run a program for as many steps as the choices have, every value on demand.

    With other bodies for some elements; None as a body leaves the variables free.

    Raises:
        InstantaneousLoop: the program with these bodies is not causal.
    """
    return _Run(ProgramLayout(program), choices, bodies or {}).run()


_MISSING: Any = object()

MOST_KNOWN = 256
MOST_VARIABLES = 200_000
"""How many executions are kept, and of how many variables: several analyses ask for the same."""


class Evaluator:
    """Run one program many times, also with other bodies for some elements; caches only."""

    def __init__(self, program: Program, sharing: Sharing | None = None) -> None:
        self.layout = ProgramLayout(program, sharing)
        most = MOST_VARIABLES // (len(self.layout.sorts) or 1)
        self._known: Memo[Execution] = Memo(max(1, min(MOST_KNOWN, most)))

    def run(
        self, choices: Choices, bodies: Mapping[Element, Term | None] | None = None
    ) -> Execution:
        """Run the program on choices; None as a body leaves the variables free.

        Raises:
            InstantaneousLoop: the program with these bodies is not causal.
        """
        others = {e: body for e, body in (bodies or {}).items() if body is not e.body}
        if choices.functions:
            return _Run(self.layout, choices, others).run()
        steps = tuple([tuple(step.items()) for step in choices.steps])
        key = steps, tuple(choices.before.items()), tuple(others.items())
        found = self._known.get(key, lambda: _Run(self.layout, choices, others).run())
        if found.trace.choices is not choices:
            return replace(found, trace=replace(found.trace, choices=choices))
        return found


class _Run:
    def __init__(
        self, layout: ProgramLayout, choices: Choices, bodies: Mapping[Element, Term | None]
    ) -> None:
        program = layout.program
        self._layout = layout
        self._beginning = layout.beginnings.of(layout.sharing.under(bodies))
        self._program = program
        self.choices = choices
        self._instances = layout.instances
        self.sorts = layout.sorts
        self._every = layout.spots()
        self._sources = layout.sources.copy() if bodies else layout.sources
        exchanged: list[str] = []  # the variables with a new definition
        for element, body in bodies.items():
            for place in layout.places.get(element, ()):
                exchanged += self._exchange(place, body)
        self._spots: dict[str, list[Spot]] = {one.prefix: [] for one in self._instances}
        self._restricting: dict[str, list[Spot]] = {}
        for spot in self._every:
            self._spots[spot.prefix].append(spot)
            if spot.element.restricts:
                self._restricting.setdefault(spot.prefix, []).append(spot)
        self.now: dict[str, Any] = {}
        self.ran: set[str] = set()  # prefixes of instances that ran at an earlier step
        self.held: dict[str, Any] = {}
        self._holding: dict[str, dict[str, Any]] = {}  # new values of `held`, by instance
        self._clocks = Clocks(self._instances, self._clock_holds)
        self._own_plans = {name: planned(name, self._sources, self._every) for name in exchanged}
        self._settling: set[str] = set()  # variables being computed part by part
        self._step = 0
        self._bounded = layout.bounds.bounded(bodies)

    def _exchange(self, place: int, body: Term | None) -> list[str]:
        """Give an element another body in one instance; return the names either body defines."""
        spot, layout = self._every[place], self._layout
        names = self._sources.remove(spot, layout.calls(spot.element.body))
        spot.body, spot.code = body, None
        if body is not None:
            spot.code = layout.code_of(body)
            names += self._sources.add(place, spot, layout.calls(body))
        return names

    # --- steps ----------------------------------------------------------------------------

    def run(self) -> Execution:
        steps = []
        violated: dict[str, int] = {}
        assumed = True
        for step in range(len(self.choices.steps)):
            self._step = step
            self.now, self._holding = {}, {}
            self._clocks.begin()
            for spot in self._every:
                spot.values = [_MISSING] * (0 if spot.code is None else spot.code.size)
            active = self._run_step()
            steps.append(self._flattened(active))
            assumed = assumed and self._restrictions_hold(active)
            for name, holds in self._properties(active):
                if not holds:
                    violated.setdefault(name, self._step)
            self._remember(active)
        return Execution(Trace(self.choices, tuple(steps)), violated, assumed)

    def _run_step(self) -> set[str]:
        active: set[str] = set()
        order: list[str] = []
        self._compute_in_order()
        for instance in self._instances:
            if self._runs(instance):
                active.add(instance.prefix)
                for name in self._layout.variables[instance.prefix]:
                    if name not in self.now:
                        self._demand(name, order)
                for spot in self._restricting.get(instance.prefix, ()):
                    if spot.body is not None:
                        self._spot_value(spot)
        self._layout.learn(order)
        return active

    def _compute_in_order(self) -> None:
        """Compute variables in the order of the last step, which usually works again.

        Where it does not, a value is computed on demand.
        """
        now, every, own = self.now, self._every, self._own_plans
        for usual in self._layout.plans:
            name = usual.name
            if name in now:
                continue
            plan = own.get(name, usual)
            if plan.place is None:
                now[name] = self.chosen(name)
                continue
            spot = every[plan.place]
            values = spot.values
            if values[plan.slot] is _MISSING:
                try:
                    self._fill(spot, plan.entries)
                except _Undefined:
                    continue
            value = values[plan.slot]
            now[name] = value if plan.part is None else value[plan.part]

    def _runs(self, instance: Instance) -> bool:
        """Tell whether an instance runs; compute its clock if that is still unknown."""
        while True:
            try:
                return self._clocks.run(instance.prefix)
            except _Undefined as missing:
                self._demand(missing.name, [])

    def _clock_holds(self, instance: Instance) -> bool:
        assert instance.parent is not None
        spot = next(s for s in self._spots[instance.parent.prefix] if s.element is instance.element)
        if spot.body is None or spot.code is None:
            return False
        return any(
            bool(self._part(spot, term.args[0]))
            for term in spot.code.slots
            if term.op is Op.CONDACT
            and child_prefix(instance.parent.prefix, spot.element, site_of(term.args[1]))
            == instance.prefix
        )

    def _remember(self, active: set[str]) -> None:
        """Keep this step's values of the operands of `pre`, for the next step of each instance."""
        for prefix in active:
            for spot in self._spots[prefix]:
                if spot.code is not None:
                    assert spot.body is not None
                    if spot.values[spot.code.slots[spot.body]] is _MISSING:
                        self._fill(spot, spot.code.now)
                    if spot.code.later:
                        self._fill_later(spot, spot.code.later)
        if self._step == 0:
            self._begin_holding(active)
        for prefix in active:
            for spot in self._spots[prefix]:
                spot.last = spot.values
            self.held.update(self._holding.get(prefix, {}))  # of instances that run only
        self.ran |= active

    def _begin_holding(self, active: set[str]) -> None:
        """Give outputs held by condacts their defaults, also in instances that do not run yet.

        Source: JKind 4.6, `RemoveCondacts.clockOutputs`.
        """
        for prefix, spots in self._spots.items():
            if prefix not in active:
                for spot in spots:
                    for term in () if spot.code is None else spot.code.slots:
                        if term.op is Op.CONDACT:
                            self._settled(spot, term)
                self.held.update(self._holding.get(prefix, {}))

    def _fill_later(self, spot: Spot, entries: Entries) -> None:
        """Compute the values that only the next step reads; calls that did not run have none."""
        for entry in entries:
            if spot.values[entry[0]] is _MISSING:
                with suppress(_Undefined):
                    self._fill(spot, (entry,))

    def _flattened(self, active: set[str]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for instance in self._instances:
            if instance.prefix in active:
                for name in self._layout.variables[instance.prefix]:
                    sort, value = self.sorts[name], self.now[name]
                    if isinstance(value, tuple):
                        found.update((name + path, leaf) for path, leaf in leaves_of(sort, value))
                    else:
                        found[name] = value
        return found

    def _restrictions_hold(self, active: set[str]) -> bool:
        """Tell whether the main component's assertions, circular equations and bounds all hold."""
        return self._bounded.hold(active, self.now) and all(
            self._restriction_holds(spot)
            for prefix in active
            for spot in self._restricting.get(prefix, ())
            if spot.body is not None
        )

    def _restriction_holds(self, spot: Spot) -> bool:
        value = self._spot_value(spot)
        if not spot.element.circular:
            return bool(value) or bool(spot.prefix)  # assertions of called nodes restrict nothing
        known = tuple([self.now[spot.prefix + target] for target in spot.element.targets])
        return bool((known[0] if len(known) == 1 else known) == value)

    def _properties(self, active: set[str]) -> Iterator[tuple[str, bool]]:
        for instance in self._instances:
            if instance.prefix in active:
                for stated in self._program.component(instance.component).properties:
                    yield instance.prefix + stated.name, bool(self._stated(instance, stated.term))

    def _stated(self, instance: Instance, term: Term) -> Any:
        """Return the value of a property's term, which is a variable or a part of one."""
        if term.op is Op.VAR:
            return self.now[instance.prefix + str(term.payload)]
        return semantics.apply(term, tuple(self._stated(instance, arg) for arg in term.args))

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
            except _Undefined as missing:
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
            except _Undefined as missing:
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
            except _Undefined as missing:
                self._demand(missing.name, [])

    def _part(self, spot: Spot, root: Term) -> Any:
        """Return the value of a subterm of a body; raise `_Undefined` if a variable is missing."""
        code = spot.code
        assert code is not None
        slot = code.slots[root]
        if spot.values[slot] is _MISSING:
            self._fill(spot, code.needed(root))
        return spot.values[slot]

    def _fill(self, spot: Spot, entries: Entries) -> None:
        values, now, prefix = spot.values, self.now, spot.instance.prefix
        for slot, term, args, direct in entries:
            if values[slot] is not _MISSING:
                continue
            if direct is not None:
                values[slot] = direct(*[values[arg] for arg in args])
                continue
            op = term.op
            if op is Op.VAR:
                name = prefix + str(term.payload)
                if name not in now:
                    raise _Undefined(name)
                values[slot] = now[name]
            elif op is Op.PRE:
                values[slot] = self.previous(spot, term)
            elif op is Op.CALL:
                values[slot] = self._outputs(spot, term)
            elif op is Op.ARROW:
                values[slot] = values[args[1] if prefix in self.ran else args[0]]
            elif op is Op.CONDACT:
                values[slot] = self._condact(spot, term, [values[arg] for arg in args])
            else:
                operands = tuple([values[arg] for arg in args])
                values[slot] = timeless(term, operands, self.choices.functions)

    # --- time -----------------------------------------------------------------------------

    def previous(self, spot: Spot, term: Term) -> Any:
        if spot.last is None:
            return self._beginning.value(spot.instance, spot.element, term, self.choices)
        assert spot.code is not None
        return spot.last[spot.code.slots[term.args[0]]]

    # --- calls ----------------------------------------------------------------------------

    def _outputs(self, spot: Spot, call: Term) -> Any:
        names = spot.output_names(call)
        for name in names:
            if name not in self.now:
                raise _Undefined(name)
        values = tuple(self.now[name] for name in names)
        return values[0] if len(values) == 1 else values

    def _condact(self, spot: Spot, term: Term, args: list[Any]) -> Any:
        call = term.args[1]
        parts = self.kept(spot, term, args[0], tuple(args[1:]))
        if parts is None:
            result = self._outputs(spot, call)
            parts = (result,) if len(site_of(call).outputs) == 1 else result
        named = zip(spot.output_names(call), parts, strict=True)
        self._holding.setdefault(spot.prefix, {}).update(named)
        return parts[0] if len(parts) == 1 else parts

    def kept(
        self, spot: Spot, term: Term, clock: Any, defaults: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Return what a `condact` gives where its call does not run; None where it does."""
        if clock and self._clocks.run(spot.prefix):
            return None
        names = spot.output_names(term.args[1])
        return tuple([self.held[n] for n in names]) if self._step else defaults

    def chosen(self, name: str) -> Any:
        """Return the chosen value of a variable that nothing defines."""
        return self._beginning.chosen(self.choices.steps[self._step], name)
