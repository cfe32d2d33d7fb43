"""Reading files, and noticing that something else changed them."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import Final

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText

MAX_CHARACTERS: Final = 4_000_000


def read(path: Path) -> tuple[SourceText | None, tuple[Diagnostic, ...]]:
    """Return the text of a file, or None and the one diagnostic that says why there is none."""
    name = str(path)
    try:
        raw = path.read_bytes()
    except FileNotFoundError:
        return None, (problem("file-not-found", f"no such file: {name}"),)
    except IsADirectoryError:
        return None, (problem("file-unreadable", f"a folder, not a file: {name}"),)
    except OSError as error:
        return None, (problem("file-unreadable", f"cannot read {name}: {error.strerror}"),)
    try:
        content = raw.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}"
        return None, (problem("not-utf-8", message, "save the file as UTF-8"),)
    diagnostics = check(content)
    if diagnostics:
        return None, diagnostics
    return SourceText(name, content), ()


def check(content: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostic of a text that is too big or no text at all; nothing for others."""
    if len(content) > MAX_CHARACTERS:
        message = f"the file has {len(content):,} characters; at most {MAX_CHARACTERS:,} are read"
        return (problem("file-too-big", message, "split the model into several files"),)
    if "\0" in content:
        at = content.index("\0")
        message = f"not a text: a NUL character at offset {at}"
        return (problem("not-a-text", message, "is this a binary file?"),)
    return ()


def problem(code: str, message: str, help_: str = "") -> Diagnostic:
    """Return an error about a file as a whole, placed at its start."""
    return Diagnostic(code, Severity.ERROR, message, Span(0, 0), help_)


async def changes(
    paths: Iterable[Path], suffixes: tuple[str, ...], stop: asyncio.Event
) -> AsyncIterator[tuple[Path, ...]]:
    """Yield the files with those suffixes that changed below the paths, until `stop` is set."""
    import watchfiles  # few commands need it

    existing = [path for path in paths if path.exists()]
    if not existing:
        await stop.wait()
        return
    wanted = tuple(suffixes)

    def is_wanted(_: watchfiles.Change, path: str) -> bool:
        return path.endswith(wanted)

    async for batch in watchfiles.awatch(
        *existing, watch_filter=is_wanted, stop_event=stop, recursive=True, raise_interrupt=False
    ):
        yield tuple(sorted({Path(path) for _, path in batch}))
