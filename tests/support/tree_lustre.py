"""A second reading of what Lustre means, taken from the text: it shares no code with the product.

A value is asked for at a step, and at a path into records, arrays and tuples: `value(x, path, t)`.
There is no state and no order; `pre e` is `e` at the step at which its node ran last. Before the
first run, at step -1, variables are arbitrary, and so is as a whole what has state: these values
come from `Given`, as inputs do. Models are small, so it recurses.

Source: JKind 4.6, packages `jkind.translation` and `jkind.engines`, and its verdicts.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Protocol, TypeAlias

from support.tree_lustre_text import BOOL, INT, REAL, ModelText, NodeText, Tree, Type

Path: TypeAlias = tuple[Any, ...]
Scalar: TypeAlias = bool | int | Fraction | str


@dataclass(eq=False, slots=True)
class Place:
    """Hold one execution of a node: equal calls are one.

    `clock` is the place and the condition under which it runs, None for always; `calls` gives the
    place that a call or condact in it makes.
    """

    name: str
    node: NodeText
    number: int
    arguments: dict[str, tuple[Place, Tree]] = field(default_factory=dict)
    defaults: list[tuple[Place, Tree]] = field(default_factory=list)
    clock: tuple[Place, Tree] | None = None
    clocked: bool = False
    outer: Place | None = None
    calls: dict[Tree, Place] = field(default_factory=dict)
    types: dict[str, Type] = field(default_factory=dict)
    bodies: dict[str, tuple[Tree, int | None]] = field(default_factory=dict)


class Given(Protocol):
    """Give the values that an execution is free to choose.

    `guesses`: other values of loops may be tried than those that are given.
    """

    guesses: bool

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        """Return the value of a variable that nothing defines."""

    def memory(self, what: Memory, kind: Type) -> Scalar:
        """Return a value from before the first step."""

    def function(self, name: str, path: Path, args: tuple[Scalar, ...], kind: Type) -> Scalar:
        """Return the value of an uninterpreted function, or of a division by zero."""

    def looped(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Return the value of a variable that depends on itself; it will be checked."""

    def is_free(self, place: Place, name: str) -> bool:
        """Tell whether a variable, of a loop, may have any value while its place does not run."""


@dataclass(frozen=True, slots=True)
class Memory:
    """Name a value from before the first run of a place.

    `what` is "variable", "operand" (of the `pre` at `tree`) or "call" (at `tree`, of the output
    `name`). `bounded`: it is known to belong to its type.
    """

    what: str
    place: Place
    tree: Tree | None
    name: str
    path: Path
    bounded: bool


class NoOrderError(Exception):
    """Say that a value that was given for a loop is not the `value` that follows from it."""

    def __init__(self, key: tuple[Place, str, Path, int], value: Scalar) -> None:
        place, name, path, step = key
        super().__init__(f"{place.name}{name}{path} at step {step}")
        self.key = key
        self.value = value


