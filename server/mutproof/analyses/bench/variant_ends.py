"""Variants all of whose executions end: the largest number of states they have.

What is found here are candidates; the notary makes evidence of them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace

from mutproof.analyses.bench.group import Group
from mutproof.analyses.bench.solvers import Solvers
from mutproof.analyses.claims.claim import Claim
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer


@dataclass(frozen=True, slots=True)
class VariantEnd:
    """Say that a case, by some elements, has no execution of more than `length` states.

    `execution` is one of `length` states, None where there is none to show.
    """

    case: Claim
    length: int
    owners: frozenset[ElementId]
    execution: Choices | None = None


class VariantEnds:
    """Ask solvers where the executions of variants of their system end."""

    def __init__(self, solvers: Solvers) -> None:
        self._solvers = solvers
        self._questions = solvers.questions

    def of(
        self,
        cases: Sequence[Claim],
        steps: int,
        learn: Callable[[Claim, Choices], None],
        lives: Callable[[Claim], bool],
    ) -> dict[str, VariantEnd]:
        """Return the end of each variant that has no execution of `steps` states, by name.

        Variants that the solver cannot decide are left out. `learn` gets the executions of those
        that do not end; variants that `lives` accepts meanwhile are not asked about.
        """
        self._questions.base.unrolling.frame(steps - 1)
        found: dict[str, VariantEnd] = {}
        with Group(self._solvers.model, cases, sides=(self._questions.base,)) as group:
            for number, case in enumerate(cases):
                if number and lives(case):
                    continue
                if end := self._of(group, case, steps, learn):
                    found[case.variant.name] = end
        return found

    def _of(
        self, group: Group, case: Claim, steps: int, learn: Callable[[Claim, Choices], None]
    ) -> VariantEnd | None:
        """Return where a variant ends; None if it reaches `steps` states, or if unknown."""
        literals = group.literals(self._questions.base, case.variant)
        found: VariantEnd | None = None
        longest: Choices | None = None
        for length in (steps, *range(1, steps)):
            self._questions.calls += 1
            guards = self._questions.base.unrolling.guards(length - 1)
            solver, effort = self._questions.base.solver, self._questions.effort
            answer = solver.check([*literals, *guards], effort)
            if answer is Answer.UNSAT:
                owners = group.owners_in_core(self._questions.base) - case.variant.removed
                found = VariantEnd(case, length - 1, frozenset(owners))
                if length < steps:
                    break
                continue
            chosen = self._solvers.chosen(case, length - 1) if answer is Answer.SAT else None
            if length < steps:
                longest = chosen
                continue
            if chosen is not None:
                learn(case, chosen)
            return None
        return None if found is None else replace(found, execution=longest)
