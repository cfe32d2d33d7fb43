"""A NuSMV program as code: its rules, and what is known of its terms and of its states."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.model import (
    linear,
    relational_rules,
    relational_states,
    relational_values,
    sorts,
    walk,
)
from mutproof.model.operators import BRANCHING_TIME
from mutproof.model.program import (
    Bodies,
    Element,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    VariableKind,
)
from mutproof.model.relational_known import KnownStates
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_values import UNDEFINED, NamedParts, RelationalCode
from mutproof.model.sorts import SetSort, Value
from mutproof.model.terms import Term

_RESTRICTING = frozenset({ElementKind.TRANS, ElementKind.INVAR})


class CodedProgram:
    """Hold the code of one program; caches only.

    `own` are the rules of its elements, in order. `shown` are DEFINEs whose values are shown, with
    the sorts of those that have parts.

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
        self.shown = tuple(
            (variable.name, None if sorts.is_scalar(variable.sort) else variable.sort)
            for variable in self.component.of_kind(VariableKind.DEFINE)
            if not isinstance(variable.sort, SetSort)
        )
        self.named = NamedParts()
        self._numbers: dict[Element, list[int]] = {}
        for number, element in enumerate(self.component.elements):
            self._numbers.setdefault(element, []).append(number)
        self._codes: dict[Term, RelationalCode] = {}
        self._own_steps: frozenset[str] | None = None
        self._linear: dict[Term, tuple[bool, bool]] = {}
        self.own = [
            relational_rules.rule(element, element.body, self.code_of)
            for element in self.component.elements
        ]
        self._own_ids = frozenset(id(rule) for rule in self.own)
        self.rules = relational_rules.rules(self.component, self.own)
        self._states: KnownStates | None = None

    @property
    def known(self) -> KnownStates:
        """Return what is known of states of the program as it is."""
        if self._states is None or self._states.is_full:
            whole = relational_states.lone(self.component, self.rules)
            self._states = KnownStates(self.scalars, self.rules, whole)
        return self._states

    def rules_with(self, bodies: Bodies) -> Rules:
        """Return the rules of the program with other bodies for some elements.

        Raises:
            InstantaneousLoop: a DEFINE depends on itself within one step.
            KeyError: an element is not one of the program.
        """
        changed: list[Rule | None] = list(self.own)
        for element, body in bodies.items():
            one = None if body is None else relational_rules.rule(element, body, self.code_of)
            for number in self.positions(element):
                changed[number] = one
        redefined = any(element.kind is ElementKind.DEFINE for element in bodies)
        return relational_rules.rules(self.component, changed, None if redefined else self.rules)

    def positions(self, element: Element) -> Sequence[int]:
        """Return where an element is among those of the program.

        Raises:
            KeyError: it is not one of the program.
        """
        return self._numbers[element]

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
        if rules.states is self.rules.states and self._own_steps is not None:
            return self._own_steps
        restricted = any(element.kind in _RESTRICTING for element in self.component.elements)
        inputs = self.component.of_kind(VariableKind.INPUT) if restricted else ()
        found = {*rules.transitions, *(v.name for v in inputs)} - self._unchanging
        for name, code in rules.states.items():  # in the order of computation
            if any(read in found for _, read, _ in code.reads):
                found.add(name)
        if rules.states is self.rules.states:
            self._own_steps = frozenset(found)
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

    def told(self, state: Values) -> dict[str, Value]:
        """Return what an execution tells of the values in a state: those of scalars."""
        found: dict[str, Value] = {name: state[name] for name, _ in self.scalars}
        for name, sort in self.shown:
            value = state[name]
            if value is UNDEFINED or isinstance(value, frozenset):
                continue
            if sort is None:
                found[name] = value
                continue
            found.update(self.named.of(name, sort, value))
        return found

    def along_path(self, stated: Property) -> tuple[bool, bool]:
        """Tell whether one path can refute a property, and whether it is of branching time."""
        term = stated.term
        if term not in self._linear:
            branching = not BRANCHING_TIME.isdisjoint(walk.operators(term))
            self._linear[term] = linear.is_linear(term), branching
        is_linear, branching = self._linear[term]
        # A CTLSPEC without operators is one of branching time all the same.
        return is_linear, branching or stated.kind is PropertyKind.CTL
