"""Suggestions that claim the same become one, and those that follow from others are not offered."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import pytest
from lustre_models import elaborated
from lustre_mutants import BUDGET
from test_suggestions import MODES, OPTIONS, check, suggested_for

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.analyses.suggesting.consequences import follows
from mutproof.analyses.suggesting.merging import either, merged
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import Program, PropertyKind
from mutproof.model.terms import Term
from mutproof.solving.spacer_process import SpacerProcess
from support.reading import analysed, elaborated_in

A, B, C, D = (terms.var(name, sorts.BOOL) for name in "abcd")
X = terms.var("x", sorts.INT)
ZERO = terms.int_(0)
ABOVE, EQUAL, BELOW = (terms.compare(op, X, ZERO) for op in (Op.GT, Op.EQ, Op.LT))
FREE = """\
node main(a, b, c: bool; x: int) returns (d: bool; OK: bool);
let
  d = a and b;
  OK = (x > 0 => c);
  --%PROPERTY OK;
tel;
"""
STATES = """\
MODULE main
VAR a : boolean; b : boolean; c : boolean; d : boolean; x : -3..3;
ASSIGN next(d) := a & b;
INVARSPEC x > 0 -> c
"""


def claim(term: Term, *conditions: Term, when: When = When.ALWAYS) -> Conjecture:
    return Conjecture("main", conditions, term, when)


def program(language: str, text: str) -> Program:
    found = elaborated_in(language, text).program
    assert found is not None
    return found


def is_proved(
    model: Program, known: Sequence[Term], others: Sequence[Conjecture], one: Conjecture
) -> bool:
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    return follows(model, known, others, one, means=means)


def test_either_of_two_conditions_is_enough() -> None:
    assert claim(C, terms.or_(A, B)) == either(claim(C, A), claim(C, B))
    assert claim(C, D, terms.or_(A, B)) == either(claim(C, D, A), claim(C, D, B))


def test_a_condition_and_its_opposite_are_none() -> None:
    assert claim(C, D) == either(claim(C, D, A), claim(C, D, terms.not_(A)))
    assert claim(C) == either(claim(C, ABOVE), claim(C, terms.compare(Op.LE, X, ZERO)))


def test_two_comparisons_of_the_same_are_one() -> None:
    at_least = terms.compare(Op.GE, X, ZERO)

    assert claim(C, at_least) == either(claim(C, ABOVE), claim(C, EQUAL))
    assert claim(C, terms.ne(X, ZERO)) == either(claim(C, ABOVE), claim(C, BELOW))


def test_what_would_be_hard_to_read_stays_apart() -> None:
    assert either(claim(C, A, ABOVE), claim(C, B, BELOW)) is None
    assert either(claim(C, A), claim(C, A, B)) is None


def test_first_values_are_said_together() -> None:
    rows = [replace(claim(C, one), restates=True) for one in (A, B)]
    assert [True] == [whole.restates for whole, _ in merged(rows)]
    some = [replace(claim(one, when=When.FIRST), restates=True) for one in (A, B, C)]
    others = [claim(D, when=When.FIRST), replace(claim(D), restates=True)]

    ((whole, parts),) = merged([*some, *others])

    assert terms.conjunction((A, B, C)) is whole.claim
    assert whole.restates
    assert When.FIRST is whole.when
    assert some == parts


def test_only_what_claims_the_same_of_the_same_steps_is_merged() -> None:
    later = claim(C, B, when=When.LATER)
    some = [claim(C, A), claim(D, B), later, claim(C, ABOVE), claim(D, A, C)]

    # What B, or A and C together lead to is easier to read as two.
    assert [(claim(C, terms.or_(A, ABOVE)), [some[0], some[3]])] == list(merged(some))


def test_what_follows_from_others_is_proved_to() -> None:
    for model in (program("lustre", FREE), program("nusmv", STATES)):
        others = [claim(C, A), claim(D, C)]

        assert is_proved(model, (), others, claim(D, A))
        assert is_proved(model, (), others, claim(terms.not_(A), terms.not_(D)))
        assert not is_proved(model, (), others, claim(A, D))
        assert not is_proved(model, (), [], claim(A, terms.FALSE))


def test_what_only_the_model_says_does_not_follow() -> None:
    assert not is_proved(program("lustre", FREE), (), [claim(C, A)], claim(A, D))
    assert not is_proved(program("lustre", FREE), (), [claim(C, A)], claim(D, A, B))


def test_what_the_stated_properties_say_follows_from_them() -> None:
    model = program("lustre", FREE)
    (known,) = (one.term for one in model.component("main").properties)

    assert is_proved(model, (known,), [], claim(C, terms.compare(Op.GT, X, terms.int_(1))))
    assert not is_proved(model, (known,), [], claim(C, terms.compare(Op.GE, X, ZERO)))


def test_what_was_always_so_was_so_before() -> None:
    before = terms.make(Op.PRE, sorts.BOOL, (A,))

    assert is_proved(program("lustre", FREE), (), [claim(A)], claim(before, B, when=When.LATER))


def test_what_may_come_and_the_next_value_are_as_they_are_said() -> None:
    model = program("nusmv", STATES)
    may, following = (terms.make(op, sorts.BOOL, (A,)) for op in (Op.EX, Op.NEXT))

    def comes(*conditions: Term) -> Conjecture:
        return Conjecture("main", conditions, may, kind=PropertyKind.CTL)

    assert is_proved(model, (), [comes(B)], comes(B, C))
    assert not is_proved(model, (), [comes(B, C)], comes(B))
    assert is_proved(model, (), [claim(following, B)], claim(following, B, ABOVE))
    assert not is_proved(model, (), [comes(B)], claim(following, B))


CHOICE = """\
node pick(a, b, c: int; on, urgent: bool) returns (y: int; OK: bool);
let
  y = if on then a else if urgent then b else if c > 0 then b else c;
  OK = y = a or y = b or y = c;
  --%PROPERTY OK;
tel;
"""


def test_what_is_said_of_two_branches_is_offered_as_one() -> None:
    found = suggested_for("lustre", CHOICE)

    assert () == found.left
    said = [one.text for one in found.best_set]
    assert "not on and (c > 0 or urgent) => y = b" in said
    assert ["not on and (c > 0 or urgent) => y = b"] == [t for t in said if t.endswith("y = b")]
    assert check(elaborated(CHOICE))


@pytest.mark.parametrize(
    ("text", "variables"),
    [
        (CHOICE, "a, b, c, y: int; on, urgent: bool"),
        (MODES, "power, start, stop, motor: bool; m, last: mode"),
    ],
)
def test_nothing_offered_follows_from_what_else_is_offered(text: str, variables: str) -> None:
    found = suggested_for("lustre", text)

    assert 1 < len(found.suggestions)
    for one in found.suggestions:
        others = [other for other in found.suggestions if other is not one]
        elsewhere = {name for other in others for name in other.kills}
        if elsewhere.issuperset(one.kills):
            assumed = "".join(f"assert {other.text};\n" for other in others)
            alone = f"{text.partition('node')[0]}node main({variables}) returns (p: bool);\n"
            alone += f"let\n{assumed}p = {one.text};\n--%PROPERTY p;\ntel;\n"
            (verdict,) = analysed(elaborated(alone), replace(OPTIONS, suggest=False)).properties
            assert PropertyVerdict.FALSIFIED is verdict.verdict
