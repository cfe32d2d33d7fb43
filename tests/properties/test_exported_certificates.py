"""Certificates as SMT-LIB scripts: complete, readable, and confirmed by another solver."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.checking.certificates import NO_CERTIFICATE, Exporter
from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.finding import (
    CertificateFinding,
    Confirmation,
    MutantStatus,
    PropertyVerdict,
)
from mutproof.model import terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, INT, WordSort
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.runtime import script_child
from mutproof.runtime.script_checker import ScriptChecker, judged
from mutproof.solving import certify, smtlib
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support import systems
from support.forged import forged
from support.profiles import profile
from support.reading import accepted_in, analysed, elaborated_in
from support.systems import INIT, INPUT, INVAR, STATE, TRANS, define, integer

PROCESSES = """\
MODULE keeper(x)
ASSIGN next(x) := x;

MODULE main
VAR
  x : boolean;
  one : process keeper(x);
  other : process keeper(x);
ASSIGN
  init(x) := FALSE;
INVARSPEC NAME off := !x
"""
TANK = """\
node main(fill, drain: bool) returns (level: int; OK, Low: bool);
var change, idle: int;
let
  change = if fill and not drain then 1 else if drain and not fill then -1 else 0;
  level = 0 -> if pre level + change < 0 then 0
               else if pre level + change > 9 then 9 else pre level + change;
  idle = 0 -> pre idle + 1;
  OK = level <= 9;
  Low = level >= 0;
  --%PROPERTY OK;
  --%PROPERTY Low;
tel;
"""
LIGHT = """\
MODULE main
IVAR press : boolean;
VAR
  light : {dark, dim, bright};
  timer : 0..3;
  w : unsigned word[4];
ASSIGN
  init(light) := dark;
  init(timer) := 0;
  init(w) := 0ud4_0;
  next(light) := case press & light = dark : dim; press : bright; timer = 3 : dark; TRUE : light;
    esac;
  next(timer) := case press : 0; timer < 3 : timer + 1; TRUE : timer; esac;
  next(w) := w >> 1;
INVARSPEC NAME small := w < 0ud4_8 & timer <= 3
LTLSPEC NAME fades := G (!press & light = dim -> F (light = dark | press))
"""
COUNTDOWN = """\
MODULE main
VAR n : integer; go : boolean;
ASSIGN
  next(n) := go & n > 0 ? n - 1 : n;
