"""Reachable states as decision diagrams, for systems that have finitely many.

Each turn computes the states that are one step further. When there are no more, all of them
together are a certificate with one step of induction, which is checked like any other; a failure
is met at its first possible step, with an execution. What a turn costs is counted by the size of
diagrams, so that the same engine wins on every machine.

Source: Burch, Clarke, McMillan, Dill and Hwang 1992, Symbolic model checking: 10^20 states and
beyond.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence

from mutproof.base.budget import Deadline
from mutproof.model import sorts
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.solving.account import ACCOUNT
from mutproof.solving.bdd import trace
from mutproof.solving.bdd.check import OUT_OF_MEMORY, OUT_OF_TIME
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.invariant import reachable_invariant
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime, is_out_of_memory
from mutproof.solving.bdd.relation import Machine, drawn
from mutproof.solving.bdd.trace import SingleState
from mutproof.solving.engine import (
    Candidate,
    Engine,
    Explored,
    Falsified,
    Finding,
    Stuck,
    Task,
    Worked,
)
from mutproof.solving.verdict import Certificate

NODE_COST = 10
"""The solver units charged for each diagram node of a turn."""

FEW_BITS = 64
BIT_COST = 40_000
"""The units charged, before anything is drawn, for each bit of words beyond a few: diagrams of
arithmetic are often too large, which takes seconds to see, so other engines come first."""

TURN_NODES = 2_000
"""How many nodes of sets of states a turn visits, in one layer or in many."""

TURN_S = 2.0
"""The seconds of work after which a turn is given up: a backstop, as nodes are counted."""

BEGINNING_S = 8.0
"""The same for the first turn, which makes the diagrams of a system."""


def run(task: Task) -> Iterator[Finding]:
    """Visit the states of the system, layer by layer, as long as any goal is open."""
    return guarded(task, _visited)


def guarded(task: Task, visited: Callable[[Task], Iterator[Finding]]) -> Iterator[Finding]:
    """Yield what a visit of the states of a system finds, and why it ends without a result."""
    endless = _endless(task.system)
    if endless:
        yield Stuck(f"{endless} has no bounds")
        return
    declared = task.system.variables.values()
    own = [v.sort for v in declared if v.kind is not SystemVariableKind.DEFINED]
    bits = sum(sort.width for sort in own if isinstance(sort, sorts.WordSort))
    if bits > FEW_BITS:
        task.charge(BIT_COST * (bits - FEW_BITS))
        yield Worked()
    try:
        yield from visited(task)
    except OutOfTime:
        ACCOUNT.note_late()
        yield Stuck(OUT_OF_TIME)
    except NotFinite as problem:
        yield Stuck(str(problem))
    except (ValueError, RuntimeError, MemoryError) as problem:
        if not is_out_of_memory(problem):
            raise
        yield Stuck(OUT_OF_MEMORY)


def begun(task: Task, system: TransitionSystem) -> Machine:
    """Return a system as diagrams, and charge for them."""
    model = drawn(Encoder(Manager(turn(task, BEGINNING_S)), system))
    task.charge(NODE_COST * sum(map(model.manager.size, model.relation.parts)))
    return model


def _visited(task: Task) -> Iterator[Finding]:
    model = begun(task, task.system)
    manager = model.manager
    bad = {name: ~model.encoder.predicate(term) for name, term in task.goals.items()}
    task.charge(NODE_COST * sum(map(manager.size, bad.values())))
    yield Worked()
    layers: list[Diagram] = []
    failing: dict[str, tuple[int, Diagram]] = {}
    seen = 0
    try:
        for layer in model.layers(model.initial):
            layers.append(layer)
            seen += manager.size(layer)
            for name in [name for name in task.goals if name not in failing]:
                if (states := layer & bad[name]) != manager.false:
                    failing[name] = len(layers) - 1, states
            if seen >= TURN_NODES or len(failing) == len(task.goals):
                yield from _failures(model, layers, failing)
                failing = {}
            if seen >= TURN_NODES:
                task.charge(NODE_COST * seen)
                seen = 0
                yield Explored(len(layers))
                manager.deadline = turn(task)
    except OutOfTime:
        manager.deadline = turn(task)
        yield from _failures(model, layers, failing)
        raise
    yield from _failures(model, layers, failing)
    yield from _proof(task, model, manager.disjunction(layers))


def _endless(system: TransitionSystem) -> str:
    """Return an undefined variable with infinitely many values; empty if there is none."""
    defined = {c.defines for c in system.constraints if c.kind is ConstraintKind.INVAR}
    own = (v for v in system.variables.values() if v.name not in defined)
    return next((v.name for v in own if not sorts.is_finite(v.sort)), "")


def turn(task: Task, seconds: float = TURN_S) -> Deadline:
    """Return until when a turn may last."""
    return Deadline.after_work(min(seconds, task.deadline.remaining_s()))


def _failures(
    model: Machine, layers: Sequence[Diagram], failing: Mapping[str, tuple[int, Diagram]]
) -> Iterator[Finding]:
    """Report goals that first fail in some states of a layer, those on the way to others with them.

    To find a path takes longer than to see whether one leads through such states.
    """
    false = model.manager.false
    paths: list[list[SingleState]] = []  # longest first
    chosen: dict[str, list[SingleState]] = {}
    for name, (step, states) in sorted(failing.items(), key=lambda goal: -goal[1][0]):
        through = (path for path in paths if path[step].alone & states != false)
        path = next(through, None)
        if path is None:
            path = trace.backwards(model, layers[: step + 1], trace.pick(model, states))
            paths.append(path)
        chosen[name] = path[: step + 1]
    for name, (step, _) in failing.items():
        yield Falsified((name,), trace.shown(model, chosen[name]).choices, step)


def _proof(task: Task, model: Machine, reachable: Diagram) -> Iterator[Finding]:
    model.manager.deadline = turn(task)
    invariant = reachable_invariant(model, reachable)
    if invariant is None:
        yield Stuck("the reachable states make too large a certificate")
    else:
        yield Candidate(Certificate(1, (invariant,), tuple(task.goals)), sure=False, drawn=True)
        yield Stuck("the reachable states could not be checked again")


# Its proofs depend on more of the system than others, so other engines come first.
ENGINE = Engine(
    "reachability",
    "all reachable states of finite systems by binary decision diagrams",
    run,
    handicap=250_000,
)
