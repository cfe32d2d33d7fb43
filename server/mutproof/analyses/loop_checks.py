"""What people are told about instantaneous loops with several solutions, or with none."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses import solutions
from mutproof.analyses.finding import ModelFault, ModelFinding
from mutproof.analyses.means import Means
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.model.interpretation import Interpretation
from mutproof.model.sorts import Value
from mutproof.model.system import TransitionSystem

MOST_SHOWN = 6
"""How many inputs a message names."""


def faults(
    system: TransitionSystem, meaning: Interpretation, means: Means, memory: ProofMemory
) -> tuple[ModelFinding, ...]:
    """Return whether loops have other than one solution, as far as that is found out."""
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
            one, other = (_shown(value) for value in several.values)
            step = several.trace.length - 1
            message = (
                f"a loop has several solutions: at step {step}, {several.name} may be"
                f" {one} or {other}{_with(_inputs(system, several.trace.steps[-1]))}"
            )
            found.append(ModelFinding(ModelFault.AMBIGUOUS_LOOP, message, trace=several.trace))
    unsolved = solutions.unsolved(system, means)
    if unsolved is not None:
        message = (
            f"a loop may have no solution: at step {unsolved.step}, no values satisfy its"
            f" equations{_with(unsolved.inputs)}"
        )
        found.append(ModelFinding(ModelFault.UNSOLVABLE_LOOP, message))
    return tuple(found)


def _inputs(system: TransitionSystem, step: Mapping[str, Value]) -> Mapping[str, Value]:
    return {
        name: step[name]
        for name, declared in system.variables.items()
        if declared.kind.value == "input" and name in step
    }


def _with(inputs: Mapping[str, Value]) -> str:
    if not inputs:
        return ""
    shown = [f"{name} = {_shown(value)}" for name, value in inputs.items()][:MOST_SHOWN]
    more = ", ..." if len(inputs) > MOST_SHOWN else ""
    return f" with {', '.join(shown)}{more}"


def _shown(value: Value) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
