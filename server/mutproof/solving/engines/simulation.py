"""Random executions, in which properties fail that hold in all first states.

Bounded search slows down with each step, executions do not. What they violate is shortened, and a
solver confirms it like any other counterexample.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace
from random import Random

from mutproof.base.budget import Budget
from mutproof.model import delta_debugging, long_executions, simulate
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving import completion
from mutproof.solving.engine import Engine, Falsified, Finding, Stuck, Task, Worked
from mutproof.solving.engines.bmc import FRAME_COST

STEPS = 160
"""The least steps of an execution; more where timers take longer to run out."""

MOST_VALUES = 2_000_000
"""How many values are computed in all; each is charged as a unit."""

EFFORT = 4_000_000
"""What a solver may take to confirm an execution: most of it is to read the question."""

TRIES = 60
"""How often it is tried to leave out steps of an execution that violates a goal."""


def run(task: Task) -> Iterator[Finding]:
    """Run executions as long as any goal is open, and report what they violate."""
    system = task.system
    size = len(system.constraints)
    steps = max(STEPS, long_executions.timer_steps(system))
    steps = min(steps, MOST_VALUES // (size or 1))
    if not _runs_forward(system) or steps < STEPS:
        yield Stuck("executions are not run")
        return
    try:
        simulator = simulate.simulator(system)
    except CyclicDefinitions:
        yield Stuck("executions are not run")
        return
    task.charge(size)
    source, left = Random(0), MOST_VALUES
    for habits in long_executions.variety(simulator, source):
        choices, rows = long_executions.abiding(simulator, source, steps, habits)
        if rows:  # memories that the system itself gives a first value have that
            begun = {name: rows[0][simulator.index[name]] for name in choices.before}
            choices = replace(choices, before=begun)
        left -= size * max(1, len(rows))
        task.charge(size * max(1, len(rows)))
        failed = simulator.violations(rows, choices.functions)
        for name in sorted(failed, key=lambda name: (failed[name], name)):
            if name in task.goals:
                yield from _failure(task, simulator, name, _cut(choices, failed[name] + 1))
        yield Worked()
        if left < size * steps:
            break
    yield Stuck("no execution that was tried violates what is open")


def _runs_forward(system: TransitionSystem) -> bool:
    """Tell whether each state follows from the one before and from inputs."""
    return not system.relational and all(
        c.defines is not None or c.kind is ConstraintKind.INVAR for c in system.constraints
    )


def _failure(task: Task, simulator: Simulator, name: str, choices: Choices) -> Iterator[Finding]:
    """Report what a short form of an execution that violates a goal violates in its last step."""
    choices, failed = _shortened(task, simulator, name, choices)
    last = len(choices.steps) - 1
    goals = tuple(goal for goal in task.goals if failed.get(goal) == last)
    found = Falsified(goals, choices, last)
    budget = Budget(EFFORT, task.budget.timeout_s)
    task.charge(len(task.system.constraints) * FRAME_COST * len(choices.steps))
    confirmed = completion.completed(task.workshop, task.system, found, budget)
    if confirmed is not None:
        yield replace(found, choices=confirmed)


def _shortened(
    task: Task, simulator: Simulator, name: str, choices: Choices
) -> tuple[Choices, Mapping[str, int]]:
    """Return a short execution that violates a goal in its last step, and when goals fail in it."""
    failed = _violations(task, simulator, choices)

    def attempt(shorter: Choices, _: int) -> Choices | None:
        nonlocal failed
        found = _violations(task, simulator, shorter)
        if name not in found:
            return None
        failed = found
        return _cut(shorter, found[name] + 1)

    return delta_debugging.shortened(choices, attempt, tries=TRIES), failed


def _violations(task: Task, simulator: Simulator, choices: Choices) -> dict[str, int]:
    """Return when goals fail first in an execution, as long as assertions hold."""
    task.charge(len(choices.steps) * len(simulator.definitions))
    try:
        return simulator.violations(simulator.run(choices), choices.functions)
    except NumberTooLarge:
        return {}


def _cut(choices: Choices, steps: int) -> Choices:
    return replace(choices, steps=choices.steps[:steps])


# Counterexamples of bounded search are shortest, so it comes first.
ENGINE = Engine(
    "simulation",
    "long random executions, which violate what fails only after many steps",
    run,
    handicap=2_000_000,
)
