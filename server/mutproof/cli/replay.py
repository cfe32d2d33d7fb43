"""`mutproof tests run`: a recorded suite on a model, on a command, or on recorded outputs."""

from __future__ import annotations

from argparse import Namespace
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Final

from mutproof.cli import early, inputs
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.reporters.suites.document import digest
from mutproof.reporters.suites.verdicts import VERDICTS, SuiteVerdict
from mutproof.runtime import tested_command
from mutproof.workspace import sources
from mutproof.workspace.suites.recorded import (
    RecordedSuite,
    RecordedTest,
    SuiteError,
    decoded_row,
    read,
)
from mutproof.workspace.suites.replaying import (
    SystemUnderTest,
    TestAnswer,
    TestOutcome,
    explaining,
    incomparable,
    on_model,
    replayed,
)
from mutproof.workspace.suites.tables import on_table

TABLE: Final = ".csv"


def run(arguments: Namespace) -> ExitCode:
    """Run a suite and report how its tests end.

    Raises:
        UserError: the suite, or what it is run on, cannot be read or started.
    """
    name = arguments.files[1]
    console = Console.of(arguments, (name, arguments.against))
    suite = opened(name)
    subject = _subject(arguments.against, suite, arguments)
    tolerance = Fraction(arguments.tolerance)
    try:
        results = replayed(suite, subject, tolerance)
    except OSError as error:
        message = f"cannot run {arguments.against}: {error.strerror}"
        raise UserError("not-runnable", message, way_out="name a model or a command") from error
    verdict = SuiteVerdict(name, arguments.against, results)
    if verdict.count(TestOutcome.FAILED):
        model, reason = _model(name, suite, arguments)
        if any(one.wanted and not one.seen for one in results):
            model, reason = None, "outputs are missing, and no mutant leaves outputs out"
        if model is None:
            verdict = replace(verdict, undiagnosed=reason)
        else:
            found = tuple(explaining(suite, results, model, tolerance))
            verdict = replace(verdict, explaining=found)
    console.report(VERDICTS[arguments.format](verdict, console.report_style))
    if verdict.count(TestOutcome.FAILED):
        return ExitCode.SURVIVORS
    return ExitCode.UNDECIDED if verdict.count(TestOutcome.INCONCLUSIVE) else ExitCode.OK


def opened(name: str) -> RecordedSuite:
    """Return the suite of a file.

    Raises:
        UserError: it cannot be read.
    """
    return _understood(name, inputs.content(name))


def text_of_suite(name: str) -> str:
    """Return the text of a suite.

    Raises:
        UserError: it cannot be read.
    """
    text = inputs.content(name)
    _understood(name, text)
    return text


def _understood(name: str, text: str) -> RecordedSuite:
    try:
        return read(text)
    except SuiteError as error:
        way_out = "`mutproof tests MODEL -o DIR` writes suites"
        raise UserError("not-a-suite", f"{name}: {error}", way_out=way_out) from error


def _subject(against: str, suite: RecordedSuite, arguments: Namespace) -> SystemUnderTest:
    path = Path(against)
    if path.suffix.lower() == TABLE:
        try:
            return on_table(inputs.content(against), suite)
        except SuiteError as error:
            raise UserError("not-a-table", f"{against}: {error}") from error
    if sources.language_of(against) is not None and (path.exists() or " " not in against):
        return on_model(_program(against, suite))
    try:
        words = tested_command.words_of(against)
    except ValueError as error:
        raise UserError("usage", f"--against: {error}") from error
    declared = {one.name: one for one in suite.outputs}

    def answer(test: RecordedTest) -> TestAnswer:
        steps = suite.inputs_at_all_steps(test)
        found = tested_command.spoken(words, steps, arguments.answer_timeout, begun=early.end_with)
        early.end_alone()
        rows = []
        for row in found.answers:
            try:
                rows.append(decoded_row({n: row[n] for n in declared if n in row}, declared))
            except ValueError as error:
                return TestAnswer(tuple(rows), str(error))
        return TestAnswer(tuple(rows), found.problem, is_known=found.in_time)

    return answer


def _program(name: str, suite: RecordedSuite) -> Program:
    """Return the program of a model that has the inputs and outputs of a suite."""
    program = inputs.usable(name)[2].program
    assert program is not None
    if reason := incomparable(suite, program):
        raise UserError("not-comparable", f"{name}: {reason}")
    return program


def _model(
    suite_name: str, suite: RecordedSuite, arguments: Namespace
) -> tuple[Elaborated | None, str]:
    """Return the model that a suite was made from, or None and why it cannot be used."""
    places = [Path(suite.file), Path(suite_name).parent / Path(suite.file).name]
    if arguments.model is not None:
        places = [Path(arguments.model)]
    path = next((place for place in places if place.is_file()), None)
    if path is None:
        return None, f"there is no {suite.file}; name the model with --model"
    file = inputs.read(str(path))
    if file.elaborated is None or file.elaborated.program is None:
        return None, f"{path} cannot be read"
    if digest(file.source.content) != suite.digest:
        return None, f"{path} is not the text that the suite was made from"
    return file.elaborated, ""
