"""Decide properties of all systems that one merged system stands for, in one manager.

Verdicts are recorded as soon as they are known, so that interrupted work keeps them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import field, replace
from functools import cache

from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import walk
from mutproof.model.branching import on_all_paths
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import Value
from mutproof.model.system import (
    ConstraintKind,
    SystemProperty,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving.bdd import always, ltl, refutation, trace
from mutproof.solving.bdd.check import fairness_of
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.ctl import Branching, Restricted, fair_by_all, response
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.merge import SELECTOR
from mutproof.solving.bdd.relation import Machine, drawn
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Undecided, Vacuity, Violated
from mutproof.solving.formulas import invariant_of, is_branching

NO_INITIAL_STATE = "no state is initial"
DEADLOCK = "a reachable state has no successor"


@dataclass(frozen=True, slots=True)
class Member:
    """Name one of the systems: its selector in the merged system, and itself."""

    name: str
    selector: int
    system: TransitionSystem


@dataclass(slots=True)
class Crowd:
    """Hold the members and what is known of them; mutated while it works.

    `shown` are the members whose refutations need executions; what is `known` is not decided again.
    All executions of the `followed` members go on, but for those in `dead_ends`.
    """

    merged: TransitionSystem
    members: Sequence[Member]
    stated: Sequence[SystemProperty]
    shown: frozenset[str]
    known: Mapping[str, Mapping[str, BddVerdict]] = field(default_factory=dict)
    verdicts: dict[str, dict[str, BddVerdict]] = field(default_factory=dict)
    dead_ends: dict[str, str] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)

    def decide(self, manager: Manager, *, order: Sequence[str] = ()) -> None:
        """Decide the stated properties.

        The bits of `order` come first, in that order.

        Raises:
            NotFinite: a member has no diagrams.
            OutOfTime: the deadline of the manager has passed.
        """
        rigid = frozenset({SELECTOR})
        encoder = Encoder(manager, self.merged, rigid, order=order)
        model = drawn(encoder)
        self.conclude(model, list(model.layers(model.initial)))

    def conclude(self, model: Machine, layers: Sequence[Diagram], *, goes_on: bool = False) -> None:
        """Decide the stated properties from the reachable states, by their distance.

        `goes_on`: it is known that some state is initial, and each of them has a successor.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        sets = _Sets(model, layers)
        if goes_on:
            self.followed.update(member.name for member in self.members)
        else:
            self._note_dead_ends(sets)
        for number, stated in enumerate(self.stated):
            try:
                if stated.kind is PropertyKind.INVARIANT:
                    self._invariant(sets, stated)
                elif is_branching(stated):
                    self._branching(sets, stated)
                else:
                    self._linear(sets, stated, f"ltl{number}")
            except NotFinite as problem:
                for member in self.members:
                    if stated.name not in self.known.get(member.name, ()):
                        self.note(member, stated, Undecided(str(problem)))

    def end(self, member: Member) -> None:
        """Note that a reachable state of a member has no successor."""
        self.followed.add(member.name)
        self.dead_ends[member.name] = DEADLOCK

    def note(self, member: Member, stated: SystemProperty, verdict: BddVerdict) -> None:
        """Note the verdict on a property of a member, with executions of its own variables."""
        own = _of_member(verdict, member) if isinstance(verdict, Violated) else verdict
        self.verdicts.setdefault(member.name, {})[stated.name] = own

    def _note_dead_ends(self, sets: _Sets) -> None:
        model, reachable = sets.model, sets.reachable
        going_on = model.with_any_input(model.before(reachable))
        stuck = sets.project(reachable & ~going_on)
        for member in self.members:
            self.followed.add(member.name)
            if not sets.has(sets.begun, member):
                self.dead_ends[member.name] = NO_INITIAL_STATE
            elif sets.has(stuck, member):
                self.dead_ends[member.name] = DEADLOCK

    def _invariant(self, sets: _Sets, stated: SystemProperty) -> None:
        model = sets.model
        bad = ~model.encoder.predicate(stated.term)
        is_step = Op.NEXT_VAR in walk.operators(stated.term)
        if is_step:
            bad = bad & model.invariant & model.relation.shifted(model.invariant)

        def hit(states: Diagram) -> Diagram:
            return states & (model.relation.starts(states & bad) if is_step else bad)

        @cache
        def hits() -> Sequence[Diagram]:
            return [*map(hit, sets.layers)]

        failing = sets.project(hit(sets.reachable))

        def refute(member: Member) -> Violated:
            values = sets.values(member)
            false = model.manager.false
            layers: list[Diagram] = []
            for layer, met in zip(sets.layers, hits(), strict=True):
                layers.append(model.manager.fixed(values, layer))
                found = model.manager.fixed(values, met)
                if found != false:
                    steps = model.manager.fixed(values, bad) if is_step else None
                    return refutation.invariant(sets.alone(member), layers, found, steps)
            message = "an invariant fails nowhere"
            raise AssertionError(message)

        vacuity = {Vacuity.NO_INITIAL_STATE: sets.begun}
        self._conclude(sets, stated, failing, vacuity, refute=refute)

    def _branching(self, sets: _Sets, stated: SystemProperty) -> None:
        whole = sets.branching
        start = sets.model.initial & whole.fair
        # What a single member fails first suffices.
        parts = walk.conjuncts(stated.term) if len(self.members) == 1 else (stated.term,)
        failing, part = sets.model.manager.false, stated.term
        for part in parts:
            failing = start & ~whole.satisfying(part)
            if failing != sets.model.manager.false:
                break

        def refute(member: Member) -> Violated:
            known = sets.refuted(member, stated)
            if known is not None:
                return known
            here = Restricted(whole, sets.alone(member))
            bad = sets.model.manager.fixed(sets.values(member), failing)
            return refutation.branching(here, bad, replace(stated, term=part))

        vacuity = sets.vacuity(whole.fair)
        self._conclude(sets, stated, sets.project(failing), vacuity, refute=refute)

    def _linear(self, sets: _Sets, stated: SystemProperty, prefix: str) -> None:
        model = sets.model

        @cache
        def denied() -> tuple[ltl.Denial, Cycles]:
            about = model, sets.reachable, sets.fairness, stated.term
            found = ltl.denial(*about, prefix=prefix)
            return found, found.cycles()

        def refute(member: Member) -> Violated:
            known = sets.refuted(member, stated)
            if known is not None:
                return known
            if late is not None:
                return sets.unanswered(member, late)
            paths, cycles = denied()
            return refutation.linear(paths.fixed(sets.values(member)), cycles)

        failing, late = sets.leaving(stated), None
        asked = sets.response(stated) if failing is None else None
        if asked is not None:
            late = sets.branching.waiting(*asked), sets.branching.satisfying(asked[0])
            failing = sets.project(late[0] & late[1])
        if failing is None:
            paths, _ = denied()
            failing = model.manager.exists(paths.machine.bits, paths.start)
        self._conclude(sets, stated, failing, sets.vacuity(sets.fair), refute=refute)

    def _conclude(
        self,
        sets: _Sets,
        stated: SystemProperty,
        failing: Diagram,
        vacuity: Mapping[Vacuity, Diagram],
        *,
        refute: Callable[[Member], Violated],
    ) -> None:
        """Note the members that satisfy a property, then refute it for the others."""
        refuted: list[Member] = []
        for member in self.members:
            if stated.name in self.known.get(member.name, ()):
                continue
            if sets.has(failing, member):
                refuted.append(member)
                continue
            empty = [why for why, some in vacuity.items() if not sets.has(some, member)]
            self.note(member, stated, Holding(empty[0] if empty else None))
        for member in refuted:
            found = refute(member) if member.name in self.shown else Violated(None)
            self.note(member, stated, found)


