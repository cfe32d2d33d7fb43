"""Executions out of sets of states: shortest paths, and lassos through fair states.

Source: Clarke, Grumberg, McMillan & Zhao 1995, Efficient generation of counterexamples and
witnesses in symbolic model checking.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices, Trace
from mutproof.solving.bdd.fairness import Fairness, reaching
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine

_NEAR = 32
"""The steps within which a loop at the first state of a lasso is looked for at first."""


@dataclass(frozen=True, slots=True)
class SingleState:
    """Hold one state: the value of every current bit, and the set that contains it alone."""

    bits: Mapping[str, bool]
    alone: Diagram


def pick(machine: Machine, states: Diagram, like: SingleState | None = None) -> SingleState:
    """Return a state of a non-empty set; bits are those of `like`, or zero, where they can be.

    The choice depends on the order of declaration alone, not on that of the diagrams.
    """
    manager = machine.manager
    wanted = dict.fromkeys(machine.bits, False) if like is None else like.bits
    found: dict[str, bool] = {}
    left = states
    blocks: list[Sequence[str]] = [machine.bits]  # tried whole, then in halves
    while blocks:
        block = blocks.pop()
        values = {bit: wanted[bit] for bit in block}
        narrowed = manager.fixed(values, left)
        if narrowed == manager.false:
            if len(block) > 1:
                half = len(block) // 2
                blocks += [block[half:], block[:half]]
                continue
            values = {bit: not value for bit, value in values.items()}
            narrowed = manager.fixed(values, left)
        found |= values
        left = narrowed
    return SingleState(found, manager.cube(found))


def through(
    machine: Machine,
    layers: Sequence[Diagram],
    start: Diagram,
    like: SingleState | None = None,
) -> list[SingleState]:
    """Return a path from a state of `start` in the last of these layers to one in the first."""
    path = [pick(machine, layers[-1] & start, like)]
    for layer in reversed(layers[:-1]):
        path.append(pick(machine, machine.after_one(path[-1].bits) & layer, path[-1]))
    return path


def backwards(machine: Machine, layers: Sequence[Diagram], end: SingleState) -> list[SingleState]:
    """Return a path to `end`, a state of the last layer, with one state in each layer."""
    path = [end]
    for layer in reversed(layers[:-1]):
        path.append(pick(machine, machine.relation.into(path[-1].bits, layer), path[-1]))
    path.reverse()
    return path


@dataclass(slots=True)
class Distances:
    """Hold distances of states from `target`, in steps through `through`; computed on demand.

    `rings[n]` are the states n steps away, `seen` all of these.
    """

    machine: Machine
    through: Diagram
    target: Diagram
    rings: list[Diagram] = field(init=False)
    seen: Diagram = field(init=False)

    def __post_init__(self) -> None:
        """Begin with the target."""
        self.rings, self.seen = [self.target], self.target

    def nearest(self, start: Diagram) -> int | None:
        """Return the least distance of some states, None if no path leads there.

        Raises:
            OutOfTime: the deadline has passed.
        """
        false = self.machine.manager.false
        for number, ring in enumerate(self.rings):
            if ring & start != false:
                return number
        while self.rings[-1] != false:
            ring = self.machine.before(self.rings[-1]) & self.through & ~self.seen
            self.seen = self.seen | ring
            self.rings.append(ring)
            if ring & start != false:
                return len(self.rings) - 1
        return None

    def path(self, start: Diagram, like: SingleState | None = None) -> list[SingleState] | None:
        """Return a shortest path from some states to the target, None if there is none.

        Raises:
            OutOfTime: the deadline has passed.
        """
        number = self.nearest(start)
        if number is None:
            return None
        return through(self.machine, self.rings[: number + 1], start, like)


def path(
    machine: Machine,
    start: Diagram,
    through: Diagram,
    target: Diagram,
    *,
    like: SingleState | None = None,
) -> list[SingleState] | None:
    """Return a shortest path from `start` to `target` whose other states are in `through`.

    Raises:
        OutOfTime: the deadline has passed.
    """
    return Distances(machine, through, target).path(start, like)


def lasso(
    machine: Machine,
    start: Diagram,
    through: Diagram,
    kernel: Diagram,
    *,
    fairness: Fairness,
    like: SingleState | None = None,
) -> tuple[list[SingleState], int]:
    """Return a fair path from `start` through `through` into `kernel`, and where it loops.

    `kernel` is a hull: a cycle in which all of its reachable states lie is fair. The number is
    the 0-based position of the state to which the last one returns.

    Raises:
        OutOfTime: the deadline has passed.
    """
    entered = path(machine, start, through, kernel, like=like)
    assert entered is not None
    if fairness == Fairness():
        return _any_lasso(machine, entered, kernel)
    return _fair_lasso(machine, entered, kernel, fairness)


def _any_lasso(
    machine: Machine, stem: list[SingleState], kernel: Diagram
) -> tuple[list[SingleState], int]:
    """Return a path that goes on in `kernel` until it loops, where every cycle is fair."""
    reach, stride = _NEAR, 1
    while True:
        here = stem[-1]
        following = machine.after_one(here.bits) & kernel
        layers: list[Diagram] = []
        for layer in machine.layers(following, kernel):
            layers.append(layer)
            if layer & here.alone != machine.manager.false:
                return stem + backwards(machine, layers, here)[:-1], len(stem) - 1
            if len(layers) == reach:
                break
        # This state is on no cycle, or on long ones only: look further where it leads, and farther.
        ahead = layers[:stride]
        stem.extend(backwards(machine, ahead, pick(machine, ahead[-1], here)))
        reach, stride = 2 * reach, 2 * stride


def _fair_lasso(
    machine: Machine, stem: list[SingleState], kernel: Diagram, fairness: Fairness
) -> tuple[list[SingleState], int]:
    manager = machine.manager
    stride = 1
    while True:
        here = stem[-1]
        layers = list(machine.layers(here.alone, kernel))
        component = manager.disjunction(layers)
        others = component & ~reaching(machine, component, here.alone)
        if others == manager.false:
            break
        # States that do not lead back are nearer to a bottom component. Go to one at least
        # `stride` steps away, and double that each time: the way may be long.
        stem.extend(_into(machine, layers, others, stride)[1:])
        stride *= 2
    loop = len(stem) - 1
    states = list(stem)
    for wanted in _to_visit(machine, component, fairness):
        if any(state.alone & wanted != manager.false for state in states[loop:]):
            continue
        visited = path(machine, states[-1].alone, component, component & wanted)
        assert visited is not None
        states.extend(visited[1:])
    following = machine.after_one(states[-1].bits) & component
    closing = path(machine, following, component, stem[-1].alone, like=states[-1])
    assert closing is not None
    return states + closing[:-1], loop


def _into(
    machine: Machine, layers: Sequence[Diagram], target: Diagram, stride: int
) -> list[SingleState]:
    """Return a path with a state in each layer to `target`, if possible of at least `stride` steps.

    Some layer meets the target.
    """
    hits = [
        number for number, layer in enumerate(layers) if layer & target != machine.manager.false
    ]
    last = next((number for number in hits if number >= stride), hits[-1])
    return backwards(machine, layers[: last + 1], pick(machine, layers[last] & target))


def _to_visit(machine: Machine, component: Diagram, fairness: Fairness) -> list[Diagram]:
    asked = [
        given for first, given in fairness.compassion if component & first != machine.manager.false
    ]
    return [*fairness.justice, *asked]


def shown(machine: Machine, states: Sequence[SingleState], loop: int | None = None) -> Trace:
    """Return the values of all variables that are shown in the states of a path.

    Raises:
        OutOfTime: the deadline has passed.
    """
    encoder = machine.encoder
    hidden = [name for name, known in encoder.system.variables.items() if not known.shown]
    chosen: list[dict[str, Value]] = []
    steps: list[dict[str, Value]] = []
    for state in states:
        machine.manager.tick()
        free, values = encoder.valuation({**machine.rigid, **state.bits})
        for name in hidden:
            del values[name]
        chosen.append(free)
        steps.append(values)
    return Trace(Choices(tuple(chosen)), tuple(steps), loop)
