"""Mutants that no proof is concerned with: decided as they arrive, and with little."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from typing import Any

import pytest
from hypothesis import given

from mutproof.analyses.checking.audit import Audit, Violation
from mutproof.analyses.checking.baseline import HOW, Baseline, Inherited
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.claims.lending import Lending
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Records
from mutproof.analyses.deciding.findings import ENOUGH
from mutproof.analyses.deciding.ladder import Ladder
from mutproof.analyses.proving import proofs as proving
from mutproof.analyses.strategies import STRATEGIES
from mutproof.model.interpretation import interpretation
from mutproof.model.program import ElementId
from mutproof.model.system import ConstraintKind
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.solving.verdict import Certificate
from mutproof.workspace.analysis import Memory
from mutproof.workspace.enumeration import enumerate_mutants
from support import nusmv_mutants
from support.forged import forged
from support.lustre_models import Model, accepted, models
from support.lustre_mutants import BUDGET, options, program_of, report
from support.profiles import profile

TWO = """node top(a, b: bool) returns (x, y: bool);
var p: bool;
let
  x = a and (b or a);
  y = a or (pre b and b);
  p = x => a;
  --%PROPERTY p;
tel;
"""


def baseline_of(text: str) -> tuple[Baseline, Means]:
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    meaning = interpretation(program_of(accepted(text)))
    system = meaning.system()
    proofs = proving.prove(meaning, system, ProofMemory(), means, emit=lambda _: None)
    means.spacer.close()
    return Baseline(meaning, system, proofs.holds, proofs.cores), means


def run(text: str) -> tuple[Ladder, list[MutantFinding]]:
    """Decide the mutants of a text that nothing is known of."""
    baseline, means = baseline_of(text)
    found: list[MutantFinding] = []
    mutants = enumerate_mutants(accepted(text), options("all"))
    rungs = STRATEGIES["default"].rungs
    ladder = Ladder(rungs, baseline, mutants, Records(), means=means, emit=found.append)
    ladder.run()
    return ladder, found


def test_a_mutant_that_no_proof_rests_on_is_never_lowered() -> None:
    ladder, found = run(TWO)

    by_core = {finding.mutant for finding in found if finding.how == HOW}
    mutants = ladder.mutants
    of_y = {name for name, mutant in mutants.by_name.items() if mutant.element.name == "y"}
    assert of_y
    assert of_y <= by_core
    assert of_y == {name for name, claim in mutants.claims.items() if claim.variant.stated is None}


def test_constraints_that_were_not_made_are_not_taken_for_none() -> None:
    with pytest.raises(ValueError, match="m was not lowered"):
        Variant("m", frozenset(), None).constraints  # noqa: B018


def test_the_system_of_a_mutant_that_was_not_lowered_has_its_memories() -> None:
    ladder, _ = run(TWO)

    for name, claim in ladder.mutants.claims.items():
        system = ladder.mutants.applied(claim)
        defined = {c.defines for c in system.constraints if c.kind is ConstraintKind.TRANS}
        read = {read for names in system.reads for read in names}
        assert read <= system.variables.keys(), name
        assert {read for read in read if read.endswith("@pre")} <= defined, name


def named(*names: str) -> frozenset[ElementId]:
    return frozenset(ElementId("top", "equation", name) for name in names)


def test_mutants_share_the_proofs_that_do_not_rest_on_their_element() -> None:
    proofs = {n: forged(Holds, Certificate(1, (), (n,)), frozenset(), "bmc") for n in ("p", "q")}
    meaning = interpretation(program_of(accepted(TWO)))
    cores = {"p": named("x"), "q": named("x", "y")}
    goals = frozenset(proofs)
    inherited = Inherited(Baseline(meaning, meaning.system(), proofs, cores), goals)

    assert [set(), {"p"}, {"p", "q"}, set()] == [
        set(inherited.outside(changed)[1])
        for changed in (named("x"), named("y"), named("z"), named("x", "z"))
    ]
    assert inherited.outside(named("z"))[0] is inherited.outside(named("u", "v"))[0]
    assert inherited.outside(named("z"))[1] is goals
    claims = [Claim(Variant(name, named(name)), goals) for name in ("x", "y", "z")]
    assert 2 == inherited.concerned(claims)


def test_proofs_that_cases_share_are_not_changed_by_one_of_them() -> None:
    proofs = {n: forged(Holds, Certificate(1, (), (n,)), frozenset(), "core") for n in ("p", "q")}
    own = forged(Holds, Certificate(1, (), ("r",)), frozenset(), "bmc")
    one, other = (Claim(Variant(name, frozenset()), frozenset("pqr")) for name in ("one", "other"))
    for claim in (one, other):
        claim.settle(proofs, frozenset(proofs))
        assert {"r"} == set(claim.open)

    one.prove(("r",), own)

    assert {"p", "q"} == proofs.keys() == other.holds.keys()
    assert {**proofs, "r": own} == one.holds
    assert not one.open


@profile(8)
@given(models(size=4))
def test_where_nothing_changed_survivors_are_kept_as_they_are(model: Model) -> None:
    found, memory = accepted(model.text), Memory()
    first = {finding.mutant: finding for finding in report(found, memory=memory).mutants}

    for finding in report(found, memory=memory).mutants:
        before = first[finding.mutant]
        assert before.status is finding.status
        assert before.killed_by == finding.killed_by
        if finding.status is MutantStatus.SURVIVED and finding.how == HOW:
            assert Origin.KEPT is finding.origin


APART = """MODULE main
VAR
  x : 0..3; y : 0..3; z : 0..7;
