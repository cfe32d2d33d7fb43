"""`mutproof core`: which elements of the models do the properties need?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    shared.add_cores(parser)
    shared.add_questions(parser)
    shared.add_certificates(parser)
    shared.add_output(parser)


def run(arguments: Namespace) -> ExitCode:
    """Prove the properties and report their inductive validity cores and MUST sets.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    options = shared.options(arguments, mutate=False)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        return session.report(arguments, "core", options, verdicts.of_properties, launched=worker)


COMMAND = Command(
    "core",
    "show which elements of a model each property needs",
    configure,
    run,
    (
        ("mutproof core examples/demo.lus", "a core of each property, and what is in every core"),
        ("mutproof core --all examples/demo.lus", "all minimal cores, what must and what may be"),
    ),
)
