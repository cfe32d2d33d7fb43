"""Where an edit left a proof that rests on much, another one is found, and checked."""

from __future__ import annotations

from dataclasses import replace

import pytest

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Record, Records
from mutproof.analyses.deciding.checks import check
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.rung import ModelProof
from mutproof.analyses.deciding.rungs import renewal
from mutproof.analyses.proving import proofs as proving
from mutproof.model.interpretation import interpretation
from mutproof.solving import certify, portfolio
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import BUDGET, options, program_of
from support.reading import analysed

OTHERS = "\n".join(f"  y{n} = (0 -> pre y{n} + 1) + {n};" for n in range(8))
TEXT = f"""
node top(a: bool) returns (p: bool);
var x, {", ".join(f"y{n}" for n in range(8))}: int;
let
  x = 0 -> if a then pre x + 1 else pre x;
{OTHERS}
  p = x >= 0 or {" or ".join(f"y{n} = {n}" for n in range(8))};
  --%PROPERTY p;
tel
"""


def context_of(known: bool) -> Context:
    """Return the context of a model whose proof is said to rest on everything."""
    found = accepted(TEXT)
    meaning = interpretation(program_of(found))
    system = meaning.system()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    proved = proving.prove(meaning, system, ProofMemory(), means, emit=lambda _: None)
    everything = frozenset(owner for owner in system.by_owner if owner is not None)
    baseline = Baseline(meaning, system, proved.holds, dict.fromkeys(proved.holds, everything))
    chosen = enumerate_mutants(found, options())
    records = Records()
    for mutant in chosen if known else ():
        records[mutant.id] = Record({}, {})
    mutants = Mutants(baseline, chosen).lowered(lambda: None)
    return Context(baseline, mutants, records, means)


def renew(context: Context) -> Baseline:
    """Return the proofs of the model after the rung has been climbed."""
    try:
        for candidate in renewal.renewed(context, [*context.mutants.claims.values()]):
            assert isinstance(candidate, ModelProof)
            check(context, candidate)
    finally:
        context.means.spacer.close()
    return context.baseline


def test_a_proof_that_rests_on_less_takes_the_place_of_another() -> None:
    found = renew(context_of(known=True))
    (core,) = found.cores.values()
    (evidence,) = found.proofs.values()
    assert {"x", "p"} <= {owner.name for owner in core}
    assert len(core) < 5  # of ten
    assert certify.certify(found.system, evidence.certificate, owners=core).ok


@pytest.mark.parametrize("known", [False, True])
def test_what_is_new_or_rests_on_as_much_as_before_is_kept(known: bool) -> None:
    context = context_of(known)
    context.records.concerned = len(context.mutants.claims)
    before = context.baseline
    assert before is renew(context)


def test_a_core_that_does_not_suffice_is_not_used(monkeypatch: pytest.MonkeyPatch) -> None:
    honest = portfolio.prove

    def careless(*arguments: object, **named: object) -> object:
        outcome = honest(*arguments, **named)  # type: ignore[arg-type]
        less = {n: replace(v, core=frozenset()) for n, v in outcome.verdicts.items()}  # type: ignore[call-arg]
        return replace(outcome, verdicts=less)

    monkeypatch.setattr(portfolio, "prove", careless)
    context = context_of(known=True)
    before = context.baseline
    assert before.cores == renew(context).cores


def test_verdicts_are_those_of_a_run_from_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(renewal, "MANY", 1)
    monkeypatch.setattr(renewal, "GROWTH", 0)
    memory = Memory()
    edited = accepted(TEXT.replace("pre x + 1", "pre x + 2"))
    for text in (accepted(TEXT), edited):
        warm = analysed(text, options(), memory)
    cold = analysed(edited, options())
    assert {f.mutant: (f.status, f.killed_by) for f in warm.mutants} == {
        f.mutant: (f.status, f.killed_by) for f in cold.mutants
    }
    assert {f.status for f in cold.mutants} >= {MutantStatus.KILLED, MutantStatus.SURVIVED}
