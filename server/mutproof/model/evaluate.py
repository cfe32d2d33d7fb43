"""The oracle: run a program step by step, straight from its meaning.

It knows nothing of transition systems and orders nothing ahead of time: `pre e` is the value
e had when its node last ran, a node under `condact` does not run while its clock is false.
Every counterexample is replayed here before anybody sees it. Mutants, of which there are many,
are run by `rerun` where it can; that gives what `evaluate` gives.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from mutproof.model import parts_on_demand, semantics
from mutproof.model.arbitrary import AllBeginnings, timeless
from mutproof.model.bounds import Bounds
from mutproof.model.clocks import Clocks
from mutproof.model.code import Code, Entries, code
from mutproof.model.instances import Instance, calls, child_prefix, unfold
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program
from mutproof.model.rerun import Reruns, Step
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Sort, Value
from mutproof.model.spot import Source, Sources, Spot
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices, Trace
from mutproof.model.values import leaves_of
from mutproof.model.wiring import Misfit


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
    return _Run(Evaluator(program), choices, bodies or {}).run()


_MISSING: Any = object()


class Evaluator:
    """Run one program many times, also with other bodies for some elements.

    Executions with other bodies are computed from where they differ from those of the program;
    where that has no order that serves at every step, values are computed on demand.
    """

    def __init__(self, program: Program, sharing: Sharing | None = None) -> None:
        self.program = program
        self.instances = unfold(program)
        self.bounds = Bounds(program, self.instances)
        self.sharing = sharing or Sharing(self.instances)
        self._codes: dict[Term, Code] = {}
        self._calls: dict[Term, tuple[tuple[Site, Term, bool], ...]] = {}
        self.beginnings = AllBeginnings(program, self.instances)

    def run(
        self, choices: Choices, bodies: Mapping[Element, Term | None] | None = None
    ) -> Execution:
        """Run the program on choices; None as a body leaves the variables free.

        Raises:
            InstantaneousLoop: the program with these bodies is not causal.
        """
        alike = not bodies or self.sharing.under(bodies) is self.sharing.base
        if bodies and alike and self._reruns is not None and not self.bounds.matter(bodies):
            with suppress(Misfit):
                return _execution(choices, self._reruns.run(choices, bodies))
        return _Run(self, choices, bodies or {}).run()

    @cached_property
    def _reruns(self) -> Reruns | None:
        try:
            return Reruns(self.program, self.instances, self.beginnings.of(self.sharing.base))
        except Misfit:
            return None

    def code_of(self, body: Term) -> Code:
        """Return the code of a body, kept between runs."""
        if body not in self._codes:
            self._codes[body] = code(body)
        return self._codes[body]

    def calls(self, body: Term) -> tuple[tuple[Site, Term, bool], ...]:
        """Return the calls in a body, kept between runs."""
        if body not in self._calls:
            self._calls[body] = tuple(calls(body))
        return self._calls[body]


def _execution(choices: Choices, steps: Sequence[Step]) -> Execution:
    violated: dict[str, int] = {}
    for number, step in enumerate(steps):
        for name in step.violated:
            violated.setdefault(name, number)
    trace = Trace(choices, tuple([step.shown for step in steps]))
    return Execution(trace, violated, all(step.assumed for step in steps))


class _Run:
    def __init__(
        self, evaluator: Evaluator, choices: Choices, bodies: Mapping[Element, Term | None]
    ) -> None:
        program = evaluator.program
        self._evaluator = evaluator
        self._beginning = evaluator.beginnings.of(evaluator.sharing.under(bodies))
        self._program = program
        self.choices = choices
        self._instances = evaluator.instances
        self.sorts: dict[str, Sort] = {}
        self._sources = Sources(program)
        self._spots: dict[str, list[Spot]] = {}
        for instance in self._instances:
            component = program.component(instance.component)
            for variable in component.variables:
                self.sorts[instance.prefix + variable.name] = variable.sort
            spots = []
            for element in component.elements:
                body = bodies.get(element, element.body) if bodies else element.body
                code = None if body is None else evaluator.code_of(body)
                spot = Spot(instance, element, body, code, [])
                spots.append(spot)
                if body is not None:
                    self._sources.add(spot, evaluator.calls(body))
            self._spots[instance.prefix] = spots
        self.now: dict[str, Any] = {}
        self.ran: set[str] = set()  # instances that ran before
        self.held: dict[str, Any] = {}
        self._holding: dict[str, dict[str, Any]] = {}  # at this step, by instance
        self._clocks = Clocks(self._instances, self._clock_holds)
        self._order: list[str] = []
        self._settling: set[str] = set()  # what is computed part by part
        self._step = 0
        self._bounded = evaluator.bounds.bounded(bodies)

    # --- steps ----------------------------------------------------------------------------

    def run(self) -> Execution:
        steps = []
        violated: dict[str, int] = {}
        assumed = True
        for step in range(len(self.choices.steps)):
            self._step = step
            self.now, self._holding = {}, {}
            self._clocks.begin()
            for spots in self._spots.values():
                for spot in spots:
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
        for name in self._order:
            # The order of the last step usually serves again; where it does not, it is found.
            with suppress(_Undefined):
                self._compute(name)
        for instance in self._instances:
            if self._runs(instance):
                active.add(instance.prefix)
                for variable in self._program.component(instance.component).variables:
                    self._demand(instance.prefix + variable.name, order)
                for spot in self._spots[instance.prefix]:
                    if spot.element.restricts and spot.body is not None:
                        self._spot_value(spot)
        self._order.extend(order)
        return active

    def _runs(self, instance: Instance) -> bool:
        """Tell whether an instance runs, also where nothing has asked for its clock yet."""
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
            and child_prefix(instance.parent.prefix, spot.element, _site(term.args[1]))
            == instance.prefix
        )

    def _remember(self, active: set[str]) -> None:
        """Keep what `pre` reads at the next run: the values of its operands at this one."""
        for prefix in active:
            for spot in self._spots[prefix]:
                if spot.code is not None:
                    self._fill(spot, spot.code.now)
                    self._fill_later(spot, spot.code.later)
        if self._step == 0:
            self._begin_holding(active)
        for prefix in active:
            for spot in self._spots[prefix]:
                spot.last = spot.values
            self.held.update(self._holding.get(prefix, {}))  # others may be computed in vain
        self.ran |= active

    def _begin_holding(self, active: set[str]) -> None:
        """Give what condacts hold its defaults, in instances that do not run at once too.

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
        """Compute what is read at the next run only; calls that did not run have no values."""
        for entry in entries:
            with suppress(_Undefined):
                self._fill(spot, (entry,))

    def _flattened(self, active: set[str]) -> dict[str, Value]:
        return {
            name + suffix: leaf
            for instance in self._instances
            if instance.prefix in active
            for variable in self._program.component(instance.component).variables
            for name in [instance.prefix + variable.name]
            for suffix, leaf in leaves_of(variable.sort, self.now[name])
        }

    def _restrictions_hold(self, active: set[str]) -> bool:
        """Tell whether assertions of the main component hold, circular equations, and bounds."""
        return self._bounded.hold(active, self.now) and all(
            self._restriction_holds(spot)
            for prefix in active
            for spot in self._spots[prefix]
            if spot.body is not None and spot.element.restricts
        )

    def _restriction_holds(self, spot: Spot) -> bool:
        value = self._spot_value(spot)
        if not spot.element.circular:
            return bool(value) or bool(spot.prefix)  # assertions of called nodes bind nobody
        known = tuple([self.now[spot.prefix + target] for target in spot.element.targets])
        return bool((known[0] if len(known) == 1 else known) == value)

    def _properties(self, active: set[str]) -> Iterator[tuple[str, bool]]:
        for instance in self._instances:
            if instance.prefix in active:
                for stated in self._program.component(instance.component).properties:
                    yield instance.prefix + stated.name, bool(self._stated(instance, stated.term))

    def _stated(self, instance: Instance, term: Term) -> Any:
        """Return the value of a property: a variable, or a part of one."""
        if term.op is Op.VAR:
            return self.now[instance.prefix + str(term.payload)]
        return semantics.apply(term, tuple(self._stated(instance, arg) for arg in term.args))

    # --- values on demand -----------------------------------------------------------------

    def _demand(self, wanted: str, order: list[str]) -> Any:
        """Compute a variable; what it needs first is put on an explicit stack."""
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
        """Compute a variable that needs itself, from those of its parts that do not."""
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
        return None if name in self.now else self._sources.of(name)

    def _spot_value(self, spot: Spot) -> Any:
        assert spot.body is not None
        return self._settled(spot, spot.body)

    def _settled(self, spot: Spot, root: Term) -> Any:
        """Return the value of a subterm of a body, also where nothing has asked for it yet."""
        while True:
            try:
                return self._part(spot, root)
            except _Undefined as missing:
                self._demand(missing.name, [])

    def _part(self, spot: Spot, root: Term) -> Any:
        """Return the value of a subterm of a body, computing what it needs."""
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

    def output_names(self, spot: Spot, call: Term) -> tuple[str, ...]:
        site = _site(call)
        prefix = child_prefix(spot.instance.prefix, spot.element, site)
        return tuple(prefix + name for name in site.outputs)

    def _outputs(self, spot: Spot, call: Term) -> Any:
        names = self.output_names(spot, call)
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
            parts = (result,) if len(_site(call).outputs) == 1 else result
        named = zip(self.output_names(spot, call), parts, strict=True)
        self._holding.setdefault(spot.prefix, {}).update(named)
        return parts[0] if len(parts) == 1 else parts

    def kept(
        self, spot: Spot, term: Term, clock: Any, defaults: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Return what a `condact` gives where its call does not run; None where it does."""
        if clock and self._clocks.run(spot.prefix):
            return None
        names = self.output_names(spot, term.args[1])
        return tuple([self.held[n] for n in names]) if self._step else defaults

    def chosen(self, name: str) -> Any:
        """Return the chosen value of a variable that nothing defines."""
        return self._beginning.chosen(self.choices.steps[self._step], name)


def _site(term: Term) -> Site:
    assert isinstance(term.payload, Site)
    return term.payload
