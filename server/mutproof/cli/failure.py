"""Failures that the user can fix, as opposed to defects of the program."""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.near import asked
from mutproof.base.text import SourceText
from mutproof.cli.exit_codes import ExitCode


class UserError(Exception):
    """Say in one line what is wrong with the request, with a code and a way to fix it.

    `near` are words that may have been meant; the way out begins with the `question` about them.
    `diagnosed` is a text with the diagnostics that say all that is wrong with it.
    """

    def __init__(
        self,
        code: str,
        message: str,
        *,
        way_out: str = "",
        near: Sequence[str] = (),
        diagnosed: tuple[SourceText, tuple[Diagnostic, ...]] | None = None,
        exit_code: ExitCode = ExitCode.UNUSABLE,
    ) -> None:
        super().__init__(message)
        self.code = code
        self.message = message
        self.diagnosed = diagnosed
        self.question = asked(near)
        self.way_out = f"{self.question} {way_out}".strip()
        self.exit_code = exit_code


class Terminated(KeyboardInterrupt):
    """Say that SIGTERM arrived; handled like Ctrl-C with another exit code."""
