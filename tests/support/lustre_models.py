"""Random small Lustre models as texts, edits of them, and random executions.

All decisions come from a `random.Random`; with `st.randoms(use_true_random=False)` they are
Hypothesis's, so that failures shrink. Models are causal and well-typed by construction.
"""

from __future__ import annotations

import random
import re
from dataclasses import dataclass, replace
from fractions import Fraction

from hypothesis import strategies as st

from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE
from mutproof.model import sorts, walk
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.sampling import random_choices
from mutproof.model.simulate import Simulator
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, FunctionTable

DECLARATIONS = """\
type small = subrange [0, 2] of int;
type color = enum {RED, GREEN, BLUE};
type point = struct {x: int; y: bool};
const LIMIT = 3;
function f(x: int) returns (y: int);
"""
_COLORS = ("RED", "GREEN", "BLUE")
EVERYTHING = ("bool", "int", "real", "small", "color", "point", "int[2]")
FINITE = ("bool", "bool", "small", "color", "int")


@dataclass(frozen=True)
class Node:
    """Hold the text of a node in parts."""

    name: str
    inputs: tuple[tuple[str, str], ...]
    outputs: tuple[tuple[str, str], ...]
    variables: tuple[tuple[str, str], ...]
    equations: tuple[tuple[tuple[str, ...], str], ...]
    asserts: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()

    @property
    def lines(self) -> list[str]:
        def declared(pairs: tuple[tuple[str, str], ...]) -> str:
            return "; ".join(f"{name}: {kind}" for name, kind in pairs)

        found = [f"node {self.name}({declared(self.inputs)}) returns ({declared(self.outputs)});"]
        if self.variables:
            found.append("var")
            found.extend(f"  {name}: {kind};" for name, kind in self.variables)
        found.append("let")
        found.extend(f"  {', '.join(targets)} = {body};" for targets, body in self.equations)
        found.extend(f"  assert {body};" for body in self.asserts)
        found.extend(f"  --%PROPERTY {name};" for name in self.properties)
        found.append("tel;")
        return found


@dataclass(frozen=True)
class Model:
    """Hold the nodes of a model; the last is the main one."""

    nodes: tuple[Node, ...]

    @property
    def text(self) -> str:
        return DECLARATIONS + "\n".join(line for node in self.nodes for line in node.lines) + "\n"


def elaborated(text: str) -> Elaborated:
    """Return what a text means, with its diagnostics."""
    return LANGUAGE.elaborate(LANGUAGE.parse(SourceText("model.lus", text)))


def accepted(text: str) -> Elaborated:
    """Return what a text means; it must have no errors."""
    found = elaborated(text)
    errors = [d for d in found.diagnostics if d.severity.value == "error"]
    assert [] == errors, (text, errors)
    assert found.program is not None
    return found


# --- expressions ----------------------------------------------------------------------------------


