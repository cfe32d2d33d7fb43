"""What a program means whose constraints relate states (NuSMV)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

from mutproof.base.lazy import cached_property
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Bodies, ElementId, Program
from mutproof.model.purpose import EVERYTHING, Purpose
from mutproof.model.relational import Relational
from mutproof.model.relational_changes import LocalChanges
from mutproof.model.rewritten import Rewritten, difference
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.trace import Choices

if TYPE_CHECKING:
    from mutproof.model.outcome_digests import OutcomeDigests
    from mutproof.model.relational_evaluate import RelationalEvaluator
    from mutproof.model.relational_explore import RelationalExplorer

_NO_COMMON_SORT = "an integer without bounds stands for a value of an enumeration"


def interpreted(program: Program) -> _Relating:
    """Return what a program means that relates states."""
    return _Relating(program)


class _Relating:
    """Interpret a program whose constraints relate states."""

    frame = None

    def __init__(self, program: Program) -> None:
        self.program = program
        self._relational = Relational(program)

    def system(self) -> TransitionSystem:
        return self._system

    @cached_property
    def _system(self) -> TransitionSystem:
        return self._relational.system()

    def lost(self, bodies: Bodies) -> None:  # noqa: ARG002 - it takes `rewritten` to tell
        return None

    def widened(self, system: TransitionSystem) -> TransitionSystem:
        return system

    def without(self, elements: Iterable[ElementId]) -> tuple[Constraint, ...]:  # noqa: ARG002
        return ()

    def is_linked(self, elements: Iterable[ElementId]) -> bool:  # noqa: ARG002
        return False

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:
        return self._changes.merged(elements, goal)

    def focused(self, elements: Iterable[ElementId]) -> _Relating:  # noqa: ARG002
        return self  # a constraint may restrict any variable

    def rewritten(self, bodies: Bodies) -> Rewritten:
        removed = frozenset(element.id for element in bodies)
        try:
            local = self._changes.of(bodies)
            if local is not None:
                return local
            changed = Relational(self.program.with_bodies(bodies))
            return difference(self._system, changed.system(), removed)
        except NoCommonSort:
            return Rewritten(removed, (), refused=_NO_COMMON_SORT)

    @cached_property
    def _changes(self) -> LocalChanges:
        return LocalChanges(self._relational, self._system)

    def declared(self) -> Mapping[str, tuple[str, str]]:
        main = self.program.component(self.program.main)
        return {stated.name: (main.name, stated.name) for stated in main.properties}

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        purpose: Purpose = EVERYTHING,
    ) -> Execution | None:
        if not self.admits(choices):
            return None
        try:
            return self._evaluated.run(choices, bodies, purpose.goals)
        except (InstantaneousLoop, NumberTooLarge):
            return None

    def rerun(
        self,
        choices: Choices,
        bodies: Bodies,
        goals: frozenset[str] | None = None,  # noqa: ARG002 - what they affect is little already
    ) -> Execution | None:
        if not self.admits(choices):
            return None
        try:
            return self._evaluated.rerun(choices, bodies)
        except (InstantaneousLoop, NumberTooLarge):
            return None

    def explorer(self, names: Container[str], bodies: Bodies) -> RelationalExplorer | None:
        from mutproof.model.relational_explore import explorer

        return explorer(self._evaluated, names, bodies)

    @cached_property
    def outcomes(self) -> OutcomeDigests:
        from mutproof.model.outcome_digests import OutcomeDigests

        return OutcomeDigests(self.program, None, small=0)

    def admits(self, choices: Choices) -> bool:
        return self._evaluated.is_typed(choices)

    @cached_property
    def _evaluated(self) -> RelationalEvaluator:
        from mutproof.model.relational_evaluate import RelationalEvaluator

        return RelationalEvaluator(self.program)

    def infection(self, executions: Sequence[Execution]) -> None:  # noqa: ARG002
        return None  # open values could be chosen differently
