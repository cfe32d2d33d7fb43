"""Long cases have the values that they have as a whole, whichever branches other terms share."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import pytest

from mutproof.model import relational_values, terms
from mutproof.model.relational_evaluate import RelationalEvaluator
from mutproof.model.relational_values import NOWHERE, UNDEFINED, NamedParts, State
from mutproof.model.sorts import ArraySort, IntSort
from support.reading import accepted_in

CASES = """MODULE main
VAR x : 0..3; y : 0..3; b : boolean;
DEFINE some := {0, x};
ASSIGN
  next(x) := case x != 0 & 6 / x = 3 : y; b & y = 1 : {1, 2}; x = y : some; TRUE : x; esac;
  next(y) := case x = 0 | 6 / x = 6 : x; x > y : 3; x in some : 0; TRUE : y; esac;
  next(b) := case x = 3 : next(y) = 1; b : x in some; next(x) = 0 : y > 0; TRUE : b; esac;
"""


def test_branches_of_a_case_have_its_values() -> None:
    found = accepted_in("nusmv", CASES)
    evaluator = RelationalEvaluator(found.program)
    bodies = [e.body for e in evaluator.component.elements if e.targets != ("some",)]
    states = [State(values) for values in _states()]
    seen = set()
    open_ = [terms.make(body.op, body.sort, body.args[:-2]) for body in bodies]
    for body in (*bodies, *open_):
        code, whole = evaluator.code_of(body), relational_values.code(body)
        assert len(body.args) == 2 * len(code.branches)
        assert {read[1:] for read in whole.reads} == {read[1:] for read in code.reads}
        for now in states:
            for after in (*states, NOWHERE):
                value = whole.value(now, after)
                assert value == code.value(now, after) == code.value(dict(now), after)
                seen.add(value)
    assert {UNDEFINED, True, False, 3, frozenset({1, 2})} <= seen


def _states() -> list[Mapping[str, Any]]:
    return [
        {"x": x, "y": y, "b": b, "some": UNDEFINED if x == y == 1 else frozenset((0, x))}
        for x, y, b in product(range(4), range(4), (False, True))
    ]


def test_a_state_keeps_few_values(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(relational_values, "MOST_OF_STATE", 2)
    found = accepted_in("nusmv", CASES)
    evaluator = RelationalEvaluator(found.program)
    state = State(_states()[0])
    for element in evaluator.component.elements:
        evaluator.code_of(element.body).value(state, NOWHERE)
        assert len(state.known) <= 2 + 4


def test_parts_are_those_of_each_value_of_an_array() -> None:
    named, row = NamedParts(), ArraySort(1, 2, IntSort())
    table = (3, UNDEFINED)
    for value in (table, table, (3, 4), table):
        expected = {"a[1]": 3, "a[2]": 4} if UNDEFINED not in value else {"a[1]": 3}
        assert expected == named.of("a", row, value)
    assert named.of("a", row, table) is named.of("a", row, table) is not named.of("b", row, table)
