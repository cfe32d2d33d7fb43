"""Keep the results of a run while it goes on, so that the next run can continue if it dies.

Contents are written beside their place and moved there (`base.store`), so that a crash loses only
what came after the last checkpoint.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import field
from typing import Final

from mutproof.analyses.claims.finding import Origin
from mutproof.base.record import dataclass

EVERY_S: Final = 2.0
"""The least time between checkpoints, in seconds."""

REST: Final = 20
"""The least time between checkpoints as a multiple of what the last one took."""


@dataclass(slots=True)
class Checkpoints:
    """Call `keep` now and then; mutable, of one run."""

    keep: Callable[[], None]
    _due_s: float = field(default_factory=lambda: time.monotonic() + EVERY_S)

    def found(self, origin: Origin) -> None:
        """Note that there is more to keep, unless it is on record; failures do not end the run."""
        begun_s = time.monotonic()
        if origin is Origin.REUSED or begun_s < self._due_s:
            return
        try:
            self.keep()
        except Exception:
            traceback.print_exc()
        ended_s = time.monotonic()
        self._due_s = ended_s + max(EVERY_S, REST * (ended_s - begun_s))
