"""Evidence that no check has made, to see that it is not believed."""

from __future__ import annotations

from typing import Any, TypeVar

from mutproof.analyses.claims.evidence import Evidence

EvidenceT = TypeVar("EvidenceT", bound=Evidence)


def forged(kind: type[EvidenceT], *arguments: Any, **fields: Any) -> EvidenceT:
    """Return evidence of that kind with the given fields."""
    made = object.__new__(kind)
    kind.__init__(made, *arguments, **fields)
    return made
