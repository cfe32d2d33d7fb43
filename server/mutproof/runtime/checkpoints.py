"""Keep what a run has found out while it goes on: whatever kills it, the next run goes on there.

What is kept is written beside its place and moved there (`base.store`), so that a death in the
middle of it loses what came since the last time, and nothing else.
"""

from __future__ import annotations

import time
import traceback
from collections.abc import Callable
from dataclasses import field
from typing import Final

from mutproof.base.record import dataclass

EVERY_S: Final = 2.0
"""How long a run works before it keeps what it has found out, in seconds."""

REST: Final = 20
"""How many times as long as it took to keep that a run works then, at least."""


@dataclass(slots=True)
class Checkpoints:
    """Call `keep` now and then; mutable, of one run."""

    keep: Callable[[], None]
    _due_s: float = field(default_factory=lambda: time.monotonic() + EVERY_S)

    def found(self) -> None:
        """Take note that there is more to keep; a run that cannot keep it goes on."""
        begun_s = time.monotonic()
        if begun_s < self._due_s:
            return
        try:
            self.keep()
        except Exception:
            traceback.print_exc()
        ended_s = time.monotonic()
        self._due_s = ended_s + max(EVERY_S, REST * (ended_s - begun_s))
