"""Where the steps of a system lead if some of their parts are replaced.

What the parts that stay say of the bits that new parts read is computed once. So it takes little to
see that every step, from reachable states or not, leads to a state with a successor.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.solving.bdd.coding import following
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Cluster, Machine, Partitioned, Relation, image, schedule

MOST_KEPT = 16
"""How many times it is kept what the parts that stay say of some bits."""

_Key: TypeAlias = "tuple[tuple[Diagram, ...], frozenset[str]]"


@dataclass(frozen=True, slots=True)
class _Staying:
    """Hold what parts that stay say of the start of a step, and of its end, beside some bits."""

    starts: Diagram
    ends: Diagram


class Replacing:
    """Replace parts of the steps of one system; caches only."""

    def __init__(self, model: Machine) -> None:
        self._model = model
        self._known: dict[_Key, _Staying] = {}
        self._between: dict[_Key, Diagram] = {}

    def relation(self, other: Partitioned) -> Relation:
        """Return the steps of a system with the same bits, what is new in a cluster of its own."""
        fresh = self._fresh(other)
        manager = self._model.manager
        clusters = self._staying(other)
        clusters.append((manager.conjunction(fresh), fresh))
        return Relation(manager, other.bits, clusters=clusters, like=self._model.relation)

    def going_on(self, other: Partitioned) -> tuple[Diagram, bool]:
        """Return the states with a successor, and whether steps lead to no others.

        Steps from states are meant that are reachable or not. Initial states are among those they
        lead to. The other system has the same bits, inputs and invariant.

        Raises:
            OutOfTime: the deadline has passed.
        """
        model, manager = self._model, self._model.manager
        fresh = manager.conjunction(self._fresh(other))
        read = manager.support(fresh)
        known = self._of(other, read)
        after = [following(bit) for bit in model.bits]
        ahead = [bit for bit in (*after, *model.inputs) if bit in read]
        going_on = manager.and_exists(known.starts, fresh, ahead)
        stuck = model.invariant & ~going_on
        into = known.ends & model.relation.shifted(stuck)
        is_certain = other.initial & stuck == manager.false and into & fresh == manager.false
        return model.invariant & going_on, is_certain

    def leads(self, other: Partitioned, start: Diagram, end: Diagram) -> bool:
        """Tell whether a step of a system with the same bits leads from some states to others.

        These are the same in all calls.

        Raises:
            OutOfTime: the deadline has passed.
        """
        model, manager = self._model, self._model.manager
        fresh = manager.conjunction(self._fresh(other))
        clusters, read = self._staying(other), manager.support(fresh)
        after = tuple(bit for bit in map(following, model.bits) if bit not in read)
        own = [joined for joined, _ in clusters if joined != manager.true]
        key = tuple(own), frozenset(after)
        if key not in self._between:
            if len(self._between) >= MOST_KEPT:
                self._between.pop(next(iter(self._between)))
            into = self._projected(model.relation.shifted(end), own, after)
            self._between[key] = into & start
        return self._between[key] & fresh != manager.false

    def _fresh(self, other: Partitioned) -> tuple[Diagram, ...]:
        known = frozenset(self._model.relation.parts)
        return tuple(dict.fromkeys(part for part in other.parts if part not in known))

    def _staying(self, other: Partitioned) -> list[Cluster]:
        """Return the clusters of the system with those parts alone that the other has too."""
        wanted, relation = frozenset(other.parts), self._model.relation
        found: list[Cluster] = []
        for joined, own in relation.clusters:
            left = tuple(part for part in own if part in wanted)
            found.append((joined if len(left) == len(own) else relation.rest(left), left))
        return found

    def _of(self, other: Partitioned, read: frozenset[str]) -> _Staying:
        """Return what the parts that stay say where new ones read some bits."""
        clusters = self._staying(other)
        key = tuple(joined for joined, _ in clusters), read
        if key not in self._known:
            if len(self._known) >= MOST_KEPT:
                self._known.pop(next(iter(self._known)))
            model, relation = self._model, self._model.relation
            after = [following(bit) for bit in model.bits]
            own = [joined for joined, _ in clusters if joined != model.manager.true]
            self._known[key] = _Staying(
                self._projected(
                    model.invariant & relation.shifted(model.invariant),
                    own,
                    [bit for bit in (*after, *model.inputs) if bit not in read],
                ),
                self._projected(
                    model.invariant, own, [bit for bit in model.bits if bit not in read]
                ),
            )
        return self._known[key]

    def _projected(
        self, states: Diagram, clusters: Sequence[Diagram], names: Iterable[str]
    ) -> Diagram:
        """Return a conjunction with the named bits quantified."""
        manager = self._model.manager
        read = {cluster: manager.support(cluster) for cluster in clusters}
        return image(manager, states, schedule(clusters, tuple(names), read))
