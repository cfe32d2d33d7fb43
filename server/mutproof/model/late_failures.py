"""What fails many steps after something else in an execution, computed on demand from there.

In a row of memories a change moves on by one in each step. A run looks at all that may differ in
every step up to the last property; here nothing is computed but what properties are about in the
steps that count, and what these values are computed from. Other values are the program's own.
Values that only repeat one of the step before are not computed, but taken from where they began.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import Any, Protocol, TypeAlias

from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.code import Code, Entries
from mutproof.model.dependents import Stated
from mutproof.model.execution import Execution, execution_of
from mutproof.model.layout import Plan, planned
from mutproof.model.operators import Op
from mutproof.model.program import Bodies
from mutproof.model.relevance import Relevance
from mutproof.model.rerun import ChangedValues, rerun
from mutproof.model.spot import Sources, Spot
from mutproof.model.step_values import MISSING, StepValues, WholeStep
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

DEEP = 8
"""What fails so many steps after something else is computed on demand."""

MOST_FOR_STEP = 4
"""How many values may be computed for each step: a run would be as fast."""

_Node: TypeAlias = "str | tuple[int, Term]"
"""A variable, or a subterm of the body at a place that a `pre` there gives in the next step."""


class Recording(Protocol):
    """Give the steps of the program itself on the same choices: all, or at least the first ones."""

    def __call__(self, least: int | None = None, /) -> Sequence[WholeStep]:
        """Return the steps that are recorded then."""


class _TooMuch(Exception):  # noqa: N818 - control flow inside this module
    """Say that a run is as fast."""


@dataclass(frozen=True, slots=True)
class _Rule:
    """Say how a value is computed: in a spot, by entries, and what they read, how long ago.

    Without a spot, it is chosen. After the first step, it may be that which a variable that it
    `repeats` had in the step before.
    """

    spot: Spot | None
    place: int = 0
    slot: int = 0
    part: int | None = None
    entries: Entries = ()
    reads: Sequence[tuple[_Node, int]] = ()
    repeats: str | None = None


_CHOSEN = _Rule(None)


def is_late(by: Mapping[str, int] | None) -> bool:
    """Tell whether something is to fail many steps after something else."""
    return by is not None and len(by) > 1 and max(by.values()) >= min(by.values()) + DEEP


class LateFailures:
    """Run variants of one program where some properties fail long after others; caches only."""

    def __init__(self, relevance: Relevance) -> None:
        dependents = self._dependents = relevance.dependents
        self.layout = dependents.layout
        self._relevance = relevance
        self._is_flat = len(dependents.layout.instances) == 1
        restricting = any(spot.element.restricts for spot in self.layout.own)
        self._is_free = not restricting and not self.layout.bounds.matter({})
        self.rules: dict[_Node, _Rule] = {}
        self._readers: dict[str, tuple[list[str], list[str]] | None] = {}
        self._soonest: Memo[Mapping[str, int] | None] = Memo(1)  # by the changed variables

    def run(
        self, recording: Recording, choices: Choices, bodies: Bodies, by: Mapping[str, int]
    ) -> Execution | None:
        """Run a variant as far as it tells what fails by some steps; None if a run is as fast.

        What is shown ends with the first of these. Where nothing restricts the program, few steps
        of its own are recorded: properties that it violates later itself may fail earlier.
        """
        if not (self._is_flat and is_late(by)):
            return None
        first = min(by.values())
        late = {goal: step for goal, step in by.items() if step >= first + DEEP}
        soon = {goal: step for goal, step in by.items() if goal not in late}
        until = partial(self._relevance.of, by=soon, steps=max(soon.values()) + 1)
        deciding = partial(until, frozenset(soon))
        number = max(soon.values()) + 1
        known = recording(number if self._is_free else None)
        steps = rerun(self._dependents, known[:number], choices, bodies, deciding=deciding)
        if steps is None:
            return None
        failing = self._failing(known, choices, bodies, late)
        if failing is None and len(known) < len(choices.steps):
            failing = self._failing(recording(), choices, bodies, late)
        if failing is None:
            return None
        found = execution_of(choices, steps)
        order, violated = self._dependents.properties, {**found.violated, **failing}
        ordered = sorted(violated, key=lambda goal: (violated[goal], order[goal]))
        return replace(found, violated={goal: violated[goal] for goal in ordered})

    def _failing(
        self, recorded: Sequence[WholeStep], choices: Choices, bodies: Bodies, by: Mapping[str, int]
    ) -> Mapping[str, int] | None:
        """Return the first step at which each property fails, if it does by its own."""
        if self.layout.bounds.bounded(bodies).variables or not by.keys() <= self._stated.keys():
            return None
        rules = self._exchanged(bodies)
        if rules is None:
            return None
        names = tuple([node for node in rules if isinstance(node, str)])
        soonest = self._soonest.get(names, lambda: self._changing([*names]))
        if soonest is None:
            return None
        before: dict[str, int] = {}
        for number, step in enumerate(recorded):
            outcome = step.outcome
            if not outcome.allowed:
                return None
            for name in outcome.violated:
                before.setdefault(name, number)
        values = _Values(self, recorded, choices, rules, soonest=soonest)
        found: dict[str, int] = {}
        try:
            for goal, last in sorted(by.items(), key=lambda one: one[1]):
                stated = self._stated[goal]
                read = [stated.instance.prefix + name for name in walk.variables(stated.term)]
                start = min((soonest[name] for name in read if name in soonest), default=last + 1)
                if before.get(goal, start) < start:
                    found[goal] = before[goal]
                    continue
                for number in range(start, last + 1):
                    if not values.holds(stated, read, number):
                        found[goal] = number
                        break
        except _TooMuch:
            return None
        return found

    @cached_property
    def _stated(self) -> Mapping[str, Stated]:
        some = self._dependents.properties_of.values()
        return {one.name: one for properties in some for one in properties}

    def _exchanged(self, bodies: Bodies) -> Mapping[_Node, _Rule] | None:
        """Return how variables with other bodies are computed; None if only a run tells."""
        layout, positions = self.layout, self._dependents.positions
        found: dict[_Node, _Rule] = {}
        for element, body in bodies.items():
            if element.restricts:
                return None
            for place in layout.places.get(element, ()):
                own = layout.own[place]
                if body is None:
                    found.update({own.prefix + name: _CHOSEN for name in element.defines})
                    continue
                code = layout.code_of(body)
                spot = Spot(own.instance, own.element, body, code, [])
                sources = Sources(layout.program)
                for name in sources.add(place, spot, ()):
                    rule = found[name] = _ruled(spot, planned(name, sources, {place: spot}))
                    now = (node for node, ago in rule.reads if not ago and isinstance(node, str))
                    if any(positions[one] >= positions[name] for one in now):
                        return None  # perhaps a loop
                for term in code.slots:
                    if term.op is Op.PRE:
                        plan = self._operand(place, code, term.args[0])
                        found[place, term.args[0]] = _ruled(spot, plan)
        return found

    def _operand(self, place: int, code: Code, term: Term) -> Plan:
        return Plan("", place, code.slots[term], code.needed(term))

    def _changing(self, names: list[str]) -> Mapping[str, int] | None:
        """Return the first step at which each variable may differ; None if executions may end."""
        found: dict[str, int] = {}
        layer, number = names, 0
        while layer:
            later: list[str] = []
            while layer:
                name = layer.pop()
                if name in found:
                    continue
                found[name] = number
                if name not in self._readers:
                    self._readers[name] = self._reading(name)
                readers = self._readers[name]
                if readers is None:
                    return None
                layer += readers[0]
                later += readers[1]
            layer, number = later, number + 1
        return found

    def _reading(self, name: str) -> tuple[list[str], list[str]] | None:
        """Return what reads a variable in the same step, and what may in the next one.

        None if something does that restricts executions.
        """
        dependents = self._dependents
        plans, own = dependents.plans, dependents.layout.own
        places = dependents.spots_of.get(name, ())
        if any(own[place].element.restricts for place in places):
            return None
        now = [plans[position].name for position in dependents.plans_of.get(name, ())]
        remembering = (dependents.remembering.get(place, ()) for place in places)
        return now, [plans[position].name for some in remembering for position in some]

    def rule(self, node: _Node) -> _Rule:
        """Return how a value of the program itself is computed."""
        found = self.rules.get(node)
        if found is None:
            dependents = self._dependents
            if isinstance(node, str):
                plan = dependents.plans[dependents.positions[node]]
            else:
                place, term = node
                code = dependents.layout.own[place].code
                assert code is not None
                plan = self._operand(place, code, term)
            spot = None if plan.place is None else dependents.layout.spot(plan.place)
            found = self.rules[node] = _CHOSEN if spot is None else _ruled(spot, plan)
        return found


class _Values(StepValues):
    """Compute values of an execution as they are asked for."""

    def __init__(
        self,
        program: LateFailures,
        recorded: Sequence[WholeStep],
        choices: Choices,
        rules: Mapping[_Node, _Rule],
        *,
        soonest: Mapping[str, int],
    ) -> None:
        layout = program.layout
        super().__init__(layout.beginnings.of(layout.sharing.base), choices)
        self._program = program
        self._recorded = recorded
        self._rules = rules
        self._soonest = soonest
        self._nows: dict[int, ChangedValues] = {}  # by step
        self._operands: dict[tuple[_Node, int], Any] = {}
        self._place = 0  # of the body that is computed
        self._left = MOST_FOR_STEP * len(choices.steps)

    def runs(self, prefix: str) -> bool:  # noqa: ARG002 - there is one instance
        return True

    def holds(self, stated: Stated, names: Sequence[str], step: int) -> bool:
        """Tell whether a property, which reads some variables, holds in a step."""
        for name in names:
            self._compute(name, step)
        self.now = self._at(step)
        return bool(self.stated(stated.instance, stated.term))

    def _at(self, step: int) -> ChangedValues:
        found = self._nows.get(step)
        if found is None:
            known = self._recorded[step].now if step < len(self._recorded) else {}
            found = self._nows[step] = ChangedValues(known)
        return found

    def _is_known(self, node: _Node, step: int) -> bool:
        if isinstance(node, str):
            if step < len(self._recorded) and step < self._soonest.get(node, step + 1):
                return True
            now = self._nows.get(step)
            return now is not None and node in now
        return (node, step) in self._operands

    def _origin(self, node: str, step: int) -> tuple[str, int]:
        """Return where a value comes from, through variables that only repeat others."""
        recorded, soonest, nows = len(self._recorded), self._soonest, self._nows
        own, rules, at = self._rules, self._program.rules, step
        while step and (step >= recorded or step >= soonest.get(node, step + 1)):
            now = nows.get(step)
            if now is not None and node in now:
                break
            rule = own.get(node) or rules.get(node) or self._program.rule(node)
            if rule.repeats is None:
                break
            node, step = rule.repeats, step - 1
        self._left -= at - step
        if self._left < 0:
            raise _TooMuch
        return node, step

    def _compute(self, wanted: _Node, step: int) -> None:
        """Compute a value of a step, with all that it is computed from."""
        stack, rules = [(wanted, step)], self._rules
        while stack:
            node, number = stack[-1]
            if self._is_known(node, number):
                stack.pop()
                continue
            rule = rules.get(node) or self._program.rule(node)
            if rule.repeats is not None and isinstance(node, str) and number:
                origin = self._origin(node, number)
                if self._is_known(*origin):
                    self._at(number)[node] = self._at(origin[1])[origin[0]]
                else:
                    stack.append(origin)
                continue
            size = len(stack)
            for read, ago in rule.reads:
                if ago <= number and not self._is_known(read, number - ago):
                    stack.append((read, number - ago))
            if len(stack) > size:
                continue
            self._left -= 1
            if self._left < 0:
                raise _TooMuch
            value = self._value(node, rule, number)
            if isinstance(node, str):
                self._at(number)[node] = value
            else:
                self._operands[node, number] = value

    def _value(self, node: _Node, rule: _Rule, step: int) -> Any:
        self.step, self.now, spot = step, self._at(step), rule.spot
        if spot is None:
            assert isinstance(node, str)
            return self.chosen(node)
        self._place = rule.place
        self.ran = _RAN if step else _NONE
        assert spot.code is not None
        spot.values = [MISSING] * spot.code.size
        self.fill(spot, rule.entries)
        value = spot.values[rule.slot]
        return value if rule.part is None else value[rule.part]

    def previous(self, spot: Spot, term: Term) -> Any:
        """Return the value of a `pre`, which was computed before."""
        if not self.step:
            return super().previous(spot, term)
        operand = term.args[0]
        if operand.op is Op.VAR:
            return self._at(self.step - 1)[spot.prefix + str(operand.payload)]
        return self._operands[(self._place, operand), self.step - 1]


_RAN = frozenset({""})
_NONE = frozenset[str]()


def _ruled(spot: Spot, plan: Plan) -> _Rule:
    """Return how a plan computes a value in a spot."""
    assert plan.place is not None
    reads: dict[tuple[_Node, int], None] = {}
    for _, term, _, _ in plan.entries:
        if term.op is Op.VAR:
            reads[spot.prefix + str(term.payload), 0] = None
        elif term.op is Op.PRE and term.args[0].op is Op.VAR:
            reads[spot.prefix + str(term.args[0].payload), 1] = None
        elif term.op is Op.PRE:
            reads[(plan.place, term.args[0]), 1] = None
    repeats = None
    if plan.part is None:
        later = next(term for slot, term, _, _ in plan.entries if slot == plan.slot)
        while later.op is Op.ARROW:
            later = later.args[1]
        if later.op is Op.PRE and later.args[0].op is Op.VAR:
            repeats = spot.prefix + str(later.args[0].payload)
    return _Rule(spot, plan.place, plan.slot, plan.part, plan.entries, tuple(reads), repeats)
