"""Decide properties of many alternatives of a system at once.

Every set of states is a set of pairs of a state and a selector; because selectors never
change, one fixed point is the fixed point of every alternative. Families that are too hard are
halved, in the end each alternative is decided alone.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field

from mutproof.base.budget import Deadline
from mutproof.model.program import PropertyKind
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving.bdd.check import OUT_OF_TIME, attempted
from mutproof.solving.bdd.crowd import Crowd, Member
from mutproof.solving.bdd.manager import Manager
from mutproof.solving.bdd.merge import Alternative, merged
from mutproof.solving.bdd.verdict import BddVerdict, Undecided

LARGEST_FAMILY = 64
"""The most alternatives that are decided together."""

_ITSELF = ""
"""The name of the system among its alternatives."""

_HARDER = 1.5
"""How much more time than before makes another attempt worth while."""


@dataclass(frozen=True, slots=True)
class FamilyOutcome:
    """Hold verdicts by alternative and property; what could not be decided is Undecided.

    `dead_ends` says of alternatives why executions cannot go on, or not even begin; `baseline`
    holds the verdicts on the system itself, as far as they are known. `reason` says why
    verdicts are missing, empty if none is.
    """

    verdicts: Mapping[str, Mapping[str, BddVerdict]]
    dead_ends: Mapping[str, str]
    baseline: Mapping[str, BddVerdict]
    reason: str = ""


def check_family(
    system: TransitionSystem,
    alternatives: Mapping[str, Alternative],
    properties: Sequence[str],
    deadline: Deadline,
    *,
    largest: int = LARGEST_FAMILY,
) -> FamilyOutcome:
    """Return the verdicts on all alternatives; COMPUTE, which has none, is left out.

    Raises:
        KeyError: the system has no property of a name.
    """
    stated = [system.property(name) for name in properties]
    stated = [p for p in stated if p.kind is not PropertyKind.COMPUTE]
    work = _Work(system, alternatives, stated, deadline)
    if stated:
        names = list(alternatives)
        work.run([names[start : start + largest] for start in range(0, len(names), largest)])
    return work.outcome()


@dataclass(slots=True)
class _Work:
    """Hold what is known so far; mutated while it works."""

    system: TransitionSystem
    alternatives: Mapping[str, Alternative]
    stated: list[SystemProperty]
    deadline: Deadline
    verdicts: dict[str, dict[str, BddVerdict]] = field(default_factory=dict)
    dead_ends: dict[str, str] = field(default_factory=dict)
    baseline: dict[str, BddVerdict] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)

    def run(self, families: Iterable[list[str]]) -> None:
        """Decide families, halving those that cannot be decided together."""
        waiting = deque(families)
        hard: list[tuple[str, float]] = []
        left = len(self.alternatives)
        while waiting:
            family = waiting.popleft()
            share = self.deadline.remaining_s() * len(family) / left
            if len(family) == 1:
                left -= 1
                self._alone(family[0], share)
                if self.reasons.get(family[0]) == OUT_OF_TIME:
                    hard.append((family[0], share))
                continue
            self._together(family, share / 2)
            rest = self._open(family)
            left -= len(family) - len(rest)
            middle = len(rest) // 2
            waiting.extend(part for part in (rest[:middle], rest[middle:]) if part)
        for position, (name, before) in enumerate(hard):
            share = self.deadline.remaining_s() / (len(hard) - position)
            if share > before * _HARDER:
                self._alone(name, share)

    def _open(self, family: Iterable[str]) -> list[str]:
        """Return the alternatives with an open property that more time may decide."""
        return [name for name in family if len(self.verdicts.get(name, ())) < len(self.stated)]

    def _together(self, family: list[str], seconds: float) -> None:
        """Decide alternatives, and the system itself, in one system."""
        chosen = [self.alternatives[name] for name in family]
        members = [
            Member(_ITSELF, 0, self.system),
            *(
                Member(name, number, self.alternatives[name].applied(self.system))
                for number, name in enumerate(family, start=1)
            ),
        ]
        self._decide(merged(self.system, chosen), members, seconds)

    def _alone(self, name: str, seconds: float) -> None:
        """Decide one alternative as a system of its own."""
        changed = self.alternatives[name].applied(self.system)
        reason = self._decide(merged(changed, ()), [Member(name, 0, changed)], seconds)
        if reason:
            self.reasons[name] = reason

    def _decide(self, system: TransitionSystem, members: list[Member], seconds: float) -> str:
        names = [member.name for member in members if member.name != _ITSELF]
        wanted = [
            stated
            for stated in self.stated
            if any(stated.name not in self.verdicts.get(name, ()) for name in names)
        ]
        crowd = Crowd(system, members, wanted, frozenset(names), self.verdicts, self.dead_ends)
        deadline = Deadline.after(seconds)
        return attempted(lambda: crowd.decide(Manager(deadline)))

    def outcome(self) -> FamilyOutcome:
        """Return what is known, and why other things are not."""
        baseline = self.verdicts.get(_ITSELF, {})
        self.dead_ends.pop(_ITSELF, None)
        verdicts: dict[str, dict[str, BddVerdict]] = {}
        missing = ""
        for name in self.alternatives:
            reason = self.reasons.get(name, "")
            known = self.verdicts.get(name, {})
            verdicts[name] = {p.name: known.get(p.name, Undecided(reason)) for p in self.stated}
            if len(known) < len(self.stated):
                missing = missing or reason
        return FamilyOutcome(verdicts, self.dead_ends, baseline, missing)
