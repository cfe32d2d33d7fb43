"""Decide survivors: which are equivalent to the model, and which are gaps."""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.equivalence import Equivalence, Fingerprint
from mutproof.analyses.claims.observation import Interface, Scope
from mutproof.analyses.claims.verdict import (
    FOLLOWED,
    MADE_UP,
    Equivalent,
    Gap,
    KeptVerdict,
    KnownSurvivors,
    Undetermined,
    Verdict,
)
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence import kripke
from mutproof.analyses.equivalence.decide import Comparison, decide
from mutproof.analyses.equivalence.fingerprint import Fingerprints
from mutproof.analyses.equivalence.inclusion import only_excludes
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.analyses.equivalence.look import Look
from mutproof.analyses.equivalence.looks import Looks
from mutproof.analyses.equivalence.product import NoProductError
from mutproof.analyses.equivalence.report import to_finding, withdrawn
from mutproof.analyses.equivalence.sides import ModelAndMutants
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.analyses.equivalence.survivor_questions import SurvivorQuestions
from mutproof.analyses.equivalence.tester import killability
from mutproof.analyses.equivalence.views import Views
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices

_Decided: TypeAlias = tuple[Verdict, Difference | None]
"""A verdict, and the difference that a gap shows."""

LEAST_PATIENCE = 1 / 16
"""Each survivor that stays undetermined halves what the next ones may cost, down to this share."""


