"""What engines proved of one mutant is tried on others, in solvers that hold little else."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Checker
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.records import Records
from mutproof.analyses.deciding.checks import check
from mutproof.analyses.deciding.context import Context, LearnedProof
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.rung import OfferedCertificates
from mutproof.analyses.deciding.rungs import engines
from mutproof.analyses.deciding.rungs.neighbours import MOST_TRIED, Neighbours
from mutproof.base.budget import Budget
from mutproof.model import sorts, terms
from mutproof.model.interpretation import interpretation
from mutproof.model.operators import Op
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.portfolio import PortfolioOptions
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate, Outcome, Unknown
from mutproof.workspace.enumeration import enumerate_mutants
from support.lustre_models import accepted
from support.lustre_mutants import BUDGET, options, program_of

# That p holds needs that m and n are equal, which no mutant that sets a to a constant changes.
TEXT = """
node top(a: bool) returns (p: bool);
var m, n: int;
let
  m = 0 -> if a then pre m + 1 else pre m;
  n = 0 -> if a then pre n + 1 else pre n;
  p = m <= n;
  --%PROPERTY p;
tel
"""


def context_of(text: str, budget: Budget = BUDGET) -> Context:
    """Return the context of a model of which nothing is known."""
    found = accepted(text)
    meaning = interpretation(program_of(found))
    system = meaning.system()
    means = Means(budget, SpacerProcess(), Benches(), lambda: None)
    baseline = Baseline(meaning, system, {}, {})
    mutants = Mutants(baseline, enumerate_mutants(found, options())).lowered(lambda: None)
    return Context(baseline, mutants, Records(), means)


def learn(context: Context, count: int) -> list[Certificate]:
    """Note so many certificates as learned of other elements; only the first one proves p."""
    m, n = (terms.var(name, sorts.INT) for name in ("m", "n"))
    proof = Certificate(1, (terms.eq(m, n),), ("p",))
    small = (terms.compare(Op.LE, m, terms.int_(number)) for number in range(1, count))
    found = [proof, *(Certificate(1, (lemma,), ("p",)) for lemma in small)]
    context.learned.update(dict.fromkeys(found, LearnedProof(frozenset(), None)))
    return found


def tried(context: Context, state: Neighbours, claim: Claim) -> list[OfferedCertificates]:
    """Check what is offered for a claim, as the ladder does, and return it."""
    found = []
    for candidate in state.tried([claim]):
        assert isinstance(candidate, OfferedCertificates)
        check(context, candidate)
        found.append(candidate)
    return found


def opened(context: Context) -> list[Claim]:
    """Return a claim about each mutant, of which p is open."""
    return [Claim(claim.variant, {"p"}) for claim in context.mutants.claims.values()]


def test_certificates_are_tried_together() -> None:
    context = context_of(TEXT)
    learned = learn(context, 3)
    state = Neighbours(context)
    for claim in opened(context):
        (offered,) = tried(context, state, claim)
        assert {*learned} == {certificate for certificate, _ in offered.proofs}


def test_solvers_are_renewed_after_some_certificates() -> None:
    context, claims = context_of(TEXT), list[Claim]()
    checkers = list[Checker | None]()
    learn(context, 2)
    state = Neighbours(context)
    while len(checkers) <= MOST_TRIED:
        claims += opened(context)
        for claim in claims[-len(context.mutants.claims) :]:
            checkers += [found.checker for found in tried(context, state, claim)]

    assert None not in checkers
    runs = [checkers.count(checker) for checker in dict.fromkeys(checkers)]
    assert {MOST_TRIED // 2} == set(runs[:-1])  # two certificates are tried together
    assert len(runs) > 2
    assert 0 == context.means.benches.calls
    assert context.solver_calls >= len(checkers)
    assert 0 < sum(not claim.open for claim in claims) < len(claims)


def test_hard_questions_stay_open() -> None:
    context = context_of(TEXT, Budget(20, 60.0))
    learn(context, 1)
    state = Neighbours(context)
    for claim in opened(context):
        assert 1 == len(tried(context, state, claim))
        assert {"p"} == claim.open


def test_engines_are_advised_by_what_was_learned(monkeypatch: pytest.MonkeyPatch) -> None:
    context = context_of(TEXT)
    lemmas = [lemma for certificate in learn(context, 3) for lemma in certificate.lemmas]
    advised = list[tuple[Term, ...]]()

    def prove(*args: object, goals: Sequence[str]) -> Outcome:
        *_, asking = args
        assert isinstance(asking, PortfolioOptions)
        advised.append(asking.advice)
        return Outcome(dict.fromkeys(goals, Unknown("not tried", 0)))

    monkeypatch.setattr(portfolio, "prove", prove)
    claim = opened(context)[0]
    assert [] == list(engines.ADVISED.propose(context, [claim]))
    monkeypatch.setattr(engines, "MOST_ADVICE", 2)
    assert [] == list(engines.ADVISED.propose(context, [claim]))
    assert [(*reversed(lemmas),), (*reversed(lemmas[1:]),)] == advised