class Writer:
    """Write random expressions over variables; mutable."""

    def __init__(self, source: random.Random, *, finite: bool) -> None:
        self.source = source
        self.finite = finite
        self.now: dict[str, list[str]] = {}  # by type: what may be read in the same step
        self.later: dict[str, list[str]] = {}  # what may be read under `pre`
        self.callees: list[Node] = []

    def chance(self, one_in: int) -> bool:
        return self.source.randrange(one_in) == 0

    def declare(self, name: str, kind: str) -> None:
        self.later.setdefault(kind, []).append(name)

    def define(self, name: str, kind: str) -> None:
        self.now.setdefault(kind, []).append(name)

    def literal(self, kind: str) -> str:
        source = self.source
        match kind:
            case "bool":
                return source.choice(("true", "false"))
            case "int":
                return source.choice(("0", "1", "2", "3", "LIMIT"))
            case "real":
                return source.choice(("0.0", "0.5", "1.0", "2.5"))
            case "small":
                return str(source.randrange(3))
            case "color":
                return source.choice(_COLORS)
            case "point":
                return f"point {{x = {self.literal('int')}; y = {self.literal('bool')}}}"
            case _:
                return f"[{self.literal('int')}, {self.literal('int')}]"

    def leaf(self, kind: str, readable: dict[str, list[str]]) -> str:
        names = list(readable.get(kind, ()))
        if kind == "int":
            names += readable.get("small", [])
        if names and not self.chance(4):
            return self.source.choice(names)
        return self.literal(kind)

    def value(self, kind: str, depth: int, *, before: bool = False) -> str:
        """Write an expression of a type; `before`: it is under a `pre`."""
        readable = self.later if before else self.now
        if depth <= 0:
            return self.leaf(kind, readable)

        def sub(of: str, less: int = 1) -> str:
            return self.value(of, depth - less, before=before)

        roll = self.source.randrange(12)
        if roll == 0:
            return f"(if {sub('bool')} then {sub(kind)} else {sub(kind)})"
        if roll == 1:
            return f"({sub(kind)} -> {sub(kind)})"
        if roll in {2, 3}:
            inner = self.value(kind, depth - 1, before=True)
            if self.finite and (before or kind == "int"):
                return f"({self.literal(kind)} -> pre {inner})" if not before else sub(kind)
            if self.chance(2):
                return f"({sub(kind)} -> pre {inner})"
            return f"(pre {inner})"
        if roll == 4 and not before and not self.finite:
            called = self.called(kind, depth - 1)
            if called is not None:
                return called
        return self._of_kind(kind, sub, readable)

    def _of_kind(self, kind: str, sub, readable: dict[str, list[str]]) -> str:
        source = self.source
        match kind:
            case "bool":
                return self._bool(sub)
            case "int":
                return self._int(sub)
            case "real":
                roll = source.randrange(5)
                if roll == 0:
                    return f"real({sub('int')})"
                if roll == 1:
                    return f"({sub('real')} / {source.choice(('2.0', '4.0', sub('real')))})"
                if roll == 2:
                    return f"({sub('real')} * {self.literal('real')})"
                return f"({sub('real')} {source.choice('+-')} {sub('real')})"
            case "point":
                if self.chance(2):
                    return f"point {{x = {sub('int')}; y = {sub('bool')}}}"
                names = readable.get("point")
                if names:
                    field, of = source.choice((("x", "int"), ("y", "bool")))
                    return f"{source.choice(names)}{{{field} := {sub(of)}}}"
            case "int[2]":
                if self.chance(2):
                    return f"[{sub('int')}, {sub('int')}]"
                names = readable.get("int[2]")
                if names:
                    return f"{source.choice(names)}[{sub('int')} := {sub('int')}]"
            case _:
                pass
        return self.leaf(kind, readable)

    def _bool(self, sub) -> str:
        source = self.source
        roll = source.randrange(10)
        if roll < 5:
            return f"({sub('bool')} {source.choice(('and', 'or', 'xor', '=>'))} {sub('bool')})"
        if roll < 7:
            return f"(not {sub('bool')})"
        if roll == 7:
            kinds = FINITE if self.finite else EVERYTHING
            kind = source.choice([k for k in kinds if k != "real"])
            return f"({sub(kind)} {source.choice(('=', '<>'))} {sub(kind)})"
        kind = "int" if self.finite or self.chance(2) else "real"
        return f"({sub(kind)} {source.choice(('<', '<=', '>', '>='))} {sub(kind)})"

    def _int(self, sub) -> str:
        source = self.source
        roll = source.randrange(10)
        if roll < 4:
            return f"({sub('int')} {source.choice('+-')} {sub('int')})"
        if roll == 4:
            return f"(-{sub('int')})"
        if roll == 5:
            return f"({sub('int')} * {source.choice('234')})"
        if roll < 8:
            by = source.choice("234")
            if not self.finite and self.chance(3):
                by = sub("int")
                by = by if not by.isalnum() or by.islower() else "2"
            return f"({sub('int')} {source.choice(('div', 'mod'))} {by})"
        if self.finite:
            return sub("int")
        if roll == 8:
            return f"f({sub('int')})"
        return source.choice((f"{sub('point', 2)}.x", f"floor({sub('real')})", sub("int")))

    def called(self, kind: str, depth: int) -> str | None:
        """Write a call with one output of a type, under `condact` or not; None: nobody has one."""
        fitting = [n for n in self.callees if [k for _, k in n.outputs] == [kind]]
        if not fitting:
            return None
        return self.call(self.source.choice(fitting), depth)

    def call(self, node: Node, depth: int) -> str:
        arguments = ", ".join(self.value(kind, depth) for _, kind in node.inputs)
        call = f"{node.name}({arguments})"
        if self.chance(2):
            return call
        defaults = ", ".join(self.value(kind, 0) for _, kind in node.outputs)
        return f"condact({self.value('bool', 1)}, {call}, {defaults})"


