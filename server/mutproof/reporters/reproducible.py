"""Findings without what the clock and the number of workers have a say in.

Mutants are decided in company: an execution that kills one is replayed on others, and a
certificate that is found for one is tried on others. So who is decided by what, and after how many
steps of a proof, is another thing on another number of machines or processors. What is decided is
not, and is all that stays.
"""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.claims.finding import MutantFinding
from mutproof.workspace.findings import Report


def reproducible(report: Report) -> Report:
    """Return a report whose bytes are those of every run for the same text and options."""
    return replace(
        report,
        properties=tuple(replace(found, seconds=0.0) for found in report.properties),
        mutants=tuple(map(_mutant, report.mutants)),
        statistics=replace(report.statistics, seconds=0.0),
    )


def _mutant(found: MutantFinding) -> MutantFinding:
    known = found.equivalence
    known = None if known is None else replace(known, seconds=0.0)
    return replace(found, how="", k=None, seconds=0.0, equivalence=known)
