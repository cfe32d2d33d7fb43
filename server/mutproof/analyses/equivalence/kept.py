"""Verdicts on survivors that are kept between versions of a file; nothing here decides."""

from __future__ import annotations

from typing import TypeAlias

from mutproof.analyses.claims.equivalence import Fingerprint
from mutproof.analyses.claims.verdict import Verdict
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class KeptVerdict:
    """Hold a verdict with digests of the question: the whole of it, and what a proof rests on.

    The `fingerprint` of a gap is one for the whole question.
    """

    verdict: Verdict
    whole: Digest
    part: Digest | None = None
    fingerprint: Fingerprint | None = None


KnownSurvivors: TypeAlias = dict[str, KeptVerdict]
"""Verdicts by mutant, kept between versions of a file."""
