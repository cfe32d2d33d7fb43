"""Evidence about properties from earlier versions of a model, and executions suggested by edits.

Evidence that rests on today's content is valid; the rest are candidates for the notary.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Replayed
from mutproof.analyses.claims.claim import UNCHANGED
from mutproof.analyses.claims.edits import Suggestions
from mutproof.analyses.claims.evidence import UNCERTIFIED, Holds
from mutproof.analyses.claims.finding import Origin
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.claims.scope import core_of
from mutproof.analyses.claims.standing import Standing
from mutproof.analyses.claims.variant import stating
from mutproof.analyses.proving.property_verdicts import PropertyVerdicts
from mutproof.base.identity import ByIdentity
from mutproof.model import walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

Alone = Callable[[str, Certificate], "tuple[Certificate, frozenset[ElementId]] | None"]
"""Return the checked part of a proof that one property needs, with its core; None if none."""


class KeptProofs:
    """Decide properties by what earlier versions found out; mutable, used for one version."""

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        means: Means,
        memory: ProofMemory,
        *,
        verdicts: PropertyVerdicts,
    ) -> None:
        self._meaning = meaning
        self._system = system
        self._means = means
        self._memory = memory
        self._verdicts = verdicts
        self._standing = Standing(system)
        self._ran: ByIdentity[Replayed | None] = ByIdentity()

    def reuse(self, name: str) -> None:
        """Take over earlier evidence about a property, if it is still valid."""
        if certified := [*self._certified(name)]:
            # Find today's elements by their constraints: they may have been renamed, split or
            # merged.
            cores = [(stating(self._system, holds.support), holds) for holds in certified]
            core, holds = min(cores, key=lambda one: len(one[0]))
            self._verdicts.proved(name, holds, core, holds.how, origin=Origin.KEPT)
            return
        memory = self._memory
        if memory.terms.get(name) != self._system.property(name).digest:
            return
        if name in memory.proofs:
            holds, _ = memory.proofs[name]
            if self._counts(name, holds, memory.terms):
                core, witness = stating(self._system, holds.support), None
                if holds.certificate is UNCERTIFIED:
                    core = core_of(self._system, name, holds.support, holds.proof)
                    witness = memory.shown.get(name)
                self._verdicts.proved(
                    name, holds, core, holds.how, witness=witness, origin=Origin.KEPT
                )
        elif name in memory.failures:
            failure = memory.failures[name]
            if failure.support:
                if self._standing.stands(failure, UNCHANGED, name):
                    self._verdicts.shown_to_fail(
                        name, failure, memory.shown[name], origin=Origin.KEPT
                    )
                return
            replayed = self._means.notary.replay(self._meaning, failure.choices, failure.how)
            if replayed is not None and name in replayed.violated:
                self._verdicts.failed(name, replayed, origin=Origin.REPLAYED)

    def _certified(self, name: str) -> Iterator[Holds]:
        """Yield the kept proofs of a property that have certificates and are valid today."""
        for holds, stated in self._memory.earlier.get(name, ()):
            if self._counts(name, holds, stated):
                yield holds

    def _counts(self, name: str, holds: Holds, stated: Mapping[str, bytes]) -> bool:
        """Tell whether a proof is still valid and all its properties state the same as then."""
        says = holds.says(name, stated, self._system.said)
        return says and self._standing.stands(holds, UNCHANGED, name)

    def try_earlier(self, name: str, suggestions: Suggestions, alone: Alone) -> None:
        """Try earlier proofs of a property, or executions of the mutants that resemble the edit."""
        if self._system.property(name).kind is not PropertyKind.INVARIANT:
            return
        for choices in suggestions.executions.get(name, ()):
            replayed = self._suggested(choices)
            if replayed is not None and name in replayed.violated:
                self._verdicts.failed(name, replayed, self._verdicts.elapsed())
                return
        certificates = dict.fromkeys(suggestions.certificates.get(name, ()))
        for holds, _ in self._memory.earlier.get(name, ()):
            certificates[holds.certificate] = None  # proofs from fewer elements first
        if name in self._memory.proofs:
            certificates[self._memory.proofs[name][0].certificate] = None
        names = self._system.variables.keys()
        goals = {stated.name for stated in self._system.properties} if certificates else set()
        for certificate in certificates:
            self._means.check_cancelled()
            if (
                certificate is UNCERTIFIED
                or not goals.issuperset(certificate.goals)
                or not all(walk.variables(lemma) <= names for lemma in certificate.lemmas)
            ):
                continue
            found = alone(name, certificate)
            if found is not None:
                proved, core = found
                kept = self._means.notary.resting(
                    self._system, proved, core, "certificate", budget=self._means.budget
                )
                if kept is not None:
                    self._verdicts.proved(
                        name, kept, core, "certificate", seconds=self._verdicts.elapsed()
                    )
                    return

    def _suggested(self, choices: Choices) -> Replayed | None:
        """Replay suggested choices, once for all properties; None if they are no execution."""
        return self._ran.of(
            lambda: self._means.notary.replay(self._meaning, choices, "replay"), choices
        )
