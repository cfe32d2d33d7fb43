"""Which evidence is still valid after an edit: that whose support is part of today's content.

This is the only rule of validity for kept evidence. The content of a variant is the constraints and
declarations of its system and, for evidence without a certificate, a digest of exactly what decides
the property. Executions have no support: they are replayed.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.records import Record
from mutproof.analyses.claims.variant import content, rests_on
from mutproof.base.digest import Digest
from mutproof.base.identity import ByIdentity
from mutproof.base.lazy import cached_property
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem

Proofs: TypeAlias = tuple[dict[str, Holds], frozenset[str]]
"""Proofs by property, and the names of the properties."""


class Standing:
    """Tell which kept proofs still stand on variants of one system."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._missing: dict[frozenset[Digest], frozenset[Digest]] = {}
        self._lost: dict[frozenset[ElementId], frozenset[Digest]] = {}
        self._whole: ByIdentity[tuple[Proofs, frozenset[Digest]] | None] = ByIdentity()

    @cached_property
    def _content(self) -> frozenset[Digest]:
        return content(self._system)  # often nothing is kept that could stand

    def proofs(self, claim: Claim, record: Record, stated: Mapping[str, Digest]) -> Proofs | None:
        """Return the proofs of a record if all of them are valid for a claim, else None.

        Many claims share their proofs, so most of this is found out once for all of them.
        """
        if claim.variant.system is not None or not record.holds:
            return None
        known = self._whole.of(lambda: _joined(record, stated), record.holds, record.stated)
        if known is None or self._left_out(claim.variant.removed, known[1]):
            return None
        return known[0]

    def stands(self, evidence: Holds | Fails, variant: Variant, name: str) -> bool:
        """Tell whether evidence about a property is valid for a variant without another check.

        Whether the properties say today what they said is for the caller to tell (`Holds.says`).
        """
        if isinstance(evidence, Holds) and evidence.certificate is not UNCERTIFIED:
            return self.has(variant, evidence.support)
        if not evidence.support:
            return False  # it rests on an execution alone
        return not evidence.support.isdisjoint(rests_on(self._system, variant, name))

    def has(self, variant: Variant, wanted: frozenset[Digest]) -> bool:
        """Tell whether a variant has all the wanted digests."""
        if variant.system is not None:
            return wanted <= content(variant.system)
        left_out = self._left_out(variant.removed, wanted)
        return not left_out or left_out <= {c.digest for c in variant.constraints}

    def _left_out(
        self, removed: frozenset[ElementId], wanted: frozenset[Digest]
    ) -> frozenset[Digest]:
        """Return the wanted digests that the system lacks once some elements are removed."""
        missing = self._missing.get(wanted)
        if missing is None:
            missing = self._missing[wanted] = wanted - self._content
        if removed not in self._lost:
            self._lost[removed] = frozenset(
                c.digest for owner in removed for c in self._system.by_owner.get(owner, ())
            )
        return missing | (self._lost[removed] & wanted)


def _joined(
    record: Record, stated: Mapping[str, Digest]
) -> tuple[Proofs, frozenset[Digest]] | None:
    """Return the proofs of a record and all they rest on; None if some do not say that today."""
    valid = dict(record.proofs(stated))
    every = valid.values()
    if len(valid) < len(record.holds) or any(one.certificate is UNCERTIFIED for one in every):
        return None
    return (valid, frozenset(valid)), frozenset().union(*(one.support for one in every))
