"""`mutproof prove`: are the properties of the models true?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from functools import partial

from mutproof.cli import arguments as shared
from mutproof.cli import gate
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    shared.add_questions(parser)
    shared.add_certificates(parser)
    shared.add_traces(parser)
    shared.add_output(parser)
    gate.add_gate(parser, gate.PROPERTY_FAILURES, gate.PROPERTY_GATE)
    parser.add_argument(
        "--minimal-core",
        dest="core_search",
        action="store_const",
        const="one",
        default="brief",
        help="look for a core from which nothing can go, however long that takes, as `core` does"
        " (default: as small as it gets for a third of the proof's effort)",
    )
    parser.add_argument(
        "--no-core", action="store_true", help="do not look for the core of each property"
    )


def run(arguments: Namespace) -> ExitCode:
    """Prove the properties and report verdicts, cores and counterexamples.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    options = shared.options(arguments, mutate=False, cores=not arguments.no_core)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        fails = gate.PROPERTY_GATE if arguments.fail_on is None else arguments.fail_on
        judge = partial(verdicts.of_properties, fails=fails)
        return session.report(arguments, "prove", options, judge, launched=worker)


COMMAND = Command(
    "prove",
    "prove the properties of models",
    configure,
    run,
    (
        ("mutproof prove examples/demo.lus", "verdict, engine, depth and core of each property"),
        ("mutproof prove --format json models/", "all models of a folder, for a program"),
        ("mutproof prove model.lus --traces waves --trace-format vcd", "for a waveform viewer"),
        ("mutproof prove model.lus --certify certificates", "have cvc5 check every proof"),
    ),
)