# --- nodes ----------------------------------------------------------------------------------------


def _node(
    source: random.Random, name: str, callees: list[Node], *, finite: bool, main: bool, size: int
) -> Node:
    kinds = FINITE if finite else EVERYTHING
    open_kinds = [kind for kind in kinds if not (finite and main and kind == "int")]
    writer = Writer(source, finite=finite)
    writer.callees = callees
    inputs = [(f"i{n}", source.choice(open_kinds)) for n in range(source.randint(1, 2))]
    locals_ = [(f"v{n}", source.choice(kinds)) for n in range(source.randint(1, size))]
    outputs = [(f"o{n}", source.choice(kinds)) for n in range(1 if main else source.randint(1, 2))]
    bodies: list[tuple[tuple[tuple[str, str], ...], Node | None]] = []
    bodies += [((variable,), None) for variable in (*locals_, *outputs)]
    extra: list[tuple[str, str]] = []
    for number, callee in enumerate(callees):
        if main or writer.chance(2):
            results = tuple((f"c{number}{n}", kind) for n, (_, kind) in enumerate(callee.outputs))
            extra.extend(results)
            bodies.insert(source.randint(0, len(bodies)), (results, callee))
    for variable, kind in (*inputs, *locals_, *outputs, *extra):
        writer.declare(variable, kind)
    for variable, kind in inputs:
        writer.define(variable, kind)
    equations: list[tuple[tuple[str, ...], str]] = []
    for targets, callee in bodies:
        if callee is not None:
            body = writer.call(callee, 1)
        else:
            body = writer.value(targets[0][1], source.randint(1, 3))
            if finite and targets[0][1] == "int":
                body = f"({body} mod {source.choice('34')})"
        for variable, kind in targets:
            writer.define(variable, kind)
        equations.append((tuple(variable for variable, _ in targets), body))
    properties = []
    for number in range(source.randint(1, 3) if main else source.choice((0, 0, 1))):
        variable = f"p{number}"
        body = _property(writer, equations)
        extra.append((variable, "bool"))
        properties.append(variable)
        equations.append(((variable,), body))
    asserts = ()
    if main and writer.chance(3):
        asserts = (writer.value("bool", 2),)
    if main and not finite and writer.chance(3):
        asserts = (f"(true -> ({writer.value('int', 1)} >= -99))", *asserts)
    source.shuffle(equations)
    return Node(
        name,
        tuple(inputs),
        tuple(outputs),
        (*locals_, *extra),
        tuple(equations),
        asserts,
        tuple(properties),
    )


def _property(writer: Writer, equations: list[tuple[tuple[str, ...], str]]) -> str:
    """Write a property; often one that restates an equation, so that it holds."""
    single = [(t[0], body) for t, body in equations if len(t) == 1 and "condact" not in body]
    roll = writer.source.randrange(5)
    if single and roll < 3:
        target, body = writer.source.choice(single)
        restated = f"({target} = {body})"
        if roll == 0:
            return f"({restated} or {writer.value('bool', 1)})"
        return restated if roll == 1 else f"(true -> {restated})"
    return " or ".join(writer.value("bool", 2) for _ in range(writer.source.randint(1, 3)))


