"""Executions of NuSMV models of assignments alone, in which what nothing assigns hardly changes.

All else follows from assignments, so the evaluator runs mutants forward, as long as some property
fails that did not in fewer steps. No search for executions goes as far.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from random import Random

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context, suits_executions
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung
from mutproof.base.lazy import cached_property
from mutproof.model.sampling import interesting_values, random_steps
from mutproof.model.trace import Choices
from mutproof.model.unassigned import ENDS, MOST_STEPS, MOST_VALUES, STEPS, Unassigned, longer

HOW = "simulation"

STAYS = (0.5, 0.9)
"""The probabilities with which values stay, in executions in which some change."""


class AssignedExecutions:
    """Run executions forward on mutants; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context

    def applies(self, claim: Claim) -> bool:
        """Tell whether an invariant is open in a large model of assignments alone."""
        return suits_executions(self._context, claim)

    def propose(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield executions, longer ones of a kind as long as they violate more."""
        replayer = self._context.replayer
        for claim in claims:
            kinds, steps = [*range(len(ENDS) + len(STAYS))], STEPS
            while kinds and steps <= MOST_STEPS:
                useful: dict[int, int] = {}
                for kind in kinds:
                    before, computed = len(claim.open), replayer.computed
                    if self.applies(claim):
                        yield OfferedExecution(claim, self._choices(claim, kind, steps), HOW)
                    if len(claim.open) < before:
                        useful[kind] = replayer.computed - computed
                later = longer(steps, len(claim.fails), len(claim.open))
                kinds = [kind for kind, n in useful.items() if n * later <= MOST_VALUES * steps]
                steps = later

    def _choices(self, claim: Claim, kind: int, steps: int) -> Choices:
        """Return the values of what a mutant assigns nothing; the same for the same mutant."""
        bodies = self._context.mutants.bodies[claim.name]
        gone = [element for element, body in bodies.items() if body is None]
        if kind < len(ENDS):
            return self._unassigned.calm(ENDS[kind], steps, gone)
        first, later = self._unassigned.free(gone)
        source = Random(f"{claim.name} {kind}")
        found = interesting_values(self._context.system)
        stay = STAYS[kind - len(ENDS)]
        chosen = random_steps({**first, **later}, source, found, steps=steps, stay=stay)
        begin = {name: chosen[0][name] for name in first}
        after = [{name: step[name] for name in later} for step in chosen[1:]]
        return Choices((begin, *after))

    @cached_property
    def _unassigned(self) -> Unassigned:
        return Unassigned(self._context.baseline.program)


ASSIGNED = Rung(
    "executions of assignments",
    Cost.VISIT,
    AssignedExecutions,
    AssignedExecutions.propose,
    AssignedExecutions.applies,
    at_once=8,
)
