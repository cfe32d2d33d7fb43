"""Parts of a system around a term that end at truth values between loops.

A loop is what depends on itself from one state to the next. No part ends inside one: its variables
would take values together that they never have. What a part leaves out leaves truth values that the
rest reads any value, so that it takes all steps of the whole.
Source: Kurshan, Computer-Aided Verification of Coordinating Processes, Princeton 1994.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from mutproof.base.digraph import cyclic_components
from mutproof.model import walk
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term

NONE: AbstractSet[str] = frozenset()


def loops(system: TransitionSystem) -> dict[str, int]:
    """Return the number of the loop of each variable that is in one."""
    graph: dict[str, AbstractSet[str]] = {**dict.fromkeys(system.variables, NONE), **_reads(system)}
    components = enumerate(cyclic_components(graph))
    return {name: number for number, component in components for name in component}


def part(
    system: TransitionSystem, goal: Term, distance: int, looped: Mapping[str, int]
) -> TransitionSystem | None:
    """Return the part so many loops away from those that a term reads; None if it is the whole.

    `looped` are the loops of this system, or of one that hardly differs.
    """
    reads = _reads(system)
    names, left_out = _around(system, goal, distance, looped=looped, reads=reads)
    if not left_out:
        return None
    stated = {None, *names} - left_out  # None: assertions
    kept = tuple(
        constraint
        for constraint, own in zip(system.constraints, system.reads, strict=True)
        if constraint.defines in stated and own <= names
    )
    variables = {name: v for name, v in system.variables.items() if name in names}
    return replace(system, variables=variables, constraints=kept)


def _reads(system: TransitionSystem) -> dict[str, set[str]]:
    """Return the variables that definitions read, by the variable that they define."""
    found: dict[str, set[str]] = {}
    for constraint, names in zip(system.constraints, system.reads, strict=True):
        if constraint.defines is not None:
            found.setdefault(constraint.defines, set()).update(names - {constraint.defines})
    return found


def _around(
    system: TransitionSystem,
    goal: Term,
    distance: int,
    *,
    looped: Mapping[str, int],
    reads: Mapping[str, AbstractSet[str]],
) -> tuple[AbstractSet[str], AbstractSet[str]]:
    """Return the variables of a part, and those of them that it leaves without a definition."""
    away = dict.fromkeys(sorted(walk.variables(goal)), 0)
    queue, left_out = deque(away), dict[str, None]()
    while queue:
        name = queue.popleft()
        loop = looped.get(name)
        for read in sorted(reads.get(name, ())):
            is_within = loop is not None and looped.get(read) == loop
            steps = away[name] + (loop is not None and not is_within)
            may_be_cut = system.variables[read].sort == BOOL and read in reads and not is_within
            if steps > distance and may_be_cut:
                left_out[read] = None
            elif steps < away.get(read, steps + 1):
                away[read] = steps
                queue.append(read)
    cut = left_out.keys() - away.keys()
    names = {*away, *cut}
    # What reads nothing else may keep its definition.
    return names, frozenset(name for name in cut if not reads[name] <= names)
