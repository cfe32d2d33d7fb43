"""Decide alternatives that only change which states are initial.

Which states satisfy a property does not depend on the initial states: fixed points over all states,
computed once and backwards, decide every such alternative by an intersection.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from mutproof.base.lazy import cached_property
from mutproof.model.program import PropertyKind
from mutproof.model.system import ConstraintKind, SystemProperty, TransitionSystem
from mutproof.solving.bdd import ltl, refutation
from mutproof.solving.bdd.check import fairness_of
from mutproof.solving.bdd.crowd import DEADLOCK, NO_INITIAL_STATE
from mutproof.solving.bdd.ctl import Branching, fair_by_all
from mutproof.solving.bdd.cycles import Cycles
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import reaching
from mutproof.solving.bdd.ltl import Denial
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.merge import Alternative
from mutproof.solving.bdd.relation import machine
from mutproof.solving.bdd.verdict import Holding, Vacuity, Violated
from mutproof.solving.formulas import is_branching


def begins_elsewhere(alternative: Alternative, system: TransitionSystem) -> bool:
    """Tell whether an alternative changes nothing but which states are initial."""
    changed = [*alternative.constraints]
    changed += [c for c in system.constraints if c.owner in alternative.removed]
    return not alternative.variables and all(c.kind is ConstraintKind.INIT for c in changed)


def without_initial(system: TransitionSystem) -> TransitionSystem:
    """Return a system in which every state is initial."""
    kept = tuple(c for c in system.constraints if c.kind is not ConstraintKind.INIT)
    return replace(system, constraints=kept)


class Beginnings:
    """Decide temporal properties of a system for any initial states; caches only.

    All states of `system` are initial. Invariants are left out: solvers decide these.

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
        self._branching = Branching(self._model, self._model.invariant, self._fairness)
        self._denials: dict[str, tuple[Denial, Cycles]] = {}

    @property
    def manager(self) -> Manager:
        """Return the manager of all diagrams."""
        return self._encoder.manager

    def initial(self, system: TransitionSystem) -> Diagram:
        """Return the initial states of a system that has the same states and steps."""
        initial = self._model.invariant
        for constraint in system.constraints:
            if constraint.kind is ConstraintKind.INIT:
                initial = initial & self._encoder.predicate(constraint.term)
        return initial

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
        model = self._model
        stuck = model.invariant & ~model.with_any_input(model.before(model.invariant))
        return reaching(model, model.invariant, stuck)

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
                self._model.invariant,
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