INIT n >= 3
FAIRNESS go
LTLSPEC NAME ends := F n = 0
LTLSPEC NAME stays := G (n <= 2 -> G n <= 2)
"""


@pytest.fixture(scope="module")
def cvc5() -> Callable[[str, int], Confirmation]:
    """Return what cvc5 makes of a script that gives some answers."""
    _, run = script_child.cvc5_run(10.0)
    return lambda text, checks: judged(run(text), checks)[0]


def findings(text: str, language: str, **options: object) -> tuple[Report, list[Event]]:
    elaborated = accepted_in(language, text)
    events: list[Event] = []
    chosen = replace(Options(cores=False, certify=True), **options)  # type: ignore[arg-type]
    found = analyse(elaborated, chosen, Memory(), events.append, cancelled=lambda: False)
    return found, events


def test_certificates_come_in_the_order_of_the_properties() -> None:
    program = accepted_in("lustre", TANK).program
    assert program is not None
    system = interpretation(program).system()
    names = [one.name for one in system.properties]
    holds = forged(Holds, UNCERTIFIED, frozenset(), SAME_STEPS)
    for order in (names, names[::-1]):
        exporter = Exporter("tank", system, lambda _: ())
        found = exporter.findings("mutant", system, dict.fromkeys(order, holds))
        assert names == [one.property for one in found]


def certificates(events: list[Event]) -> list[CertificateFinding]:
    return [event for event in events if isinstance(event, CertificateFinding)]


# --- scripts ----------------------------------------------------------------------------------


@given(st.data())
@profile(25)
def test_a_script_says_what_the_check_of_a_certificate_says(data: st.DataObject) -> None:
    system = data.draw(systems.systems())
    names = tuple(system.variables)
    lemma = systems.expressions(BOOL, tuple(n for n in names if n in "abmfijde"))
    lemmas = tuple(data.draw(st.lists(lemma, max_size=2)))
    goals = tuple(p.name for p in system.properties)
    goal = data.draw(st.sampled_from(goals))
    certificate = Certificate(data.draw(st.integers(1, 3)), lemmas, (goal,))

    asked = smtlib.question(system, certificate)
    _, run = script_child.cvc5_run(20.0)
    confirmation, reason = judged(run(smtlib.script(asked)), smtlib.checks(asked))

    expected = certify.certify(system, certificate)
    assert expected.ok is (confirmation is Confirmation.CONFIRMED), (expected.reason, reason)
    assert expected.ok is not (confirmation is Confirmation.REFUTED), (expected.reason, reason)


def saturated() -> tuple[TransitionSystem, Term]:
    """Count to nine with an element that nothing needs."""
    n = integer("n")
    system = systems.system(
        {"go": (BOOL, INPUT), "n": (INT, STATE), "other": (INT, STATE)},
        [
            define(INIT, "n", terms.int_(0)),
            define(
                TRANS, "n", terms.ite(terms.compare(Op.LT, n, terms.int_(9)), systems.add(n, 1), n)
            ),
            define(TRANS, "other", systems.add(integer("other"), 1)),
        ],
        {"small": systems.le(n, 9)},
    )
    return system, n


def test_a_script_holds_what_its_proof_rests_on_and_no_more() -> None:
    system, _ = saturated()
    kept = frozenset(c.digest for c in system.constraints if c.defines == "n")
    asked = smtlib.question(system, Certificate(1, (), ("small",)), kept=kept)
    text = smtlib.script(asked, ["proves: small"])

    assert text.startswith("; proves: small\n")
    assert "other" not in text
    assert "; equation m.n'" in text
    assert "(declare-fun n@0 () Int)" in text
    assert 2 == text.count("(check-sat)") == smtlib.checks(asked)


def test_a_script_without_what_its_proof_needs_is_refuted(
    cvc5: Callable[[str, int], Confirmation],
) -> None:
    system, _ = saturated()
    for constraint in system.constraints[:2]:
        kept = frozenset(c.digest for c in system.constraints) - {constraint.digest}
        asked = smtlib.question(system, Certificate(1, (), ("small",)), kept=kept)
        assert Confirmation.REFUTED is cvc5(smtlib.script(asked), smtlib.checks(asked))


def test_what_a_left_out_element_defines_is_not_in_bounds(
    cvc5: Callable[[str, int], Confirmation],
) -> None:
    """A definition may leave the bounds of its variable, so leaving it out frees the variable."""
    system = systems.system(
        {"a": (systems.IntSort(0, 3), systems.DEFINED), "i": (INT, INPUT)},
        [define(INVAR, "a", integer("i"))],
        {"small": systems.le(integer("a"), 3)},
    )
    asked = smtlib.question(system, Certificate(1, (), ("small",)), kept=frozenset())
    assert () == asked.constraints == asked.bounded
    assert Confirmation.REFUTED is cvc5(smtlib.script(asked), smtlib.checks(asked))


@pytest.mark.parametrize("name", ["a|b", "a\\b", "x y", "a\\|b", "0", "and", "é", "m.x[3]"])
def test_every_name_is_a_symbol(name: str, cvc5: Callable[[str, int], Confirmation]) -> None:
    system = systems.system(
        {name: (INT, STATE)},
        [define(INIT, name, terms.int_(0)), define(TRANS, name, integer(name))],
        {"zero": terms.eq(integer(name), terms.int_(0))},
    )
    asked = smtlib.question(system, Certificate(1, (), ("zero",)))
    assert Confirmation.CONFIRMED is cvc5(smtlib.script(asked), smtlib.checks(asked))


def test_words_are_bit_vectors(cvc5: Callable[[str, int], Confirmation]) -> None:
    sort = WordSort(4)
    word = terms.var("w", sort)
    zero = terms.const(0, sort)
    system = systems.system(
        {"w": (sort, STATE)},
        [define(INIT, "w", zero), define(TRANS, "w", word)],
        {"zero": terms.eq(word, zero)},
    )
    system = replace(system, properties=(SystemProperty("zero", terms.eq(word, zero)),))
    asked = smtlib.question(system, Certificate(1, (), ("zero",)))
    text = smtlib.script(asked)
    assert "(declare-fun w@0 () (_ BitVec 4))" in text
    assert Confirmation.CONFIRMED is cvc5(text, smtlib.checks(asked))


# --- certificates of models -------------------------------------------------------------------


@pytest.mark.parametrize(
    ("language", "text"),
    [
        pytest.param("lustre", TANK, id="Lustre"),
        pytest.param("nusmv", LIGHT, id="NuSMV"),
        pytest.param("nusmv", PROCESSES, id="NuSMV with processes"),
    ],
)
def test_every_proof_has_a_certificate_that_is_confirmed_or_says_why_not(
    language: str, text: str, cvc5: Callable[[str, int], Confirmation]
) -> None:
    report, events = findings(text, language)
    found = certificates(events)

    proved = [p.name for p in report.properties if p.verdict is PropertyVerdict.PROVED]
    assert proved == [one.property for one in found if not one.mutant]
    survived = {m.mutant for m in report.mutants if m.status is MutantStatus.SURVIVED}
    assert survived == {one.mutant for one in found} - {""}
    assert all({one.property for one in found if one.mutant == m} == {*proved} for m in survived)
    for one in found:
        assert bool(one.file) is not bool(one.reason)
        assert one.file or one.reason.endswith("no certificate")
        if one.text:
            assert Confirmation.CONFIRMED is cvc5(one.text, one.checks), one.text
    written = [one.file for one in found if one.text]
    assert len(written) == len({*written})
    assert {*written} == {one.file for one in found if one.file}


def test_survivors_that_no_proof_rests_on_share_the_certificate_of_the_model() -> None:
    report, events = findings(TANK, "lustre")
    found = certificates(events)
    idle = [m.mutant for m in report.mutants if m.how == "core"]
    assert idle
    of_model = {one.property: one.file for one in found if not one.mutant}
    for mutant in idle:
        assert of_model == {one.property: one.file for one in found if one.mutant == mutant}


@pytest.mark.parametrize(
    "assigned",
    [
        pytest.param("next(x) := x; init(y) := x <= 3; next(y) := y;", id="in the first state"),
        pytest.param("next(x) := {0, 1}; init(y) := TRUE; next(y) := x <= 3;", id="always"),
        pytest.param(
            "next(x) := {0, 1}; init(y) := TRUE; next(y) := y & (x <= 3 | next(x) = 7);",
            id="in the state before",
        ),
    ],
)
def test_what_rests_on_the_range_of_a_variable_is_confirmed_for_mutants_that_assign_it(
    assigned: str, cvc5: Callable[[str, int], Confirmation]
) -> None:
    text = f"MODULE main\nVAR x : 0..3; y : boolean;\nASSIGN {assigned}\nINVARSPEC NAME yes := y\n"
    report, events = findings(text, "nusmv", level="all")
    found = certificates(events)
    changed = [m.mutant for m in report.mutants if m.status is MutantStatus.SURVIVED]
    assert changed
    assert {"", *changed} == {one.mutant for one in found}
    for one in found:
        if one.text:
            assert Confirmation.CONFIRMED is cvc5(one.text, one.checks), one.text


def test_a_certificate_says_what_it_proves_and_where_it_stands() -> None:
    _, events = findings(TANK, "lustre", mutate=False)
    first = certificates(events)[0].text.splitlines()
    assert "; proves: OK" in first
    assert "; line 10: --%PROPERTY OK;" in first
    assert "; of: the model" in first
    assert any(line.startswith("; elements used: equation main.level") for line in first)


def test_what_diagrams_decide_has_no_certificate_and_says_so() -> None:
    _, events = findings(LIGHT, "nusmv")
    reasons = {one.reason for one in certificates(events) if one.property == "fades"}
    assert {"decided twice by diagrams, no certificate", NO_CERTIFICATE} >= reasons
    assert reasons


def test_certificates_are_not_made_unless_asked_for() -> None:
    _, events = findings(TANK, "lustre", certify=False)
    assert [] == certificates(events)


def test_proofs_of_paths_have_certificates_of_products(
    cvc5: Callable[[str, int], Confirmation],
) -> None:
    report, events = findings(COUNTDOWN, "nusmv", operators=("SA1",))
    found = certificates(events)
    survived = [mutant for mutant in report.mutants if mutant.status is MutantStatus.SURVIVED]
    assert len(survived) >= 3
    assert {("", "ends"), ("", "stays")} <= {(one.mutant, one.property) for one in found}
    assert 2 * (1 + len(survived)) == len(found)
    for one in found:
        assert "; system: the model beside its denied property" in one.text
        assert Confirmation.CONFIRMED is cvc5(one.text, one.checks)


# --- solvers in processes ---------------------------------------------------------------------


@pytest.mark.parametrize("solver", ["cvc5", "z3"])
def test_only_unsat_as_often_as_it_is_due_confirms(solver: str, tmp_path: Path) -> None:
    texts = {
        "right": "(set-logic ALL)(assert false)(set-info :status unsat)(check-sat)",
        "wrong": "(set-logic ALL)(set-info :status unsat)(check-sat)",
        "silent": "(set-logic ALL)",
        "broken": "(set-logic ALL)(assert (nonsense",
        "hard": "(set-logic ALL)(declare-const x Int)(declare-const y Int)(declare-const z Int)"
        "(assert (= 33 (+ (* x x x) (* y y y) (* z z z))))(check-sat)",
    }
    expected = {
        "right": Confirmation.CONFIRMED,
        "wrong": Confirmation.REFUTED,
        "silent": Confirmation.UNKNOWN,
        "broken": Confirmation.UNKNOWN,
        "hard": Confirmation.UNKNOWN,
        "absent": Confirmation.UNKNOWN,
    }
    checker = ScriptChecker(solver, 0.5)
    found = {}
    try:
        for name in expected:
            path = tmp_path / f"{name}.smt2"
            if name in texts:
                path.write_text(texts[name])
            found[name] = checker.check(path, 1).confirmation
        assert Confirmation.CONFIRMED is checker.check(tmp_path / "right.smt2", 1).confirmation
        assert Confirmation.UNKNOWN is checker.check(tmp_path / "right.smt2", 2).confirmation
    finally:
        checker.close()
    assert expected == found


# --- what a proof rests on --------------------------------------------------------------------


def test_a_proof_rests_on_what_keeps_variables_while_others_run() -> None:
    memory = Memory()

    def verdicts(text: str) -> list[PropertyVerdict]:
        elaborated = elaborated_in("nusmv", text)
        options = Options(mutate=False, cores=False)
        found = analysed(elaborated, options, memory)
        return [one.verdict for one in found.properties]

    assert [PropertyVerdict.PROVED] == verdicts(PROCESSES)
    assigned = PROCESSES.replace("init(x) := FALSE;", "init(x) := FALSE; next(x) := TRUE;")
    assert [PropertyVerdict.FALSIFIED] == verdicts(assigned)
