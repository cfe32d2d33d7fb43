"""Digests that identify questions about survivors by all that they depend on."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.observation import Observation
from mutproof.analyses.claims.variant import changes
from mutproof.analyses.equivalence.product import GOAL, Product
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term


class SurvivorQuestions:
    """Identify questions about mutants of one system by digests of all that they depend on.

    `invariants` are what is proved of the model.
    """

    def __init__(
        self,
        system: TransitionSystem,
        proofs: Mapping[str, Holds],
        observation: Observation,
        budget: Budget,
    ) -> None:
        self._system = system
        self.invariants = _invariants(system, proofs)
        digests = (term.digest for term in self.invariants)
        self._limits = digest_parts(repr(budget), repr(observation), *digests)

    def whole(self, variant: Variant) -> Digest:
        """Return a digest of everything that an attempt depends on."""
        return digest_parts(self._system.digest, self._limits, *changes(self._system, variant))

    def part(self, whole: Product) -> Digest:
        """Return a digest of what a proof rests on.

        Assertions about other variables count: where they end all executions, nothing differs.
        """
        slicer = slicing.Slicer(whole.system)
        part = slicer.cone((GOAL,))
        kept, constraints = frozenset(part.constraints), whole.system.constraints
        deciding = (constraints[index] for index in sorted(slicer.deciding((whole.goal,))))
        others = (one.digest for one in deciding if one not in kept)
        return digest_parts(part.digest, self._limits, *others)


def _invariants(system: TransitionSystem, proofs: Mapping[str, Holds]) -> tuple[Term, ...]:
    """Return the proved properties, which hold on survivors too, and lemmas of their proofs."""
    found = [system.property(name).term for name in proofs]
    found += [lemma for holds in proofs.values() for lemma in holds.certificate.lemmas]
    return tuple(dict.fromkeys(found))
