"""Where keys stand in a TOML text, which Python's reader does not tell.

Knows nothing of settings. A text is cut into statements: the shortest runs of lines that are TOML
by themselves.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, TypeAlias

Keys: TypeAlias = tuple[str | int, ...]
"""Keys from the root of a text to a value; numbers (0-based) count what is in a list of tables."""

_LONGEST: Final = 500
"""The most lines of a statement; each is read again with every line."""


def line_of(text: str, keys: Keys) -> int | None:
    """Return the line (1-based) of the statement that gives a key its value; None if unknown.

    The text has to be TOML.
    """
    table: Keys = ()
    tables: dict[Keys, int] = {}
    for line, head, said in _statements(text):
        if head:
            table, value = _chain(said)
            if isinstance(value, list):
                tables[table] = tables.get(table, -1) + 1
                table = (*table, tables[table])
            if keys in (table, table[:-1]):
                return line
        elif keys[: len(table)] == table and _has(said, keys[len(table) :]):
            return line
    return None


def _statements(text: str) -> Iterator[tuple[int, bool, dict[str, object]]]:
    """Yield each statement: its first line (1-based), whether it opens a table, what it says."""
    import tomllib  # slow to import, and only needed where something is wrong

    begun, lines = 1, [f"{line}\n" for line in text.split("\n")]
    while begun <= len(lines):
        for end in range(begun, min(len(lines), begun + _LONGEST) + 1):
            try:
                said = tomllib.loads("".join(lines[begun - 1 : end]))
            except tomllib.TOMLDecodeError:
                continue
            if said:
                yield begun, lines[begun - 1].lstrip().startswith("["), said
            begun = end + 1
            break
        else:
            return


def _chain(said: object) -> tuple[Keys, object]:
    """Return the keys that the head of a table consists of, and what is at their end."""
    keys: Keys = ()
    while isinstance(said, dict) and said:
        ((key, said),) = said.items()
        keys = (*keys, key)
    return keys, said


def _has(said: object, keys: Keys) -> bool:
    for key in keys:
        if isinstance(said, dict) and key in said:
            said = said[str(key)]
        elif isinstance(said, list) and isinstance(key, int) and key < len(said):
            said = said[key]
        else:
            return False
    return bool(keys)
