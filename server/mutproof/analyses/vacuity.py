"""Whether a model has executions at all, and all that its language gives it."""

from __future__ import annotations

from contextlib import suppress

from mutproof.analyses.finding import ModelFault, ModelFinding
from mutproof.analyses.means import Means
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.analyses.temporal import never_blocks
from mutproof.base.budget import Deadline
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import bdd
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

STEPS = 3
"""Executions of a model without one of this many states are taken to end too soon."""


def faults(system: TransitionSystem, means: Means, memory: ProofMemory) -> tuple[ModelFinding, ...]:
    """Return whether constraints leave a system without executions, or end them."""
    known = memory.faults
    if system.digest not in known:
        known.clear()
        known[system.digest] = _faults(system, means, memory.fulfilling)
    return known[system.digest]


def _faults(
    system: TransitionSystem, means: Means, known: dict[int, Choices]
) -> tuple[ModelFinding, ...]:
    restricting = [c for c in system.constraints if c.defines is None and not never_blocks(c)]
    if not restricting:
        return ()
    length = longest_execution(system, means, known)
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


def longest_execution(
    system: TransitionSystem, means: Means, known: dict[int, Choices]
) -> int | None:
    """Return the number of states of the longest executions; None: STEPS or more, or unknown.

    `known` are executions by their length, perhaps of other systems; one of this is added.
    """
    if STEPS in known and _runs(system, known[STEPS]):
        return None
    solver = new_solver()
    unrolling = Unrolling(solver, system, initial=True)
    for frame in range(STEPS):
        unrolling.frame(frame)
        answer = solver.check((), Effort(means.middle.rlimit, means.middle.timeout_s))
        if answer is Answer.UNSAT:
            return frame
        if answer is Answer.UNKNOWN:
            return None
    if not system.relational:
        with suppress(NotRepresentableError):
            known[STEPS] = unrolling.choices(STEPS - 1)
    return None


def _runs(system: TransitionSystem, choices: Choices) -> bool:
    """Tell whether choices of another version of a system are an execution of it."""
    if system.relational:
        return False
    try:
        return simulator(system).fulfils(choices)
    except (CyclicDefinitions, ArithmeticError):
        return False