class _Sets:
    """Hold sets of states of all members, each computed once."""

    def __init__(self, model: Machine, layers: Sequence[Diagram]) -> None:
        self.layers = layers
        self.reachable = model.manager.disjunction(self.layers)
        self.model = model.within(self.reachable)
        self._whole = model
        self.fairness = fairness_of(model.encoder)
        self.branching = Branching(self.model, self.reachable, self.fairness)
        self._machines: dict[str, Machine] = {}
        self._vacuities: dict[Diagram, Mapping[Vacuity, Diagram]] = {}

    @cached_property
    def begun(self) -> Diagram:
        """Return the selectors of initial states."""
        return self.project(self.model.initial)

    @cached_property
    def fair(self) -> Diagram:
        """Return the states of infinite paths that are fair by COMPASSION too."""
        return fair_by_all(self.branching, self.fairness)

    def leaving(self, stated: SystemProperty) -> Diagram | None:
        """Return the selectors for which a fair path leaves p where G p is stated, else None.

        A state alone does not tell where it begins a fair path with some inputs only.
        """
        condition = invariant_of(stated.term)
        if condition is None:
            return None
        left = self.reachable & self.fair & ~self.model.encoder.predicate(condition)
        is_told = not self.model.inputs or left == self.model.manager.false
        return self.project(left) if is_told else None

    def response(self, stated: SystemProperty) -> tuple[Term, Term] | None:
        """Return p and q where `G (p -> F q)` is stated, which fair states decide, else None."""
        if self.model.inputs or self.fairness.compassion:
            return None
        formula = on_all_paths(stated.term)
        return None if formula is None else response(formula)

    def unanswered(self, member: Member, late: tuple[Diagram, Diagram]) -> Violated:
        """Return a path of a member to a state that asks, and on through those that wait forever.

        Both sets are given, first these; some state is in both.
        """
        model, manager, false = self.alone(member), self.model.manager, self.model.manager.false
        waiting, asked = (manager.fixed(self.values(member), states) for states in late)
        layers: list[Diagram] = []
        for layer in self.layers:
            layers.append(manager.fixed(self.values(member), layer))
            if layers[-1] & waiting & asked != false:
                break
        end = trace.pick(model, layers[-1] & waiting & asked)
        states = trace.backwards(model, layers, end)
        fairness = self.fairness.fixed(manager, self.values(member))
        rest, loop = trace.lasso(model, end.alone, waiting, waiting, fairness=fairness, like=end)
        shown = trace.shown(model, states[:-1] + rest, len(states) - 1 + loop)
        return Violated(shown, evidence=shown)

    def project(self, states: Diagram) -> Diagram:
        """Return the selectors of states."""
        return self.model.manager.exists(self.model.bits, states)

    def values(self, member: Member) -> dict[str, bool]:
        """Return the bits of a selector."""
        return self.model.encoder.codings[SELECTOR].assignment(member.selector)

    def has(self, selectors: Diagram, member: Member) -> bool:
        """Tell whether a member is among some selectors."""
        manager = self.model.manager
        return manager.fixed(self.values(member), selectors) != manager.false

    def alone(self, member: Member) -> Machine:
        """Return the machine of a member."""
        if member.name not in self._machines:
            self._machines[member.name] = self.model.fixed(self.values(member))
        return self._machines[member.name]

    def refuted(self, member: Member, stated: SystemProperty) -> Violated | None:
        """Return how a member violates a condition on all states: the same in any family."""
        term = always.condition(stated)
        if term is None:
            return None
        manager, values = self.model.manager, self.values(member)
        bad = manager.fixed(values, ~self.model.encoder.predicate(term))
        layers = (manager.fixed(values, layer) for layer in self.layers)
        return always.refuted(self._whole.fixed(values), layers, bad, stated)

    def vacuity(self, fair: Diagram) -> Mapping[Vacuity, Diagram]:
        """Return the selectors for which there is something to look at, by what is missing."""
        if fair not in self._vacuities:
            self._vacuities[fair] = {
                Vacuity.NO_INITIAL_STATE: self.begun,
                Vacuity.NO_FAIR_STATE: self.project(fair),
                Vacuity.NO_FAIR_INITIAL_STATE: self.project(self.model.initial & fair),
            }
        return self._vacuities[fair]


def _of_member(found: Violated, member: Member) -> Violated:
    return Violated(
        _own(found.trace, member.system),
        found.complete,
        _own(found.evidence, member.system),
    )


def _own(trace: Trace | None, system: TransitionSystem) -> Trace | None:
    """Return an execution of the merged system as an execution of a member."""
    if trace is None:
        return None
    equations = {
        c.defines for c in system.constraints if c.kind is ConstraintKind.INVAR and c.defines
    }
    chosen = [
        name
        for name, variable in system.variables.items()
        if variable.kind is not SystemVariableKind.DEFINED or name not in equations
    ]
    shown = [name for name, variable in system.variables.items() if variable.shown]
    rows = zip(trace.steps, trace.choices.steps, strict=True)  # choices have hidden values too
    return Trace(
        Choices(tuple(_picked({**step, **choice}, chosen) for step, choice in rows)),
        tuple(_picked(step, shown) for step in trace.steps),
        trace.loop,
    )


def _picked(values: Mapping[str, Value], names: Iterable[str]) -> dict[str, Value]:
    return {name: values[name] for name in names}
