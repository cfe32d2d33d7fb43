"""Keep the results of a run while it goes on, so that the next run can continue if it dies.

Contents are written beside their place and moved there (`base.store`), so that a crash loses only
what came after the last checkpoint.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from typing import Final

from mutproof.analyses.claims.finding import Origin
from mutproof.base.record import dataclass

EVERY_S: Final = 2.0
"""The least time between checkpoints, in seconds."""

REST: Final = 20
"""The least time between checkpoints, and before the first one of a run, as a multiple of what the
last one took."""


@dataclass(slots=True)
class Checkpoints:
    """Keep the results of one file now and then, one run after the other; mutable."""

    _keep: Callable[[], object] = lambda: None
    _took_s: float = 0.0
    _ended_s: float = 0.0

    def begin(self, keep: Callable[[], object]) -> None:
        """Begin a run of which `keep` keeps the results."""
        self._keep, self._ended_s = keep, time.monotonic()

    def found(self, origin: Origin) -> None:
        """Note that there is more to keep, unless it is on record; failures do not end the run."""
        now_s = time.monotonic()
        if origin is Origin.KEPT or now_s < self._ended_s + max(EVERY_S, REST * self._took_s):
            return
        try:
            self._keep()
        except Exception:
            traceback.print_exc()
        self._rest(now_s)

    def store(self, keep: Callable[[], bool]) -> None:
        """Keep the results of a run that has ended, if there are any that were not kept."""
        begun_s = time.monotonic()
        if keep():
            self._rest(begun_s)

    def _rest(self, begun_s: float) -> None:
        self._ended_s = time.monotonic()
        self._took_s = self._ended_s - begun_s