class Survivors:
    """Decide mutants of one program, one after the other; mutable.

    `scope` says what is compared; an `interface` with outputs says it by names.
    """

    def __init__(
        self,
        baseline: Baseline,
        mutants: tuple[Mutant, ...],
        scope: Scope,
        means: Means,
        *,
        interface: Interface | None = None,
    ) -> None:
        self._baseline = baseline
        self._mutants = Mutants(baseline, mutants).lowered(means.check_cancelled)
        self._means = means
        self._limits = ComparisonLimits(
            means.middle, means.spacer, means.check_cancelled, means.notary
        )
        self._interface = interface or Interface()
        self._undetermined = 0  # how many survivors so far
        self._views = Views(baseline, means.notary)
        self._sides = ModelAndMutants(
            baseline, self._mutants, means, scope=scope, interface=self._interface
        )
        self._system = self._sides.system
        self._questions = SurvivorQuestions(
            self._system, baseline.proofs, self._sides.observation, means.budget
        )

    def seen_first(self, mutants: Iterable[Mutant], known: KnownSurvivors) -> Iterator[Mutant]:
        """Yield mutants; those with neither kept verdict nor difference seen, the slowest, last."""
        open_: list[Mutant] = []
        for mutant in mutants:
            if self._is_open(mutant.id, known):
                open_.append(mutant)
            else:
                yield mutant
        yield from open_

    def _is_open(self, mutant: str, known: KnownSurvivors) -> bool:
        if self._system.relational:
            return False
        try:
            look = self._looks.ahead(mutant, known)
        except NoProductError:
            return False
        return look.verdict is None and look.open

    def decide(self, mutant: str, known: KnownSurvivors) -> Equivalence:
        """Return whether the mutant of that id is equivalent to the model."""
        self._means.check_cancelled()
        started = time.monotonic()
        if self._system.relational and self._interface.outputs:
            return killability(self._sides, mutant, self._interface, started)
        verdict, found = self._verdict(mutant, known)
        if isinstance(verdict, Equivalent):
            contradicted = self._sides.contradiction(mutant)
            if contradicted is not None:
                known.pop(mutant, None)
                observed = self._sides.observation
                return withdrawn(contradicted, observed, time.monotonic() - started)
        seconds = time.monotonic() - started
        result = to_finding(verdict, found, self._sides.observation, seconds)
        # Pairs are not grouped, nor what constraints do not tell.
        alone = bool(self._mutants.by_name[mutant].parts) or _is_viewed(self._system, found)
        if isinstance(verdict, Gap) and found is not None and not alone:
            result = replace(result, fingerprint=self._fingerprint(mutant, known))
        if result.allowed == "model":
            result = replace(result, restricts=self._restricts(mutant, known))
        return result

    def _verdict(self, mutant: str, known: KnownSurvivors) -> _Decided:
        if self._system.relational:
            return self._of_structures(mutant, known)
        try:
            verdict, found = self._of_product(mutant, known)
        except NoProductError as error:
            return Undetermined(str(error), 0), None
        if found is not None and isinstance(verdict, Gap) and self._sides.may_be_made_up(found):
            return Undetermined(MADE_UP, 0), None
        if found is not None and found.allowed and self._sides.may_follow(mutant, found):
            other = self._sides.in_values(mutant)
            if other is None:
                return Undetermined(FOLLOWED, 0), None
            verdict, found = other
            known[mutant] = replace(known[mutant], verdict=verdict)
        return verdict, found

    def _of_structures(self, mutant: str, known: KnownSurvivors) -> _Decided:
        """Return the verdict on a mutant of a relational system, and the difference of a gap."""
        sides, compared = self._sides, self._sides.observation.variables
        views = self._views.of(self._mutants.bodies[mutant])

        def confirm(choices: Choices, how: str) -> Gap | None:
            found = sides.difference(mutant, compared, choices, how)
            return None if found is None else found[0]

        key, kept = self._key(mutant), known.get(mutant)
        if kept is not None and kept.whole == key:
            verdict = kept.verdict
        else:
            changed, invariants = sides.changed(mutant), self._questions.invariants
            verdict = kripke.compare(
                self._system, changed, confirm, invariants, limits=self._limits
            )
            if not isinstance(verdict, Gap) and views is not None:
                verdict = views.compare(invariants, self._limits)
            known[mutant] = KeptVerdict(verdict, key)
        if not isinstance(verdict, Gap):
            return verdict, None
        shown = sides.shown(mutant, compared, verdict)
        return verdict, views.shown(verdict) if shown is None and views is not None else shown

    def _of_product(self, mutant: str, known: KnownSurvivors) -> _Decided:
        """Return the verdict on a mutant by a product, and the difference of a gap."""
        look = self._looks.of(mutant, known)
        if reason := self._sides.not_compared():
            return Undetermined(reason, 0), None
        verdict = look.verdict
        is_hasty = isinstance(verdict, Undetermined) and verdict.patience < self._patience
        if verdict is None or is_hasty:
            verdict = self._found(look)
            known[mutant] = KeptVerdict(verdict, look.key, look.part)
        self._undetermined += isinstance(verdict, Undetermined)
        if not isinstance(verdict, Gap):
            return verdict, None
        last = next((d for d in reversed(look.seen) if d.choices is verdict.choices), None)
        return verdict, last or self._sides.shown(mutant, look.whole.compared, verdict)

    @property
    def _patience(self) -> float:
        """Return the share of the budget that the next survivor may use."""
        return max(LEAST_PATIENCE, 0.5**self._undetermined)

    def _found(self, look: Look) -> Verdict:
        """Decide a survivor, starting from a look at it."""
        if look.open:  # executions may have been added since the look
            look.sighted = look.see(self._executions)
        question = Comparison(
            look.whole,
            look.confirm,
            self._questions.invariants,
            look.sighted,
            look.supposed,
            look_far=partial(look.see, self._executions, far=True),
            explored=look.explored,
        )
        limits = replace(self._limits, budget=self._limits.budget.scaled(self._patience))
        verdict = decide(question, limits)
        if isinstance(verdict, Undetermined):
            verdict = replace(verdict, patience=self._patience)
        if not isinstance(verdict, Gap) and look.part is None:
            look.part = self._questions.part(look.whole)
        if isinstance(verdict, Gap) and verdict.how != "simulation":
            self._executions.add(verdict.choices)
        return verdict

    @cached_property
    def _executions(self) -> PairedExecutions:
        return PairedExecutions(self._system)

    @cached_property
    def _fingerprints(self) -> Fingerprints:
        executions = None if self._system.relational else self._executions
        return Fingerprints(self._baseline, self._system, executions)

    @cached_property
    def _looks(self) -> Looks:
        questions, executions = self._questions, self._executions
        known = self._mutants, self._sides, self._means
        shortening = self._limits.shortening
        return Looks(*known, questions=questions, executions=executions, shortening=shortening)

    def _fingerprint(self, mutant: str, known: KnownSurvivors) -> Fingerprint:
        """Return the fingerprint of a gap, and keep it with the verdict."""
        kept, key = known.get(mutant), self._key(mutant)
        stands = kept is not None and kept.whole == key
        if kept is not None and kept.fingerprint is not None and stands:
            return kept.fingerprint
        element = self._mutants.by_name[mutant].element
        variant = self._mutants.claims[mutant].variant
        changed, compared = self._sides.changed(mutant), self._sides.compared(mutant)
        found = self._fingerprints.of(element, variant, changed, compared.variables)
        if kept is not None and stands:
            known[mutant] = replace(kept, fingerprint=found)
        return found

    def _restricts(self, mutant: str, known: KnownSurvivors) -> bool:
        """Tell whether a gap only excludes executions, and keep that with the verdict."""
        kept = known.get(mutant)
        stands = kept is not None and kept.whole == self._key(mutant)
        if kept is not None and kept.restricts is not None and stands:
            return kept.restricts
        found = only_excludes(self._system, self._sides.changed(mutant))
        if kept is not None and stands:
            known[mutant] = replace(kept, restricts=found)
        return found

    def _key(self, mutant: str) -> Digest:
        """Return a digest of everything that a verdict on a mutant depends on."""
        whole = self._questions.whole(self._mutants.claims[mutant].variant)
        if not self._system.relational:
            return whole
        views = self._views.of(self._mutants.bodies[mutant])
        viewed = () if views is None else (views.digest,)
        return digest_parts(whole, self._sides.changed(mutant).digest, *viewed)


def _is_viewed(system: TransitionSystem, found: Difference | None) -> bool:
    """Tell whether a difference is in DEFINEs that are no variables of a relational system."""
    names = () if found is None or not system.relational else found.names
    return not system.variables.keys() >= set(names)
