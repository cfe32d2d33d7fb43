"""The map of what is known of all subsets of some elements, as a propositional formula.

Every subset that contains a known core proves the property; no subset disjoint from a known
correction set does. The map holds the subsets of which neither is known.

Source: Liffiton, Previti, Malik and Marques-Silva, Constraints 21(2), 2016 (MARCO), section 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from mutproof.base.lazy import cached_property
from mutproof.model import sorts
from mutproof.model.program import ElementId
from mutproof.solving.solver import Answer, Formula, Solver
from mutproof.solving.z3_solver import new_solver


class MapUnknownError(Exception):
    """Say that the solver could not tell whether the map is empty."""


class Map:
    """Hold the unexplored subsets of some elements; mutable."""

    def __init__(self, elements: Sequence[ElementId]) -> None:
        self._elements = tuple(elements)
        # Elements in no blocked core are in every largest subset: the solver need not be asked.
        self._mentioned: set[ElementId] = set()
        # What is excluded but not yet told to the solver, which is made when something is asked.
        self._untold: list[tuple[tuple[ElementId, ...], bool]] = []

    @cached_property
    def _solver(self) -> Solver:
        return new_solver()

    @cached_property
    def _literals(self) -> dict[ElementId, Formula]:
        return {
            element: self._solver.constant(f"in:{number}", sorts.BOOL)
            for number, element in enumerate(self._elements)
        }

    def block_supersets(self, core: Iterable[ElementId]) -> None:
        """Exclude all subsets that contain a core."""
        found = tuple(sorted(core))
        self._mentioned.update(found)
        self._untold.append((found, False))

    def block_without(self, correction: Iterable[ElementId]) -> None:
        """Exclude all subsets that contain no element of a correction set."""
        self._untold.append((tuple(sorted(correction)), True))

    def largest(self) -> frozenset[ElementId] | None:
        """Return a largest unexplored subset; None if all are explored.

        Raises:
            MapUnknownError: the solver gave no answer.
        """
        self._tell()
        chosen = [self._literals[e] for e in self._elements if e not in self._mentioned]
        if not self._possible(chosen):
            return None
        inside = {e for e in self._elements if e not in self._mentioned}
        left = [e for e in self._elements if e in self._mentioned]
        while left:
            true = [e for e in left if self._is_true(e)]
            inside.update(true)
            chosen += [self._literals[e] for e in true]
            left = [e for e in left if e not in inside]
            while left:
                element = left.pop(0)
                if self._possible([*chosen, self._literals[element]]):
                    inside.add(element)
                    chosen.append(self._literals[element])
                    break
        return frozenset(inside)

    def _tell(self) -> None:
        for elements, present in self._untold:
            found = [self._literals[element] for element in elements]
            some = found if present else [self._solver.negation(one) for one in found]
            self._solver.add(self._solver.disjunction(some))
        self._untold.clear()

    def _possible(self, chosen: Sequence[Formula]) -> bool:
        answer = self._solver.check(chosen)
        if answer is Answer.UNKNOWN:
            raise MapUnknownError(self._solver.reason_unknown)
        return answer is Answer.SAT

    def _is_true(self, element: ElementId) -> bool:
        return self._solver.value(self._literals[element], sorts.BOOL) is True
