"""Tell whether terms over finite variables hold for all values, as diagrams of them show.

Of terms that share their parts, as those of mutants do, only what is new costs anything.
"""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import hazards
from mutproof.model.sorts import Sort
from mutproof.model.system import SystemVariable, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.bdd.check import given_up
from mutproof.solving.bdd.coding import NotFinite, coding_of
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.tables import Table

EACH_S = 0.02
"""Seconds of work for a term; a solver takes some milliseconds."""

CREDIT = 64
"""How many terms may stay open until no other is tried, in units of what a decided one saves."""

LOSS = 8
"""What one that stays open costs, in these units."""

MOST_TERMS = 100_000
"""How many subterms are kept for the next questions."""

MOST_MEMORY = 2**26
"""The most memory of their diagrams, in bytes."""


class Tautologies:
    """Tell of terms over the same variables whether they hold for all values; caches only.

    Variables without bounds have no diagrams.
    """

    def __init__(self, scalars: Mapping[str, Sort]) -> None:
        self._scalars = scalars
        self._credit = CREDIT
        self._seen: dict[Term, int] = {}
        self._encoder: Encoder | None = None

    def holds(self, term: Term) -> bool | None:
        """Tell whether a Boolean term holds for all values of what it reads; None if not known.

        Next values of variables are any values of their sorts, too.
        """
        if self._credit < 0 or any(hazards(term, self._seen)):
            return None
        found = list[bool]()
        if given_up(lambda: found.append(self._is_true(term))):
            self._credit -= LOSS
            self._encoder = None  # its memory may be used up
            return None
        self._credit += 1
        return found[0]

    def _is_true(self, term: Term) -> bool:
        deadline = Deadline.after_work(EACH_S)
        if self._encoder is None or len(self._seen) > MOST_TERMS:
            self._seen.clear()
            manager = Manager(deadline, reordering=False, most_memory=MOST_MEMORY)
            self._encoder = Encoder(manager, self._declared)
        encoder, manager = self._encoder, self._encoder.manager
        manager.deadline = deadline
        left = ~encoder.predicate(term)
        if left == manager.false:
            return True
        reads = (part for part in walk.subterms(term) if part.op in {Op.VAR, Op.NEXT_VAR})
        for read in reads:  # some codes of a table are no values
            value = encoder.value(read)
            if isinstance(value, Table):
                left = left & manager.disjunction(value.entries.values())
        return left == manager.false

    @cached_property
    def _declared(self) -> TransitionSystem:
        """Return a system of the variables that have bounds."""
        kind = SystemVariableKind.STATE
        finite = {
            n: SystemVariable(n, s, kind) for n, s in self._scalars.items() if _is_coded(n, s)
        }
        return TransitionSystem(finite, (), ())


def _is_coded(name: str, sort: Sort) -> bool:
    try:
        coding_of(name, sort)
    except NotFinite:
        return False
    return True
