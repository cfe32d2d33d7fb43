"""Tell now and then of the suite that there is so far, for runs that are ended before theirs is."""

from __future__ import annotations

import time
from collections.abc import Callable
from typing import Final

from mutproof.analyses.claims.observation import Interface
from mutproof.analyses.suites.choosing import Tried, first_kills
from mutproof.analyses.suites.collecting import Collection
from mutproof.analyses.suites.suite import SuiteFinding, finding
from mutproof.base.budget import Deadline

FIRST_S: Final = 0.5
GROWTH: Final = 1.25
EFFORT: Final = 0.05
"""After how long it is first told, by what factor longer each next time, and which share of the
time until then that may take."""

GIVEN_UP: Final = "the run was given up before this was found out"


class Interim:
    """Tell of suites so far; mutable. What `tried` confirms is known when tests are chosen."""

    def __init__(
        self, interface: Interface, tried: Tried, tell: Callable[[SuiteFinding], None]
    ) -> None:
        self._interface = interface
        self._tried = tried
        self._tell = tell
        self._started = time.monotonic()
        self._due_s = FIRST_S

    def consider(self, collection: Collection) -> None:
        """Tell of the tests that were collected, if it is time to do so."""
        passed_s = time.monotonic() - self._started
        if passed_s < self._due_s:
            return
        self._due_s = GROWTH * passed_s
        tests = first_kills(collection, self._tried, Deadline.after(EFFORT * passed_s))
        if tests:
            fates = [collection.fate(name, GIVEN_UP) for name in collection.names]
            self._tell(finding(self._interface, tests, fates, len(collection.matrix.tests)))
