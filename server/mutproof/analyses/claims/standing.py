"""Which evidence is still valid after an edit: that whose support is part of today's content.

This is the only rule of validity for kept evidence. The content of a variant is the constraints and
declarations of its system and, for evidence without a certificate, a digest of exactly what decides
the property. Executions have no support: they are replayed.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import reduce
from operator import or_
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
        self._whole: ByIdentity[tuple[Proofs, int] | None] = ByIdentity()
        # Sets of digests as numbers, by the bits that digests got.
        self._bits: dict[Digest, int] = {}
        self._unknown = 0  # those that the system lacks
        self._stated_by: dict[frozenset[ElementId], int] = {}
        self._said: ByIdentity[tuple[frozenset[str], ByIdentity[int]]] = ByIdentity()

    @cached_property
    def _content(self) -> frozenset[Digest]:
        return content(self._system)  # often nothing is kept that could stand

    def proofs(self, claim: Claim, record: Record, stated: Mapping[str, Digest]) -> Proofs | None:
        """Return the proofs of a record if all of them are valid for a claim, else None.

        Many claims share their proofs, so most of this is found out once for all of them.
        """
        if claim.variant.system is not None or not record.holds:
            return None
        known = self._whole.of(lambda: self._joined(record, stated), record.holds, record.stated)
        if known is None or known[1] & (self._by(claim.variant.removed) | self._unknown):
            return None
        return known[0]

    def _joined(self, record: Record, stated: Mapping[str, Digest]) -> tuple[Proofs, int] | None:
        """Return the proofs of a record and all they rest on; None if some do not say that today.

        Records have most of their proofs in common.
        """
        holds = record.holds if isinstance(record.holds, dict) else dict(record.holds)
        said = record.stated, stated
        same, known = self._said.of(lambda: (record.saying(stated), ByIdentity()), *said)
        names = frozenset(holds)
        if not names <= same:
            return None
        masks = known.each(holds.values())
        resting = reduce(or_, filter(None, masks), 0)
        if resting & self._unknown:
            return None  # no variant can have one of them
        if None in masks:
            for evidence, mask in zip(holds.values(), masks, strict=True):
                if mask is None:
                    certified = evidence.certificate is not UNCERTIFIED
                    certified = certified and same.issuperset(evidence.certificate.goals)
                    own = self._mask(evidence.support) if certified else -1
                    known.put(own, evidence)
                    resting |= own
        return None if resting < 0 else ((holds, names), resting)

    def _by(self, removed: frozenset[ElementId]) -> int:
        """Return what some elements state."""
        if removed not in self._stated_by:
            stated = (c for owner in removed for c in self._system.by_owner.get(owner, ()))
            self._stated_by[removed] = self._mask(constraint.digest for constraint in stated)
        return self._stated_by[removed]

    def _mask(self, digests: Iterable[Digest]) -> int:
        mask, bits = 0, self._bits
        for one in digests:
            if one not in bits:
                bits[one] = 1 << len(bits)
                self._unknown |= 0 if one in self._content else bits[one]
            mask |= bits[one]
        return mask

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
