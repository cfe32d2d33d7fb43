"""What is kept of the properties of a model for its later versions."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import ModelFinding
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace

MOST_EARLIER = 4
"""How many earlier proofs of a property are kept, in case an edit is undone."""


@dataclass
class ProofMemory:
    """Keep proofs and counterexamples by property name between versions; mutable."""

    proofs: dict[str, tuple[Holds, frozenset[ElementId]]] = field(default_factory=dict)
    earlier: dict[str, tuple[tuple[Holds, Mapping[str, bytes]], ...]] = field(default_factory=dict)
    """Proofs with certificates, the newest first, each with what its properties stated."""
    failures: dict[str, Fails] = field(default_factory=dict)
    shown: dict[str, Trace | None] = field(default_factory=dict)  # counterexamples of diagrams
    terms: dict[str, bytes] = field(default_factory=dict)  # digests of the properties proved
    faults: dict[Digest, tuple[ModelFinding, ...]] = field(default_factory=dict)  # by system
    loops: dict[Digest, tuple[ModelFinding, ...]] = field(default_factory=dict)  # by system
    traps: dict[Digest, tuple[ModelFinding, ...]] = field(default_factory=dict)  # by program
    fulfilling: dict[int, Choices] = field(default_factory=dict)  # executions by length
    idle: dict[Digest, bool] = field(default_factory=dict)  # whether a premise never holds
    idle_on: dict[Digest, frozenset[Digest]] = field(default_factory=dict)  # support of that proof
    asking: dict[str, Choices] = field(default_factory=dict)  # executions where a premise holds

    def keep(self, proofs: Mapping[str, Holds], system: TransitionSystem) -> None:
        """Keep proofs of properties of a system beside others, where they have certificates."""
        for name, holds in proofs.items():
            if holds.certificate is not UNCERTIFIED:
                goals = (name, *holds.certificate.goals)
                stated = {goal: system.property(goal).digest for goal in goals}
                others = [one for one in self.earlier.get(name, ()) if one[0] != holds]
                self.earlier[name] = ((holds, stated), *others[: MOST_EARLIER - 1])
