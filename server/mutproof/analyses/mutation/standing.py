"""What still stands after an edit: proofs whose grounds today's mutants have."""

from __future__ import annotations

from mutproof.analyses.variant import Case, content
from mutproof.base.digest import Digest
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem


class Standing:
    """Tell what a proof rests on from what a variant of one system still has of it."""

    def __init__(self, system: TransitionSystem) -> None:
        self._system = system
        self._content = content(system)
        self._missing: dict[frozenset[Digest], frozenset[Digest]] = {}
        self._lost: dict[frozenset[ElementId], frozenset[Digest]] = {}

    def has(self, case: Case, wanted: frozenset[Digest]) -> bool:
        """Tell whether a case has all that is wanted."""
        variant = case.variant
        if variant.system is not None:
            return wanted <= content(variant.system)
        missing = self._missing.get(wanted)
        if missing is None:
            missing = self._missing[wanted] = wanted - self._content
        removed = variant.removed
        if removed not in self._lost:
            self._lost[removed] = frozenset(
                c.digest for owner in removed for c in self._system.by_owner.get(owner, ())
            )
        left_out = missing | (self._lost[removed] & wanted)
        return not left_out or left_out <= {c.digest for c in variant.constraints}
