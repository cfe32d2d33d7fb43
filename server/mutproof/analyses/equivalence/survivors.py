"""Decide survivors of a campaign: which are equivalent to the model, and which are gaps."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial

from mutproof.analyses.equivalence import kripke, replay
from mutproof.analyses.equivalence.decide import Limits, Question, decide
from mutproof.analyses.equivalence.finding import Equivalence
from mutproof.analyses.equivalence.function import same_function
from mutproof.analyses.equivalence.killing import Killability, Killing, killing
from mutproof.analyses.equivalence.observation import (
    Interface,
    Observation,
    Observed,
    Scope,
    is_part,
    observation,
)
from mutproof.analyses.equivalence.product import GOAL, NoProductError, Product, product
from mutproof.analyses.equivalence.report import killed, to_finding
from mutproof.analyses.equivalence.simulation import Executions
from mutproof.analyses.equivalence.verdict import Gap, Undetermined, Verdict
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline, Caseload
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import applied, changes
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True, slots=True)
class Kept:
    """Hold a verdict with digests of the question: the whole of it, and what a proof rests on."""

    verdict: Verdict
    whole: Digest
    part: Digest | None = None


@dataclass
class Known:
    """Keep verdicts by mutant between versions of a file; mutable."""

    kept: dict[str, Kept] = field(default_factory=dict)


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
        interface: Interface | None = None,
    ) -> None:
        self._baseline = baseline
        self._load = Caseload(baseline, mutants).lowered(means.check_cancelled)
        self._system = self._load.system
        self._means = means
        self._bounds = Limits(means.middle, means.spacer, means.check_cancelled)
        self._relational = self._system.relational
        self._interface = interface or Interface()
        outputs = self._interface.outputs
        if self._relational:
            names = (Observed(name) for name in outputs or self._system.variables)
            shown = Scope.OUTPUTS if outputs else Scope.ALL
            self._observation = Observation(shown, tuple(names))
        else:
            self._lowering = Lowering(baseline.program)
            self._observation = observation(self._lowering, scope, outputs)

    def decide(self, mutant: str, known: Known) -> Equivalence:
        """Return whether the mutant of that id is equivalent to the model."""
        self._means.check_cancelled()
        started = time.monotonic()
        changed = applied(self._system, self._load.cases[mutant].variant)
        verdict: Verdict
        found: replay.Difference | None = None
        if self._relational and self._interface.outputs:
            return self._killing(changed, started)
        if self._relational:
            verdict, found = self._structure(mutant, changed, known)
        else:
            observed = self._observation.without(self._gone(mutant))
            try:
                whole = product(self._system, changed, observed)
            except NoProductError as error:
                verdict = Undetermined(str(error), 0)
            else:
                reason = self._not_compared()
                if reason:
                    verdict = Undetermined(reason, 0)
                else:
                    verdict, found = self._verdict(mutant, changed, whole, known)
        return to_finding(verdict, found, self._observation, time.monotonic() - started)

    def _not_compared(self) -> str:
        """Return why nothing can be said: what should be compared does not exist."""
        names = [found.name for found in self._observation.variables]
        missing = [n for n in self._interface.outputs if not any(is_part(m, n) for m in names)]
        if missing:
            return f"there is no variable {missing[0]} to compare"
        return "" if names else "there is nothing to compare"

    def _killing(self, changed: TransitionSystem, started: float) -> Equivalence:
        """Return how a tester can kill a mutant of a relational system."""
        named = (*self._interface.inputs, *self._interface.outputs)
        unknown = [name for name in named if name not in self._system.variables]
        if unknown:
            result = Killing(Killability.UNKNOWN, reason=f"there is no variable {unknown[0]}")
        else:
            result = killing(self._system, changed, self._interface)
        return killed(result, time.monotonic() - started)

    def _structure(
        self, mutant: str, changed: TransitionSystem, known: Known
    ) -> tuple[Verdict, replay.Difference | None]:
        """Return the verdict on a relational system, with the difference of a gap."""
        compared = self._observation.variables

        def confirm(choices: Choices) -> Choices | None:
            found = self._difference(mutant, compared, choices)
            return None if found is None else found.choices

        key = digest_parts(self._key(mutant), changed.digest)
        kept = known.kept.get(mutant)
        if kept is not None and kept.whole == key:
            verdict = kept.verdict
        else:
            verdict = kripke.compare(self._system, changed, confirm, self._invariants, self._bounds)
            known.kept[mutant] = Kept(verdict, key)
        if not isinstance(verdict, Gap):
            return verdict, None
        return verdict, self._difference(mutant, compared, verdict.choices)

    def _verdict(
        self, mutant: str, changed: TransitionSystem, whole: Product, known: Known
    ) -> tuple[Verdict, replay.Difference | None]:
        """Return the verdict, with the difference of a gap; use what is known."""
        seen: list[replay.Difference] = []

        def confirm(choices: Choices) -> Choices | None:
            found = self._difference(mutant, whole.compared, choices)
            if found is None:
                return None
            seen.append(found)
            return found.choices

        def shown(verdict: Verdict) -> tuple[Verdict, replay.Difference | None]:
            if not isinstance(verdict, Gap):
                return verdict, None
            last = next((d for d in reversed(seen) if d.choices is verdict.choices), None)
            return verdict, last or self._difference(mutant, whole.compared, verdict.choices)

        key, part = self._key(mutant), None
        kept, sighted = known.kept.get(mutant), None
        if kept is not None:
            if isinstance(kept.verdict, Gap):
                again = confirm(kept.verdict.choices)
                if again is not None:
                    if kept.whole == key:
                        return shown(replace(kept.verdict, choices=again))
                    sighted = (again, "replay")
            elif kept.whole == key or kept.part == (part := self._part(whole)):
                return kept.verdict, None
        variant = self._load.cases[mutant].variant

        def look(*, far: bool) -> tuple[Choices, str] | None:
            sight = self._executions.difference(variant, whole.compared, far=far)
            confirmed = None if sight is None else confirm(sight)
            return None if confirmed is None else (confirmed, "simulation")

        if sighted is None:
            sighted = look(far=False)
        same = "" if sighted is not None else same_function(self._system, changed)
        question = Question(
            whole, confirm, self._invariants, sighted, same, look_far=partial(look, far=True)
        )
        verdict = decide(question, self._bounds)
        if not isinstance(verdict, Gap) and part is None:
            part = self._part(whole)
        if isinstance(verdict, Gap) and verdict.how != "simulation":
            self._executions.add(verdict.choices)
        known.kept[mutant] = Kept(verdict, key, part)
        return shown(verdict)

    def _difference(
        self, mutant: str, compared: Sequence[Observed], choices: Choices
    ) -> replay.Difference | None:
        meaning, bodies = self._baseline.meaning, self._load.bodies[mutant]
        changed = partial(meaning.run, bodies=bodies)
        return replay.difference(meaning.run, changed, compared, choices)

    @cached_property
    def _executions(self) -> Executions:
        return Executions(self._system)

    @cached_property
    def _invariants(self) -> tuple[Term, ...]:
        """Return what is proved of the model; its properties hold on every survivor too."""
        proofs = self._baseline.proofs
        found = [self._system.property(name).term for name in proofs]
        found += [lemma for holds in proofs.values() for lemma in holds.certificate.lemmas]
        return tuple(dict.fromkeys(found))

    def _gone(self, mutant: str) -> list[str]:
        """Return the prefixes of the instances that the mutant no longer makes."""
        prefixes: list[str] = []
        identity = self._load.mutants[mutant].element
        for element in self._baseline.program.by_id[identity]:
            body = self._load.bodies[mutant][element]
            kept = set() if body is None else {site for site, _, _ in calls(body)}
            for site, _, _ in calls(element.body):
                if site not in kept:
                    prefixes.extend(
                        child_prefix(instance.prefix, element, site)
                        for instance in self._lowering.instances_of(identity.component)
                    )
        return prefixes

    def _key(self, mutant: str) -> Digest:
        """Return a digest of everything that an attempt depends on."""
        own = changes(self._system, self._load.cases[mutant].variant)
        return digest_parts(self._system.digest, self._limits, *own)

    def _part(self, whole: Product) -> Digest:
        """Return a digest of what a proof rests on."""
        return digest_parts(slicing.cone(whole.system, (GOAL,)).digest, self._limits)

    @cached_property
    def _limits(self) -> Digest:
        invariants = (term.digest for term in self._invariants)
        return digest_parts(repr(self._means.budget), repr(self._observation), *invariants)
