"""What a command is: the record that every file of `commands/` defines once."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections.abc import Callable

from mutproof.base.record import dataclass
from mutproof.cli.exit_codes import ExitCode


@dataclass(frozen=True, slots=True)
class Command:
    """Describe a command to the argument parser and to the manual.

    `configure` adds the command's own arguments; `run` does the work and returns the exit code.
    `run` imports what is slow to import, so that `--help` and completion stay quick. `run` raises
    `cli.failure.UserError` for errors that the user can fix; any other exception is a bug.
    """

    name: str
    summary: str
    configure: Callable[[ArgumentParser], None]
    run: Callable[[Namespace], ExitCode]
    examples: tuple[tuple[str, str], ...] = ()  # command line, purpose
