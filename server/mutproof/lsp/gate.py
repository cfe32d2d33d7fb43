"""Whether somebody waits for an answer: then the thread that reads texts stands still.

Both threads want the interpreter, and each change between them takes as long as an answer.
Written by the event loop's thread, read by the one that reads texts.
"""

from __future__ import annotations

import time
from typing import Final

QUIET_S: Final = 0.012
"""How long after a message another one is to be expected: a keystroke brings several."""

NAP_S: Final = 0.002
MOST_S: Final = 0.25
TURN_S: Final = 0.02
"""How long reading stands still at most, and goes on then whatever comes."""


class Gate:
    """Keep the time until which others go first; mutable."""

    def __init__(self) -> None:
        self._quiet_from_s = 0.0
        self._turn_until_s = 0.0

    def close(self) -> None:
        """Note that a message came or was answered just now."""
        self._quiet_from_s = time.monotonic() + QUIET_S

    def wait(self) -> None:
        """Return once nobody waits for an answer, or after some time."""
        begun_s = now_s = time.monotonic()
        if now_s >= self._quiet_from_s or now_s < self._turn_until_s:
            return
        while now_s < self._quiet_from_s and now_s < begun_s + MOST_S:
            time.sleep(NAP_S)
            now_s = time.monotonic()
        if now_s < self._quiet_from_s:
            self._turn_until_s = now_s + TURN_S
