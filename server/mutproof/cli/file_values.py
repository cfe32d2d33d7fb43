"""Values of keys in files of settings: which types they have, and the words that mean the same."""

from __future__ import annotations

import json
from argparse import Action, ArgumentTypeError
from datetime import date, datetime
from enum import Enum
from typing import Final

from mutproof.cli import option_values
from mutproof.cli.failure import UserError


class Kind(Enum):
    """Tell values of keys apart by their types in TOML; each says what such a value is."""

    SWITCH = "true or false"
    WHOLE = "a whole number"
    NUMBER = "a number"
    DAY = "a date"
    TEXT = "text"
    TEXTS = "text, or a list of text"


_KINDS: Final = {
    int: Kind.WHOLE,
    option_values.whole: Kind.WHOLE,
    option_values.positive: Kind.WHOLE,
    option_values.seconds: Kind.NUMBER,
    option_values.percent: Kind.NUMBER,
    option_values.day: Kind.DAY,
}


def kind(action: Action) -> Kind:
    """Return which values an option has in a file."""
    if action.nargs == 0:
        return Kind.SWITCH
    if isinstance(action.default, list) or "," in str(action.metavar or ""):
        return Kind.TEXTS
    return _KINDS.get(action.type, Kind.TEXT)


def is_of(kind: Kind, value: object) -> bool:
    """Tell whether a value has the type of a kind."""
    match kind:
        case Kind.SWITCH:
            return isinstance(value, bool)
        case Kind.WHOLE:
            return isinstance(value, int) and not isinstance(value, bool)
        case Kind.NUMBER:
            return isinstance(value, int | float) and not isinstance(value, bool)
        case Kind.DAY:
            is_day = isinstance(value, date) and not isinstance(value, datetime)
            return is_day or isinstance(value, str)
        case Kind.TEXT:
            return isinstance(value, str)
        case Kind.TEXTS:
            listed = value if isinstance(value, list) else [value]
            return all(isinstance(one, str) for one in listed)


def mistyped(key: str, kind: Kind, value: object) -> tuple[str, str]:
    """Return what is wrong with a value of another type, and what to do about it."""
    message = f"{key} is {kind.value}, not {written(value)}"
    if isinstance(value, str) and kind in (Kind.SWITCH, Kind.WHOLE, Kind.NUMBER):
        return message, "write it without quotes" if _has_sense(kind, value) else ""
    if kind in (Kind.TEXT, Kind.TEXTS) and not isinstance(value, dict | list | bool):
        return message, "write it in quotes"
    return message, ""


def written(value: object) -> str:
    """Return a value as it stands in a file; a table by that word."""
    match value:
        case dict():
            return "a table"
        case list():
            return f"[{', '.join(map(written, value))}]"
        case str() | bool():
            return json.dumps(value, ensure_ascii=False)
        case _:
            return str(value)


def words(key: str, action: Action, value: object) -> list[str]:
    """Return the words of a command line that mean the same as a value of the right type."""
    if action.nargs == 0:
        return [f"--{key}"] if value else []
    listed = value if isinstance(value, list) else [value]
    if isinstance(action.default, list):
        return [f"--{key}={one}" for one in listed]
    return [f"--{key}={','.join(map(str, listed))}"]


def refused(action: Action, value: object) -> tuple[str, str]:
    """Return why an option refuses a value of the right type, and a way out; empty if it does not.

    Every one of a list of texts counts.
    """
    if action.nargs == 0:
        return "", ""
    for word in words("", action, value):
        text = word.removeprefix("--=")
        if wrong := option_values.nameless(action, text):
            return wrong, ""
        try:
            meant = action.type(text) if callable(action.type) else text
        except (ArgumentTypeError, ValueError) as error:
            return str(error), ""
        except UserError as error:
            return error.message, error.way_out
        if action.choices is not None and meant not in action.choices:
            there_are = ", ".join(map(str, action.choices))
            guess = option_values.unknown("value", text, map(str, action.choices))
            return f"{written(value)} is none of {there_are}", guess.question
    return "", ""


def _has_sense(kind: Kind, text: str) -> bool:
    if kind is Kind.SWITCH:
        return text in ("true", "false")
    return text.strip().replace(".", "", 1).isdecimal()