DEFINE
  far := z > 5;
ASSIGN
  init(x) := 0; init(y) := 0; init(z) := 0;
  next(x) := case x < 2 : x + 1; TRUE : 0; esac;
  next(y) := case far : 3; y > 0 : y - 1; TRUE : 2; esac;
  next(z) := case far : 0; TRUE : z + 1; esac;
INVARSPEC x < 3
"""


def relational_ladder(
    emit: Callable[[MutantFinding], None], asked: Callable[[], bool], lent: list[str]
) -> Ladder:
    """Return what decides the mutants of two parts, of which one has a property."""
    found = nusmv_mutants.accepted(APART)
    lending = Lending(asked, lent.extend)
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None, lending=lending)
    meaning = interpretation(program_of(found))
    system = meaning.system()
    proofs = proving.prove(meaning, system, ProofMemory(), means, emit=lambda _: None)
    means.spacer.close()
    baseline = Baseline(meaning, system, proofs.holds, proofs.cores, lasts=True)
    mutants = enumerate_mutants(found, options("all"))
    rungs = STRATEGIES["default"].rungs
    return Ladder(rungs, baseline, mutants, Records(), means=means, emit=emit)


def test_relational_mutants_that_no_proof_rests_on_are_told_before_others_arrive(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: dict[str, tuple[MutantStatus, int]] = {}
    begun: list[Ladder] = []

    def emit(finding: MutantFinding) -> None:
        found.setdefault(finding.mutant, (finding.status, len(begun[0].mutants.arrived)))

    begun.append(relational_ladder(emit, lambda: False, []))
    begun[0].run()
    at_once = {name: status for name, (status, _) in found.items()}
    found.clear()
    monkeypatch.setattr("mutproof.analyses.deciding.portions.AT_ONCE", 8)
    begun[0] = relational_ladder(emit, lambda: False, [])
    begun[0].run()
    names = begun[0].mutants.by_name
    apart = {name for name, mutant in names.items() if mutant.element.name != "x"}
    told_by = {name: arrived for name, (_, arrived) in found.items()}

    assert at_once == {name: status for name, (status, _) in found.items()}
    assert MutantStatus.KILLED in at_once.values()
    assert max(told_by[name] for name in apart) <= len(apart) < len(names)
    assert [*range(1, len(apart) + 1)] == sorted(told_by[name] for name in apart)


def test_what_has_not_arrived_is_handed_over_first(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("mutproof.analyses.deciding.portions.AT_ONCE", 8)
    found: dict[str, MutantFinding] = {}
    lent: list[str] = []
    emit = lambda finding: found.update({finding.mutant: finding})  # noqa: E731
    ladder = relational_ladder(emit, lambda: not lent, lent)
    ladder.run()

    assert lent
    assert found.keys() == ladder.mutants.by_name.keys() - {*lent}
    assert ladder.mutants.arrived.keys() == found.keys()


def test_some_mutants_of_an_element_that_no_proof_rests_on_are_audited_for_all(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    found: dict[str, MutantFinding] = {}
    audited: list[str] = []
    of_mutant = Audit.of_mutant

    def noted(self: Audit, mutant: str, *known: Any, **ways: Any) -> Violation | None:
        audited.append(mutant)
        return of_mutant(self, mutant, *known, **ways)

    monkeypatch.setattr(Audit, "of_mutant", noted)
    ladder = relational_ladder(lambda told: found.update({told.mutant: told}), lambda: False, [])
    ladder.run()
    elements = {name: mutant.element for name, mutant in ladder.mutants.by_name.items()}
    survivors = Counter(
        elements[name]
        for name, told in found.items()
        if told.status is MutantStatus.SURVIVED and elements[name].name != "x"
    )

    assert max(survivors.values()) > ENOUGH
    assert {element: min(number, ENOUGH) for element, number in survivors.items()} == Counter(
        elements[name] for name in audited if elements[name].name != "x"
    )
