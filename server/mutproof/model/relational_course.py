"""Long executions of NuSMV programs, of which only what may change is computed at each step.

A value follows from some values of its own state and of the state before. As long as these are as
they were a step earlier, it is so too, and what rules and properties say of them. So an execution
costs as much as changes in it, however many variables keep their values.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterable, Mapping, Sequence
from heapq import heappop, heappush
from typing import Any

from mutproof.base.giving_way import may_stop
from mutproof.base.record import dataclass
from mutproof.base.rows import Successive
from mutproof.model import linear, sorts
from mutproof.model.execution import Execution
from mutproof.model.program import Property, PropertyKind
from mutproof.model.relational_code import CodedProgram
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_scene import Scene
from mutproof.model.relational_states import StateValues
from mutproof.model.relational_values import NOWHERE
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace

LEAST_STEPS = 32
"""How many steps an execution has at least that is computed so: others cost less as a whole."""

_NOTHING: Mapping[str, Any] = {}


def course(
    coded: CodedProgram, rules: Rules, choices: Choices, goals: Container[str] | None
) -> Execution | None:
    """Return what `Scene` says of an execution by rules; None where it takes all states to tell.

    With `goals`, only these properties are judged. It takes all states on lassos, where values are
    not scalars, and where the values of a state do not follow one another in the same order.
    """
    steps = choices.steps
    if choices.loop is not None or len(steps) < LEAST_STEPS or not _is_plain(coded, rules):
        return None
    asked = [one for one in coded.component.properties if goals is None or one.name in goals]
    names = steps[1].keys()
    if any(step.keys() != names for step in steps[2:]):
        return None
    if not all(_is_of_states(coded, one) for one in asked):
        return None
    values = StateValues(coded.component, rules, choices)
    first, later = (values.order(step, first=not number) for number, step in enumerate(steps[:2]))
    if not first or not later:
        return None
    return _Course(coded, rules, choices, asked).execution(values, later)


def _is_plain(coded: CodedProgram, rules: Rules) -> bool:
    """Tell whether all stored values are scalars, and all rules are of a state or of a step."""
    return not (
        rules.transitions
        or rules.free
        or rules.guarded
        or coded.frozen
        or coded.of_steps(rules)
        or any(not sorts.is_scalar(variable.sort) for variable in coded.stored)
    )


def _is_of_states(coded: CodedProgram, stated: Property) -> bool:
    """Tell whether a property speaks of single states, or not of single executions at all."""
    is_linear, _ = coded.along_path(stated)
    parts = linear.timeless(stated.term) if is_linear else ()
    return not any(ahead for part in parts for *_, ahead in coded.code_of(part).reads)


@dataclass(slots=True)
class _Demand:
    """Hold what is demanded of a state and the one before it, and the first step where it fails.

    `later` are the names that it reads of the state before, `at_once` those of the state; `since`
    is the first step at which it is demanded.
    """

    holds: Callable[[Values, Values], bool]
    later: Iterable[str]
    at_once: Iterable[str]
    since: int = 0
    failed: int | None = None

    def judge(self, number: int, before: Values, now: Values) -> None:
        if self.failed is None and number >= self.since and not self.holds(before, now):
            self.failed = number


class _Course:
    """Compute one execution of one program, and judge it; used once."""

    def __init__(
        self, coded: CodedProgram, rules: Rules, choices: Choices, asked: Sequence[Property]
    ) -> None:
        self._coded = coded
        self._rules = rules
        self._choices = choices
        self._asked = asked
        self._changes: list[Mapping[str, Any]] = []

    def execution(self, values: StateValues, order: Sequence[str]) -> Execution:
        """Return the execution; `order` is that in which the values of later states follow."""
        demands = [_declared(name, sort) for name, sort in self._coded.scalars]
        demands += [_of_state(rule) for rule in self._rules.always]
        demands += [_of_step(rule) for rule in self._rules.steps]
        lasting = {one.name: self._lasting(one) for one in self._asked}
        judged = [*demands, *(one for one in lasting.values() if one is not None)]
        computed = self._run(values, order, judged)
        first = self._changes[0]
        assumed = all(one.failed is None for one in demands) and all(
            rule.holds(first, NOWHERE, first) for rule in self._rules.first
        )
        return Execution(
            Trace(self._choices, Successive(self._changes, self._coded.told)),
            self._violated(lasting),
            assumed,
            self._refuted,
            computed=computed,
        )

    def _run(self, values: StateValues, order: Sequence[str], judged: Sequence[_Demand]) -> int:
        """Compute the values in all states, and judge them; return how much was computed."""
        steps, count = self._choices.steps, len(order)
        before = values.state(steps[0], None)
        now = values.state(steps[1], before)
        self._changes += [before, dict(now)]
        for number, state in enumerate((before, now)):
            for demand in judged:
                demand.judge(number, before, state)
        reads = [*map(values.reads, order), *((one.later, one.at_once) for one in judged)]
        later = _readers([earlier for earlier, _ in reads])
        at_once = _readers([own for _, own in reads])
        given = [name for name, _ in self._coded.scalars if name in steps[1]]
        changed = {name: value for name, value in now.items() if not _same(before[name], value)}
        before, computed = dict(now), 2 * len(now) + len(steps)
        for number in range(2, len(steps)):
            may_stop()
            found = {place for name in changed for place in later.get(name, ())}
            changed = {}
            if steps[number] is not steps[number - 1]:
                for name in given:
                    if not _same(now[name], steps[number][name]):
                        changed[name] = now[name] = steps[number][name]
                        found.update(at_once.get(name, ()))
            queue = sorted(found)
            while queue:
                place = heappop(queue)
                if place >= count:
                    judged[place - count].judge(number, before, now)
                    continue
                name = order[place]
                value = values.later(name, now, before)
                if _same(now[name], value):
                    continue
                changed[name] = now[name] = value
                for other in at_once.get(name, ()):
                    if other not in found:
                        found.add(other)
                        heappush(queue, other)
            computed += len(found)
            self._changes.append(changed or _NOTHING)
            before.update(changed)
        return computed

    # --- properties -----------------------------------------------------------------------

    def _lasting(self, stated: Property) -> _Demand | None:
        """Return what a property demands of each state, None if it says more or something else."""
        term: Term | None = stated.term
        if stated.kind is not PropertyKind.INVARIANT:
            known = stated.kind is not PropertyKind.COMPUTE and self._coded.along_path(stated)[0]
            term = linear.of_each_state(stated.term) if known else None
        if term is None:
            return None
        code = self._coded.code_of(term)
        names = [name for _, name, _ in code.reads]
        return _Demand(lambda _, now: code.value(now, NOWHERE) is not False, (), names)

    def _violated(self, lasting: Mapping[str, _Demand | None]) -> dict[str, int]:
        """Return the properties that fail, also those that do however the execution goes on."""
        steps: dict[str, int | None] = {}
        goes_on = self._coded.goes_on(self._rules)
        is_invariant = {one.name: one.kind is PropertyKind.INVARIANT for one in self._asked}
        for one in sorted(self._asked, key=lambda one: not is_invariant[one.name]):
            demand = lasting[one.name]
            if is_invariant[one.name] or (goes_on and demand is not None):
                steps[one.name] = None if demand is None else demand.failed
            elif goes_on:
                steps[one.name] = self._refutation(one)
        return {name: step for name, step in steps.items() if step is not None}

    def _refutation(self, stated: Property) -> int | None:
        """Return where a temporal property fails however the execution goes on."""
        if stated.kind is PropertyKind.COMPUTE or not self._coded.along_path(stated)[0]:
            return None
        known = {term: self._along(term) for term in linear.timeless(stated.term)}
        return linear.first_refuted(
            stated.term, lambda term, last: known[term][: last + 1], len(self._changes)
        )

    def _refuted(self) -> Mapping[str, int]:
        whole = Scene(self._coded, self._rules, self._choices, is_own=False)
        return whole.execution(self._rules).refuted()

    def _along(self, term: Term) -> list[Any]:
        """Return the value of a term without time in each state."""
        code = self._coded.code_of(term)
        names = {name for _, name, _ in code.reads}
        state: Values = {}
        found: list[Any] = []
        for changed in self._changes:
            if not found or not names.isdisjoint(changed):
                state.update(changed)
                found.append(code.value(state, NOWHERE))
            else:
                found.append(found[-1])
        return found


def _declared(name: str, sort: Sort) -> _Demand:
    return _Demand(lambda _, now: sorts.contains(sort, now[name]), (), (name,))


def _of_state(rule: Rule) -> _Demand:
    names = [name for _, name, ahead in rule.code.reads if not ahead]
    return _Demand(lambda _, now: rule.holds(now, NOWHERE, now), (), _with(rule.target, names))


def _of_step(rule: Rule) -> _Demand:
    later = [name for _, name, ahead in rule.code.reads if not ahead]
    at_once = [name for _, name, ahead in rule.code.reads if ahead]
    own = _with(rule.target, at_once)
    return _Demand(lambda before, now: rule.holds(before, now, now), later, own, since=1)


def _with(target: str | None, names: Sequence[str]) -> Sequence[str]:
    return names if target is None else [*names, target]


def _readers(reads: Sequence[Iterable[str]]) -> Mapping[str, Sequence[int]]:
    """Return the places of those that read each name."""
    found: dict[str, list[int]] = {}
    for place, names in enumerate(reads):
        for name in dict.fromkeys(names):
            found.setdefault(name, []).append(place)
    return found


def _same(one: Any, other: Any) -> bool:
    return one is other or (type(one) is type(other) and bool(one == other))
