"""The benches of a file, alive between its versions."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

from mutproof.analyses.checking.notary import Checker
from mutproof.base.budget import Budget
from mutproof.model.system import TransitionSystem

if TYPE_CHECKING:
    from mutproof.analyses.bench.bench import Bench
    from mutproof.analyses.bench.solvers import Confirm


def _on() -> None:
    """Go on."""


class _Heeding:
    """Call what the run that has the benches wants to be asked before every question."""

    def __init__(self) -> None:
        self.heed: Callable[[], None] = _on

    def __call__(self) -> None:
        self.heed()


class Benches:
    """Keep the bench of a file, and the one that checks its proofs, between versions; mutable."""

    def __init__(self) -> None:
        self._pair: tuple[Bench, Checker] | None = None
        self._asked_before = 0
        self._heeding = _Heeding()

    def get(
        self,
        system: TransitionSystem,
        budget: Budget,
        confirm: Confirm,
        heed: Callable[[], None] = _on,
    ) -> Bench:
        """Return a bench for a system; the old one if it can switch to that system.

        `heed` is called before every question, and raises if the answer is not wanted any more.
        """
        self._heeding.heed = heed
        asked, pair = self.calls, self._pair
        if pair is not None:
            self._pair = None  # what is switched by half, as this was given up, is not used again
            bench, checker = pair
            kept = budget == bench.budget and bench.rebase(system, confirm)
            if kept and checker.bench.rebase(system, confirm):
                self._pair = pair
                return bench
        from mutproof.analyses.bench.bench import Bench  # slow to import; proofs need none

        self._asked_before = asked
        checker = Checker(Bench(system, budget, confirm, heed=self._heeding))
        self._pair = (Bench(system, budget, confirm, checker), checker)
        return self._pair[0]

    def rest(self) -> None:
        """Let go of the run that got a bench."""
        self._heeding.heed = _on

    def shed(self) -> None:
        """Let go of what no later version can use, when nobody waits for an answer."""
        if self._pair is not None:
            bench, checker = self._pair
            bench.shed()
            checker.bench.shed()

    @property
    def checker(self) -> Checker:
        """Return the checker of proofs for the bench returned last."""
        assert self._pair is not None
        return self._pair[1]

    @property
    def calls(self) -> int:
        """Return the number of questions all benches have been asked."""
        present = () if self._pair is None else self._pair
        return self._asked_before + sum(one.calls for one in present)
