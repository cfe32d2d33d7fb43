"""Verdicts on survivors that are kept between versions of a file; nothing here decides."""

from __future__ import annotations

from dataclasses import field

from mutproof.analyses.equivalence.verdict import Verdict
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass


@dataclass(frozen=True, slots=True)
class KeptVerdict:
    """Hold a verdict with digests of the question: the whole of it, and what a proof rests on."""

    verdict: Verdict
    whole: Digest
    part: Digest | None = None


@dataclass
class KnownSurvivors:
    """Keep verdicts by mutant between versions of a file; mutable."""

    kept: dict[str, KeptVerdict] = field(default_factory=dict)
