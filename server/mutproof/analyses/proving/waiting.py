"""When mutants wait no longer for properties of the model that are still open.

Verdicts on mutants need properties that are proved. Where a file has little time, hard properties
could take all of it, so once some are proved the others have a share only, and stay UNKNOWN then.
Of several workers on a file only the first one tries them so long: most of those that stay open
fail, which mutants need not know.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Sized
from contextlib import contextmanager
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.budget import Budget, Deadline
from mutproof.base.record import dataclass

GIVEN_UP = "its share of the file's time is over, the rest is for mutants"

VAIN, VAIN_S = 0.5, 2.0
"""For how much more of the time until the last proof, and how long at least, others are sought."""


class LeftError(Exception):
    """Say that open properties are left to another worker."""


class Vain:
    """Tell when proofs have been sought in vain for long; mutable: each proof begins anew.

    Seconds are those of this process's work. Who begins with too few proofs must hear of others.
    """

    def __init__(self) -> None:
        self._has_proofs = False
        self._begun_s = self._until_s = math.inf

    def begin(self) -> None:
        """Raise from now on."""
        self._begun_s = time.process_time()
        if self._has_proofs:
            self.proved()

    def proved(self) -> None:
        """Note that a property has just been proved."""
        self._has_proofs = True
        now_s = time.process_time()
        if now_s >= self._begun_s:
            self._until_s = now_s + max(VAIN_S, VAIN * (now_s - self._begun_s))

    def noting(self, emit: Callable[[PropertyFinding], None]) -> Callable[[PropertyFinding], None]:
        """Return what emits findings and notes proofs."""

        def noted(finding: PropertyFinding) -> None:
            emit(finding)
            if finding.verdict is PropertyVerdict.PROVED and not finding.vacuity:
                self.proved()

        return noted

    def heeded(self, means: Means) -> Means:
        """Return means by which work ends, with `LeftError`, if nothing was proved for too long."""

        def heed() -> None:
            means.check_cancelled()
            if time.process_time() > self._until_s:
                raise LeftError

        return replace(means, check_cancelled=heed)

    def rest(self) -> None:
        """Raise no more."""
        self._begun_s = self._until_s = math.inf


@dataclass(frozen=True, slots=True)
class Waiting:
    """Say until when mutants wait, and what is `proved` by now; nothing is given up before that.

    Each question to engines has `least` of a budget in any case. By `vain` others are left to
    another worker.
    """

    until: Deadline
    proved: Sized
    least: Budget
    vain: Vain | None = None

    @property
    def ends(self) -> bool:
        """Tell whether mutants wait for a limited time."""
        return self.until.at_s < float("inf")

    @property
    def is_over(self) -> bool:
        """Tell whether mutants of what is proved should begin."""
        return self.until.passed() and len(self.proved) > 0

    @contextmanager
    def leaving(self) -> Iterator[None]:
        """Have `vain` raise inside the `with` block: what is open there may be left to others."""
        if self.vain is None:
            yield
            return
        self.vain.begin()
        try:
            yield
        finally:
            self.vain.rest()

    def given_up(self, spent: int, seconds: float) -> str:
        """Return why a question that has taken solver units, and time, is given up; else empty."""
        begun = spent >= self.least.rlimit or seconds >= self.least.timeout_s
        return GIVEN_UP if begun and self.is_over else ""

    def limited(self, budget: Budget) -> Budget:
        """Return a budget with no more time than is left, or than the least, for one question."""
        if not len(self.proved):
            return budget
        seconds = max(self.least.timeout_s, self.until.remaining_s())
        return Budget(budget.rlimit, min(budget.timeout_s, seconds))
