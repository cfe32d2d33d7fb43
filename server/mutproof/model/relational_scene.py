"""States of a NuSMV program, and what follows of them for other bodies of its elements.

States are judged by the rules of a program (`relational_rules`); what is known of them serves all
rules with the same DEFINEs.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Mapping, Sequence
from typing import Any

from mutproof.base.giving_way import may_stop
from mutproof.base.lazy import cached_property
from mutproof.model import linear, relational_states, sorts
from mutproof.model.execution import Execution
from mutproof.model.program import Property, PropertyKind
from mutproof.model.relational_code import CodedProgram
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_states import Found
from mutproof.model.relational_values import NOWHERE, UNDEFINED
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace


class Scene:
    """Hold states and verdicts about them, which are valid for all rules with the same DEFINEs.

    `is_own`: these are the DEFINEs of the program as it is. The states are `given`, or computed.
    """

    def __init__(
        self,
        coded: CodedProgram,
        rules: Rules,
        choices: Choices,
        *,
        is_own: bool,
        given: Found | None = None,
    ) -> None:
        self.choices = choices
        self._coded = coded
        self._rules = rules
        self._of_steps = coded.of_steps(rules)
        self._known = coded.known if is_own and given is None else None
        numbers = [] if self._known is None else [*map(self._known.number, choices.steps)]
        self._numbers = [number for number in numbers if number is not None]
        if self._known is None or len(self._numbers) < len(choices.steps):
            self._known = None
            found = given or relational_states.states(coded.component, rules, choices)
        else:
            values = self._known.values
            found = Found([values[n] for n in self._numbers])
        self.found, self._states = found, found.values
        count = len(self._states)
        following: list[int | None] = [*range(1, count), choices.loop] if count else []
        self._pairs: list[tuple[Values, Mapping[str, Any]]] = [
            (state, NOWHERE)
            if other is None
            else relational_states.pair(rules, state, self._states[other])
            for state, other in zip(self._states, following, strict=True)
        ]
        self._complete = [number for number, other in enumerate(following) if other is not None]
        self._verdicts: dict[tuple[int, ...], bool] = {}

    @property
    def computed(self) -> frozenset[str]:
        """Return the variables that were computed in some state."""
        return self.found.computed

    @cached_property
    def own(self) -> Execution:
        """Return what the states are by the rules they were made with."""
        return self.execution(self._rules)

    def execution(self, rules: Rules, goals: Container[str] | None = None) -> Execution:
        """Return what the states are if these rules are those of the program.

        With `goals`, only these properties are judged.
        """
        violated = self._violated if goals is None else self._of(self.violation, goals)
        if self.choices.loop is None and self._coded.goes_on(rules):
            refuted = self._refuted if goals is None else self._of(self.refutation, goals)
            violated = {**violated, **refuted}
        assumed = self._assumed(rules)
        return Execution(
            self._trace,
            violated,
            assumed,
            lambda: self._refuted,
            self._is_fair,
            computed=len(self._states) * len(self._coded.scalars),
        )

    def shown(self, names: Sequence[str]) -> Trace:
        """Return the execution with the values of some scalars only."""
        steps = tuple({name: state[name] for name in names} for state in self._states)
        return Trace(self.choices, steps, self.choices.loop)

    @cached_property
    def _trace(self) -> Trace:
        shown = tuple(map(self._coded.told, self._states))
        return Trace(self.choices, shown, self.choices.loop)

    # --- constraints of elements ----------------------------------------------------------

    def _assumed(self, rules: Rules) -> bool:
        return self._is_declared and self.meets(rules)

    def meets(self, rules: Rules) -> bool:
        """Tell whether the states and steps are as rules demand."""
        return (
            all(self._is_kept((rule,), self._first_holds) for rule in rules.first)
            and all(self._is_kept((rule,), self._always_holds) for rule in self._open_always(rules))
            and all(self._is_kept((rule,), self._steps_hold) for rule in self._open_steps(rules))
            and all(self._is_kept(tuple(a), self._is_processed) for a in rules.guarded.values())
        )

    def _open_always(self, rules: Rules) -> Sequence[Rule]:
        """Return the rules of single states that are not known to hold in all states."""
        return rules.always if self._known is None else self._not_known(rules.always)

    def _open_steps(self, rules: Rules) -> Sequence[Rule]:
        """Return the rules of steps that are not known to hold in all steps."""
        return rules.steps if self._known is None else self._not_known(rules.steps)

    def _not_known(self, rules: Sequence[Rule]) -> Sequence[Rule]:
        failing, is_own = self._failing, self._coded.is_own
        return [rule for rule in rules if id(rule) in failing or not is_own(rule)]

    @cached_property
    def _failing(self) -> frozenset[int]:
        """Return the identities of the rules of the program that fail in a state or step."""
        known, numbers, loop = self._known, self._numbers, self.choices.loop
        assert known is not None
        after = numbers[1:] if loop is None else [*numbers[1:], numbers[loop]]
        return frozenset().union(
            *map(known.failing, numbers), *map(known.failing_steps, numbers, after)
        )

    @cached_property
    def _is_declared(self) -> bool:
        """Tell whether all values are of their sorts, and frozen variables do not change."""
        if self._known is not None:
            declared = all(map(self._known.is_declared, self._numbers))
        else:
            declared = all(
                sorts.contains(sort, state[name])
                for name, sort in self._coded.scalars
                for state in self._states
            )
        return declared and all(
            state[n] == self._states[0][n] for n in self._coded.frozen for state in self._states
        )

    def _is_kept(self, rules: tuple[Rule, ...], check: Callable[..., bool]) -> bool:
        """Return whether `check` holds for rules; cache this for rules of the unchanged program."""
        key = tuple(id(rule) for rule in rules)
        verdict = self._verdicts.get(key)
        if verdict is None:
            may_stop()
            verdict = check(*rules)
            if all(self._coded.is_own(rule) for rule in rules):
                self._verdicts[key] = verdict
        return verdict

    def _first_holds(self, rule: Rule) -> bool:
        return all(rule.holds(state, NOWHERE, state) for state in self._states[:1])

    def _always_holds(self, rule: Rule) -> bool:
        return all(rule.holds(state, NOWHERE, state) for state in self._states)

    def _steps_hold(self, rule: Rule) -> bool:
        return all(rule.holds(now, after, after) for now, after in self._steps)

    def _is_processed(self, *rules: Rule) -> bool:
        """Tell whether a variable changes as the running processes say, or keeps its value."""
        for now, after in self._steps:
            idle = True
            for rule in rules:
                assert rule.guard is not None
                acts = rule.guard.value(now, after)
                if acts is UNDEFINED or (acts and not rule.holds(now, after, after)):
                    return False
                idle = idle and not acts
            target = str(rules[0].target)
            if idle and now[target] != after[target]:
                return False
        return True

    @cached_property
    def _steps(self) -> list[tuple[Values, Mapping[str, Any]]]:
        return [self._pairs[number] for number in self._complete]

    # --- properties -----------------------------------------------------------------------

    @cached_property
    def _violated(self) -> Mapping[str, int]:
        return self._of(self.violation, None)

    def _of(
        self, find: Callable[[Property], int | None], goals: Container[str] | None
    ) -> Mapping[str, int]:
        """Return the steps that are found of goals, or of all properties, by property."""
        stated = self._coded.component.properties
        found = {one.name: find(one) for one in stated if goals is None or one.name in goals}
        return {name: step for name, step in found.items() if step is not None}

    def violation(self, stated: Property) -> int | None:
        """Return the step at which a property is false, of temporal ones on this lasso."""
        if stated.kind is PropertyKind.INVARIANT:
            return self._first_violation(stated.term)
        if stated.kind is not PropertyKind.COMPUTE and self._is_refuted(stated):
            return len(self._states) - 1
        return None

    def failure(self, stated: Property) -> int | None:
        """Return where a property fails if each such execution goes on and is fair."""
        step = self.refutation(stated)
        return self.violation(stated) if step is None else step

    def _first_violation(self, term: Term) -> int | None:
        code = self._coded.code_of(term).keeping(self._rules.settled)
        of_steps = any(shifted or name in self._of_steps for _, name, shifted in code.reads)
        for number in self._complete if of_steps else range(len(self._pairs)):
            if code.value(*self._pairs[number]) is False:
                return number
        return None

    def _is_refuted(self, stated: Property) -> bool:
        loop = self.choices.loop
        is_linear, is_branching = self._coded.along_path(stated)
        if loop is None or not is_linear or not self._is_fair(is_branching=is_branching):
            return False
        try:
            return not linear.holds(stated.term, self._along, loop)
        except (_NotKnown, linear.TooFar):
            return False

    @cached_property
    def _refuted(self) -> Mapping[str, int]:
        return self._of(self.refutation, None)

    def refutation(self, stated: Property) -> int | None:
        """Return where a temporal property fails however the execution goes on."""
        is_linear, _ = self._coded.along_path(stated)
        if not is_linear or stated.kind in {PropertyKind.INVARIANT, PropertyKind.COMPUTE}:
            return None
        return linear.first_refuted(stated.term, self._until, len(self._pairs))

    def _until(self, term: Term, last: int) -> list[Any]:
        code = self._coded.code_of(term)
        pairs = [*self._pairs[:last], (self._pairs[last][0], NOWHERE)]
        return [code.value(*pair) for pair in pairs]

    def _along(self, term: Term) -> list[Any]:
        code, known = self._coded.code_of(term), self._known
        if known is None or any(
            ahead or name in self._rules.transitions for _, name, ahead in code.reads
        ):
            values = [code.value(*pair) for pair in self._pairs]
        else:
            values = known.along(term, code, self._numbers)
        if any(value is UNDEFINED for value in values):
            raise _NotKnown
        return values

    def _is_fair(self, *, is_branching: bool = False) -> bool:
        """Tell whether it is a fair lasso; ignore COMPASSION for branching time, as NuSMV does."""
        loop, component, code_of = self.choices.loop, self._coded.component, self._coded.code_of
        if loop is None:
            return False

        def often(term: Term) -> list[Any]:
            code = code_of(term)
            return [code.value(*pair) for pair in self._pairs[loop:]]

        return all(True in often(term) for term in component.fairness) and (
            is_branching
            or all(
                True in often(given) or not any(often(asked))
                for asked, given in component.compassion
            )
        )


class _NotKnown(Exception):  # noqa: N818 - control flow inside this module
    pass
