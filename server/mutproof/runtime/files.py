"""Read files, and notice changes by other programs."""

from __future__ import annotations

import codecs
import os
import re
import stat
from collections.abc import AsyncIterator, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.near import asked, near
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.workspace import sources

if TYPE_CHECKING:
    import asyncio

MAX_CHARACTERS: Final = 4_000_000
_MOST_BYTES: Final = 4 * MAX_CHARACTERS + 3
"""How long a text of that many characters may be in UTF-8, with a mark at its beginning."""

_UTF_16: Final = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)

_AT_ONCE: Final = (
    getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_BINARY", 0) | getattr(os, "O_CLOEXEC", 0)
)


def read(path: Path) -> tuple[SourceText | None, tuple[Diagnostic, ...]]:
    """Return the text of a file, or None and the one diagnostic that says why there is none."""
    name = str(path)
    try:
        raw = _content(path)
    except FileNotFoundError:
        return None, (problem("file-not-found", f"no such file: {name}", _meant(path)),)
    except _NoFileError as error:
        return None, (problem("file-unreadable", f"{error}, not a file: {name}"),)
    except OSError as error:
        return None, (problem("file-unreadable", f"cannot read {name}: {error.strerror}"),)
    if len(raw) > _MOST_BYTES:
        message = f"the file is too long: at most {MAX_CHARACTERS:,} characters are read"
        return None, (problem("file-too-big", message, "split the model into several files"),)
    try:
        content = _decoded(raw, name).text
    except UnicodeDecodeError as error:
        message = f"not UTF-8: byte 0x{raw[error.start]:02x} at offset {error.start}"
        encoding = "UTF-16" if raw.startswith(_UTF_16) else "LATIN1"
        way_out = f"save the file as UTF-8: `iconv -f {encoding} -t UTF-8` converts it"
        return None, (problem("not-utf-8", message, way_out),)
    diagnostics = check(content)
    if diagnostics:
        return None, diagnostics
    return SourceText(name, content), ()


def readable(raw: bytes, name: str) -> str | None:
    """Return the text that a file with this content has, None where `read` would refuse it."""
    try:
        content = _decoded(raw, name).text
    except UnicodeDecodeError:
        return None
    return None if check(content) else content


def rewrite(path: Path, before: str, after: str) -> bool:
    """Replace the text of a file, which keeps its links, rights, byte order mark and encoding.

    Return False, and leave the file as it is, where `before` is not its text any more.

    Raises:
        OSError: the file cannot be read or written.
    """
    try:
        found = _decoded(path.read_bytes(), str(path))
    except UnicodeDecodeError:
        return False
    if found.text != before:
        return False
    path.write_bytes(found.mark + after.encode(found.encoding, "backslashreplace"))
    return True


@dataclass(frozen=True, slots=True)
class _Decoded:
    """Hold the text of a file, and how it is encoded there."""

    text: str
    mark: bytes = b""
    encoding: str = "utf-8"


def _decoded(raw: bytes, name: str) -> _Decoded:
    """Decode a file as UTF-8, or as Latin-1 if only comments of a model are not UTF-8.

    Raises:
        UnicodeDecodeError: it is not UTF-8 outside of comments.
    """
    mark = codecs.BOM_UTF8 if raw.startswith(codecs.BOM_UTF8) else b""
    try:
        return _Decoded(raw.removeprefix(mark).decode(), mark)
    except UnicodeDecodeError:
        text, language = raw.decode("latin-1"), sources.language_of(name)
        if language is None or check(text):
            raise
        if not re.sub(language.lexis.comment, "", text).isascii():
            raise
        return _Decoded(text, encoding="latin-1")


def stamp(path: Path) -> tuple[int, int] | None:
    """Return a stamp that changes whenever a file is written; None if there is no file."""
    try:
        found = path.stat()
    except (OSError, ValueError):
        return None
    return found.st_mtime_ns, found.st_size


class _NoFileError(Exception):
    """Say what a path names instead of a file."""


def _content(path: Path) -> bytes:
    """Return the content of a file, cut beyond the size that is refused; open files only.

    Opening a pipe would wait for a writer, who may never come.

    Raises:
        OSError: the file cannot be read.
        _NoFileError: it is none.
    """
    _ensure_file(path.stat().st_mode)
    # Something else may have replaced it just now: open without waiting, and look again.
    descriptor = os.open(path, os.O_RDONLY | _AT_ONCE)
    with open(descriptor, "rb") as stream:
        _ensure_file(os.fstat(descriptor).st_mode)
        return stream.read(_MOST_BYTES + 1)


def _ensure_file(mode: int) -> None:
    if not stat.S_ISREG(mode):
        kinds = {stat.S_IFDIR: "a folder", stat.S_IFIFO: "a pipe", stat.S_IFSOCK: "a socket"}
        raise _NoFileError(kinds.get(stat.S_IFMT(mode), "a device"))


def check(content: str) -> tuple[Diagnostic, ...]:
    """Return the diagnostic of a text that is too big or no text at all, empty for others."""
    if len(content) > MAX_CHARACTERS:
        message = f"the file has {len(content):,} characters; at most {MAX_CHARACTERS:,} are read"
        return (problem("file-too-big", message, "split the model into several files"),)
    if "\0" in content:
        at = content.index("\0")
        message = f"not a text: a NUL character at offset {at}"
        return (problem("not-a-text", message, "is this a binary file?"),)
    return ()


def _meant(path: Path) -> str:
    """Return the question whether a file beside a path was meant; empty for none."""
    if str(path) == "-":
        return "models are read from files, not from standard input"
    try:
        names = sorted(os.listdir(path.parent))
    except OSError:
        return ""
    names.sort(key=lambda name: Path(name).suffix != path.suffix)
    beside = {Path(name).stem: path.with_name(name) for name in reversed(names)}
    return asked(str(beside[stem]) for stem in near(path.stem, beside))


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
