"""Collect tests that tell mutants from the model, and prove of the others that there is none."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Final

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.suites.replays import Inputs, Replays, TriedTest
from mutproof.analyses.suites.suite import SuiteFate, SuiteMutant
from mutproof.base.budget import Deadline
from mutproof.model import sorts

STEPS: Final = 12
STAYS: Final = (0.0, 0.5, 0.9)
MORE_STEPS: Final = 4
MOST_DOUBTED: Final = 6
"""How many tests that seem to kill a mutant are asked about before none is believed."""

_BY_CHANCE: Final = "what no input determines decides whether its outputs differ"
DOUBTED: Final = f"{_BY_CHANCE}, in the {MOST_DOUBTED} tests that were asked about"
"""Said of a mutant that more tests seem to kill."""

LATE: Final = "out of time"
_ASSUMED: Final = "it computes what the model computes, and assumes something else of its inputs"


class Collection:
    """Hold collected tests and at which steps they seem to kill mutants; mutable.

    `pool` are the tests, `kills` for each of them the steps by mutant, in the order of `names`.
    """

    def __init__(
        self, replays: Replays, survivors: Sequence[Survivors], names: Sequence[str], means: Means
    ) -> None:
        self.replays = replays
        self.names = tuple(names)
        self.pool: list[TriedTest] = []
        self.kills: list[dict[str, int]] = []
        self.kept = 0  # so many tests at the beginning are those of an earlier suite
        self._survivors = survivors
        self._means = means
        self._known: set[str] = set()
        self._fates: dict[str, SuiteMutant] = {}
        self._asked: set[str] = set()
        self.late = ""  # why not all was looked for, if so
        self._until = Deadline.never()

    def fill(
        self,
        findings: Mapping[str, MutantFinding],
        earlier: Sequence[Inputs] = (),
        *,
        until: Deadline,
    ) -> None:
        """Collect what is known and what chance finds, then look for what is missing in time.

        The tests of an `earlier` suite come first, those that the model still accepts.
        """
        self._until = until
        for name in self.names:
            if self.replays.only_assumes(name):
                self._fates[name] = SuiteMutant(name, SuiteFate.ASSUMES, _ASSUMED)
        again = [(one, self.replays.accepted(one, "earlier")) for one in earlier]
        self._take(test for one, test in again if test and len(test.inputs) == len(one))
        self.kept = len(self.pool)
        self._take(self._executions(findings))
        self._take(self._random())
        for name in self.names:
            self._means.check_cancelled()
            if until.passed():
                self.late = LATE
                return
            if name not in self._fates and not any(name in kills for kills in self.kills):
                self._look_for(name)

    def fate(self, name: str) -> SuiteMutant:
        """Return what is known of a mutant that no test kills."""
        known = self._fates.get(name)
        if known is None and self.late and name not in self._asked:
            return SuiteMutant(name, SuiteFate.UNKNOWN, self.late)
        return known or SuiteMutant(name, SuiteFate.CHANCE, _BY_CHANCE)

    def steps(self, test: TriedTest) -> dict[str, int]:
        """Return at which step a test seems to kill which mutants."""
        self._means.check_cancelled()
        found: dict[str, int] = {}
        for name in self.names:
            if name in self._fates:
                continue
            step = self.replays.differs(name, test)
            if step is not None:
                found[name] = step
        return found

    def confirm(self, names: Iterable[str]) -> None:
        """Ask the evaluator about kills of some mutants, and keep what it confirms.

        Of a mutant of which it confirms none of the first few, no kill is kept: that of one whose
        outputs what is left open decides is the same in all tests.
        """
        for name in names:
            self._means.check_cancelled()
            confirmed = 0
            seen = [n for n, kills in enumerate(self.kills) if name in kills]
            for tried, number in enumerate(seen):
                kill = None
                if confirmed or tried < MOST_DOUBTED:
                    kill = self.replays.kill(name, self.pool[number].inputs)
                if kill is None:
                    del self.kills[number][name]
                else:
                    confirmed += 1
                    self.kills[number][name] = kill.step
            if len(seen) > MOST_DOUBTED and not confirmed:
                self._fates[name] = SuiteMutant(name, SuiteFate.CHANCE, DOUBTED)

    def _executions(self, findings: Mapping[str, MutantFinding]) -> Iterator[TriedTest | None]:
        for name in self.names:
            found = findings.get(name)
            if found is None:
                continue
            if found.trace is not None:
                steps = found.trace.choices.steps
                yield self.replays.accepted(steps, f"kill by {', '.join(found.killed_by)}")
            gap = found.equivalence
            if gap is not None and gap.model is not None:
                yield self.replays.accepted(gap.model.choices.steps, "gap")

    def _random(self) -> Iterator[TriedTest | None]:
        source = random.Random(0)
        for number in range(self.replays.runs):
            steps = self.replays.random(source, STEPS, STAYS[number % len(STAYS)])
            yield self.replays.accepted(steps, "random")

    def _take(self, tests: Iterable[TriedTest | None]) -> None:
        """Run new tests on all mutants."""
        for one in tests:
            if self._until.passed():
                self.late = LATE
                return
            if one is None or repr(one.inputs) in self._known:
                continue
            self._known.add(repr(one.inputs))
            self.pool.append(one)
            self.kills.append(self.steps(one))

    def _look_for(self, name: str) -> None:
        """Look for a test of a mutant in each way there is, until there is one, or can be none."""
        reason = ""
        self._asked.add(name)
        for asked in self._survivors:
            found = asked.decide(name, {})
            if found.status is EquivalenceStatus.EQUIVALENT:
                proof = f"proved: {found.explained}"
                self._fates[name] = SuiteMutant(name, SuiteFate.EQUIVALENT, proof)
                return
            reason = found.reason or "undetermined"
            if found.status is EquivalenceStatus.GAP:
                reason = f"only the {found.allowed} accepts some inputs" if found.allowed else ""
                trace = found.model or found.mutant
                assert trace is not None
                self._take(self._continued(trace.choices.steps))
                if any(name in kills for kills in self.kills):
                    return
            if not self.replays.may_kill(name):
                return  # it is left to chance
        if reason:
            self._fates[name] = SuiteMutant(name, SuiteFate.UNKNOWN, reason)

    def _continued(self, steps: Sequence[Mapping[str, sorts.Value]]) -> Iterator[TriedTest | None]:
        """Yield a difference, and the same with more steps, in which other mutants may show."""
        yield self.replays.accepted(steps, "difference")
        source = random.Random(len(self.pool))
        more = self.replays.random(source, MORE_STEPS, 0.5)
        yield self.replays.accepted((*steps, *more), "difference")
