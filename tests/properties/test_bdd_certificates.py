"""What diagrams say of invariants is checked by a solver; other verdicts are found again."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from test_bdd_meaning import COUNTER, DEAD_END

from mutproof.analyses.proving.temporal_answer import turned
from mutproof.model.interpretation import interpretation
from mutproof.model.program import PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import Holding, Undecided, Violated, agree
from mutproof.solving.certify import certify
from mutproof.solving.verdict import Certificate
from support.deadlines import UNHURRIED
from support.profiles import profile
from support.reading import accepted_in
from support.relational_systems import BRANCHING, LINEAR, STATES, stating, systems

EXAMPLES = sorted(Path(__file__).parents[2].joinpath("examples").glob("*.smv"))
WORDS = "VAR w : unsigned word[4]; ASSIGN init(w) := 0ud4_0; next(w) := w + 0ud4_2;"
ENUMERATION = """VAR m : {idle, busy, done}; n : 3..9; ASSIGN init(m) := idle; init(n) := 4;
next(m) := case m = idle : busy; m = busy & n > 5 : done; TRUE : m; esac;
next(n) := case m = busy & n < 8 : n + 1; TRUE : n; esac;"""

TURNS = """VAR m : {left, right}; n : 0..1; ASSIGN init(m) := left; init(n) := 0;
next(m) := case m = left : right; m = right : left; TRUE : m; esac;
next(n) := m = right ? 0 : 1;"""


def system_of(text: str) -> TransitionSystem:
    found = accepted_in("nusmv", text)
    return interpretation(found.program).system()


def check_certificates(system: TransitionSystem) -> int:
    """Check the certificate of every invariant that holds; return their number."""
    names = [p.name for p in system.properties if p.kind is PropertyKind.INVARIANT]
    count = 0
    for name, verdict in check(system, names, UNHURRIED).items():
        if isinstance(verdict, Holding):
            assert verdict.invariant is not None
            checked = certify(system, Certificate(1, (verdict.invariant,), (name,)))
            assert checked.ok, checked.reason
            count += 1
    return count


@pytest.mark.parametrize(
    ("model", "stated"),
    [
        (COUNTER, "INVARSPEC n <= 3"),
        (DEAD_END, "INVARSPEC n < 2"),
        (WORDS, "INVARSPEC w[0:0] = 0ud1_0"),
        (ENUMERATION, "INVARSPEC m = done -> n > 5"),
        (ENUMERATION, "INVARSPEC n in 4..8"),
        (TURNS, "INVARSPEC m = left -> n = 0"),
    ],
)
def test_a_solver_accepts_the_reachable_states(model: str, stated: str) -> None:
    assert 1 == check_certificates(system_of(f"MODULE main {model} {stated};"))


@profile(40)
@given(systems(), st.lists(STATES, min_size=1, max_size=3))
def test_a_solver_accepts_the_reachable_states_of_any_system(
    system: TransitionSystem, stated: list[Term]
) -> None:
    check_certificates(stating(system, PropertyKind.INVARIANT, *stated))


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_verdicts_on_examples_are_found_again(path: Path) -> None:
    check_again(system_of(path.read_text()))
    check_certificates(system_of(path.read_text()))


@profile(30)
@given(systems(), STATES, BRANCHING, LINEAR)
def test_verdicts_are_found_again(
    system: TransitionSystem, state: Term, branching: Term, linear: Term
) -> None:
    check_again(stating(system, PropertyKind.INVARIANT, state))
    check_again(stating(system, PropertyKind.CTL, branching))
    check_again(stating(system, PropertyKind.LTL, linear))


def check_again(system: TransitionSystem) -> None:
    names = [stated.name for stated in system.properties]
    again = check(turned(system), names, UNHURRIED)
    for name, verdict in check(system, names, UNHURRIED).items():
        second = again[name]
        assert agree(verdict, second), (name, verdict, second)
        if isinstance(verdict, Holding):
            assert isinstance(second, Holding)
            assert verdict.vacuity is second.vacuity


def test_verdicts_that_differ_or_say_nothing_do_not_agree() -> None:
    assert not agree(Holding(), Violated(None))
    assert not agree(Undecided("out of time"), Undecided("out of time"))
    assert agree(Violated(None), Violated(None, complete=False))
