"""A wrong proof that its check accepts is not said: an execution contradicts it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from mutproof.analyses.bench.minimal import MinimalProof
from mutproof.analyses.checking import core_audit
from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.baseline import HOW, Inherited
from mutproof.analyses.checking.core_audit import CoreAudit
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.claims.verdict import Equivalent
from mutproof.analyses.deciding import findings
from mutproof.analyses.deciding.findings import Findings
from mutproof.analyses.deciding.rungs import minimal
from mutproof.analyses.equivalence import kripke, tester
from mutproof.analyses.equivalence.killing import Killability, Killing
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.proving import proofs
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution
from mutproof.model.interpretation import interpretation
from mutproof.solving.certify import Checked
from mutproof.solving.verdict import Certificate, Outcome, Proved
from mutproof.workspace.analysis import Memory
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.forged import forged
from support.lustre_models import accepted
from support.reading import accepted_in, analysed

FALSE = (
    "lustre",
    (
        "node top(a: bool) returns (n: int; p: bool);\n"
        "let n = (if a then 1 else 0) + (0 -> pre n); p = n < 2; --%PROPERTY p;\ntel;\n"
    ),
)
FALSE_SMV = (
    "nusmv",
    (
        "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x < 3 ? x + 1 : 0;\n"
        "INVARSPEC x < 2\n"
    ),
)
TRUE = (
    "lustre",
    (
        "node top(a: bool) returns (n: int; p: bool);\n"
        "let n = (if a then 1 else 0) + (0 -> pre n); p = n >= 0; --%PROPERTY p;\ntel;\n"
    ),
)
TRUE_SMV = (
    "nusmv",
    (
        "MODULE main\nVAR x : 0..3;\nASSIGN init(x) := 0; next(x) := x < 2 ? x + 1 : 0;\n"
        "INVARSPEC x < 3\n"
    ),
)


def report(
    language: str,
    text: str,
    *,
    mutate: bool = False,
    equivalence: str = "",
    outputs: tuple[str, ...] = (),
    memory: Memory | None = None,
) -> Report:
    found = accepted_in(language, text)
    options = Options(mutate=mutate, cores=False, equivalence=equivalence, outputs=outputs)
    return analysed(found, options, memory)


def prove_wrongly(system, budget, options, *, goals, on_verdict):  # type: ignore[no-untyped-def]
    for name in goals:
        wrong = Certificate(1, (), (name,))
        on_verdict(name, Proved(wrong, frozenset(), "k-induction", 1))
    return Outcome({})


@pytest.mark.parametrize(("language", "text"), [FALSE, FALSE_SMV])
def test_a_proof_that_an_execution_contradicts_is_withdrawn(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs.portfolio, "prove", prove_wrongly)
    monkeypatch.setattr(Notary, "check", lambda *_, **__: Checked(True))
    found = report(language, text)

    (finding,) = found.properties
    assert (PropertyVerdict.UNKNOWN, Defect.PROOF) == (finding.verdict, finding.defect)
    assert Defect.PROOF.value in finding.reason
    assert 1 == found.statistics.defects


@pytest.mark.parametrize(("language", "text"), [FALSE, FALSE_SMV])
def test_the_notary_refuses_a_wrong_proof_before_the_audit(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(proofs.portfolio, "prove", prove_wrongly)
    found = report(language, text)

    (finding,) = found.properties
    assert (PropertyVerdict.UNKNOWN, None) == (finding.verdict, finding.defect)
    assert "the proof could not be checked again" == finding.reason
    assert 1 == found.statistics.refused


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
def test_survivors_that_nothing_rests_on_are_audited(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {f.mutant: f.status for f in report(language, text, mutate=True).mutants}
    killed = {name for name, status in right.items() if status is MutantStatus.KILLED}

    def outside(self, removed):  # type: ignore[no-untyped-def]
        wrong = forged(Holds, UNCERTIFIED, frozenset(), HOW)
        return dict.fromkeys(self._goals, wrong), self._goals

    monkeypatch.setattr(Inherited, "outside", outside)
    found = report(language, text, mutate=True)

    withdrawn = {f.mutant for f in found.mutants if f.defect is Defect.SURVIVOR}
    assert killed & withdrawn
    assert language == "nusmv" or killed <= withdrawn
    assert len(withdrawn) == found.statistics.defects
    assert {MutantStatus.UNKNOWN} == {f.status for f in found.mutants if f.mutant in withdrawn}


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
def test_a_survivor_with_a_proof_of_its_own_is_audited(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = {f.mutant: f.status for f in report(language, text, mutate=True).mutants}
    killed = {name for name, status in right.items() if status is MutantStatus.KILLED}

    def outside(self, removed):  # type: ignore[no-untyped-def]
        wrong = forged(Holds, UNCERTIFIED, frozenset(), "certificate")
        return dict.fromkeys(self._goals, wrong), self._goals

    monkeypatch.setattr(Inherited, "outside", outside)
    found = report(language, text, mutate=True)

    withdrawn = {f.mutant for f in found.mutants if f.defect is Defect.SURVIVOR}
    assert withdrawn <= killed
    assert withdrawn
    assert len(withdrawn) == found.statistics.defects


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
@pytest.mark.parametrize("checked", [False, True], ids=["refused", "accepted"])
def test_proofs_that_are_said_to_rest_on_nothing_are_audited(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch, *, checked: bool
) -> None:
    right = {f.mutant: f.status for f in report(language, text, mutate=True).mutants}
    killed = {name for name, status in right.items() if status is MutantStatus.KILLED}

    def found(proof, *_):  # type: ignore[no-untyped-def]
        if checked:
            monkeypatch.setattr(Notary, "check", lambda *_, **__: Checked(True))
        return Certificate(1, (), proof._certificate.goals), frozenset()

    monkeypatch.setattr(minimal, "MANY", 1)
    monkeypatch.setattr(MinimalProof, "found", found)
    now = report(language, text, mutate=True)

    withdrawn = {f.mutant for f in now.mutants if f.defect is Defect.SURVIVOR}
    if checked:
        assert withdrawn & killed
    else:
        assert right == {f.mutant: f.status for f in now.mutants}
        assert now.statistics.refused


ALIKE = (
    "node main(a: bool) returns (b: bool);\nvar p: bool;\nlet\n"
    "  b = a and not a;\n  p = not b;\n  --%PROPERTY p;\ntel\n"
)


def test_survivors_that_give_an_element_the_same_values_are_audited(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    right = {f.mutant: f.status for f in report("lustre", ALIKE, mutate=True).mutants}
    killed = {name for name, status in right.items() if status is MutantStatus.KILLED}

    def outside(self, removed):  # type: ignore[no-untyped-def]
        wrong = forged(Holds, UNCERTIFIED, frozenset(), "certificate")
        return dict.fromkeys(self._goals, wrong), self._goals

    monkeypatch.setattr(Inherited, "outside", outside)
    found = report("lustre", ALIKE, mutate=True)

    withdrawn = {f.mutant for f in found.mutants if f.defect is Defect.SURVIVOR}
    assert withdrawn < killed
    assert 4 == len(withdrawn)
    assert 1 == len(killed - withdrawn)  # without the equation, `b` was chosen to be false


APART = (
    "node top(a: bool) returns (n, m: int; p, q: bool);\nlet\n"
    "  n = 0 -> if a and pre n < 5 then pre n + 1 else 0;\n  m = 0 -> pre m + 1;\n"
    "  p = n <= 9;\n  q = m >= 0;\n  --%PROPERTY p;\n  --%PROPERTY q;\ntel;\n"
)


def test_only_what_rests_on_a_mutated_element_is_audited_with_the_mutant(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    with_mutants: set[tuple[str, ...]] = set()
    apart: set[str] = set()
    of_mutant, of_cores = Audit.of_mutant, CoreAudit.of

    def noted(self, mutant, names, bodies, **options):  # type: ignore[no-untyped-def]
        with_mutants.add(tuple(sorted(names)))
        return of_mutant(self, mutant, names, bodies, **options)

    def noted_apart(self, owners, name):  # type: ignore[no-untyped-def]
        apart.add(name)
        return of_cores(self, owners, name)

    monkeypatch.setattr(Audit, "of_mutant", noted)
    monkeypatch.setattr(CoreAudit, "of", noted_apart)
    found = report("lustre", APART, mutate=True)
    assert any(one.status is MutantStatus.SURVIVED for one in found.mutants)
    assert {("p",), ("q",)} == with_mutants
    assert {"p", "q"} == apart


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
def test_an_equivalent_mutant_is_audited(
    language: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    right = report(language, text, mutate=True, equivalence="outputs")
    wrong = forged(Equivalent, "k-induction")
    monkeypatch.setattr(Survivors, "_verdict", lambda *_: (wrong, None))
    monkeypatch.setattr(kripke, "compare", lambda *_, **__: wrong)
    found = report(language, text, mutate=True, equivalence="outputs")

    gaps = {
        f.mutant
        for f in right.mutants
        if f.equivalence is not None and f.equivalence.status is EquivalenceStatus.GAP
    }
    withdrawn = {
        f.mutant
        for f in found.mutants
        if f.equivalence is not None and f.equivalence.defect is Defect.EQUIVALENCE
    }
    assert withdrawn <= gaps
    assert withdrawn
    assert len(withdrawn) == found.statistics.defects


def test_a_define_without_value_shows_no_difference() -> None:
    # NuSMV accepts each: nothing reads `d`, which one of the mutants leaves without a value.
    text = (
        "MODULE main\nVAR y : 0..1; b : boolean;\n"
        "DEFINE d := case b : y; TRUE : 1 - y; esac;\n"
        "ASSIGN init(y) := 0;\nINVARSPEC y = y;\n"
    )
    found = report("nusmv", text, mutate=True, equivalence="all variables")

    assert 0 == found.statistics.defects
    assert not any(f.is_withdrawn for f in found.mutants)


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
@pytest.mark.parametrize("edited", [False, True], ids=["as it was", "after an edit"])
def test_survivors_that_are_kept_are_audited(language: str, text: str, *, edited: bool) -> None:
    memory = Memory()
    right = report(language, text, mutate=True, memory=memory)
    killed = [f for f in right.mutants if f.status is MutantStatus.KILLED and f.steps]
    for finding in killed:
        record = memory.records[finding.mutant]
        proofs = {goal: Certificate(1, (), (goal,)) for goal in record.fails}
        wrong = {goal: forged(Holds, proof, frozenset(), "bdd") for goal, proof in proofs.items()}
        memory.records[finding.mutant] = replace(record, holds=wrong, fails={})
    later = text.replace("p = n >= 0;", "p = n >= 0 and (a or not a);") if edited else text
    found = report(language, later, mutate=True, memory=memory)

    names = {f.mutant for f in killed}
    withdrawn = {f.mutant for f in found.mutants if f.defect is Defect.SURVIVOR}
    again = {f.mutant: f.status for f in found.mutants}
    assert withdrawn <= names
    if withdrawn or not edited:
        assert withdrawn
        assert len(withdrawn) == found.statistics.defects
    else:  # what a property says now nobody has proved
        assert {MutantStatus.KILLED} == {again[name] for name in names}


COUNTER = """\
node top(a: bool; s: int) returns (n: int; p: bool);
var up: bool; step, far: int;
let
  up = a and s > 0;
  step = if up then 1 else 0;
  n = (0 -> pre n) + step;
  far = 0 -> pre far + n;
  p = n >= 0;
  --%PROPERTY p;
