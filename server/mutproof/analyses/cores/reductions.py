"""Whether proved properties survive without some elements: the question of all cores.

Answers are remembered by question; each is a checked proof, a replayed execution, or none.
`removing` decides questions without a known answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import cache

from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.reduction import (
    KEPT,
    REMOVED,
    TRIED,
    KnownReductions,
    OpenReduction,
    ReductionQuestion,
)
from mutproof.analyses.claims.standing import Standing
from mutproof.analyses.cores.cones import Cone
from mutproof.analyses.cores.removals import Removals
from mutproof.analyses.cores.removing import Removing, bodies_without
from mutproof.base.digest import Digest, digest_parts
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate

OTHERS = "executions of other mutants"
"""The `how` of an execution in which an element has the values that it has in another mutant."""

MOST_REPLAYS = 40
"""How many removed elements are put back one by one to see whether an execution breaks them."""


class Reductions:
    """Answer questions about the properties of one cone; mutable caches, one thread.

    `removals` is what mutants without one element have shown.
    """

    def __init__(
        self, cone: Cone, removing: Removing, evidence: KnownReductions, removals: Removals
    ) -> None:
        self.universe = cone.universe
        self.cone = cone
        self.removing = removing
        self.evidence = evidence
        self._removals = removals
        self._all = frozenset(cone.universe)
        self._said = cone.system.said
        self._standing = Standing(cone.system)
        # Questions decided in this run, whose answers need no check of validity.
        self._fresh: set[tuple[ReductionQuestion, Digest]] = set()
        self._certificates: dict[str, list[Certificate]] = {}
        self._others: dict[str, list[Certificate]] = {}  # found by questions `in_passing`
        # Many properties are asked about without the same element.
        self._single = cache(lambda element: removing.variant("reduced", frozenset({element})))

    def shown(self, element: ElementId) -> str:
        """Return the name of an element as users see it."""
        return self.removing.shown(element)

    def learn(self, name: str, holds: Holds) -> None:
        """Keep what a certificate says of the cone, to be tried on reductions of the property."""
        _add(self._certificates, name, holds, self.cone)

    def owners(self, holds: Holds, kept: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return those of the kept elements that a proof rests on: they suffice for it."""
        if holds.certificate is UNCERTIFIED:
            return kept
        stated = self.cone.system.by_owner
        return frozenset(
            owner for owner in kept if any(c.digest in holds.support for c in stated.get(owner, ()))
        )

    def try_single(
        self,
        elements: Mapping[str, frozenset[ElementId]],
        *,
        proofs_first: bool = False,
        briefly: bool = False,
    ) -> None:
        """Try to remove single elements, each for all the properties it is listed with at once.

        Answers are remembered; questions without an answer stay open. `proofs_first`: see
        `Removing.together`. With `briefly`, only violations in the first states are looked for.
        """
        cases = []
        for number, element in enumerate(self.universe):
            names = {name for name, some in elements.items() if element in some}
            if not names:
                continue
            variant = self._single(element)
            tried = {name for name in names if self._is_tried(name, variant)}
            left = ((name, REMOVED, variant.removed) for name in names - tried)
            asked = {question[0] for question in left if self._shown(question, variant) is None}
            if asked:
                cases.append(Claim(replace(variant, name=f"without {number}"), asked))
        finished = False
        try:
            if briefly:
                self.removing.violated(cases)
            else:
                self.removing.together(cases, self._certificates, proofs_first=proofs_first)
                finished = True
        finally:
            for case in cases:
                decided: dict[str, Holds | Fails] = {**case.holds, **case.fails}
                for name, found in decided.items():
                    self._note((name, REMOVED, case.variant.removed), found, case.variant)
                for name in case.open if finished else ():
                    self._note((name, TRIED, case.variant.removed), None)

    def without(self, name: str, element: ElementId) -> Holds | Fails | None:
        """Return what is known of a property without one element; no solver is asked."""
        variant = self._single(element)
        known = self.known((name, REMOVED, variant.removed), variant)
        return None if isinstance(known, OpenReduction) else known

    def shortened(self, name: str, core: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return fewer elements from which a known proof still goes through, else the same."""
        cases = []
        for number, element in enumerate(e for e in self.universe if e in core):
            kept = core - {element}
            variant = self.removing.variant(f"less {number}", self._all - kept)
            if self.known((name, KEPT, kept | self.cone.given), variant) is None:
                cases.append(Claim(variant, {name}))
        self.removing.certified(cases, self._certificates.get(name, ()))
        best = core
        for case in cases:
            if (found := case.holds.get(name)) is not None:
                kept = self._all - case.variant.removed
                self._note((name, KEPT, kept | self.cone.given), found)
                best = min(best, self.owners(found, kept), key=len)
        return best

    def _is_tried(self, name: str, variant: Variant) -> bool:
        """Tell whether a removal is decided, or was tried in vain without engines."""
        gone = variant.removed
        known = self.known((name, REMOVED, gone), variant)
        return known is not None or self.known((name, TRIED, gone), variant) is not None

    def decide(
        self, name: str, gone: frozenset[ElementId], *, in_passing: bool = False
    ) -> Holds | Fails | None:
        """Return a proof of a property without some elements, or how it fails; None: open.

        The answer is remembered. Ask `in_passing` if only the existence of a proof matters: then
        everything known may be used, and the answer serves only such questions. So the order in
        which cores are found does not depend on what this process did before.
        """
        if len(gone) == 1 and in_passing:
            # The answer on one removal is kept also where other elements come and go.
            variant = self._single(*gone)
            question = name, REMOVED, variant.removed
        else:
            variant = self.removing.variant("reduced", gone)
            question = name, KEPT, (self._all - gone) | self.cone.given
        known = self.known(question, variant)
        if known is not None:
            return None if isinstance(known, OpenReduction) else known
        if in_passing and (shown := self._shown(question, variant)) is not None:
            return shown
        others = self._others.get(name, ()) if in_passing else ()
        found = self.removing.decide(variant, name, [*self._certificates.get(name, ()), *others])
        self._note(question, found, variant)
        if isinstance(found, Holds):
            _add(self._others if in_passing else self._certificates, name, found, self.cone)
        return found

    def broken(
        self, name: str, fails: Fails, removed: tuple[ElementId, ...]
    ) -> tuple[ElementId, ...]:
        """Return removed elements, fewer if found, without which the property fails too.

        An execution that violates the property without some elements may do so with most of
        them: each is put back if the replay still violates. Where many are removed that would
        cost more than it tells.
        """
        if len(removed) > MOST_REPLAYS:
            return removed
        left = list(removed)
        for element in removed:
            rest = frozenset(e for e in left if e != element)
            variant = self.removing.variant("reduced", rest)
            violated = self.removing.replay(variant, fails.choices, fails.how)
            if violated is not None and name in violated:
                left.remove(element)
        return tuple(left)

    # --- what is remembered ---------------------------------------------------------------------

    def known(
        self, question: ReductionQuestion, variant: Variant
    ) -> Holds | Fails | OpenReduction | None:
        """Return the earlier answer to a question, if it is still valid."""
        key = question, self._said[question[0]]
        known = self.evidence.get(key)
        if isinstance(known, OpenReduction):
            return known if known == self._undecided() else None
        if known is None or key in self._fresh:
            return known
        if isinstance(known, Fails) and (shown := self._removals.standing(question)) is not None:
            self._note(question, shown)
            return shown
        if not self._stands(known, variant, question):
            return None
        self._fresh.add(key)
        return known

    def _note(
        self,
        question: ReductionQuestion,
        found: Holds | Fails | None,
        variant: Variant | None = None,
    ) -> None:
        """Remember an answer; an execution of a `variant` was replayed on it just now."""
        key = question, self._said[question[0]]
        self.evidence[key] = self._undecided() if found is None else found
        self._fresh.add(key)
        if variant is None or not isinstance(found, Fails) or found.support:
            return
        if self.cone.system.property(question[0]).kind is PropertyKind.INVARIANT:
            depends = _replayed_on(self.cone, self.removing, variant, question[0])
            self.evidence.note(*key, found, depends)

    def _undecided(self) -> OpenReduction:
        return OpenReduction(self.cone.system.attributed, self.removing.budget)

    def _stands(self, known: Holds | Fails, variant: Variant, question: ReductionQuestion) -> bool:
        """Tell whether earlier evidence is valid for a variant.

        An execution is replayed, but where all that the replay depends on is as it was.
        """
        name = question[0]
        if self._standing.stands(known, variant, name):
            return True
        if isinstance(known, Holds) or known.support:
            return False
        depends = _replayed_on(self.cone, self.removing, variant, name)
        if self.evidence.stands(question, self._said[name], known, depends):
            return True
        if self.removing.violation(variant, known.choices, known.how, name) is None:
            return False
        self._note(question, known, variant)
        return True

    def _shown(self, question: ReductionQuestion, variant: Variant) -> Holds | Fails | None:
        """Return and remember what the mutant without the element shows, None if nothing valid."""
        name, kind, elements = question
        if kind != REMOVED:
            return None
        (element,) = elements
        found = self._removals.shown.get(element, {}).get(name)
        if found is None:
            found = _by_others(self._removals.freed(element, name), self.removing, variant, name)
            if found is not None:
                self._note(question, found, variant)
            return found
        if self._removals.standing(question) is None and not self._stands(found, variant, question):
            return None
        self._note(question, found)
        if isinstance(found, Holds):
            _add(self._others, name, found, self.cone)
        return found


def _by_others(
    freed: Iterable[Choices], removing: Removing, variant: Variant, name: str
) -> Fails | None:
    """Return a violation with the values that an element has in another mutant."""
    for choices in freed:
        found = removing.violation(variant, choices, OTHERS, name)
        if found is not None:
            return found
    return None


def _add(known: dict[str, list[Certificate]], name: str, holds: Holds, cone: Cone) -> None:
    """Keep what a certificate says of a cone, if there is one."""
    if holds.certificate is UNCERTIFIED:
        return
    certificate = cone.within(holds.certificate, name)
    if certificate not in known.setdefault(name, []):
        known[name].append(certificate)


def _replayed_on(cone: Cone, removing: Removing, variant: Variant, name: str) -> Digest:
    """Return a digest of all that decides whether executions violate a property of a variant.

    That is the cone, what the property reads of the program, and the elements that are gone.
    """
    whole = removing.whole
    bodies = bodies_without(whole.program, variant)
    stated = sorted(constraint.digest for constraint in variant.constraints)
    outcome = whole.outcomes.of(name, bodies, shown=False)
    return digest_parts(outcome, cone.system.attributed, *stated)
