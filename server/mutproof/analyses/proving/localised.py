"""Proofs of properties of finite systems by a small part around them, in decision diagrams.

What is left out is no part of the proof, so that it decides all mutants of that too.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.scope import rests_on_all, scope
from mutproof.analyses.proving import extent
from mutproof.analyses.proving.temporal_answer import TemporalAnswer, stands_alone, turned
from mutproof.base.budget import Deadline
from mutproof.model import localisation
from mutproof.model.localisation import is_universal, layers, owners_of
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.solving.bdd.verdict import Holding

MOST, FEW = 0.67, 6
"""The largest part that is tried, of the elements of the whole: a larger one saves too little,
unless it has only a few."""

LOCAL_SHARE, IN_VAIN = 0.1, 0.01
"""The share of the seconds that may be spent on parts around properties, and that in a row that
finds none until diagrams of the whole have failed: parts may have far more states than it."""

MOST_CHECKS = 200
"""How many times less is tried once a part is found."""


def near_answers(
    system: TransitionSystem, names: Sequence[str], means: Means, in_vain: float = LOCAL_SHARE
) -> dict[str, TemporalAnswer]:
    """Return what diagrams of small parts show of properties; stop after a share `in_vain`."""
    deadline = Deadline.after_work(means.budget.timeout_s * LOCAL_SHARE)
    found: dict[str, TemporalAnswer] = {}
    left_s = whole_s = means.budget.timeout_s * in_vain
    for name in names:
        means.check_cancelled()
        before_s = deadline.remaining_s()
        part = localised(scope(system, (name,)), name, deadline, left_s)
        if part is not None:
            answer = by_part(system, part, name, means.notary, deadline=deadline)
            if answer is not None:
                found[name] = answer
        left_s = whole_s if name in found else left_s - before_s + deadline.remaining_s()
        if left_s <= 0:
            break
    return found


def by_part(
    system: TransitionSystem,
    part: TransitionSystem,
    name: str,
    notary: Notary,
    *,
    deadline: Deadline,
) -> TemporalAnswer | None:
    """Return that a system has a property as diagrams of its part do; None if they do not."""
    from mutproof.solving.bdd.check import check

    verdict = holding(part, name, deadline)
    if verdict is None:
        return None
    if extent.is_table(part):
        verdict = replace(verdict, invariant=None)
    if not stands_alone(verdict):
        return TemporalAnswer(invariant=verdict.invariant)
    evidence = notary.twice(
        {name: verdict},
        lambda: check(turned(part), (name,), deadline),
        lambda name: (system, name),
        resting=partial(rests_on_all, part=part),
    )
    known = evidence.get(name)
    return TemporalAnswer(known) if isinstance(known, Holds) else None


def localised(
    system: TransitionSystem, name: str, deadline: Deadline, seconds: float
) -> TransitionSystem | None:
    """Return a part of a system that has a property, as found in diagrams; None if there is none.

    In so many seconds the first that has it must be found.

    Raises:
        KeyError: the system has no property of that name.
    """
    if not is_universal(system.property(name)):
        return None
    most = max(FEW, MOST * len(owners_of(system)))
    soon = deadline.within(seconds)
    for part in layers(system, name):
        if len(owners_of(part)) > most or soon.passed():
            return None
        if holding(part, name, soon) is not None:
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
