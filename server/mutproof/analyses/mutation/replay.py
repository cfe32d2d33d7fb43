"""Replay executions of mutants in the evaluator: what it does not confirm was not found."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses.variant import Fails, Variant
from mutproof.model.evaluate import Evaluator, Execution, InstantaneousLoop
from mutproof.model.program import Element, Program
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace


class Replayer:
    """Run the program with the bodies of any mutant; keeps the traces it confirmed."""

    def __init__(
        self, program: Program, bodies: Mapping[str, Mapping[Element, Term | None]]
    ) -> None:
        self._evaluator = Evaluator(program)
        self._bodies = bodies
        self._traces: dict[int, Trace] = {}

    def confirm(self, variant: Variant, choices: Choices) -> dict[str, int] | None:
        """Return what an execution of a mutant violates; None if it is none."""
        execution = self._execute(variant, choices)
        if execution is None or not execution.assumed:
            return None
        self._traces[id(choices)] = execution.trace
        return dict(execution.violated)

    def trace(self, variant: Variant, failure: Fails) -> Trace | None:
        """Return the execution that violates a property; None if it does not run."""
        known = self._traces.get(id(failure.choices))
        if known is not None and known.choices is failure.choices:
            return known
        execution = self._execute(variant, failure.choices)
        return None if execution is None else execution.trace

    def _execute(self, variant: Variant, choices: Choices) -> Execution | None:
        try:
            return self._evaluator.run(choices, self._bodies.get(variant.name, {}))
        except InstantaneousLoop:
            return None
