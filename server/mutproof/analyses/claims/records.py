"""Verdicts kept between versions of a file, by the content-keyed id of the mutant."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator, Mapping
from dataclasses import field, replace
from typing import Final, TypeAlias

from mutproof.analyses.claims.edits import MOST_EXECUTIONS, Changes, Suggestions
from mutproof.analyses.claims.evidence import DeadEnd, Fails, Holds
from mutproof.analyses.claims.kills import Kills, unchanged
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId, Program
from mutproof.model.trace import Choices
from mutproof.solving.validity import Validity
from mutproof.solving.verdict import Certificate

MOST_AUDITED: Final = 2
"""How many versions of a survivor are kept as audited: an edit may be undone."""

BEGUN: Final = Digest(b"")

KnownObligations: TypeAlias = dict[Digest, Validity]
"""What is known of the checks of a model, by the digest of their terms and sorts."""

Audited: TypeAlias = tuple[Digest, Mapping[str, Holds]]
"""The content of a model, and proofs that no random execution there contradicted."""


@dataclass(frozen=True, slots=True)
class LeftOpen:
    """Say that an attempt left properties open; `question` is all that it depended on.

    It is BEGUN if the attempt is to go on. If a clock ended it, another one may end differently.
    """

    question: Digest
    reason: str
    depth: int
    by_clock: bool = False


@dataclass(frozen=True, slots=True)
class Record:
    """Hold what was found about one mutant: proofs with their support, failures with choices.

    `stated` are digests of what the properties said, by name: what a name means may change.
    `content` is a digest of the model on which the kill is `shortest`: nothing kills in fewer
    steps. `before` is a different result from another version, in case an edit is undone.
    """

    holds: Mapping[str, Holds]
    fails: Mapping[str, Fails]
    stillborn: bool = False
    undecided: LeftOpen | None = None
    stated: Mapping[str, Digest] = field(default_factory=dict)
    content: Digest = BEGUN
    shortest: bool = False
    before: Record | None = None

    def after(self, other: Record | None) -> Record:
        """Return the record together with what is known of an earlier version."""
        if other is None or other.stillborn:
            return self
        same = self.content == other.content or unchanged(self.fails, other.fails)
        alike = self.holds is other.holds or self.holds == other.holds
        if same and alike and self.fails == other.fails:
            return self if other.before is None else replace(self, before=other.before)
        return replace(self, before=other if other.before is None else replace(other, before=None))

    @property
    def is_begun(self) -> bool:
        """Tell whether it is a partial result: the mutant is still being decided."""
        return self.undecided is not None and self.undecided.question == BEGUN

    def versions(self) -> tuple[Record, ...]:
        """Return the record and the record of an earlier version, if there is one."""
        return (self,) if self.before is None else (self, self.before)

    def saying(self, stated: Mapping[str, Digest]) -> frozenset[str]:
        """Return the properties that state the same today as when the record was made."""
        return frozenset([name for name, said in self.stated.items() if stated.get(name) == said])

    def proofs(self, stated: Mapping[str, Digest]) -> Iterator[tuple[str, Holds]]:
        """Yield the proofs whose properties all state the same today as when they were proved."""
        same = self.saying(stated)
        for name, evidence in self.holds.items():
            if name in same and same.issuperset(evidence.certificate.goals):
                yield name, evidence


@dataclass(frozen=True, slots=True)
class KnownOfProofs:
    """Hold what was found out about the elements that proofs rest on; its sets grow.

    `minimal` are certificates with these elements of which nothing more can be left out, `passed`
    digests of audits of such elements that found nothing.
    """

    minimal: set[tuple[Certificate, frozenset[ElementId]]] = field(default_factory=set)
    passed: set[Digest] = field(default_factory=set)


class Records:
    """Keep the records of the most recently used mutants; mutable."""

    def __init__(self, capacity: int = 200_000) -> None:
        self._capacity = capacity
        self._records: OrderedDict[str, Record] = OrderedDict()
        self.obligations: KnownObligations = {}
        self.dead_ends: dict[Digest, int | None] = {}  # longest execution; None if long enough
        self.ends: dict[str, DeadEnd] = {}  # by mutant
        self.witnesses: list[Choices] = []  # executions that fulfil the assertions
        self.living: dict[str, Choices] = {}  # such an execution, by mutant
        self.changes = Changes()
        self.kills = Kills()
        self._audited: dict[str, tuple[Audited, ...]] = {}  # newest first
        self.resting = KnownOfProofs()
        self.concerned = 0  # number of mutants that proofs of the model do not decide

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def get(self, name: str) -> Record | None:
        """Return the record of a mutant, None if there is none."""
        return self._records.get(name)

    def copied(self) -> Records:
        """Return a copy that holds the records, kills and audits, and gets none made later."""
        found = Records(self._capacity)
        found._records.update(self._records)
        found._audited.update(self._audited)
        found.kills = self.kills.copied()
        return found

    def forget(self, name: str) -> None:
        """Forget what is known of a mutant."""
        self._records.pop(name, None)
        self.kills.forget(name)
        self._audited.pop(name, None)

    def audited(self, name: str) -> tuple[Audited, ...]:
        """Return the contents and the proofs for which a survivor was audited, the last first."""
        return self._audited.get(name, ())

    def audit(self, name: str, content: Digest, holds: Mapping[str, Holds]) -> None:
        """Note that proofs of a survivor were audited, or were before and are the same."""
        others = [one for one in self.audited(name) if one[1] is not holds and one[0] != content]
        self._audited[name] = ((content, holds), *others[: MOST_AUDITED - 1])

    def __getitem__(self, name: str) -> Record:
        self._records.move_to_end(name)
        return self._records[name]

    def __setitem__(self, name: str, record: Record) -> None:
        self._records[name] = record
        self._records.move_to_end(name)
        if len(self._records) > self._capacity:
            oldest, _ = self._records.popitem(last=False)
            self.ends.pop(oldest, None)
            self.living.pop(oldest, None)
            self.kills.forget(oldest)
            self._audited.pop(oldest, None)

    def __len__(self) -> int:
        return len(self._records)

    def suggestions(self, program: Program) -> Suggestions:
        """Return what is known of the mutants of elements that an edit has changed."""
        executions: dict[str, list[Choices]] = {}
        certificates: dict[str, dict[Certificate, None]] = {}
        for position, name in enumerate(self.changes.suggested(program)):
            record = self._records.get(name)
            if record is None:
                continue
            for goal, failure in record.fails.items():
                found = executions.setdefault(goal, [])
                is_new = all(failure.choices is not other for other in found)
                if len(found) < MOST_EXECUTIONS and not failure.support and is_new:
                    found.append(failure.choices)
            for goal, evidence in record.holds.items() if position == 0 else ():
                certificates.setdefault(goal, {})[evidence.certificate] = None
        return Suggestions(
            {goal: tuple(found) for goal, found in executions.items()},
            {goal: tuple(found) for goal, found in certificates.items()},
        )

    def newest(self) -> Iterator[tuple[str, Record]]:
        """Return an iterator over the records, the most recently used first."""
        return reversed(self._records.items())
