"""Proofs that suit mutants better are proofs, and give the same verdicts."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given

from mutproof.analyses.benches import Benches
from mutproof.analyses.deciding.evidence import Holds
from mutproof.analyses.means import Means
from mutproof.analyses.mutation import frugal
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.frugal import Frugal
from mutproof.analyses.mutation.records import Records
from mutproof.analyses.variant import Case, Variant, support
from mutproof.model import terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.sorts import INT
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from support.forged import forged
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, program_of, report
from support.profiles import profile

# That n is never 5 needs an invariant; `small` is one, but reads what n does not depend on.
TEXT = """
node top(up: bool) returns (shown: int; quiet, calm, small: bool);
var n: int;
let
  n = 0 -> if up then (if pre n = 3 then 0 else pre n + 1) else pre n;
  shown = n;
  quiet = n <> 5;
  calm = n <> 6;
  small = shown <= 3;
  --%PROPERTY quiet;
  --%PROPERTY calm;
  --%PROPERTY small;
tel;
"""


def element(system: TransitionSystem, name: str) -> ElementId:
    return next(owner for owner in system.by_owner if owner is not None and owner.name == name)


def made(certificates: dict[str, Certificate]) -> tuple[TransitionSystem, Baseline, Frugal]:
    """Return a system, its frugal baseline for a mutant of `shown`, and who made it."""
    meaning = interpretation(program_of(accepted(TEXT)))
    system = meaning.system()
    core = frozenset(owner for owner in system.by_owner if owner is not None)
    holds = {
        name: forged(
            Holds,
            certificate,
            support(system, certify.statements(system, certificate), core),
            "test",
        )
        for name, certificate in certificates.items()
    }
    baseline = Baseline(meaning, system, holds, dict.fromkeys(certificates, core))
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    one = Frugal(baseline, system, Records(), means)
    cases = [Case(Variant("m", frozenset({element(system, "shown")})), set(certificates))]
    found = one.made(cases)
    means.spacer.close()
    return system, found, one


def small(system: TransitionSystem) -> terms.Term:
    return system.property("small").term


@pytest.fixture
def eager(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(frugal, "MANY", 1)
    monkeypatch.setattr(frugal, "WORTHY", 1)


def check_proof(system: TransitionSystem, baseline: Baseline, name: str) -> None:
    core = baseline.cores[name]
    assert certify.certify(system, baseline.proofs[name].certificate, BUDGET, owners=core).ok


@pytest.mark.usefixtures("eager")
def test_a_proof_that_reads_what_its_property_does_not_depend_on_is_found_again() -> None:
    system = interpretation(program_of(accepted(TEXT))).system()
    leaning = Certificate(1, (small(system),), ("quiet",))

    system, baseline, one = made({"quiet": leaning})

    check_proof(system, baseline, "quiet")
    assert element(system, "shown") not in baseline.cores["quiet"]
    assert [leaning] == one.spare


def test_what_a_proof_rests_on_is_asked_again_where_its_property_says_more(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(frugal, "MANY", 1)
    meaning = interpretation(program_of(accepted(TEXT)))
    system = meaning.system()
    core = frozenset(owner for owner in system.by_owner if owner is not None)
    certificate = Certificate(1, (small(system),), ("quiet",))
    rests_on = support(system, certify.statements(system, certificate), core)
    proofs = {"quiet": forged(Holds, certificate, rests_on, "test")}
    records, means = Records(), Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    case = Case(Variant("m", frozenset({element(system, "shown")})), {"quiet"})
    says = system.property("quiet").term
    for term in (terms.or_(says, terms.not_(says)), says):
        stated = replace(system.property("quiet"), term=term)
        others = [found for found in system.properties if found.name != "quiet"]
        now = replace(system, properties=(stated, *others))
        baseline = Baseline(meaning, now, proofs, {"quiet": core})
        check_proof(now, Frugal(baseline, now, records, means).made([case]), "quiet")
    means.spacer.close()


@pytest.mark.usefixtures("eager")
def test_a_proof_by_deep_induction_becomes_one_by_lemmas_of_others() -> None:
    n = terms.var("n", INT)
    below = terms.compare(Op.LE, n, terms.int_(3))
    less = terms.compare(Op.LT, n, terms.int_(4))

    system, baseline, _ = made(
        {"quiet": Certificate(1, (below,), ("quiet",)), "calm": Certificate(2, (less,), ("calm",))}
    )

    for name in ("quiet", "calm"):
        check_proof(system, baseline, name)
        assert 1 == baseline.proofs[name].certificate.k


@profile(12)
@given(models(size=4))
def test_other_proofs_of_the_model_give_the_same_verdicts(model: Model) -> None:
    found = accepted(model.text)
    expected = [(f.mutant, f.status, f.killed_by) for f in report(found).mutants]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frugal, "MANY", 1)
        patch.setattr(frugal, "WORTHY", 1)
        actual = [(f.mutant, f.status, f.killed_by) for f in report(found).mutants]

    assert expected == actual
