"""The oracle of NuSMV: judge given states straight from the meaning of the program.

It knows nothing of transition systems and of how programs are lowered to them: terms keep their
sets, cases, arrays and next values, a DEFINE is a macro, and every use of a set chooses anew. Every
counterexample of a NuSMV model is replayed here before it is reported.
Source: NuSMV 2.6 user manual §2.3, §2.4; what the 2.6.0 binary does where it differs.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.model import (
    linear,
    relational_rules,
    relational_states,
    relational_values,
    sorts,
    walk,
)
from mutproof.model.execution import Execution
from mutproof.model.operators import BRANCHING_TIME
from mutproof.model.program import (
    Element,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    VariableKind,
)
from mutproof.model.relational_known import KnownStates
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_values import NOWHERE, UNDEFINED, NoValue, RelationalCode
from mutproof.model.sorts import BoolSort, SetSort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.model.values import leaves_of

MOST_RECENT = 64
"""The number of choices whose states are cached."""


_RESTRICTING = frozenset({ElementKind.TRANS, ElementKind.INVAR})


class RelationalEvaluator:
    """Judge states of one program many times, also with other bodies for some elements.

    Raises:
        InstantaneousLoop: a DEFINE depends on itself within one step.
    """

    def __init__(self, program: Program) -> None:
        self.component = program.component(program.main)
        self.stored = tuple(
            variable
            for variable in self.component.variables
            if variable.kind is not VariableKind.DEFINE
        )
        self.frozen = tuple(v.name for v in self.component.of_kind(VariableKind.FROZEN))
        self._unchanging = self.component.unchanging
        self.scalars = tuple(
            (variable.name + suffix, sort)
            for variable in self.stored
            for suffix, sort in sorts.leaves(variable.sort)
        )
        # DEFINEs whose values are shown, with the sorts of those that have parts.
        self.shown = tuple(
            (variable.name, None if sorts.is_scalar(variable.sort) else variable.sort)
            for variable in self.component.of_kind(VariableKind.DEFINE)
            if not isinstance(variable.sort, SetSort)
        )
        self._boolean = {
            variable.name + suffix: isinstance(sort, BoolSort)
            for variable in self.component.variables
            for suffix, sort in sorts.leaves(variable.sort)
        }
        self._looked_at: list[tuple[Choices, bool]] = []
        self._numbers: dict[Element, list[int]] = {}
        for number, element in enumerate(self.component.elements):
            self._numbers.setdefault(element, []).append(number)
        self._codes: dict[Term, RelationalCode] = {}
        self._linear: dict[Term, tuple[bool, bool]] = {}
        self._own = [
            relational_rules.rule(element, element.body, self.code_of)
            for element in self.component.elements
        ]
        self._own_ids = frozenset(id(rule) for rule in self._own)
        self._rules = relational_rules.rules(self.component, self._own)
        self._recent: list[_Scene] = []
        self._states: KnownStates | None = None

    def is_typed(self, choices: Choices) -> bool:
        """Tell whether just the variables of truth values have such, so that none is 1 or 0.

        Those of an earlier version of the program may have others.
        """
        for known, typed in self._looked_at:
            if known is choices:
                return typed
        boolean = self._boolean
        typed = all(
            boolean.get(name, type(value) is bool) is (type(value) is bool)
            for step in choices.steps
            for name, value in step.items()
        )
        self._looked_at = [(choices, typed), *self._looked_at[: MOST_RECENT - 1]]
        return typed

    def run(
        self, choices: Choices, bodies: Mapping[Element, Term | None] | None = None
    ) -> Execution:
        """Judge the states of `choices`; None as a body removes an element of the program.

        What the choices leave out is computed from assignments, as `relational_states.states`
        says; a DEFINE without a body has the values that the choices give it. Temporal
        properties are judged on fair lassos, where a violated one has the last step, and on
        finite executions that go on in any case.

        Raises:
            InstantaneousLoop: a DEFINE depends on itself within one step.
            KeyError: an element is not one of the program.
            ValueError: the loop returns to a step that does not exist.
        """
        if choices.loop is not None and not 0 <= choices.loop < len(choices.steps):
            message = f"no step {choices.loop} among {len(choices.steps)}"
            raise ValueError(message)
        if not bodies:
            return self._scene(choices).execution(self._rules)
        rules = self.rules_with(bodies)
        redefined = any(element.kind is ElementKind.DEFINE for element in bodies)
        if not redefined:
            scene = self._scene(choices)
            if not any(scene.computed.intersection(element.targets) for element in bodies):
                return scene.execution(rules)
        return _Scene(self, rules, choices, is_own=not redefined).execution(rules)

    @property
    def known(self) -> KnownStates:
        """Return what is known of states of the program as it is."""
        if self._states is None or self._states.is_full:
            whole = relational_states.lone(self.component, self._rules)
            self._states = KnownStates(self.scalars, self._rules, whole)
        return self._states

    def rules_with(self, bodies: Mapping[Element, Term | None]) -> Rules:
        """Return the rules of the program with other bodies for some elements.

        Raises:
            InstantaneousLoop: a DEFINE depends on itself within one step.
            KeyError: an element is not one of the program.
        """
        changed: list[Rule | None] = list(self._own)
        for element, body in bodies.items():
            one = None if body is None else relational_rules.rule(element, body, self.code_of)
            for number in self._numbers[element]:
                changed[number] = one
        redefined = any(element.kind is ElementKind.DEFINE for element in bodies)
        return relational_rules.rules(self.component, changed, None if redefined else self._rules)

    def _scene(self, choices: Choices) -> _Scene:
        """Return the states of the unchanged program; cache those of recent choices."""
        for scene in self._recent:
            if scene.choices is choices:
                return scene
        scene = _Scene(self, self._rules, choices, is_own=True)
        self._recent = [scene, *self._recent[: MOST_RECENT - 1]]
        return scene

    def is_own(self, rule: Rule) -> bool:
        """Tell whether a rule is one of the program as it is."""
        return id(rule) in self._own_ids

    def goes_on(self, rules: Rules) -> bool:
        """Tell whether by these rules each execution begins an infinite one, all being fair.

        So it is where assignments alone restrict steps: they give all states a successor.
        """
        if self.component.fairness or self.component.compassion:
            return False
        return all(rule.target is not None for rule in (*rules.always, *rules.steps))

    def of_steps(self, rules: Rules) -> frozenset[str]:
        """Return the names that make an invariant one of steps, true in a state without successor.

        These are DEFINEs that read next values, and inputs where constraints may end executions.
        """
        restricted = any(element.kind in _RESTRICTING for element in self.component.elements)
        inputs = self.component.of_kind(VariableKind.INPUT) if restricted else ()
        found = {*rules.transitions, *(v.name for v in inputs)} - self._unchanging
        for name, code in rules.states.items():  # in the order of computation
            if any(read in found for _, read, _ in code.reads):
                found.add(name)
        return frozenset(found)

    def code_of(self, term: Term) -> RelationalCode:
        """Return the code of a term, kept between runs."""
        if term not in self._codes:
            parts = relational_values.branches_of(term)
            if not parts:
                return self._plain(term)
            self._codes[term] = relational_values.chosen([*map(self._plain, parts)])
        return self._codes[term]

    def _plain(self, term: Term) -> RelationalCode:
        if term not in self._codes:
            self._codes[term] = relational_values.code(term, self._unchanging)
        return self._codes[term]

    def along_path(self, stated: Property) -> tuple[bool, bool]:
        """Tell whether one path can refute a property, and whether it is of branching time."""
        term = stated.term
        if term not in self._linear:
            branching = any(part.op in BRANCHING_TIME for part in walk.subterms(term))
            self._linear[term] = linear.is_linear(term), branching
        is_linear, branching = self._linear[term]
        # A CTLSPEC without operators is one of branching time all the same.
        return is_linear, branching or stated.kind is PropertyKind.CTL


class _Scene:
    """Hold states and verdicts about them, which are valid for all rules with the same DEFINEs.

    `is_own`: these are the DEFINEs of the program as it is.
    """

    def __init__(
        self, evaluator: RelationalEvaluator, rules: Rules, choices: Choices, *, is_own: bool
    ) -> None:
        self.choices = choices
        self._evaluator = evaluator
        self._of_steps = evaluator.of_steps(rules)
        self._settled = rules.settled
        self._ahead = rules.transitions.keys()
        self._known = evaluator.known if is_own else None
        numbers = [] if self._known is None else [*map(self._known.number, choices.steps)]
        self._numbers = [number for number in numbers if number is not None]
        if self._known is None or len(self._numbers) < len(choices.steps):
            self._known = None
            found = relational_states.states(evaluator.component, rules, choices)
            self._states, self.computed = found
        else:
            values = self._known.values
            self._states, self.computed = [values[n] for n in self._numbers], frozenset()
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

    def execution(self, rules: Rules) -> Execution:
        """Return what the states are if these rules are those of the program."""
        violated = self._violated
        if self.choices.loop is None and self._evaluator.goes_on(rules):
            violated = {**violated, **self._refuted}
        return Execution(self._trace, violated, self._assumed(rules), lambda: self._refuted)

    @cached_property
    def _trace(self) -> Trace:
        shown = tuple(self._shown(state) for state in self._states)
        return Trace(self.choices, shown, self.choices.loop)

    def _shown(self, state: Values) -> dict[str, Value]:
        found: dict[str, Value] = {name: state[name] for name, _ in self._evaluator.scalars}
        for name, sort in self._evaluator.shown:
            value = state[name]
            if value is UNDEFINED or isinstance(value, frozenset):
                continue
            if sort is None:
                found[name] = value
                continue
            for path, leaf in leaves_of(sort, value):
                if not isinstance(leaf, NoValue):
                    found[name + path] = leaf
        return found

    # --- constraints of elements ----------------------------------------------------------

    def _assumed(self, rules: Rules) -> bool:
        return (
            self._is_declared
            and all(self._is_kept((rule,), self._first_holds) for rule in rules.first)
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
        failing, is_own = self._failing, self._evaluator.is_own
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
                for name, sort in self._evaluator.scalars
                for state in self._states
            )
        return declared and all(
            state[n] == self._states[0][n] for n in self._evaluator.frozen for state in self._states
        )

    def _is_kept(self, rules: tuple[Rule, ...], check: Callable[..., bool]) -> bool:
        """Return whether `check` holds for rules; cache this for rules of the unchanged program."""
        key = tuple(id(rule) for rule in rules)
        verdict = self._verdicts.get(key)
        if verdict is None:
            verdict = check(*rules)
            if all(self._evaluator.is_own(rule) for rule in rules):
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
        found = {}
        for stated in self._evaluator.component.properties:
            step = None
            if stated.kind is PropertyKind.INVARIANT:
                step = self._first_violation(stated.term)
            elif stated.kind is not PropertyKind.COMPUTE and self._is_refuted(stated):
                step = len(self._states) - 1
            if step is not None:
                found[stated.name] = step
        return found

    def _first_violation(self, term: Term) -> int | None:
        code = self._evaluator.code_of(term).keeping(self._settled)
        of_steps = any(shifted or name in self._of_steps for _, name, shifted in code.reads)
        for number in self._complete if of_steps else range(len(self._pairs)):
            if code.value(*self._pairs[number]) is False:
                return number
        return None

    def _is_refuted(self, stated: Property) -> bool:
        loop = self.choices.loop
        is_linear, is_branching = self._evaluator.along_path(stated)
        if loop is None or not is_linear or not self._is_fair(loop, is_branching=is_branching):
            return False
        try:
            return not linear.holds(stated.term, self._along, loop)
        except (_NotKnown, linear.TooFar):
            return False

    @cached_property
    def _refuted(self) -> Mapping[str, int]:
        """Return where temporal properties fail however the execution goes on."""
        found = {}
        for stated in self._evaluator.component.properties:
            is_linear, _ = self._evaluator.along_path(stated)
            if is_linear and stated.kind not in {PropertyKind.INVARIANT, PropertyKind.COMPUTE}:
                step = linear.first_refuted(stated.term, self._until, len(self._pairs))
                if step is not None:
                    found[stated.name] = step
        return found

    def _until(self, term: Term, last: int) -> list[Any]:
        code = self._evaluator.code_of(term)
        pairs = [*self._pairs[:last], (self._pairs[last][0], NOWHERE)]
        return [code.value(*pair) for pair in pairs]

    def _along(self, term: Term) -> list[Any]:
        code, known = self._evaluator.code_of(term), self._known
        if known is None or any(ahead or name in self._ahead for _, name, ahead in code.reads):
            values = [code.value(*pair) for pair in self._pairs]
        else:
            values = known.along(term, code, self._numbers)
        if any(value is UNDEFINED for value in values):
            raise _NotKnown
        return values

    def _is_fair(self, loop: int, *, is_branching: bool) -> bool:
        """Tell whether the lasso is fair; ignore COMPASSION for branching time, as NuSMV does."""
        component, code_of = self._evaluator.component, self._evaluator.code_of

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
