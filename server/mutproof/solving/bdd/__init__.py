"""Decide all properties of finite systems with binary decision diagrams."""

from __future__ import annotations

from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.family import FamilyOutcome, check_family
from mutproof.solving.bdd.merge import Alternative
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
    "check",
    "check_family",
]
