"""How messages word values, inputs and numbers of survivors."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.claims.finding import ModelFinding
from mutproof.model.sorts import Value
from mutproof.model.system import SystemVariableKind, TransitionSystem

MOST_SHOWN = 6
"""How many inputs a message names."""


def inputs(system: TransitionSystem, step: Mapping[str, Value]) -> Mapping[str, Value]:
    """Return the values of the inputs of a system at a step."""
    return {
        name: step[name]
        for name, declared in system.variables.items()
        if declared.kind is SystemVariableKind.INPUT and name in step
    }


def with_inputs(given: Mapping[str, Value]) -> str:
    """Return ` with x = 1, y = true`, or nothing where there are no inputs."""
    if not given:
        return ""
    told = [f"{name} = {shown(value)}" for name, value in given.items()][:MOST_SHOWN]
    more = ", ..." if len(given) > MOST_SHOWN else ""
    return f" with {', '.join(told)}{more}"


def shown(value: Value) -> str:
    """Return a value as messages show it."""
    return str(value).lower() if isinstance(value, bool) else str(value)


def survivors_change(survivors: int) -> str:
    """Return the words with which a message about this many survivors begins."""
    return f"{survivors} survivor{' changes' if survivors == 1 else 's change'}"


def said_together(findings: Sequence[ModelFinding]) -> tuple[ModelFinding, ...]:
    """Merge findings of one kind about parts of the survivors of a model into one, if any."""
    if not findings:
        return ()
    first, survivors = findings[0], sum(found.survivors for found in findings)
    about = first.message.removeprefix(survivors_change(first.survivors))
    message = survivors_change(survivors) + about
    return (replace(first, message=message, survivors=survivors),)
