"""Decide a property a second time, in another way: new diagrams in the opposite order.

Invariants are decided backwards, from the states in which they fail.
"""

from __future__ import annotations

from functools import partial

from mutproof.base.budget import Deadline
from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving.bdd.check import attempted, check
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.fairness import reaching
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.merge import merged
from mutproof.solving.bdd.relation import machine
from mutproof.solving.bdd.verdict import (
    BddVerdict,
    Computed,
    Holding,
    Undecided,
    Vacuity,
    Violated,
)


def recheck(
    system: TransitionSystem, name: str, verdict: BddVerdict, deadline: Deadline
) -> BddVerdict:
    """Return a second verdict on a property, without executions; callers demand agreement.

    It is Undecided where the first one is, and where the second way finds no answer in time.

    Raises:
        KeyError: the system has no property of that name.
    """
    stated = system.property(name)
    if isinstance(verdict, Undecided):
        return verdict
    if isinstance(verdict, Computed):
        return check(system, [name], deadline)[name]
    found: list[BddVerdict] = []
    reason = ""
    # Without reordering, the opposite order may need too much time: give it half.
    for reordering in (False, True):
        share = deadline.remaining_s() if reordering else deadline.remaining_s() / 2
        manager = Manager(deadline.within(share), reordering=reordering)
        reason = attempted(partial(_decide, system, stated, manager, found))
        if found:
            return found[0]
    return Undecided(reason)


def _decide(
    system: TransitionSystem, stated: SystemProperty, manager: Manager, found: list[BddVerdict]
) -> None:
    is_step = any(part.op is Op.NEXT_VAR for part in walk.subterms(stated.term))
    if stated.kind is PropertyKind.INVARIANT and not is_step:
        found.append(_backwards(system, stated, manager))
        return
    crowd = Crowd(merged(system, ()), [Member("", 0, system)], [stated], frozenset())
    crowd.decide(manager, backwards=True)
    found.append(crowd.verdicts[""][stated.name])


def _backwards(system: TransitionSystem, stated: SystemProperty, manager: Manager) -> BddVerdict:
    model = machine(Encoder(manager, system, backwards=True))
    if model.initial == manager.false:
        return Holding(Vacuity.NO_INITIAL_STATE)
    bad = model.invariant & ~model.encoder.predicate(stated.term)
    failing = model.initial & reaching(model, model.invariant, bad)
    return Holding() if failing == manager.false else Violated(None)
