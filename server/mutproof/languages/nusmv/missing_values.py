"""Where in the text a value may be missing: in what was asked about, or in a DEFINE that it reads.

A DEFINE is no error by itself, for what reads it may exclude the case; so it is what reads it that
is checked. Told is the operator without a value, and from where it is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from mutproof.base.record import dataclass
from mutproof.model import obligations, walk
from mutproof.model.obligations import Obligations
from mutproof.model.operators import Op
from mutproof.model.passes import definedness
from mutproof.model.passes.definedness import Hazard
from mutproof.model.program import Component, Element, ElementKind
from mutproof.model.terms import Path, Term

MOST_STEPS = 5_000_000
"""How many evaluation steps the search for operators of one file may take together."""

MOST_PARTS = 20_000
"""How many subterms of a term are looked at."""


@dataclass(frozen=True, slots=True)
class MissingValue:
    """Name an operator by its path in a DEFINE, None for what was asked about.

    `use` is the path of what was asked about at which the DEFINE is read, by itself or by others.
    """

    define: Element | None
    path: Path
    use: Path


class MissingValues:
    """Find operators without a value, until that takes too many steps; mutable."""

    def __init__(self, component: Component, finder: Obligations) -> None:
        self._finder = finder
        self._left = MOST_STEPS
        self._defines = {
            element.targets[0]: element
            for element in component.elements
            if element.kind is ElementKind.DEFINE
        }

    def of(self, root: Term, hazard: Hazard) -> MissingValue | None:
        """Return the first operator that has no value in some state, else one that may have none.

        None if neither the term nor what it reads has an operator with that hazard.
        """
        scalars = self._finder.scalars
        first: MissingValue | None = None
        doubtful: MissingValue | None = None
        for operator, place in self._operators(root, hazard):
            first = first or place
            if self._left <= 0:
                break
            for condition in self._finder.of_operator(root, operator, hazard):
                self._left -= walk.size(condition)
                verdict = obligations.decide(condition, scalars, steps=self._left)
                if verdict is False:
                    return place
                if verdict is None:
                    doubtful = doubtful or place
                else:
                    self._left -= obligations.cost(condition, scalars)
        return doubtful or first

    def _operators(self, root: Term, hazard: Hazard) -> Iterator[tuple[Term, MissingValue]]:
        """Yield operators with a hazard: first those of the term, then those of what it reads."""
        waiting: list[tuple[Element | None, Term, Path]] = [(None, root, ())]
        reached: set[str] = set()
        for define, body, use in waiting:  # it grows
            for path, term in islice(walk.occurrences(body), MOST_PARTS):
                if definedness.has(term, hazard):
                    yield term, MissingValue(define, path, use)
                name = str(term.payload) if term.op is Op.VAR else ""
                if name in self._defines and name not in reached:
                    reached.add(name)
                    read = self._defines[name]
                    waiting.append((read, read.body, path if define is None else use))
