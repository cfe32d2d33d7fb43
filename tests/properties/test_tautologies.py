"""What diagrams say of terms (`solving.bdd.tautologies`) is what trying all values says."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from mutproof.base.budget import Budget
from mutproof.model import obligations, sorts, terms
from mutproof.model.obligations import Obligations
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import hazards
from mutproof.model.sorts import IntSort, Sort
from mutproof.model.terms import Term
from mutproof.solving import validity
from mutproof.solving.bdd import tautologies
from mutproof.solving.bdd.tautologies import Tautologies
from mutproof.solving.validity import Validities, Validity
from support.nusmv_terms import DECLARATIONS, elaborated, typed_terms

BUDGET = Budget(10_000_000, 10.0)
NUMBERS = {f"n{index}": IntSort(0, 4) for index in range(3)}


def finder() -> Obligations:
    program = elaborated(DECLARATIONS).program
    assert program is not None
    return Obligations(program.component(program.main))


FINDER = finder()


def number(name: str) -> Term:
    return terms.var(name, sorts.INT)


def compared(terms_: Sequence[Term], scalars: dict[str, Sort]) -> Counter[bool]:
    """Compare what is said of terms, one after the other, with all values; count the answers."""
    told, answers = Tautologies(scalars), Counter[bool]()
    for term in terms_:
        expected = obligations.decide(term, scalars, steps=100_000)
        found = told.holds(term)
        if found is not None and expected is not None:
            assert expected is found, term
            answers[found] += 1
    return answers


@settings(deadline=None)
@given(st.lists(typed_terms(sorts.BOOL), min_size=3, max_size=3))
def test_a_term_holds_everywhere_if_it_does_for_all_values(drawn: list[Term]) -> None:
    first, second, third = map(FINDER.value, drawn)
    both = terms.and_(first, second)
    compared(
        [first, terms.implies(both, second), terms.implies(both, third), terms.or_(first, both)],
        FINDER.scalars,
    )


def test_codes_that_are_no_values_do_not_count() -> None:
    # Five values take three bits, which have eight codes.
    some = [
        terms.disjunction(terms.eq(number("n0"), terms.int_(value)) for value in values)
        for values in ([0, 1, 2, 3, 4], [0, 1, 2, 3])
    ]
    ahead = terms.next_var("n0", sorts.INT)
    later = [terms.compare(Op.LE, ahead, terms.int_(bound)) for bound in (4, 3)]

    assert compared([*some, *later], NUMBERS) == {True: 2, False: 2}


def test_next_values_are_apart_from_present_ones() -> None:
    same = terms.eq(number("n0"), terms.next_var("n0", sorts.INT))

    assert compared([same, terms.or_(same, terms.not_(same))], NUMBERS) == {True: 1, False: 1}


def test_what_has_no_value_for_some_values_is_left_to_a_solver() -> None:
    quotient = terms.arithmetic(Op.TRUNC_DIV, number("n0"), number("n1"))
    term = terms.compare(Op.LE, quotient, terms.int_(4))

    assert any(hazards(term))
    assert Tautologies(NUMBERS).holds(term) is None


def test_a_variable_without_bounds_has_no_diagram_and_others_have() -> None:
    told = Tautologies({**NUMBERS, "z": sorts.INT})

    assert told.holds(terms.eq(number("z"), number("z"))) is None
    assert told.holds(terms.eq(number("n0"), number("n0"))) is True


def test_terms_that_stay_open_are_tried_no_more() -> None:
    told = Tautologies({**NUMBERS, "z": sorts.INT})
    for _ in range(tautologies.CREDIT // tautologies.LOSS + 1):
        told.holds(terms.eq(number("z"), number("z")))

    assert told.holds(terms.eq(number("n0"), number("n0"))) is None


def test_kept_diagrams_are_forgotten_when_they_are_many(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(tautologies, "MOST_TERMS", 8)
    asked = [terms.eq(number("n0"), terms.int_(value)) for value in range(5)]
    always = [terms.or_(one, terms.not_(one)) for one in asked]

    assert compared([*asked, *always, *asked], NUMBERS) == {True: 5, False: 10}


def test_most_of_many_terms_are_decided_without_a_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(validity, "SOLVED", 3)
    validities = Validities(NUMBERS)
    bounds = [terms.compare(Op.LE, number("n1"), terms.int_(bound)) for bound in range(8)]

    found = [validities.of(bound, BUDGET) for bound in bounds]

    assert found == [Validity.INVALID] * 4 + [Validity.VALID] * 4
    assert validities.calls == 3
