"""Counterexamples of refuted properties, for users and for replay."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.model.system import SystemProperty
from mutproof.solving.bdd import explain, trace
from mutproof.solving.bdd.ctl import Branching
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.ltl import Denial
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.verdict import Violated


def invariant(
    model: Machine, layers: Sequence[Diagram], found: Diagram, steps: Diagram | None
) -> Violated:
    """Return a shortest counterexample of an invariant that fails in the last layer.

    `found` are the states of that layer in which it fails, or, for an invariant of
    transitions, in which one of the failing `steps` begins.

    Raises:
        OutOfTime: the deadline has passed.
    """
    end = trace.pick(model, found)
    states = trace.backwards(model, layers, end)
    if steps is not None:
        following = model.relation.ends(end.alone & steps) & model.invariant
        states.append(trace.pick(model, following, end))
    shown = trace.shown(model, states)
    return Violated(shown, evidence=shown)


def branching(sets: Branching, failing: Diagram, stated: SystemProperty) -> Violated:
    """Return a counterexample of a property that fails in these initial states of fair paths.

    Raises:
        OutOfTime: the deadline has passed.
    """
    found = explain.explain(sets, failing, stated.term, holds=False)
    shown = trace.shown(sets.machine, found.states, found.loop)
    if not found.exact:
        return Violated(shown, found.complete)
    states, loop = explain.prolonged(sets, found)
    evidence = trace.shown(sets.machine, states, loop)
    return Violated(shown, found.complete, evidence)


def linear(denied: Denial, cycles: Cycles | None = None) -> Violated:
    """Return a fair lasso on which a property of paths fails: a short one without `cycles`.

    Raises:
        OutOfTime: the deadline has passed.
    """
    found = None if cycles is None else cycles.lasso(denied.machine, denied.start)
    if found is None:
        found = trace.lasso(
            denied.machine, denied.start, denied.reachable, denied.kernel, fairness=denied.fairness
        )
    states, loop = found
    shown = trace.shown(denied.machine, states, loop)
    return Violated(shown, evidence=shown)
