"""Whether what is proved says anything: constraints that end all executions, idle premises.

Source: Beer, Ben-David, Eisner and Rodeh, Efficient Detection of Vacuity in Temporal Model
Checking, FMSD 2001, for implications whose premise never holds.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mutproof.analyses.finding import ModelFault, ModelFinding
from mutproof.analyses.means import Means
from mutproof.analyses.temporal import never_blocks
from mutproof.base.budget import Deadline
from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.system import ConstraintKind, SystemProperty, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving import bdd, portfolio
from mutproof.solving.solver import Answer, Effort
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Proved
from mutproof.solving.z3_solver import new_solver

STEPS = 3
"""Executions of a model without one of this many states are taken to end too soon."""

IDLE_PREMISE = "its premise never holds"

_WHOLE = frozenset({Op.AG, Op.G, Op.H})
_GOAL = "premise"


def faults(system: TransitionSystem, means: Means) -> tuple[ModelFinding, ...]:
    """Return whether constraints leave a system without executions, or end them."""
    restricting = [c for c in system.constraints if c.defines is None and not never_blocks(c)]
    if not restricting:
        return ()
    length = longest_execution(system, means)
    if length == 0:
        message = "no state satisfies all that is asked of first states: every property holds"
        return (ModelFinding(ModelFault.NO_INITIAL_STATE, message),)
    if length is not None:
        message = f"the {restrictions(system)} contradict each other: {too_short(system, length)}"
        return (ModelFinding(ModelFault.DEAD_END, message),)
    if not system.relational:
        return ()
    trace = bdd.dead_end(system, Deadline.after(means.small.timeout_s))
    if trace is None:
        return ()
    before = trace.length - 1
    steps = f"{before} step{'' if before == 1 else 's'}"
    message = f"a state after {steps} has no successor: CTL and LTL do not see it"
    return (ModelFinding(ModelFault.DEAD_END, message, trace=trace),)


def restrictions(system: TransitionSystem) -> str:
    """Return what its language calls the statements that leave out executions of a system."""
    return "constraints" if system.relational else "assertions"


def too_short(system: TransitionSystem, length: int) -> str:
    """Say that no execution of a system goes on after `length` steps or, in NuSMV, states."""
    noun = "state" if system.relational else "step"
    if not length:
        return f"no execution has a first {noun}"
    return f"no execution has more than {length} {noun}{'' if length == 1 else 's'}"


def longest_execution(system: TransitionSystem, means: Means) -> int | None:
    """Return the number of states of the longest executions; None: STEPS or more, or unknown."""
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True)
    for frame in range(STEPS):
        unrolling.frame(frame)
        answer = solver.check((), Effort(means.middle.rlimit, means.middle.timeout_s))
        if answer is Answer.UNSAT:
            return frame
        if answer is Answer.UNKNOWN:
            return None
    return None


def premise(system: TransitionSystem, name: str) -> Term | None:
    """Return when a property asks for something, if it is an implication, at all times or always.

    A property that is the name of a defined variable is looked up.
    """
    term = system.property(name).term
    if term.op in _WHOLE and term.payload is None:
        term = term.args[0]
    if term.op is Op.VAR:
        term = _definitions(system).get(str(term.payload), term)
    if term.op is not Op.IMPLIES:
        return None
    return None if _is_temporal(term.args[0]) else term.args[0]


def _definitions(system: TransitionSystem) -> Mapping[str, Term]:
    return {
        constraint.defines: constraint.term.args[1]
        for constraint in system.constraints
        if constraint.defines is not None and constraint.kind is ConstraintKind.INVAR
    }


def _is_temporal(term: Term) -> bool:
    known = BRANCHING_TIME | LINEAR_TIME | {Op.NEXT_VAR}
    return any(part.op in known for part in walk.subterms(term))


def never_holds(system: TransitionSystem, term: Term, means: Means) -> bool:
    """Tell whether it is proved that a condition holds in no reachable state."""
    asked = SystemProperty(_GOAL, terms.not_(term), PropertyKind.INVARIANT)
    part = slicing.cone(replace(system, properties=(asked,)), (_GOAL,))
    outcome = portfolio.prove(
        part,
        means.small,
        portfolio.Options(
            engines=("bmc", "k-induction"), smooth=False, cores=False, spacer=means.spacer
        ),
        goals=[_GOAL],
    )
    return isinstance(outcome.verdicts[_GOAL], Proved)
