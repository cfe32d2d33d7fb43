"""`mutproof.toml`: which file of settings is nearest to a model, and what it says for it.

Independent of keys and commands; callers interpret the values.

Source for the search: the rules of `ty` and `ruff` (nearest file wins, nothing is merged; a
`pyproject.toml` counts only with a table for the tool).
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import field
from pathlib import Path
from typing import Final

from mutproof.base.record import dataclass
from mutproof.runtime.toml_lines import Keys, line_of

OWN: Final = "mutproof.toml"
SHARED: Final = "pyproject.toml"
TABLE: Final = ("tool", "mutproof")
FILES: Final = "files"
PATH: Final = "path"
_MOST_BYTES: Final = 1_000_000


class ConfigurationError(Exception):
    """Say what is wrong with a file of settings: its name, and a sentence."""

    def __init__(self, path: str, message: str) -> None:
        super().__init__(message)
        self.path = path
        self.message = message


@dataclass(frozen=True, slots=True)
class Section:
    """Hold the settings for files that match patterns, as in `.gitignore`."""

    patterns: tuple[str, ...]
    values: Mapping[str, object]


@dataclass(frozen=True)
class Configuration:
    """Hold a file of settings: values for all files, for single commands, for some files."""

    path: str
    values: Mapping[str, object] = field(default_factory=dict)
    tables: Mapping[str, Mapping[str, object]] = field(default_factory=dict)
    sections: tuple[Section, ...] = ()
    text: str = field(default="", repr=False)

    def line(self, *keys: str | int) -> int | None:
        """Return the line (1-based) of a key; keys lead to it from where settings begin."""
        return line_of(self.text, _from_root(self.path, keys))

    @property
    def folder(self) -> str:
        """Return the folder to which its paths are relative."""
        return os.path.dirname(self.path)

    def matching(self, path: str) -> list[Section]:
        """Return the sections for a file (an absolute path), in order."""
        import pathspec  # slow to import, and few files of settings have sections

        name = Path(os.path.relpath(path, self.folder)).as_posix()
        return [
            section
            for section in self.sections
            if pathspec.GitIgnoreSpec.from_lines(section.patterns).match_file(name)
        ]


def read(path: str) -> Configuration | None:
    """Read a file of settings; None for a shared one (`pyproject.toml`) without our table.

    Raises:
        ConfigurationError: it cannot be read, or its form is invalid.
    """
    import tomllib  # slow to import, and most models have no settings

    try:
        with open(path, "rb") as file:
            raw = file.read(_MOST_BYTES + 1)
        if len(raw) > _MOST_BYTES:
            raise ConfigurationError(path, "is too long for a file of settings")
        text = raw.decode("utf-8")
        found: object = tomllib.loads(text)
    except OSError as error:
        raise ConfigurationError(path, f"cannot be read: {error.strerror}") from error
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, RecursionError) as error:
        message = f"is not TOML, where text stands in quotes: {error}"
        raise ConfigurationError(path, message) from error
    if os.path.basename(path) == SHARED:
        for key in TABLE:
            found = found.get(key) if isinstance(found, dict) else None
        if found is None:
            return None
    if not isinstance(found, dict):
        raise ConfigurationError(path, f"[{'.'.join(TABLE)}] is not a table")
    values = {key: value for key, value in found.items() if not isinstance(value, dict)}
    tables = {key: value for key, value in found.items() if isinstance(value, dict)}
    listed = values.pop(FILES, tables.get(FILES, []))
    if not isinstance(listed, list):
        raise _wrong(path, text, (FILES,), f"{FILES} is not a list of tables: write [[{FILES}]]")
    sections = tuple(_section(path, text, at, one) for at, one in enumerate(listed))
    return Configuration(os.path.abspath(path), values, tables, sections, text)


class ConfigurationSearch:
    """Find the files of settings that are nearest to models; looks at each folder once.

    Mutable only in that it remembers what it has found.
    """

    def __init__(self) -> None:
        self._known: dict[str, Configuration | None] = {}

    def nearest(self, folder: str) -> Configuration | None:
        """Return the settings of a folder (an absolute path) or of the nearest one above it.

        Raises:
            ConfigurationError: they cannot be read, or their form is invalid.
        """
        passed: list[str] = []
        found: Configuration | None = None
        while folder not in self._known:
            passed.append(folder)
            found = _of_folder(folder)
            above = os.path.dirname(folder)
            if found is not None or above == folder:
                break
            folder = above
        else:
            found = self._known[folder]
        self._known.update(dict.fromkeys(passed, found))
        return found


def _of_folder(folder: str) -> Configuration | None:
    for name in (OWN, SHARED):
        path = os.path.join(folder, name)
        if os.path.isfile(path):
            found = read(path)
            if found is not None:
                return found
    return None


def _section(path: str, text: str, at: int, found: object) -> Section:
    if not isinstance(found, dict):
        message = f"{FILES} is not a list of tables: write [[{FILES}]]"
        raise _wrong(path, text, (FILES,), message)
    patterns = found.get(PATH)
    if isinstance(patterns, str):
        patterns = [patterns]
    if not isinstance(patterns, list) or not all(isinstance(one, str) for one in patterns):
        message = f'[[{FILES}]] needs {PATH} = "a pattern", or a list of them'
        raise _wrong(path, text, (FILES, at, PATH) if PATH in found else (FILES, at), message)
    values = {key: value for key, value in found.items() if key != PATH}
    return Section(tuple(patterns), values)


def _wrong(path: str, text: str, keys: Keys, message: str) -> ConfigurationError:
    line = line_of(text, _from_root(path, keys))
    return ConfigurationError(path if line is None else f"{path}:{line}", message)


def _from_root(path: str, keys: Keys) -> Keys:
    return (*TABLE, *keys) if os.path.basename(path) == SHARED else keys
