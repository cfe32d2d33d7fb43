"""Reachable states without successor, where every execution should go on."""

from __future__ import annotations

from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Trace
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.check import attempted_soon
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine

LARGEST = 30_000
"""The most nodes of a relation of which all steps from all states are taken at once."""


def dead_end(system: TransitionSystem, deadline: Deadline) -> tuple[Trace | None, str]:
    """Return a shortest path to a state without successor, or why the search was given up.

    None and an empty reason: there is no such state.
    """
    found: list[Trace] = []

    def search(model: Machine) -> None:
        goes_on = model.with_any_input(model.before(model.invariant))
        if goes_on == model.invariant or _go_on_at_once(model, goes_on):
            return
        layers: list[Diagram] = []
        for layer in model.layers(model.initial):
            layers.append(layer)
            stuck = layer & ~goes_on
            if stuck != model.manager.false:
                end = trace.pick(model, stuck)
                found.append(trace.shown(model, trace.backwards(model, layers, end)))
                return

    reason = attempted_soon(search, system, deadline)
    return (found[0], "") if found else (None, reason)


def _go_on_at_once(model: Machine, goes_on: Diagram) -> bool:
    """Tell whether initial states and successors of any state go on; false where that is dear."""
    manager = model.manager
    if sum(manager.size(joined) for joined, _ in model.relation.clusters) > LARGEST:
        return False
    return (model.initial | model.after(model.invariant)) & ~goes_on == manager.false
