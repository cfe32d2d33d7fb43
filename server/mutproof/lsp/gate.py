"""The gate that stops the reading thread while requests wait for an answer.

Both threads need the interpreter lock, and each switch takes as long as an answer. Written by the
event loop's thread, read by the one that reads texts.
"""

from __future__ import annotations

import time
from typing import Final

QUIET_S: Final = 0.012
"""How long after a message another one is expected: a keystroke causes several."""

NAP_S: Final = 0.002
MOST_S: Final = 0.25
TURN_S: Final = 0.02
"""Reading pauses for `MOST_S` at most, and then runs for `TURN_S` in any case."""


class Gate:
    """Keep the time until which answers have priority; mutable."""

    def __init__(self) -> None:
        self._quiet_from_s = 0.0
        self._turn_until_s = 0.0

    def close(self) -> None:
        """Note that a message came or was answered just now."""
        self._quiet_from_s = time.monotonic() + QUIET_S

    def wait(self) -> None:
        """Block until no request waits for an answer, for a limited time."""
        begun_s = now_s = time.monotonic()
        if now_s >= self._quiet_from_s or now_s < self._turn_until_s:
            return
        while now_s < self._quiet_from_s and now_s < begun_s + MOST_S:
            time.sleep(NAP_S)
            now_s = time.monotonic()
        if now_s < self._quiet_from_s:
            self._turn_until_s = now_s + TURN_S