class Places:
    """Unfold the calls of a model, and know the types of its expressions."""

    def __init__(self, model: ModelText) -> None:
        self.model = model
        self.values = {
            value: kind for kind in model.types.values() if kind[0] == "enum" for value in kind[1]
        }
        self.all: list[Place] = []
        self._made: dict[Any, Place] = {}
        self.main = self._place(model.nodes[model.main], None, "")
        position = 0
        while position < len(self.all):
            self._unfold(self.all[position])
            position += 1

    def _place(self, node: NodeText, outer: Place | None, name: str) -> Place:
        place = Place(name, node, len(self.all), outer=outer)
        place.types = {name: self.model.resolved(kind) for name, kind in node.variables()}
        for targets, body in node.equations:
            for index, target in enumerate(targets):
                place.bodies[target] = (body, index if len(targets) > 1 else None)
        self.all.append(place)
        return place

    def _unfold(self, place: Place) -> None:
        for targets, body in place.node.equations:
            self._calls(place, body, f"{place.name}{targets[0] if targets else ''}")
        if place is self.main:
            for number, stated in enumerate(place.node.asserts):
                self._calls(place, stated, f"assert {number}")

    def _calls(self, place: Place, tree: Tree, owner: str) -> None:
        args = tree.args
        if tree.kind == "condact":
            clock, call, *defaults = args
            if self._is_true(clock):
                self._calls(place, call, owner)
                place.calls[tree] = place.calls[call]
                return
            self._call(place, tree, (call, clock, defaults), owner)
            args = [clock, *call.args, *defaults]
        elif tree.kind == "call" and tree.word in self.model.nodes:
            self._call(place, tree, (tree, None, []), owner)
        for arg in args:
            self._calls(place, arg, owner)

    def _call(
        self, place: Place, tree: Tree, made_of: tuple[Tree, Tree | None, list[Tree]], owner: str
    ) -> None:
        call, clock, defaults = made_of
        key = self._key(place, tree)
        if key not in self._made:
            node = self.model.nodes[call.word]
            made = self._place(node, place, self._fresh(f"{owner}/{node.name}"))
            made.arguments = {
                name: (place, arg) for (name, _), arg in zip(node.inputs, call.args, strict=True)
            }
            made.defaults = [(place, default) for default in defaults]
            made.clock = None if clock is None else (place, clock)
            made.clocked = clock is not None or place.clocked
            self._made[key] = made
        place.calls[tree] = self._made[key]

    def _fresh(self, name: str) -> str:
        """Return a name for a place; calls in one equation are numbered."""
        number = sum(1 for place in self.all if place.name.startswith(f"{name}#"))
        return f"{name}#{number}."

    def _is_true(self, tree: Tree) -> bool:
        if tree.kind == "name" and tree.word in self.model.constants:
            return self._is_true(self.model.constants[tree.word][1])
        return tree.kind == "truth" and tree.word == "true"

    def _key(self, place: Place, tree: Tree) -> Any:
        """Return what two expressions have in common if and only if they read the same."""
        if tree.kind == "name":
            if tree.word in place.types:
                return (place.number, tree.word)
            if tree.word in self.model.constants:
                return self._key(place, self.model.constants[tree.word][1])
            return tree.word
        if tree.kind == "condact" and self._is_true(tree.args[0]):
            return self._key(place, tree.args[1])
        parts = tuple(self._key(place, arg) for arg in tree.args)
        word = int(tree.word) if tree.kind == "int" else tree.word
        clock = None
        if tree.kind in {"call", "condact"} and place.clocked:
            clock = place.number
        return (tree.kind, word, tuple(tree.names), parts, clock)

    # --- types ----------------------------------------------------------------------------

    def type(self, place: Place, tree: Tree) -> Type:
        """Return the type of an expression; ranges are those of the variables it reads."""
        match tree.kind:
            case "name":
                return self._name_type(place, tree.word)
            case "int":
                return INT
            case "real":
                return REAL
            case "truth":
                return BOOL
            case "unary":
                inner = BOOL if tree.word == "not" else self.type(place, tree.args[0])
                return INT if inner[0] == "range" else inner
            case "cast":
                return REAL if tree.word == "real" else INT
            case "binary":
                return self._operator_type(place, tree)
            case "if":
                return self.type(place, tree.args[1])
            case "pre" | "field:=" | "index:=":
                return self.type(place, tree.args[0])
            case "field":
                record = self.type(place, tree.args[0])
                found: Type = dict(record[1])[tree.word]
                return found
            case "index":
                return self.type(place, tree.args[0])[2]
            case "record":
                return self.model.resolved(("named", tree.word))
            case "array":
                return ("array", len(tree.args), self.type(place, tree.args[0]))
            case "tuple":
                return ("tuple", tuple(self.type(place, arg) for arg in tree.args))
            case "condact":
                return self.type(place, tree.args[1])
            case _:
                nodes, functions = self.model.nodes, self.model.functions
                outputs = (nodes.get(tree.word) or functions[tree.word]).outputs
                kinds = tuple(self.model.resolved(kind) for _, kind in outputs)
                return kinds[0] if len(kinds) == 1 else ("tuple", kinds)

    def _name_type(self, place: Place, name: str) -> Type:
        if name in place.types:
            return place.types[name]
        if name in self.model.constants:
            kind, body = self.model.constants[name]
            return self.type(place, body) if kind is None else self.model.resolved(kind)
        return self.values[name]

    def _operator_type(self, place: Place, tree: Tree) -> Type:
        match tree.word:
            case "->":
                return self.type(place, tree.args[0])
            case "+" | "-" | "*" | "/" | "div" | "mod":
                inner = self.type(place, tree.args[0])
                return INT if inner[0] == "range" else inner
            case _:
                return BOOL

    def remembers(self, place: Place, tree: Tree, path: Path) -> bool:
        """Tell whether the part of an expression at a path has a `pre` or a `->` in it.

        As JKind sees it: records and arrays are taken apart first, and calls are names.
        """
        args = tree.args
        match tree.kind:
            case "pre":
                return True
            case "condact":
                return False
            case "name" if tree.word in self.model.constants and tree.word not in place.types:
                return self.remembers(place, self.model.constants[tree.word][1], path)
            case "record":
                return self.remembers(place, args[tree.names.index(path[0])], path[1:])
            case "array" | "tuple":
                return self.remembers(place, args[path[0]], path[1:])
            case "field":
                return self.remembers(place, args[0], (tree.word, *path))
            case "field:=":
                chosen = 1 if path[0] == tree.word else 0
                return self.remembers(place, args[chosen], path[chosen:])
            case "index" | "index:=":
                return self._remembers_indexed(place, tree, path)
            case "if":
                chosen_parts = any(self.remembers(place, arg, path) for arg in args[1:])
                return chosen_parts or self.remembers(place, args[0], ())
            case "binary" if tree.word == "->":
                return True
            case "call" if tree.word in self.model.nodes:
                return False
            case _:
                return any(
                    self.remembers(place, arg, leaf)
                    for arg in args
                    for leaf, _ in leaves(self.type(place, arg))
                )

    def _remembers_indexed(self, place: Place, tree: Tree, path: Path) -> bool:
        array, index, *values = tree.args
        size = self.type(place, array)[1]
        number = self._literal(index)
        if tree.kind == "index":
            read = range(size) if number is None else [number]
            return self._remembers_any(place, array, [(i, *path) for i in read], index)
        if number is not None:
            written = number == path[0]
            return self.remembers(place, *((values[0], path[1:]) if written else (array, path)))
        return self._remembers_any(place, array, [path], index) or self.remembers(
            place, values[0], path[1:]
        )

    def _remembers_any(self, place: Place, array: Tree, paths: list[Path], index: Tree) -> bool:
        return self.remembers(place, index, ()) or any(
            self.remembers(place, array, path) for path in paths
        )

    def _literal(self, tree: Tree) -> int | None:
        if tree.kind == "name" and tree.word in self.model.constants:
            return self._literal(self.model.constants[tree.word][1])
        return int(tree.word) if tree.kind == "int" else None


def leaves(kind: Type) -> Iterator[tuple[Path, Type]]:
    """Yield the paths to the scalars of a type, and their types."""
    match kind:
        case ("array", size, of):
            for index in range(size):
                for path, leaf in leaves(of):
                    yield (index, *path), leaf
        case ("record", fields):
            for name, of in fields:
                for path, leaf in leaves(of):
                    yield (name, *path), leaf
        case ("tuple", parts):
            for index, of in enumerate(parts):
                for path, leaf in leaves(of):
                    yield (index, *path), leaf
        case _:
            yield (), kind


def part(kind: Type, path: Path) -> Type:
    """Return the type of what stands at a path."""
    for step in path:
        match kind:
            case ("array", _, of):
                kind = of
            case ("record", fields):
                kind = dict(fields)[step]
            case (_, parts):
                kind = parts[step]
            case _:
                raise KeyError(path)
    return kind


def belongs(value: Scalar, kind: Type) -> bool:
    """Tell whether a scalar is a value of its type."""
    match kind:
        case ("range", low, high):
            return bool(low <= value <= high)
        case ("enum", values):
            return value in values
        case _:
            return True
