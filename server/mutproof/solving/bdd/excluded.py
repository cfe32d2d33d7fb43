"""The states from which a condition can come to fail, of a system and of alternatives of it.

If an alternative begins in none of these states, no step of it leads to them from others, and the
condition holds in all others, it always holds there. What the steps that stay say of that is
computed once for all alternatives with the same new steps. Else these states of the alternative
itself are sought, near the condition; the states that it reaches are never computed. An execution
in which one body of a definition lets the condition fail is one of all with the same values in it.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.model.system import Constraint, ConstraintKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd import always, trace
from mutproof.solving.bdd.bounds import DefinitionBounds, bounds
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import reaching
from mutproof.solving.bdd.manager import Diagram, Manager, OutOfTime
from mutproof.solving.bdd.relation import drawn, partitioned
from mutproof.solving.bdd.replacing import Replacing
from mutproof.solving.bdd.verdict import Holding, Vacuity, Violated

Steps: TypeAlias = tuple[tuple[ConstraintKind, Diagram], ...]
"""Constraints of first states and of steps, each with where it is true."""

_Failure: TypeAlias = tuple[Diagram, Diagram, Violated]
"""Where a definition is true, the states of an execution, and how a condition fails in it."""

BOUNDS_S = 1.0
"""Seconds of work in which it must be found out what one definition may be."""


MOST_FAILURES = 16
"""How many executions in which the condition fails are kept of each definition."""


class Excluded:
    """Hold the states from which a system can get where a condition is false; caches only.

    Raises:
        NotFinite: a constraint, or the condition, has no diagram.
        OutOfTime: the deadline has passed.
    """

    def __init__(self, deadline: Deadline, system: TransitionSystem, condition: Term) -> None:
        self.manager = Manager(deadline)
        self._condition = condition
        self._encoder = Encoder(self.manager, system)
        self._model = model = drawn(self._encoder)
        failing = model.invariant & ~self._encoder.predicate(condition)
        self._states = reaching(model, model.invariant, failing)
        self._replacing = Replacing(model)
        self._bounds: dict[str, DefinitionBounds | None] = {}
        self._failures: dict[str, list[_Failure]] = {}

    def function(self, name: str, body: Term) -> Diagram | None:
        """Return where another body of a definition is true, which is all that differs by it.

        None where it is not known soon what the definition may be.

        Raises:
            NotFinite: the body has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        known = self._bounds_of(name)
        return None if known is None else known.function(self._encoder, body)

    def steps(self, constraints: Sequence[Constraint]) -> Steps:
        """Return where other constraints of first states, and of steps, are true.

        Raises:
            NotFinite: a constraint has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        return tuple((one.kind, self._encoder.predicate(one.term)) for one in constraints)

    def are_avoided_with(self, name: str, value: Diagram) -> bool:
        """Tell whether the system avoids these states, or more, where a `function` defines a name.

        Others satisfy the condition.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        known = self._bounds_of(name)
        return known is not None and known.allow(value)

    def always_holds_with(self, name: str, value: Diagram) -> bool:
        """Tell whether the condition always holds, and some state is initial, with a `function`.

        Raises:
            OutOfTime: the deadline of the manager has passed.
        """
        known = self._bounds_of(name)
        return known is not None and known.exclude(value)

    def fails_with(self, name: str, value: Diagram) -> Violated | None:
        """Return a failure met with another `function` that has the same values in it, or None."""
        manager, failures = self.manager, self._failures.get(name, [])
        for index, (other, met, violated) in enumerate(failures):
            if met & manager.xor(value, other) == manager.false:
                failures.insert(0, failures.pop(index))
                return violated
        return None

    def _bounds_of(self, name: str) -> DefinitionBounds | None:
        if name not in self._bounds:
            self._bounds[name] = None
            manager, left_s = self.manager, self.manager.deadline.remaining_s()
            manager.deadline = Deadline.after_work(BOUNDS_S)
            try:
                found = bounds(self._model, self._condition, self._states, name)
                self._bounds[name] = found
            except OutOfTime:
                pass
            finally:
                manager.deadline = Deadline.after_work(left_s)  # this was for others as well
        return self._bounds[name]

    def are_avoided(self, other: TransitionSystem) -> bool:
        """Tell whether another system never gets into these states, and others satisfy the term.

        False also if it has other variables, forbids other states, or has no initial one.

        Raises:
            NotFinite: a constraint has no diagram.
            OutOfTime: the deadline of the manager has passed.
        """
        mine, manager = self._model, self.manager
        encoder = Encoder(manager, other, like=self._encoder)
        changed = partitioned(encoder)
        if (changed.bits, changed.inputs) != (mine.bits, mine.inputs):
            return False
        if changed.invariant != mine.invariant or changed.initial == manager.false:
            return False
        if changed.initial & self._states != manager.false:
            return False
        others = mine.invariant & ~self._states
        if not manager.implies(others, encoder.predicate(self._condition)):
            return False
        return not self._replacing.leads(changed, others, self._states)

    def verdict(
        self,
        other: TransitionSystem,
        *,
        may_avoid: bool = True,
        function: tuple[str, Diagram] | None = None,
    ) -> Holding | Violated:
        """Return whether the condition always holds of another system, or how it comes to fail.

        Evidence of that is an infinite path, if one is met soon. Unless the other one `may_avoid`
        the known states, they tell nothing of it. It is noted for others if all that differs is a
        definition, by its `function`.

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
        if may_avoid:
            # More states than those from which it comes to fail, but most of them are known.
            known = failing | (self._states & model.invariant)
            if trace.Distances(model, model.invariant, known).nearest(model.initial) is None:
                return Holding()
        path = trace.path(model, model.initial, model.invariant, failing)
        if path is None:
            return Holding()
        lasso = always.prolonged(model, path, model.invariant)
        evidence = None if lasso is None else trace.shown(model, *lasso)
        violated = Violated(trace.shown(model, path), evidence=evidence)
        if function is not None:
            name, value = function
            shown = path if lasso is None else lasso[0]
            met = manager.disjunction(state.alone for state in shown)
            failures = self._failures.setdefault(name, [])
            failures.insert(0, (value, met, violated))
            del failures[MOST_FAILURES:]
        return violated
