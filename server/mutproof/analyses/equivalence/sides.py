"""The two sides of a comparison: model and mutant run side by side, and what is compared."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from mutproof.analyses.checking import replay
from mutproof.analyses.checking.audit import Audit, Violation
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.observation import (
    Interface,
    Observation,
    Observed,
    Scope,
    is_part,
    observation,
)
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.claims.verdict import Gap
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.first_memories import differing, may_follow
from mutproof.analyses.equivalence.product import product
from mutproof.analyses.proving import solutions
from mutproof.base.lazy import cached_property
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices


class ModelAndMutants:
    """Run a model beside any of its mutants; caches, one thread.

    `scope` says what is compared; an `interface` with outputs says it by names.
    """

    def __init__(
        self,
        baseline: Baseline,
        mutants: Mutants,
        means: Means,
        *,
        scope: Scope,
        interface: Interface,
    ) -> None:
        self._baseline = baseline
        self._mutants = mutants
        self._means = means
        self._interface = interface
        self.system = mutants.system
        self.relational = self.system.relational
        outputs = interface.outputs
        if self.relational:
            names = (Observed(name) for name in outputs or self.system.variables)
            shown = Scope.OUTPUTS if outputs else Scope.ALL
            self.observation = Observation(shown, tuple(names))
        else:
            self._lowering = Lowering(baseline.program)
            # Properties proved of the model hold on its survivors, too.
            true = tuple(self.system.property(name).term for name in baseline.proofs)
            self.observation = observation(self._lowering, scope, outputs, true)

    def changed(self, mutant: str) -> TransitionSystem:
        """Return the system of a mutant."""
        return applied(self.system, self._mutants.claims[mutant].variant)

    def compared(self, mutant: str) -> Observation:
        """Return what is compared for a mutant, without the instances that the mutant lacks."""
        return self.observation.without(() if self.relational else self._gone(mutant))

    def not_compared(self) -> str:
        """Return why nothing can be compared: names do not exist; empty if something can."""
        names = [found.name for found in self.observation.variables]
        missing = [n for n in self._interface.outputs if not any(is_part(m, n) for m in names)]
        if missing:
            return f"there is no variable {missing[0]} to compare"
        return "" if names else "there is nothing to compare"

    def difference(
        self, mutant: str, compared: Sequence[Observed], choices: Choices, how: str
    ) -> tuple[Gap, replay.Difference] | None:
        """Return the first difference that an execution shows, None if it shows none."""
        meaning, bodies = self._baseline.meaning, self._mutants.bodies[mutant]
        # Given its own bodies, the model is run as quickly as a mutant.
        same = None if self.relational else {element: element.body for element in bodies}
        unchanged, changed = (partial(meaning.run, bodies=each) for each in (same, bodies))
        return self._means.notary.gap(unchanged, changed, compared, choices, how=how)

    def shown(
        self, mutant: str, compared: Sequence[Observed], gap: Gap
    ) -> replay.Difference | None:
        """Replay a gap found before; return its difference, None if there is none today."""
        found = self.difference(mutant, compared, gap.choices, gap.how)
        return None if found is None else found[1]

    def contradiction(self, mutant: str) -> replay.Difference | None:
        """Return a difference that random executions show, None if they show none."""
        names = self.compared(mutant).variables
        return self._audit.difference(self._mutants.bodies[mutant], names)

    def contradicted_inclusion(self, mutant: str, names: tuple[str, ...]) -> Violation | None:
        """Return a step of a random execution with values only the mutant can show, or None."""
        return self._audit.shown_by_mutant(self._mutants.bodies[mutant], names)

    def may_be_made_up(self, found: replay.Difference) -> bool:
        """Tell whether the difference may vanish for other solutions of instantaneous loops.

        Both sides are run on the same values of loops. If inputs determine those of the model, it
        cannot do what the mutant was seen to do.
        """
        if not solutions.open_values(self.system):
            return False
        return bool(found.allowed) or not self._is_unique

    def may_follow(self, mutant: str, found: replay.Difference) -> bool:
        """Tell whether the side that does not allow an execution may, from other first memories."""
        system = self.changed(mutant) if found.allowed == "model" else self.system
        return may_follow(system, found, self.compared(mutant).variables)

    def in_values(self, mutant: str) -> tuple[Gap, replay.Difference] | None:
        """Return a difference of values on an execution that both sides allow, None if unknown."""
        whole = product(self.system, self.changed(mutant), self.compared(mutant), valued=True)
        choices = differing(whole)
        if choices is None:
            return None
        found = self.difference(mutant, whole.compared, choices, "bmc")
        return None if found is None or found[1].allowed else found

    @cached_property
    def _audit(self) -> Audit:
        outputs = not self._interface.outputs  # else these alone are observed
        return Audit(self._baseline.meaning, self._baseline.system, all_outputs=outputs)

    @cached_property
    def _is_unique(self) -> bool:
        return solutions.is_unique(self.system, self._means)

    def _gone(self, mutant: str) -> list[str]:
        """Return the prefixes of the instances that the mutant lacks."""
        prefixes: list[str] = []
        for element, body in self._mutants.bodies[mutant].items():
            kept = set() if body is None else {site for site, _, _ in calls(body)}
            for site, _, _ in calls(element.body):
                if site not in kept:
                    prefixes.extend(
                        child_prefix(instance.prefix, element, site)
                        for instance in self._lowering.instances_of(element.id.component)
                    )
        return prefixes
