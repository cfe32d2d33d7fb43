"""A system as diagrams: initial states, invariants, and the steps between states.

The steps are a list of diagrams whose conjunction is never built: images conjoin them one by one
and quantify each bit as soon as no later one reads it.
Source: Burch, Clarke & Long 1991, Symbolic model checking with partitioned transition relations.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import TypeAlias

from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.system import ConstraintKind, SystemVariableKind
from mutproof.solving.bdd.coding import following
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime, is_out_of_memory

LARGEST_CLUSTER = 8000
"""The most nodes of conjuncts that are joined beforehand."""

SMALL_CLUSTER = 1000
"""The same where parts are replaced: to join them again for each variant may take long."""

FEW = 6
"""How many times smaller than the steps a set of states must be for steps to be limited to it."""

GROWTH = 5
"""How many times as many nodes as both have one diagram of the steps from some states may have."""

Cluster: TypeAlias = tuple[Diagram, tuple[Diagram, ...]]
"""The conjunction of some parts, and these."""

Schedule: TypeAlias = tuple[tuple[str, ...], tuple[tuple[Diagram, tuple[str, ...]], ...]]
"""Bits to quantify at once, and clusters to conjoin, each with the bits to quantify then."""


class Relation:
    """Compute the states after and before others; `bits` are the current ones.

    Their parts are joined in `clusters`, of which some may be those of a relation `like` it.
    """

    def __init__(
        self,
        manager: Manager,
        bits: Sequence[str],
        parts: Iterable[Diagram] = (),
        *,
        clusters: Sequence[Cluster] | None = None,
        like: Relation | None = None,
    ) -> None:
        self.manager = manager
        self._forward = {bit: following(bit) for bit in bits}
        self._backward = {following(bit): bit for bit in bits}
        self.clusters = tuple(_clustered(manager, parts) if clusters is None else clusters)
        self._clusters = [node for node, _ in self.clusters if node != manager.true]
        self._rests: dict[tuple[Diagram, ...], Diagram] = {}
        known: Mapping[Diagram, frozenset[str]] = {} if like is None else like._read  # noqa: SLF001
        self._read: dict[Diagram, frozenset[str]] = {
            node: known[node] if node in known else manager.support(node) for node in self._clusters
        }

    @cached_property
    def _after(self) -> Schedule:
        return schedule(self._clusters, tuple(self._forward), self._read)

    @cached_property
    def _before(self) -> Schedule:
        return schedule(self._clusters, tuple(self._backward), self._read)

    @property
    def parts(self) -> tuple[Diagram, ...]:
        """Return the diagrams whose conjunction the steps are."""
        return tuple(part for _, own in self.clusters for part in own)

    def rest(self, left: tuple[Diagram, ...]) -> Diagram:
        """Return the conjunction of those parts that are left of a cluster, computed once."""
        if left not in self._rests:
            rest = self._rests[left] = self.manager.conjunction(left)
            self._read[rest] = self.manager.support(rest)
        return self._rests[left]

    def fixed(self, values: Mapping[str, bool]) -> Relation:
        """Return the steps for these values of bits that never change."""
        manager = self.manager
        clusters = [manager.fixed(values, cluster) for cluster in self._clusters]
        return Relation(manager, tuple(self._forward), clusters)

    def within(self, states: Diagram) -> Relation:
        """Return the steps from some states, if these are few; else perhaps steps from others."""
        manager, sizes = self.manager, [*map(self.manager.size, self._clusters)]
        joined = self._joined(states, GROWTH * (sum(sizes) + manager.size(states)))
        if joined is not None:
            return Relation(manager, tuple(self._forward), clusters=[(joined, (joined,))])
        if manager.size(states) * FEW >= sum(sizes):
            return self
        clusters = [cluster & states for cluster in self._clusters]
        return Relation(manager, tuple(self._forward), clusters=[(c, (c,)) for c in clusters])

    def _joined(self, states: Diagram, most: int) -> Diagram | None:
        """Return the steps from some states as one diagram, of no more nodes than that, or None."""
        joined = states
        for cluster in sorted(self._clusters, key=self.manager.size):
            self.manager.tick()
            joined = joined & cluster
            if self.manager.size(joined) > most:
                return None
        return joined

    def shifted(self, states: Diagram) -> Diagram:
        """Return a set of states as a set of next states."""
        return self.manager.renamed(self._forward, states)

    def after(self, states: Diagram) -> Diagram:
        """Return the states that a step leads to, without regard to their invariants."""
        return self.manager.renamed(self._backward, image(self.manager, states, self._after))

    def before(self, states: Diagram) -> Diagram:
        """Return the states from which a step leads to one of these."""
        return image(self.manager, self.shifted(states), self._before)

    def out_of(self, bits: Mapping[str, bool]) -> Diagram:
        """Return the states after the one state with these bits, as `after`, but sooner.

        No bit is left to quantify.
        """
        return self.manager.renamed(self._backward, self._narrowed(bits, self.manager.true))

    def into(self, bits: Mapping[str, bool], among: Diagram) -> Diagram:
        """Return those of some states from which a step leads to the one state with these bits."""
        values = {self._forward[bit]: value for bit, value in bits.items() if bit in self._forward}
        return self._narrowed(values, among)

    def _narrowed(self, values: Mapping[str, bool], among: Diagram) -> Diagram:
        """Return what is left of some states, by the steps for these values of bits."""
        for cluster in self._clusters:
            self.manager.tick()
            among = among & self.manager.fixed(values, cluster)
        return among

    def starts(self, steps: Diagram) -> Diagram:
        """Return the states in which one of these steps begins."""
        return image(self.manager, steps, self._before)

    def ends(self, steps: Diagram) -> Diagram:
        """Return the states in which one of these steps ends."""
        return self.manager.renamed(self._backward, image(self.manager, steps, self._after))


def _clustered(manager: Manager, parts: Iterable[Diagram]) -> list[Cluster]:
    found: list[Cluster] = []
    current: Cluster = manager.true, ()
    for part in parts:
        manager.tick()
        if manager.size(part) > LARGEST_CLUSTER:
            found.append((part, (part,)))
            continue
        joined = current[0] & part
        if manager.size(joined) > LARGEST_CLUSTER:
            found.append(current)
            current = part, (part,)
        else:
            current = joined, (*current[1], part)
    return [*found, current]


def image(manager: Manager, states: Diagram, plan: Schedule) -> Diagram:
    """Return the conjunction of states and clusters with bits quantified.

    Raises:
        OutOfTime: the deadline has passed.
    """
    unread, rows = plan
    result = manager.exists(unread, states)
    for cluster, names in rows:
        result = manager.and_exists(result, cluster, names)
    return result


def schedule(
    clusters: Iterable[Diagram], names: tuple[str, ...], read_by: Mapping[Diagram, frozenset[str]]
) -> Schedule:
    """Order clusters so that bits can be quantified early; list first those that none reads.

    Source: Geist & Beer 1994, Efficient model checking by automated ordering of transition
    relation partitions: first the cluster that alone reads most bits.
    """
    wanted = frozenset(names)
    left = [(cluster, read_by[cluster] & wanted) for cluster in clusters]
    read: dict[str, int] = dict.fromkeys(names, 0)
    for _, support in left:
        for name in support:
            read[name] += 1
    unread = tuple(name for name in names if not read[name])
    rows: list[tuple[Diagram, tuple[str, ...]]] = []
    while left:
        # Ties keep the order of declaration.
        best = max(
            range(len(left)),
            key=lambda index: (
                sum(read[name] == 1 for name in left[index][1]) / (len(left[index][1]) or 1),
                -index,
            ),
        )
        cluster, support = left.pop(best)
        for name in support:
            read[name] -= 1
        rows.append((cluster, tuple(n for n in names if n in support and not read[n])))
    return unread, tuple(rows)


@dataclass(frozen=True, slots=True)
class Machine:
    """Hold a system as diagrams.

    A state here gives inputs a value too: inputs are bits that the next state chooses anew.
    `bits` are all current bits in order of declaration, `inputs` those of inputs; `initial`
    and every set of states is within `invariant`. `rigid` are the values of bits that never
    change, where they are chosen.
    """

    encoder: Encoder
    bits: tuple[str, ...]
    inputs: tuple[str, ...]
    initial: Diagram
    invariant: Diagram
    relation: Relation
    rigid: Mapping[str, bool] = field(default_factory=dict)

    @property
    def manager(self) -> Manager:
        """Return the manager of all diagrams."""
        return self.encoder.manager

    def after(self, states: Diagram) -> Diagram:
        """Return the successors of states."""
        return self.relation.after(states) & self.invariant

    def after_one(self, bits: Mapping[str, bool]) -> Diagram:
        """Return the successors of the one state with these bits."""
        return self.relation.out_of(bits) & self.invariant

    def before(self, states: Diagram) -> Diagram:
        """Return the predecessors of states."""
        return self.relation.before(states) & self.invariant

    def with_any_input(self, states: Diagram) -> Diagram:
        """Return the states that differ from some of these in inputs at most."""
        return self.manager.exists(self.inputs, states) & self.invariant

    def layers(
        self, start: Diagram, within: Diagram | None = None, seen: Diagram | None = None
    ) -> Iterator[Diagram]:
        """Yield the states that are not `seen` by their distance from `start`, in steps.

        Raises:
            OutOfTime: the deadline has passed.
        """
        layer = start if within is None else start & within
        seen = self.manager.false if seen is None else seen
        while layer != self.manager.false:
            yield layer
            seen = seen | layer
            layer = self.after(layer) & ~seen
            if within is not None:
                layer = layer & within

    def within(self, states: Diagram) -> Machine:
        """Return a machine with the same steps from some states, and perhaps others."""
        return replace(self, relation=self.relation.within(states))

    def fixed(self, values: Mapping[str, bool]) -> Machine:
        """Return the machine for these values of bits that never change."""
        if not values:
            return self
        return replace(
            self,
            initial=self.manager.fixed(values, self.initial),
            invariant=self.manager.fixed(values, self.invariant),
            relation=self.relation.fixed(values),
            rigid=values,
        )

    def extended(
        self, bits: Sequence[str], initial: Diagram, parts: Iterable[Diagram], within: Diagram
    ) -> Machine:
        """Return the machine with more bits, and steps and states restricted further."""
        together = (*self.bits, *bits)
        *known, last = self.relation.clusters
        clusters = [*known, *_clustered(self.manager, (last[0], *parts))]
        relation = Relation(self.manager, together, clusters=clusters)
        invariant = self.invariant & within
        return replace(
            self,
            bits=together,
            initial=self.initial & initial & within,
            invariant=invariant,
            relation=relation,
        )


@dataclass(frozen=True, slots=True)
class Partitioned:
    """Hold a system as diagrams, its steps in `parts` that are not joined; else as `Machine`."""

    encoder: Encoder
    bits: tuple[str, ...]
    inputs: tuple[str, ...]
    initial: Diagram
    invariant: Diagram
    parts: tuple[Diagram, ...]

    def machine(self, relation: Relation) -> Machine:
        """Return the system with its parts of steps joined."""
        return Machine(self.encoder, self.bits, self.inputs, self.initial, self.invariant, relation)

    def joined(self, like: Relation | None = None) -> Machine:
        """Return the system with parts joined as in `like`, of the same manager."""
        manager = self.encoder.manager
        clusters = None if like is None else _like(like, self.parts, manager)
        return self.machine(Relation(manager, self.bits, self.parts, clusters=clusters, like=like))


def machine(encoder: Encoder) -> Machine:
    """Return a system as diagrams.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline has passed.
    """
    return partitioned(encoder).joined()


def drawn(encoder: Encoder) -> Machine:
    """Return a system as diagrams, made in the present order of bits.

    They are reordered meanwhile only where that takes much memory or time: most of it would be
    reordering, again and again while parts of steps are joined.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline has passed.
    """
    manager = encoder.manager
    whole = manager.deadline
    manager.deadline = whole.within(whole.remaining_s() / 4)
    try:
        with manager.in_fixed_order():
            return machine(encoder)
    except (OutOfTime, ValueError, RuntimeError, MemoryError) as problem:
        if not isinstance(problem, OutOfTime) and not is_out_of_memory(problem):
            raise
    finally:
        manager.deadline = whole
    return machine(encoder)


def partitioned(encoder: Encoder) -> Partitioned:
    """Return a system as diagrams whose steps are not joined.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline has passed.
    """
    system, manager = encoder.system, encoder.manager
    inputs = tuple(
        bit
        for name, coding in encoder.codings.items()
        if system.variables[name].kind is SystemVariableKind.INPUT
        for bit in coding.bits
    )
    # Domains first: they keep the other diagrams small.
    invariant = manager.conjunction(encoder.domains())
    initial = manager.true
    parts: list[Diagram] = []
    for constraint in system.constraints:
        if constraint.kind is ConstraintKind.INVAR:
            if not encoder.is_definition(constraint):
                for term in walk.conjuncts(constraint.term):
                    invariant = invariant & encoder.predicate(term)
        elif constraint.kind is ConstraintKind.INIT:
            initial = initial & encoder.predicate(constraint.term)
        else:
            parts.extend(encoder.predicate(term) for term in walk.conjuncts(constraint.term))
    return Partitioned(
        encoder, encoder.bits(), inputs, initial & invariant, invariant, tuple(parts)
    )


def _like(like: Relation, parts: Sequence[Diagram], manager: Manager) -> list[Cluster]:
    """Return clusters of some parts: those of a relation, as far as it has the same parts.

    What is new replaces what is missing, so it probably reads the same bits; if both are small, it
    is joined with what is left there. Else it is a cluster of its own.
    """
    wanted, known = frozenset(parts), frozenset(like.parts)
    fresh = tuple(part for part in parts if part not in known)
    manager.tick()
    new = manager.conjunction(fresh)
    found: list[Cluster] = []
    for joined, own in like.clusters:
        left = tuple(part for part in own if part in wanted)
        if len(left) == len(own):
            found.append((joined, own))
            continue
        rest = like.rest(left)
        if fresh and manager.size(rest) + manager.size(new) <= SMALL_CLUSTER:
            rest, left, new, fresh = rest & new, (*left, *fresh), manager.true, ()
        found.append((rest, left))
    return [*found, (new, fresh)]
