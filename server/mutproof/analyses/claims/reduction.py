"""What is known of properties on systems without some elements."""

from __future__ import annotations

from collections import OrderedDict
from typing import TypeAlias

from mutproof.analyses.claims.evidence import Fails, Holds
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.edited_run import EarlierRun
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices

ReductionQuestion: TypeAlias = tuple[str, str, frozenset[ElementId]]
"""A property, one of the kinds below, and the elements that this is said of."""


@dataclass(frozen=True, slots=True)
class OpenReduction:
    """Say that an attempt on a reduced system decided nothing, and would not if repeated."""

    system: Digest  # of the constraints that decide the property, with their elements
    budget: Budget


KEPT, REMOVED, TRIED, REFINED = "kept", "removed", "tried", "refined"
"""What a question says of its elements: only they are kept, only they are removed, or removing them
was tried in vain without engines; the last is about the property, without elements."""

MOST_DIGESTS = 3
"""How many digests of what a replay depended on are kept, one of a version: an edit may be undone.
"""

MOST_VALUES = 2_000_000
"""About how many values of executions are kept (some 8 bytes each)."""


class ReducedRuns:
    """Keep the last execution that violated a property without some elements; mutable.

    What was executed at an earlier version of a file is known of it in this process only.
    """

    def __init__(self) -> None:
        self._runs: OrderedDict[tuple[str, frozenset[ElementId]], EarlierRun] = OrderedDict()
        self._values = 0

    def earlier(
        self, goal: str, removed: frozenset[ElementId], choices: Choices
    ) -> EarlierRun | None:
        """Return the execution on these very choices, None if it is not kept."""
        found = self._runs.get((goal, removed))
        return found if found is not None and found.choices is choices else None

    def keep(self, goal: str, removed: frozenset[ElementId], run: EarlierRun) -> None:
        """Keep an execution, in place of the one before."""
        before = self._runs.pop((goal, removed), None)
        self._values += _size(run) - (0 if before is None else _size(before))
        self._runs[goal, removed] = run
        while self._values > MOST_VALUES:
            _, oldest = self._runs.popitem(last=False)
            self._values -= _size(oldest)


def _size(run: EarlierRun) -> int:
    return len(run.steps) * len(run.steps.names)


class KnownReductions(dict[tuple[ReductionQuestion, Digest], Holds | Fails | OpenReduction]):
    """Keep what is known of properties on reduced systems between versions of a file; mutable.

    The digest is of what the property says: its name can stay when that changes. Of executions it
    is kept, in this process only, where they were replayed.
    """

    def __init__(self) -> None:
        super().__init__()
        self.runs = ReducedRuns()
        self._replayed: dict[tuple[ReductionQuestion, Digest], tuple[Fails, list[Digest]]] = {}

    def stands(
        self, question: ReductionQuestion, said: Digest, fails: Fails, depends: Digest
    ) -> bool:
        """Tell whether this very execution was replayed where all it depends on has this digest."""
        known = self._replayed.get((question, said))
        return known is not None and known[0] is fails and depends in known[1]

    def note(
        self, question: ReductionQuestion, said: Digest, fails: Fails, depends: Digest
    ) -> None:
        """Note that an execution was replayed, and a digest of all it depended on."""
        known = self._replayed.get((question, said))
        others = known[1] if known is not None and known[0] is fails else []
        found = [depends, *(other for other in others if other != depends)]
        self._replayed[question, said] = fails, found[:MOST_DIGESTS]
