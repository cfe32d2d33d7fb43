"""A tree of a Lustre text, made for `tree_lustre` alone: it shares no code with the product.

Source: the grammar of JKind 4.6 (Lustre.g4). Texts are well-formed, so nothing is reported.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

Type = tuple[Any, ...]
"""("int",), ("bool",), ("real",), ("range", low, high), ("enum", values), ("array", size, of),
("record", ((name, type), …)), ("tuple", types); ("named", name) until it is resolved."""

INT: Type = ("int",)
BOOL: Type = ("bool",)
REAL: Type = ("real",)


@dataclass(eq=False, slots=True)
class Tree:
    """Hold an expression; `word` is its operator, name or digits, `names` its fields.

    `start` and `end` are 0-based offsets in the text, parentheses around it left out.
    """

    kind: str
    word: str
    args: list[Tree]
    start: int
    end: int
    names: list[str] = field(default_factory=list)


@dataclass(eq=False, slots=True)
class NodeText:
    """Hold a node, or a function, which has no equations."""

    name: str
    inputs: list[tuple[str, Type]]
    outputs: list[tuple[str, Type]]
    locals: list[tuple[str, Type]] = field(default_factory=list)
    equations: list[tuple[list[str], Tree]] = field(default_factory=list)
    asserts: list[Tree] = field(default_factory=list)
    properties: list[Tree] = field(default_factory=list)

    def variables(self) -> list[tuple[str, Type]]:
        """Return all variables with their types."""
        return [*self.inputs, *self.outputs, *self.locals]


@dataclass(eq=False, slots=True)
class ModelText:
    """Hold the declarations of a file; `main` is the node it is about."""

    types: dict[str, Type] = field(default_factory=dict)
    constants: dict[str, tuple[Type | None, Tree]] = field(default_factory=dict)
    nodes: dict[str, NodeText] = field(default_factory=dict)
    functions: dict[str, NodeText] = field(default_factory=dict)
    main: str = ""

    def resolved(self, kind: Type) -> Type:
        """Return a type without names of types in it."""
        match kind:
            case ("named", name):
                return self.resolved(self.types[name])
            case ("array", size, of):
                return ("array", size, self.resolved(of))
            case ("record", fields):
                return ("record", tuple((name, self.resolved(of)) for name, of in fields))
            case ("tuple", parts):
                return ("tuple", tuple(self.resolved(part) for part in parts))
            case _:
                return kind


def read(text: str) -> ModelText:
    """Return the tree of a text.

    Raises:
        ValueError: it is not Lustre.
    """
    return _Reader(text).model()


_TOKEN = re.compile(
    r"""(?P<space>[ \t\r\n\f]+|--(?!%)[^\n]*|\(\*.*?\*\))
    |(?P<pragma>--%[A-Z]+)
    |(?P<foreign>--%[^\n]*)
    |(?P<real>[0-9]+\.[0-9]+)|(?P<int>[0-9]+)
    |(?P<id>[a-zA-Z_~!][a-zA-Z_0-9~!]*)
    |(?P<mark>=>|->|<=|>=|<>|:=|[-+*/<>=().,;:{}\[\]])""",
    re.VERBOSE | re.DOTALL,
)
_LEVELS = (
    ("->",),
    ("=>",),
    ("or", "xor"),
    ("and",),
    ("<", "<=", ">", ">=", "=", "<>"),
    ("+", "-"),
    ("*", "/", "div", "mod"),
)
_FROM_THE_RIGHT = 2
_PRAGMAS = ("--%PROPERTY", "--%MAIN", "--%REALIZABLE", "--%IVC")


class _Reader:
    def __init__(self, text: str) -> None:
        self.tokens: list[tuple[str, str, int, int]] = []
        position = 0
        while position < len(text):
            found = _TOKEN.match(text, position)
            if found is None:
                message = f"no token at {position}: {text[position : position + 20]!r}"
                raise ValueError(message)
            kind = str(found.lastgroup)
            if kind == "pragma" and found[0] not in _PRAGMAS:
                end = text.find("\n", position)
                position = len(text) if end < 0 else end
                continue
            if kind not in {"space", "foreign"}:
                self.tokens.append((kind, found[0], found.start(), found.end()))
            position = found.end()
        self.tokens.append(("end", "", len(text), len(text)))
        self.at = 0

    # --- tokens ---------------------------------------------------------------------------

    @property
    def word(self) -> str:
        return self.tokens[self.at][1]

    @property
    def start(self) -> int:
        return self.tokens[self.at][2]

    @property
    def ended(self) -> int:
        return self.tokens[self.at - 1][3]

    def take(self, expected: str = "") -> str:
        kind, word, start, _ = self.tokens[self.at]
        if expected and word != expected:
            message = f"expected {expected!r} at {start}, found {word!r}"
            raise ValueError(message)
        self.at += 1
        return word if kind != "end" else ""

    def skip(self, word: str) -> bool:
        if self.word == word:
            self.at += 1
            return True
        return False

    # --- declarations ---------------------------------------------------------------------

    def model(self) -> ModelText:
        found = ModelText()
        last = ""
        while self.tokens[self.at][0] != "end":
            match self.take():
                case "type":
                    name = self.take()
                    self.take("=")
                    found.types[name] = self.top_type()
                    self.take(";")
                case "const":
                    name = self.take()
                    kind = self.type() if self.skip(":") else None
                    self.take("=")
                    found.constants[name] = (kind, self.expression())
                    self.take(";")
                case "function":
                    function = self.header()
                    found.functions[function.name] = function
                case "node":
                    node = self.header()
                    last = node.name
                    found.nodes[last] = node
                    if self.body(node) and not found.main:
                        found.main = last
                    self.skip(";")
                case ";":
                    pass
                case other:
                    message = f"no declaration: {other!r}"
                    raise ValueError(message)
        found.main = found.main or last
        return found

    def header(self) -> NodeText:
        name = self.identifier()
        self.take("(")
        inputs = self.groups(")")
        self.take(")")
        self.take("returns")
        self.take("(")
        outputs = self.groups(")")
        self.take(")")
        self.skip(";")
        return NodeText(name, inputs, outputs)

    def groups(self, closing: str) -> list[tuple[str, Type]]:
        found: list[tuple[str, Type]] = []
        while self.word != closing:
            names = [self.identifier()]
            while self.skip(","):
                names.append(self.identifier())
            self.take(":")
            kind = self.type()
            found.extend((name, kind) for name in names)
            if not self.skip(";"):
                break
        return found

    def identifier(self) -> str:
        """Return a name, which may have parts in files that other tools wrote."""
        name = self.take()
        while self.word in {".", "["}:
            if self.skip("."):
                name += "." + self.take()
            else:
                self.take("[")
                name += f"[{self.take()}]"
                self.take("]")
        return name

    def body(self, node: NodeText) -> bool:
        main = False
        if self.skip("var"):
            node.locals = self.groups("let")
        self.take("let")
        while not self.skip("tel"):
            match self.word:
                case "--%PROPERTY":
                    self.take()
                    node.properties.append(self.postfixed())
                    self.take(";")
                case "--%MAIN":
                    self.take()
                    self.skip(";")
                    main = True
                case "--%REALIZABLE" | "--%IVC":
                    while self.take() != ";":
                        pass
                case "assert":
                    self.take()
                    node.asserts.append(self.expression())
                    self.take(";")
                case _:
                    node.equations.append(self.equation())
        return main

    def equation(self) -> tuple[list[str], Tree]:
        bracketed = self.skip("(")
        targets = []
        while self.word not in {")", "="}:
            targets.append(self.identifier())
            self.skip(",")
        if bracketed:
            self.take(")")
        self.take("=")
        body = self.expression()
        self.take(";")
        return targets, body

    def top_type(self) -> Type:
        if self.skip("struct"):
            self.take("{")
            fields = self.groups("}")
            self.take("}")
            return ("record", tuple(fields))
        if self.skip("enum"):
            self.take("{")
            values = [self.take()]
            while self.skip(","):
                values.append(self.take())
            self.take("}")
            return ("enum", tuple(values))
        return self.type()

    def type(self) -> Type:
        word = self.take()
        kind: Type = (word,) if word in {"int", "bool", "real"} else ("named", word)
        if word == "subrange":
            self.take("[")
            low = self.bound()
            self.take(",")
            kind = ("range", low, self.bound())
            self.take("]")
            self.take("of")
            self.take("int")
        sizes = []
        while self.skip("["):
            sizes.append(int(self.take()))
            self.take("]")
        for size in sizes:
            kind = ("array", size, kind)
        return kind

    def bound(self) -> int:
        sign = -1 if self.skip("-") else 1
        return sign * int(self.take())

    # --- expressions ----------------------------------------------------------------------

    def expression(self, level: int = 0) -> Tree:
        if level == len(_LEVELS):
            return self.operand()
        start = self.start
        left = self.expression(level + 1)
        while self.word in _LEVELS[level]:
            operator = self.take()
            right = self.expression(level if level < _FROM_THE_RIGHT else level + 1)
            left = Tree("binary", operator, [left, right], start, self.ended)
        return left

    def operand(self) -> Tree:
        start, word = self.start, self.word
        if word in {"pre", "not", "-"}:
            self.take()
            operand = self.operand()
            return Tree(word if word == "pre" else "unary", word, [operand], start, self.ended)
        if word == "if":
            self.take()
            condition = self.expression()
            self.take("then")
            chosen = self.expression()
            self.take("else")
            return Tree("if", "", [condition, chosen, self.expression()], start, self.ended)
        return self.postfixed()

    def postfixed(self) -> Tree:
        start = self.start
        found = self.primary()
        while self.word in {".", "{", "["}:
            if self.skip("."):
                found = Tree("field", self.take(), [found], start, 0)
            elif self.skip("{"):
                name = self.take()
                self.take(":=")
                found = Tree("field:=", name, [found, self.expression()], start, 0)
                self.take("}")
            else:
                self.take("[")
                index = self.expression()
                if self.skip(":="):
                    found = Tree("index:=", "", [found, index, self.expression()], start, 0)
                else:
                    found = Tree("index", "", [found, index], start, 0)
                self.take("]")
            found.end = self.ended
        return found

    def primary(self) -> Tree:
        kind, word, start, _ = self.tokens[self.at]
        self.take()

        def made(what: str, args: list[Tree], names: list[str] | None = None) -> Tree:
            return Tree(what, word, args, start, self.ended, names or [])

        match kind, word:
            case (("int" | "real"), _):
                return made(kind, [])
            case _, "true" | "false":
                return made("truth", [])
            case _, "(":
                inside = self.separated(")")
                if len(inside) == 1:
                    return inside[0]
                return made("tuple", inside)
            case _, "[":
                return made("array", self.separated("]"))
            case _, "real" | "floor":
                self.take("(")
                return made("cast", self.separated(")"))
            case _, "condact":
                self.take("(")
                return made("condact", self.separated(")"))
            case "id", _:
                if self.skip("("):
                    return made("call", self.separated(")"))
                if self.word == "{" and self.tokens[self.at + 2][1] == "=":
                    self.take()
                    return self.record(made)
                return made("name", [])
            case _:
                message = f"no expression at {start}: {word!r}"
                raise ValueError(message)

    def record(self, made: Callable[[str, list[Tree], list[str]], Tree]) -> Tree:
        names, args = [], []
        while self.word != "}":
            names.append(self.take())
            self.take("=")
            args.append(self.expression())
            self.skip(";")
        self.take("}")
        return made("record", args, names)

    def separated(self, closing: str) -> list[Tree]:
        found: list[Tree] = []
        while not self.skip(closing):
            found.append(self.expression())
            self.skip(",")
        return found
