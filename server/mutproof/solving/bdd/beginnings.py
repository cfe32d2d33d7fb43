"""Decide alternatives that only change which states are initial.

Which states satisfy a property does not depend on the initial states: fixed points, computed once,
decide every such alternative by an intersection. They are sought among the states that are reached
from the initial ones of all, or from some of each.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.digest import Digest
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.program import PropertyKind
from mutproof.model.system import ConstraintKind, SystemProperty, TransitionSystem
from mutproof.solving.bdd import ltl, refutation, trace
from mutproof.solving.bdd.check import attempted, fairness_of
from mutproof.solving.bdd.crowd import DEADLOCK, NO_INITIAL_STATE
from mutproof.solving.bdd.ctl import Branching, fair_by_all
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import Fairness, reaching
from mutproof.solving.bdd.ltl import Denial
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.relation import Machine, machine
from mutproof.solving.bdd.verdict import BddVerdict, Holding, Vacuity, Violated
from mutproof.solving.formulas import is_branching

FEW = 64
"""The most initial states of an alternative that are all looked at when only some are."""

MOST_MEMORY = 2**28
"""The most memory of the diagrams that are kept where only some are looked at, in bytes."""

Bare: TypeAlias = tuple[tuple[str, ...], Digest, bool, bool]
"""The variables of a system in order, the digest of the system without initial states, whether
executions are shown (a second answer, which shows none, uses nothing of the first), and whether all
initial states are looked at."""


def begins_elsewhere(alternative: Alternative, system: TransitionSystem) -> bool:
    """Tell whether an alternative changes nothing but which states are initial."""
    changed = [*alternative.constraints, *alternative.lost]
    changed += [c for owner in alternative.removed for c in system.by_owner.get(owner, ())]
    return not alternative.variables and all(c.kind is ConstraintKind.INIT for c in changed)


def without_initial(system: TransitionSystem) -> TransitionSystem:
    """Return a system in which every state is initial."""
    kept = tuple(c for c in system.constraints if c.kind is not ConstraintKind.INIT)
    return replace(system, constraints=kept)


@dataclass(frozen=True, slots=True)
class Elsewhere:
    """Decide temporal properties of alternatives of a system by their initial states.

    `is_itself` tells whether verdicts are those of the system itself. The bits of `order` come
    first. What is found goes to `verdicts` and `dead_ends`, by alternative; all executions of those
    that are `followed` go on, but for those in `dead_ends`.
    """

    system: TransitionSystem
    stated: Sequence[SystemProperty]
    is_itself: Callable[[Mapping[str, BddVerdict]], bool]
    order: Sequence[str]
    verdicts: dict[str, dict[str, BddVerdict]]
    dead_ends: dict[str, str]
    followed: set[str]

    def decide(
        self,
        changed: Mapping[str, TransitionSystem],
        learnt: dict[Bare, Beginnings | None],
        deadline: Deadline,
        *,
        shown: bool,
        whole: bool,
    ) -> list[str]:
        """Return the alternatives that are decided from some initial states, or from the `whole`.

        The whole is taken in any case if it is known. `learnt` says None of what failed before;
        `shown`: with executions that show what fails.
        """
        bare = without_initial(self.system)
        some, every = ((tuple(bare.variables), bare.digest, shown, one) for one in (False, True))
        key = every if whole or learnt.get(every) is not None else some
        if not changed or (key in learnt and learnt[key] is None):
            return []
        attempted(partial(self._attempt, changed, key, learnt, deadline))
        done = [name for name in changed if self._is_decided(name)]
        if not done:
            learnt[key] = None
        return done

    def _attempt(
        self,
        changed: Mapping[str, TransitionSystem],
        key: Bare,
        learnt: dict[Bare, Beginnings | None],
        deadline: Deadline,
    ) -> None:
        _, _, shown, whole = key
        known = learnt.get(key)
        if known is None:
            manager = Manager(deadline, reordering=whole, most_memory=0 if whole else MOST_MEMORY)
            bare = without_initial(self.system)
            learnt[key] = known = Beginnings(manager, bare, self.order)
        known.manager.deadline = deadline
        own = known.initial(self.system)
        initial = {name: known.initial(one) for name, one in changed.items()}
        starts = (one if whole else known.sample(one, own) for one in initial.values())
        onwards = known.onwards(known.manager.disjunction((own, *starts)))
        itself = {p.name: onwards.verdict(p, own, shown=False) for p in self.stated}
        if not self.is_itself(itself):
            return
        for name, begin in initial.items():
            inside = begin & onwards.states
            is_all = inside == begin
            # From what is not looked at, a path may lead to a dead end.
            if is_all or known.goes_on:
                self._note(name, onwards, inside, is_all=is_all, shown=shown)

    def _note(
        self, name: str, onwards: Onwards, initial: Diagram, *, is_all: bool, shown: bool
    ) -> None:
        """Note what follows from initial states: from some of them alone only what fails."""
        why = onwards.dead_end(initial) if is_all else ""
        if why:
            self.dead_ends[name] = why
        self.followed.add(name)
        known = self.verdicts.setdefault(name, {})
        for one in self.stated:
            found = onwards.verdict(one, initial, shown=shown)
            if is_all or isinstance(found, Violated):
                known[one.name] = found

    def _is_decided(self, name: str) -> bool:
        return all(one.name in self.verdicts.get(name, ()) for one in self.stated)


class Beginnings:
    """Hold a system of which all states are initial; caches only.

    Raises:
        NotFinite: a constraint has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """

    def __init__(
        self, manager: Manager, system: TransitionSystem, order: Sequence[str] = ()
    ) -> None:
        self._encoder = Encoder(manager, system, order=order)
        self._model = machine(self._encoder)
        self._fairness = fairness_of(self._encoder)
        self._last: Onwards | None = None

    @property
    def manager(self) -> Manager:
        """Return the manager of all diagrams."""
        return self._encoder.manager

    @cached_property
    def goes_on(self) -> bool:
        """Tell whether every state, reachable or not, has a successor with some inputs."""
        model = self._model
        alive = model.with_any_input(model.before(model.invariant))
        return model.invariant & ~alive == self.manager.false

    def initial(self, system: TransitionSystem) -> Diagram:
        """Return the initial states of a system that has the same states and steps."""
        initial = self._model.invariant
        for constraint in system.constraints:
            if constraint.kind is ConstraintKind.INIT:
                initial = initial & self._encoder.predicate(constraint.term)
        return initial

    def sample(self, states: Diagram, own: Diagram) -> Diagram:
        """Return these states if they are few, else two: one like `own` states, one unlike them."""
        model, false = self._model, self.manager.false
        if self.manager.count(states, model.bits) <= FEW:
            return states
        like = trace.pick(model, own if own != false else states)
        unlike = replace(like, bits={bit: not value for bit, value in like.bits.items()})
        others = states & ~own
        chosen = (trace.pick(model, others, one).alone for one in (like, unlike))
        return self.manager.disjunction(chosen)

    def onwards(self, states: Diagram) -> Onwards:
        """Return what is reached from some states, the last answer if that has them all."""
        if self._last is None or states & ~self._last.states != self.manager.false:
            # Whether a state has a successor is asked of it with any inputs.
            start = self._model.with_any_input(states)
            reached = self.manager.disjunction(self._model.layers(start))
            self._last = Onwards(self._model, reached, self._fairness)
        return self._last


class Onwards:
    """Decide temporal properties from states among `states`, which no step leaves; caches only.

    Invariants are left out: solvers decide these.

    Raises:
        NotFinite: a property has no diagram.
        OutOfTime: the deadline of the manager has passed.
    """

    def __init__(self, model: Machine, states: Diagram, fairness: Fairness) -> None:
        self.states = states
        self._whole = model
        self._model = model.within(states)
        self._fairness = fairness
        self._branching = Branching(self._model, states, fairness)
        self._denials: dict[str, tuple[Denial, Cycles]] = {}

    @property
    def manager(self) -> Manager:
        """Return the manager of all diagrams."""
        return self._model.manager

    def dead_end(self, initial: Diagram) -> str:
        """Return why executions from these states end, or why there are none; empty if neither."""
        if initial == self.manager.false:
            return NO_INITIAL_STATE
        return DEADLOCK if initial & self._ending != self.manager.false else ""

    def verdict(
        self, stated: SystemProperty, initial: Diagram, *, shown: bool
    ) -> Holding | Violated:
        """Return the verdict on a temporal property; `shown`: with an execution if it fails."""
        assert stated.kind is not PropertyKind.INVARIANT
        decide = self._of_states if is_branching(stated) else self._of_paths
        return decide(stated, initial, shown=shown)

    @cached_property
    def _ending(self) -> Diagram:
        """Return the states from which a path leads to a state without successor."""
        model, states = self._whole, self.states
        stuck = states & ~model.with_any_input(model.before(states))
        return reaching(model, states, stuck)

    @cached_property
    def _fair(self) -> Diagram:
        """Return the states of infinite paths that are fair by COMPASSION too."""
        return fair_by_all(self._branching, self._fairness)

    def _of_states(
        self, stated: SystemProperty, initial: Diagram, *, shown: bool
    ) -> Holding | Violated:
        start = initial & self._branching.fair
        failing = start & ~self._branching.satisfying(stated.term)
        if failing == self.manager.false:
            return self._holding(initial, start)
        if not shown:
            return Violated(None)
        return refutation.branching(self._branching, failing, stated)

    def _of_paths(
        self, stated: SystemProperty, initial: Diagram, *, shown: bool
    ) -> Holding | Violated:
        denied, cycles = self._denied(stated)
        start = denied.start & initial
        if start == self.manager.false:
            return self._holding(initial, initial & self._fair)
        return refutation.linear(replace(denied, start=start), cycles) if shown else Violated(None)

    def _denied(self, stated: SystemProperty) -> tuple[Denial, Cycles]:
        if stated.name not in self._denials:
            denied = ltl.denial(
                self._model,
                self.states,
                self._fairness,
                stated.term,
                prefix=f"ltl{len(self._denials)}",
            )
            self._denials[stated.name] = denied, denied.cycles()
        return self._denials[stated.name]

    def _holding(self, initial: Diagram, fair: Diagram) -> Holding:
        """Return the verdict of a property that holds, and whether it does so vacuously."""
        if initial == self.manager.false:
            return Holding(Vacuity.NO_INITIAL_STATE)
        return Holding(Vacuity.NO_FAIR_STATE if fair == self.manager.false else None)
