"""`mutproof tests`: a small suite of tests that kills what any test kills."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from typing import TYPE_CHECKING

from mutproof.cli import arguments as shared
from mutproof.cli import option_values
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.reporters.suites.projections import PROJECTIONS

if TYPE_CHECKING:
    from mutproof.workspace.options import Options

FORMATS = ("text", "json", "junit")
ANSWER_S = 10.0
RUN, EXPORT = "run", "export"
EXPORTING = "mutproof tests export SUITE --as csv,c -o DIR"
USAGE = "mutproof tests run SUITE --against MODEL, 'COMMAND' or TABLE.csv"


def _tolerance(text: str) -> str:
    from fractions import Fraction

    try:
        if Fraction(text) >= 0:
            return text
    except (ValueError, ZeroDivisionError):
        pass
    message = f"not a number of at least 0: {text!r}"
    raise ArgumentTypeError(message)


def _forms(text: str) -> tuple[str, ...]:
    chosen = option_values.names(text)
    for name in chosen:
        if name not in PROJECTIONS:
            raise option_values.unknown("form", name, PROJECTIONS.names())
    return chosen


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(
        parser,
        "; or `run SUITE`, with --against: run a suite; or `export SUITE…`, with --as and -o: write"
        " suites in other forms",
    )
    group = parser.add_argument_group("tests")
    group.add_argument(
        "-o",
        "--suites",
        metavar="DIR",
        default=None,
        help="write the suite of each file into this folder, as NAME.suite.json",
    )
    group.add_argument(
        "--from",
        dest="earlier",
        metavar="SUITE",
        default="",
        help="keep the tests of an earlier suite of the model that still kill, as they are",
    )
    group.add_argument(
        "--as",
        dest="forms",
        type=_forms,
        default=(),
        metavar="A,B",
        help=f"with -o, also in the forms of other tools: {PROJECTIONS.purposes()}",
    )
    group.add_argument(
        "--outputs",
        type=option_values.names,
        default=(),
        metavar="A,B",
        help="what a test sees (default: all outputs)",
    )
    running = parser.add_argument_group("tests run SUITE")
    running.add_argument(
        "--against",
        metavar="WHAT",
        default=None,
        help="run a suite on this: a model, a table of recorded outputs (.csv), or a command that"
        " answers each line of inputs by a line of outputs, both JSON objects",
    )
    running.add_argument(
        "--tolerance",
        type=_tolerance,
        default="0",
        metavar="X",
        help="how far reals may be off, such as 1e-6 (default 0)",
    )
    running.add_argument(
        "--answer-timeout",
        type=option_values.seconds,
        default=ANSWER_S,
        metavar="S",
        help=f"seconds for an answer of a command; else a test is unknown (default {ANSWER_S:g})",
    )
    running.add_argument(
        "--model",
        metavar="FILE",
        default=None,
        help="the model of the suite, whose mutants may explain failures (default: the file that"
        " the suite names)",
    )
    shared.add_mutation(parser)
    shared.add_questions(parser)
    shared.add_output(parser, choices=FORMATS, short=())


def run(arguments: Namespace) -> ExitCode:
    """Make suites for the models, and write them where asked; or run a suite.

    Raises:
        UserError: what was asked for does not exist, or a file cannot be written.
    """
    if arguments.against is not None:
        if len(arguments.files) != 2 or arguments.files[0] != RUN:
            raise UserError("usage", "no suite is named, or more than one", way_out=USAGE)
        from mutproof.cli import replay

        return replay.run(arguments)
    if arguments.files[0] == RUN:
        raise UserError("usage", "--against has to say what is tested", way_out=USAGE)
    if arguments.forms and arguments.suites is None:
        raise UserError("usage", "--as needs a folder", way_out="name one with -o DIR")
    if arguments.files[0] == EXPORT:
        if len(arguments.files) == 1:
            raise UserError("usage", "no suite is named", way_out=EXPORTING)
        if not arguments.forms:
            raise UserError("usage", "--as has to name forms", way_out=EXPORTING)
        from mutproof.cli import suite_export

        return suite_export.export(arguments)
    if arguments.format == "junit":
        raise UserError("usage", "--format junit is for `mutproof tests run`", way_out=USAGE)
    arguments.suite = True
    options = shared.options(arguments, mutate=True, cores=False)
    if arguments.earlier:
        options = _keeping(arguments, options)
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
            keeps=True,
        )


def _keeping(arguments: Namespace, options: Options) -> Options:
    """Return the options with the text of an earlier suite to keep.

    Raises:
        UserError: it cannot be read, or there are several models.
    """
    from dataclasses import replace
    from pathlib import Path

    from mutproof.cli import replay

    if len(arguments.files) != 1 or Path(arguments.files[0]).is_dir():
        raise UserError("usage", "--from is for one model", way_out="name one model")
    return replace(options, earlier=replay.text_of_suite(arguments.earlier))


COMMAND = Command(
    "tests",
    "make a small suite of tests that kills what any test kills",
    configure,
    run,
    (
        ("mutproof tests examples/demo2.lus", "how few tests kill all that tests can kill?"),
        ("mutproof tests model.lus -o suites", "write them to suites/model.suite.json"),
        (
            "mutproof tests run suites/model.suite.json --against './program --json'",
            "does a program do what the model does? which mutant does what it does?",
        ),
    ),
)
