"""All executions of a Lustre text, for texts with few: every question is answered in all ways."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from support.tree_lustre import Memory, Path, Place, Places, Scalar, part
from support.tree_lustre_random import widened
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, Type

MOST_VALUES = 10
"""A range with more values is represented by some of them."""


class AllGiven:
    """Give one answer after the other to each question; `numbers` stand for all there are."""

    guesses = False

    def __init__(self, numbers: Sequence[int]) -> None:
        self.numbers = numbers
        self.answers: list[tuple[Sequence[Scalar], int]] = []
        self._kept: dict[Any, Scalar] = {}
        self._position = 0

    def advance(self) -> bool:
        """Go on to the next execution; tell whether there is one."""
        del self.answers[self._position :]
        while self.answers:
            domain, index = self.answers.pop()
            if index + 1 < len(domain):
                self.answers.append((domain, index + 1))
                self._position = 0
                self._kept = {}
                return True
        return False

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        """Answer for an input."""
        return self._answer((place, name, path, step), kind)

    def memory(self, what: Memory, kind: Type) -> Scalar:
        """Answer for a memory."""
        return self._answer(what, kind if what.bounded else widened(kind))

    def function(self, name: str, path: Path, args: tuple[Scalar, ...], kind: Type) -> Scalar:
        """Answer for a function."""
        return self._answer((name, path, args), kind)

    def looped(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Answer for a variable that depends on itself."""
        return self._answer(("loop", place, name, path, step), part(place.types[name], path))

    def is_free(self, place: Place, name: str) -> bool:
        """Give what the equations say: that is one of the values."""
        return False

    def _answer(self, key: Any, kind: Type) -> Scalar:
        if key not in self._kept:
            if self._position == len(self.answers):
                self.answers.append((self._domain(kind), 0))
            domain, index = self.answers[self._position]
            self._position += 1
            self._kept[key] = domain[index]
        return self._kept[key]

    def _domain(self, kind: Type) -> Sequence[Scalar]:
        match kind:
            case ("bool",):
                return (False, True)
            case ("range", low, high):
                return range(low, high + 1) if high - low < MOST_VALUES else (low, low + 1, high)
            case ("enum", values):
                return tuple(values)
            case ("real",):
                return [Fraction(number) for number in self.numbers]
            case _:
                return self.numbers


def all_runs(
    model: ModelText,
    most: int,
    numbers: Sequence[int] = (-1, 0, 3),
    places: Places | None = None,
) -> Iterator[Run]:
    """Yield executions that differ in what was asked for, at most so many."""
    given = AllGiven(numbers)
    known = places or Places(model)
    for _ in range(most):
        run = Run(model, given, known)
        yield run
        if not given.advance():
            return
