"""The states from which a condition can come to fail, of a system and of alternatives of it.

If an alternative begins in none of these states, no step of it leads to them from others, and the
condition holds in all others, it always holds there. What the steps that stay say of that is
computed once for all alternatives with the same new steps. Else these states of the alternative
itself are sought, near the condition; the states that it reaches are never computed.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.budget import Deadline
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd import always, trace
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.relation import Machine, machine, partitioned
from mutproof.solving.bdd.replacing import Replacing
from mutproof.solving.bdd.trace import SingleState
from mutproof.solving.bdd.verdict import Holding, Vacuity, Violated


class Excluded:
    """Hold the states from which a system can get where a condition is false; caches only.

    Raises:
        NotFinite: a constraint, or the condition, has no diagram.
        OutOfTime: the deadline has passed.
    """

    def __init__(self, deadline: Deadline, system: TransitionSystem, condition: Term) -> None:
        self.manager = manager = Manager(deadline)
        self._condition = condition
        with manager.in_fixed_order():  # else most of the time is reordering
            self._encoder = Encoder(manager, system)
            self._model = model = machine(self._encoder)
        self._states = layer = model.invariant & ~self._encoder.predicate(condition)
        while layer != manager.false:
            layer = model.before(layer) & ~self._states
            self._states = self._states | layer
        self._replacing = Replacing(model)

    def are_avoided(self, other: TransitionSystem) -> bool:
        """Tell whether another system never gets into these states, and others satisfy the term.

        False also if it has other variables, forbids other states, or has no initial one.

        Raises:
            NotFinite: a constraint has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        mine, manager = self._model, self.manager
        encoder = Encoder(manager, other, like=self._encoder)
        drawn = partitioned(encoder)
        if (drawn.bits, drawn.inputs) != (mine.bits, mine.inputs):
            return False
        if drawn.invariant != mine.invariant or drawn.initial == manager.false:
            return False
        if drawn.initial & self._states != manager.false:
            return False
        others = mine.invariant & ~self._states
        if not manager.implies(others, encoder.predicate(self._condition)):
            return False
        return not self._replacing.leads(drawn, others, self._states)

    def verdict(self, other: TransitionSystem) -> Holding | Violated:
        """Return whether the condition always holds of another system, or how it comes to fail.

        Evidence of that is an infinite path, if one is met soon.

        Raises:
            NotFinite: a constraint has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        manager = self.manager
        encoder = Encoder(manager, other, like=self._encoder)
        model = partitioned(encoder).joined(self._model.relation)
        if model.initial == manager.false:
            return Holding(Vacuity.NO_INITIAL_STATE)
        failing = model.invariant & ~encoder.predicate(self._condition)
        if self._is_kept_from(model, failing):
            return Holding()
        seen = layer = failing
        layers: list[Diagram] = []
        while layer != manager.false:
            layers.append(layer)
            if layer & model.initial != manager.false:
                return _violated(model, trace.through(model, layers))
            layer = model.before(layer) & ~seen
            seen = seen | layer
        return Holding()

    def _is_kept_from(self, model: Machine, failing: Diagram) -> bool:
        """Tell whether another system never gets to where this one, or it, comes to fail.

        These are more states than those from which it does, but most of them are known.
        """
        seen = layer = failing | (self._states & model.invariant)
        while layer != self.manager.false:
            if layer & model.initial != self.manager.false:
                return False
            layer = model.before(layer) & ~seen
            seen = seen | layer
        return True


def _violated(model: Machine, path: Sequence[SingleState]) -> Violated:
    lasso = always.prolonged(model, path, model.invariant)
    evidence = None if lasso is None else trace.shown(model, *lasso)
    return Violated(trace.shown(model, path), evidence=evidence)
