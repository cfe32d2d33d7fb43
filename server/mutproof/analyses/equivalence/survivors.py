"""Decide survivors: which are equivalent to the model, and which are gaps."""

from __future__ import annotations

import time
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import islice

from mutproof.analyses.checking import replay
from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import shortest
from mutproof.analyses.claims.equivalence import Equivalence, Fingerprint
from mutproof.analyses.claims.observation import (
    Interface,
    Observation,
    Observed,
    Scope,
    is_part,
    observation,
)
from mutproof.analyses.claims.variant import applied, changes
from mutproof.analyses.claims.verdict import MADE_UP, Equivalent, Gap, Undetermined, Verdict
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence import kripke
from mutproof.analyses.equivalence.decide import Comparison, ComparisonLimits, decide
from mutproof.analyses.equivalence.fingerprint import Fingerprints
from mutproof.analyses.equivalence.kept import KeptVerdict, KnownSurvivors
from mutproof.analyses.equivalence.killing import Killability, Killing, killing
from mutproof.analyses.equivalence.look import FARTHEST, Look
from mutproof.analyses.equivalence.product import GOAL, NoProductError, Product, product
from mutproof.analyses.equivalence.report import killed, not_included, to_finding, withdrawn
from mutproof.analyses.equivalence.simulation import PairedExecutions
from mutproof.analyses.equivalence.suppositions import Suppositions
from mutproof.analyses.equivalence.together import Together
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving import solutions
from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.model import slice as slicing
from mutproof.model import terms
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_TOGETHER = 48
"""How many mutants of an element are looked at before the first verdict is told."""

NEAR = 4
"""In how many first states differences of all mutants of an element are looked for together. In
more, up to FARTHEST, as long as that costs little or finds some, of those that may be the same."""

