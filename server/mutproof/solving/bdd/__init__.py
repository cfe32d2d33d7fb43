"""Decide all properties of finite systems with binary decision diagrams."""

from __future__ import annotations

from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.dead_end import dead_end
from mutproof.solving.bdd.family import FamilyOutcome, check_family
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.recheck import agree, recheck
from mutproof.solving.bdd.verdict import (
    BddVerdict,
    Computed,
    Holding,
    Undecided,
    Vacuity,
    Violated,
)

__all__ = [
    "Alternative",
    "BddVerdict",
    "Computed",
    "FamilyOutcome",
    "Holding",
    "Undecided",
    "Vacuity",
    "Violated",
    "agree",
    "check",
    "check_family",
    "dead_end",
    "recheck",
]
