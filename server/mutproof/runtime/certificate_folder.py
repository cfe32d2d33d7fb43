"""A folder of certificates: scripts by the digest of their text, and an index that names them.

The index names for every verdict the script that certifies it, or why there is none, and for every
script its digest (SHA-256) and its number of answers.
"""

from __future__ import annotations

import contextlib
import hashlib
import json
import os
from collections.abc import Iterable
from dataclasses import asdict, field, fields
from pathlib import Path
from typing import Any, Final

import mutproof
from mutproof.analyses.claims.finding import SCRIPT_SUFFIX
from mutproof.base.record import dataclass

INDEX: Final = "index.json"
FORMAT: Final = 1


class FolderError(Exception):
    """Say why a folder cannot be used."""


@dataclass(frozen=True, slots=True)
class Certified:
    """Name what certifies one verdict; `mutant` is empty for the model itself.

    `file` is empty where nothing does, and `reason` says why.
    """

    model: str
    property: str
    mutant: str
    verdict: str
    file: str
    k: int
    how: str
    reason: str = ""


@dataclass(frozen=True, slots=True)
class Script:
    """Hold what is known of a script: its SHA-256 in hexadecimal, and its number of answers."""

    sha256: str
    checks: int


@dataclass(frozen=True)
class Index:
    """Hold an index: scripts by file name, and the verdicts in order."""

    scripts: dict[str, Script] = field(default_factory=dict)
    verdicts: tuple[Certified, ...] = ()
    version: str = mutproof.__version__


class CertificateFolder:
    """Write certificates into a folder, read its index and check its files."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def prepare(self) -> None:
        """Make the folder, or empty it of the scripts that its index names.

        Raises:
            FolderError: it holds something else, or cannot be written.
        """
        try:
            self.path.mkdir(parents=True, exist_ok=True)
            if not any(self.path.iterdir()):
                return
            index = self.read()
            for name in index.scripts:
                (self.path / name).unlink(missing_ok=True)
            (self.path / INDEX).unlink()
        except OSError as error:
            message = f"cannot write into {self.path}: {error.strerror}"
            raise FolderError(message) from error

    def write(self, name: str, text: str) -> Script:
        """Write a script and return its digest; its number of answers is not known here.

        Raises:
            FolderError: it cannot be written.
        """
        raw = text.encode()
        self._write(name, raw)
        return Script(hashlib.sha256(raw).hexdigest(), 0)

    def remove(self, name: str) -> None:
        """Remove a script if possible; one that stays is reported as extra."""
        with contextlib.suppress(OSError):
            (self.path / name).unlink()

    def write_index(self, index: Index) -> None:
        """Write the index, last of all.

        Raises:
            FolderError: it cannot be written.
        """
        value = {
            "format": FORMAT,
            "tool": {"name": "mutproof", "version": index.version},
            "scripts": {name: asdict(index.scripts[name]) for name in sorted(index.scripts)},
            "verdicts": [asdict(verdict) for verdict in index.verdicts],
        }
        text = json.dumps(value, indent=1, ensure_ascii=False) + "\n"
        self._write(INDEX, text.encode())

    def read(self) -> Index:
        """Return the index.

        Raises:
            FolderError: there is none, or it is not one of this tool.
        """
        path = self.path / INDEX
        try:
            value: Any = json.loads(path.read_text(encoding="utf-8"))
            if value["format"] != FORMAT:
                message = f"{path} is of format {value['format']}, not {FORMAT}"
                raise FolderError(message)
            names = [entry.name for entry in fields(Certified)]
            scripts = {_plain(n): Script(**script) for n, script in value["scripts"].items()}
            verdicts = tuple(Certified(*(v[name] for name in names)) for v in value["verdicts"])
            return Index(scripts, verdicts, value["tool"]["version"])
        except FileNotFoundError as error:
            message = f"there is no {INDEX} in {self.path}"
            raise FolderError(message) from error
        except OSError as error:
            message = f"cannot read {path}: {error.strerror}"
            raise FolderError(message) from error
        except (ValueError, KeyError, TypeError, AttributeError) as error:
            message = f"{path} is no index of certificates: {error}"
            raise FolderError(message) from error

    def wrong(self, name: str, script: Script) -> str:
        """Return what is wrong with a script: missing or changed; nothing if it is as written."""
        try:
            raw = (self.path / name).read_bytes()
        except OSError as error:
            return "missing" if isinstance(error, FileNotFoundError) else "unreadable"
        return "" if hashlib.sha256(raw).hexdigest() == script.sha256 else "changed"

    def extra(self, known: Iterable[str]) -> tuple[str, ...]:
        """Return the scripts in the folder that are not among the known ones."""
        found = {path.name for path in self.path.glob(f"*{SCRIPT_SUFFIX}")}
        return tuple(sorted(found - frozenset(known)))

    def _write(self, name: str, raw: bytes) -> None:
        draft = self.path / f".{name}.{os.getpid()}"
        try:
            draft.write_bytes(raw)
            draft.replace(self.path / name)
        except OSError as error:
            message = f"cannot write {self.path / name}: {error.strerror}"
            raise FolderError(message) from error


def _plain(name: str) -> str:
    """Return the name of a script if it stays within its folder.

    Raises:
        ValueError: it does not, or names no script.
    """
    if Path(name).name != name or not name.endswith(SCRIPT_SUFFIX) or "\\" in name:
        message = f"{name!r} is not the name of a script"
        raise ValueError(message)
    return name
