"""What is known of properties on systems without some elements."""

from __future__ import annotations

from typing import TypeAlias

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId

ReductionQuestion: TypeAlias = tuple[str, str, frozenset[ElementId]]
"""A property, one of the kinds below, and the elements that this is said of."""


@dataclass(frozen=True, slots=True)
class OpenReduction:
    """Say that an attempt on a reduced system decided nothing, and would not if repeated."""

    system: Digest  # of the constraints that decide the property, with their elements
    budget: Budget


KEPT, REMOVED, TRIED, REFINED = "kept", "removed", "tried", "refined"
"""What a question says of its elements: only they are kept, only they are removed, or removing them
was tried in vain without engines; the last is about the property, without elements."""

KnownReductions: TypeAlias = dict[tuple[ReductionQuestion, Digest], Holds | Fails | OpenReduction]
"""What is known of properties on reduced systems, kept between versions of a file.

The digest is of what the property says: its name can stay when that changes.
"""
