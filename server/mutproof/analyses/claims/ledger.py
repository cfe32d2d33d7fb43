"""The only store of evidence and verdicts about a model, for its later versions.

What it holds does not count as such. Evidence counts where it stands (`standing`): all that it
rests on is part of today's content, and its properties say what they said. All else is a candidate,
which the notary checks again.
"""

from __future__ import annotations

from dataclasses import field, fields
from typing import Any

from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.records import Records
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.claims.verdict import KnownSurvivors
from mutproof.base.record import dataclass


@dataclass
class Ledger:
    """Keep evidence about properties, mutants, systems without some elements, and survivors.

    `bounds` are those of indices. Mutable; owned by one worker.
    """

    proofs: ProofMemory = field(default_factory=ProofMemory)
    records: Records = field(default_factory=Records)
    cores: KnownReductions = field(default_factory=KnownReductions)
    survivors: KnownSurvivors = field(default_factory=dict)
    bounds: ProofMemory = field(default_factory=ProofMemory)

    def tables(self) -> tuple[dict[Any, Any], ...]:
        """Return all that is kept on disk beside the records of mutants; of survivors last."""
        proofs, records = self.proofs, self.records
        return (
            *(getattr(proofs, declared.name) for declared in fields(proofs)),
            *(records.obligations, records.dead_ends, self.cores, self.survivors),
        )

    def join(self, other: Ledger, *, newer: bool = False) -> None:
        """Add what another ledger holds beside this one, of the same program.

        Of mutants that both know it keeps what it has, unless the other one is `newer`.
        """
        for name, record in reversed([*other.records.newest()]):
            known = self.records.get(name)
            # A worker that passed a mutant on holds only a begun record, and may report last.
            if known is None or (newer if known.is_begun == record.is_begun else known.is_begun):
                self.records[name] = record
        if newer:
            self.survivors.update(other.survivors)
        for own, others in zip(self.tables(), other.tables(), strict=True):
            for key, value in others.items():
                own.setdefault(key, value)
