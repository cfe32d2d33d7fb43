"""Differences of mutants after states that executions of the model and of the mutants reached.

A solver takes thousands of times as long for a difference after many steps as for one after few.
After states in which a mutant remembers something else than the model, few are often enough.

Source: Ho et al., Smart simulation using collaborative formal and simulation engines, ICCAD 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from typing import Final, TypeAlias

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.verdict import Gap
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.product import COPY, NoProductError, Product, product
from mutproof.analyses.equivalence.sides import ModelAndMutants
from mutproof.analyses.equivalence.together import Together
from mutproof.base.budget import Budget, Deadline
from mutproof.model import terms
from mutproof.model.program import ElementId
from mutproof.model.sorts import Value
from mutproof.model.system import Constraint, ConstraintKind, SystemVariable
from mutproof.model.trace import Choices

STEPS: Final = (2, 4, 8)
"""Within how many steps differences are sought, one after the other."""

EFFORT: Final = 1_000_000
DEAR: Final = 3_000_000
"""The most effort for a question, and from which no more steps are tried in vain, both in solver
units."""

Memories: TypeAlias = Mapping[str, Value]
"""What a system remembers when a step begins: values of variables by name."""

Shown: TypeAlias = "Callable[[str, Choices], Choices | None]"
"""Return what may show a mutant, from the first step on, given what to choose after its states."""


class Onward:
    """Ask about mutants of one model what inputs show them after some states; caches nothing."""

    def __init__(self, mutants: Mutants, sides: ModelAndMutants, means: Means) -> None:
        self._mutants = mutants
        self._sides = sides
        self._means = means
        constraints = mutants.system.constraints
        self.memories = tuple(
            c.defines for c in constraints if c.kind is ConstraintKind.TRANS and c.defines
        )

    def owners(self, mutant: str) -> frozenset[ElementId]:
        """Return the elements that a mutant changes: mutants of the same are asked together."""
        return self._mutants.claims[mutant].variant.removed

    def search(
        self, reached: Mapping[str, tuple[Memories, Memories]], shown: Shown, until: Deadline
    ) -> None:
        """Look for differences of mutants of the same elements, given what both sides remember.

        What may show one is given to `shown`; what it returns is replayed.
        """
        products: dict[str, Product] = {}
        for mutant, memories in reached.items():
            try:
                whole = product(
                    self._sides.system, self._sides.changed(mutant), self._sides.compared(mutant)
                )
            except NoProductError:
                continue
            products[mutant] = _begun(whole, *memories)

        def confirmed(mutant: str, choices: Choices, how: str) -> Gap | None:
            found = shown(mutant, choices)
            if found is None:
                return None
            compared = products[mutant].compared
            shows = self._sides.difference(mutant, compared, found, how)
            return None if shows is None else shows[0]

        small = self._means.small
        effort = Budget(min(EFFORT, small.rlimit or EFFORT), small.timeout_s)
        together = Together(products, confirmed, effort, self._means.check_cancelled, divides=False)
        for steps in STEPS:
            known = len(together.found)
            if until.passed() or known == len(products):
                return
            together.search({name: steps for name in products if name not in together.found})
            if len(together.found) == known and together.spent > DEAR:
                return


def _begun(whole: Product, here: Memories, there: Memories) -> Product:
    """Return a product that begins with what both sides remember."""
    system = whole.system
    values = {**here, **{COPY + name: there[name] for name in whole.copied if name in there}}
    first = [_is(system.variables[n], v) for n, v in values.items() if n in system.variables]
    later = [c for c in system.constraints if c.kind is not ConstraintKind.INIT]
    return replace(whole, system=replace(system, constraints=(*later, *first)))


def _is(variable: SystemVariable, value: Value) -> Constraint:
    known = terms.const(value, variable.sort)
    equal = terms.eq(terms.var(variable.name, variable.sort), known)
    return Constraint(ConstraintKind.INIT, equal, defines=variable.name)
