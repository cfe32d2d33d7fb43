"""Collect tests that tell mutants from the model; prove for the other mutants that none does."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Final, TypeAlias

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding
from mutproof.analyses.equivalence.agreement import Agreement
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.suites.continuing import continued
from mutproof.analyses.suites.growing import STEPS, grown
from mutproof.analyses.suites.kill_matrix import KillMatrix
from mutproof.analyses.suites.replays import Inputs, Replays, TriedTest
from mutproof.analyses.suites.suite import SuiteFate, SuiteMutant
from mutproof.base.budget import Budget, Deadline, Exhausted
from mutproof.model import sorts

STAYS: Final = (0.0, 0.5, 0.9)
MORE_STEPS: Final = 4
MOST_DOUBTED: Final = 6
"""After how many unconfirmed kills of a mutant no other kill of it is tried."""

SETTLING: Final = 0.2
"""The share of what is left of the time that proofs on the model alone may take at once."""

CONTINUING: Final = 0.5
"""The share of what is left of the time that continuations of tests may take."""

FREED: Final = "it leaves open what the model says, so it may do the same by chance"
NOT_SURE: Final = "its outputs may differ, by what no input determines; no sure test was found"
CHOOSES: Final = "it chooses from a set; `mutproof equivalent --inputs A --outputs B` tells more"

CYCLIC: Final = "a value may depend on itself within a step, so nothing is proved of it"
LATE: Final = "out of time before it was looked at closely; `--file-timeout` gives more"
_EXHAUSTED: Final = {
    Exhausted.TIME: "out of time; `--timeout` and `--file-timeout` give more",
    Exhausted.UNITS: "out of solver units; `--rlimit` gives more",
    Exhausted.METHODS: (
        "no method settles it; smaller ranges of numbers, or fewer `--outputs`, may help"
    ),
}
_ASSUMED: Final = "it computes what the model computes, and assumes something else of its inputs"


Asking: TypeAlias = Callable[[frozenset[str], bool], "Sequence[Survivors]"]
"""Return, for some mutants, what decides whether outputs differ; true: with brief effort."""


class Collection:
    """Collect tests in a `matrix` of what they seem to kill; mutable."""

    def __init__(
        self,
        replays: Replays,
        asking: Asking,
        names: Sequence[str],
        means: Means,
        *,
        agreement: Agreement | None = None,
        noting: Callable[[Collection], None] = lambda _: None,
    ) -> None:
        self.replays = replays
        self.names = tuple(names)
        self.matrix = KillMatrix(self.names, self.steps, replays.many)
        self.kept = 0  # number of first tests that an earlier suite had
        self._asking = asking
        self._agreement = agreement
        self._note = noting
        self._means = means
        self._fates: dict[str, SuiteMutant] = {}
        self._asked: set[tuple[str, bool]] = set()  # mutants, and whether with brief effort
        self.late = ""  # why the search is incomplete; empty if it is not
        self._until = Deadline.never()

    def fill(
        self,
        findings: Mapping[str, MutantFinding],
        earlier: Sequence[Inputs] = (),
        *,
        until: Deadline,
    ) -> None:
        """Collect known and random tests, then seek tests for the other mutants while time is left.

        The tests of an `earlier` suite come first, those that the model still accepts.
        """
        self._until = until
        for name in self.names:
            if self.replays.only_assumes(name):
                self._fates[name] = SuiteMutant(name, SuiteFate.ASSUMES, _ASSUMED)
        again = [(one, self.replays.accepted(one, "earlier")) for one in earlier]
        self._take(test for one, test in again if test and len(test.inputs) == len(one))
        self.kept = len(self.matrix.tests)
        self._take(_executions(self.replays, self.names, findings))
        self._take(_random(self.replays))
        self._take(self._altering())
        self._take(self._long_random())
        self._take(self._grown())
        self.seek(until=until)

    def seek(self, *, until: Deadline) -> None:
        """Seek tests for mutants that are live, and proofs that there are none, not asked before.

        What is `late` is whether time was left at the end.
        """
        self._until, self.late = until, ""
        self._take(self._onward())
        self._take(self._altering())
        for brief in (True, False):
            # Mutants of an equation are asked about together: leave out those with a test.
            live = frozenset(self._left())
            asked = self._asking(live, brief) if live else ()
            for name in self.names:
                self._means.check_cancelled()
                if name in live and self._until.passed():
                    self.late = LATE
                    return
                if name in self._fates or name in self.matrix.shown or (name, brief) in self._asked:
                    continue
                if name in live:
                    self._look_for(name, asked, brief=brief)
                    self._note(self)

    def fate(self, name: str, open_reason: str = "") -> SuiteMutant:
        """Return what is known of a mutant that no test kills; why what was not asked is open."""
        known, late = self._fates.get(name), open_reason or self.late
        if known is None and late and (name, False) not in self._asked:
            return SuiteMutant(name, SuiteFate.UNKNOWN, late)
        return known or self._unsure(name)

    def _unsure(self, name: str) -> SuiteMutant:
        """Return the fate of a mutant neither proved equivalent nor surely killed.

        No test surely kills a mutant that only constrains less than the model: on any inputs, one
        of its executions is that of the model. Others are UNKNOWN.
        """
        if self.replays.only_frees(name):
            return SuiteMutant(name, SuiteFate.CHANCE, FREED)
        reason = NOT_SURE if self.replays.may_kill(name) else CHOOSES
        return SuiteMutant(name, SuiteFate.UNKNOWN, reason)

    def steps(self, test: TriedTest, names: Iterable[str] | None = None) -> dict[str, int]:
        """Return at which step a test seems to kill which of some mutants, by default of all."""
        self._means.check_cancelled()
        found: dict[str, int] = {}
        for name in self.names if names is None else names:
            if name in self._fates:
                continue
            step = self.replays.differs(name, test)
            if step is not None:
                found[name] = step
        return found

    def confirm(self, names: Iterable[str]) -> None:
        """Have the evaluator confirm kills of some mutants, and drop the others.

        If it confirms none of the first few kills of a mutant, all are dropped: if open values
        decide the outputs of a mutant, they do so in all tests.
        """
        tests, kills_of = self.matrix.tests, self.matrix.kills
        for name in names:
            self._means.check_cancelled()
            confirmed = 0
            for number in range(len(tests)):
                self.matrix.run(number, (name,))
            seen = [n for n, kills in enumerate(kills_of) if name in kills]
            for tried, number in enumerate(seen):
                kill = None
                if confirmed or (tried < MOST_DOUBTED and not self.replays.only_frees(name)):
                    kill = self.replays.kill(name, tests[number].inputs)
                if kill is None:
                    del kills_of[number][name]
                else:
                    confirmed += 1
                    kills_of[number][name] = kill.step
            if not confirmed:
                self._fates[name] = self._unsure(name)

    def _long_random(self) -> Iterator[TriedTest]:
        """Yield long random tests that kill live mutants, and are run on those only.

        A solver takes thousands of times as long to find a difference after many steps.
        """
        source = random.Random(1)
        for _ in range(self.replays.long_runs):
            self._means.check_cancelled()
            live = self._left()
            if not live or self._until.passed():
                return
            steps = self.replays.random(source, self.replays.long_steps, None)
            one = self.replays.accepted(steps, "random")
            if one is not None and any(
                self.replays.differs(name, one) is not None for name in live
            ):
                yield one

    def _grown(self) -> Iterator[TriedTest]:
        for one in grown(self.replays, self.matrix.tests, self._left):
            self._means.check_cancelled()
            if self._until.passed():
                return
            if one is not None:
                yield one

    def _onward(self) -> Iterator[TriedTest]:
        """Yield continuations of tests that show live mutants, while part of the time lasts."""
        if self._agreement is not None and not self._until.passed():
            until = Deadline.after(self._until.remaining_s() * CONTINUING)
            onward, tests = self._agreement.onward, self.matrix.tests
            yield from continued(self.replays, onward, tests, self._left, until=until)

    def _altering(self) -> Iterator[TriedTest | None]:
        """Settle live mutants that alter nothing in any test; yield tests in which they do."""
        agreement, tests = self._agreement, self.matrix.tests
        if agreement is None or self._until.passed():
            return
        quiet = [
            name
            for name in self._left()
            if not any(self.replays.alters(name, test) for test in tests)
        ]
        whole, left_s = self._means.middle, self._until.remaining_s() * SETTLING
        budget = Budget(whole.rlimit, min(whole.timeout_s, left_s))
        settled = agreement.settle(quiet, budget)
        for name, found in settled.verdicts.items():
            self._fates[name] = _proved(name, found)
        for choices in settled.altering.values():
            yield from self._continued(choices.steps)

    def _left(self) -> list[str]:
        """Return the mutants that are live: their fate is open, and no test seems to kill them."""
        shown, fates = self.matrix.shown, self._fates
        return [name for name in self.names if name not in fates and name not in shown]

    def _take(self, tests: Iterable[TriedTest | None]) -> None:
        """Run new tests on all mutants; if there are many, on live ones only."""
        for one in tests:
            if self._until.passed():
                self.late = LATE
                return
            if one is None or self.matrix.has(one):
                continue
            names = self.matrix.whole or self._left()
            self.matrix.add(one, names)
            self._note(self)

    def _look_for(self, name: str, survivors: Sequence[Survivors], *, brief: bool) -> None:
        """Look for a test of a mutant in each way, until there is one, or none can be.

        What a `brief` look leaves open is asked again.
        """
        reason = ""
        self._asked.add((name, brief))
        if not self.replays.is_causal(name):  # proofs on its system would be void
            self._fates[name] = SuiteMutant(name, SuiteFate.UNKNOWN, CYCLIC)
            return
        for asked in survivors:
            found = asked.decide(name, {})
            if found.status is EquivalenceStatus.EQUIVALENT:
                self._fates[name] = _proved(name, found)
                return
            reason = _why_open(found)
            if found.status is EquivalenceStatus.GAP:
                reason = f"only the {found.allowed} accepts some inputs" if found.allowed else ""
                trace = found.model or found.mutant
                assert trace is not None
                self._take(self._continued(trace.choices.steps))
                if name in self.matrix.shown:
                    return
            if not self.replays.may_kill(name):
                return  # no kill of it can be claimed
        if reason and not brief:
            self._fates[name] = SuiteMutant(name, SuiteFate.UNKNOWN, reason)

    def _continued(self, steps: Sequence[Mapping[str, sorts.Value]]) -> Iterator[TriedTest | None]:
        """Yield a difference as a test, alone and with random steps that may show other mutants."""
        yield self.replays.accepted(steps, "difference")
        source = random.Random(len(self.matrix.tests))
        more = self.replays.random(source, MORE_STEPS, 0.5)
        yield self.replays.accepted((*steps, *more), "difference")


def _why_open(found: Equivalence) -> str:
    """Return why it is not known whether a test kills, and what may help; no words of engines."""
    if found.exhausted is None:
        return found.reason or "undetermined"
    ended = _EXHAUSTED[found.exhausted]
    return f"no test of it was found, and no proof that there is none: {ended}"


def _proved(mutant: str, found: Equivalence) -> SuiteMutant:
    """Return the fate of a mutant by a proof of equivalence, or by its withdrawal."""
    if found.status is EquivalenceStatus.EQUIVALENT:
        return SuiteMutant(mutant, SuiteFate.EQUIVALENT, f"proved: {found.explained}")
    return SuiteMutant(mutant, SuiteFate.UNKNOWN, found.reason)


def _executions(
    replays: Replays, names: Sequence[str], findings: Mapping[str, MutantFinding]
) -> Iterator[TriedTest | None]:
    """Yield what is known to kill mutants, or to tell survivors from the model."""
    for name in names:
        found = findings.get(name)
        if found is None:
            continue
        if found.trace is not None:
            steps = found.trace.choices.steps
            yield replays.accepted(steps, f"kill by {', '.join(found.killed_by)}")
        gap = found.equivalence
        if gap is not None and gap.model is not None:
            yield replays.accepted(gap.model.choices.steps, "gap")


def _random(replays: Replays) -> Iterator[TriedTest | None]:
    """Yield short random tests."""
    source = random.Random(0)
    for number in range(replays.runs):
        steps = replays.random(source, STEPS, STAYS[number % len(STAYS)])
        yield replays.accepted(steps, "random")
