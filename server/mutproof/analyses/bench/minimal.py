"""Proofs with less in them: fewer lemmas, and fewer elements that they rest on.

Source: inductive validity cores, Ghassabani, Gacek and Whalen, FSE 2016, with a fixed invariant.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.analyses.bench.group import Side
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.bench.questions import Questions
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.terms import Term
from mutproof.solving import certify
from mutproof.solving.solver import Answer, Effort
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop

EFFORT = Effort(rlimit=300_000, timeout_s=1.0)
"""What one attempt to leave something out may take."""


class MinimalProof:
    """Leave out of a certificate what it does without; mutable, used once.

    Questions are about what the certificate rests on: there, no answer takes long. On a whole model
    a solver also gives values to all that has nothing to do with the proof.
    """

    def __init__(
        self,
        workshop: Workshop,
        slicer: Slicer,
        certificate: Certificate,
        core: frozenset[ElementId],
    ) -> None:
        system = slicer.system
        part = slicer.resting(certify.statements(system, certificate), core)

        def side(*, initial: bool) -> Side:
            return Side(
                lambda: workshop.unrolling(
                    part, initial=initial, labelled=True, guarded=True, within=system
                )
            )

        self._questions = Questions(side(initial=True), side(initial=False), EFFORT)
        goals = {name: system.property(name).term for name in certificate.goals}
        self._questions.goals = goals
        self._goals = frozenset(goals.values())
        self._certificate = certificate
        self._core = frozenset(owner for owner in core if owner in part.by_owner)
        self._all = self._questions.statements(certificate)
        self._left = self._all

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return self._questions.calls

    def found(
        self, first: Sequence[ElementId], lemmas: Patience, elements: Patience
    ) -> tuple[Certificate, frozenset[ElementId]] | None:
        """Return a certificate with fewer lemmas, and elements that suffice for it.

        Elements in `first` are tried first. Single `lemmas` and `elements` are tried as long as
        there is patience; None if the certificate and its core cannot be confirmed.
        """
        certificate = self._certificate
        self._questions.prepare(self._all, certificate.k)
        if self._needed(self._core) is None:
            return None
        for lemma in self._all:
            if lemma not in self._goals and len(self._left) > 1 and lemmas.left > 0:
                without = tuple(statement for statement in self._left if statement is not lemma)
                useful = self._is_inductive(without)
                lemmas.note(useful=useful)
                self._left = without if useful else self._left
        alive = self._needed(self._core) or self._core
        for owner in dict.fromkeys([*(o for o in first if o in alive), *sorted(alive)]):
            if owner in alive and elements.left > 0:
                found = self._needed(alive - {owner})
                elements.note(useful=found is not None)
                alive = found or alive
        left = tuple(statement for statement in self._left if statement not in self._goals)
        return Certificate(certificate.k, left, certificate.goals), alive

    def _is_inductive(self, statements: Sequence[Term]) -> bool:
        """Tell whether statements that hold in the first states are closed under the step."""
        k, side = self._certificate.k, self._questions.step
        literals = [side.keep(owner) for owner in sorted(self._core)]
        literals += self._questions.hypotheses(side, statements, k)
        answer = self._questions.ask(side, literals, self._all, statements, frame=k)
        return answer is Answer.UNSAT

    def _needed(self, owners: frozenset[ElementId]) -> frozenset[ElementId] | None:
        """Return those of some elements that suffice for what is left; None if all do not."""
        found: set[ElementId] = set()
        kept = sorted(owners)
        # Without what it needs, a proof mostly fails in the step, which comes last.
        for side, frame in reversed(self._questions.places(self._certificate.k)):
            literals = [side.keep(owner) for owner in kept]
            if side is self._questions.step:
                literals += self._questions.hypotheses(side, self._left, frame)
            answer = self._questions.ask(side, literals, self._all, self._left, frame=frame)
            if answer is not Answer.UNSAT:
                return None
            core = side.solver.core()
            found.update(kept[index] for index in core if index < len(kept))
        return frozenset(found)
