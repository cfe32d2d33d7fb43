"""Findings about instantaneous loops with several solutions, or with none."""

from __future__ import annotations

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ModelFault, ModelFinding
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.proving import solutions, wording
from mutproof.model.interpretation import Interpretation
from mutproof.model.system import TransitionSystem


def faults(
    system: TransitionSystem, meaning: Interpretation, means: Means, memory: ProofMemory
) -> tuple[ModelFinding, ...]:
    """Return findings for loops known to have several solutions, or none for some inputs."""
    if not solutions.open_values(system):
        return ()
    if system.digest not in memory.loops:
        memory.loops.clear()
        memory.loops[system.digest] = _faults(system, meaning, means)
    return memory.loops[system.digest]


def _faults(
    system: TransitionSystem, meaning: Interpretation, means: Means
) -> tuple[ModelFinding, ...]:
    found = []
    if not solutions.is_unique(system, means):
        several = solutions.several(system, meaning, means)
        if several is not None:
            one, other = (wording.shown(value) for value in several.values)
            step = several.trace.length - 1
            inputs = wording.inputs(system, several.trace.steps[-1])
            message = (
                f"a loop has several solutions: at step {step}, {several.name} may be"
                f" {one} or {other}{wording.with_inputs(inputs)}"
            )
            found.append(ModelFinding(ModelFault.AMBIGUOUS_LOOP, message, trace=several.trace))
    unsolved = solutions.unsolved(system, means)
    if unsolved is not None:
        message = (
            f"a loop may have no solution: at step {unsolved.step}, no values satisfy its"
            f" equations{wording.with_inputs(unsolved.inputs)}"
        )
        found.append(ModelFinding(ModelFault.UNSOLVABLE_LOOP, message))
    return tuple(found)
