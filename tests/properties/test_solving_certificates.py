"""Certificates: the right ones pass, changed ones do not."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutproof.base.budget import Budget
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, INT
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify
from mutproof.solving.solver import Answer
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop
from mutproof.solving.z3_solver import new_solver
from support import systems
from support.systems import DEFINED, INIT, INPUT, INVAR, STATE, TRANS, boolean, define, integer


def pair() -> TransitionSystem:
    """Count with two counters that move together; each alone does not tell about the other."""
    x, y = integer("x"), integer("y")
    return systems.system(
        {"tick": (BOOL, INPUT), "x": (INT, STATE), "y": (INT, STATE), "z": (INT, DEFINED)},
        [
            define(INIT, "x", terms.int_(0)),
            define(INIT, "y", terms.int_(0)),
            define(TRANS, "x", terms.ite(boolean("tick"), systems.add(x, 1), x)),
            define(TRANS, "y", terms.ite(boolean("tick"), systems.add(y, 1), y)),
            define(INVAR, "z", systems.add(x, 1)),
        ],
        {"follows": terms.implies(systems.le(x, 5), systems.le(y, 5))},
    )


def same() -> Term:
    return terms.eq(integer("x"), integer("y"))


def test_a_right_certificate_passes() -> None:
    assert certify.Checked(True) == certify.certify(pair(), Certificate(1, (same(),), ("follows",)))


@pytest.mark.parametrize(
    ("certificate", "reason"),
    [
        (Certificate(1, (), ("follows",)), "consecution: fails"),
        (Certificate(0, (same(),), ("follows",)), "k is less than 1"),
        (Certificate(1, (terms.FALSE,), ("follows",)), "initiation at step 0: fails"),
        (Certificate(1, (systems.le(integer("x"), 3),), ("follows",)), "consecution: fails"),
        (Certificate(1, (terms.ne(integer("x"), integer("y")),), ("follows",)), "initiation"),
        (Certificate(1, (same(),), ("nothing",)), "no property"),
        (Certificate(1, (systems.le(integer("unknown"), 3),), ("follows",)), "no variable"),
    ],
)
def test_a_wrong_certificate_is_rejected(certificate: Certificate, reason: str) -> None:
    checked = certify.certify(pair(), certificate)
    assert not checked.ok
    assert not checked.undecided
    assert reason in checked.reason


def test_where_a_solver_knows_no_answer_a_certificate_is_neither_right_nor_wrong() -> None:
    """The names in a reason do not say so, whatever they are."""
    checked = certify.certify(pair(), Certificate(1, (same(),), ("follows",)), Budget(rlimit=1))
    assert (False, True) == (checked.ok, checked.undecided)


def test_a_base_case_that_is_too_short_is_rejected() -> None:
    """Three different states in a row never come back; only the third state is bad."""
    n = integer("n")
    system = systems.system(
        {"n": (INT, STATE)},
        [define(INIT, "n", terms.int_(0)), define(TRANS, "n", systems.add(n, 1))],
        {"not two": terms.ne(n, terms.int_(2))},
    )
    for k in (1, 2, 3, 4):
        assert not certify.certify(system, Certificate(k, (), ("not two",))).ok


def test_a_larger_k_is_not_hidden_by_states_without_successor() -> None:
    """The bad state has no successor: it must still count."""
    n = integer("n")
    system = systems.system(
        {"n": (INT, STATE)},
        [
            define(INIT, "n", terms.int_(0)),
            define(TRANS, "n", systems.add(n, 1)),
            systems.Constraint(INVAR, systems.le(n, 1), systems.owner("assert")),
        ],
        {"zero": terms.eq(n, terms.int_(0))},
    )
    assert "initiation at step 1" in certify.certify(system, Certificate(4, (), ("zero",))).reason


def test_a_core_leaves_out_what_the_proof_does_not_need() -> None:
    certificate = Certificate(1, (same(), systems.ge(integer("x"), 0)), ("follows",))
    support = certify.support_of(pair(), certificate)
    assert support is not None
    assert (same(),) == support.lemmas
    assert {"x0", "y0", "x'", "y'"} == {owner.name for owner in support.owners}


def test_a_part_that_lacks_what_a_proof_needs_is_not_enough() -> None:
    system, certificate = pair(), Certificate(1, (same(),), ("follows",))
    moving = replace(system, constraints=system.constraints[:4])
    assert certify.support_of(system, certificate) == certify.support_of(
        system, certificate, part=moving
    )
    less = replace(system, constraints=system.constraints[:3])
    assert certify.support_of(system, certificate, part=less) is None


def test_an_interruption_leaves_open_what_a_proof_needs() -> None:
    certificate = Certificate(1, (same(), systems.ge(integer("x"), 0)), ("follows",))
    workshop = Workshop()
    workshop.solver()  # which makes what can be interrupted
    workshop.interrupt()
    assert certify.support_of(pair(), certificate, workshop=workshop) is None


def test_labelled_unrolling_removes_and_replaces_elements() -> None:
    system = systems.counter(3, 3)
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True, labelled=True)
    unrolling.frame(1)
    negative = solver.negation(unrolling.term(system.property("natural").term, 1))
    solver.add(negative)
    step = systems.owner("n'")
    others = [unrolling.assume(owner) for owner in unrolling.owners() if owner != step]
    assert Answer.UNSAT is solver.check([unrolling.assume(step), *others])
    assert Answer.SAT is solver.check(others)
    down = define(TRANS, "n", terms.arithmetic(Op.SUB, integer("n"), terms.int_(1)))
    assert Answer.SAT is solver.check([*others, unrolling.add_alternative("down", [down])])
    assert -1 == solver.value(unrolling.variable("n", 1), INT)


def test_a_variable_without_its_definition_stays_in_its_bounds() -> None:
    n = terms.var("n", systems.IntSort(0, 3))
    system = systems.system(
        {"n": (systems.IntSort(0, 3), DEFINED)},
        [define(INVAR, "n", terms.int_(7))],
        {"inside": systems.le(n, 3)},
    )
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True, labelled=True)
    unrolling.frame(0)
    solver.add(solver.negation(unrolling.term(system.property("inside").term, 0)))
    assert ("n",) == unrolling.bounded()
    assert Answer.SAT is solver.check([unrolling.assume(systems.owner("n"))])
    bounds = unrolling.assume_bounds("n")
    assert bounds is not None
    assert Answer.UNSAT is solver.check([bounds])
