"""Which instances run at a step, by the clocks of the condacts around them."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mutproof.model.instances import Instance


class Clocks:
    """Tell which instances run; answers are cached for one step."""

    def __init__(self, instances: Iterable[Instance]) -> None:
        self._deciding: dict[str, Instance | None] = {}  # the innermost clocked one, by prefix
        for one in instances:
            around = None if one.parent is None else self._deciding[one.parent.prefix]
            self._deciding[one.prefix] = one if one.clocked else around
        self._running: dict[str, bool] = {}

    def begin(self) -> None:
        """Begin a step."""
        self._running = {}

    def run(self, prefix: str, holds: Callable[[Instance], bool]) -> bool:
        """Tell whether an instance runs: its clock holds, and so do those around it.

        `holds` tells whether the condact of a clocked instance lets it run, where its caller does.
        """
        waiting: list[Instance] = []
        one = self._deciding[prefix]
        while one is not None and one.prefix not in self._running:
            assert one.parent is not None
            waiting.append(one)
            one = self._deciding[one.parent.prefix]
        runs = one is None or self._running[one.prefix]
        for clocked in reversed(waiting):
            runs = runs and holds(clocked)
            self._running[clocked.prefix] = runs
        return runs
