"""Properties of first steps have the verdicts that they have with all reachable states."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd import brief
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.family import check_family
from mutproof.solving.bdd.merge import Alternative
from support.deadlines import UNHURRIED
from support.profiles import profile
from support.relational_alternatives import families
from support.relational_systems import STATES, A, D

EX_A = terms.make(Op.EX, BOOL, (A,))


@pytest.mark.parametrize(
    ("formula", "expected"),
    [
        (A, 0),
        (terms.implies(A, EX_A), 1),
        (terms.make(Op.AX, BOOL, (terms.and_(D, terms.not_(EX_A)),)), 2),
        (terms.make(Op.EX, BOOL, (terms.make(Op.AF, BOOL, (A,)),)), None),
    ],
)
def test_a_depth_counts_steps(formula: Term, expected: int | None) -> None:
    assert brief.depth(SystemProperty("p", formula, PropertyKind.CTL)) == expected


def test_properties_of_other_kinds_have_no_depth() -> None:
    assert brief.depth(SystemProperty("p", A, PropertyKind.INVARIANT)) is None


@profile(10)
@given(families(), STATES, STATES, st.sampled_from([Op.EX, Op.AX]))
def test_first_steps_decide(
    family: tuple[TransitionSystem, dict[str, Alternative]], here: Term, there: Term, op: Op
) -> None:
    system, changes = family
    once = terms.make(op, BOOL, (there,))
    terms_of = (terms.implies(here, once), terms.make(Op.EX, BOOL, (terms.or_(here, once),)))
    stated = tuple(SystemProperty(f"p{n}", one, PropertyKind.CTL) for n, one in enumerate(terms_of))
    plain = replace(system, properties=stated, fairness=(), compassion=())
    names = [one.name for one in stated]
    found = check_family(plain, changes, names, UNHURRIED)

    for name in changes.keys() - found.dead_ends.keys():
        alone = check(changes[name].applied(plain), names, UNHURRIED)
        assert {n: type(v) for n, v in alone.items()} == {
            n: type(v) for n, v in found.verdicts[name].items()
        }
