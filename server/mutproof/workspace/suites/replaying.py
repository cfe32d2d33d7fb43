"""Run recorded tests on a system, find the first difference, and the mutants that explain it."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.suites.relational_inputs import inputs_of, undetermined
from mutproof.base import giving_way
from mutproof.base.record import dataclass
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import Bodies, Program, VariableKind
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices
from mutproof.model.traits import Semantics
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from mutproof.workspace.suites.recorded import RecordedMutant, RecordedSuite, RecordedTest

Rows: TypeAlias = Sequence[Mapping[str, Value]]


class TestOutcome(Enum):
    """Say how a test ended."""

    __test__ = False

    PASSED = "passed"
    FAILED = "failed"
    INCONCLUSIVE = "inconclusive"  # there was no answer in time, or none that can be read


@dataclass(frozen=True, slots=True)
class TestAnswer:
    """Hold the outputs of the system under test by step, and why some are missing, if so."""

    __test__ = False

    rows: tuple[Mapping[str, Value], ...]
    problem: str = ""
    is_known: bool = True  # else missing outputs may have been right


SystemUnderTest: TypeAlias = Callable[[RecordedTest], TestAnswer]
"""Feeds a test to the system under test, and returns its outputs."""


@dataclass(frozen=True, slots=True)
class TestResult:
    """Hold how a test ended: for a failure the first 0-based step, and what differs there.

    `wanted` and `seen` are outputs by name; one missing in `seen` was not given.
    """

    __test__ = False

    test: RecordedTest
    outcome: TestOutcome
    step: int = 0
    wanted: Mapping[str, Value] | None = None
    seen: Mapping[str, Value] | None = None
    reason: str = ""
    answer: TestAnswer | None = None


def replayed(
    suite: RecordedSuite, subject: SystemUnderTest, tolerance: Fraction = Fraction(0)
) -> tuple[TestResult, ...]:
    """Run all tests of a suite and return their results; reals may differ by the tolerance.

    Gives way after each test.
    """
    results = []
    for test in suite.tests:
        results.append(_result(test, subject(test), tolerance))
        giving_way.give_way()
    return tuple(results)


def _result(test: RecordedTest, answer: TestAnswer, tolerance: Fraction) -> TestResult:
    for number, step in enumerate(test.steps):
        if number >= len(answer.rows):
            outcome = TestOutcome.FAILED if answer.is_known else TestOutcome.INCONCLUSIVE
            reason = answer.problem or "no more outputs"
            return TestResult(test, outcome, number, {}, {}, reason, answer)
        row = answer.rows[number]
        wrong = [
            name
            for name, wanted in step.outputs.items()
            if name not in row or not agrees(wanted, row[name], tolerance)
        ]
        if wrong:
            wanted = {name: step.outputs[name] for name in wrong}
            seen = {name: row[name] for name in wrong if name in row}
            return TestResult(test, TestOutcome.FAILED, number, wanted, seen, answer=answer)
    return TestResult(test, TestOutcome.PASSED, answer=answer)


def agrees(wanted: Value, seen: Value, tolerance: Fraction) -> bool:
    """Tell whether two values are the same, reals up to a tolerance."""
    if isinstance(wanted, Fraction) and isinstance(seen, Fraction | int):
        return abs(wanted - seen) <= tolerance
    return type(wanted) is type(seen) and wanted == seen


def incomparable(suite: RecordedSuite, program: Program) -> str:
    """Return why the tests of a suite cannot be run on a model; empty if they can."""
    if program.traits.semantics is Semantics.RELATIONAL:
        if reason := undetermined(program):
            return reason
        known = frozenset(name for name, _ in inputs_of(program))
    else:
        known = frozenset(program.component(program.main).scalars(VariableKind.INPUT))
    missing = next((one.name for one in suite.inputs if one.name not in known), None)
    return "" if missing is None else f"the model has no input `{missing}`"


def on_model(program: Program) -> SystemUnderTest:
    """Return the system under test that runs a model in the evaluator."""
    meaning = interpretation(program)
    return lambda test: answer_of(meaning, test)


def answer_of(
    meaning: Interpretation, test: RecordedTest, bodies: Bodies | None = None
) -> TestAnswer:
    """Return the outputs of a program on a test, with other bodies for some elements."""
    steps = tuple(dict(step.inputs) for step in test.steps)
    execution = meaning.run(Choices(steps), bodies)
    problem = "the model has no execution on these inputs"
    if meaning.program.traits.semantics is Semantics.RELATIONAL:
        # A step that the constraints exclude, and all after it, are no part of the execution.
        while steps and (execution is None or not execution.assumed):
            steps = steps[:-1]
            execution = meaning.run(Choices(steps), bodies)
    if execution is None:
        return TestAnswer((), problem)
    return TestAnswer(tuple(execution.trace.steps), problem)


# --- diagnosis --------------------------------------------------------------------------------


def explaining(
    suite: RecordedSuite,
    results: Sequence[TestResult],
    elaborated: Elaborated,
    tolerance: Fraction = Fraction(0),
) -> Iterator[RecordedMutant]:
    """Yield the killed mutants of a suite's model that show exactly the outputs seen.

    Only outputs that the suite expects are compared. Mutants that no test kills show what the model
    shows, and explain no failure.
    """
    program = elaborated.program
    if program is None:
        return
    meaning = interpretation(program)
    told = {one.id: one for one in suite.mutants if one.fate == "killed"}
    for mutant in enumerate_mutants(elaborated, _options(suite)):
        known = told.get(mutant.shown)
        if known is None:
            continue
        bodies = mutated_bodies(program, mutant)
        if all(_shows(meaning, bodies, result, tolerance) for result in results):
            yield known


def _options(suite: RecordedSuite) -> Options:
    config = suite.config
    return Options(
        level=str(config.get("level", "default")),
        operators=tuple(config.get("operators", ())),
        most_mutants=int(config.get("most_mutants", 0)),
    )


def _shows(
    meaning: Interpretation, bodies: Bodies, result: TestResult, tolerance: Fraction
) -> bool:
    """Tell whether a mutant shows the outputs seen in a test, up to where there are any."""
    if result.answer is None or result.outcome is TestOutcome.INCONCLUSIVE:
        return True
    shown = answer_of(meaning, result.test, bodies).rows
    for number, step in enumerate(result.test.steps):
        if number >= len(result.answer.rows):
            return number >= len(shown)
        if number >= len(shown):
            return False
        row, other = result.answer.rows[number], shown[number]
        for name in step.outputs:
            if name in row and (name not in other or not agrees(row[name], other[name], tolerance)):
                return False
    return True
