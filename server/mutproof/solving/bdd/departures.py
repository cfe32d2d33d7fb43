"""Find where variants of a system leave the states that it reaches, and get where conditions fail.

At first only steps are looked at that the system does not take, and what follows them: where
conditions hold there, they hold wherever the variant gets.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Trace
from mutproof.solving.bdd import always, trace
from mutproof.solving.bdd.check import attempted
from mutproof.solving.bdd.coding import following
from mutproof.solving.bdd.encode import Encoder, reads
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import Machine, partitioned
from mutproof.solving.bdd.replacing import Replacing
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.trace import SingleState

MOST_KEPT = 16
"""For how many sets of parts it is kept which steps they allow from reachable states."""


@dataclass(frozen=True, slots=True)
class _Variant:
    """Hold a variant as diagrams: its steps from the states that the system reaches, and all."""

    machine: Machine
    steps: Diagram


class Departures:
    """Find such states of variants of the system of `known`; caches only.

    `conditions` hold in all states that it reaches.
    """

    def __init__(self, known: SameSteps, conditions: Sequence[Term]) -> None:
        self._known = known
        self._conditions = conditions
        self._replacing = Replacing(known.model)
        self._unchanged: dict[frozenset[str], tuple[Diagram, list[Term]]] = {}
        self._staying: dict[tuple[Diagram, ...], Diagram] = {}

    def failing(self, other: TransitionSystem, deadline: Deadline) -> Trace | None:
        """Return an execution of a variant to where a condition fails; None if none is found.

        It goes on for ever if one is met soon that does.
        """
        self._known.model.manager.deadline = deadline
        found = list[Trace | None]()
        attempted(lambda: found.append(self._failing(other)))
        return found[0] if found else None

    def _failing(self, other: TransitionSystem) -> Trace | None:
        variant = self._variant(other)
        path = None if variant is None else self._path(variant)
        if variant is None or path is None:
            return None
        lasso = always.prolonged(variant.machine, path, variant.machine.invariant)
        return (
            trace.shown(variant.machine, path)
            if lasso is None
            else trace.shown(variant.machine, *lasso)
        )

    def _variant(self, other: TransitionSystem) -> _Variant | None:
        """Return a variant as diagrams, None if it differs in more than its steps."""
        model = self._known.model
        changed = partitioned(Encoder(model.manager, other, like=model.encoder))
        if (changed.bits, changed.inputs) != (model.bits, model.inputs):
            return None
        if (changed.initial, changed.invariant) != (model.initial, model.invariant):
            return None
        relation = self._replacing.relation(changed)
        *staying, (fresh, _) = relation.clusters
        key = tuple(joined for joined, _ in staying)
        if key not in self._staying:
            if len(self._staying) >= MOST_KEPT:
                self._staying.pop(next(iter(self._staying)))
            self._staying[key] = self._known.all_of(key)
        return _Variant(changed.machine(relation), self._staying[key] & fresh)

    def _path(self, variant: _Variant) -> list[SingleState] | None:
        """Return a shortest path of a variant to where a condition fails; None if it has none."""
        machine, manager = variant.machine, variant.machine.manager
        goods = self._goods(machine.encoder)
        if not self._may_fail(variant, goods):
            return None
        layers = list[Diagram]()
        for layer in self._layers(variant):
            layers.append(layer)
            failing = _but(manager, layer, goods)
            if failing != manager.false:
                path = [trace.pick(machine, failing)]
                for earlier in reversed(layers[:-1]):
                    before = self._into(variant, path[-1], earlier)
                    path.append(trace.pick(machine, before, path[-1]))
                return path[::-1]
        return None

    def _may_fail(self, variant: _Variant, goods: Sequence[Diagram]) -> bool:
        """Tell whether a condition fails where the variant gets from any state of the system."""
        known, machine, false = self._known, variant.machine, self._known.model.manager.false
        if _but(machine.manager, known.reachable, goods[1:]) != false:
            return True
        seen = known.reachable
        ring = _ends(machine, variant.steps & ~known.steps) & ~seen
        while ring != false:
            if _but(machine.manager, ring, goods) != false:
                return True
            seen = seen | ring
            ring = _ends(machine, machine.relation.narrowed(ring)) & ~seen
        return False

    def _layers(self, variant: _Variant) -> Iterator[Diagram]:
        """Yield the states that a variant reaches by their distance.

        Until steps differ, these are those of the system.
        """
        known, machine, manager = self._known, variant.machine, variant.machine.manager
        after = [following(bit) for bit in machine.bits]
        differing = manager.exists(after, manager.xor(variant.steps, known.steps))
        seen = layer = manager.false
        for layer in known.layers:
            yield layer
            seen = seen | layer
            if layer & differing != manager.false:
                break
        while layer != manager.false:
            manager.tick()
            outside = layer & ~known.reachable
            layer = _ends(machine, layer & variant.steps) & ~seen
            if outside != manager.false:
                layer = layer | (_ends(machine, machine.relation.narrowed(outside)) & ~seen)
            if layer != manager.false:
                yield layer
            seen = seen | layer

    def _into(self, variant: _Variant, state: SingleState, among: Diagram) -> Diagram:
        """Return those of some states from which a variant steps to another state."""
        after = {following(bit): value for bit, value in state.bits.items()}
        inside = variant.machine.manager.fixed(after, variant.steps & among)
        outside = among & ~self._known.reachable
        return inside | variant.machine.relation.into(state.bits, outside)

    def _goods(self, encoder: Encoder) -> list[Diagram]:
        """Return where conditions hold: all but those that definitions of a variant change first.

        These are true in all states that the system reaches.
        """
        stale = self._known.model.encoder.stale(encoder.definitions)
        if stale not in self._unchanged:
            memo: dict[Term, bool] = {}
            changed = [one for one in self._conditions if reads(one, stale, memo)]
            same = (encoder.predicate(one) for one in self._conditions if one not in changed)
            self._unchanged[stale] = encoder.manager.conjunction(same), changed
        good, changed = self._unchanged[stale]
        return [good, *map(encoder.predicate, changed)]


def _but(manager: Manager, states: Diagram, goods: Sequence[Diagram]) -> Diagram:
    """Return the states that are not in all of some sets."""
    return manager.disjunction(states & ~good for good in goods)


def _ends(machine: Machine, steps: Diagram) -> Diagram:
    """Return the states in which some steps end."""
    manager = machine.manager
    after = {following(bit): bit for bit in machine.bits}
    return manager.renamed(after, manager.exists(machine.bits, steps)) & machine.invariant
