"""How large systems are for diagrams and solvers: by values, states and terms."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import chain, islice
from math import prod

from mutproof.analyses.claims.scope import scope
from mutproof.model import slice as slicing
from mutproof.model import sorts, walk
from mutproof.model.sorts import IntSort, Sort, WordSort
from mutproof.model.system import TransitionSystem

WIDE = 1 << 16
"""From how many values of a number on solvers come first: diagrams may take a step for each."""

LARGE = 2_000
"""From how many subterms on few states are left to diagrams: solvers are slow then."""

MANY = 1 << 20
"""The number of states from which on they are not few, inputs included."""

FEW = 1 << 14
"""Up to how many states diagrams take no longer than solvers do for hard questions."""


def has_wide_numbers(system: TransitionSystem) -> bool:
    """Tell whether a variable has so many values that diagrams may take long."""
    known: Sort | None = None
    for variable in system.variables.values():
        sort = variable.sort
        if sort is known:  # so are those of the cells of an array
            continue
        known = sort
        if isinstance(sort, WordSort | IntSort) and (count(sort) or 0) >= WIDE:
            return True
    return False


def is_table(part: TransitionSystem) -> bool:
    """Tell whether terms are large and states few, so that diagrams are quicker than solvers."""
    if states(part) >= MANY or has_wide_numbers(part):
        return False
    roots = chain((p.term for p in part.properties), (c.term for c in part.constraints))
    first = islice(chain.from_iterable(map(walk.subterms, roots)), LARGE)
    return sum(1 for _ in first) == LARGE


def states(part: TransitionSystem) -> int:
    """Return how many states a system may have, inputs included; if not known, at least MANY."""
    return prod(count(sort) or MANY for sort in own_sorts(part))


def of_few_states(system: TransitionSystem, names: Iterable[str]) -> list[str]:
    """Return the properties that depend on few states."""
    asked = [*names]
    surely = dependent(system, asked, FEW)
    return [n for n in asked if n not in surely and states(scope(system, (n,))) <= FEW]


def dependent(system: TransitionSystem, names: Iterable[str], most: int) -> set[str]:
    """Return properties that surely depend on more than so many states, found without all of them.

    Others may do so too.
    """
    about: dict[str, list[int]] = {}
    for place, constraint in enumerate(system.constraints):
        target = constraint.defines or slicing.assigned(constraint)
        if target is not None:
            about.setdefault(target, []).append(place)
    own = {v: system.variables[v].sort for v in system.variables.keys() - system.equations.keys()}
    found = set[str]()
    for name in names:
        queue = [*walk.variables(system.property(name).term)]
        seen, states = {*queue}, 1
        while queue and states <= most:
            one = queue.pop()
            states *= (count(own[one]) or MANY) if one in own else 1
            fresh = set[str]().union(*(system.reads[n] for n in about.get(one, ()))) - seen
            seen |= fresh
            queue += fresh
        if states > most:
            found.add(name)
    return found


def own_sorts(part: TransitionSystem) -> list[Sort]:
    """Return the sorts of the variables that no equation defines in every state."""
    return [v.sort for name, v in part.variables.items() if name not in part.equations]


def count(sort: Sort) -> int | None:
    """Return how many values a sort has; None if they cannot be listed."""
    match sort:
        case WordSort(width=width):
            return 1 << width
        case IntSort(low=int(low), high=int(high)):
            return high - low + 1
    values = sorts.domain(sort)
    return None if values is None else len(values)
