"""Cone of influence: the part of a system that a property can depend on.

Source: Clarke, Grumberg and Peled, Model Checking, MIT Press 1999, section 13.1.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from mutproof.model import walk
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term


def cone(system: TransitionSystem, goals: Iterable[str]) -> TransitionSystem:
    """Return the part of the system that the goals (names of properties) depend on.

    Beside what defines the variables read, that is every constraint (an assertion) that
    depends, through definitions, on a variable of the part: it may exclude values. Constraints
    over other variables only are left out: executions that they end are not seen as ended.
    The other properties are dropped.
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
    definers: dict[str, list[int]] = {}
    for index, constraint in enumerate(system.constraints):
        if constraint.defines is not None:
            definers.setdefault(constraint.defines, []).append(index)
    # A constraint that defines nothing restricts all that it depends on.
    restrictions = [
        (index, _defined(reads[index], definers, reads))
        for index, constraint in enumerate(system.constraints)
        if constraint.defines is None
    ]
    # Constraints over no variable decide whether there are executions at all.
    kept = {index for index, (_, names) in restrictions if not names}
    start = {name for term in terms for name in walk.variables(term)}
    indices, names = _defined(start, definers, reads)
    kept |= indices
    waiting = [entry for entry in restrictions if entry[0] not in kept]
    size = -1
    while size != len(kept):
        size = len(kept)
        for index, (needed, depends_on) in list(waiting):
            if depends_on & names:
                kept |= {index} | needed
                names |= depends_on
                waiting.remove((index, (needed, depends_on)))
    return frozenset(kept), frozenset(names)


def _defined(
    start: Iterable[str], definers: Mapping[str, list[int]], reads: Sequence[frozenset[str]]
) -> tuple[set[int], set[str]]:
    """Return the constraints that define the variables, what these read, and so on; and names."""
    kept: set[int] = set()
    names: set[str] = set()
    queue = sorted(start)
    while queue:
        name = queue.pop()
        if name not in names:
            names.add(name)
            for index in definers.get(name, ()):
                kept.add(index)
                queue.extend(sorted(reads[index] - names))
    return kept, names
