"""Proofs with less in them: fewer lemmas, and fewer elements that they rest on.

Each element that a proof does not need settles all of its mutants; each lemma less makes every
question about a mutant smaller.

Source: inductive validity cores, Ghassabani, Gacek and Whalen, FSE 2016, with a fixed invariant.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.analyses.group import Side
from mutproof.analyses.questions import Questions
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import certify
from mutproof.solving.parts import resting_on
from mutproof.solving.solver import Answer, Effort
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop

EFFORT = Effort(rlimit=300_000, timeout_s=1.0)
"""What one attempt to leave something out may take."""


def questions_on(
    workshop: Workshop,
    system: TransitionSystem,
    certificate: Certificate,
    core: frozenset[ElementId],
) -> Questions:
    """Return questions on what a certificate rests on: there, no answer takes long.

    On a whole model the solver also gives values to all that has nothing to do with the proof.
    """
    stated = certify.statements(system, certificate)
    part = resting_on(system, stated, sorted(core))

    def side(*, initial: bool) -> Side:
        return Side(
            lambda: workshop.unrolling(
                part, initial=initial, labelled=True, guarded=True, within=system
            )
        )

    base, step = side(initial=True), side(initial=False)
    found = Questions(base, step, EFFORT)
    found.goals = {name: system.property(name).term for name in certificate.goals}
    return found


def sharpened(
    questions: Questions,
    certificate: Certificate,
    core: frozenset[ElementId],
    first: Iterable[ElementId],
) -> tuple[Certificate, frozenset[ElementId]]:
    """Return a certificate of the same goals with fewer lemmas, and elements that suffice.

    Elements in `first` are tried first. What is left is no smaller than what single attempts
    give; where the whole cannot be checked, the certificate and its core come back.
    """
    usual, questions.effort = questions.effort, EFFORT
    try:
        return _Sharpening(questions, certificate, core).run(first)
    finally:
        questions.effort = usual


class _Sharpening:
    def __init__(
        self, questions: Questions, certificate: Certificate, core: frozenset[ElementId]
    ) -> None:
        self._questions = questions
        self._certificate = certificate
        self._core = core
        self._all = questions.statements(certificate)
        self._left = list(self._all)
        questions.prepare(self._all, certificate.k)

    def run(self, first: Iterable[ElementId]) -> tuple[Certificate, frozenset[ElementId]]:
        alive = self._needed(self._core)
        if alive is None:
            return self._certificate, self._core
        goals = {self._questions.goals[name] for name in self._certificate.goals}
        for lemma in self._all:
            if lemma not in goals and len(self._left) > 1:
                without = [statement for statement in self._left if statement is not lemma]
                if self._is_inductive(without):
                    self._left = without
        alive = self._needed(self._core) or self._core
        for owner in [o for o in first if o in alive] + sorted(alive):
            if owner in alive:
                alive = self._needed(alive - {owner}) or alive
        lemmas = tuple(statement for statement in self._left if statement not in goals)
        return Certificate(self._certificate.k, lemmas, self._certificate.goals), alive

    def _is_inductive(self, statements: Sequence[Term]) -> bool:
        """Tell whether statements that hold in the first states are closed under the step."""
        k = self._certificate.k
        side = self._questions.step
        literals = [side.keep(owner) for owner in sorted(self._core)]
        literals += self._questions.hypotheses(side, statements, k)
        answer = self._questions.ask(side, literals, self._all, statements, k)
        return answer is Answer.UNSAT

    def _needed(self, owners: frozenset[ElementId]) -> frozenset[ElementId] | None:
        """Return those of some elements that suffice for what is left; None if all do not."""
        found: set[ElementId] = set()
        kept = sorted(owners)
        for side, frame in self._questions.places(self._certificate.k):
            literals = [side.keep(owner) for owner in kept]
            if side is self._questions.step:
                literals += self._questions.hypotheses(side, self._left, frame)
            if (
                self._questions.ask(side, literals, self._all, self._left, frame)
                is not Answer.UNSAT
            ):
                return None
            found.update(kept[index] for index in side.solver.core() if index < len(kept))
        return frozenset(found)
