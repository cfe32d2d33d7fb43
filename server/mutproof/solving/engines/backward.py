"""States from which a failure can be reached, as decision diagrams, for finitely many states.

Each goal is searched apart, from the states in which it fails; each turn computes those one step
before. If none of them is initial once there are no more, all other states are a certificate with
one step of induction, which is checked like any other; else a shortest execution is met. What a
goal does not depend on is never looked at, so that models with very many reachable states are
decided where these searches stay near the goals.

Source: Chan et al. 1998, Improving efficiency of symbolic model checking for state-based system
requirements.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.solving import completion
from mutproof.solving.account import ACCOUNT
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.invariant import LARGEST_INVARIANT, bounds, described
from mutproof.solving.bdd.manager import Diagram, OutOfTime
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.engine import Candidate, Engine, Falsified, Finding, Task, Worked
from mutproof.solving.engines.reachability import (
    NODE_COST,
    TURN_NODES,
    begun,
    guarded,
    turn,
)
from mutproof.solving.verdict import Certificate


def run(task: Task) -> Iterator[Finding]:
    """Visit the states before failures of each goal, layer by layer, as long as it is open."""
    return guarded(task, _visited)


def _visited(task: Task) -> Iterator[Finding]:
    slicer = Slicer(task.system, chosen=True)
    parts: dict[tuple[Constraint, ...], tuple[TransitionSystem, list[str]]] = {}
    for name in task.goals:
        part = slicer.cone((name,))
        parts.setdefault(part.constraints, (part, []))[1].append(name)
    for part, names in parts.values():
        system = _sufficient(task.system, part)
        model: Machine | None = None
        for name in names:
            try:
                if model is None and name in task.goals:
                    model = begun(task, system)
                    yield Worked()
                if model is not None and name in task.goals:  # others may have decided it
                    yield from _goal(task, model, name)
            except OutOfTime:
                ACCOUNT.note_late()
                if model is None:
                    break


def _sufficient(whole: TransitionSystem, part: TransitionSystem) -> TransitionSystem:
    """Return a part of a system, or the whole if what is left out may end executions."""
    kept = frozenset(part.constraints)
    return part if all(c.never_blocks for c in whole.constraints if c not in kept) else whole


def _goal(task: Task, model: Machine, name: str) -> Iterator[Finding]:
    """Visit the states from which one goal can fail."""
    manager = model.manager
    manager.deadline = turn(task)
    layer = ~model.encoder.predicate(task.goals[name]) & model.invariant
    layers: list[Diagram] = []
    seen, visited = manager.false, 0
    while layer != manager.false and name in task.goals:
        layers.append(layer)
        seen = seen | layer
        visited += manager.size(layer) + manager.size(seen)
        if layer & model.initial != manager.false:
            yield from _failure(task, model, name, layers)
            return
        if visited >= TURN_NODES:
            task.charge(NODE_COST * visited)
            yield Worked()
            visited, manager.deadline = 0, turn(task)
        layer = model.before(layer) & ~seen
    task.charge(NODE_COST * visited)
    if name in task.goals and max(map(manager.size, layers), default=0) <= LARGEST_INVARIANT:
        # One lemma for each layer, as whether it stays excluded depends on the next one alone.
        lemmas = (*bounds(model), *(described(model, ~layer) for layer in layers[1:]))
        yield Candidate(Certificate(1, lemmas, (name,)), sure=False, drawn=True)


def _failure(task: Task, model: Machine, name: str, layers: Sequence[Diagram]) -> Iterator[Finding]:
    """Report a path through the layers, from an initial state in the last one to the first."""
    path = trace.through(model, layers, model.initial)
    found = Falsified((name,), trace.shown(model, path).choices, len(path) - 1)
    if model.encoder.system.constraints == task.system.constraints:
        yield found
        return
    choices = completion.completed(task.workshop, task.system, found, task.budget)
    yield Worked() if choices is None else replace(found, choices=choices)


ENGINE = Engine(
    "backward",
    "all states from which a property can come to fail, by binary decision diagrams",
    run,
    handicap=250_000,
)
