"""Decide all properties of finite systems with binary decision diagrams."""

from __future__ import annotations

from mutproof.solving.bdd.check import check
from mutproof.solving.bdd.verdict import (
    BddVerdict,
    Computed,
    Holding,
    Undecided,
    Vacuity,
    Violated,
)

__all__ = ["BddVerdict", "Computed", "Holding", "Undecided", "Vacuity", "Violated", "check"]
