"""Cone of influence: the part of a system that a property can depend on.

Source: Clarke, Grumberg and Peled, Model Checking, MIT Press 1999, section 13.1.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.model import walk
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Term


def cone(system: TransitionSystem, goals: Iterable[str]) -> TransitionSystem:
    """Return the part of the system that the goals (names of properties) depend on.

    Beside what defines the variables read, that is every constraint that shares a variable
    with the part: it may exclude values. Constraints over other variables only are left out:
    executions that they end are not seen as ended. The other properties are dropped.
    """
    chosen = frozenset(goals)
    stated = tuple(found for found in system.properties if found.name in chosen)
    kept, names = _closure(system, (found.term for found in stated))
    return TransitionSystem(
        {name: declared for name, declared in system.variables.items() if name in names},
        tuple(c for index, c in enumerate(system.constraints) if index in kept),
        stated,
    )


def cone_of_terms(system: TransitionSystem, terms: Iterable[Term]) -> frozenset[str]:
    """Return the variables that the terms depend on."""
    return _closure(system, terms)[1]


def _closure(
    system: TransitionSystem, terms: Iterable[Term]
) -> tuple[frozenset[int], frozenset[str]]:
    """Return the indices of the constraints and the names of the variables in the cone."""
    reads = [walk.variables(constraint.term) for constraint in system.constraints]
    triggers: dict[str, list[int]] = {}
    for index, constraint in enumerate(system.constraints):
        for name in _triggering(constraint, reads[index]):
            triggers.setdefault(name, []).append(index)
    # Constraints over no variable decide whether there are executions at all.
    kept = {index for index, names in enumerate(reads) if not names}
    names: set[str] = set()
    queue = [name for term in terms for name in sorted(walk.variables(term))]
    while queue:
        name = queue.pop()
        if name in names:
            continue
        names.add(name)
        for index in triggers.get(name, ()):
            if index not in kept:
                kept.add(index)
                queue.extend(sorted(reads[index] - names))
    return frozenset(kept), frozenset(names)


def _triggering(constraint: Constraint, reads: frozenset[str]) -> frozenset[str]:
    """Return the variables that pull the constraint in: the defined one, or all it reads."""
    return reads if constraint.defines is None else frozenset({constraint.defines})
