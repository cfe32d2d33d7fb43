"""A proof that leans on too much is found again by less, and checked."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.bench.minimal import MinimalProof
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Records
from mutproof.analyses.deciding.checks import check
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.rung import Candidate, ModelProof
from mutproof.analyses.deciding.rungs import minimal, narrowing
from mutproof.analyses.deciding.rungs.narrowing import ConeProofs
from mutproof.analyses.proving import proofs as proving
from mutproof.model.interpretation import interpretation
from mutproof.model.terms import TRUE, Term
from mutproof.solving import certify
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Proved
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, options, program_of, report
from support.profiles import profile

TEXT = """
node top(a: bool) returns (x, y: int; p, q: bool);
let
  x = 0 -> if a then pre x + 1 else pre x;
  y = 0 -> pre y + (if a then 2 else 1);
  p = x >= 0;
  q = y >= 0;
  --%PROPERTY p;
  --%PROPERTY q;
tel
"""


PLACES = 40


@pytest.fixture
def context(monkeypatch: pytest.MonkeyPatch) -> Context:
    """Return the context of a model whose proofs are said to rest on everything."""
    monkeypatch.setattr(narrowing, "WORTHY", 1)
    monkeypatch.setattr(minimal, "MANY", 1)
    return context_of(TEXT)


def context_of(text: str) -> Context:
    """Return the context of a model whose proofs are said to rest on everything."""
    found = accepted(text)
    meaning = interpretation(program_of(found))
    system = meaning.system()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    proved = proving.prove(meaning, system, ProofMemory(), means, emit=lambda _: None)
    everything = frozenset(owner for owner in system.by_owner if owner is not None)
    baseline = Baseline(meaning, system, proved.holds, dict.fromkeys(proved.holds, everything))
    mutants = Mutants(baseline, enumerate_mutants(found, options())).lowered(lambda: None)
    return Context(baseline, mutants, Records(), means)


def checked(context: Context, candidates: Iterable[Candidate]) -> int:
    """Check proofs of the model; return how many there were."""
    number = 0
    for candidate in candidates:
        assert isinstance(candidate, ModelProof)
        check(context, candidate)
        number += 1
    return number


def narrowed(context: Context, claims: list[Claim]) -> Iterable[Candidate]:
    return ConeProofs(context).narrowed(claims)


@pytest.mark.parametrize("less", [narrowed, minimal.minimal])
def test_a_proof_rests_on_the_cone_of_its_property(
    context: Context, less: Callable[[Context, list[Claim]], Iterable[Candidate]]
) -> None:
    assert 2 == checked(context, less(context, [*context.mutants.claims.values()]))
    context.means.spacer.close()
    cores = {name: {e.name for e in core} for name, core in context.baseline.cores.items()}
    assert {"p": {"x", "p"}, "q": {"y", "q"}} == cores
    for name, holds in context.baseline.proofs.items():
        core = context.baseline.cores[name]
        assert certify.certify(context.baseline.system, holds.certificate, owners=core).ok


def test_lemmas_are_looked_for_only_where_an_induction_is_deep(
    context: Context, monkeypatch: pytest.MonkeyPatch
) -> None:
    searched: list[str] = []
    lemmas = ConeProofs._lemmas

    def noted(self: ConeProofs, name: str) -> tuple[Term, ...]:
        searched.append(name)
        return lemmas(self, name)

    monkeypatch.setattr(ConeProofs, "_lemmas", noted)
    proofs = context.baseline.proofs
    deep = [name for name, holds in proofs.items() if holds.certificate.k > 1]
    assert [*narrowed(context, [*context.mutants.claims.values()])]
    context.means.spacer.close()
    assert deep == searched


def test_lemmas_that_a_proof_does_without_are_left_out_once(context: Context) -> None:
    system, claims = context.baseline.system, [*context.mutants.claims.values()]
    terms = [system.property(name).term for name in ("p", "q")]
    for name in ("p", "q"):
        found = Proved(Certificate(1, (*terms, TRUE), (name,)), None, "test", 1)
        check(context, ModelProof(name, replace(found, core=context.baseline.cores[name])))

    assert 2 == checked(context, minimal.minimal(context, claims))
    context.means.spacer.close()
    for holds in context.baseline.proofs.values():
        assert not holds.certificate.lemmas
    assert not [*minimal.minimal(context, claims)]


def test_elements_that_all_seem_to_be_needed_are_not_all_tried(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each place of a register is needed for the bound of the last one."""
    monkeypatch.setattr(minimal, "MANY", 1)
    places = "".join(f"  s{n} = 0 -> pre s{n - 1};\n" for n in range(1, PLACES))
    lines = [
        "node top(a: bool) returns (p: bool);",
        f"var {', '.join(f's{n}' for n in range(PLACES))}: int;",
        f"let\n  s0 = if a then 1 else 0;\n{places}  p = s{PLACES - 1} <= 1;",
        "  --%PROPERTY p;\ntel",
    ]
    context = context_of("\n".join(lines))
    before = context.calls
    for candidate in minimal.minimal(context, [*context.mutants.claims.values()]):
        check(context, candidate)
    context.means.spacer.close()
    assert 0 < context.calls - before < 2 * PLACES


def test_a_proof_that_the_notary_refuses_takes_no_place(context: Context) -> None:
    before = context.baseline
    wrong = Proved(Certificate(1, (), ("p",)), frozenset(), "pdr", 1)
    check(context, ModelProof("p", replace(wrong, core=frozenset())))
    context.means.spacer.close()
    assert before is context.baseline


def test_verdicts_stay(monkeypatch: pytest.MonkeyPatch) -> None:
    expected = [(f.mutant, f.status, f.killed_by) for f in report(accepted(TEXT)).mutants]
    monkeypatch.setattr(narrowing, "WORTHY", 1)
    monkeypatch.setattr(minimal, "MANY", 1)
    assert expected == [(f.mutant, f.status, f.killed_by) for f in report(accepted(TEXT)).mutants]


def test_proofs_that_need_all_of_themselves_are_not_all_looked_at(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each bound of a register rests on those of all places before it, and on all equations."""
    places = PLACES // 2
    monkeypatch.setattr(minimal, "MANY", 1)
    text = ["node top(a: bool) returns (o: bool);", "let", "  o = a; s0 = if a then 1 else 0;"]
    names = [", ".join(f"{kind}{n}" for n in range(places)) for kind in "sp"]
    text[1:1] = [f"var {names[0]}: int; {names[1]}: bool;"]
    text += [f"  s{n} = 0 -> pre s{n - 1};" for n in range(1, places)]
    text += [f"  p{n} = s{n} <= 1;\n  --%PROPERTY p{n};" for n in range(places)]
    text += ["tel;"]
    found = accepted("\n".join(text))
    looked_at: list[Certificate] = []
    before = MinimalProof.found

    def noted(self: MinimalProof, *others: Any) -> Any:
        looked_at.append(self._certificate)
        return before(self, *others)

    monkeypatch.setattr(MinimalProof, "found", noted)
    shown = report(found, options("default"))
    assert places == len(shown.properties)
    assert len(looked_at) < places // 2


@profile(12)
@given(models(size=4))
def test_verdicts_stay_with_minimal_proofs(model: Model) -> None:
    found = accepted(model.text)
    expected = [(f.mutant, f.status, f.killed_by) for f in report(found).mutants]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(minimal, "MANY", 1)
        assert expected == [(f.mutant, f.status, f.killed_by) for f in report(found).mutants]
