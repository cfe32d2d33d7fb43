"""Verdicts kept between versions of a file, by the content-keyed id of the mutant."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Hashable, Iterator, Mapping
from dataclasses import dataclass, field

from mutproof.analyses.edits import MOST_EXECUTIONS, Changes, Suggestions
from mutproof.analyses.model_checks import Known
from mutproof.analyses.variant import Fails, Holds
from mutproof.base.digest import Digest
from mutproof.model.program import ElementId, Program
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate


@dataclass(frozen=True, slots=True)
class Undecided:
    """Say that an attempt left properties open; `question` is all that it depended on."""

    question: Digest
    reason: str
    depth: int


@dataclass(frozen=True, slots=True)
class Record:
    """Hold what was found about one mutant: proofs with their support, failures with choices.

    `stated` are digests of what the properties said, by name: a name may come to say more.
    """

    holds: Mapping[str, Holds]
    fails: Mapping[str, Fails]
    stillborn: bool = False
    undecided: Undecided | None = None
    stated: Mapping[str, Digest] = field(default_factory=dict)

    def proofs(self, stated: Mapping[str, Digest]) -> Iterator[tuple[str, Holds]]:
        """Yield the proofs all of whose properties say today what they said then."""
        for name, evidence in self.holds.items():
            goals = {name, *evidence.certificate.goals}
            if all(self.stated.get(goal) == stated.get(goal) for goal in goals):
                yield name, evidence


class Records:
    """Keep the records of the most recently used mutants; mutable."""

    def __init__(self, capacity: int = 200_000) -> None:
        self._capacity = capacity
        self._records: OrderedDict[str, Record] = OrderedDict()
        self.invariants: dict[str, Holds] = {}  # inductive proofs by property
        self.obligations: Known = {}
        self.dead_ends: dict[Digest, int | None] = {}  # longest executions, None: long enough
        self.witnesses: list[Choices] = []  # executions that fulfil assertions
        self.changes = Changes()
        self.concerned = 0  # how many mutants the proofs of the model left open
        self.sharpened: dict[Hashable, tuple[Holds, frozenset[ElementId]]] = {}  # by proof

    def __contains__(self, name: str) -> bool:
        return name in self._records

    def __getitem__(self, name: str) -> Record:
        self._records.move_to_end(name)
        return self._records[name]

    def __setitem__(self, name: str, record: Record) -> None:
        self._records[name] = record
        self._records.move_to_end(name)
        if len(self._records) > self._capacity:
            self._records.popitem(last=False)

    def __len__(self) -> int:
        return len(self._records)

    def suggestions(self, program: Program) -> Suggestions:
        """Return what is known of mutants that changed what is changed in a program."""
        executions: dict[str, dict[int, Choices]] = {}
        certificates: dict[str, dict[Certificate, None]] = {}
        for position, name in enumerate(self.changes.suggested(program)):
            record = self._records.get(name)
            if record is None:
                continue
            for goal, failure in record.fails.items():
                found = executions.setdefault(goal, {})
                if len(found) < MOST_EXECUTIONS and not failure.support:
                    found[id(failure.choices)] = failure.choices
            for goal, evidence in record.holds.items() if position == 0 else ():
                certificates.setdefault(goal, {})[evidence.certificate] = None
        return Suggestions(
            {goal: tuple(found.values()) for goal, found in executions.items()},
            {goal: tuple(found) for goal, found in certificates.items()},
        )

    def newest(self) -> Iterator[tuple[str, Record]]:
        """Return an iterator over the records, the most recently used first."""
        return reversed(self._records.items())
