"""Random Lustre texts with what is easily got wrong: odd names, parts, bounds, clocks, dead ends.

Texts are well-typed and small. What a text may contain is chosen by features, so that a failure
can be narrowed down to one.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, field
from enum import Enum


class Feature(Enum):
    """Name what a text may contain beside plain equations."""

    NAMES = "odd identifiers"
    PARTS = "properties that are parts of records and arrays"
    TUPLES = "equations with several targets, one of them a property"
    BOUNDS = "indices that may be out of bounds"
    CONDACTS = "calls under a clock, also nested"
    DEAD_ENDS = "assertions that run out"
    EQUAL_CALLS = "calls written more than once"
    UNGUARDED = "pre that is read at the first step"
    FUNCTIONS = "uninterpreted functions"
    PROPERTY_CALLS = "calls in the equations of properties"
    STATEFUL_PRE = "pre over what has state itself"
    DIVISION = "division by what may be zero"
    LOOPS = "equations that depend on each other at one step"


ALL = frozenset(Feature)

_NAME = re.compile(r"[a-zA-Z_~!][a-zA-Z_0-9~!]*")

_TYPES = """\
type small = subrange [0, 2] of int;
type color = enum {RED, GREEN, BLUE};
type point = struct {x: int; ok: bool; s: small};
const LIMIT = 3;
const ON = true;
"""
_FUNCTION = "function f(x: int; b: bool) returns (y: int);\n"
_KINDS = ("bool", "bool", "int", "int", "small", "color", "point", "int[3]", "bool[2]", "real")
_ODD = (
    "x~pre", "x", "~first", "~init", "~clock", "n0~t", "n0~o0", "x~0", "~", "_", "a~pre~pre",
    "x!", "x~clocked", "x~default", "~flatten0", "~state0", "o0~pre", "a_pre", "n0~o0~clock", "x~1",
    "x~aux", "first", "clock",
)  # fmt: skip


@dataclass
class _Node:
    name: str
    inputs: list[tuple[str, str]] = field(default_factory=list)
    outputs: list[tuple[str, str]] = field(default_factory=list)
    locals: list[tuple[str, str]] = field(default_factory=list)
    statements: list[str] = field(default_factory=list)

    def text(self) -> str:
        def listed(pairs: list[tuple[str, str]]) -> str:
            return "; ".join(f"{name}: {kind}" for name, kind in pairs)

        local = f"var {listed(self.locals)};\n" if self.locals else ""
        body = "".join(f"  {statement}\n" for statement in self.statements)
        return (
            f"node {self.name}({listed(self.inputs)}) returns ({listed(self.outputs)});\n"
            f"{local}let\n{body}tel;\n"
        )


def random_text(source: random.Random, features: frozenset[Feature] = ALL) -> str:
    """Return a random text of one to three nodes; each feature is in about half of the texts."""
    kept = frozenset(f for f in Feature if f in features and source.random() < 0.5)
    nodes: list[_Node] = []
    for number in range(source.choice((0, 1, 1, 2))):
        nodes.append(_NodeWriter(source, kept, f"n{number}", nodes, main=False).node)
    nodes.append(_NodeWriter(source, kept, "top", nodes, main=True).node)
    function = _FUNCTION if Feature.FUNCTIONS in kept else ""
    return _TYPES + function + "".join(node.text() for node in nodes)


def _renamed(targets: list[tuple[str, str]]) -> list[tuple[str, str]]:
    return [(f"e{name[1:]}", kind) for name, kind in targets]


class _NodeWriter:
    """Write a node: each equation reads what is defined before it, `pre` reads everything."""

    def __init__(
        self,
        source: random.Random,
        features: frozenset[Feature],
        name: str,
        callees: list[_Node],
        *,
        main: bool,
    ) -> None:
        self.source = source
        self.features = features
        self.callees = list(callees)
        self.main = main
        self.node = _Node(name)
        self.names = [n for n in source.sample(_ODD, len(_ODD)) if Feature.NAMES in features]
        self.now: list[tuple[str, str]] = []
        self.later: list[tuple[str, str]] = []
        self.told: list[str] = []  # calls written so far
        self.tuples: dict[str, str] = {}  # calls of which all outputs have names, by node
        self.single: list[tuple[str, str]] = []
        self._write()

    def chance(self, one_in: int) -> bool:
        return self.source.randrange(one_in) == 0

    def has(self, feature: Feature) -> bool:
        return feature in self.features

    def fresh(self, plain: str) -> str:
        return self.names.pop() if self.names and self.chance(2) else plain

    # --- the node -------------------------------------------------------------------------

    def _write(self) -> None:
        source, node = self.source, self.node
        kinds = [kind for kind in _KINDS if kind != "real" or self.chance(3)]
        node.inputs = [
            (self.fresh(f"i{n}"), source.choice(kinds)) for n in range(source.randint(1, 2))
        ]
        most = 3 if self.main else 2
        node.locals = [
            (self.fresh(f"v{n}"), source.choice(kinds)) for n in range(source.randint(0, most))
        ]
        node.outputs = [
            (self.fresh(f"o{n}"), source.choice(kinds)) for n in range(source.randint(1, 2))
        ]
        results: dict[str, list[tuple[str, str]]] = {}
        for number, callee in enumerate(self.callees):
            several = len(callee.outputs) > 1 or self.chance(3)
            if several and (self.main or self.chance(2)):
                results[callee.name] = [
                    (f"c{number}{n}", kind) for n, (_, kind) in enumerate(callee.outputs)
                ]
        todo: list[tuple[list[tuple[str, str]], _Node | None]] = [
            ([variable], None) for variable in (*node.locals, *node.outputs)
        ]
        for callee in self.callees:
            if callee.name in results:
                twice = self.has(Feature.EQUAL_CALLS) and self.chance(2)
                for targets in (results[callee.name], _renamed(results[callee.name]))[: 1 + twice]:
                    todo.insert(source.randint(0, len(todo)), (targets, callee))
                    node.locals.extend(targets)
        self.later = node.inputs + node.locals + node.outputs
        self.now = list(node.inputs)
        for targets, called in todo:
            self._equation(targets, called)
        self._properties()
        if self.main:
            self._assertions()
        source.shuffle(node.statements)

    def _equation(self, targets: list[tuple[str, str]], callee: _Node | None) -> None:
        name, kind = targets[0]
        if callee is not None:
            if callee.name not in self.tuples or self.chance(4):
                self.tuples[callee.name] = self.call(callee, 1)
            body = self.tuples[callee.name]
        elif self.has(Feature.LOOPS) and self.chance(4):
            body = self._loop(name, kind)
        elif self.has(Feature.EQUAL_CALLS) and self.chance(3) and (again := self._told(kind)):
            body = again
        elif kind == "int" and self.chance(3):
            counted = f"if {self.value('bool', 1)} then pre {name} + 1 else pre {name}"
            body = f"({self.literal('int')} -> ({counted}))"
        else:
            body = self.value(kind, self.source.randint(1, 3))
        self.node.statements.append(f"{', '.join(n for n, _ in targets)} = {body};")
        if len(targets) == 1:
            self.single.append((name, body))
        self.now.extend(targets)

    def _loop(self, name: str, kind: str) -> str:
        """Return a body that may need its variable, or later ones, at the same step."""
        roll = self.source.randrange(6)
        if roll == 0:
            return name
        if roll == 1:
            return f"(if {self.value('bool', 1)} then {name} else {self.value(kind, 1)})"
        if roll == 2 and kind in {"bool", "int"}:
            again = f"({name} {'and' if kind == 'bool' else '+'} {self.value(kind, 1)})"
            return f"(if {self.value('bool', 1)} then {again} else {self.value(kind, 1)})"
        known, self.now = self.now, self.later
        body = self.value(kind, self.source.randint(1, 2))
        self.now = known
        return body

    def _properties(self) -> None:
        booleans = [name for name, kind in self.node.outputs + self.node.locals if kind == "bool"]
        stated: list[str] = []
        for number in range(
            self.source.randint(1, 2) if self.main else self.source.choice((0, 0, 1))
        ):
            roll = self.source.randrange(6)
            parts = self._parts()
            if roll == 0 and self.has(Feature.PARTS) and parts:
                stated.append(self.source.choice(parts))
            elif roll == 1 and self.has(Feature.TUPLES) and booleans:
                stated.append(self.source.choice(booleans))
            else:
                name = f"p{number}"
                self.node.locals.append((name, "bool"))
                self.node.statements.append(f"{name} = {self._stated()};")
                stated.append(name)
        for name in dict.fromkeys(stated):
            self.node.statements.append(f"--%PROPERTY {name};")

    def _parts(self) -> list[str]:
        found = []
        for name, kind in self.node.outputs + self.node.locals:
            if kind == "point":
                found.append(f"{name}.ok")
            elif kind == "bool[2]":
                found += [f"{name}[0]", f"{name}[1]"]
        return found

    def _stated(self) -> str:
        """Return the body of a property; mostly one that may hold."""
        kinds = [node.outputs[0][1] for node in self.callees if len(node.outputs) == 1]
        if self.has(Feature.EQUAL_CALLS) and kinds and self.chance(3):
            kind = self.source.choice(kinds)
            call = self._told(kind) or self.called(kind, 1)
            names = [name for name, body in self.single if body == call]
            return f"({self.source.choice([*names, call])} = {call})"
        if self.tuples and self.has(Feature.EQUAL_CALLS) and self.chance(2):
            known = dict(self.node.locals)
            pairs = [n for n in known if n[0] == "c" and f"e{n[1:]}" in known]
            if pairs:
                name = self.source.choice(pairs)
                return f"({name} = e{name[1:]})"
        roll = self.source.randrange(8)
        calls = self.has(Feature.PROPERTY_CALLS)
        if self.single and roll < 3:
            name, body = self.source.choice(self.single)
            if calls or not any(f"{node.name}(" in body for node in self.callees):
                restated = f"({name} = {body})"
                return restated if roll == 0 else f"(true -> {restated})"
        smalls = self.readable("small", self.now)
        if smalls and roll == 3:
            return f"{self.source.choice(smalls)} <= {self.source.choice('12')}"
        if roll == 4:
            inner = self.value(self.source.choice(("int", "bool", "small", "color")), 2)
            kind_is_same = f"({inner}) = ({inner})"
            return f"{kind_is_same} or {self.value('bool', 1)}"
        if roll == 5:
            return f"({self.value('int', 1)} >= -{self.source.choice('0129')})"
        return " or ".join(self.value("bool", 2) for _ in range(self.source.randint(1, 3)))

    def _assertions(self) -> None:
        add = self.node.statements.append
        if self.chance(4):
            add(f"assert {self.value('bool', 2)};")
        if self.has(Feature.DEAD_ENDS):
            self.node.locals.append(("steps", "int"))
            add("steps = 0 -> pre steps + 1;")
            add(f"assert steps < {self.source.randint(1, 6)};")

    # --- expressions ----------------------------------------------------------------------

    def readable(self, kind: str, variables: list[tuple[str, str]]) -> list[str]:
        found = []
        for name, of in variables:
            if of == kind or (kind == "int" and of == "small"):
                found.append(name)
            elif of == "point" and kind in {"int", "bool", "small"}:
                found.append(f"{name}.{ {'int': 'x', 'bool': 'ok', 'small': 's'}[kind] }")
            elif of == "int[3]" and kind == "int":
                found.append(f"{name}[{self.source.randrange(3)}]")
            elif of == "bool[2]" and kind == "bool":
                found.append(f"{name}[{self.source.randrange(2)}]")
        return found

    def literal(self, kind: str) -> str:
        source = self.source
        match kind:
            case "bool":
                return source.choice(("true", "false", "ON"))
            case "int":
                return source.choice(("0", "1", "2", "3", "LIMIT", "(-1)"))
            case "real":
                return source.choice(("0.0", "0.5", "1.0", "2.5"))
            case "small":
                return str(source.randrange(3))
            case "color":
                return source.choice(("RED", "GREEN", "BLUE"))
            case "point":
                inside = (self.literal("int"), self.literal("bool"), self.literal("small"))
                return "point {{x = {}; ok = {}; s = {}}}".format(*inside)
            case "int[3]":
                return f"[{self.literal('int')}, {self.literal('int')}, {self.literal('int')}]"
            case _:
                return f"[{self.literal('bool')}, {self.literal('bool')}]"

    def value(self, kind: str, depth: int, *, before: bool = False) -> str:
        """Write an expression of a type; `before`: it stands under a `pre`."""
        source = self.source
        variables = self.later if before else self.now
        names = self.readable(kind, variables)
        if depth <= 0:
            return source.choice(names) if names and not self.chance(4) else self.literal(kind)

        def sub(of: str, less: int = 1) -> str:
            return self.value(of, depth - less, before=before)

        roll = source.randrange(14)
        if roll == 0:
            return f"(if {sub('bool')} then {sub(kind)} else {sub(kind)})"
        if roll == 1 and (not before or self.has(Feature.STATEFUL_PRE)):
            return f"({sub(kind)} -> {sub(kind)})"
        if roll in {2, 3} and (not before or self.has(Feature.STATEFUL_PRE)):
            inner = f"pre {self.value(kind, depth - 1, before=True)}"
            return f"({inner})" if self.has(Feature.UNGUARDED) else f"({sub(kind)} -> {inner})"
        if roll in {4, 5} and not before and (called := self.called(kind, depth - 1)):
            return called
        told = self._told(kind) if roll == 6 and not before else ""
        if told and self.has(Feature.EQUAL_CALLS):
            return told
        if roll == 7 and names:
            return source.choice(names)
        return self._made(kind, sub, names)

    def _made(self, kind: str, sub, names: list[str]) -> str:  # type: ignore[no-untyped-def]
        source = self.source
        match kind:
            case "bool":
                return self._bool(sub)
            case "int":
                return self._int(sub)
            case "real":
                inner = sub("int", 2)
                return source.choice(
                    (f"real({inner})", f"({sub('real')} + {sub('real')})", f"({sub('real')} / 2.0)")
                )
            case "point":
                if self.chance(2) or not names:
                    return f"point {{x = {sub('int')}; ok = {sub('bool')}; s = {sub('small')}}}"
                name, of = source.choice((("x", "int"), ("ok", "bool"), ("s", "small")))
                return f"{source.choice(names)}{{{name} := {sub(of)}}}"
            case "int[3]" | "bool[2]":
                of, size = ("int", 3) if kind == "int[3]" else ("bool", 2)
                if self.chance(2) or not names:
                    return f"[{', '.join(sub(of) for _ in range(size))}]"
                return f"{source.choice(names)}[{self._index(sub, size)} := {sub(of)}]"
            case _:
                return source.choice(names) if names else self.literal(kind)

    def _index(self, sub, size: int) -> str:  # type: ignore[no-untyped-def]
        if not self.has(Feature.BOUNDS):
            return str(self.source.randrange(size))
        index: str = sub("int")
        return index if self.varies(index) else str(self.source.randrange(size))

    def varies(self, text: str) -> bool:
        """Tell whether an expression and all its conditions have variables in them.

        It is looked for no constant then: a branch that is always taken may be one.
        """
        parts = [text, *(piece.partition(" then ")[0] for piece in text.split("(if ")[1:])]
        names = {name for name, _ in self.later}
        return all(names & set(_NAME.findall(part)) for part in parts)

    def _bool(self, sub) -> str:  # type: ignore[no-untyped-def]
        source = self.source
        roll = source.randrange(10)
        if roll < 4:
            return f"({sub('bool')} {source.choice(('and', 'or', 'xor', '=>'))} {sub('bool')})"
        if roll == 4:
            return f"(not {sub('bool')})"
        if roll == 5:
            kind = source.choice(("bool", "int", "small", "color", "point", "int[3]"))
            return f"({sub(kind)} {source.choice(('=', '<>'))} {sub(kind)})"
        arrays = [name for name, kind in self.now if kind == "bool[2]"]
        if roll == 6 and arrays and self.has(Feature.BOUNDS):
            return f"{source.choice(arrays)}[{self._index(sub, 2)}]"
        return f"({sub('int')} {source.choice(('<', '<=', '>', '>='))} {sub('int')})"

    def _int(self, sub) -> str:  # type: ignore[no-untyped-def]
        source = self.source
        roll = source.randrange(10)
        if roll < 4:
            return f"({sub('int')} {source.choice('+-')} {sub('int')})"
        if roll == 4:
            return f"({sub('int')} * {source.choice(('2', '(-1)'))})"
        if roll in {5, 6}:
            by = source.choice(("2", "3", "(-2)"))
            if self.has(Feature.DIVISION) and self.chance(2):
                divisor = sub("int")
                by = divisor if self.varies(divisor) else by
            return f"({sub('int')} {source.choice(('div', 'mod'))} {by})"
        if roll == 7 and self.has(Feature.FUNCTIONS):
            return f"f({sub('int')}, {sub('bool')})"
        arrays = [name for name, kind in self.now if kind == "int[3]"]
        if roll == 8 and arrays and self.has(Feature.BOUNDS):
            return f"{source.choice(arrays)}[{self._index(sub, 3)}]"
        return f"(- {sub('int')})" if roll == 9 else str(sub("int"))

    # --- calls ----------------------------------------------------------------------------

    def called(self, kind: str, depth: int) -> str:
        """Write a call of that type, empty where no node gives it."""
        fitting = [n for n in self.callees if [of for _, of in n.outputs] == [kind]]
        if not fitting:
            return ""
        if self.has(Feature.EQUAL_CALLS) and self.chance(3) and (again := self._told(kind)):
            return again
        text = self.call(self.source.choice(fitting), depth)
        self.told.append(f"{kind}:{text}")
        return text

    def _told(self, kind: str) -> str:
        """Return a call that was written before, empty for none."""
        same = [text for text in self.told if text.startswith(f"{kind}:")]
        return self.source.choice(same).removeprefix(f"{kind}:") if same else ""

    def call(self, node: _Node, depth: int) -> str:
        args = ", ".join(self.value(kind, depth) for _, kind in node.inputs)
        call = f"{node.name}({args})"
        if not self.has(Feature.CONDACTS) or self.chance(3):
            return call
        defaults = ", ".join(self.value(kind, 0) for _, kind in node.outputs)
        return f"condact({self.value('bool', 1)}, {call}, {defaults})"
