"""The order in which files are analysed: the newest request of each, last edited first.

A pure queue: it starts nothing. Mutable; owned by the event loop's thread.
"""

from __future__ import annotations

from typing import Generic, TypeVar

from mutproof.base.record import dataclass

WorkT = TypeVar("WorkT")


@dataclass(slots=True)
class _Interest:
    edited: int = 0  # tick of the last edit
    seen: int = 0  # tick of the last sign that the file is looked at


class Scheduler(Generic[WorkT]):
    """Keep at most one waiting piece of work for every key."""

    def __init__(self) -> None:
        self._waiting: dict[str, WorkT] = {}
        self._interest: dict[str, _Interest] = {}
        self._tick = 0

    def edited(self, key: str) -> None:
        """Note that a file was edited just now."""
        self._tick += 1
        self._interest.setdefault(key, _Interest()).edited = self._tick

    def seen(self, key: str) -> None:
        """Note that a file is being looked at."""
        self._tick += 1
        self._interest.setdefault(key, _Interest()).seen = self._tick

    def put(self, key: str, work: WorkT) -> WorkT | None:
        """Have work wait; return the older work for the key that it replaces, if any."""
        replaced = self._waiting.pop(key, None)
        self._waiting[key] = work
        return replaced

    def withdraw(self, key: str) -> WorkT | None:
        """Take back the work that waits for a key, if any."""
        return self._waiting.pop(key, None)

    def forget(self, key: str) -> WorkT | None:
        """Drop everything about a key; return the work that was waiting, if any."""
        self._interest.pop(key, None)
        return self.withdraw(key)

    def take(self, busy: frozenset[str] = frozenset()) -> tuple[str, WorkT] | None:
        """Take the most urgent work whose key is not busy; None if there is none."""
        candidates = [key for key in self._waiting if key not in busy]
        if not candidates:
            return None
        best = max(candidates, key=self._urgency)
        return best, self._waiting.pop(best)

    def _urgency(self, key: str) -> tuple[int, int]:
        interest = self._interest.get(key, _Interest())
        return interest.edited, interest.seen

    def __len__(self) -> int:
        return len(self._waiting)

    def __contains__(self, key: object) -> bool:
        return key in self._waiting