def random_model(source: random.Random, *, finite: bool = False, size: int = 4) -> Model:
    """Return a random model of one to three nodes that the front end accepts."""
    while True:
        model = _model(source, finite=finite, size=size)
        # A constant index or divisor may be out of bounds.
        if all(d.severity.value != "error" for d in elaborated(model.text).diagnostics):
            return model


def _model(source: random.Random, *, finite: bool, size: int) -> Model:
    nodes: list[Node] = []
    for number in range(source.choice((0, 1, 1, 2)) if not finite else source.choice((0, 1))):
        small = 2 if finite else 3
        nodes.append(_node(source, f"n{number}", nodes[:], finite=finite, main=False, size=small))
    nodes.append(_node(source, "top", nodes[:], finite=finite, main=True, size=size))
    return Model(tuple(nodes))


# --- edits ----------------------------------------------------------------------------------------

_EXCHANGES = (
    ("and", "or", "xor", "=>"),
    ("<", "<=", ">", ">="),
    ("=", "<>"),
    ("+", "-"),
    ("true", "false"),
    ("0", "1", "2"),
    ("div", "mod"),
)
_TOKEN = re.compile(
    r"(?<= )(and|or|xor|=>|<=|>=|<>|<|>|=|\+|-|div|mod)(?= )|\b(true|false|0|1|2)\b(?!\.)"
)


def exchanges(body: str) -> list[str]:
    """Return all texts that differ from an expression in one operator or literal."""
    found = []
    for match in _TOKEN.finditer(body):
        for group in _EXCHANGES:
            if match[0] in group:
                found.extend(
                    body[: match.start()] + other + body[match.end() :]
                    for other in group
                    if other != match[0]
                )
    return found


def with_equation(model: Model, node: int, index: int, body: str) -> Model:
    """Return the model with another right-hand side for one equation."""
    old = model.nodes[node]
    equations = list(old.equations)
    equations[index] = (equations[index][0], body)
    nodes = list(model.nodes)
    nodes[node] = replace(old, equations=tuple(equations))
    return Model(tuple(nodes))


def operator_edit(source: random.Random, model: Model) -> Model:
    """Return the model with one operator or literal exchanged; itself if that is not possible."""
    for _ in range(8):
        node = source.randrange(len(model.nodes))
        index = source.randrange(len(model.nodes[node].equations))
        others = exchanges(model.nodes[node].equations[index][1])
        if others:
            changed = with_equation(model, node, index, source.choice(others))
            found = elaborated(changed.text)
            if found.program and all(d.severity.value != "error" for d in found.diagnostics):
                return changed
    return model


def structure_edit(source: random.Random, model: Model) -> Model:
    """Return the model with an equation or a property added, or a property removed."""
    main = model.nodes[-1]
    roll = source.randrange(3)
    if roll == 0 and len(main.properties) > 1:
        changed = replace(main, properties=main.properties[1:])
    elif roll == 1:
        name = f"e{len(main.variables)}"
        booleans = [n for n, kind in (*main.inputs, *main.variables) if kind == "bool"]
        body = f"({source.choice(booleans)} or pre {source.choice(booleans)})"
        changed = replace(
            main,
            variables=(*main.variables, (name, "bool")),
            equations=((((name,), body)), *main.equations),
        )
    else:
        name = f"q{len(main.variables)}"
        booleans = [n for n, kind in (*main.inputs, *main.variables) if kind == "bool"]
        body = f"({source.choice(booleans)} => {source.choice(booleans)})"
        changed = replace(
            main,
            variables=(*main.variables, (name, "bool")),
            equations=(*main.equations, ((name,), body)),
            properties=(*main.properties, name),
        )
    return Model((*model.nodes[:-1], changed))


