"""States that the oracle of NuSMV has judged are numbered, and each is judged once."""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from mutproof.model import relational_known, relational_rules, relational_states
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.relational_known import KnownStates
from mutproof.model.relational_rules import Rules, Values
from mutproof.model.sorts import Value
from support.reading import accepted_in

COUNTER = """MODULE main
VAR x : 0..3; y : boolean;
ASSIGN next(x) := (x + 1) mod 4;
DEFINE ahead := next(y);
INVAR x < 3
INVAR y | x != 1
TRANS ahead | y
"""


class Counted:
    """The states of a program, with how often all values of one were asked for."""

    def __init__(self, text: str) -> None:
        found = accepted_in("nusmv", text)
        evaluator = RelationalEvaluator(found.program)
        rules = [
            relational_rules.rule(element, element.body, evaluator.code_of)
            for element in evaluator.component.elements
        ]
        self.rules: Rules = relational_rules.rules(evaluator.component, rules)
        self.asked = 0
        self._whole = relational_states.lone(evaluator.component, self.rules)
        self.known = KnownStates(evaluator.scalars, self.rules, self.whole)

    def whole(self, chosen: Mapping[str, Value]) -> Values:
        self.asked += 1
        return self._whole(chosen)

    def number(self, x: int, *, y: bool) -> int:
        number = self.known.number({"x": x, "y": y})
        assert number is not None
        return number


def test_equal_states_have_one_number_and_are_completed_once() -> None:
    counted = Counted(COUNTER)
    numbers = [counted.number(0, y=True), counted.number(1, y=True), counted.number(0, y=True)]

    assert [0, 1, 0] == numbers
    assert 2 == counted.asked == len(counted.known.values)
    assert (1, True) == tuple(counted.known.values[1][name] for name in ("x", "y"))


def test_a_state_without_a_value_has_no_number() -> None:
    counted = Counted(COUNTER)

    assert counted.known.number({"x": 0}) is None
    assert 0 == counted.asked


@pytest.mark.parametrize(("x", "expected"), [(0, True), (3, True), (4, False), (-1, False)])
def test_values_outside_their_sort_are_told(x: int, expected: bool) -> None:
    counted = Counted(COUNTER)
    assert expected is counted.known.is_declared(counted.number(x, y=True))


@pytest.mark.parametrize(
    ("x", "y", "expected"), [(0, False, 0), (1, False, 1), (1, True, 0), (3, False, 1)]
)
def test_rules_of_one_state_fail_where_it_breaks_them(x: int, y: bool, expected: int) -> None:
    counted = Counted(COUNTER)
    number = counted.number(x, y=y)
    failing = counted.known.failing(number)

    assert expected == len(failing) == len(_failing(counted.rules, counted.known.values[number]))
    assert failing is counted.known.failing(number)


def _failing(rules: Rules, state: Values) -> list[object]:
    return [rule for rule in rules.always if not rule.holds(state, {}, state)]


@pytest.mark.parametrize(
    ("now", "after", "expected"),
    [
        ((0, True), (1, False), 0),
        ((0, False), (1, True), 0),
        ((0, False), (1, False), 1),  # the constraint reads the next value by a definition
        ((0, True), (2, True), 1),
        ((2, False), (2, False), 2),
    ],
)
def test_rules_of_steps_fail_where_two_states_break_them(
    now: tuple[int, bool], after: tuple[int, bool], expected: int
) -> None:
    counted = Counted(COUNTER)
    one, other = counted.number(now[0], y=now[1]), counted.number(after[0], y=after[1])
    failing = counted.known.failing_steps(one, other)

    assert expected == len(failing)
    assert failing <= {id(rule) for rule in counted.rules.steps}
    assert failing is counted.known.failing_steps(one, other)


def test_it_is_told_when_too_much_is_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relational_known, "MOST_KEPT", 2)
    states, steps = Counted(COUNTER), Counted(COUNTER)
    one, other = (steps.number(x, y=True) for x in range(2))
    for x, pair in enumerate([(one, other), (other, one), (one, one)]):
        assert not states.known.is_full
        assert not steps.known.is_full
        states.number(x, y=True)
        steps.known.failing_steps(*pair)
    assert states.known.is_full
    assert steps.known.is_full
