"""`mutproof watch`: mutate again whenever a model changes, and say only what is new."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    shared.add_mutation(parser)
    shared.add_questions(parser)
    shared.add_output(parser, formats=False)


def run(arguments: Namespace) -> ExitCode:
    """Report on the files, then on every change of a verdict, until Ctrl-C.

    Raises:
        UserError: what was asked for does not exist.
    """
    options = shared.options(arguments, mutate=True)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import watching

        return watching.watch(arguments, options, worker)


COMMAND = Command(
    "watch",
    "mutate again when a model is saved, and show what changed",
    configure,
    run,
    (("mutproof watch models/ --level paper", "until Ctrl-C; only what changed is decided again"),),
)
