"""`mutproof tests`: a small suite of tests that kills what any test kills."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode

FORMATS = ("text", "json")


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    group = parser.add_argument_group("tests")
    group.add_argument(
        "-o",
        "--suites",
        metavar="DIR",
        default=None,
        help="write the suite of each file into this folder, as NAME.suite.json",
    )
    group.add_argument(
        "--outputs",
        type=shared.names,
        default=(),
        metavar="A,B",
        help="what a test sees (default: all outputs)",
    )
    shared.add_mutation(parser)
    shared.add_questions(parser)
    shared.add_output(parser, choices=FORMATS)


def run(arguments: Namespace) -> ExitCode:
    """Make suites for the models, and write them where asked.

    Raises:
        UserError: what was asked for does not exist, or a file cannot be written.
    """
    arguments.suite = True
    options = shared.options(arguments, mutate=True, cores=False)
    arguments.made = options
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, suite_files, verdicts

        return session.report(
            arguments,
            "tests",
            options,
            verdicts.of_suite,
            launched=worker,
            then=None if arguments.suites is None else suite_files.writing(arguments),
        )


COMMAND = Command(
    "tests",
    "make a small suite of tests that kills what any test kills",
    configure,
    run,
    (
        ("mutproof tests examples/demo2.lus", "how few tests kill all that tests can kill?"),
        ("mutproof tests model.lus -o suites", "write them to suites/model.suite.json"),
    ),
)
