"""Reachable states without successor, where every execution should go on."""

from __future__ import annotations

from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Trace
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import machine


def dead_end(system: TransitionSystem, deadline: Deadline) -> tuple[Trace | None, str]:
    """Return a shortest path to a state without successor, or why the search was given up.

    None and an empty reason: there is no such state.
    """
    found: list[Trace] = []

    def search() -> None:
        model = machine(Encoder(Manager(deadline), system))
        goes_on = model.with_any_input(model.before(model.invariant))
        layers: list[Diagram] = []
        for layer in model.layers(model.initial):
            layers.append(layer)
            stuck = layer & ~goes_on
            if stuck != model.manager.false:
                end = trace.pick(model, stuck)
                found.append(trace.shown(model, trace.backwards(model, layers, end)))
                return

    reason = attempted(search)
    return (found[0], "") if found else (None, reason)
