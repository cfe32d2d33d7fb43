"""Decide that states satisfy conditions at all times, without knowing all states.

Where all states that are met have a successor and nothing is asked of fair paths, `AG p`, `G p` and
invariants say the same. So the search ends once they have failed.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty
from mutproof.model.terms import Term
from mutproof.solving.bdd import refutation, trace
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine
from mutproof.solving.bdd.trace import SingleState
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated
from mutproof.solving.formulas import invariant_of, is_branching, is_of_states

LONGEST_WALK = 500
"""How many steps are taken from a state until one is met again."""


def condition(stated: SystemProperty) -> Term | None:
    """Return what a property says of every state; None if it says more."""
    if stated.kind is PropertyKind.INVARIANT:
        return stated.term if is_of_states(stated.term) else None
    return invariant_of(stated.term, Op.AG if is_branching(stated) else Op.G)


def lasting(model: Machine) -> Diagram | None:
    """Return the states that have a successor with the inputs they take.

    None unless some state is initial, all that are met have one with some inputs, and all paths are
    fair. States without one are not met if none is initial and no step leads to one.
    """
    system, false = model.encoder.system, model.manager.false
    if system.fairness or system.compassion or model.initial == false:
        return None
    alive = model.before(model.invariant)
    stuck = model.invariant & ~model.with_any_input(alive)
    is_met = stuck != false and (model.initial & stuck != false or model.before(stuck) != false)
    return None if is_met else alive


def verdicts(
    model: Machine,
    layers: Iterable[Diagram],
    stated: Sequence[SystemProperty],
    *,
    alive: Diagram,
    bound: Iterable[Diagram],
    shown: bool,
) -> dict[str, BddVerdict] | None:
    """Return the verdicts on properties that have a condition; None if no execution shows one.

    `layers` are the reachable states by distance, on demand, all of them in the union of `bound`,
    also made on demand but for the first set of it, unless it is empty; `alive` are the `lasting`
    ones. `shown`: with executions that show what fails. What has taken less is continued, by the
    nodes of diagrams.

    Raises:
        NotFinite: a condition has no diagram.
        OutOfTime: the deadline has passed.
    """
    manager = model.manager
    terms = {one.name: term for one in stated if (term := condition(one)) is not None}
    bad = {name: ~model.encoder.predicate(term) for name, term in terms.items()}
    for one in stated:
        if one.kind is not PropertyKind.INVARIANT and not is_branching(one):
            bad[one.name] = bad[one.name] & alive  # on a path, the inputs are those that it takes
    failing = manager.disjunction(bad.values())
    found: dict[str, BddVerdict] = {}
    reached: list[Diagram] = []
    ahead, around = iter(layers), iter(bound)
    is_bound = next(around, failing) & failing == manager.false
    taken = taken_around = 0
    while len(found) < len(bad):
        is_around = is_bound and taken_around <= taken
        layer = next(around if is_around else ahead, None)
        if layer is None:
            break
        if is_around:
            taken_around += manager.size(layer)
            is_bound = layer & failing == manager.false
            continue
        taken += manager.size(layer)
        reached.append(layer)
        for one in stated:
            broken = layer & bad[one.name]
            if one.name in found or broken == manager.false:
                continue
            why = _refuted(model, reached, broken, one, alive=alive) if shown else Violated(None)
            if shown and why.trace is None:
                return None
            found[one.name] = why
    return {one.name: found.get(one.name, Holding()) for one in stated}


def refuted(
    model: Machine, layers: Iterable[Diagram], bad: Diagram, stated: SystemProperty
) -> Violated | None:
    """Return how a temporal property with a condition fails, as `verdicts` does.

    Not None only if the search in `layers` meets `bad` states, which fail it, and an execution
    shows that.

    Raises:
        OutOfTime: the deadline has passed.
    """
    alive = lasting(model) if condition(stated) is not None else None
    if alive is None:
        return None
    if not is_branching(stated):
        bad = bad & alive
    reached: list[Diagram] = []
    for layer in layers:
        reached.append(layer)
        if layer & bad != model.manager.false:
            found = _refuted(model, reached, layer & bad, stated, alive=alive)
            return None if found.evidence is None else found
    return None


def _refuted(
    model: Machine,
    layers: Sequence[Diagram],
    failing: Diagram,
    stated: SystemProperty,
    *,
    alive: Diagram,
) -> Violated:
    if stated.kind is PropertyKind.INVARIANT:
        return refutation.invariant(model, layers, failing, None)
    false = model.manager.false
    usable = failing & alive
    end = trace.pick(model, failing if usable == false else usable)
    states = trace.backwards(model, layers, end)
    lasso = None if usable == false else prolonged(model, states, alive)
    evidence = None if lasso is None else trace.shown(model, *lasso)
    shown = trace.shown(model, states) if is_branching(stated) else evidence
    return Violated(shown, evidence=evidence)


def prolonged(
    model: Machine, states: Sequence[SingleState], alive: Diagram
) -> tuple[Sequence[SingleState], int] | None:
    """Return a path with steps that change little, and where it loops; None if it does not."""
    path = [*states]
    places = {state.alone: place for place, state in enumerate(states)}
    for _ in range(LONGEST_WALK):
        following = model.after_one(path[-1].bits) & alive
        if following == model.manager.false:
            return None
        state = trace.pick(model, following, path[-1])
        if state.alone in places:
            return path, places[state.alone]
        places[state.alone] = len(path)
        path.append(state)
    return None
