"""Verdicts on mutants agree with JKind's mutation fork; each difference is explained.

README.md says why: the reference has known defects. A difference is accepted only if our
verdict is checked again here by something that took no part in it.
"""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model.evaluator import Evaluator
from mutproof.model.language import Elaborated
from mutproof.model.lower import Lowering
from mutproof.solving.certify import Checked, certify
from mutproof.workspace.analysis import Memory
from support import lustre_corpus
from support.lustre_corpus import by_place, expected, ours, read
from support.lustre_mutants import bodies, program_of, report, variant

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = (
    "jkind/gauss.lus",
    "jkind/requires_lemma.lus",
    "mutate/stalmark.lus",
    "jkind/simple2.lus",
    "jkind/pre.lus",
    "jkind/variety.lus",
    "mutate/_6counters_e8_371_e3_224.lus",
    "mutate/speed2.lus",
    "mutate/hysteresis_1.lus",
    "mutate/SYNAPSE_1.lus",
)
CHECKED = 12
"""How many differences of each kind are checked again, in one file."""


class Checker:
    """Check our verdicts on the mutants of one file again."""

    def __init__(self, found: Elaborated, memory: Memory) -> None:
        self.program = program_of(found)
        self.memory = memory
        self.lowering = Lowering(self.program)
        self.system = self.lowering.system()
        self.evaluator = Evaluator(self.program)

    def killed(self, mutant: Mutant, finding: MutantFinding) -> None:
        assert finding.killed_by
        for name, failure in self.memory.records[mutant.id].fails.items():
            execution = self.evaluator.run(failure.choices, bodies(self.program, mutant))
            assert execution.assumed
            assert failure.step == execution.violated[name]

    def survived(self, mutant: Mutant, names: set[str]) -> None:
        extended, changed = variant(self.lowering, self.system, mutant)
        mutated = applied(extended, changed)
        record = self.memory.records[mutant.id]
        assert names <= set(record.holds)
        for holds in {id(h): h for h in record.holds.values()}.values():
            assert Checked(True) == certify(mutated, holds.certificate)


def check_file(corpus: Path, name: str, reference: list[dict[str, Any]]) -> Counter[str]:
    """Compare one file; return how often verdicts agree and how often each way they differ."""
    found = read(corpus, name)
    memory = Memory()
    outcome = report(found, lustre_corpus.options(cores=False), memory)
    proved = {p.name for p in outcome.properties if p.verdict.value == "proved"}
    findings = {finding.mutant: finding for finding in outcome.mutants}
    mutants = by_place(found)
    checker = Checker(found, memory)
    counted: Counter[str] = Counter()
    for one in reference:
        mutant = ours(mutants, one)
        if mutant is None or mutant.id not in findings:
            counted["not ours"] += 1
            continue
        finding = findings[mutant.id]
        theirs, status = one["verdict"], finding.status
        if MutantStatus.UNKNOWN is status or theirs == "unknown":
            counted["open"] += 1
            continue
        if theirs == status.value:
            counted["same"] += 1
            if status is MutantStatus.KILLED:
                extra = set(one["by"]) & proved - set(finding.killed_by)
                counted["killers"] += bool(extra)
                if extra:
                    checker.survived(mutant, extra)
            continue
        way = f"{theirs}, ours {status.value}"
        counted[way] += 1
        if counted[way] > CHECKED:
            continue
        match status:
            case MutantStatus.KILLED:
                checker.killed(mutant, finding)
            case MutantStatus.SURVIVED:
                checker.survived(mutant, proved)
            case _:
                assert MutantStatus.STILLBORN is status
                assert (
                    "assertions" in finding.reason
                    or "itself" in finding.reason
                    or ("range" in finding.reason)
                )
    return counted


def test_verdicts_agree_with_the_reference_or_are_checked_again(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples below stand in for it
    reference = {k: v["mutate"]["mutants"] for k, v in expected(corpus).items() if "mutate" in v}
    chosen = reference if os.environ.get("MUTPROOF_CORPUS_FULL") else SMALL
    counted: Counter[str] = Counter()
    for name in chosen:
        counted += check_file(corpus, name, reference[name])
    compared = sum(n for way, n in counted.items() if way not in {"not ours", "killers"})
    print(dict(counted))
    assert counted["open"] <= 0.02 * compared
    assert counted["same"] >= 0.85 * compared


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus"])
def test_every_verdict_on_an_example_can_be_checked_again(name: str) -> None:
    from support.lustre_models import accepted

    found = accepted((EXAMPLES / name).read_text("utf-8"))
    memory = Memory()
    outcome = report(found, lustre_corpus.options(cores=False), memory)
    proved = {p.name for p in outcome.properties if p.verdict.value == "proved"}
    checker = Checker(found, memory)
    mutants = {mutant.id: mutant for mutant in by_place(found).values()}
    for finding in outcome.mutants:
        if finding.mutant in mutants:
            mutant = mutants[finding.mutant]
            if finding.status is MutantStatus.KILLED:
                checker.killed(mutant, finding)
            else:
                assert MutantStatus.SURVIVED is finding.status
                checker.survived(mutant, proved)
