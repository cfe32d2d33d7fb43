"""Whether a proved property survives without some elements: the question of all cores.

Answers come, cheapest first, from what is remembered, from certificates known of other
reductions, from short counterexamples, and from engines. Each is a checked proof, a replayed
execution, or none.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeAlias

from mutproof.analyses import temporal
from mutproof.analyses.bench import Bench
from mutproof.analyses.deciding.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.deciding.notary import Replayed, bounded
from mutproof.analyses.means import Means
from mutproof.analyses.scope import rests_on_all
from mutproof.analyses.variant import Case, Variant, applied, content
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Element, ElementId, Program, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved, Refuted

SEARCH_DEPTH = 6
"""How many first states are searched for a violation before engines are asked."""

MOST_CERTIFICATES = 6
"""How many known certificates are tried on a reduction: those found last."""

MOST_LEMMAS = 120
"""How many lemmas of known certificates engines are given as advice."""

MOST_REPLAYS = 40
"""How many removed elements are put back one by one to see whether an execution breaks them."""

Question: TypeAlias = tuple[str, str, frozenset[ElementId]]
"""A property, `kept` or `removed`, and the elements that were kept or removed."""


@dataclass(frozen=True, slots=True)
class Undecided:
    """Say that an attempt on a reduced system found nothing; asked again, neither would it."""

    system: Digest  # of the whole system and its elements
    budget: Budget


Removals: TypeAlias = Mapping[ElementId, Mapping[str, Holds | Fails]]
"""What mutants have shown of properties where one element is removed."""

Evidence: TypeAlias = dict[tuple[Question, Digest], Holds | Fails | Undecided]
"""What is known of properties on reduced systems, kept between versions of a file.

