"""`mutproof format`: format models; only white space within lines changes."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, ArgumentTypeError, Namespace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode, most_serious

if TYPE_CHECKING:
    from mutproof.base.text import SourceText

WIDEST: Final = 16


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    group = parser.add_argument_group("layout")
    which = group.add_mutually_exclusive_group()
    which.add_argument(
        "--check",
        action="store_true",
        help="write nothing; end with 2 where a file is not formatted",
    )
    which.add_argument(
        "--diff", action="store_true", help="write nothing but the differences, and end likewise"
    )
    group.add_argument(
        "--indent",
        type=_width,
        default=2,
        metavar="N",
        help="spaces for each level of indentation (default 2)",
    )


def run(arguments: Namespace) -> ExitCode:
    """Format the files; those with syntax errors stay as they are.

    Raises:
        UserError: a file cannot be written.
    """
    from mutproof.base.diagnostics import Severity
    from mutproof.base.text import counted, visible
    from mutproof.cli import excerpt, inputs
    from mutproof.ide import formatting
    from mutproof.model.editing import edited
    from mutproof.model.formatting import Layout
    from mutproof.reporters.style import Style

    layout, style = Layout(arguments.indent), Style()
    expanded = inputs.expanded(arguments.files)
    codes = [ExitCode.OK]
    changed = 0
    for file in (*expanded.wrong, *map(inputs.opened, expanded.files)):
        known = file.diagnostics
        if file.language is not None and not known:
            known = file.language.parse(file.source).diagnostics
        errors = tuple(one for one in known if one.severity is Severity.ERROR)
        if errors or file.language is None:
            sys.stderr.write(excerpt.rendered(file.source, errors, style) + "\n")
            codes.append(ExitCode.UNUSABLE)
            continue
        text = edited(file.source.content, formatting.edits(file.source, file.language, layout))
        if text == file.source.content:
            continue
        changed += 1
        if arguments.diff:
            sys.stdout.writelines(_difference(file.source, text))
        if arguments.check or arguments.diff:
            sys.stderr.write(f"{visible(file.source.name)}: not formatted\n")
            codes.append(ExitCode.SURVIVORS)
        else:
            _write(file.source, text)
    if not (arguments.check or arguments.diff):
        sys.stderr.write(f"{counted(changed, 'file')} formatted\n")
    return most_serious(codes)


def _write(source: SourceText, text: str) -> None:
    """Replace the content of a file.

    Raises:
        UserError: it cannot be written, or has changed since it was read.
    """
    from mutproof.base.text import visible
    from mutproof.cli.failure import UserError
    from mutproof.runtime import files

    shown = visible(source.name)
    try:
        is_written = files.rewrite(Path(source.name), source.content, text)
    except OSError as error:
        raise UserError("cannot-write", f"{shown}: {error.strerror}") from None
    if not is_written:
        message = f"{shown}: changed while it was formatted"
        raise UserError("changed-meanwhile", message, way_out="run the command again")


def _difference(source: SourceText, text: str) -> list[str]:
    import difflib

    lines = source.content.splitlines(keepends=True), text.splitlines(keepends=True)
    found = difflib.unified_diff(*lines, source.name, f"{source.name} (formatted)")
    return [line if line.endswith("\n") else f"{line}\n" for line in found]


def _width(text: str) -> int:
    if not (text.isascii() and text.isdecimal() and 1 <= int(text) <= WIDEST):
        message = f"not a number from 1 to {WIDEST}: {text!r}"
        raise ArgumentTypeError(message)
    return int(text)


COMMAND = Command(
    "format",
    "lay models out alike; words, comments and line breaks stay",
    configure,
    run,
    (
        ("mutproof format models/", "all models of a folder"),
        ("mutproof format --check model.lus", "end with 2 where it is not formatted"),
    ),
)
