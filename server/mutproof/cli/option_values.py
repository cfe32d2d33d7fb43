"""What may be typed as the value of an option: numbers, seconds, names of what there is."""

from __future__ import annotations

import math
from argparse import Action, ArgumentTypeError
from collections.abc import Iterable

from mutproof.base.near import near
from mutproof.cli.failure import UserError

MOST_SECONDS = 1e8
"""The longest time, more than three years, that solvers and clocks accept."""

MOST_WHOLE = 2**32 - 1
"""The largest whole number for options, as solvers count their work with 32 bits."""

DEFAULT_STRATEGY = "default"

_MOST_NAMED = 8
"""The most names that the message about an unknown name lists."""


def unknown(noun: str, name: str, known: Iterable[str]) -> UserError:
    """Return the failure for a name that does not exist, with the nearest ones that do."""
    there_are = list(dict.fromkeys(known))
    close = near(name, there_are, most=3)
    more = ", …" if len(there_are) > _MOST_NAMED else ""
    verb = "is" if len(there_are) == 1 else "are"
    shown = ", ".join(there_are[:_MOST_NAMED])
    listed = f"there {verb} {shown}{more}" if there_are and not close else ""
    parts = names(name)
    if len(parts) > 1 and set(parts) <= set(there_are):
        close, listed = [], f"name each by itself: {' '.join(f'--{noun} {part}' for part in parts)}"
    message = f"no {noun} is called {name!r}"
    return UserError(f"unknown-{noun}", message, way_out=listed, near=close)


def names(text: str) -> tuple[str, ...]:
    """Return names that are separated by commas."""
    return tuple(name.strip() for name in text.split(",") if name.strip())


def nameless(action: Action, text: str) -> str:
    """Return what is wrong if an option has an empty text for a file or folder, else nothing."""
    noun = {"FILE": "file", "PATH": "file", "DIR": "folder"}.get(str(action.metavar), "")
    is_empty = noun and not text and action.option_strings
    return f"the name of a {noun} is empty" if is_empty else ""


def whole(text: str) -> int:
    """Return a whole number, perhaps zero.

    Raises:
        ArgumentTypeError: it is not one.
    """
    if not (text.isascii() and text.isdecimal() and int(text) <= MOST_WHOLE):
        message = f"not a whole number up to {MOST_WHOLE}: {text!r}"
        raise ArgumentTypeError(message)
    return int(text)


def positive(text: str) -> int:
    """Return a positive whole number.

    Raises:
        ArgumentTypeError: it is not one.
    """
    value = whole(text)
    if value < 1:
        message = f"not a positive number: {text!r}"
        raise ArgumentTypeError(message)
    return value


def seconds(text: str) -> float:
    """Return a positive number of seconds.

    Raises:
        ArgumentTypeError: it is not one.
    """
    value = _number(text)
    if not 0 < value <= MOST_SECONDS:
        message = f"not a positive number of seconds up to {MOST_SECONDS:.0f}: {text!r}"
        raise ArgumentTypeError(message)
    return value


def percent(text: str) -> float:
    """Return a number from 0 to 100, perhaps written with its sign.

    Raises:
        ArgumentTypeError: it is not one.
    """
    value = _number(text.removesuffix("%"))
    if not 0 <= value <= 100:
        message = f"not a number from 0 to 100: {text!r}"
        raise ArgumentTypeError(message)
    return value


def _number(text: str) -> float:
    """Return a number, NaN if it is none: that is in no range."""
    try:
        return float(text)
    except ValueError:
        return math.nan


def day(text: str) -> str:
    """Return a day, as year, month and day.

    Raises:
        ArgumentTypeError: it is not one.
    """
    from datetime import date  # slow to import, and rarely needed

    try:
        return date.fromisoformat(text).isoformat()
    except ValueError:
        message = f"not a day such as 2030-12-31: {text!r}"
        raise ArgumentTypeError(message) from None


def operators(text: str) -> tuple[str, ...]:
    """Return names of mutation operators that are separated by commas.

    Raises:
        UserError: there is no such operator.
    """
    from mutproof.analyses.mutation.mutators import MUTATORS  # slow to import, and rarely needed

    found = names(text)
    for name in found:
        if name not in MUTATORS:
            raise unknown("operator", name, MUTATORS.names())
    return found


def strategy(name: str) -> str:
    """Return the name of a strategy.

    Raises:
        UserError: there is no such strategy.
    """
    if name == DEFAULT_STRATEGY:
        return name
    from mutproof.analyses.strategies import STRATEGIES  # slow to import, and rarely needed

    if name not in STRATEGIES:
        raise unknown("strategy", name, STRATEGIES.names())
    return name
