"""What the elements of a NuSMV program demand of its states and steps, as they are explored."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.program import Bodies, ElementKind
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.relational_rules import Rule, Rules, Values
from mutproof.model.relational_states import StateValues
from mutproof.model.relational_values import NOWHERE, RelationalCode
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import SetSort, Value
from mutproof.model.trace import Choices

Numbers: TypeAlias = "dict[tuple[Value, ...], int]"

Computed: TypeAlias = "tuple[str, RelationalCode]"
"""A variable that a term alone gives its value."""


class NotExplored(Exception):  # noqa: N818 - an outcome, not an error
    """Say that states are too many, or ends of executions, inputs, compassion or errors matter."""


@dataclass(slots=True)
class Demands:
    """Hold what elements demand with some bodies; mutable.

    `setting` are assignments that give variables, by place, their next values from the state
    alone; `asked` are the other rules of steps. Variables to which the other ones of a state leave
    one value are `computed`, those to which the others of a step do are so `later`. `redefined` are
    the DEFINEs with other bodies. `numbers` are those of states by the values of the variables
    `named`, all that are not computed; `known` are those of the program itself.
    """

    rules: Rules
    setting: Mapping[int, Rule]
    asked: Sequence[Rule]
    bodies: Bodies
    computed: Mapping[int, Computed]
    later: Mapping[int, Computed]
    named: Sequence[str]
    states: StateValues
    redefined: Mapping[str, RelationalCode | None] = field(default_factory=dict)
    numbers: Numbers = field(default_factory=dict)
    known: Numbers = field(default_factory=dict)

    def gives(self, values: Values) -> bool:
        """Tell whether all that is computed or redefined has these values in a state."""
        named = [*self.computed.values()]
        named += [(name, code) for name, code in self.redefined.items() if code is not None]
        return all(are_same(code.value(values, NOWHERE), values[name]) for name, code in named)

    def are_timed_anew(self, own: Demands) -> bool:
        """Tell whether DEFINEs that read the next state, or never change, are other ones."""
        mine, before = self.rules, own.rules
        names = self.redefined.keys()
        return bool(names) and (
            None in self.redefined.values()
            or mine.transitions.keys() != before.transitions.keys()
            or mine.settled != before.settled
            or not names.isdisjoint(mine.transitions.keys() | mine.settled)
        )


class Planner:
    """Tell what elements demand of variables that have places; `bodies` are others for some."""

    def __init__(
        self, evaluator: RelationalEvaluator, places: Mapping[str, int], bodies: Bodies
    ) -> None:
        self._evaluator = evaluator
        self._places = places
        self._bodies = bodies
        self._transitions = frozenset[str]()

    def demands(self, bodies: Bodies, own: Demands | None = None) -> Demands:
        """Return the demands with other bodies for some elements; `own` are those without.

        Raises:
            NotExplored: they are none of states and steps alone.
        """
        every = {**self._bodies, **bodies}
        try:
            rules = self._evaluator.rules_with(every)
        except (InstantaneousLoop, NumberTooLarge) as problem:
            raise NotExplored from problem
        if rules.guarded or rules.free:
            raise NotExplored
        if own is None:
            self._transitions = frozenset(rules.transitions)
        setting: dict[int, Rule] = {}
        asked: list[Rule] = []
        ahead: set[int] = set()
        for rule in rules.steps:
            place = self.place(rule)
            if place is not None and not self.looks_ahead(rule.code):
                setting[place] = rule
                continue
            asked.append(rule)
            if place is not None:
                ahead.add(place)
        computed = self._determined(every, ElementKind.CURRENT_ASSIGN)
        tried = {n for n, place in self._places.items() if place not in {*computed, *ahead}}
        later = {
            place: (name, code)
            for place, (name, code) in self._determined(every, ElementKind.NEXT_ASSIGN).items()
            if place in ahead and self._follows(code, tried)
        }
        named = [name for name, place in self._places.items() if place not in computed]
        if own is not None and _are_alike(own.rules, rules):
            numbers, states, known = own.numbers, own.states, own.numbers
        else:
            numbers, known = {}, {} if own is None or own.named != named else own.numbers
            states = StateValues(self._evaluator.component, rules, Choices(()))
        redefined = _redefined(rules, bodies)
        return Demands(
            rules, setting, asked, every, computed, later, named, states, redefined, numbers, known
        )

    def place(self, rule: Rule) -> int | None:
        """Return the place of the variable that a rule assigns; None for a constraint.

        Raises:
            NotExplored: it assigns a whole array.
        """
        if rule.target is None:
            return None
        if rule.target not in self._places:
            raise NotExplored
        return self._places[rule.target]

    def narrow(
        self,
        choices: list[tuple[Value, ...] | None],
        bodies: Bodies,
        kinds: Container[ElementKind],
    ) -> None:
        """Leave out values that constraints on a single variable exclude."""
        for element in self._evaluator.component.elements:
            body = bodies.get(element, element.body) if element.kind in kinds else None
            for term in () if body is None else walk.conjuncts(body):
                code = self._evaluator.code_of(term)
                if len(code.reads) != 1 or code.reads[0][2]:
                    continue
                name = code.reads[0][1]
                place = self._places.get(name)
                if place is not None and (values := choices[place]) is not None:
                    choices[place] = tuple(
                        v for v in values if decided(code.value({name: v}, NOWHERE))
                    )

    def looks_ahead(self, code: RelationalCode) -> bool:
        """Tell whether a term reads the next state."""
        return any(shifted or name in self._transitions for _, name, shifted in code.reads)

    def _follows(self, code: RelationalCode, tried: Iterable[str]) -> bool:
        """Tell whether a term has a value once some variables of the next state have one."""
        return all(
            name in tried if shifted else name not in self._transitions
            for _, name, shifted in code.reads
        )

    def _determined(self, bodies: Bodies, kind: ElementKind) -> Mapping[int, Computed]:
        """Return by place the variables to which assignments give one value, with its term."""
        found: dict[int, Computed] = {}
        for element in self._evaluator.component.elements:
            body = bodies.get(element, element.body)
            if element.kind is not kind or body is None:
                continue
            (name,) = element.targets
            place = self._places.get(name)
            if place is not None and not any(
                isinstance(part.sort, SetSort) for part in walk.subterms(body)
            ):
                found[place] = name, self._evaluator.code_of(body)
        return found


def differ(some: Sequence[Rule], others: Sequence[Rule]) -> bool:
    """Tell whether rules are not the same ones."""
    return len(some) != len(others) or any(a is not b for a, b in zip(some, others, strict=True))


def _are_alike(own: Rules, other: Rules) -> bool:
    """Tell whether what is computed in states is so by the same rules."""
    return own.states is other.states and not differ(own.always, other.always)


def _redefined(rules: Rules, bodies: Bodies) -> Mapping[str, RelationalCode | None]:
    """Return the DEFINEs with other bodies, with their terms where these are of one state."""
    names = [e.targets[0] for e in bodies if e.kind is ElementKind.DEFINE]
    return {name: rules.states.get(name) for name in names}


def are_same(one: Any, other: Any) -> bool:
    """Tell whether values are the same: not 1 and TRUE."""
    if isinstance(one, frozenset) and isinstance(other, frozenset):
        return one == other and {*map(type, one)} == {*map(type, other)}
    return one == other and type(one) is type(other)


def decided(value: Any) -> bool:
    """Return a truth value.

    Raises:
        NotExplored: it is none.
    """
    if value is not True and value is not False:
        raise NotExplored
    return value
