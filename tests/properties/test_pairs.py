"""Verdicts on pairs of mutants are those on the text with both edits, and of a search."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import IDLE, MutantFinding, MutantStatus, PropertyVerdict
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.pairs import pair
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import has_errors
from mutproof.languages.nusmv.syntax import SpecificationKind
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support import tree_nusmv
from support.explicit_product import apart
from support.lustre_finite import finite_text
from support.lustre_interpreter import Truth, truth
from support.lustre_models import elaborated as read_lustre
from support.lustre_models import random_model
from support.nusmv_difference import replayed, verdicts
from support.nusmv_mutants import elaborated as read_nusmv
from support.nusmv_random import random_text
from support.pairs import deciding, pair_texts, some_pairs
from support.profiles import profile
from support.reading import analysed
from support.tree_nusmv import TooLargeError
from support.tree_nusmv_values import UndefinedError

OPTIONS = Options(
    level="all",
    cores=False,
    budget=Budget(rlimit=3_000_000, timeout_s=20.0),
    equivalence="outputs",
)
PAIRS = 8

counted: Counter[str] = Counter()


def proved_by(found: Report) -> set[str]:
    """Return the properties that take part."""
    return {finding.name for finding in found.properties if finding.takes_part}


def check_as_text(finding: MutantFinding, text: Elaborated, proved: set[str]) -> None:
    """Compare a verdict with what `prove` finds of the text with both edits."""
    if text.program is None or has_errors(text.diagnostics):
        assert finding.status is MutantStatus.STILLBORN
        return
    again = {p.name: p.verdict for p in analysed(text, replace(OPTIONS, mutate=False)).properties}
    for name in proved & again.keys() if finding.status is not MutantStatus.STILLBORN else ():
        known = again[name]
        if name in finding.killed_by:
            assert known in {PropertyVerdict.FALSIFIED, PropertyVerdict.UNKNOWN}, name
        elif name not in finding.undecided:
            assert known in {PropertyVerdict.PROVED, PropertyVerdict.UNKNOWN}, name


def check_lustre(finding: MutantFinding, seen: Truth, whole: Truth, proved: set[str]) -> None:
    """Compare a verdict with what a search through all states saw of the pair and of the model."""
    kills = set(seen.violated) & proved
    if kills:
        assert finding.status is MutantStatus.KILLED
        assert kills <= set(finding.killed_by) | set(finding.undecided)
    if not seen.exact:
        return
    assert set(finding.killed_by) <= kills
    if not kills and seen.longest < 3 <= whole.longest:
        # It takes a solver to see that no execution goes on, and all holds of those that do.
        assert finding.status in {MutantStatus.STILLBORN, MutantStatus.SURVIVED}
    elif not kills:
        assert finding.status in {MutantStatus.SURVIVED, MutantStatus.UNKNOWN}
    for name, step in finding.steps.items():
        assert seen.violated[name] <= step


def check_equivalence(finding: MutantFinding, program: Program, bodies: object) -> None:
    known = finding.equivalence
    if known is None or known.status is EquivalenceStatus.UNDETERMINED:
        return
    seen = apart(program, bodies, everything=known.observation != "outputs")  # type: ignore[arg-type]
    counted[known.status.value] += 1
    if known.status is EquivalenceStatus.EQUIVALENT:
        assert seen.step is None
    else:
        assert not (seen.exact and seen.step is None)


def check_lustre_pairs(text: str, source: random.Random) -> None:
    found = read_lustre(text)
    program = found.program
    assert program is not None
    whole = truth(program)
    if not whole.exact or whole.longest < 3:
        return
    pairs = some_pairs(found, OPTIONS, source, PAIRS)
    options = deciding(OPTIONS, pairs)
    if not pairs:
        return
    outcome = analysed(found, options)
    proved, texts = proved_by(outcome), pair_texts(found, options)
    assert {one.id for one in pairs} == {*texts}
    by_id = {one.id: one for one in pairs}
    for finding in outcome.mutants:
        both = by_id[finding.mutant]
        counted[finding.status.value] += 1
        assert not finding.is_withdrawn
        removes = any(part.replacement is None for part in both.parts)
        if not removes:  # a text without an equation is none that Lustre accepts
            check_as_text(finding, read_lustre(texts[finding.mutant]), proved)
        if finding.status is MutantStatus.STILLBORN:
            continue
        bodies = mutated_bodies(program, both)
        seen = truth(program, bodies)
        check_lustre(finding, seen, whole, proved)
        check_equivalence(finding, program, bodies)


@profile(25)
@given(st.randoms(use_true_random=False))
def test_pairs_in_random_lustre_models_are_decided_as_their_texts(source: random.Random) -> None:
    check_lustre_pairs(random_model(source, finite=True, size=3).text, source)


@pytest.mark.parametrize("seed", range(30))
def test_pairs_in_nodes_with_few_states_are_decided_as_their_texts(seed: int) -> None:
    source = random.Random(f"pairs {seed}")
    check_lustre_pairs(finite_text(source), source)


def test_most_pairs_are_decided() -> None:
    for seed in range(12):
        source = random.Random(f"decided {seed}")
        check_lustre_pairs(finite_text(source), source)
    for seed in range(100):
        if min(counted["killed"], counted["survived"]) > 20:
            break  # other tests in this process have decided some
        source = random.Random(f"random {seed}")
        check_lustre_pairs(random_model(source, finite=True, size=3).text, source)

    assert counted["killed"] > 20, counted
    assert counted["survived"] > 20, counted
    assert counted["equivalent"] > 2, counted
    assert counted["unknown"] <= 1 + 0.05 * sum(counted.values()), counted


@pytest.mark.parametrize("seed", range(40))
def test_pairs_in_random_nusmv_models_are_decided_as_their_texts(seed: int) -> None:
    source = random.Random(f"nusmv pairs {seed}")
    text = random_text(source)
    found = read_nusmv(text)
    model = tree_nusmv.read(text)
    try:
        verdicts(model)
    except TooLargeError:
        return
    pairs = some_pairs(found, OPTIONS, source, PAIRS)
    if not pairs:
        return
    options = replace(deciding(OPTIONS, pairs), equivalence="")
    outcome = analysed(found, options)
    texts = pair_texts(found, options)
    assert {one.id for one in pairs} == {*texts}
    numbers = {finding.name: number for number, finding in enumerate(outcome.properties)}
    # Invariants that hold since no path is fair take part, too.
    proved = {
        finding.name
        for finding, stated in zip(outcome.properties, model.properties, strict=True)
        if finding.verdict is PropertyVerdict.PROVED
        and (finding.vacuity in {"", IDLE} or stated.kind is SpecificationKind.INVARIANT)
    }
    for finding in outcome.mutants:
        changed = texts[finding.mutant]
        assert not finding.is_withdrawn
        check_as_text(finding, read_nusmv(changed), proved)
        if finding.status not in {MutantStatus.KILLED, MutantStatus.SURVIVED}:
            continue
        try:
            mutant = tree_nusmv.read(changed)
            failing = [number for number, holds in enumerate(verdicts(mutant)) if not holds]
        except TooLargeError:
            continue
        except UndefinedError:
            pytest.fail(f"NuSMV rejects\n{changed}")
        killers = {numbers[name] for name in finding.killed_by}
        open_ = {numbers[name] for name in finding.undecided}
        needed = {number for number in failing if number in {numbers[name] for name in proved}}
        assert needed | open_ == killers | open_, (finding, changed)
        if finding.trace is not None:
            assert [] == list(replayed(mutant, finding.trace, sorted(killers)))


ROUND = """\
node main(x: bool) returns (a, b, ok: bool);
let
  a = true -> pre b;
  b = true -> pre a;
  ok = a and b;
  --%PROPERTY ok;
tel;
"""


def test_two_changes_that_are_circular_together_only_are_no_model() -> None:
    found = read_lustre(ROUND)
    dropped = [m for m in enumerate_mutants(found, OPTIONS) if m.operator == "drop_pre"]
    single = {finding.mutant: finding.status for finding in analysed(found, OPTIONS).mutants}
    (both,) = analysed(found, deciding(OPTIONS, [pair(*dropped)])).mutants

    assert MutantStatus.STILLBORN not in {single[mutant.id] for mutant in dropped}
    assert both.status is MutantStatus.STILLBORN
