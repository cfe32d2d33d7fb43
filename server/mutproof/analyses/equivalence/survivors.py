"""Decide survivors of a campaign: which are equivalent to the model, and which are gaps."""

from __future__ import annotations

import time
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property

from mutproof.analyses.equivalence import replay
from mutproof.analyses.equivalence.decide import Limits, Question, decide
from mutproof.analyses.equivalence.finding import Equivalence, EquivalenceStatus
from mutproof.analyses.equivalence.function import same_function
from mutproof.analyses.equivalence.observation import Scope, observation
from mutproof.analyses.equivalence.product import NoProductError, Product, product
from mutproof.analyses.equivalence.report import to_finding
from mutproof.analyses.equivalence.simulation import Executions
from mutproof.analyses.equivalence.verdict import Gap, Verdict
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline, Caseload
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.variant import applied
from mutproof.base.digest import Digest, digest_parts
from mutproof.model import slice as slicing
from mutproof.model.evaluate import Evaluator, Execution
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass
class Known:
    """Keep verdicts by the digest of what they rest on, between versions of a file; mutable."""

    verdicts: dict[Digest, Verdict] = field(default_factory=dict)


class Survivors:
    """Decide mutants of one program, one after the other; mutable.

    `scope` says what is compared.
    """

    def __init__(
        self, baseline: Baseline, mutants: tuple[Mutant, ...], scope: Scope, means: Means
    ) -> None:
        self._baseline = baseline
        self._load = Caseload(baseline, mutants, means.check_cancelled)
        self._system = self._load.system
        self._lowering = Lowering(baseline.program)
        self._observation = observation(self._lowering, scope)
        self._means = means
        self._evaluator = Evaluator(baseline.program)

    def decide(self, mutant: str, known: Known) -> Equivalence:
        """Return whether the mutant of that id is equivalent to the model."""
        self._means.check_cancelled()
        started = time.monotonic()
        scope = self._observation.scope.value
        variant = self._load.cases[mutant].variant
        changed = applied(self._system, variant)
        observed = self._observation.without(self._gone(mutant))
        try:
            whole = product(self._system, changed, observed)
        except NoProductError as error:
            return Equivalence(EquivalenceStatus.UNDETERMINED, scope, reason=str(error), depth=0)
        key = self._key(whole)
        verdict = known.verdicts.get(key)
        found = None
        if isinstance(verdict, Gap):
            found = self._difference(mutant, whole, verdict.choices)
            if found is None:
                verdict = None
        if verdict is None:
            verdict = self._decided(mutant, whole)
            known.verdicts[key] = verdict
        if isinstance(verdict, Gap) and found is None:
            found = self._difference(mutant, whole, verdict.choices)
        return to_finding(verdict, found, self._observation, time.monotonic() - started)

    def _decided(self, mutant: str, whole: Product) -> Verdict:
        variant = self._load.cases[mutant].variant

        def confirm(choices: Choices) -> Choices | None:
            found = self._difference(mutant, whole, choices)
            return None if found is None else found.choices

        same = same_function(self._system, applied(self._system, variant))
        sighted: tuple[Choices, str] | None = None
        if not same:
            seen = self._executions.difference(variant, whole.compared)
            shown = None if seen is None else confirm(seen)
            sighted = None if shown is None else (shown, "simulation")
        question = Question(whole, confirm, self._invariants, sighted, same)
        return decide(question, Limits(self._means.middle, self._means.spacer))

    def _difference(
        self, mutant: str, whole: Product, choices: Choices
    ) -> replay.Difference | None:
        bodies = self._load.bodies[mutant]

        def changed(chosen: Choices) -> Execution:
            return self._evaluator.run(chosen, bodies)

        return replay.difference(self._evaluator.run, changed, whole.compared, choices)

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

    def _key(self, whole: Product) -> Digest:
        part = slicing.cone(whole.system, (p.name for p in whole.system.properties))
        limits = repr(self._means.budget)
        invariants: Mapping[str, None] = dict.fromkeys(t.digest.hex() for t in self._invariants)
        return digest_parts(part.digest, limits, self._observation.scope.value, *invariants)
