"""Tell whether terms hold for all values of their variables, reachable or not."""

from __future__ import annotations

from collections.abc import Mapping
from enum import Enum
from typing import TYPE_CHECKING

from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.workshop import Workshop

if TYPE_CHECKING:
    from mutproof.solving.bdd.tautologies import Tautologies

MOST_TERMS = 20_000
"""How many translated terms are kept for the next questions."""

SOLVED = 32
"""How many terms a solver decides before diagrams are worth their beginning."""


class Validity(Enum):
    """Say whether a term holds everywhere."""

    VALID = "valid"
    INVALID = "invalid"
    UNKNOWN = "unknown"


_MEANING = {
    Answer.UNSAT: Validity.VALID,
    Answer.SAT: Validity.INVALID,
    Answer.UNKNOWN: Validity.UNKNOWN,
}


class Validities:
    """Tell of terms over the same variables whether they are valid; keeps translated terms.

    To make a context and to translate a term takes longer than most answers. Of many terms, most
    are decided as diagrams. `calls` counts questions to a solver.
    """

    def __init__(self, scalars: Mapping[str, Sort]) -> None:
        self.calls = 0
        self._scalars = scalars
        self._workshop = Workshop()
        self._translated: dict[Term, Formula] = {}

    def of(self, term: Term, budget: Budget) -> Validity:
        """Tell whether a Boolean term holds for all values in the sorts of what it reads.

        The next values of variables are arbitrary values of their sorts, too.
        """
        if self.calls >= SOLVED:
            found = self._tautologies.holds(term)
            if found is not None:
                return Validity.VALID if found else Validity.INVALID
        self.calls += 1
        if len(self._translated) > MOST_TERMS:
            self._workshop, self._translated = Workshop(), {}
        solver = self._workshop.solver()
        leaves: dict[Term, Formula] = {}
        for part in walk.subterms(term):
            if part.op in {Op.VAR, Op.NEXT_VAR}:
                suffix = "'" if part.op is Op.NEXT_VAR else ""
                sort = self._scalars[str(part.payload)]
                leaves[part] = solver.constant(f"{part.payload}{suffix}", sort)
                bounds = solver.in_domain(leaves[part], sort)
                if bounds is not None:
                    solver.add(bounds)
        try:
            formula = solver.translate(term, leaves.__getitem__, self._translated)
            solver.add(solver.negation(formula))
            answer = solver.check((), Effort(budget.rlimit, budget.timeout_s))
        except SolvingError:
            return Validity.UNKNOWN
        return _MEANING[answer]

    @cached_property
    def _tautologies(self) -> Tautologies:
        from mutproof.solving.bdd.tautologies import Tautologies

        return Tautologies(self._scalars)
