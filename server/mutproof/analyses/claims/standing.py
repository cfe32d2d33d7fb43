"""Which evidence is still valid after an edit: that whose support is part of today's content.

This is the only rule of validity for kept evidence. The content of a variant is the constraints and
declarations of its system and, for evidence without a certificate, a digest of exactly what decides
the property. Executions have no support: they are replayed.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.records import Record
from mutproof.analyses.claims.variant import content, rests_on
from mutproof.base.digest import Digest
from mutproof.base.identity import ByIdentity
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem


class Standing:
    """Tell which kept proofs still stand on variants of one system."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._content = content(system)
        self._missing: dict[frozenset[Digest], frozenset[Digest]] = {}
        self._lost: dict[frozenset[ElementId], frozenset[Digest]] = {}
        self._whole: ByIdentity[dict[frozenset[ElementId], dict[str, Holds] | None]] = ByIdentity()

    def proofs(
        self, claim: Claim, record: Record, stated: Mapping[str, Digest]
    ) -> dict[str, Holds] | None:
        """Return the proofs of a record if all of them are valid for a claim, else None.

        Most claims of an element share their proofs, so this is found out once for all of them.
        """
        if claim.variant.system is not None or not record.holds:
            return None
        known = self._whole.of(dict, record.holds, record.stated)
        removed = claim.variant.removed
        if removed not in known:
            valid = dict(record.proofs(stated))
            whole = len(valid) == len(record.holds) and not any(
                evidence.certificate is UNCERTIFIED or self._left_out(removed, evidence.support)
                for evidence in valid.values()
            )
            known[removed] = valid if whole else None
        return known[removed]

    def stands(self, evidence: Holds | Fails, variant: Variant, name: str) -> bool:
        """Tell whether evidence about a property is valid for a variant without another check.

        Whether the properties say today what they said is for the caller to tell (`Holds.says`).
        """
        if isinstance(evidence, Holds) and evidence.certificate is not UNCERTIFIED:
            return self.has(variant, evidence.support)
        exact = bool(evidence.support)  # else it rests on an execution alone
        return exact and evidence.support <= rests_on(self._system, variant, name)

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
