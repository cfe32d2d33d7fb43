"""All findings of one run, as a value that needs no solver to be looked at."""

from __future__ import annotations

from mutproof.analyses.finding import ModelFinding, MutantFinding, PropertyFinding, Statistics
from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class Report:
    """Hold all findings of a run in the order of the file."""

    properties: tuple[PropertyFinding, ...]
    mutants: tuple[MutantFinding, ...]
    statistics: Statistics
    model: tuple[ModelFinding, ...] = ()
