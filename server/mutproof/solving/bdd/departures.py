"""Decide variants of a system whose steps differ from its own in some states that it reaches.

The steps from these states are one diagram, and so are those of a variant. Only states that the
system does not reach are visited, beginning where the variant leaves its states. Together they are
the states of the variant, and perhaps more: what all of them satisfy, and all paths through them,
the variant satisfies. Where they do not, its own states are sought from where steps first differ.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model.program import PropertyKind
from mutproof.model.system import Constraint, SystemProperty
from mutproof.solving.bdd import always, refutation
from mutproof.solving.bdd.beginnings import Onwards
from mutproof.solving.bdd.check import attempted, fairness_of
from mutproof.solving.bdd.coding import following
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine, Relation
from mutproof.solving.bdd.same_steps import SameSteps
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Violated

MOST_KEPT = 512
"""Of how many ways to leave the states of the system is kept what they come to."""

_Key: TypeAlias = "tuple[frozenset[Constraint], Diagram, tuple[str, ...], bool, bool]"
"""What a variant lacks, its steps from the states of the system, and what was asked."""


@dataclass(slots=True)
class _Beyond:
    """Hold states that the system does not reach, and the steps from them; mutable.

    `kept` are those that what stays of the system allows.
    """

    states: Diagram
    kept: Diagram
    steps: Diagram


@dataclass(frozen=True, slots=True)
class Told:
    """Hold the verdict on all of some properties; where it is a failure, the one that fails."""

    verdict: BddVerdict
    goal: str = ""


@dataclass(frozen=True, slots=True)
class _Known:
    """Hold what was told, and the new states and all steps from them that it rests on."""

    told: Told | None
    beyond: _Beyond


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold the states in which invariants fail, of the system none, and all other properties."""

    failing: Mapping[SystemProperty, Diagram]
    bad: Diagram
    rest: Sequence[SystemProperty]


@dataclass(frozen=True, slots=True)
class OtherSteps:
    """Hold constraints of steps that are `removed` and those `stated` for them.

    All executions of the variant are known to go on, or not.
    """

    removed: Sequence[Constraint]
    stated: Sequence[Constraint]
    goes_on: bool