DEAR = 500_000
"""What costs much, in solver units."""


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
        self._mutants = Mutants(baseline, mutants).lowered(means.check_cancelled)
        self._system = self._mutants.system
        self._means = means
        self._bounds = ComparisonLimits(
            means.middle, means.spacer, means.check_cancelled, means.notary
        )
        self._relational = self._system.relational
        self._interface = interface or Interface()
        outputs = self._interface.outputs
        if self._relational:
            names = (Observed(name) for name in outputs or self._system.variables)
            shown = Scope.OUTPUTS if outputs else Scope.ALL
            self._observation = Observation(shown, tuple(names))
        else:
            self._lowering = Lowering(baseline.program)
            # What is proved of the model is proved of its survivors, too.
            true = tuple(self._system.property(name).term for name in baseline.proofs)
            self._observation = observation(self._lowering, scope, outputs, true)
        self._looks: dict[str, Look] = {}  # of survivors whose turn has not come
        self._looked_at: set[str] = set()

    def decide(self, mutant: str, known: KnownSurvivors) -> Equivalence:
        """Return whether the mutant of that id is equivalent to the model."""
        self._means.check_cancelled()
        started = time.monotonic()
        changed = applied(self._system, self._mutants.claims[mutant].variant)
        verdict: Verdict
        found: replay.Difference | None = None
        if self._relational and self._interface.outputs:
            return self._killing(mutant, changed, started)
        if self._relational:
            verdict, found = self._structure(mutant, changed, known)
        else:
            try:
                verdict, found = self._verdict(mutant, known)
            except NoProductError as error:
                verdict = Undetermined(str(error), 0)
            if found is not None and isinstance(verdict, Gap) and self._may_be_made_up(found):
                verdict, found = Undetermined(MADE_UP, 0), None
        if isinstance(verdict, Equivalent):
            bodies = self._mutants.bodies[mutant]
            names = self._observation.without(() if self._relational else self._gone(mutant))
            contradicted = self._audit.difference(bodies, names.variables)
            if contradicted is not None:
                known.pop(mutant, None)
                return withdrawn(contradicted, self._observation, time.monotonic() - started)
        result = to_finding(verdict, found, self._observation, time.monotonic() - started)
        if isinstance(verdict, Gap) and found is not None:
            result = replace(result, fingerprint=self._fingerprint(mutant, changed, known))
        return result

    def _fingerprint(
        self, mutant: str, changed: TransitionSystem, known: KnownSurvivors
    ) -> Fingerprint:
        """Return what tells a gap from others; it is kept with the verdict."""
        kept, key = known.get(mutant), self._key(mutant)
        if kept is not None and kept.fingerprint is not None and kept.whole == key:
            return kept.fingerprint
        names = self._observation.without(() if self._relational else self._gone(mutant))
        element, variant = (
            self._mutants.by_name[mutant].element,
            self._mutants.claims[mutant].variant,
        )
        found = self._fingerprints.of(element, variant, changed, names.variables)
        if kept is not None and kept.whole == key:
            known[mutant] = replace(kept, fingerprint=found)
        return found

    @cached_property
    def _fingerprints(self) -> Fingerprints:
        executions = None if self._relational else self._executions
        return Fingerprints(self._baseline, self._system, executions)

    @cached_property
    def _audit(self) -> Audit:
        outputs = not self._interface.outputs  # else these alone are looked at
        return Audit(self._baseline.meaning, self._baseline.system, all_outputs=outputs)

    def _may_be_made_up(self, found: replay.Difference) -> bool:
        """Tell whether other solutions of loops may give what one side alone was seen to do.

        Both sides are run on the same values of loops. If those of the model follow from its
        inputs, what the mutant does otherwise with them the model does with none.
        """
        if not solutions.open_values(self._system):
            return False
        return bool(found.allowed) or not self._is_unique

    @cached_property
    def _is_unique(self) -> bool:
        return solutions.is_unique(self._system, self._means)

    def _not_compared(self) -> str:
        """Return why nothing can be said: what should be compared does not exist."""
        names = [found.name for found in self._observation.variables]
        missing = [n for n in self._interface.outputs if not any(is_part(m, n) for m in names)]
        if missing:
            return f"there is no variable {missing[0]} to compare"
        return "" if names else "there is nothing to compare"

    def _killing(self, mutant: str, changed: TransitionSystem, started: float) -> Equivalence:
        """Return how a tester can kill a mutant of a relational system."""
        named = (*self._interface.inputs, *self._interface.outputs)
        parts = {
            name: tuple(found for found in self._system.variables if is_part(found, name))
            for name in named
        }
        unknown = [name for name in named if not parts[name]]
        if unknown:
            result = Killing(Killability.UNKNOWN, reason=f"there is no variable {unknown[0]}")
            return killed(result, time.monotonic() - started)
        inputs, outputs = (
            tuple(found for name in names for found in parts[name])
            for names in (self._interface.inputs, self._interface.outputs)
        )
        result = killing(self._system, changed, Interface(inputs, outputs))
        if result.killability is Killability.NOT:
            bodies = self._mutants.bodies[mutant]
            contradicted = self._audit.shown_by_mutant(bodies, (*inputs, *outputs))
            if contradicted is not None:
                seconds = time.monotonic() - started
                return not_included(contradicted.name, contradicted.step, seconds)
        return killed(result, time.monotonic() - started)

    def _structure(
        self, mutant: str, changed: TransitionSystem, known: KnownSurvivors
    ) -> tuple[Verdict, replay.Difference | None]:
        """Return the verdict on a relational system, with the difference of a gap."""
        compared = self._observation.variables

        def confirm(choices: Choices, how: str) -> Gap | None:
            found = self._difference(mutant, compared, choices, how)
            return None if found is None else found[0]

        key = digest_parts(self._key(mutant), changed.digest)
        kept = known.get(mutant)
        if kept is not None and kept.whole == key:
            verdict = kept.verdict
        else:
            verdict = kripke.compare(self._system, changed, confirm, self._invariants, self._bounds)
            known[mutant] = KeptVerdict(verdict, key)
        if not isinstance(verdict, Gap):
            return verdict, None
        return verdict, self._shown(mutant, compared, verdict)

    def _verdict(
        self, mutant: str, known: KnownSurvivors
    ) -> tuple[Verdict, replay.Difference | None]:
        """Return the verdict, with the difference of a gap; use what is known."""
        if mutant not in self._looked_at:
            self._look_together(self._beside(mutant), known)
        look = self._looks.pop(mutant, None) or self._look(mutant, known)
        if reason := self._not_compared():
            return Undetermined(reason, 0), None
        verdict = look.verdict
        if verdict is None:
            verdict = self._found(look)
            known[mutant] = KeptVerdict(verdict, look.key, look.part)
        if not isinstance(verdict, Gap):
            return verdict, None
        last = next((d for d in reversed(look.seen) if d.choices is verdict.choices), None)
        return verdict, last or self._shown(mutant, look.whole.compared, verdict)

    def _beside(self, mutant: str) -> list[str]:
        """Return a survivor and others of the same element that nobody has looked at."""
        removed = self._mutants.claims[mutant].variant.removed
        others = (
            name
            for name, claim in self._mutants.claims.items()
            if claim.variant.removed == removed and name != mutant and name not in self._looked_at
        )
        return [mutant, *islice(others, MOST_TOGETHER - 1)]

    def _look_together(self, names: Sequence[str], known: KnownSurvivors) -> None:
        """Look at survivors of an element; what can be asked about together is."""
        looks: dict[str, Look] = {}
        for name in names:
            self._looked_at.add(name)
            self._means.check_cancelled()
            with suppress(NoProductError):  # said when its turn comes
                looks[name] = self._look(name, known)
        self._looks.update(looks)
        asked = {
            name: look
            for name, look in looks.items()
            if look.verdict is None and look.whole.goal is not terms.TRUE and look.length > 1
        }
        self._suppositions.suppose({n: look for n, look in asked.items() if look.open})
        asked = {
            name: look for name, look in asked.items() if look.supposed is None and look.length > 1
        }
        self._suppositions.delay({n: look for n, look in asked.items() if look.sighted is not None})
        self._search_together(
            {n: look for n, look in asked.items() if look.explored < look.length - 1}
        )

    def _search_together(self, asked: Mapping[str, Look]) -> None:
        """Search the products of survivors of an element for shortest differences."""
        together = Together(
            {name: look.whole for name, look in asked.items()},
            lambda name, choices, how: asked[name].confirm(choices, how),
            self._means.small,
            self._means.check_cancelled,
            {name: look.explored for name, look in asked.items()},
        )
        together.search({n: min(look.length - 1, NEAR) for n, look in asked.items()})
        sighted = {n: look for n, look in asked.items() if look.sighted is not None}
        together.search({n: look.length - 1 for n, look in sighted.items()})
        left = [n for n in asked if n not in sighted and n not in together.found]
        left = [name for name in left if asked[name].open]
        for depth in range(NEAR + 1, FARTHEST + 1 if left else 0):
            self._means.check_cancelled()
            found, spent = len(together.found), together.spent
            together.search(dict.fromkeys(left, depth))
            if len(together.found) == found and together.spent - spent > DEAR:
                break  # what is deeper still costs more, and is better proved
        for name, look in asked.items():
            look.explored = together.depths[name]
            nearest = together.found.get(name)
            if nearest is not None:
                look.sighted = nearest

    def _look(self, mutant: str, known: KnownSurvivors) -> Look:
        """Return what can be said of a survivor without a solver."""
        variant = self._mutants.claims[mutant].variant
        changed = applied(self._system, variant)
        whole = product(self._system, changed, self._observation.without(self._gone(mutant)))
        differs = partial(self._difference, mutant, whole.compared)
        look = Look(variant, changed, whole, self._key(mutant), differs)
        kept = known.get(mutant)
        if kept is not None:
            if isinstance(kept.verdict, Gap):
                same = kept.whole == look.key
                again = look.confirm(kept.verdict.choices, kept.verdict.how if same else "replay")
                if again is not None:
                    if same:
                        look.verdict = shortest(again) if kept.verdict.shortest else again
                        return look
                    look.sighted = again
            elif kept.whole == look.key:
                look.verdict = kept.verdict
                return look
            else:
                look.part = self._part(whole)
                if kept.part == look.part:
                    look.verdict = kept.verdict
                    return look
        if look.sighted is None:
            look.sighted = look.see(self._executions)
        return look

    def _found(self, look: Look) -> Verdict:
        """Return what is found out about a survivor."""
        if look.open:  # there may be more executions than before
            look.sighted = look.see(self._executions)
        question = Comparison(
            look.whole,
            look.confirm,
            self._invariants,
            look.sighted,
            look.supposed,
            look_far=partial(look.see, self._executions, far=True),
            explored=look.explored,
        )
        verdict = decide(question, self._bounds)
        if not isinstance(verdict, Gap) and look.part is None:
            look.part = self._part(look.whole)
        if isinstance(verdict, Gap) and verdict.how != "simulation":
            self._executions.add(verdict.choices)
        return verdict

    def _shown(
        self, mutant: str, compared: Sequence[Observed], gap: Gap
    ) -> replay.Difference | None:
        found = self._difference(mutant, compared, gap.choices, gap.how)
        return None if found is None else found[1]

    def _difference(
        self, mutant: str, compared: Sequence[Observed], choices: Choices, how: str
    ) -> tuple[Gap, replay.Difference] | None:
        meaning, bodies = self._baseline.meaning, self._mutants.bodies[mutant]
        # As a mutant that changes nothing the model is run as quickly as one.
        same = None if self._relational else {element: element.body for element in bodies}
        unchanged, changed = (partial(meaning.run, bodies=each) for each in (same, bodies))
        return self._means.notary.gap(unchanged, changed, compared, choices, how)

    @cached_property
    def _executions(self) -> PairedExecutions:
        return PairedExecutions(self._system)

    @cached_property
    def _suppositions(self) -> Suppositions:
        return Suppositions(self._system, self._invariants, self._executions, self._means)

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
        identity = self._mutants.by_name[mutant].element
        for element in self._baseline.program.by_id[identity]:
            body = self._mutants.bodies[mutant][element]
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
        own = changes(self._system, self._mutants.claims[mutant].variant)
        return digest_parts(self._system.digest, self._limits, *own)

    def _part(self, whole: Product) -> Digest:
        """Return a digest of what a proof rests on."""
        return digest_parts(slicing.cone(whole.system, (GOAL,)).digest, self._limits)

    @cached_property
    def _limits(self) -> Digest:
        invariants = (term.digest for term in self._invariants)
        return digest_parts(repr(self._means.budget), repr(self._observation), *invariants)
