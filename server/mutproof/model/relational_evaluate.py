"""The oracle of NuSMV: judge given states straight from the meaning of the program.

It knows nothing of transition systems and of how programs are lowered to them: terms keep
their sets, cases, arrays and next values, a DEFINE is a macro, and every use of a set chooses
anew. Every counterexample of a NuSMV model is replayed here before anybody sees it.
Source: NuSMV 2.6 user manual §2.3, §2.4; what the 2.6.0 binary does where it differs.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from mutproof.model import linear, relational_values, sorts, walk
from mutproof.model.evaluate import Execution, InstantaneousLoop
from mutproof.model.operators import BRANCHING_TIME
from mutproof.model.program import (
    Element,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    Variable,
    VariableKind,
)
from mutproof.model.relational_values import NOWHERE, UNDEFINED, Code, Undefined, includes
from mutproof.model.sorts import SetSort, Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.model.values import built, leaves_of

Values: TypeAlias = "dict[str, Any]"
"""The values of variables, of arrays and of their elements, and of DEFINEs in one state."""


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
        self.scalars = tuple(
            (variable.name + suffix, sort)
            for variable in self.stored
            for suffix, sort in sorts.leaves(variable.sort)
        )
        self.defines = {v.name: v for v in self.component.of_kind(VariableKind.DEFINE)}
        self._numbers: dict[Element, list[int]] = {}
        for number, element in enumerate(self.component.elements):
            self._numbers.setdefault(element, []).append(number)
        self._codes: dict[Term, Code] = {}
        self._linear: dict[Term, tuple[bool, bool]] = {}
        self._rules = self._written(tuple(element.body for element in self.component.elements))

    def run(
        self, choices: Choices, bodies: Mapping[Element, Term | None] | None = None
    ) -> Execution:
        """Judge the states of `choices`; None as a body removes an element of the program.

        A DEFINE without a body has the values that the choices give it. Temporal properties
        are judged on fair lassos only; a violated one has the last step.

        Raises:
            InstantaneousLoop: a DEFINE depends on itself within one step.
            KeyError: an element is not one of the program.
            ValueError: the loop returns to a step that does not exist.
        """
        if choices.loop is not None and not 0 <= choices.loop < len(choices.steps):
            message = f"no step {choices.loop} among {len(choices.steps)}"
            raise ValueError(message)
        return _Run(self, self._rules_with(bodies or {}), choices).run()

    def code_of(self, term: Term) -> Code:
        """Return the code of a term, kept between runs."""
        if term not in self._codes:
            self._codes[term] = relational_values.code(term)
        return self._codes[term]

    def along_path(self, term: Term) -> tuple[bool, bool]:
        """Tell whether one path can refute a formula, and whether it is of branching time."""
        if term not in self._linear:
            branching = any(part.op in BRANCHING_TIME for part in walk.subterms(term))
            self._linear[term] = linear.is_linear(term), branching
        return self._linear[term]

    def _rules_with(self, bodies: Mapping[Element, Term | None]) -> Rules:
        if not bodies:
            return self._rules
        changed: list[Term | None] = [element.body for element in self.component.elements]
        for element, body in bodies.items():
            for number in self._numbers[element]:
                changed[number] = body
        return self._written(changed)

    def _written(self, bodies: Sequence[Term | None]) -> Rules:
        """Return what elements with these bodies demand; an element without one demands nothing."""
        rules = Rules([], [], [], {}, [], [], [])
        defined: dict[str, Code] = {}
        for element, body in zip(self.component.elements, bodies, strict=True):
            if body is None:
                continue
            rule = Rule(element.targets[0] if element.targets else None, self.code_of(body))
            match element.kind:
                case ElementKind.DEFINE:
                    defined[element.targets[0]] = rule.code
                case ElementKind.INIT | ElementKind.INIT_ASSIGN:
                    rules.first.append(rule)
                case ElementKind.INVAR | ElementKind.CURRENT_ASSIGN:
                    rules.always.append(rule)
                case ElementKind.NEXT_ASSIGN if element.guard is not None:
                    guard = self.code_of(element.guard)
                    rules.guarded.setdefault(element.targets[0], []).append((guard, rule))
                case _:
                    rules.steps.append(rule)
        rules.free.extend(v for name, v in self.defines.items() if name not in defined)
        _plan(defined, rules)
        return rules


@dataclass(frozen=True, slots=True)
class Rule:
    """Demand that a term is true, or that a variable has its value or a member of it."""

    target: str | None
    code: Code

    def holds(self, now: Values, after: Values, assigned: Values) -> bool:
        """Tell whether the rule holds between two states; `assigned` is that of the target."""
        value = self.code.value(now, after)
        return includes(value, True if self.target is None else assigned[self.target])


@dataclass(frozen=True, slots=True)
class Rules:
    """Hold what all elements demand, and how DEFINEs get their values.

    `guarded` are the next-assignments of processes by target, each with its guard. `states`
    are DEFINEs of one state and `transitions` those that read the next one, each after what it
    reads; `free` are DEFINEs without a body.
    """

    first: list[Rule]
    always: list[Rule]
    steps: list[Rule]
    guarded: dict[str, list[tuple[Code, Rule]]]
    states: list[tuple[str, Code]]
    transitions: list[tuple[str, Code]]
    free: list[Variable]


def _plan(defined: dict[str, Code], rules: Rules) -> None:
    """Order DEFINEs so that each follows what it reads, and find those that read next values."""
    later: set[str] = set()
    done: dict[str, bool] = {}
    for wanted in defined:
        stack = [wanted]
        while stack:
            name = stack[-1]
            if done.get(name):
                stack.pop()
                continue
            reads = defined[name].reads
            needs = [n for _, n, shifted in reads if not shifted and n in defined]
            if name not in done:
                done[name] = False
                for need in needs:
                    if need not in done:
                        stack.append(need)
                    elif not done[need]:
                        raise InstantaneousLoop(need)
                continue
            stack.pop()
            done[name] = True
            if any(shifted for _, _, shifted in reads) or any(need in later for need in needs):
                later.add(name)
                rules.transitions.append((name, defined[name]))
            else:
                rules.states.append((name, defined[name]))


class _Run:
    def __init__(self, evaluator: RelationalEvaluator, rules: Rules, choices: Choices) -> None:
        self._evaluator = evaluator
        self._rules = rules
        self._choices = choices
        self._states = [self._state(chosen) for chosen in choices.steps]
        count = len(self._states)
        following: list[int | None] = [*range(1, count), choices.loop] if count else []
        self._pairs: list[tuple[Values, Values]] = [
            self._pair(state, None if other is None else self._states[other])
            for state, other in zip(self._states, following, strict=True)
        ]
        self._complete = [number for number, other in enumerate(following) if other is not None]

    def run(self) -> Execution:
        trace = Trace(
            self._choices,
            tuple(dict(self._shown(state)) for state in self._states),
            self._choices.loop,
        )
        return Execution(trace, dict(self._violated()), self._assumed())

    # --- states ---------------------------------------------------------------------------

    def _state(self, chosen: Mapping[str, Value]) -> Values:
        values: Values = {}
        for variable in (*self._evaluator.stored, *self._rules.free):
            name, sort = variable.name, variable.sort
            if sorts.is_scalar(sort) or isinstance(sort, SetSort):
                values[name] = chosen[name] if name in chosen else sorts.default_value(sort)
                continue
            value = built(sort, lambda path, leaf, name=name: _leaf(chosen, name + path, leaf))  # type: ignore[misc]
            values[name] = value
            for path, leaf in leaves_of(sort, value):
                values[name + path] = leaf
        for name, _ in self._rules.transitions:
            values[name] = UNDEFINED
        for name, code in self._rules.states:
            values[name] = code.value(values, NOWHERE)
        return values

    def _pair(self, state: Values, other: Values | None) -> tuple[Values, Values]:
        """Return the values of a state that is followed by another, and of that other."""
        if other is None:
            return state, NOWHERE
        if self._rules.transitions:
            state = dict(state)
            for name, code in self._rules.transitions:
                state[name] = code.value(state, other)
        return state, other

    def _shown(self, state: Values) -> Iterator[tuple[str, Value]]:
        for name, _ in self._evaluator.scalars:
            yield name, state[name]
        for name, variable in self._evaluator.defines.items():
            if not isinstance(variable.sort, SetSort) and state[name] is not UNDEFINED:
                for path, leaf in leaves_of(variable.sort, state[name]):
                    if not isinstance(leaf, Undefined):
                        yield name + path, leaf

    # --- what elements demand -------------------------------------------------------------

    def _assumed(self) -> bool:
        rules, states = self._rules, self._states
        return (
            all(
                sorts.contains(sort, state[name])
                for name, sort in self._evaluator.scalars
                for state in states
            )
            and all(rule.holds(states[0], NOWHERE, states[0]) for rule in rules.first if states)
            and all(rule.holds(s, NOWHERE, s) for s in states for rule in rules.always)
            and all(self._follows(*self._pairs[number]) for number in self._complete)
        )

    def _follows(self, now: Values, after: Values) -> bool:
        return (
            all(now[name] == after[name] for name in self._evaluator.frozen)
            and all(rule.holds(now, after, after) for rule in self._rules.steps)
            and all(
                self._processed(target, assignments, now, after)
                for target, assignments in self._rules.guarded.items()
            )
        )

    def _processed(
        self, target: str, assignments: list[tuple[Code, Rule]], now: Values, after: Values
    ) -> bool:
        """Tell whether a variable of processes changes as those that run say, or keeps."""
        idle = True
        for guard, rule in assignments:
            acts = guard.value(now, after)
            if acts is UNDEFINED or (acts and not rule.holds(now, after, after)):
                return False
            idle = idle and not acts
        return not idle or bool(now[target] == after[target])

    # --- properties -----------------------------------------------------------------------

    def _violated(self) -> Iterator[tuple[str, int]]:
        for stated in self._evaluator.component.properties:
            step = None
            if stated.kind is PropertyKind.INVARIANT:
                step = self._first_violation(stated.term)
            elif stated.kind is not PropertyKind.COMPUTE and self._is_refuted(stated):
                step = len(self._states) - 1
            if step is not None:
                yield stated.name, step

    def _first_violation(self, term: Term) -> int | None:
        code = self._evaluator.code_of(term)
        later = {name for name, _ in self._rules.transitions}
        of_steps = any(shifted or name in later for _, name, shifted in code.reads)
        for number in self._complete if of_steps else range(len(self._pairs)):
            if code.value(*self._pairs[number]) is False:
                return number
        return None

    def _is_refuted(self, stated: Property) -> bool:
        loop = self._choices.loop
        is_linear, is_branching = self._evaluator.along_path(stated.term)
        if loop is None or not is_linear or not self._is_fair(loop, is_branching=is_branching):
            return False
        try:
            return not linear.holds(stated.term, self._along, loop)
        except (_NotKnown, linear.TooFar):
            return False

    def _along(self, term: Term) -> list[Any]:
        code = self._evaluator.code_of(term)
        values = [code.value(*pair) for pair in self._pairs]
        if any(value is UNDEFINED for value in values):
            raise _NotKnown
        return values

    def _is_fair(self, loop: int, *, is_branching: bool) -> bool:
        """Tell whether the lasso is fair; NuSMV ignores COMPASSION for branching time."""
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


def _leaf(chosen: Mapping[str, Value], name: str, sort: Sort) -> Value:
    return chosen[name] if name in chosen else sorts.default_value(sort)
