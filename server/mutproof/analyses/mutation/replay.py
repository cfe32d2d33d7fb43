"""Replay executions of mutants in the evaluator: what it does not confirm was not found."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.analyses import temporal
from mutproof.analyses.variant import Fails, Variant
from mutproof.model.evaluate import Execution
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Element
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace


class Replayer:
    """Run the program with the bodies of any mutant; keeps the traces it confirmed."""

    def __init__(
        self, meaning: Interpretation, bodies: Mapping[str, Mapping[Element, Term | None]]
    ) -> None:
        self._meaning = meaning
        self._bodies = bodies
        self._traces: dict[int, Trace] = {}

    def confirm(self, variant: Variant, choices: Choices) -> dict[str, int] | None:
        """Return what an execution of a mutant violates; None if it is none."""
        execution = self._execute(variant, choices)
        if execution is None or not execution.assumed:
            return None
        self._traces[id(choices)] = execution.trace
        return dict(execution.violated)

    def confirm_part(
        self, variant: Variant, choices: Choices, part: TransitionSystem
    ) -> dict[str, int] | None:
        """Return what an execution of a part of a mutant violates; None if it is none."""
        execution = self.execute_part(variant, choices, part)
        if execution is None or not execution.assumed:
            return None
        self.keep(choices, execution.trace)
        return dict(execution.violated)

    def execute_part(
        self, variant: Variant, choices: Choices, part: TransitionSystem
    ) -> Execution | None:
        """Run a part of a mutant; its trace has the variables of the part only."""
        left_out = temporal.outside(self._meaning.program, part)
        bodies = {**left_out, **self._bodies.get(variant.name, {})}
        execution = self._meaning.run(choices, bodies)
        return None if execution is None else temporal.restricted(execution, part)

    def keep(self, choices: Choices, trace: Trace) -> None:
        """Keep the trace to show for choices."""
        self._traces[id(choices)] = trace

    def trace(self, variant: Variant, failure: Fails) -> Trace | None:
        """Return the execution that violates a property; None if it does not run."""
        known = self._traces.get(id(failure.choices))
        if known is not None and known.choices is failure.choices:
            return known
        execution = self._execute(variant, failure.choices)
        return None if execution is None else execution.trace

    def _execute(self, variant: Variant, choices: Choices) -> Execution | None:
        return self._meaning.run(choices, self._bodies.get(variant.name, {}), partly=True)
