"""Whether executions of a NuSMV model go on: by what it is made of, by a solver, or in diagrams.

A solver is asked whether some state has no successor, which bounds no value; diagrams tell of those
states alone that are reached.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterable, Mapping, Sequence
from enum import Enum

from mutproof.analyses.checking.means import Means
from mutproof.base.budget import Deadline
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import continuation, implied
from mutproof.solving.solver import Answer, Effort, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

STEPS = 8
"""States without successor are sought among those after fewer steps than this."""

MOST_VALUES = 16
"""The most combinations of values that are tried for the next state."""

_DEFINED = SystemVariableKind.DEFINED


class Successors(Enum):
    """Say whether every reachable state of a model is known to have a successor."""

    ALWAYS = "always"
    MISSING = "missing"  # some reachable state has none
    UNKNOWN = "unknown"


def of(
    system: TransitionSystem, means: Means, deadline: Deadline, known: Sequence[Term] = ()
) -> Successors:
    """Return whether all reachable states of a model have a successor; it has an initial one.

    What is `known` holds in all reachable states.
    """
    if system.never_blocks or implied.all_are_implied(system):
        return Successors.ALWAYS
    if is_total(system, means, known):
        return Successors.ALWAYS
    from mutproof.solving.bdd.dead_end import dead_end  # slow to import

    trace, reason = dead_end(system, deadline)
    if trace is not None or (reason and ends(system, means)):
        return Successors.MISSING
    return Successors.UNKNOWN if reason else Successors.ALWAYS


def is_total(system: TransitionSystem, means: Means, known: Sequence[Term] = ()) -> bool:
    """Tell whether a solver shows that each initial state, and each that follows one, goes on.

    States of which something `known` does not hold are left out.
    """
    return continuation.is_total(system, _effort(means), known)


def stays(system: TransitionSystem, means: Means, changing: frozenset[str]) -> bool:
    """Tell whether a solver shows that each state goes on to one alike but in `changing` variables.

    Some state must be initial. Initial states are asked about, and those that follow a state.
    Nothing is quantified: all values of the few variables are tried.
    """
    effort, steps = _effort(means), _alike(system, changing)
    try:
        for frame in (0, 1):
            unrolling = Unrolling(new_solver(), system, initial=frame == 0)
            unrolling.frame(frame)
            solver = unrolling.solver
            if frame == 0 and solver.check((), effort) is not Answer.SAT:
                return False
            for step in steps:
                solver.add(solver.negation(unrolling.term(step, frame)))
            if solver.check((), effort) is not Answer.UNSAT:
                return False
    except SolvingError:
        return False
    return True


def _alike(system: TransitionSystem, changing: frozenset[str]) -> list[Term]:
    """Return conditions of states under each of which a state alike follows."""
    limits = [c.term for c in system.constraints if c.kind is ConstraintKind.TRANS]
    named = dict.fromkeys(
        part for term in limits for part in walk.subterms(term) if part.op is Op.NEXT_VAR
    )
    same = {part: terms.var(str(part.payload), part.sort) for part in named}
    conditions = [same]
    chosen = [part for part in named if part.payload in changing]
    if _follow_freely(system, named):
        ranges = [sorts.domain(system.variables[str(part.payload)].sort) for part in chosen]
        known = [values for values in ranges if values is not None]
        if len(known) == len(chosen) and math.prod(map(len, known)) <= MOST_VALUES:
            for values in itertools.product(*known):
                constants = map(terms.const, values, (part.sort for part in chosen))
                conditions.append(same | dict(zip(chosen, constants, strict=True)))
    return [
        terms.conjunction([walk.substituted(term, condition) for term in limits])
        for condition in conditions
    ]


def _follow_freely(system: TransitionSystem, named: Iterable[Term]) -> bool:
    """Tell whether steps limit variables alone that no definition or invariant limits too."""
    invariant = [c for c in system.constraints if c.kind is ConstraintKind.INVAR]
    defined = {name for name, v in system.variables.items() if v.kind is _DEFINED}
    return all(one.defines in defined for one in invariant) and not any(
        part.payload in defined for part in named
    )


def ends(system: TransitionSystem, means: Means) -> bool:
    """Tell whether a solver finds a state without successor after a few steps."""
    effort = _effort(means)
    try:
        for frame in range(STEPS):
            means.check_cancelled()
            asked = continuation.stuck(system, frame, initial=True)
            answer = asked.solver.check((), effort)
            if answer is Answer.SAT and _is_stuck(system, asked.valuation(frame), effort):
                return True
            if answer is not Answer.UNSAT:
                return False
    except SolvingError:
        pass
    return False


def _is_stuck(system: TransitionSystem, state: Mapping[str, Value], effort: Effort) -> bool:
    """Tell whether a solver shows that a state, given by all its values, has no successor."""
    unrolling = Unrolling(new_solver(), system, initial=False)
    solver = unrolling.solver
    unrolling.frame(0)
    for name, value in state.items():
        literal = solver.literal_value(value, system.variables[name].sort)
        solver.add(solver.equal(unrolling.variable(name, 0), literal))
    if solver.check((), effort) is not Answer.SAT:
        return False
    unrolling.frame(1)
    return solver.check((), effort) is Answer.UNSAT


def _effort(means: Means) -> Effort:
    units = continuation.UNITS
    return Effort(min(means.small.rlimit or units, units), means.small.timeout_s)
