"""Executions of Lustre texts: the meaning of each kind of expression, at a step and a path."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from typing import Any

from support.tree_lustre import (
    Given,
    Memory,
    NoOrderError,
    Path,
    Place,
    Places,
    Scalar,
    belongs,
    leaves,
    part,
)
from support.tree_lustre_text import ModelText, Tree

_OPEN: Any = object()
GUESSES = 6
"""How often other values of loops are tried at a step."""


class Run:
    """Hold one execution; values are found when they are asked for, and kept."""

    def __init__(self, model: ModelText, given: Given, places: Places | None = None) -> None:
        self.places = Places(model) if places is None else places
        self.model = model
        self.given = given
        self._values: dict[tuple[Place, str, Path, int], Any] = {}
        self._clocks: dict[tuple[Place, int], bool] = {}
        self._assumed: dict[tuple[Place, str, Path, int], Scalar] = {}

    @property
    def is_chosen(self) -> bool:
        """Tell whether a value of a loop was chosen so far: other values may solve it too."""
        return bool(self._assumed)

    # --- what an execution shows ----------------------------------------------------------

    def variables(self, step: int) -> Iterator[tuple[Place, str, Path, Scalar]]:
        """Yield the scalars of all places that run at a 0-based step."""
        for place in self.places.all:
            if self.runs(place, step):
                for name, kind in place.types.items():
                    for path, _ in leaves(kind):
                        yield place, name, path, self.variable(place, name, path, step)

    def admitted(self, step: int) -> bool:
        """Tell whether assertions hold at a step and all variables belong to their types.

        Where values of loops are guessed, what follows from a wrong one is the next guess.
        """
        for _ in range(GUESSES if self.given.guesses else 0):
            try:
                return self._admitted(step)
            except NoOrderError as wrong:
                self._values = {key: v for key, v in self._values.items() if key[3] < step}
                self._clocks = {key: v for key, v in self._clocks.items() if key[1] < step}
                self._assumed[wrong.key] = wrong.value
        return self._admitted(step)

    def _admitted(self, step: int) -> bool:
        main = self.places.main
        return all(bool(self.value(main, stated, (), step)) for stated in main.node.asserts) and (
            all(
                belongs(value, part(place.types[name], path))
                for place, name, path, value in self.variables(step)
            )
        )

    def properties(self, step: int) -> Iterator[tuple[Place, Tree, bool]]:
        """Yield the properties of all places that run at a step, and whether they hold."""
        for place in self.places.all:
            if self.runs(place, step):
                for stated in place.node.properties:
                    yield place, stated, bool(self.value(place, stated, (), step))

    def runs(self, place: Place, step: int) -> bool:
        """Tell whether a place runs at a step."""
        if place.outer is None:
            return True
        key = (place, step)
        if key not in self._clocks:
            self._clocks[key] = self.runs(place.outer, step) and (
                place.clock is None or bool(self.value(*place.clock, (), step))
            )
        return self._clocks[key]

    # --- values ---------------------------------------------------------------------------

    def variable(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Return the scalar at a path of a variable; at step -1 it is arbitrary."""
        if step < 0:
            kind = part(place.types[name], path)
            bounded = not place.clocked
            return self.given.memory(Memory("variable", place, None, name, path, bounded), kind)
        key = (place, name, path, step)
        found = self._values.get(key)
        if found is _OPEN:
            if key not in self._assumed:
                self._assumed[key] = self.given.looped(place, name, path, step)
            return self._assumed[key]
        if found is None:
            self._values[key] = _OPEN
            try:
                found = self._values[key] = self._defined(place, name, path, step)
            except BaseException:
                del self._values[key]
                raise
            if key in self._assumed and self._assumed[key] != found:
                raise NoOrderError(key, found)
        result: Scalar = found
        return result

    def _defined(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        if place.clocked and self.given.is_free(place, name) and not self.runs(place, step):
            return self.given.looped(place, name, path, step)
        if name in place.arguments:
            return self.value(*place.arguments[name], path, step)
        if name in place.bodies:
            body, index = place.bodies[name]
            return self.value(place, body, path if index is None else (index, *path), step)
        return self.given.free(place, name, path, step, part(place.types[name], path))

    def value(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        """Return the scalar at a path of an expression; step -1 is before the first run."""
        args = tree.args
        match tree.kind:
            case "name":
                return self._name(place, tree.word, path, step)
            case "int":
                return int(tree.word)
            case "real":
                return Fraction(tree.word)
            case "truth":
                return tree.word == "true"
            case "pre":
                return self._previous(place, args[0], path, step)
            case "if":
                chosen = 1 if self.value(place, args[0], (), step) else 2
                return self.value(place, args[chosen], path, step)
            case "binary":
                return self._binary(place, tree, path, step)
            case "call" | "condact":
                return self._called(place, tree, path, step)
            case "unary" | "cast":
                return _unary(tree.word, self.value(place, args[0], path, step))
            case _:
                return self._part(place, tree, path, step)

    def _name(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        if name in place.types:
            return self.variable(place, name, path, step)
        if name in self.model.constants:
            return self.value(place, self.model.constants[name][1], path, step)
        return name

    def _part(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        args = tree.args
        if (name := _dotted(tree)) in place.types:
            return self.variable(place, name, path, step)
        match tree.kind:
            case "field":
                return self.value(place, args[0], (tree.word, *path), step)
            case "index":
                index = self.value(place, args[1], (), step)
                assert isinstance(index, int)
                size = self.places.type(place, args[0])[1]
                # What is out of bounds reads the last element.
                inside = index if 0 <= index < size else size - 1
                return self.value(place, args[0], (inside, *path), step)
            case "field:=":
                if path[0] == tree.word:
                    return self.value(place, args[1], path[1:], step)
                return self.value(place, args[0], path, step)
            case "index:=":
                if path[0] == self.value(place, args[1], (), step):
                    return self.value(place, args[2], path[1:], step)
                return self.value(place, args[0], path, step)
            case "record":
                return self.value(place, args[tree.names.index(path[0])], path[1:], step)
            case _:
                return self.value(place, args[path[0]], path[1:], step)

    # --- time -----------------------------------------------------------------------------

    def _last(self, place: Place, step: int) -> int:
        """Return the step at which a place ran last, -1 before its first run."""
        if not place.clocked:
            return step - 1
        return next((s for s in range(step - 1, -1, -1) if self.runs(place, s)), -1)

    def _previous(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        last = self._last(place, step)
        if last < 0 and self.places.remembers(place, tree, path):
            kind = part(self.places.type(place, tree), path)
            return self.given.memory(Memory("operand", place, tree, "", path, bounded=False), kind)
        return self.value(place, tree, path, last)

    # --- calls ----------------------------------------------------------------------------

    def _called(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        if tree.kind == "call" and tree.word in self.model.functions:
            return self._applied(place, tree, path, step)
        callee = place.calls[tree]
        outputs = callee.node.outputs
        index, inner = (0, path) if len(outputs) == 1 else (path[0], path[1:])
        name = outputs[index][0]
        if step < 0 and (place.clocked or callee.clock is not None):
            kind = part(callee.types[name], inner)
            bounded = not place.clocked
            return self.given.memory(Memory("call", place, tree, name, inner, bounded), kind)
        if callee.clock is None:
            return self.variable(callee, name, inner, step)
        if self.runs(callee, step):
            return self.variable(callee, name, inner, step)
        if step == 0:
            return self.value(*callee.defaults[index], inner, 0)
        return self._called(place, tree, path, step - 1)

    def _applied(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        function = self.model.functions[tree.word]
        index, inner = (0, path) if len(function.outputs) == 1 else (path[0], path[1:])
        args = tuple(
            self.value(place, arg, leaf, step)
            for arg, (_, kind) in zip(tree.args, function.inputs, strict=True)
            for leaf, _ in leaves(self.model.resolved(kind))
        )
        kind = part(self.model.resolved(function.outputs[index][1]), inner)
        return self.given.function(tree.word, (index, *inner), args, kind)

    # --- operators ------------------------------------------------------------------------

    def _binary(self, place: Place, tree: Tree, path: Path, step: int) -> Scalar:
        left, right = tree.args
        word = tree.word
        if word == "->":
            return self.value(place, left if self._last(place, step) < 0 else right, path, step)
        if word in {"=", "<>"}:
            paths = [leaf for leaf, _ in leaves(self.places.type(place, left))]
            equal = all(
                self.value(place, left, leaf, step) == self.value(place, right, leaf, step)
                for leaf in paths
            )
            return equal == (word == "=")
        one: Any = self.value(place, left, path, step)
        if word == "and" and not one:
            return False
        if word == "or" and one:
            return True
        if word == "=>" and not one:
            return True
        other: Any = self.value(place, right, path, step)
        if word in {"/", "div", "mod"} and other == 0:
            return self.given.function(word, (), (one,), ("real",) if word == "/" else ("int",))
        return _applied(word, one, other)


def _dotted(tree: Tree) -> str:
    """Return the name that an expression is in files that other tools wrote; empty for none."""
    if tree.kind == "name":
        return tree.word
    inner = _dotted(tree.args[0]) if tree.kind in {"field", "index"} else ""
    if not inner or tree.kind == "field":
        return inner and f"{inner}.{tree.word}"
    return f"{inner}[{tree.args[1].word}]" if tree.args[1].kind == "int" else ""


def _applied(word: str, one: Any, other: Any) -> Scalar:
    match word:
        case "and" | "or" | "=>":
            return bool(other)
        case "xor":
            return bool(one != other)
        case "+":
            return one + other
        case "-":
            return one - other
        case "*":
            return one * other
        case "/":
            return Fraction(one) / Fraction(other)
        case "<":
            return bool(one < other)
        case "<=":
            return bool(one <= other)
        case ">":
            return bool(one > other)
        case ">=":
            return bool(one >= other)
        case _:
            # The remainder lies between 0 and the size of the divisor.
            rest = one % abs(other)
            return rest if word == "mod" else (one - rest) // other


def _unary(word: str, value: Any) -> Scalar:
    match word:
        case "not":
            return not value
        case "-":
            return -value
        case "real":
            return Fraction(value)
        case _:
            return value.__floor__()