class Departures:
    """Decide variants of a system with the diagrams that compare their steps; caches only.

    Raises:
        NotFinite: a condition of fairness has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """

    def __init__(self, same: SameSteps) -> None:
        self._same = same
        self._model = model = same.model
        self._manager = model.manager
        self._forward = tuple(map(following, model.bits))
        self._backward = dict(zip(self._forward, model.bits, strict=True))
        self._ahead = model.relation.shifted(model.invariant)
        self._own = same.own & self._ahead
        self._fairness = fairness_of(model.encoder)
        self._asked: dict[tuple[str, ...], _Asked] = {}
        self._known: dict[_Key, _Known] = {}
        self._kept: dict[tuple[frozenset[Constraint], Diagram], Diagram] = {}
        self.goes_on = not self._ends(same.reachable, self._own)

    def verdict(
        self,
        change: OtherSteps,
        goals: Sequence[SystemProperty],
        deadline: Deadline,
        *,
        shown: bool,
    ) -> tuple[Told | None, str]:
        """Return that a variant has all of some properties or how it fails one, else why not.

        The system has these, and its executions go on; so do those of a variant with a verdict.
        What fails is told with an execution if that is wanted, and of an invariant only so.
        """
        self._manager.deadline = deadline
        found = list[Told | None]()
        reason = attempted(lambda: found.append(self._verdict(change, goals, shown=shown)))
        return (None, reason) if reason else (found[0], "")

    def _verdict(
        self, change: OtherSteps, goals: Sequence[SystemProperty], *, shown: bool
    ) -> Told | None:
        steps = self._same.steps(change.removed, change.stated) & self._ahead
        names = tuple(one.name for one in goals)
        key = frozenset(change.removed), steps, names, change.goes_on, shown
        known = self._known.get(key)
        if known is not None:
            beyond = known.beyond
            if self._allowed(beyond.kept, change) == beyond.steps:
                return known.told
        if names not in self._asked:
            self._asked[names] = self._conditions(goals)
        false = self._manager.false
        beyond = _Beyond(false, false, false)
        asked = self._asked[names]
        if any(one.kind is PropertyKind.INVARIANT for one in asked.rest):
            return None
        told = self._found(change, steps, asked, beyond, shown=shown)
        if len(self._known) >= MOST_KEPT:
            self._known.clear()
        self._known[key] = _Known(told, beyond)
        return told

    def _found(
        self, change: OtherSteps, steps: Diagram, asked: _Asked, beyond: _Beyond, *, shown: bool
    ) -> Told | None:
        """Return the verdict on a variant by its steps from known states; add what is `beyond`."""
        manager, reachable = self._manager, self._same.reachable
        is_tried = not (shown and change.goes_on)
        layer = self._after(steps & ~self._own) & ~reachable
        while layer != manager.false:
            if not is_tried and layer & asked.bad != manager.false:
                is_tried = True
                model = self._machine(steps | beyond.steps)
                found = self._broken(model, self._layers(model, steps), asked)
                if found is not None:
                    return found
            kept = self._kept_from(layer, change.removed)
            steps_on = self._allowed(kept, change)
            beyond.states, beyond.kept = beyond.states | layer, beyond.kept | kept
            beyond.steps = beyond.steps | steps_on
            layer = self._after(steps_on) & ~reachable & ~beyond.states
        states, model = reachable | beyond.states, self._machine(steps | beyond.steps)
        told = self._told(model, [states], asked, change, shown=False)
        if told is not None and isinstance(told.verdict, Holding):
            return told
        layers = [*self._layers(model, steps)]
        return self._told(model, layers, asked, change, shown=shown)

    def _told(
        self,
        model: Machine,
        layers: Sequence[Diagram],
        asked: _Asked,
        change: OtherSteps,
        *,
        shown: bool,
    ) -> Told | None:
        """Return the verdict by all states that are reached, by distance; None if some step ends.

        None also of an invariant that fails, if no execution is to be `shown`.
        """
        (steps, _), *_ = model.relation.clusters
        states = self._manager.disjunction(layers)
        if not change.goes_on and self._ends(states, steps):
            return None
        if states & asked.bad != self._manager.false:
            return self._broken(model, layers, asked) if shown else None
        if not asked.rest:
            return Told(Holding())
        onwards = Onwards(model, states, self._fairness)
        for one in asked.rest:
            verdict = onwards.verdict(one, model.initial, shown=shown)
            if isinstance(verdict, Violated):
                return Told(verdict, one.name)
            if verdict != Holding():
                return None
        return Told(Holding())

    def _broken(self, model: Machine, layers: Iterable[Diagram], asked: _Asked) -> Told | None:
        """Return how an invariant fails in states that are reached; None if none does."""
        false, reached = self._manager.false, list[Diagram]()
        for layer in layers:
            reached.append(layer)
            for one, bad in asked.failing.items():
                if layer & bad != false:
                    found = refutation.invariant(model, reached, layer & bad, None)
                    return Told(found, one.name)
        return None

    def _layers(self, model: Machine, steps: Diagram) -> Iterator[Diagram]:
        """Yield the states that a variant reaches by distance: of the system until steps differ."""
        manager = self._manager
        differing = manager.exists(self._forward, manager.xor(steps, self._own))
        layers = list[Diagram]()
        for layer in self._same.layers:
            layers.append(layer)
            if layer & differing != manager.false:
                break
        start = layers.pop()
        yield from layers
        yield from model.layers(start, seen=manager.disjunction(layers))

    def _kept_from(self, states: Diagram, removed: Sequence[Constraint]) -> Diagram:
        """Return the steps from some states without some constraints."""
        key = frozenset(removed), states
        if key not in self._kept:
            if len(self._kept) >= MOST_KEPT:
                self._kept.clear()
            parts = self._same.parts_without(removed)
            self._kept[key] = self._same.joined(states, parts) & self._ahead
        return self._kept[key]

    def _allowed(self, steps: Diagram, change: OtherSteps) -> Diagram:
        """Return those of some steps, which what stays allows, that a variant takes."""
        return self._same.replaced(steps, change.removed, change.stated)

    def _after(self, steps: Diagram) -> Diagram:
        """Return the states in which some steps end."""
        return self._manager.renamed(self._backward, self._manager.exists(self._model.bits, steps))

    def _ends(self, states: Diagram, steps: Diagram) -> bool:
        """Tell whether one of some states begins no step, whatever the inputs are."""
        alive = self._manager.exists(self._forward, steps)
        return states & ~self._model.with_any_input(alive) != self._manager.false

    def _machine(self, steps: Diagram) -> Machine:
        model = self._model
        relation = Relation(self._manager, model.bits, clusters=[(steps, (steps,))])
        return Machine(
            model.encoder, model.bits, model.inputs, model.initial, model.invariant, relation
        )

    def _conditions(self, goals: Sequence[SystemProperty]) -> _Asked:
        """Return what is asked of states, and what is asked of paths."""
        encoder, false = self._model.encoder, self._manager.false
        failing: dict[SystemProperty, Diagram] = {}
        for one in goals:
            condition = always.condition(one)
            if one.kind is PropertyKind.INVARIANT and condition is not None:
                bad = ~encoder.predicate(condition)
                if self._same.reachable & bad == false:
                    failing[one] = bad
        rest = [one for one in goals if one not in failing]
        return _Asked(failing, self._manager.disjunction(failing.values()), rest)
