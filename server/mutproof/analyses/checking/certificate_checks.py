"""Check certificates in fresh solvers, and remember which of them passed on which systems."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field

from mutproof.base.budget import Budget
from mutproof.base.identity import ByIdentity
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.solving.certify import Checked
from mutproof.solving.increments import Increments
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop


@dataclass(slots=True)
class CertificateChecks:
    """Check certificates of one model and its variants; mutable, one thread."""

    _passed: dict[Certificate, list[tuple[TransitionSystem, frozenset[ElementId] | None]]] = field(
        default_factory=dict
    )
    _increments: Increments | None = None  # those of the system checked last
    _parts: ByIdentity[bool] = field(default_factory=ByIdentity)

    def check(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        budget: Budget | None,
        *,
        owners: frozenset[ElementId] | None,
        workshop: Workshop | None,
    ) -> Checked:
        """Tell whether a certificate proves its goals of a system, or of its `owners` alone."""
        known = self._increments
        if known is None or known.system is not system:
            known = self._increments = Increments(system)
        found = known.check(certificate, budget, owners=owners, workshop=workshop)
        if found.ok:
            self._passed.setdefault(certificate, []).append((system, owners))
        return found

    def has_passed(
        self,
        system: TransitionSystem,
        certificate: Certificate,
        owners: frozenset[ElementId] | None,
    ) -> bool:
        """Tell whether a certificate passed on the system or a part that has no other owners."""
        for part, known in self._passed.get(certificate, ()):
            if not self._is_part(part, system, certificate.goals):
                continue
            used = frozenset(o for o in part.by_owner if o is not None) if known is None else known
            if owners is None or used <= owners:
                return True
        return False

    def _is_part(
        self, part: TransitionSystem, system: TransitionSystem, goals: Sequence[str]
    ) -> bool:
        """Tell whether a system has all variables and constraints of a part, and the same goals."""
        if part is system:
            return True
        inside = self._parts.of(
            lambda: (
                part.variables.items() <= system.variables.items()
                and frozenset(part.constraints) <= frozenset(system.constraints)
            ),
            part,
            system,
        )
        return inside and all(part.property(n).term is system.property(n).term for n in goals)
