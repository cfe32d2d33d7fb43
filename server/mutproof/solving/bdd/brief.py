"""Decide properties that speak of the first steps of executions alone.

How many steps that are is the modal depth of a formula. Where all executions go on, nothing else
about them matters.
Source: Blackburn, de Rijke & Venema, Modal Logic (2001), §2.3, for the depth.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty
from mutproof.model.terms import Term
from mutproof.solving.bdd.ctl import Branching
from mutproof.solving.bdd.fairness import Fairness
from mutproof.solving.bdd.manager import Diagram
from mutproof.solving.bdd.relation import Machine

_STEPS = frozenset({Op.EX, Op.AX})


def depth(stated: SystemProperty) -> int | None:
    """Return how many steps a property of branching time speaks of; None if there is no bound."""
    if stated.kind is not PropertyKind.CTL:
        return None

    def combine(term: Term, args: tuple[int | None, ...]) -> int | None:
        timed = term.op in BRANCHING_TIME or term.op in LINEAR_TIME
        if (timed and term.op not in _STEPS) or None in args:
            return None
        return max((arg for arg in args if arg is not None), default=0) + (term.op in _STEPS)

    return walk.fold(stated.term, combine)


def holding(model: Machine, stated: Sequence[SystemProperty]) -> list[SystemProperty]:
    """Return those of some properties with a depth that hold.

    Every reachable state has a successor, and all paths are fair.

    Raises:
        OutOfTime: the deadline has passed.
    """
    deepest = max(found for one in stated if (found := depth(one)) is not None)
    first = [*islice(model.layers(model.initial), deepest + 1)]
    sets = _Onset(model, model.manager.disjunction(first), Fairness())
    false = model.manager.false
    return [one for one in stated if model.initial & ~sets.satisfying(one.term) == false]


class _Onset(Branching):
    """Compute with the states of the first steps: what it says of the last ones is not true."""

    @cached_property
    def fair(self) -> Diagram:
        """Return all states, as all paths go on."""
        return self.reachable
