"""`mutproof report`: evidence for assessors, in a folder that can be checked."""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from pathlib import Path

from mutproof.cli import arguments as shared
from mutproof.cli import gate, option_values
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    group = parser.add_argument_group("evidence")
    group.add_argument(
        "--evidence",
        metavar="DIR",
        required=True,
        help="write evidence.json, evidence.html, certificates and SHA256SUMS into this folder;"
        " the first two are the same bytes for the same models, options and versions, while"
        " certificates may rest on other lemmas",
    )
    group.add_argument(
        "--unconfirmed",
        action="store_true",
        help="without certificates that cvc5 checks: the evidence says that there are none",
    )
    group.add_argument(
        "--date",
        type=option_values.day,
        default=None,
        metavar="DAY",
        help="a date to be named, such as 2026-11-25 (default: none is)",
    )
    shared.add_certify_timeout(group)
    shared.add_mutation(parser)
    shared.add_equivalence(parser, default=None)
    shared.add_questions(parser)
    shared.add_output(parser)
    gate.add_gate(parser, gate.MUTANT_FAILURES, gate.MUTANT_GATE)
    gate.add_baseline(parser)
    parser.set_defaults(equivalence=True, no_timings=True)  # as `mutproof config` says


def run(arguments: Namespace) -> ExitCode:
    """Prove, mutate, compare and certify; check the results independently; write them.

    Raises:
        UserError: what was asked for does not exist, or the folder cannot be written.
    """
    from mutproof.cli import evidence, launch

    folder = Path(arguments.evidence)
    solvers = _solvers(arguments, folder / evidence.CERTIFICATES)
    evidence.prepare(folder)
    arguments.equivalence = True
    arguments.no_timings = True
    options = shared.options(arguments, mutate=True)
    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        fails = gate.mutant_gate(arguments.fail_on, None)
        written = evidence.EvidenceFolder(arguments, options, solvers)
        return session.report(
            arguments,
            "mutate",
            options,
            lambda file: verdicts.of_mutants(file, fails),
            launched=worker,
            overall=written.judged,
            then=written.write,
        )


def _solvers(arguments: Namespace, certificates: Path) -> dict[str, str]:
    """Return the versions of the solvers; request certificates if a second one checks them."""
    from importlib import metadata

    found = {"z3": metadata.version("z3-solver")}
    if not arguments.unconfirmed:
        from mutproof.cli.certification import SOLVER, ensure_solver

        found[SOLVER] = ensure_solver(SOLVER).removeprefix(f"{SOLVER} ")
        arguments.certify = str(certificates)
    return found


COMMAND = Command(
    "report",
    "write evidence for assessors: what was proved, what is open, what was checked how",
    configure,
    run,
    (
        ("mutproof report --evidence evidence model.lus", "a page, a document, certificates, sums"),
        ("cd evidence && sha256sum --check SHA256SUMS", "nothing in the folder was changed"),
    ),
)