tel;
"""


def test_a_proof_is_audited_on_what_it_rests_on_alone() -> None:
    meaning = interpretation(accepted(COUNTER).program)  # type: ignore[arg-type]
    executions = Audit(meaning, meaning.system()).executions
    audit = CoreAudit(meaning, meaning.system(), executions)
    every = {e.targets[0]: e.id for e in meaning.program.elements()}
    core = frozenset(every[name] for name in ("step", "n", "p"))

    assert audit.is_flat
    assert executions
    assert audit.of(core, "p") is None
    for name in ("step", "n", "p"):
        found = audit.of(core - {every[name]}, "p")
        assert found is not None
        assert "p" == found.name


THREE = COUNTER.replace("; p: bool", "; p, q, r: bool").replace(
    "  p = n >= 0;\n",
    "  p = n >= 0;\n  q = far >= 0;\n  r = n < 2;\n  assert a or s > 9;\n"
    "  --%PROPERTY q;\n  --%PROPERTY r;\n",
)


def test_proofs_that_rest_on_all_they_read_are_audited_together_once_that_is_less_work(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    meaning = interpretation(accepted(THREE).program)  # type: ignore[arg-type]
    executions = Audit(meaning, meaning.system()).executions
    ran: list[int] = []

    class Counted(Evaluator):
        def run(self, *about: Any, **how: Any) -> Execution:
            ran.append(len(self.layout.program.component("top").elements))
            return super().run(*about, **how)

    monkeypatch.setattr(core_audit, "Evaluator", Counted)
    audit = CoreAudit(meaning, meaning.system(), executions)
    every = {e.targets[0]: e.id for e in meaning.program.elements() if e.targets}
    asserted = next(e.id for e in meaning.program.elements() if not e.targets)
    below = frozenset(every[name] for name in ("up", "step", "n", "p"))
    assert audit.of(below, "p") is None
    assert {4} == {*ran}  # one proof after an edit: the others are not run again
    ran.clear()
    assert audit.of(below | {every["far"], every["q"]}, "q") is None
    assert {len(every)} == {*ran}  # all equations, once for each execution
    assert len(executions) == len(ran)

    found = audit.of(below - {every["p"]} | {every["r"]}, "r")
    assert found is not None
    assert "r" == found.name
    ran.clear()
    assert audit.of(below | {asserted}, "p") is None  # it restricts executions
    assert {5} == {*ran}
    ran.clear()
    less = frozenset({every["n"], every["r"]})  # what defines the step is left out
    assert audit.of(less, "r") is not None
    assert {2} == {*ran}


@pytest.mark.parametrize(
    ("old", "new", "runs"),
    [
        ("pre far + n", "pre far - n", False),
        ("then 1 else 0", "then 1 else (0 + 0)", True),
        ("p = n >= 0", "p = not (n < 0)", True),
        ("s: int)", "s: int; b: bool)", True),
    ],
)
def test_the_audit_of_a_proof_is_repeated_if_what_it_rests_on_was_edited(
    old: str, new: str, *, runs: bool
) -> None:
    passed: set[bytes] = set()
    for text, expected in ((COUNTER, True), (COUNTER.replace(old, new), runs)):
        assert text == COUNTER or old in COUNTER
        meaning = interpretation(accepted(text).program)  # type: ignore[arg-type]
        executions = Audit(meaning, meaning.system()).executions
        audit = CoreAudit(meaning, meaning.system(), executions, passed=passed)  # type: ignore[arg-type]
        every = {e.targets[0]: e.id for e in meaning.program.elements()}
        before = len(passed)
        assert audit.of(frozenset(every[name] for name in ("step", "n", "p")), "p") is None
        assert expected == (len(passed) > before)
        assert audit.of(frozenset((every["n"],)), "p") is not None


@pytest.mark.parametrize(("sample", "audited"), [(1, True), (1 << 40, False)])
def test_some_kept_survivors_are_audited_again(
    monkeypatch: pytest.MonkeyPatch, *, sample: int, audited: bool
) -> None:
    memory = Memory()
    first = report("lustre", COUNTER, mutate=True, memory=memory)
    tried: list[str] = []

    def violation(_: Findings, claim: Claim, *__: object, **___: object) -> None:
        tried.append(claim.name)

    monkeypatch.setattr(findings, "SAMPLE", sample)
    monkeypatch.setattr(Findings, "_violation", violation)
    report("lustre", COUNTER.replace("pre far + n", "pre far + step"), mutate=True, memory=memory)

    survived = {f.mutant for f in first.mutants if f.status is MutantStatus.SURVIVED}
    assert tried
    assert audited == (not survived.isdisjoint(tried))


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV])
def test_equivalent_mutants_that_are_kept_are_audited(language: str, text: str) -> None:
    memory = Memory()
    right = report(language, text, mutate=True, equivalence="outputs", memory=memory)
    wrong = forged(Equivalent, "k-induction")
    known = memory.survivors
    gaps = {
        f.mutant
        for f in right.mutants
        if f.equivalence is not None and f.equivalence.status is EquivalenceStatus.GAP
    }
    for name in gaps:
        known[name] = replace(known[name], verdict=wrong)
    found = report(language, text, mutate=True, equivalence="outputs", memory=memory)

    withdrawn = {
        f.mutant
        for f in found.mutants
        if f.equivalence is not None and f.equivalence.defect is Defect.EQUIVALENCE
    }
    assert withdrawn
    assert withdrawn <= gaps


MACHINE = (
    "MODULE main\nVAR x : 0..3; y : boolean; z : array 0..1 of boolean;\n"
    "ASSIGN init(x) := 0; next(x) := x < 2 ? x + 1 : 0;\n"
    "init(y) := FALSE; next(y) := x = 1;\n"
    "z[0] := x = 2; z[1] := {TRUE, FALSE};\nINVARSPEC x < 3\n"
)


@pytest.mark.parametrize("outputs", [("y",), ("z",), ("y", "z[0]")], ids=str)
def test_mutants_that_are_equivalent_on_named_outputs_are_audited(
    outputs: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    right = report("nusmv", MACHINE, mutate=True, equivalence="outputs", outputs=outputs)
    monkeypatch.setattr(tester, "killing", lambda *_: Killing(Killability.NOT))
    found = report("nusmv", MACHINE, mutate=True, equivalence="outputs", outputs=outputs)

    gaps = {
        f.mutant
        for f in right.mutants
        if f.equivalence is not None and f.equivalence.status is EquivalenceStatus.GAP
    }
    withdrawn = {
        f.mutant
        for f in found.mutants
        if f.equivalence is not None and f.equivalence.defect is Defect.EQUIVALENCE
    }
    assert 0 == right.statistics.defects
    assert withdrawn
    assert withdrawn <= gaps
    assert len(withdrawn) == found.statistics.defects


STEPS = (
    "nusmv",
    (
        "MODULE main\nVAR x : 0..2; y : boolean;\nDEFINE e := next(x) != x / 2;\n"
        "ASSIGN init(y) := FALSE;\nTRANS e\nINVARSPEC y | e\n"
    ),
)
"""A mutant of what a constraint and a property say of a step breaks both in the same step."""


@pytest.mark.parametrize(("language", "text"), [TRUE, TRUE_SMV, STEPS])
def test_what_is_right_is_said(language: str, text: str) -> None:
    found = report(language, text, mutate=True, equivalence="outputs")

    assert 0 == found.statistics.defects
    assert [None] == [f.defect for f in found.properties]
    assert {None} == {f.defect for f in found.mutants}
