"""Deadlines for tests that other load on the machine must not change."""

from __future__ import annotations

import math

from mutproof.base.budget import Deadline

UNHURRIED = Deadline.after_work(math.inf)
"""Never comes, and its shares are of work done by this thread, as in the product."""