def token_edit(source: random.Random, text: str) -> str:
    """Return the text with a name, number, operator or type exchanged; it is accepted too.

    Another assertion may be added, or one taken away.
    """
    for _ in range(50):
        kind = source.choice((r"\b[a-z]\w*\b", r"(?<![\w.])\d+(?![\w.])", r"<=|>=|=>|<|>|\+|-"))
        found = [*re.finditer(kind, text)]
        lines = [*re.finditer(r"\n *\w+ = [^;]*;|\n *assert [^;]*;", text)]
        if source.random() < 0.2:
            one, other = source.choice(lines), source.choice(lines)
            name = other[0].split()[0]
            new = "" if "assert" in one[0] else f"{one[0]}\n  assert true -> {name} = {name};"
            new = new.replace(
                f"{name} = {name}", source.choice((name, f"not {name}", f"{name} > 0"))
            )
        else:
            one, new = source.choice(found), source.choice(found)[0]
            if new.isdigit():
                new = str(int(new) + source.choice((0, 1)))
        edited = text[: one.start()] + new + text[one.end() :]
        if edited != text and not any(
            d.severity.value == "error" for d in elaborated(edited).diagnostics
        ):
            return edited
    return text


def moved_text(source: random.Random, text: str) -> str:
    """Return the text with blank lines, comments and spaces added; its meaning is the same."""
    lines = []
    for line in text.splitlines():
        roll = source.randrange(6)
        if roll == 0:
            lines.append("")
        elif roll == 1:
            lines.append("-- nothing to see here")
        elif roll == 2 and line.startswith("  ") and "--" not in line:
            line = f"   {line} (* here neither *)"
        lines.append(line)
    return "\n".join(lines) + "\n\n"


_NAME = re.compile(r"\b(?:[ivocp]\d+|n\d)\b")
_ENDINGS = ("~pre", "~held", "~first", "~clock", "~1", "~0", "~", "!", "!1")


def odd_text(source: random.Random, model: Model) -> str:
    """Return the text with names that look like those of memories, flags and instances."""
    names = list(dict.fromkeys(_NAME.findall(model.text)))
    chosen = ["~first", "~clock", *(name + ending for name in names for ending in _ENDINGS)]
    chosen += [f"n{number}~{name}" for number in (0, 1) for name in names]
    chosen += [f"n{number}~{name}~1" for number in (0, 1) for name in names]
    odd = dict(zip(names, source.sample(chosen, len(names)), strict=True))
    kept = source.randrange(4)  # one in so many keeps its name
    found = {name: name if kept and source.randrange(4) < kept else odd[name] for name in names}
    return _NAME.sub(lambda match: found[match[0]], model.text)


# --- executions -----------------------------------------------------------------------------------


def choices_of(source: random.Random, system: TransitionSystem, steps: int = 6) -> Choices:
    """Return random inputs, initial memories and function tables."""
    plain = random.Random(source.getrandbits(32))
    chosen = random_choices(Simulator(system), plain, steps, 0.3)
    return Choices(chosen.steps, chosen.before, function_tables(plain, system))


def function_tables(
    source: random.Random, system: TransitionSystem
) -> dict[tuple[str, int], FunctionTable]:
    """Return random interpretations of everything uninterpreted in a system."""
    found: dict[tuple[str, int], FunctionTable] = {}
    terms = [c.term for c in system.constraints] + [p.term for p in system.properties]
    for root in terms:
        for term in walk.subterms(root):
            if term.op is Op.APPLY and term.payload not in found:
                real = isinstance(term.sort, sorts.RealSort)
                values = [Fraction(n) if real else n for n in (7, -1, 0)]
                arguments = [Fraction(n) for n in (0, 1)] if real else [0, 1]
                entries = {}
                if len(term.args) == 1:
                    entries = {(key,): source.choice(values) for key in arguments}
                key = (str(term.payload[0]), int(str(term.payload[1])))  # type: ignore[index]
                found[key] = FunctionTable(entries, source.choice(values))
    return found


# --- strategies -----------------------------------------------------------------------------------


def sources() -> st.SearchStrategy[random.Random]:
    """Return sources of decisions."""
    return st.integers(0, 2**32 - 1).map(random.Random)


def models(*, finite: bool = False, size: int = 4) -> st.SearchStrategy[Model]:
    """Return random models."""
    return sources().map(lambda source: random_model(source, finite=finite, size=size))
