"""Random executions of Lustre texts, with small values, so that bounds are met often."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import Any

from support.tree_lustre import Memory, Path, Place, Places, Scalar, part
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, Tree, Type


class RandomGiven:
    """Choose values by what they are for alone: texts that differ a little are given the same.

    `staying` is how often, out of ten, an input is what it was one step before.
    """

    guesses = True

    def __init__(self, seed: int, interesting: Sequence[int], staying: int = 2) -> None:
        self.seed = seed
        self.interesting = interesting
        self.staying = staying
        self._kept: dict[Any, Scalar] = {}
        self._read: dict[Place, dict[Tree, tuple[Any, ...]]] = {}

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        """Return a value of the type of the variable."""
        what = ("free", place.name, name, path)
        while step > 0 and self._source(("stay", step, what)).randrange(10) < self.staying:
            step -= 1
        return self._value((step, what), kind)

    def memory(self, what: Memory, kind: Type) -> Scalar:
        """Return a value of the type, or any integer where that is not known."""
        read = None if what.tree is None else self._occurrence(what.place, what.tree)
        key = (what.what, what.place.name, read, what.name, what.path)
        return self._value(key, kind if what.bounded else widened(kind))

    def function(self, name: str, path: Path, args: tuple[Scalar, ...], kind: Type) -> Scalar:
        """Return a value that depends on the arguments."""
        return self._value(("function", name, path, args), kind)

    def looped(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Guess a value."""
        return self._value(("loop", place.name, name, path, step), part(place.types[name], path))

    def is_free(self, place: Place, name: str) -> bool:
        """Give what the equations say: that is one of the values."""
        return False

    def _occurrence(self, place: Place, tree: Tree) -> tuple[Any, ...]:
        """Return what an expression says, and how many before it in its place say the same."""
        if place not in self._read:
            counted: Counter[tuple[Any, ...]] = Counter()
            found = self._read[place] = {}
            for part_of in parts(place):
                said = shape(part_of)
                found[part_of] = (*said, counted[said])
                counted[said] += 1
        return self._read[place].get(tree, shape(tree))

    def _source(self, key: Any) -> random.Random:
        return random.Random(f"{self.seed}|{key!r}")

    def _value(self, key: Any, kind: Type) -> Scalar:
        if key not in self._kept:
            self._kept[key] = self._chosen(self._source(key), kind)
        return self._kept[key]

    def _chosen(self, source: random.Random, kind: Type) -> Scalar:
        match kind:
            case ("bool",):
                return source.random() < 0.5
            case ("real",):
                return Fraction(source.choice(self.interesting) * 2 + source.choice((0, 0, 1)), 2)
            case ("range", low, high):
                return source.randint(low, high)
            case ("enum", values):
                value: str = source.choice(values)
                return value
            case _:
                return source.choice(self.interesting)


def widened(kind: Type) -> Type:
    """Return the type without bounds."""
    return ("int",) if kind[0] == "range" else kind


def parts(place: Place) -> Iterator[Tree]:
    """Yield all expressions of a place."""
    stack = [body for _, body in place.node.equations] + place.node.asserts
    while stack:
        tree = stack.pop()
        yield tree
        stack.extend(tree.args)


def shape(tree: Tree) -> tuple[Any, ...]:
    """Return what an expression says, wherever it stands."""
    return (tree.kind, tree.word, *tree.names, *[shape(arg) for arg in tree.args])


def interesting(model: ModelText) -> tuple[int, ...]:
    """Return integers that matter to a model: its literals and their neighbours."""
    found = {-1, 0, 1, 2}
    stack: list[Tree] = [body for _, body in model.constants.values()]
    for node in model.nodes.values():
        stack += [body for _, body in node.equations] + node.asserts
    while stack:
        tree = stack.pop()
        stack.extend(tree.args)
        if tree.kind in {"int", "real"}:
            value = int(Fraction(tree.word))
            found.update((value - 1, value, value + 1))
    return tuple(sorted(found))


def random_run(
    model: ModelText, seed: int, values: Sequence[int] = (), places: Places | None = None
) -> Run:
    """Return a random execution, of as many steps as are asked for."""
    staying = (0, 2, 5, 8)[seed % 4]
    return Run(model, RandomGiven(seed, values or interesting(model), staying), places)
