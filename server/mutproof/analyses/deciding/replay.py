"""Replay executions of mutants in the evaluator: what it does not confirm was not found."""

from __future__ import annotations

from collections.abc import Mapping
from collections.abc import Set as AbstractSet
from dataclasses import replace

from mutproof.analyses.checking.notary import Notary, Replayed
from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.evidence import Fails
from mutproof.base.identity import ByIdentity
from mutproof.model.edited_run import EarlierRun
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Bodies
from mutproof.model.purpose import EVERYTHING, Purpose
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace


class Replayer:
    """Run the program with the bodies of any mutant; keeps the traces it confirmed.

    `computed` is how many values confirming took so far, where evaluators tell.
    """

    def __init__(
        self,
        notary: Notary,
        meaning: Interpretation,
        bodies: Mapping[str, Bodies],
    ) -> None:
        self._notary = notary
        self._meaning = meaning
        self._bodies = bodies
        self.computed = 0
        # With the goals that they show, None: all.
        self._traces: ByIdentity[tuple[Trace, frozenset[str] | None]] = ByIdentity()

    def confirm(
        self,
        variant: Variant,
        choices: Choices,
        how: str,
        goals: AbstractSet[str] | None = None,
        *,
        before: EarlierRun | None = None,
        by: Mapping[str, int] | None = None,
    ) -> Mapping[str, Fails] | None:
        """Return what an execution of a mutant violates; None if it is none.

        With `goals`, perhaps only of these, and its trace has only the variables that decide them;
        `before` is how it ran in an earlier version of the file. If goals are to fail `by` some
        steps, the trace may be one of the first only.
        """
        bodies = self._bodies.get(variant.name, {})
        asked = None if goals is None else frozenset(goals)
        purpose = Purpose(partly=True, goals=asked, before=before, by=by)
        found = self._notary.replay(self._meaning, choices, how, bodies, purpose=purpose)
        if found is None:
            return None
        self.computed += found.execution.computed
        first = min(by.values()) if by else None
        shown = None if not by else frozenset(goal for goal in by if by[goal] == first)
        self._traces.put((found.execution.trace, shown), variant, choices)
        return found.violated

    def run(self, variant: Variant, choices: Choices, how: str) -> Replayed | None:
        """Return what an execution of a mutant is, which is not kept; None if it is none."""
        bodies = self._bodies.get(variant.name, {})
        return self._notary.replay(self._meaning, choices, how, bodies)

    def confirm_part(
        self,
        variant: Variant,
        choices: Choices,
        how: str,
        *,
        part: TransitionSystem,
        begun: str = "",
        purpose: Purpose = EVERYTHING,
    ) -> Replayed | None:
        """Return what an execution of a part of a mutant violates; None if it is none.

        Its trace has the variables of the part only. `begun` is a property that is also violated if
        it is however the execution goes on; then the part is one of the mutant's own system.
        """
        bodies = self._bodies.get(variant.name, {})
        found = self._notary.replay_part(
            self._meaning, choices, how, bodies, part=part, begun=begun, purpose=purpose
        )
        if found is not None:
            self.keep(variant, choices, found.execution.trace)
        return found

    def keep(self, variant: Variant, choices: Choices, trace: Trace) -> None:
        """Keep a trace to be shown of a mutant with these choices, which others may share."""
        self._traces.put((replace(trace, choices=choices), None), variant, choices)

    def trace(self, variant: Variant, failure: Fails, goal: str) -> Trace | None:
        """Return the execution that violates a property; None if it does not run."""
        known, shown = self._traces.get(variant, failure.choices) or (None, None)
        if (
            known is not None
            and known.choices is failure.choices
            and (shown is None or (goal in shown and failure.step < known.length))
        ):
            return known
        bodies = self._bodies.get(variant.name, {})
        purpose = Purpose(partly=True, goals=frozenset((goal,)))
        execution = self._meaning.run(failure.choices, bodies, purpose)
        return execution.trace if execution is not None and execution.assumed else None
