"""Which mutants of an element are the same function, so that one of them says all.

Canonical forms propose them, and a solver of its own for each confirms that the constraints of two
mutants are equal whatever their variables are. What is not confirmed counts as different. Nothing
here is a verdict.

Source: Papadakis, Jia, Harman and Le Traon, Trivial compiler equivalence, ICSE 2015, for
duplicated mutants.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.equivalence.fingerprint import Fingerprints
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.digest import digest_parts
from mutproof.model import sorts, terms
from mutproof.model.program import ElementId
from mutproof.model.sorts import IntSort, Sort
from mutproof.model.system import (
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.validity import Validities, Validity

_MODELS = {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.UNKNOWN}


def with_functions(
    baseline: Baseline,
    mutants: Sequence[Mutant],
    found: Mapping[str, MutantFinding],
    means: Means,
) -> Iterator[MutantFinding]:
    """Yield the findings of the mutants that are models with the names of their functions."""
    chosen = [m for m in mutants if m.id in found and found[m.id].status in _MODELS]
    lowered = Mutants(baseline, chosen).lowered(means.check_cancelled)
    system = lowered.system
    prints = Fingerprints(baseline, system, None)
    validities = Validities({name: _sort(one) for name, one in system.variables.items()})
    first: dict[str, Variant] = {}  # of each function; the model of each element has no name
    begun: set[ElementId] = set()
    for mutant in chosen:
        means.check_cancelled()
        variant = lowered.claims[mutant.id].variant
        function = mutant.id
        if variant.system is None:
            if mutant.element not in begun:
                begun.add(mutant.element)
                own = _unchanged(system, variant)
                first[prints.function(mutant.element, own, system)] = own
            function = prints.function(mutant.element, variant, system)
            other = first.setdefault(function, variant)
            statement = _same(variant, other)
            if statement is not terms.TRUE and (
                validities.of(statement, means.small) is not Validity.VALID
            ):
                function = digest_parts(function, mutant.id).hex()
            elif not other.name:
                function = ""
        yield replace(found[mutant.id], function=function)


def _unchanged(system: TransitionSystem, variant: Variant) -> Variant:
    """Return the variant without a name that keeps what another one changes."""
    removed = variant.removed
    kept = (c for owner in sorted(removed) for c in system.by_owner.get(owner, ()))
    return Variant("", removed, tuple(kept))


def _same(one: Variant, other: Variant) -> Term:
    """Return that the constraints of two variants of an element allow the same, kind by kind."""
    return terms.conjunction(
        terms.eq(here, there)
        for kind in ConstraintKind
        if (here := _stated(one, kind)) is not (there := _stated(other, kind))
    )


def _stated(variant: Variant, kind: ConstraintKind) -> Term:
    return terms.conjunction(c.term for c in variant.constraints if c.kind is kind)


def _sort(variable: SystemVariable) -> Sort:
    """Return the values that a variable may have: bounds of what is defined need not hold."""
    free = variable.kind in {SystemVariableKind.INPUT, SystemVariableKind.STATE}
    return variable.sort if free or not isinstance(variable.sort, IntSort) else sorts.INT
