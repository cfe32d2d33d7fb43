"""Decide alternatives of a system in the manager of the system, one after the other.

An alternative shares nearly all diagrams with the system. Up to the first distance at which a step
differs, it reaches the same states; where none does, it has the same verdicts.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import chain, zip_longest

from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model.sorts import IntSort
from mutproof.model.system import (
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.solving.bdd import always, brief
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.merge import SELECTOR
from mutproof.solving.bdd.relation import (
    Cluster,
    Machine,
    Partitioned,
    Relation,
    machine,
    partitioned,
)
from mutproof.solving.bdd.replacing import Replacing
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated

MOST_MEMORY = 2**28
"""The most memory of the diagrams that are kept of a system, in bytes."""

FAR = 4
"""What part of the layers of the system, as a divisor, may lie beyond its states where these are
looked at all at once."""

MOST_VAIN = 8
"""How many more times than with success that may be tried."""

_RIGID = frozenset({SELECTOR})
_ONE = SystemVariable(SELECTOR, IntSort(0, 0), SystemVariableKind.STATE, shown=False)


class Vicinity:
    """Hold the diagrams of a system, and decide systems that hardly differ from it; mutable.

    `credit` is the caller's: how often, in all, memory may still run out.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """

    def __init__(
        self,
        deadline: Deadline,
        system: TransitionSystem,
        order: Sequence[str] = (),
        *,
        credit: int = 0,
    ) -> None:
        manager = Manager(deadline, reordering=False, most_memory=MOST_MEMORY)
        self.manager = manager
        self._encoder = Encoder(manager, _with_selector(system), _RIGID, order=order)
        self._model = machine(self._encoder)
        self._layers = list(self._model.layers(self._model.initial))
        self._reachable = manager.disjunction(self._layers)
        self._replacing = Replacing(self._model)
        self._asks_all = True
        self._hope = MOST_VAIN
        self.credit = credit

    def decide(self, crowd: Crowd, usual: Mapping[str, BddVerdict]) -> bool:
        """Decide the properties of the only member of a crowd; tell whether nothing differs.

        `usual` are the verdicts on the system itself; where nothing differs, they are those of the
        member, and it has the same dead ends.

        Raises:
            NotFinite: a constraint has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        system = _with_selector(crowd.merged)
        encoder = Encoder(self.manager, system, _RIGID, like=self._encoder)
        drawn = partitioned(encoder)
        (member,) = crowd.members
        simple = all(always.condition(stated) is not None for stated in crowd.stated)
        going_on, is_certain = (None, False) if simple else self._going_on(drawn)
        if is_certain and self._briefly(drawn, crowd, member):
            return False
        model = drawn.joined(self._model.relation)
        if going_on is not None and _is_brief(crowd):
            # To compare steps with the system's may take longer than all layers.
            every = model.layers(model.initial)
            self._conclude(drawn, model, every, crowd, going_on=going_on)
            return False
        false = self.manager.false
        shared, differing = self._shared(model, everywhere=simple)
        if differing == false and self._is_same(encoder, crowd.stated, usual):
            for stated in crowd.stated:
                crowd.note(member, stated, usual[stated.name])
            crowd.followed.add(member.name)
            return True
        if not simple and differing is not None and self._holds_around(model, crowd, member):
            return False

        def layers() -> Iterator[Diagram]:
            if differing == false:
                return iter(shared)
            seen = self.manager.disjunction(shared[:-1])
            return chain(shared[:-1], model.layers(shared[-1], seen=seen))

        found: Mapping[str, BddVerdict] | None = None
        shown = member.name in crowd.shown
        alive = always.lasting(model) if simple else None
        if alive is not None:
            bound = () if differing is None else self._bound(model, differing)
            found = always.verdicts(
                model, layers(), crowd.stated, alive=alive, bound=bound, shown=shown
            )
        if found is None or (shown and not _are_replayed(found)):
            try:
                self._conclude(drawn, model, layers(), crowd, going_on=going_on)
            except OutOfTime:
                if found is None:
                    raise
            else:
                return False
        for stated in crowd.stated:
            crowd.note(member, stated, found[stated.name])
        crowd.followed.add(member.name)
        return False

    def _conclude(
        self,
        drawn: Partitioned,
        model: Machine,
        layers: Iterable[Diagram],
        crowd: Crowd,
        *,
        going_on: Diagram | None,
    ) -> None:
        """Decide properties from the layers of reachable states, unless a dead end is met.

        The states `going_on` have a successor, others have none; None if that is not known.
        """
        (member,) = crowd.members
        reached: list[Diagram] = []
        for layer in layers:
            reached.append(layer)
            if going_on is not None and layer & ~going_on != self.manager.false:
                crowd.end(member)
                return
        if going_on is None or not self._briefly(drawn, crowd, member):
            crowd.conclude(model, reached, goes_on=going_on is not None)

    def _holds_around(self, model: Machine, crowd: Crowd, member: Member) -> bool:
        """Decide that all properties hold by more states than are reached; tell whether they do.

        They are those of the system and what follows them: no step leaves these. So what is said of
        the paths from each of them is true, but some of them may not be reached.
        """
        manager = self.manager
        if self._hope <= 0:
            return False
        whole = manager.deadline
        manager.deadline = whole.within(whole.remaining_s() / 2)
        try:
            around = self._around(model)
            if around is None:
                self._hope -= 1
                return False
            tried = Crowd(crowd.merged, crowd.members, crowd.stated, frozenset(), crowd.known)
            tried.conclude(model, [around])
        except OutOfTime:
            self._hope -= MOST_VAIN // 2
            return False
        finally:
            manager.deadline = whole
        found = tried.verdicts.get(member.name, {})
        holds = not tried.dead_ends and all(
            found.get(one.name) == Holding() or one.name in crowd.known.get(member.name, ())
            for one in crowd.stated
        )
        self._hope += 1 if holds else -1
        if holds:
            crowd.verdicts.setdefault(member.name, {}).update(found)
            crowd.followed.add(member.name)
        return holds

    def _around(self, model: Machine) -> Diagram | None:
        """Return the states of the system and those that follow them; None if these are far."""
        found = [self._reachable]
        fresh = model.after(self._reachable) & ~self._reachable
        for layer in model.layers(fresh, seen=self._reachable):
            found.append(layer)
            if len(found) * FAR > len(self._layers):
                return None
        return self.manager.disjunction(found)

    @cached_property
    def _goes_on(self) -> bool:
        """Tell whether the system itself has no reachable dead end."""
        model = self._model.within(self._reachable)
        going_on = model.with_any_input(model.before(model.invariant))
        return self._reachable & ~going_on == self.manager.false

    def _going_on(self, drawn: Partitioned) -> tuple[Diagram | None, bool]:
        """Return the states with a successor, None if not known, and whether others matter not.

        Once it takes half of the time to ask that of all states, it is asked no more.
        """
        mine, manager = self._model, self.manager
        if (
            not self._asks_all
            or (drawn.bits, drawn.inputs) != (mine.bits, mine.inputs)
            or drawn.invariant != mine.invariant
            or drawn.initial == self.manager.false
            or not self._goes_on
        ):
            return None, False
        whole = manager.deadline
        manager.deadline = whole.within(whole.remaining_s() / 2)
        try:
            return self._replacing.going_on(drawn)
        except OutOfTime:
            self._asks_all = False
            return None, False
        finally:
            manager.deadline = whole

    def _briefly(self, drawn: Partitioned, crowd: Crowd, member: Member) -> bool:
        """Decide properties of the first steps that hold, where all executions go on."""
        if not _is_brief(crowd):
            return False
        found = brief.holding(drawn.machine(self._replacing.relation(drawn)), crowd.stated)
        crowd.followed.add(member.name)
        for stated in found:
            crowd.note(member, stated, Holding())
        return len(found) == len(crowd.stated)

    def _is_same(
        self, encoder: Encoder, stated: Sequence[SystemProperty], usual: Mapping[str, BddVerdict]
    ) -> bool:
        """Tell whether properties hold of the system, and read nothing defined otherwise."""
        if not all(isinstance(usual.get(one.name), Holding) for one in stated):
            return False
        stale = self._encoder.stale(encoder.definitions)
        system, reading = encoder.system, self._encoder.reading
        read = [one.term for one in stated]
        read += [*system.fairness, *(term for pair in system.compassion for term in pair)]
        changed = reading.names(stale)
        return not any(reading.of(term) & changed for term in read)

    def _shared(
        self, model: Machine, *, everywhere: bool
    ) -> tuple[Sequence[Diagram], Diagram | None]:
        """Return the first layers of states that a system reaches as this one does, at least one.

        Also the reachable states in which it has other steps, `everywhere` or in the last of these
        layers; None if it has other states.
        """
        mine, manager = self._model, self.manager
        if (
            model.bits != mine.bits
            or model.inputs != mine.inputs
            or model.initial != mine.initial
            or model.invariant != mine.invariant
        ):
            return [model.initial], None
        if not everywhere:
            return self._until_differing(model.relation)
        differing = self._differing(model.relation)
        for number, layer in enumerate(self._layers, start=1):
            if layer & differing != manager.false:
                return self._layers[:number], differing
        return self._layers, differing

    def _bound(self, model: Machine, differing: Diagram) -> Iterator[Diagram]:
        """Yield sets of states that include all that are reached: first where the system gets.

        The others are those that are reached from there by steps which differ.
        """
        yield self._reachable
        layer = model.after(differing) & ~self._reachable
        yield from model.layers(layer, seen=self._reachable)

    def _until_differing(self, other: Relation) -> tuple[Sequence[Diagram], Diagram]:
        """Return the layers up to the first in which steps differ, and the states of it that do."""
        manager = self.manager
        differing, clusters = self._steps(other)
        mine = self._model.relation
        equal = Relation(manager, self._model.bits, clusters=clusters, like=mine)
        for number, layer in enumerate(self._layers, start=1):
            steps = layer & differing  # few, so that what follows is small too
            found = steps if steps == manager.false else equal.starts(steps)
            if found != manager.false:
                return self._layers[:number], found
        return self._layers, manager.false

    def _differing(self, other: Relation) -> Diagram:
        """Return the reachable states in which steps begin that only one of the systems has."""
        manager = self.manager
        differing, clusters = self._steps(other)
        if differing == manager.false:
            return differing
        clusters, mine = [*clusters, (differing, ())], self._model.relation
        every = Relation(manager, self._model.bits, clusters=clusters, like=mine)
        return every.starts(self._reachable)

    def _steps(self, other: Relation) -> tuple[Diagram, Sequence[Cluster]]:
        """Return the steps that only one of two parts has: of those that the systems share not.

        Also the parts that they share, in clusters.
        """
        manager, mine = self.manager, self._model.relation
        clusters: list[Cluster] = []
        lost, fresh = list[Diagram](), list[Diagram]()
        for (one, own), (another, others) in _paired(mine, other):
            left = own if one == another else tuple(part for part in own if part in others)
            clusters.append((one if one == another else mine.rest(left), ()))
            lost += (part for part in own if part not in left)
            fresh += (part for part in others if part not in left)
        return manager.xor(manager.conjunction(lost), manager.conjunction(fresh)), clusters


def _are_replayed(verdicts: Mapping[str, BddVerdict]) -> bool:
    """Tell whether an execution shows each failure."""
    failures = (one for one in verdicts.values() if isinstance(one, Violated))
    return all(one.evidence is not None for one in failures)


def _is_brief(crowd: Crowd) -> bool:
    """Tell whether properties speak of first steps, and all paths are fair."""
    system = crowd.merged
    return not (system.fairness or system.compassion or None in map(brief.depth, crowd.stated))


def _paired(one: Relation, other: Relation) -> list[tuple[Cluster, Cluster]]:
    """Return the clusters of two relations side by side, as many of each."""
    nothing: Cluster = one.manager.true, ()
    return list(zip_longest(one.clusters, other.clusters, fillvalue=nothing))


def _with_selector(system: TransitionSystem) -> TransitionSystem:
    """Return a system as the only alternative of itself."""
    return replace(system, variables={SELECTOR: _ONE, **system.variables})
