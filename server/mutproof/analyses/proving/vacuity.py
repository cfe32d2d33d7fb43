"""Whether constraints leave a model without executions, or end some of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import suppress

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.proving import solutions, successors
from mutproof.analyses.proving.wording import survivors_change
from mutproof.base.budget import Deadline
from mutproof.base.digest import digest_parts
from mutproof.model.execution import Execution
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import implied
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

STEPS = 3
"""Executions of a model without one of this many states are taken to end too soon."""


Run = Callable[[Choices], "Execution | None"]
"""Run the model on choices."""


def faults(
    system: TransitionSystem, means: Means, memory: ProofMemory, run: Run
) -> tuple[ModelFinding, ...]:
    """Return whether constraints leave a system without executions, or end them.

    What is kept counts only where the same constraints could: an assignment may state the same.
    """
    restricting = [c.digest for c in system.constraints if _may_block(c)]
    if not restricting:
        return ()
    known, key = memory.faults, digest_parts(system.digest, *sorted(restricting))
    if key not in known:
        known.clear()
        known[key] = _faults(system, means, memory.fulfilling, run)
    return known[key]


def _may_block(constraint: Constraint) -> bool:
    return constraint.defines is None and not constraint.never_blocks


def emptying(fault: ModelFinding) -> str:
    """Return why no property could fail because of a fault; empty if one could."""
    return fault.message if fault.empties else ""


def deeper(
    system: TransitionSystem, means: Means, known: Sequence[ModelFinding], run: Run, *, steps: int
) -> ModelFinding | None:
    """Return an end of executions within as many steps as proofs have; None: none was found."""
    left = [fault for fault in known if fault.fault is ModelFault.PERHAPS_DEAD_END]
    if not left:
        return None
    from mutproof.analyses.proving import dead_ends  # slow to import, and rarely needed

    found = dead_ends.longest(system, means, steps, dear=True)
    if found.kind is dead_ends.End.EVERYWHERE:
        return _all_end(system, found.steps)
    if system.relational or steps <= dead_ends.FIRST_STEPS:
        return None
    stuck = dead_ends.within(system, means, steps)
    return None if stuck is None else _somewhere(system, stuck, run)


def _faults(
    system: TransitionSystem, means: Means, known: dict[int, Choices], run: Run
) -> tuple[ModelFinding, ...]:
    length = longest_execution(system, means, known)
    if length == 0:
        message = "no state satisfies all constraints on the first state, so every property holds"
        if solutions.open_values(system):
            message = f"the {restrictions(system)} have no solution at step 0: every property holds"
        return (ModelFinding(ModelFault.NO_INITIAL_STATE, message),)
    if length is not None:
        return (_all_end(system, length),)
    return (_end_of_states(system, means) if system.relational else _end(system, means, run),)


def _end(system: TransitionSystem, means: Means, run: Run) -> ModelFinding:
    """Return a finding on whether executions of a Lustre program end."""
    from mutproof.analyses.proving import dead_ends

    found = dead_ends.ends(system, means)
    match found.kind:
        case dead_ends.End.EVERYWHERE:
            return _all_end(system, found.steps)
        case dead_ends.End.NOWHERE:
            return ModelFinding(ModelFault.NO_DEAD_END, _none(system))
        case dead_ends.End.SOMEWHERE if found.choices is not None:
            shown = _somewhere(system, found.choices, run)
            if shown is not None:
                return shown
    return _perhaps(system, found.steps, found.excluded)


def _somewhere(system: TransitionSystem, choices: Choices, run: Run) -> ModelFinding | None:
    """Return a finding that an execution ends; None if the replay does not confirm it."""
    execution = run(choices)
    if execution is None or not execution.assumed:
        return None
    message = f"after {_counted(len(choices.steps))} no input satisfies the {restrictions(system)}:"
    message = f"{message} nothing after that is checked"
    return ModelFinding(ModelFault.DEAD_END, message, trace=execution.trace)


def _end_of_states(system: TransitionSystem, means: Means) -> ModelFinding:
    """Return a finding on whether states of a NuSMV model have no successor."""
    from mutproof.analyses.proving import dead_ends
    from mutproof.solving.bdd.dead_end import dead_end

    if implied.all_are_implied(system):
        return ModelFinding(ModelFault.NO_DEAD_END, _none(system))
    trace, reason = dead_end(system, Deadline.after(means.small.timeout_s))
    if trace is not None:
        message = f"a state after {_counted(trace.length - 1)} has no successor"
        message = f"{message}: CTL and LTL do not see it"
        return ModelFinding(ModelFault.DEAD_END, message, trace=trace)
    if not reason or successors.is_total(system, means):
        return ModelFinding(ModelFault.NO_DEAD_END, _none(system))
    found = dead_ends.longest(system, means, dead_ends.DEPTH)
    if found.kind is dead_ends.End.EVERYWHERE:
        return _all_end(system, found.steps)
    return _perhaps(system, found.steps)


def _all_end(system: TransitionSystem, length: int) -> ModelFinding:
    why = "have no solution" if solutions.open_values(system) else "contradict each other"
    message = f"the {restrictions(system)} {why}: {too_short(system, length)}"
    return ModelFinding(ModelFault.DEAD_END, message)


def _none(system: TransitionSystem) -> str:
    return f"no dead end, proved: the {restrictions(system)} always let executions go on"


def _perhaps(system: TransitionSystem, steps: int, excluded: int = 0) -> ModelFinding:
    reached = f"the {restrictions(system)} allow {_counted(steps)}" if steps else "nothing is known"
    if excluded:
        reached = f"{reached}, and none of the first {excluded} is a dead end"
    message = f"no dead end was found, but none is ruled out: {reached}"
    return ModelFinding(ModelFault.PERHAPS_DEAD_END, message)


def lasting(known: Sequence[ModelFinding]) -> bool | None:
    """Return whether all executions of a model go on by what is `known`; None: that is open."""
    found = {fault.fault for fault in known if not fault.survivors}
    if not found.isdisjoint({ModelFault.NO_INITIAL_STATE, ModelFault.DEAD_END}):
        return False
    return None if ModelFault.PERHAPS_DEAD_END in found else True


def not_followed(system: TransitionSystem, survivors: int) -> ModelFinding:
    """Return the finding that ends of executions of survivors were sought in STEPS steps only."""
    message = (
        f"{survivors_change(survivors)} what the {restrictions(system)} read: whether their"
        f" executions go on was checked for {STEPS} steps only"
    )
    return ModelFinding(ModelFault.PERHAPS_DEAD_END, message, survivors=survivors)


def _counted(steps: int) -> str:
    return f"{steps} step{'' if steps == 1 else 's'}"


def restrictions(system: TransitionSystem) -> str:
    """Return what the system's language calls the statements that exclude executions."""
    if system.relational:
        return "constraints"
    if not solutions.open_values(system):
        return "assertions"
    stated = any(c.owner and c.owner.kind == "assert" for c in system.constraints)
    return "assertions and the equations of loops" if stated else "equations of loops"


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

    `known` are executions by length, perhaps of other systems; one of this system is added.
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
    """Tell whether choices made for another version of a system are an execution of it."""
    if system.relational:
        return False
    try:
        return simulator(system).fulfils(choices)
    except (CyclicDefinitions, ArithmeticError):
        return False