The digest is of what the property says: its name can stay when that changes.
"""


class Reductions:
    """Decide properties of one program on parts of it; mutable caches, one thread."""

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        means: Means,
        evidence: Evidence,
        removals: Removals,
    ) -> None:
        program = meaning.program
        self.system = system = meaning.widened(system)
        owners = (e.id for e in program.elements() if e.id in system.by_owner)
        self.order = tuple(dict.fromkeys(owners))  # occurrences of an element share its id
        self._program = program
        self._meaning = meaning
        self._evidence = evidence
        self._removals = removals
        self._content = content(system)
        self._means = means
        self._bench: Bench | None = None
        self._asked_before = means.benches.calls
        self._tail_calls = 0
        self._certificates: dict[str, list[Certificate]] = {}
        self._others: dict[str, list[Certificate]] = {}  # found in passing
        self._candidates = _candidates(program)

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._tail_calls + self._means.benches.calls - self._asked_before

    def shown(self, element: ElementId) -> str:
        """Return the name of an element for people."""
        return self._program.shown(element)

    def universe(self, name: str) -> tuple[ElementId, ...]:
        """Return the elements that a minimal core of a property can contain, in source order.

        Only what the property depends on can be needed, and what assertions and fairness depend
        on: assertions may contradict each other. Where the source lists candidates (`--%IVC`),
        the other elements count as given, as does the equation of the property.
        """
        parts = [self.system.property(name).term, *self.system.fairness]
        parts += [term for pair in self.system.compassion for term in pair]
        parts += [c.term for c in self.system.constraints if c.defines is None]
        names = slicing.Slicer(self.system).variables(parts)
        found = {
            c.owner
            for c in self.system.constraints
            if c.owner is not None and (c.defines is None or c.defines in names)
        }
        given = self.given(name)
        return tuple(e for e in self.order if e in found and e not in given)

    def given(self, name: str) -> frozenset[ElementId]:
        """Return the elements that are never removed for a property."""
        owner = self.system.property(name).owner
        found = set() if owner is None else {owner}
        if self._candidates is not None:
            found |= {e for e in self.order if e not in self._candidates}
        return frozenset(found)

    def learn(self, name: str, holds: Holds) -> None:
        """Keep a certificate to be tried on reductions of the property."""
        _add(self._certificates, name, holds)

    def owners(self, holds: Holds, kept: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return those of the kept elements that a proof rests on: they suffice for it."""
        if holds.certificate is UNCERTIFIED:
            return kept
        return frozenset(
            owner
            for owner in kept
            if any(c.digest in holds.support for c in self.system.by_owner.get(owner, ()))
        )

    def decide(
        self, question: Question, kept: frozenset[ElementId], *, in_passing: bool = False
    ) -> Holds | Fails | None:
        """Return a proof of the property from the kept elements, or how it fails; None: open.

        The answer is remembered under the question. Where it matters whether there is a proof,
        and not which, the question is asked `in_passing`: then all that happens to be known is
        used, and what is found is used for such questions only. So which core is found first
        does not depend on what else this process has done.
        """
        self._means.check_cancelled()
        name = question[0]
        key = (question, self.system.property(name).digest)
        variant = self._variant("reduced", frozenset(self.order) - kept)
        undecided = Undecided(self.system.attributed, self._means.budget)
        known = self._evidence.get(key)
        if isinstance(known, Undecided):
            if known == undecided:
                return None
        elif known is not None and self._stands(known, variant, name):
            return known
        found = self._shown(question, variant) if in_passing else None
        if found is None:
            others = self._others.get(name, ()) if in_passing else ()
            found = self._decide(variant, name, others)
        self._evidence[key] = undecided if found is None else found
        if isinstance(found, Holds):
            _add(self._others if in_passing else self._certificates, name, found)
        return found

    def broken(
        self, name: str, fails: Fails, removed: tuple[ElementId, ...]
    ) -> tuple[ElementId, ...]:
        """Return fewer removed elements without which the property fails all the same.

        An execution that violates the property without some elements may do so with most of
        them: each is put back if the replay still violates. Where many are removed that would
        cost more than it tells.
        """
        if len(removed) > MOST_REPLAYS:
            return removed
        left = list(removed)
        everything = frozenset(self.order)
        outside = everything - frozenset(removed) - frozenset(self.universe(name))
        outside -= self.given(name)
        for element in removed:
            self._means.check_cancelled()
            tried = frozenset(left) - {element}
            if not tried:
                break
            variant = Variant("fewer", tried | outside, None)
            violated = self.replay(variant, fails.choices, fails.how)
            if violated is not None and name in violated:
                left.remove(element)
        return tuple(left)

    def replay(self, variant: Variant, choices: Choices, how: str) -> Mapping[str, Fails] | None:
        """Return what an execution without some elements violates; None: it is no execution."""
        bodies: dict[Element, Term | None] = {
            element: None for removed in variant.removed for element in self._program.by_id[removed]
        }
        found = self._means.notary.replay(self._meaning, choices, how, bodies)
        return None if found is None else found.violated

    # --- private ------------------------------------------------------------------------------

    def _variant(self, name: str, removed: frozenset[ElementId]) -> Variant:
        """Return the system without some elements; what equal calls leave open stays equal."""
        return Variant(name, removed, self._meaning.without(e for e in self.order if e in removed))

    def _stands(self, known: Holds | Fails, variant: Variant, name: str) -> bool:
        """Tell whether what was found out elsewhere is so of a variant."""
        match known:
            case Holds(support=rests_on, certificate=certificate):
                if certificate is UNCERTIFIED:
                    return rests_on <= rests_on_all(applied(self.system, variant), name)
                lost = {c.digest for o in variant.removed for c in self.system.by_owner.get(o, ())}
                own = {c.digest for c in variant.constraints}
                return rests_on <= (self._content - lost) | own
            case Fails(support=rests_on) if rests_on:
                return rests_on <= rests_on_all(applied(self.system, variant), name)
            case Fails(choices=choices, how=how):
                violated = self.replay(variant, choices, how)
                return violated is not None and name in violated

    def _shown(self, question: Question, variant: Variant) -> Holds | Fails | None:
        """Return what the mutant without the element has shown of the property, if that stands."""
        name, kind, elements = question
        if kind != "removed":
            return None
        (element,) = elements
        found = self._removals.get(element, {}).get(name)
        return found if found is not None and self._stands(found, variant, name) else None

    def _decide(
        self, variant: Variant, name: str, others: Sequence[Certificate]
    ) -> Holds | Fails | None:
        if self.system.property(name).kind is not PropertyKind.INVARIANT:
            return self._decide_temporal(variant, name)
        if self._bench is None:
            budget = self._means.small
            self._bench = self._means.benches.get(self.system, budget, self.replay)
        case = Case(variant, {name})
        known = [*self._certificates.get(name, ()), *others][-MOST_CERTIFICATES:][::-1]
        self._bench.certify([case], known, partly=False)
        # Most removals break the proof early: what is left of a certificate comes after that.
        self._bench.search([case], SEARCH_DEPTH)
        self._bench.certify([case], [found for found in known if found.lemmas])
        if name in case.holds:
            return case.holds[name]
        if name in case.fails:
            return case.fails[name]
        return self._prove(variant, name)

    def _decide_temporal(self, variant: Variant, name: str) -> Holds | Fails | None:
        self._tail_calls += 1
        system = applied(self.system, variant)
        found: list[Holds | Fails | None] = []

        def run(choices: Choices, how: str, part: TransitionSystem) -> Replayed | None:
            bodies = {e: None for owner in variant.removed for e in self._program.by_id[owner]}
            return self._means.notary.replay(self._meaning, choices, how, bodies, part=part)

        def take(_: str, answer: temporal.Answer) -> None:
            evidence = None if answer.vacuity else answer.evidence
            if isinstance(evidence, Fails):
                # Its execution may leave out what the property does not depend on.
                evidence = bounded(evidence, system, name)
            found.append(evidence)

        means = replace(self._means, budget=self._means.middle)
        temporal.decide(system, [name], means, run, take)
        return found[0]

    def _prove(self, variant: Variant, name: str) -> Holds | Fails | None:
        self._tail_calls += 1
        system = applied(self.system, variant)
        known = self._certificates.get(name, [])
        advice = dict.fromkeys(lemma for c in reversed(known) for lemma in c.lemmas)
        declared = system.variables.keys()
        outcome = portfolio.prove(
            system,
            self._means.middle,
            self._means.asking(
                advice=tuple(a for a in advice if walk.variables(a) <= declared)[:MOST_LEMMAS]
            ),
            goals=[name],
        )
        match outcome.verdicts[name]:
            case Proved() as proved:
                return self._means.notary.proved(system, proved, self._means.middle)
            case Refuted(choices=choices, engine=engine):
                violated = self.replay(variant, choices, engine)
                return None if violated is None else violated.get(name)
            case _:
                return None


def _add(known: dict[str, list[Certificate]], name: str, holds: Holds) -> None:
    found = known.setdefault(name, [])
    if holds.certificate not in found:
        found.append(holds.certificate)


def _candidates(program: Program) -> frozenset[ElementId] | None:
    """Return the elements that the main component lists for cores; None: all of all."""
    main = program.component(program.main)
    if main.core_candidates is None:
        return None
    listed = frozenset(main.core_candidates)
    return frozenset(e.id for e in main.elements if not listed.isdisjoint(e.targets))
