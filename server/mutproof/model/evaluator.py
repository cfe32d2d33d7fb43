"""Run one program many times, and compute only what is new where it ran on the same choices before.

A mutant runs on from the execution of its model (`rerun`, `late_failures`) where that is known;
where that does not tell, the oracle (`evaluate`) runs it as a whole.
"""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from dataclasses import replace
from functools import partial
from itertools import count

from mutproof.base.identity import each_once
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model.dependents import Dependents, dependents_of
from mutproof.model.evaluate import OracleRun
from mutproof.model.execution import Execution, InstantaneousLoop, execution_of
from mutproof.model.late_failures import LateFailures, is_late
from mutproof.model.layout import ProgramLayout
from mutproof.model.program import Bodies, Program
from mutproof.model.recordings import MOST_IN_PART, MOST_RECORDED, RecordedPath, Recordings
from mutproof.model.relevance import Relevance
from mutproof.model.rerun import rerun, same_calls
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Value
from mutproof.model.step_values import WholeStep
from mutproof.model.trace import Choices

MOST_KNOWN = 256
MOST_VARIABLES = 200_000
"""How many executions are kept, and of how many variables: several analyses ask for the same."""

MOST_STEPS = 10_000
"""How many different steps have a number that stands for them."""


class Evaluator:
    """Run one program many times, also with other bodies for some elements; caches only.

    Where the program itself ran on the same choices, an execution with other bodies computes
    only what they change. `sharing` is that of the program which this one is an excerpt of.
    """

    def __init__(self, program: Program, sharing: Sharing | None = None) -> None:
        self.layout = ProgramLayout(program, sharing)
        most = MOST_VARIABLES // (len(self.layout.sorts) or 1)
        self._known: Memo[Execution] = Memo(max(1, min(MOST_KNOWN, most)))
        self._numbers: Memo[int] = Memo(MOST_STEPS)
        self._counting = count()
        self._recordings = Recordings(
            self.layout, MOST_RECORDED if sharing is None else MOST_IN_PART
        )

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        *,
        goals: frozenset[str] | None = None,
        by: Mapping[str, int] | None = None,
    ) -> Execution:
        """Run the program on choices; None as a body leaves the variables free.

        With `goals`, perhaps only what decides these properties is run and shown; once one of them
        has failed, perhaps only what decides them up to their steps in `by`, with nothing shown.

        Raises:
            InstantaneousLoop: the program with these bodies is not causal.
        """
        others = {e: body for e, body in (bodies or {}).items() if body is not e.body}
        if choices.functions:
            return self._executed(choices, others, goals, by)
        steps = tuple(each_once(self._number, choices.steps))
        until = None if by is None else tuple(by.items())
        key = steps, tuple(choices.before.items()), tuple(others.items()), goals, until
        found = self._known.get(key, lambda: self._executed(choices, others, goals, by))
        if found.trace.choices is not choices:
            return replace(found, trace=replace(found.trace, choices=choices))
        return found

    def _number(self, step: Mapping[str, Value]) -> int:
        """Return a number that stands for a step: keys of numbers are compared faster."""
        return self._numbers.get(tuple(step.items()), self._counting.__next__)

    def _executed(
        self,
        choices: Choices,
        others: Bodies,
        goals: frozenset[str] | None,
        by: Mapping[str, int] | None,
    ) -> Execution:
        if not others:
            return execution_of(choices, [step.outcome for step in self.steps(choices)])
        path = self._recordings.path(choices)
        relevance = None if goals is None or not same_calls(self.layout, others) else self.relevance
        deciding = None if relevance is None or goals is None else partial(relevance.of, goals)
        until = deciding and partial(deciding, by=by, steps=len(choices.steps))
        dependents = self.dependents if path.repeated or is_late(by) else None
        if dependents is not None:
            with suppress(InstantaneousLoop, NumberTooLarge):  # a whole run tells of which program
                recording = partial(self._recorded, path, choices)
                if until and by and self._late_failures is not None:
                    found = self._late_failures.run(recording, choices, others, by)
                    if found is not None:
                        return found
                recorded = recording()
                outcomes = rerun(dependents, recorded, choices, others, deciding=until)
                if outcomes is not None:
                    return execution_of(choices, outcomes)
        return execution_of(choices, [*OracleRun(self.layout, choices, others, deciding).steps()])

    def steps(self, choices: Choices) -> list[WholeStep]:
        """Return the steps of the program itself on choices.

        Raises:
            InstantaneousLoop: the program is not causal.
        """
        return self._recorded(self._recordings.path(choices), choices)

    def _recorded(
        self, path: RecordedPath, choices: Choices, least: int | None = None
    ) -> list[WholeStep]:
        """Return the steps of the program itself, at `least` so many; run what was not recorded."""
        known = path.steps()
        steps = choices.steps[:least]
        if len(known) < len(steps):
            run = OracleRun(self.layout, replace(choices, steps=steps), {})
            for step in run.whole_steps(known):
                known.append(step)
                path.record(step)
        return known

    @cached_property
    def dependents(self) -> Dependents | None:
        """Return what reads the variables; None if some have no order."""
        return dependents_of(self.layout)

    @cached_property
    def relevance(self) -> Relevance | None:
        """Return what decides properties; None if variables have no order."""
        return None if self.dependents is None else Relevance(self.dependents)

    @cached_property
    def _late_failures(self) -> LateFailures | None:
        return None if self.relevance is None else LateFailures(self.relevance)
