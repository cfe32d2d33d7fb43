"""Executions that killed mutants, with a digest of all that their replays depended on.

Each was replayed by the evaluator, in this process, on a program with that digest. Where a later
version has the same digest for the mutant and the property, the evaluator would compute the same
again (`model.outcome_digests`), so the failure stands. Nothing of this is written to disk or sent
to other processes: what comes from there is replayed first.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from mutproof.analyses.claims.evidence import Fails
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.base.rows import RowTable
from mutproof.base.shared_rows import SharedRows
from mutproof.model.edited_run import EarlierRun, Exchanged
from mutproof.model.program import Program
from mutproof.model.trace import Choices, Trace

MOST_VERSIONS = 3
"""How many failures of a property, and shown executions, are kept for each mutant: an edit may be
undone."""

MOST_VALUES = 8_000_000
"""How many values of shown executions are kept (8 bytes each), equal rows once; one version of 500
equations has 1.2 million, and each edit adds some 0.2."""


@dataclass(frozen=True, slots=True)
class Ran:
    """Say which version of a program was run, and which elements had other bodies."""

    program: Program
    exchanged: Exchanged


@dataclass(frozen=True, slots=True)
class _Shown:
    """Hold the execution that was shown for a failure.

    Where it has all values that decide the outcome, `ran` is the last version with this execution.
    """

    failure: Fails
    choices: Choices
    steps: RowTable
    loop: int | None
    ran: Ran | None


class Kills:
    """Keep replayed failures by mutant and property, and executions to show; mutable.

    `searched` are the mutants of whose failures shorter ones were looked for.
    """

    def __init__(self) -> None:
        self._replayed: dict[str, dict[str, tuple[tuple[Fails, Digest], ...]]] = {}
        self.searched: set[str] = set()
        self._shown: OrderedDict[str, tuple[_Shown, ...]] = OrderedDict()  # newest first
        self._rows = SharedRows()
        self._names: dict[tuple[str, ...], tuple[str, ...]] = {}

    def copied(self) -> Kills:
        """Return a copy that holds what is known, and gets nothing that is noted later."""
        found = Kills()
        found._replayed.update({mutant: dict(goals) for mutant, goals in self._replayed.items()})
        found.searched |= self.searched
        found._shown.update(self._shown)
        found._rows = self._rows.copied()
        return found

    def stands(self, mutant: str, goal: str, failure: Fails, outcome: Digest) -> bool:
        """Tell whether this very failure was replayed where outcomes had the same digest."""
        for one, digest in self._replayed.get(mutant, {}).get(goal, ()):  # asked of each kill
            if one is failure and digest == outcome:
                return True
        return False

    def note(self, mutant: str, goal: str, failure: Fails, outcome: Digest) -> None:
        """Note that a failure was replayed, or stands, where outcomes have a digest."""
        mine = self._replayed.setdefault(mutant, {})
        known = mine.get(goal, ())
        if not (known and known[0][0] is failure and known[0][1] == outcome):
            others = [one for one in known if one[0] is not failure]
            if len(others) == len(known):
                self.searched.discard(mutant)
            mine[goal] = ((failure, outcome), *others[: MOST_VERSIONS - 1])

    def shows(self, mutant: str, failure: Fails, ran: Ran) -> bool:
        """Tell whether what was shown for this very failure is kept; if so, it was run again."""
        found = self._kept(mutant, failure)
        if found is None:
            return False
        known = self._shown[mutant]
        others = [one for one in known if one is not found]
        self._shown[mutant] = (found if found.ran is None else replace(found, ran=ran), *others)
        return True

    def earlier(self, mutant: str, failure: Fails) -> EarlierRun | None:
        """Return the execution of this very failure, None if its values are not known."""
        found = self._kept(mutant, failure)
        if found is None or found.ran is None:
            return None
        return EarlierRun(found.ran.program, found.ran.exchanged, found.choices, found.steps)

    def shown(self, mutant: str, failure: Fails) -> Trace | None:
        """Return the execution that was shown for this very failure, None if it is not kept."""
        found = self._kept(mutant, failure)
        if found is None:
            return None
        return Trace(found.choices, found.steps, found.loop)

    def show(
        self,
        mutant: str,
        failure: Fails,
        trace: Trace,
        *,
        ran: Ran,
        wanted: Collection[str] | None,
    ) -> None:
        """Keep an execution that is shown; of its variables only the wanted ones, None: all.

        The wanted ones are all that decide the outcome.
        """
        if self.shows(mutant, failure, ran) or not trace.steps:
            return
        first = trace.steps[0]
        names = tuple(first if wanted is None else filter(wanted.__contains__, first))
        names = self._names.setdefault(names, names)
        try:
            steps = RowTable.of(trace.steps, names)
        except KeyError:
            return  # not all steps have values of the same variables
        if wanted is None and any(len(step) > len(names) for step in trace.steps):
            return
        known, others = None if wanted is None else ran, self._shown.pop(mutant, ())
        shown = _Shown(failure, trace.choices, self._rows.shared(steps), trace.loop, known)
        self._release(others[MOST_VERSIONS - 1 :])
        self._shown[mutant] = (shown, *others[: MOST_VERSIONS - 1])
        while self._rows.values > MOST_VALUES:
            oldest, versions = self._shown.popitem(last=False)
            self._release(versions[-1:])
            if len(versions) > 1:
                self._shown[oldest] = versions[:-1]  # what is shown today comes last

    def forget(self, mutant: str) -> None:
        """Forget what is known of a mutant."""
        self._replayed.pop(mutant, None)
        self.searched.discard(mutant)
        self._release(self._shown.pop(mutant, ()))

    def _kept(self, mutant: str, failure: Fails) -> _Shown | None:
        return next((s for s in self._shown.get(mutant, ()) if s.failure is failure), None)

    def _release(self, shown: Iterable[_Shown]) -> None:
        for one in shown:
            self._rows.release(one.steps)


def unchanged(now: Mapping[str, Fails], then: Mapping[str, Fails]) -> bool:
    """Tell whether two versions of a mutant fail the same properties by the very same evidence."""
    return now.keys() == then.keys() and all(then[goal] is one for goal, one in now.items())
