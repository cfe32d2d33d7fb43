"""What a program means to analyses, by the only place that depends on its semantics.

Lustre programs run forward from inputs and first memories; NuSMV programs relate states.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Protocol, assert_never

from mutproof.base.digest import Digest
from mutproof.model import forward_meaning, relational_meaning
from mutproof.model.execution import Execution
from mutproof.model.program import Bodies, ElementId, Program
from mutproof.model.purpose import EVERYTHING, Purpose
from mutproof.model.rewritten import Rewritten
from mutproof.model.slice import Slicer
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.model.traits import Semantics

if TYPE_CHECKING:
    from mutproof.model.infection import Infection
    from mutproof.model.outcome_digests import OutcomeDigests
    from mutproof.model.relational_explore import RelationalExplorer


class Interpretation(Protocol):
    """Give a program its transition system and run it; caches only, one thread."""

    program: Program

    def system(self) -> TransitionSystem:
        """Return the transition system of the program."""

    def rewritten(self, bodies: Bodies) -> Rewritten:
        """Return the change of the system by other bodies for all occurrences of some elements."""

    def lost(self, bodies: Bodies) -> frozenset[str] | None:
        """Return the properties no longer stated with other bodies, None if that is unclear.

        If it is not None, the bodies make a program, and change nothing but constraints.
        """

    def widened(self, system: TransitionSystem) -> TransitionSystem:
        """Return the system with the variables that `without` may mention."""

    def without(self, elements: Iterable[ElementId]) -> tuple[Constraint, ...]:
        """Return the constraints that hold in place of those of some removed elements."""

    def is_linked(self, elements: Iterable[ElementId]) -> bool:
        """Tell whether `without` may return any, here or for a part of the program."""

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:
        """Return the elements without constraints of which elements or a property are made."""

    def focused(self, elements: Iterable[ElementId]) -> Interpretation:
        """Return the meaning of elements with all that they read, where that can stand alone."""

    @property
    def frame(self) -> Digest | None:
        """Return a digest of all that `rewritten` depends on beyond bodies, None if unknown.

        What is `linked` depends on memories as well.
        """

    def declared(self) -> Mapping[str, tuple[str, str]]:
        """Return component and declared name of every property, by its name in the system."""

    def admits(self, choices: Choices) -> bool:
        """Tell whether choices, perhaps of an earlier version, are within the program's sorts."""

    @property
    def outcomes(self) -> OutcomeDigests:
        """Return the digests of all that outcomes of executions depend on."""

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        purpose: Purpose = EVERYTHING,
    ) -> Execution | None:
        """Run the program, with other bodies for some elements; None if it is not causal."""

    def rerun(
        self, choices: Choices, bodies: Bodies, goals: frozenset[str] | None = None
    ) -> Execution | None:
        """Run the program with other bodies, on choices of an execution that it has itself.

        The trace may lack all that they cannot affect; a run of the whole is what shows violations.
        With `goals`, perhaps only what decides these properties is run.
        """

    def explorer(self, names: Container[str], bodies: Bodies) -> RelationalExplorer | None:
        """Return what explores some variables, which read no others; None if it cannot.

        `bodies` leave out what else there is.
        """

    def infection(self, executions: Sequence[Execution]) -> Infection | None:
        """Return the `Infection` of executions; None where it is not computed."""


def interpretation(program: Program) -> Interpretation:
    """Return the interpretation of a program by its semantics."""
    match program.traits.semantics:
        case Semantics.FORWARD:
            return forward_meaning.interpreted(program)
        case Semantics.RELATIONAL:
            return relational_meaning.interpreted(program)
        case unreachable:
            assert_never(unreachable)


def covering(
    meaning: Interpretation, system: TransitionSystem, names: Iterable[str]
) -> dict[ElementId, tuple[str, ...]]:
    """Return, by element, in the cones of which of some properties it is."""
    found: dict[ElementId, list[str]] = {}
    slicer = Slicer(system)
    for name in names:
        cone = slicer.influencing(name)
        for owner in cone | meaning.merged(cone, name):
            found.setdefault(owner, []).append(name)
    return {owner: tuple(stated) for owner, stated in found.items()}
