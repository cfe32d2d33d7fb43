"""Orders of bits that suit a system, to be used again for others that hardly differ from it.

Reordering takes most of the time of small questions. So the system itself is decided in several
orders, and its mutants in the fastest of them, which stays fixed.
"""

from __future__ import annotations

import time
from collections.abc import Sequence
from functools import partial
from typing import TypeAlias

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving.bdd.check import attempted, given_up, hurried, known_order
from mutproof.solving.bdd.coding import NotFinite
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.encode import Encoder
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.merge import merged

_SHORTEST_S = 0.05
"""The seconds that an order may take in any case."""


@dataclass(frozen=True, slots=True)
class Order:
    """Hold an order of current bits (empty: the encoder's) and whether it may change."""

    bits: tuple[str, ...] = ()
    reordering: bool = True


Orders: TypeAlias = dict[tuple[str, ...], Order]
"""Orders by the variables of systems, in the order of their declaration."""


def soon(
    system: TransitionSystem, stated: Sequence[SystemProperty], deadline: Deadline
) -> tuple[Crowd, float, Order] | None:
    """Return what is found of a system alone, the seconds that takes, and the order it stays in.

    None if it takes more than little in its first order, and than half of the time in the one in
    which properties were decided: then reordering may help.
    """
    for bits in dict.fromkeys(((), (*known_order(system.variables),))):
        half = deadline.within(deadline.remaining_s() / 2)
        manager = Manager(half, reordering=False) if bits else hurried(deadline)
        crowd = Crowd(merged(system, ()), [Member("", 0, system)], stated, frozenset())
        started = time.thread_time()
        if not given_up(partial(crowd.decide, manager, order=bits)):
            return crowd, time.thread_time() - started, Order(bits, reordering=False)
    return None


def suited(
    system: TransitionSystem, stated: Sequence[SystemProperty], found: Order, seconds: float
) -> tuple[Order, float]:
    """Return the order in which a system is decided fastest, and the seconds that takes.

    Deciding it took `seconds` in the order `found`, or ended in that with reordering. One that was
    suggested is no worse than others.
    """
    if found.bits and not found.reordering:
        return found, seconds
    best, least = found, seconds
    for bits in dict.fromkeys((found.bits, _declared(system), ())):
        order = Order(bits, reordering=False)
        if order == found:
            continue
        taken = _taken(system, stated, order, max(_SHORTEST_S, least))
        if taken is not None and taken < least:
            best, least = order, taken
    return best, least


def _declared(system: TransitionSystem) -> tuple[str, ...]:
    try:
        return Encoder(Manager(Deadline.never()), system).bits()
    except NotFinite:
        return ()


def _taken(
    system: TransitionSystem, stated: Sequence[SystemProperty], order: Order, seconds: float
) -> float | None:
    """Return the seconds that deciding a system takes with an order of bits; None if too many."""
    crowd = Crowd(merged(system, ()), [Member("", 0, system)], stated, frozenset())
    manager = Manager(Deadline.after_work(seconds), reordering=order.reordering)
    started = time.thread_time()
    reason = attempted(partial(crowd.decide, manager, order=order.bits))
    return None if reason else time.thread_time() - started
