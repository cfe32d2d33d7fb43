"""Proofs of properties of finite systems by a small part around them, in decision diagrams.

What is left out is no part of the proof, so that it decides all mutants of that too.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.budget import Deadline
from mutproof.model import localisation
from mutproof.model.localisation import is_universal, layers, owners_of
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.verdict import Holding

MOST, FEW = 0.67, 6
"""The largest part that is tried, of the elements of the whole: a larger one saves too little,
unless it has only a few."""

MOST_CHECKS = 200
"""How many times less is tried once a part is found."""


def localised(system: TransitionSystem, name: str, deadline: Deadline) -> TransitionSystem | None:
    """Return a part of a system that has a property, as found in diagrams; None if there is none.

    Raises:
        KeyError: the system has no property of that name.
    """
    if not is_universal(system.property(name)):
        return None
    most = max(FEW, MOST * len(owners_of(system)))
    for part in layers(system, name):
        if len(owners_of(part)) > most or deadline.passed():
            return None
        if holding(part, name, deadline) is not None:
            return _Shortening(part, name, deadline).shortest()
    return None


def holding(part: TransitionSystem, name: str, deadline: Deadline) -> Holding | None:
    """Return that a part has a property, in which it could fail, if diagrams show that."""
    from mutproof.solving.bdd.check import check  # slow to import; few models need it

    found = check(part, (name,), deadline)[name]
    return found if isinstance(found, Holding) and found.vacuity is None else None


class _Shortening:
    """Leave out elements of a part that has a property, largest pieces first; used once."""

    def __init__(self, part: TransitionSystem, name: str, deadline: Deadline) -> None:
        self._part = part
        self._name = name
        self._deadline = deadline

    def shortest(self) -> TransitionSystem:
        pieces: list[Sequence[ElementId]] = [owners_of(self._part)]
        for _ in range(MOST_CHECKS):
            if not pieces or self._deadline.passed():
                break
            piece = pieces.pop()
            if not piece:
                continue
            less = localisation.without(self._part, piece)
            is_less = len(less.constraints) < len(self._part.constraints)
            if is_less and holding(less, self._name, self._deadline) is not None:
                self._part = less
            elif len(piece) > 1:
                middle = len(piece) // 2
                pieces += [piece[:middle], piece[middle:]]
        return localisation.around(self._part, self._name, owners_of(self._part))
