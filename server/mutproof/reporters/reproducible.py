"""Findings without the parts that depend on the clock and the number of workers.

Mutants are decided together: an execution that kills one is replayed on others, and a certificate
found for one is tried on others. So how a mutant is decided, and the depth of its proof, depend on
the number of machines or processors. The verdicts do not, and only they are kept.
"""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.claims.finding import MutantFinding, Origin
from mutproof.workspace.findings import Report


def reproducible(report: Report) -> Report:
    """Return a report whose bytes are those of every run for the same text and options."""
    return replace(
        report,
        properties=tuple(
            replace(found, seconds=0.0, origin=Origin.DECIDED) for found in report.properties
        ),
        mutants=tuple(map(_mutant, report.mutants)),
        statistics=replace(report.statistics, seconds=0.0),
    )


def _mutant(found: MutantFinding) -> MutantFinding:
    known = found.equivalence
    known = None if known is None else replace(known, seconds=0.0)
    return replace(found, how="", k=None, seconds=0.0, equivalence=known)
