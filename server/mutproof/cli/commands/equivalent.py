"""`mutproof equivalent`: which survivors can no property ever kill; are two models the same?"""

from __future__ import annotations

import threading
from argparse import ArgumentParser, Namespace
from functools import partial
from typing import TYPE_CHECKING

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode

if TYPE_CHECKING:
    from mutproof.analyses.claims.equivalence import Equivalence
    from mutproof.base.budget import Deadline
    from mutproof.cli.console import Console
    from mutproof.model.program import Program

STACK_BYTES = 256 * 1024 * 1024
"""The stack of the comparing thread; only what is touched becomes memory."""


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="a model, or a folder of models (recursed)")
    parser.add_argument(
        "other",
        nargs="?",
        metavar="OTHER",
        help="a second model: compare the two instead of survivors of the first",
    )
    shared.add_mutation(parser)
    shared.add_equivalence(parser, default="outputs")
    shared.add_questions(parser)
    shared.add_output(parser)


def run(arguments: Namespace) -> ExitCode:
    """Decide the survivors of the models, or compare two models.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    from mutproof.cli.failure import UserError

    if arguments.inputs and not arguments.outputs:
        raise UserError("usage", "--inputs needs --outputs", way_out="name what the tester sees")
    if arguments.other is not None:
        if arguments.outputs or arguments.survivors:
            message = "--outputs, --inputs and --mutant are for survivors, not for two models"
            raise UserError("usage", message, way_out="name one model")
        return _compare(arguments)
    arguments.files = [arguments.file]
    options = shared.options(arguments, mutate=True, cores=False)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        return session.report(
            arguments,
            "equivalent",
            options,
            partial(verdicts.of_survivors, only=options.survivors),
            launched=worker,
        )


def _compare(arguments: Namespace) -> ExitCode:
    """Compare the main components of two files and report the difference."""
    import asyncio

    from mutproof.analyses.equivalence.comparison import mismatch
    from mutproof.base.budget import Deadline
    from mutproof.base.diagnostics import has_errors
    from mutproof.cli import inputs, session, verdicts
    from mutproof.cli.console import Console
    from mutproof.cli.failure import UserError
    from mutproof.runtime import aside

    console = Console.of(arguments, (arguments.file, arguments.other))
    programs: list[Program] = []
    deadline = Deadline.after(arguments.timeout_s)
    for name in (arguments.file, arguments.other):
        try:
            read = asyncio.run(
                aside.run(partial(inputs.read, name), asyncio.Event(), deadline.remaining_s())
            )
        except aside.OutOfTimeError:
            late = inputs.late(name, arguments.timeout_s)
            session.say_problems(console, late.source, late.diagnostics)
            return ExitCode.UNDECIDED
        # Models without properties can be compared too.
        problems = tuple(d for d in read.diagnostics if d.code != "no-property")
        session.say_problems(console, read.source, problems)
        program = None if read.elaborated is None else read.elaborated.program
        if program is None or has_errors(problems):
            return ExitCode.UNUSABLE
        programs.append(program)
    reason = mismatch(*programs)
    if reason:
        raise UserError(
            "not-comparable",
            f"{arguments.file} and {arguments.other} cannot be compared: {reason}",
            way_out="compare Lustre models whose main nodes have the same inputs and outputs",
        )
    found = _on_a_large_stack(programs[0], programs[1], arguments, deadline)
    console.report(_report(found, programs[0], arguments, console))
    return verdicts.of_equivalence({found.status})


def _on_a_large_stack(
    one: Program, other: Program, arguments: Namespace, deadline: Deadline
) -> Equivalence:
    """Compare in a thread with a large stack: terms are as deep as the user wrote them."""
    from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
    from mutproof.analyses.claims.observation import Scope
    from mutproof.analyses.equivalence.comparison import compare

    options = shared.options(arguments, mutate=False)
    found: list[Equivalence] = []
    failed: list[BaseException] = []

    def work() -> None:
        try:
            found.append(compare(one, other, Scope(options.equivalence), options.budget))
        except BaseException as error:
            failed.append(error)

    before = threading.stack_size(STACK_BYTES)
    thread = threading.Thread(target=work, name="comparing", daemon=True)
    thread.start()
    threading.stack_size(before)
    left_s = deadline.remaining_s()
    thread.join(left_s if left_s < threading.TIMEOUT_MAX else None)
    if failed:
        raise failed[0]
    if not found:
        seconds = arguments.timeout_s
        return Equivalence(
            EquivalenceStatus.UNDETERMINED,
            Scope(options.equivalence).value,
            reason=f"out of time ({seconds:g} s)",
            seconds=seconds,
        )
    return found[0]


def _report(found: Equivalence, program: Program, arguments: Namespace, console: Console) -> str:
    from mutproof.base.text import visible
    from mutproof.cli import session
    from mutproof.reporters import comparisons, encoding, survivors

    options = shared.options(arguments, mutate=False)
    presentation = session.presentation(arguments, console, options)
    names = (arguments.file, arguments.other)
    if arguments.format == "json":
        value = {"files": list(names), **comparisons.encoded(found, program, presentation)}
        return encoding.dumped(value)
    style = presentation.style
    status = style.paint(survivors.MEANING[found.status], found.status.name)
    sides = comparisons.Sides(visible(names[0]), visible(names[1]), article="")
    lines = [f"{status} {sides.model} and {sides.mutant}: {survivors.words(found, sides)}"]
    lines += comparisons.table(found, program, sides, presentation)
    if presentation.timings:
        lines += ["", f"time {found.seconds:.2f} s"]
    return "\n".join(lines) + "\n"


COMMAND = Command(
    "equivalent",
    "tell survivors that no property can kill from gaps, or compare two models",
    configure,
    run,
    (
        ("mutproof equivalent examples/demo2.lus", "each survivor: equivalent, or a gap"),
        ("mutproof equivalent model.lus --observe all", "compare all variables, not the outputs"),
        (
            "mutproof equivalent examples/beverage.smv --inputs button --outputs drink",
            "which mutants can a tester kill, surely or by luck?",
        ),
        ("mutproof equivalent old.lus new.lus", "same outputs for the same inputs?"),
    ),
)
