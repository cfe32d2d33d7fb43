"""Simplified terms have the values of the terms they stand for."""

from __future__ import annotations

import random

import pytest
from hypothesis import given

from mutproof.analyses.equivalence.simplify import simplified
from mutproof.model import sorts, terms
from mutproof.model.compile import Compiler
from mutproof.model.lower import lower
from mutproof.model.operators import Op
from mutproof.model.simulate import Simulator, definition
from mutproof.model.terms import Term
from support.lustre_models import Model, accepted, choices_of, models, sources
from support.lustre_mutants import program_of
from support.profiles import profile

A, B, C = (terms.var(name, sorts.BOOL) for name in "abc")
M, N = (terms.var(name, sorts.INT) for name in "mn")


@profile(25)
@given(models(), sources())
def test_simplified_definitions_have_the_values_of_the_definitions(
    model: Model, source: random.Random
) -> None:
    system = lower(program_of(accepted(model.text)))
    simulator = Simulator(system)
    choices = choices_of(source, system)
    rows = simulator.run(choices)
    compiler = Compiler(simulator.index)
    plain = [d for c in system.constraints if (d := definition(c)) is not None]
    plain += [stated.term for stated in system.properties]
    simple = [simplified(term) for term in plain]
    for term, one, other in zip(
        plain, compiler.compile_all(plain), compiler.compile_all(simple), strict=True
    ):
        for row in rows:
            expected = one(row, row, choices.functions)
            assert expected == other(row, row, choices.functions), term


@pytest.mark.parametrize(
    ("left", "right"),
    [
        pytest.param(terms.and_(A, terms.TRUE), A, id="true is neutral"),
        pytest.param(terms.and_(A, B), terms.and_(B, A), id="operands have no order"),
        pytest.param(
            terms.not_(terms.and_(A, B)),
            terms.or_(terms.not_(A), terms.not_(B)),
            id="a negated conjunction",
        ),
        pytest.param(
            terms.implies(A, B), terms.or_(B, terms.not_(A)), id="implications are disjunctions"
        ),
        pytest.param(
            terms.and_(A, terms.and_(B, C)), terms.and_(terms.and_(A, B), C), id="brackets"
        ),
        pytest.param(
            terms.make(Op.XOR, sorts.BOOL, (A, B)),
            terms.ne(B, A),
            id="exclusive or is inequality",
        ),
        pytest.param(
            terms.compare(Op.GT, M, N), terms.not_(terms.compare(Op.LE, M, N)), id="negated order"
        ),
        pytest.param(
            terms.ite(terms.not_(A), M, N), terms.ite(A, N, M), id="branches may be exchanged"
        ),
        pytest.param(terms.arithmetic(Op.ADD, M, terms.int_(0)), M, id="zero adds nothing"),
        pytest.param(
            terms.arithmetic(Op.ADD, terms.int_(2), terms.int_(3)), terms.int_(5), id="constants"
        ),
    ],
)
def test_terms_with_the_same_simple_form(left: Term, right: Term) -> None:
    assert simplified(left) is simplified(right)


def test_a_division_by_zero_stays() -> None:
    term = terms.arithmetic(Op.DIV, terms.int_(1), terms.int_(0))

    assert term is simplified(term)
