"""What the JSON of several reports has in common: layout, places, and diagnostics of a file."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

    from mutproof.base.span import Position
    from mutproof.reporters.reported_file import ReportedFile


def dumped(value: object) -> str:
    """Return a value as indented JSON that ends its last line."""
    return json.dumps(value, indent=2, ensure_ascii=False) + "\n"


def one_or_many(
    files: tuple[ReportedFile, ...], encode: Callable[[ReportedFile], dict[str, object]]
) -> str:
    """Return the only file's value as JSON, or a list of the values of several files."""
    encoded = [encode(file) for file in files]
    return dumped(encoded[0] if len(encoded) == 1 else encoded)


def place(position: Position) -> dict[str, object]:
    """Return a place for JSON: line and column (1-based)."""
    return {"line": position.line, "column": position.column}


def diagnostics(file: ReportedFile) -> list[dict[str, object]]:
    """Return errors and warnings of a file for JSON, each with its code and place."""
    return [
        {
            "code": diagnostic.code,
            "severity": diagnostic.severity.value,
            **place(file.source.position(diagnostic.span.start)),
            "message": diagnostic.message,
            "help": diagnostic.help,
        }
        for diagnostic in file.diagnostics
    ]
