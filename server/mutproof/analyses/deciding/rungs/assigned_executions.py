"""Executions of NuSMV models of assignments alone, in which what nothing assigns hardly changes.

All else follows from assignments, so the evaluator runs mutants forward, as long as some property
fails that did not in fewer steps. No search for executions goes as far.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from random import Random

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context, suits_executions
from mutproof.analyses.deciding.rung import Candidate, Cost, OfferedExecution, Rung
from mutproof.base.lazy import cached_property
from mutproof.model import sorts
from mutproof.model.program import Element, ElementKind, VariableKind
from mutproof.model.sampling import interesting_values, random_steps
from mutproof.model.sorts import BoolSort, Sort, Value
from mutproof.model.trace import Choices

HOW = "simulation"

STEPS, LONGER = 12, 4
"""How many steps the first executions of a mutant have, and how many times more later ones."""

MOST_VALUES = 1_600_000
"""How many values an execution computes at most, as far as the one before tells."""

MOST_STEPS = 20_000
"""How many steps an execution has at most."""

AMPLE = 1.2
"""How many times more steps than seem enough for what is open: failures follow one another."""

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
            kinds, steps = [*range(2 + len(STAYS))], STEPS
            while kinds and steps <= MOST_STEPS:
                useful: dict[int, int] = {}
                for kind in kinds:
                    before, computed = len(claim.open), replayer.computed
                    if self.applies(claim):
                        yield OfferedExecution(claim, self._choices(claim, kind, steps), HOW)
                    if len(claim.open) < before:
                        useful[kind] = replayer.computed - computed
                failing = max(1, len(claim.fails))
                enough = AMPLE * steps * (failing + len(claim.open)) / failing
                grown = min(steps * LONGER, int(enough)) / steps
                kinds = [kind for kind, values in useful.items() if values * grown <= MOST_VALUES]
                steps = int(steps * grown)

    def _choices(self, claim: Claim, kind: int, steps: int) -> Choices:
        """Return the values of what a mutant assigns nothing; the same for the same mutant."""
        first, later = self._free(claim)
        every = {**first, **later}
        if kind < 2:
            calm = {name: _end(sort, kind) for name, sort in every.items()}
            ends = [{name: calm[name] for name in names} for names in (first, later)]
            return Choices((ends[0], *[ends[1]] * (steps - 1)))
        source = Random(f"{claim.name} {kind}")
        found = interesting_values(self._context.system)
        chosen = random_steps(every, source, found, steps=steps, stay=STAYS[kind - 2])
        begin = {name: chosen[0][name] for name in first}
        after = [{name: step[name] for name in later} for step in chosen[1:]]
        return Choices((begin, *after))

    def _free(self, claim: Claim) -> tuple[Mapping[str, Sort], Mapping[str, Sort]]:
        """Return what nothing assigns in the first state of a mutant, and in later ones."""
        bodies = self._context.mutants.bodies[claim.name]
        gone = [element for element, body in bodies.items() if body is None]
        first, later = (
            {
                name: sort
                for name, (sort, assigning) in self._stored.items()
                if not any(one.kind in kinds and one not in gone for one in assigning)
            }
            for kinds in (_FIRST, _LATER)
        )
        return first, later

    @cached_property
    def _stored(self) -> Mapping[str, tuple[Sort, Sequence[Element]]]:
        """Return the scalar variables of the model, each with what assigns it."""
        program = self._context.baseline.program
        main = program.component(program.main)
        by_target: dict[str, list[Element]] = {}
        for element in main.elements:
            for target in element.targets:
                by_target.setdefault(target, []).append(element)
        return {
            variable.name + path: (
                sort,
                [
                    e
                    for target in {variable.name, variable.name + path}
                    for e in by_target.get(target, ())
                ],
            )
            for variable in main.variables
            if variable.kind in _CHOSEN
            for path, sort in sorts.leaves(variable.sort)
        }


_CHOSEN = {VariableKind.STATE, VariableKind.INPUT}
_FIRST = {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN}
_LATER = {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}


def _end(sort: Sort, kind: int) -> Value:
    """Return the greatest or the least value of a sort, as far as it has one."""
    match sort:
        case BoolSort():
            return kind == 0
        case sorts.IntSort(low, high):
            end = high if kind == 0 else low
            return 0 if end is None else end
        case sorts.EnumSort(_, values) if values:
            return values[-1 if kind == 0 else 0]
        case _:
            return sorts.default_value(sort)


ASSIGNED = Rung(
    "executions of assignments",
    Cost.VISIT,
    AssignedExecutions,
    AssignedExecutions.propose,
    AssignedExecutions.applies,
    at_once=8,
)
