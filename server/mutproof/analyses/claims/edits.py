"""Mutants of the previous version that made the same change as an edit, or changed its elements."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Final

from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model.program import Bodies, ElementId, Program
from mutproof.model.trace import Choices
from mutproof.solving.verdict import Certificate


@dataclass(frozen=True, slots=True)
class Suggestions:
    """Hold what may decide properties of an edited program: to be checked, never believed."""

    executions: Mapping[str, Sequence[Choices]]  # by property
    certificates: Mapping[str, Sequence[Certificate]]  # by property


NO_SUGGESTIONS: Final = Suggestions({}, {})

MOST_EXECUTIONS: Final = 8
"""How many executions are suggested for a property at most."""


class Changes:
    """Remember which change each mutant of the last version made; mutable.

    An edit often makes the change of a mutant, or at least changes an element with mutants.
    """

    def __init__(self) -> None:
        self._bodies: dict[ElementId, tuple[Digest, ...]] = {}
        self._mutants: Mapping[str, Bodies] = {}

    def note(self, program: Program, mutants: Mapping[str, Bodies]) -> None:
        """Remember a program and the bodies that its mutants give to occurrences of elements."""
        self._bodies = {name: _bodies(program, name) for name in program.by_id}
        self._mutants = mutants

    def suggested(self, program: Program) -> list[str]:
        """Return the mutants of the edited elements, first those that made the same change."""
        edited: dict[ElementId, tuple[Digest, ...]] = {}
        for name in program.by_id:
            bodies = _bodies(program, name)
            if bodies != self._bodies.get(name, bodies):
                edited[name] = bodies
        exact: list[str] = []
        near: dict[ElementId, dict[tuple[Digest, ...], str]] = {name: {} for name in edited}
        for mutant, changed in self._mutants.items() if edited else ():
            name = next(iter(changed)).id
            if name not in edited:
                continue
            bodies = tuple(body.digest for body in changed.values() if body is not None)
            if len(bodies) == len(changed):
                near[name][bodies] = mutant
        for name, bodies in edited.items():
            exact += [near[name][bodies]] if bodies in near[name] else []
        return list(dict.fromkeys([*exact, *(m for made in near.values() for m in made.values())]))


def _bodies(program: Program, name: ElementId) -> tuple[Digest, ...]:
    return tuple(element.body.digest for element in program.by_id[name])
