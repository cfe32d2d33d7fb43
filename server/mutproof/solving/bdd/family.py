"""Decide properties of many alternatives of a system at once.

They are decided one by one in the diagrams of the system; those that fail there, in families.
Every set of states is a set of pairs of a state and a selector; because selectors never change, one
fixed point is the fixed point of every alternative. Families that are too hard are halved, in the
end down to single alternatives. Alternatives that change the same place are about equally hard: if
some fail, the others wait until all other places have been tried.
"""

from __future__ import annotations

import math
import time
from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import field

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving.bdd.beginnings import Elsewhere, begins_elsewhere
from mutproof.solving.bdd.check import OUT_OF_MEMORY, OUT_OF_TIME, attempted
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.experience import Experience, FamilyQuestion, Itself, Place
from mutproof.solving.bdd.family_outcome import Attempts, FamilyOutcome
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.merge import Alternative, merged
from mutproof.solving.bdd.orders import Order, soon, suited
from mutproof.solving.bdd.verdict import BddVerdict, Undecided
from mutproof.solving.bdd.vicinity import Vicinity

LARGEST_FAMILY = 64
"""The most alternatives that are decided together."""

_ITSELF = ""
"""The name of the system among its alternatives."""

_FIRST_SIZE = 8
"""How many alternatives are decided together first."""

_HARDER = 1.5
"""By what factor the time must have grown before another attempt is made."""

_SLOWER = 2.0
"""How much slower than the system itself a family may be before it is halved, times the root of its
size: families pay only if they share most of their work."""

_SHORTEST_S = 1.0
"""The seconds that a family may take in any case."""

_NEAR_S = 0.3
"""The seconds that an alternative near the system may take in any case."""

_MUCH_SLOWER = 4.0
"""How much slower than the system itself an alternative may be before its bits are reordered."""

_LONGEST_S = 2.0
_LONGEST = 20.0
"""The least seconds for one alternative alone, and how much longer than the system it may take."""

_LEAST = 4.0
"""How many times longer than the system an alternative may take at least; perhaps few are tried."""

_FOR_ITSELF = 3
"""The share of the time, as a divisor, that the system itself may take."""

_DIFFERENT = "the system has other verdicts in its family than alone"


def check_family(
    system: TransitionSystem,
    alternatives: Mapping[str, Alternative],
    properties: Sequence[str],
    deadline: Deadline,
    *,
    largest: int = LARGEST_FAMILY,
    experience: Experience | None = None,
    shown: bool = True,
    attempts: Attempts = Attempts.ALL,
    beginning_s: float = math.inf,
) -> FamilyOutcome:
    """Return the verdicts on alternatives; COMPUTE, which has none, is left out.

    `experience` carries orders of bits and hard places from one call to the next. `shown`: with
    executions that show what fails. The system itself gets at most `beginning_s` seconds.

    Raises:
        KeyError: the system has no property of a name.
    """
    stated = [p for p in map(system.property, properties) if p.kind is not PropertyKind.COMPUTE]
    learnt = Experience() if experience is None else experience
    work = _Work(system, alternatives, stated, deadline, largest, learnt, shown, attempts)
    if stated and alternatives:
        work.run(beginning_s)
    return work.outcome()


