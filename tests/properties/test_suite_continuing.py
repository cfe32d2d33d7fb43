"""Tests are continued until outputs show what a mutant remembers."""

from __future__ import annotations

import random

import pytest
from test_suite_shortcuts import Compared

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.observation import Interface
from mutproof.analyses.equivalence.agreement import Agreement
from mutproof.analyses.suites.continuing import continued
from mutproof.analyses.suites.replays import TriedTest
from mutproof.base.budget import Budget, Deadline
from mutproof.model.trace import Choices
from mutproof.solving.spacer_process import SpacerProcess

LOCK = """\
node lock (go : bool; code : int) returns (o : int);
var n, s : int;
let
  n = 0 -> if go and pre n < 20 then pre n + 1 else pre n;
  s = 0 -> if code = 1000 + 7 * pre s - 3 * pre n then pre s + 1 else 0;
  o = if s > 2 then n else 0;
tel;
"""
ASSERTED = LOCK.replace("let\n", "let\n  assert code > -9 or code < -99;\n")


class Continued(Compared):
    """Continue random tests of a text, and hold what was found."""

    def __init__(self, text: str, *, until: Deadline) -> None:
        super().__init__(text)
        self.tests: list[TriedTest] = []
        source = random.Random(0)
        for _ in range(8):
            steps = self.replays.random(source, 40, 0.5)
            one = self.replays.accepted(steps, "random")
            if one is not None:
                self.tests.append(one)
        self.live = [name for name in self.names if not self._killed(name)]
        means = Means(Budget(), SpacerProcess(), Benches(), lambda: None)
        agreement = Agreement(self.baseline, self.load, means, Interface(outputs=self.outputs))
        self.new: list[TriedTest] = []
        for one in continued(self.replays, agreement.onward, self.tests, self._left, until=until):
            self.tests.append(one)
            self.new.append(one)

    def _killed(self, name: str) -> bool:
        return any(self.replays.differs(name, one) is not None for one in self.tests)

    def _left(self) -> list[str]:
        return [name for name in self.live if not self._killed(name)]

    def check(self) -> int:
        """Check by the oracle that each new test is accepted and shows a mutant; return how many.

        Of mutants, not of tests.
        """
        shown: set[str] = set()
        for one in self.new:
            model = self.baseline.meaning.run(Choices(one.inputs))
            assert model is not None
            assert model.assumed
            kills = {name for name in self.live if self.replays.kill(name, one.inputs)}
            assert kills - shown
            shown |= kills
        return len(shown)


@pytest.mark.parametrize("text", [LOCK, ASSERTED])
def test_what_random_inputs_hide_is_shown_after_them(text: str) -> None:
    found = Continued(text, until=Deadline.never())

    assert len(found.live) > 50
    assert found.check() > len(found.live) / 2


def test_what_shows_after_many_steps_only_is_shown() -> None:
    found = Continued(LOCK, until=Deadline.never())

    late = [name for name in found.live if "`20` → `21`" in found.load.by_name[name].summary]
    assert late
    assert not set(late) & set(found._left())


def test_nothing_is_sought_when_time_is_out() -> None:
    assert not Continued(LOCK, until=Deadline.after(0)).new
