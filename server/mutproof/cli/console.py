"""The output of commands: standard output for reports, standard error for the rest."""

from __future__ import annotations

import contextlib
import errno
import os
import sys
from argparse import Namespace
from collections.abc import Iterable
from pathlib import Path
from typing import TextIO

from mutproof.base.record import dataclass
from mutproof.base.text import visible
from mutproof.cli.failure import UserError
from mutproof.reporters.style import Style

_FALLBACK_WIDTH = 100
_WAY_OUT = "name another file with --output"


@dataclass(frozen=True)
class Console:
    """Hold where reports and messages go and how they look.

    `output` is the file a report goes to, None for standard output. `progress` tells whether
    a progress bar is drawn on standard error. `width` is in characters.
    """

    output: Path | None
    report_style: Style
    message_style: Style
    progress: bool
    quiet: bool
    width: int

    @staticmethod
    def of(arguments: Namespace, read: Iterable[str] = ()) -> Console:
        """Return the console for the arguments and the environment; `read` are files of the run.

        Raises:
            UserError: the report could not be written, or would replace a file that is read.
            OSError: standard output is closed.
        """
        output = None if arguments.output is None else Path(arguments.output)
        if output is not None:
            ensure_writable(output, _WAY_OUT, read)
        else:
            with contextlib.suppress(ValueError):  # it may be no file of the system
                os.write(sys.stdout.fileno(), b"")  # fails at once where nobody gets a report
        on_terminal = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
        return Console(
            output,
            Style(colour=output is None and is_coloured(arguments.color, sys.stdout)),
            Style(colour=is_coloured(arguments.color, sys.stderr)),
            on_terminal and not arguments.no_progress and not arguments.quiet,
            arguments.quiet,
            _width(),
        )

    def report(self, text: str) -> None:
        """Write a report to its output; a file is replaced as a whole or not at all.

        Raises:
            UserError: the file cannot be written.
        """
        if self.output is None:
            sys.stdout.write(text)
            sys.stdout.flush()
            return
        write_file(self.output, text, _WAY_OUT)

    def message(self, text: str) -> None:
        """Write a message to standard error, unless the user wants the report only."""
        if not self.quiet:
            self.problem(text)

    def hint(self, text: str) -> None:
        """Write a message for who sits at a terminal, which logs do not need."""
        if sys.stderr.isatty():
            self.message(text)

    def problem(self, text: str) -> None:
        """Write a message to standard error, even with `--quiet`."""
        sys.stderr.write(text + "\n")
        sys.stderr.flush()


def write_model(text: str, output: str | None, kept: Iterable[str] = ()) -> None:
    """Write a model to a file, None for standard output.

    Raises:
        UserError: it cannot be written, or would replace one of the files that are kept.
    """
    if output is None:
        sys.stdout.write(text)
        return
    way_out = "name another file with -o"
    ensure_writable(Path(output), way_out, kept)
    write_file(Path(output), text, way_out)


def write_file(path: Path, text: str, way_out: str) -> None:
    """Write a file; one that is there is replaced as a whole or not at all.

    Where a link leads to is replaced, not the link. Devices and pipes are written to.

    Raises:
        UserError: it cannot be written.
    """
    place = path.resolve() if path.is_file() else path
    draft = place.with_name(f".{place.name}.{os.getpid()}")
    is_stream = place.exists() and not place.is_file() and not place.is_dir()
    try:
        written = place if is_stream else draft
        written.write_text(text, encoding="utf-8", errors="backslashreplace", newline="\n")
        if not is_stream:
            draft.replace(place)
    except OSError as error:
        with contextlib.suppress(OSError):
            draft.unlink(missing_ok=True)
        raise _unwritable(path, error.strerror, way_out) from error


def ensure_writable(path: Path, way_out: str, read: Iterable[str] = ()) -> None:
    """Make sure that `write_file` can write a file, as far as that is seen beforehand.

    Raises:
        UserError: it cannot, or would replace one of the files that are read.
    """
    if refusal := _refusal(path, read):
        raise _unwritable(path, refusal, way_out)


def _refusal(path: Path, read: Iterable[str]) -> str | None:
    place = path.resolve() if path.is_file() else path
    if place.is_dir():
        return os.strerror(errno.EISDIR)
    if not place.parent.is_dir():
        return os.strerror(errno.ENOENT)
    if place.exists() and any(os.path.exists(name) and place.samefile(name) for name in read):
        return "this run reads it"
    written = place if place.exists() and not place.is_file() else place.parent
    return None if os.access(written, os.W_OK) else os.strerror(errno.EACCES)


def _unwritable(place: object, reason: str | None, way_out: str) -> UserError:
    return UserError("output-unwritable", f"cannot write {place}: {reason}", way_out=way_out)


def open_folder(path: Path, what: str, way_out: str) -> None:
    """Make a folder if it does not exist; `what` names its purpose in messages.

    Raises:
        UserError: it cannot be made, or nothing can be written into it.
    """
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise _unwritable(f"{what} into {path}", error.strerror, way_out) from error
    if not os.access(path, os.W_OK):
        raise _unwritable(f"{what} into {path}", os.strerror(errno.EACCES), way_out)


def is_coloured(choice: str, stream: TextIO) -> bool:
    """Tell whether a stream gets colours; `auto` asks the stream and the environment."""
    if choice != "auto":
        return choice == "always"
    if os.environ.get("NO_COLOR") or os.environ.get("TERM") == "dumb":
        return False
    return stream.isatty()


def failure_text(error: UserError, style: Style) -> str:
    """Return the lines that report a failure, for a text with diagnostics these."""
    if error.diagnosed is not None:
        from mutproof.cli import excerpt

        return excerpt.rendered(*error.diagnosed, style)
    lines = [f"{style.paint('bad', f'error[{error.code}]')}: {visible(error.message)}"]
    if error.way_out:
        lines.append(f"  = {style.paint('note', 'help')}: {error.way_out}")
    return "\n".join(lines)


def _width() -> int:
    try:
        return os.get_terminal_size(sys.stdout.fileno()).columns
    except (OSError, ValueError):
        return _FALLBACK_WIDTH
