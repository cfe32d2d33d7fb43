"""What an interruption does before the command line is there, or when it is done: it ends all.

Imports next to nothing; an exception would leave a traceback of whatever is imported just then.
"""

from __future__ import annotations

import os
import signal
from typing import NoReturn

_CODES = {signal.SIGINT: 130, signal.SIGTERM: 143}  # of `exit_codes`, which is not there yet


def end_quietly() -> None:
    """Have signals end this process with their exit code, and nothing else, from now on."""
    for number in _CODES:
        signal.signal(number, _end)


def _end(number: int, _: object) -> NoReturn:
    os._exit(_CODES[signal.Signals(number)])