@dataclass(slots=True)
class _Work:
    """Hold what is known so far; mutable.

    `usual_s` are the seconds that deciding the system itself takes with the bits in `order`; 0 if
    it could not be decided. `elsewhere` are alternatives that are tried by their initial states.
    """

    system: TransitionSystem
    alternatives: Mapping[str, Alternative]
    stated: list[SystemProperty]
    deadline: Deadline
    largest: int
    experience: Experience
    shown: bool
    attempts: Attempts
    order: Order = field(default_factory=Order)
    usual_s: float = 0.0
    verdicts: dict[str, dict[str, BddVerdict]] = field(default_factory=dict)
    dead_ends: dict[str, str] = field(default_factory=dict)
    followed: set[str] = field(default_factory=set)
    reasons: dict[str, str] = field(default_factory=dict)
    waiting: dict[Place, list[str]] = field(default_factory=dict)
    tried_s: dict[str, float] = field(default_factory=dict)
    elsewhere: Sequence[str] = ()

    def run(self, most_s: float) -> None:
        """Decide alternatives one by one near the system; what is left, in families."""
        share = self.deadline.remaining_s() / min(len(self.alternatives) + 1, _FOR_ITSELF)
        self._begin(min(share, most_s))
        if not self.verdicts.get(_ITSELF):
            for name in self.alternatives:
                self._fail(name, OUT_OF_TIME)
            return
        self.elsewhere = self._beginning_elsewhere()
        others = [name for name in self.alternatives if name not in self.elsewhere]
        if self.attempts is not Attempts.SLOW:
            self._from_elsewhere(whole=False)
            self._nearby(others)
        if self.attempts is Attempts.QUICK:
            return
        self._in_families(others)
        self._from_elsewhere(whole=True)
        self._nearby(self.elsewhere)
        for name in self._open(self.elsewhere):
            self.waiting.setdefault(self._place(name), []).append(name)
        self._decide_waiting()

    def _in_families(self, names: Sequence[str]) -> None:
        """Decide alternatives together; what is hard waits.

        Families are as large as pays; what is too hard together is decided in halves.
        """
        fresh = deque(self._open(names))
        left = len(fresh)
        halves: list[list[str]] = []
        size = min(_FIRST_SIZE, self.largest)
        while (fresh or halves) and not self.deadline.passed():
            is_fresh = not halves
            many = min(size, len(fresh))
            whole = [fresh.popleft() for _ in range(many)] if is_fresh else halves.pop()
            family = self._admitted(whole)
            remaining = self.deadline.remaining_s()
            least = _LEAST * self.usual_s * len(family)
            share = min(remaining, max(remaining * len(family) / left, least))
            left -= len(whole) - len(family)
            if not family:
                continue
            if len(family) == 1:
                left -= 1
                taken = self._alone(family[0], share)
                if self.reasons.get(family[0]) == OUT_OF_TIME:
                    self.waiting.setdefault(self._place(family[0]), []).append(family[0])
                if is_fresh:
                    size = self._next_size(1, taken)
                continue
            taken = self._together(family, share / 2)
            rest = self._open(family)
            self.experience.decided.update(self._place(n) for n in family if n not in rest)
            left = len(fresh) + len(rest) + sum(map(len, halves))
            middle = len(rest) // 2
            halves.extend(part for part in (rest[middle:], rest[:middle]) if part)
            if is_fresh:
                size = self._next_size(len(family), 0.0 if rest else taken)

    def _place(self, name: str) -> Place:
        return self.alternatives[name].removed

    def _admitted(self, names: Iterable[str]) -> list[str]:
        """Return the alternatives at places not known to be hard; put the others in `waiting`."""
        admitted: list[str] = []
        for name in names:
            place = self._place(name)
            if self.experience.is_hard(place):
                self.waiting.setdefault(place, []).append(name)
            else:
                admitted.append(name)
        return admitted

    def _decide_waiting(self) -> None:
        """Decide waiting alternatives with more time; one that fails ends its place."""
        waiting = {p: w for p, w in self.waiting.items() if p not in self.experience.hopeless}
        for position, (place, names) in enumerate(waiting.items()):
            share = self.deadline.remaining_s() / (len(waiting) - position)
            until = self.deadline.within(share)
            names.sort(key=self.tried_s.__contains__)
            for name in self._open(names):
                seconds = until.remaining_s()
                if seconds <= self.tried_s.get(name, 0.0) * _HARDER:
                    continue
                self._alone(name, seconds)
                if name in self.reasons:
                    self.experience.hopeless.add(place)
                    break

    def _begin(self, seconds: float) -> None:
        """Decide the system itself and find an order of bits for it, unless that is known."""
        key, _, _ = question = self._question()
        known = self.experience.itself.get(question)
        if known is not None:
            self.order, self.usual_s = known.order, known.seconds
            self.verdicts[_ITSELF] = dict(known.verdicts)
            if known.dead_end is not None:
                self.dead_ends[_ITSELF] = known.dead_end
            return
        about, orders = (self.system, self.stated), self.experience.orders
        is_known = key in orders
        self.order = orders.get(key, self.order)
        manager = self._manager(seconds)
        early = None if is_known else soon(*about, manager.deadline)
        if early is not None:
            crowd, taken, found = early
            self._take([_ITSELF], crowd)
        else:
            taken, reason = self._decide(merged(self.system, ()), [self._itself()], manager)
            if reason:
                return
            found = Order(manager.order())
        self.usual_s = taken
        if not is_known and manager.in_c and len(self.alternatives) > 1:
            self.order, self.usual_s = suited(*about, found, taken)
            orders[key] = self.order
        verdicts, dead_end = self.verdicts[_ITSELF], self.dead_ends.get(_ITSELF)
        self.experience.itself[question] = Itself(verdicts, dead_end, self.order, self.usual_s)

    def _question(self) -> FamilyQuestion:
        return tuple(self.system.variables), self.system.digest, tuple(s.name for s in self.stated)

    def _nearby(self, among: Sequence[str]) -> None:
        """Decide alternatives one by one in the manager of the system, as long as that succeeds."""
        left, limit = self._open(among), max(_NEAR_S, _MUCH_SLOWER * self.usual_s)
        while left:
            question, learnt = (self._question(), self.shown), self.experience.vicinities
            if question not in learnt:
                if self.largest == 1 or len(left) == 1:
                    return
                self.experience.keep(question, self._vicinity(limit, _FIRST_SIZE))
            known = learnt[question]
            if known is None:
                return
            reason, left = self._near_each(known, left, limit)
            if reason == OUT_OF_MEMORY and known.credit >= 0:
                learnt[question] = self._vicinity(limit, known.credit)
            elif reason:
                learnt[question] = None

    def _near_each(self, near: Vicinity, names: list[str], limit: float) -> tuple[str, list[str]]:
        """Decide alternatives near the system; return why that fails, and which were not tried."""
        failures = 0
        for position, name in enumerate(names, start=1):
            seconds = min(limit, self.deadline.remaining_s())
            if seconds <= 0:
                break
            near.manager.deadline = self.deadline.within(seconds)
            reason = self._near(near, name)
            if reason == OUT_OF_MEMORY:
                near.credit -= _FIRST_SIZE
                return reason, names[position:]
            near.credit += not reason
            if reason and name in self.elsewhere:
                break  # the others probably reach other states too
            failures = failures + 1 if reason else max(0, failures - 1)
            if failures >= _FIRST_SIZE:
                return ("" if len(self._open(names)) < len(names) else reason), []
        return "", []

    def _vicinity(self, seconds: float, credit: int) -> Vicinity | None:
        """Return the diagrams of the system, if its verdicts are confirmed in time."""
        deadline = self.deadline.within(max(_SHORTEST_S, seconds))
        made: list[Vicinity] = []
        itself = Crowd(self.system, [self._itself()], self.stated, frozenset())

        def make() -> None:
            made.append(Vicinity(deadline, self.system, self.order.bits, credit=credit))
            made[0].decide(itself, {})

        is_made = not attempted(make) and self._is_itself(itself.verdicts[_ITSELF])
        return made[0] if is_made else None

    def _near(self, vicinity: Vicinity, name: str) -> str:
        """Decide an alternative near the system; return why that failed, empty if it did not."""
        changed = self.alternatives[name].applied(self.system)
        known = {name: self.verdicts.get(name, {})}
        wanted = [one for one in self.stated if one.name not in known[name]]
        shown = frozenset({name}) if self.shown else frozenset[str]()
        crowd = Crowd(changed, [Member(name, 0, changed)], wanted, shown, known)
        usual, same = self.verdicts[_ITSELF], list[bool]()
        reason = attempted(lambda: same.append(vicinity.decide(crowd, usual)))
        self.verdicts.setdefault(name, {}).update(crowd.verdicts.get(name, {}))
        ends = self.dead_ends.get(_ITSELF) if same == [True] else crowd.dead_ends.get(name)
        if ends is not None:
            self.dead_ends[name] = ends
        self.followed |= crowd.followed
        if not reason:
            self.experience.decided[self._place(name)] += 1
        return reason

    def _beginning_elsewhere(self) -> Sequence[str]:
        """Return the alternatives that differ in initial states only, if there are many."""
        names = [n for n, a in self.alternatives.items() if begins_elsewhere(a, self.system)]
        is_for_many = self.largest > 1 and any(self._temporal())
        return names if is_for_many and len(names) >= _FIRST_SIZE else ()

    def _temporal(self) -> list[SystemProperty]:
        return [p for p in self.stated if p.kind is not PropertyKind.INVARIANT]

    def _from_elsewhere(self, *, whole: bool) -> None:
        """Decide alternatives that differ in initial states only, with shared sets of states."""
        names = self._open(self.elsewhere)
        seconds = max(_SHORTEST_S, self.usual_s * len(self.elsewhere))
        share = self.deadline.remaining_s() * len(names) / (len(self.alternatives) + 1)
        many = Elsewhere(
            self.system,
            self._temporal(),
            self._is_itself,
            self.order.bits,
            self.verdicts,
            self.dead_ends,
            self.followed,
        )
        changed = {name: self.alternatives[name].applied(self.system) for name in names}
        learnt = self.experience.beginnings
        deadline = self.deadline.within(min(share, seconds))
        for name in many.decide(changed, learnt, deadline, shown=self.shown, whole=whole):
            self.experience.decided[self._place(name)] += 1

    def _manager(self, seconds: float, *, reordering: bool = False) -> Manager:
        changes = reordering or self.order.reordering
        return Manager(self.deadline.within(seconds), reordering=changes)

    def _next_size(self, size: int, taken: float) -> int:
        """Return the size of the next family after one that took `taken` seconds (0: too many)."""
        pays = 0 < taken < self.usual_s * size
        return min(self.largest, size * 2) if pays else max(1, size // 2)

    def _open(self, family: Iterable[str]) -> list[str]:
        """Return the alternatives with an open property, unless they are no models."""
        own = self.dead_ends.get(_ITSELF)
        models = [name for name in family if self.dead_ends.get(name, own) == own]
        return [name for name in models if len(self.verdicts.get(name, ())) < len(self.stated)]

    def _itself(self) -> Member:
        return Member(_ITSELF, 0, self.system)

    def _together(self, family: list[str], seconds: float) -> float:
        """Decide alternatives and the system itself in one merged system; return the seconds."""
        chosen = [self.alternatives[name] for name in family]
        systems = (one.applied(self.system) for one in chosen)
        others = enumerate(zip(family, systems, strict=True), start=1)
        members = [self._itself(), *(Member(name, n, system) for n, (name, system) in others)]
        limit = max(_SHORTEST_S, _SLOWER * self.usual_s * math.sqrt(len(family)))
        manager = self._manager(min(limit, seconds))
        return self._decide(merged(self.system, chosen), members, manager)[0]

    def _alone(self, name: str, seconds: float) -> float:
        """Decide one alternative as a system of its own; return the seconds it took."""
        changed = self.alternatives[name].applied(self.system)
        whole, members = merged(changed, ()), [Member(name, 0, changed)]
        if len(self.alternatives) > 1:
            seconds = min(seconds, max(_LONGEST_S, _LONGEST * self.usual_s))
        taken, reason = 0.0, OUT_OF_TIME
        if not self.order.reordering:
            # An alternative that takes much longer than the system needs another order of bits.
            limit = max(_SHORTEST_S, _MUCH_SLOWER * self.usual_s)
            taken, reason = self._decide(whole, members, self._manager(min(limit, seconds / 2)))
        if reason in {OUT_OF_TIME, OUT_OF_MEMORY}:
            manager = self._manager(seconds - taken, reordering=True)
            more, reason = self._decide(whole, members, manager)
            taken += more
        self.reasons.pop(name, None)
        if reason:
            self.tried_s[name] = taken
            self._fail(name, reason)
        else:
            self.experience.decided[self._place(name)] += 1
        return taken

    def _fail(self, name: str, reason: str) -> None:
        self.reasons[name] = reason
        self.experience.failed[self._place(name)] += 1

    def _decide(
        self, system: TransitionSystem, members: list[Member], manager: Manager
    ) -> tuple[float, str]:
        """Decide members in a manager; return the seconds, and why some are open (else empty)."""
        names = [member.name for member in members if len(members) == 1 or member.name != _ITSELF]
        wanted = [
            stated
            for stated in self.stated
            if any(stated.name not in self.verdicts.get(name, ()) for name in names)
        ]
        known = {name: self.verdicts.get(name, {}) for name in names}
        shown = frozenset(names) - {_ITSELF} if self.shown else frozenset[str]()
        crowd = Crowd(system, members, wanted, shown, known)
        started = time.thread_time()
        reason = attempted(lambda: crowd.decide(manager, order=self.order.bits))
        taken = time.thread_time() - started
        if len(members) > 1 and not self._is_itself(crowd.verdicts.get(_ITSELF, {})):
            return taken, _DIFFERENT
        self._take(names, crowd)
        return taken, reason

    def _take(self, names: Sequence[str], crowd: Crowd) -> None:
        for name in names:
            self.verdicts.setdefault(name, {}).update(crowd.verdicts.get(name, {}))
            if name in crowd.dead_ends:
                self.dead_ends[name] = crowd.dead_ends[name]
        self.followed.update(name for name in names if name in crowd.followed)

    def _is_itself(self, found: Mapping[str, BddVerdict]) -> bool:
        """Tell whether the system has the same verdicts in a family as alone."""
        alone = self.verdicts.get(_ITSELF, {})
        return all(
            type(verdict) is type(alone[name])
            for name, verdict in found.items()
            if name in alone and Undecided not in (type(verdict), type(alone[name]))
        )

    def outcome(self) -> FamilyOutcome:
        """Return what is known, and why other things are not."""
        baseline = self.verdicts.get(_ITSELF, {})
        own = self.dead_ends.pop(_ITSELF, None)
        dead_ends = {name: why for name, why in self.dead_ends.items() if why != own}
        verdicts: dict[str, dict[str, BddVerdict]] = {}
        missing = ""
        for name in self.alternatives:
            reason = self.reasons.get(name, OUT_OF_TIME)
            known = self.verdicts.get(name, {})
            verdicts[name] = {p.name: known.get(p.name, Undecided(reason)) for p in self.stated}
            if len(known) < len(self.stated) and name not in dead_ends:
                missing = missing or reason
        return FamilyOutcome(verdicts, dead_ends, baseline, missing, frozenset(self.followed))
