"""The model's proofs made cheaper to try on mutants, and broken by fewer of them.

A proof rests on less after lemmas and elements that it does without are left out, one by one.
One that reads what its property does not depend on is found again without that; one by deep
induction is found again as an invariant, with the lemmas of the other proofs.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Sequence
from dataclasses import replace
from functools import cached_property, partial

from mutproof.analyses.deciding.evidence import UNCERTIFIED, Holds
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.records import Records
from mutproof.analyses.sharpening import questions_on, sharpened
from mutproof.analyses.variant import Case
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved
from mutproof.solving.workshop import Workshop

MANY = 60
"""How many open questions there must be for a look at what the proofs could do without."""

WORTHY = 200
"""How many of them there must be about a property for another proof of it."""

FLAT = 0.3
"""The share of the budget of a single mutant that another proof may take."""

Proof = tuple[Holds, frozenset[ElementId]]


class Frugal:
    """Make the proofs of a baseline frugal; used once. `calls` counts questions.

    `system` has all that mutants remember too; `spare` are certificates that were replaced.
    """

    def __init__(
        self, baseline: Baseline, system: TransitionSystem, records: Records, means: Means
    ) -> None:
        self._baseline = baseline
        self._system = system
        self._records = records
        self._means = means
        self._known = records.sharpened
        self._workshop = Workshop(means.check_cancelled)
        self._proofs = dict(baseline.proofs)
        self._cores = dict(baseline.cores)
        self._order: list[ElementId] = []
        self.calls = 0
        self.spare: list[Certificate] = []

    def made(self, cases: Sequence[Case]) -> Baseline:
        """Return the baseline with proofs that suit the open cases best."""
        asked = Counter(name for case in cases for name in case.open)
        if sum(asked.values()) < MANY:
            return self._baseline
        mutated = Counter(owner for case in cases for owner in case.variant.removed)
        self._order = [owner for owner, _ in mutated.most_common()]
        self._records.sharpened = {}
        certified = [n for n in asked if self._proofs[n].certificate is not UNCERTIFIED]
        for name in certified:
            self._means.check_cancelled()
            self._sharpen(name)
        worthy = [name for name in certified if asked[name] >= WORTHY]
        for name in worthy:
            outside = self._cores[name] - self._cone(name)
            freed = [c for c in cases if name in c.open and c.variant.removed & outside]
            if len(freed) >= WORTHY:
                part = self._slicer.cone((name,))
                self._replace(name, part.digest, partial(self._own, name))
        for name in worthy:
            if self._proofs[name].certificate.k > 1:
                lemmas = self._lemmas(name)
                self._replace(name, lemmas, partial(self._invariant, name, lemmas))
        return replace(self._baseline, proofs=self._proofs, cores=self._cores)

    def _sharpen(self, name: str) -> None:
        """Leave out of a proof what it does without."""
        evidence, core = self._proofs[name], self._cores[name]
        checked = partial(self._checked, evidence.how, evidence.certificate, core)
        self._proofs[name], self._cores[name] = self._once(name, None, checked)

    def _replace(self, name: str, question: Hashable, find: Callable[[], Proof | None]) -> None:
        """Go on with another proof of a property, if one is found."""
        before = self._proofs[name]
        self._proofs[name], self._cores[name] = self._once(name, question, find)
        if self._proofs[name] is not before:
            self.spare.append(before.certificate)

    def _once(self, name: str, question: Hashable, find: Callable[[], Proof | None]) -> Proof:
        """Return what is found for a proof, else the proof; a known question has its answer.

        Proofs name elements and properties, so what these say is part of the question.
        """
        evidence, core = self._proofs[name], self._cores[name]
        system, certificate = self._baseline.system, evidence.certificate
        owners = sorted(core | self._cone(name)) if question else sorted(core)
        said = tuple((owner, system.by_owner.get(owner)) for owner in owners)
        asked = tuple(system.property(goal).digest for goal in (name, *certificate.goals))
        key = (question, certificate, asked, evidence.support, said)
        known, kept = self._known, self._records.sharpened
        kept[key] = known[key] if key in known else find() or (evidence, core)
        return kept[key]

    def _checked(
        self, how: str, certificate: Certificate, core: frozenset[ElementId]
    ) -> Proof | None:
        """Return a proof with what it does without left out, checked in fresh solvers."""
        system, budget = self._baseline.system, self._means.small
        questions = questions_on(self._workshop, system, certificate, core)
        sharp, left = sharpened(questions, certificate, core, self._order)
        self.calls += questions.calls
        notary, declared = self._means.notary, self._system
        found = notary.resting(system, sharp, left, how, budget, declared=declared)
        return None if found is None else (found, left)

    @cached_property
    def _slicer(self) -> Slicer:
        return Slicer(self._baseline.system)

    def _cone(self, name: str) -> frozenset[ElementId]:
        """Return the elements that a property depends on."""
        return self._slicer.owners([self._baseline.system.property(name).term])

    def _own(self, name: str) -> Proof | None:
        """Return a proof of a property by an invariant over what it depends on."""
        options = self._means.asking("pdr", cores=False)
        self.calls += 1
        budget = self._means.middle.scaled(FLAT)
        outcome = portfolio.prove(self._baseline.system, budget, options, goals=[name])
        match outcome.verdicts[name]:
            case Proved(certificate=certificate, engine=engine):
                return self._checked(engine, certificate, self._cone(name))
            case _:
                return None

    def _lemmas(self, name: str) -> tuple[Term, ...]:
        """Return lemmas of all proofs about what a property depends on, but no properties."""
        stated = {found.term for found in self._baseline.system.properties}
        cone = self._cone(name)
        found = (c for evidence in self._proofs.values() for c in evidence.certificate.lemmas)
        return tuple(
            lemma
            for lemma in dict.fromkeys(found)
            if lemma not in stated and self._slicer.owners([lemma]) <= cone
        )

    def _invariant(self, name: str, lemmas: tuple[Term, ...]) -> Proof | None:
        """Return a proof without deep induction, by what is known of other properties."""
        if not lemmas:
            return None
        certificate = Certificate(1, lemmas, (name,))
        return self._checked(self._proofs[name].how, certificate, self._cone(name))
