"""What a first Ctrl-C or SIGTERM does while files are analysed: the report is still written."""

from __future__ import annotations

import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from types import FrameType

from mutproof.cli import early
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import Terminated


@contextmanager
def signals(give_up: Callable[[ExitCode], None]) -> Iterator[None]:
    """Have the first signal inside call `give_up` with the exit code for it, the second raise.

    One that comes again at once is no second one.

    Raises:
        KeyboardInterrupt: the second was Ctrl-C.
        Terminated: it was SIGTERM.
    """
    given_up = False

    def handle(number: int, _: FrameType | None) -> None:
        nonlocal given_up
        if early.is_heeded(number):
            return
        early.heed(number)
        terminated = number == signal.SIGTERM
        if given_up:
            raise Terminated if terminated else KeyboardInterrupt
        given_up = True
        give_up(ExitCode.TERMINATED if terminated else ExitCode.INTERRUPTED)

    numbers = (signal.SIGINT, signal.SIGTERM)
    before = [signal.signal(number, handle) for number in numbers]
    try:
        yield
    finally:
        for number, handler in zip(numbers, before, strict=True):
            signal.signal(number, handler)
