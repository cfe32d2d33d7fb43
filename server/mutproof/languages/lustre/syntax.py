"""The tree of a Lustre file: chunks at their places, and in them declarations and expressions.

Offsets inside a chunk count from the chunk's first character, so the tree of an unchanged
chunk is shared between all versions of a file. Nothing here knows names or types.
"""

from __future__ import annotations

from enum import Enum
from typing import NamedTuple, TypeAlias

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model.operators import Op

NESTING_LIMIT = 500
"""How many brackets and prefix operators may be open at once."""

DEPTH_LIMIT = 4000
"""How deep the tree of an expression may be: a chain of operators is as deep as it is long."""

BINARY_OPERATORS: dict[str, tuple[Op, int]] = {
    "*": (Op.MUL, 7),
    "/": (Op.REAL_DIV, 7),
    "div": (Op.DIV, 7),
    "mod": (Op.MOD, 7),
    "+": (Op.ADD, 6),
    "-": (Op.SUB, 6),
    "<": (Op.LT, 5),
    "<=": (Op.LE, 5),
    ">": (Op.GT, 5),
    ">=": (Op.GE, 5),
    "=": (Op.EQ, 5),
    "<>": (Op.NE, 5),
    "and": (Op.AND, 4),
    "or": (Op.OR, 3),
    "xor": (Op.XOR, 3),
    "=>": (Op.IMPLIES, 2),
    "->": (Op.ARROW, 1),
}
"""Operator and precedence of every binary operator; a higher one binds tighter."""

RIGHT_ASSOCIATIVE = frozenset({2, 1})
"""The precedences whose operators group from the right."""

PREFIX_OPERATORS: dict[str, Op] = {"pre": Op.PRE, "not": Op.NOT, "-": Op.NEG}
"""Prefix operators bind tighter than every binary operator and looser than postfixes."""

KEYWORDS: dict[str, str] = {
    "type": "TYPE",
    "const": "CONST",
    "node": "NODE",
    "function": "FUNCTION",
    "returns": "RETURNS",
    "var": "VAR",
    "let": "LET",
    "tel": "TEL",
    "struct": "STRUCT",
    "enum": "ENUM",
    "subrange": "SUBRANGE",
    "of": "OF",
    "int": "INT_TYPE",
    "bool": "BOOL_TYPE",
    "real": "REAL",
    "floor": "FLOOR",
    "assert": "ASSERT",
    "condact": "CONDACT",
    "if": "IF",
    "then": "THEN",
    "else": "ELSE",
    "true": "TRUTH",
    "false": "TRUTH",
    "not": "PREFIX",
    "pre": "PREFIX",
    "and": "BINARY",
    "or": "BINARY",
    "xor": "BINARY",
    "div": "BINARY",
    "mod": "BINARY",
}
"""The reserved words and the terminals of the grammar they are."""


class Identifier(NamedTuple):
    """Hold a name where it is written."""

    name: str
    start: int
    end: int

    @property
    def span(self) -> Span:
        """Return the place of the name in its chunk."""
        return Span(self.start, self.end)


class Shape(Enum):
    """Say what an expression is; the comment gives its text, arguments and names."""

    NAME = "name"  # the identifier
    INTEGER = "integer"  # the digits
    DECIMAL = "decimal"  # the digits
    TRUTH = "truth"  # true or false
    PREFIX = "prefix"  # the operator; operand
    BINARY = "binary"  # the operator; left, right
    CONDITIONAL = "conditional"  # condition, then, else
    CAST = "cast"  # real or floor; operand
    CALL = "call"  # the callee; arguments
    CONDACT = "condact"  # clock, call, defaults
    FIELD = "field"  # record; the field
    RECORD_UPDATE = "record_update"  # record, value; the field
    INDEX = "index"  # array, index
    ARRAY_UPDATE = "array_update"  # array, index, value
    RECORD = "record"  # the type; values; the fields in the order of the text
    ARRAY = "array"  # elements
    TUPLE = "tuple"  # elements


class Expression(NamedTuple):
    """Hold an expression: one shape for all kinds, so that traversals need no recursion.

    A named tuple, because a generated file has a hundred thousand of them. `start` and `end`
    exclude parentheses around the expression, `outer_start` and `outer_end` include them; the
    token is the operator of a binary expression and the first token of any other.
    """

    kind: Shape
    text: str
    args: tuple[Expression, ...]
    names: tuple[Identifier, ...]
    start: int
    end: int
    token_start: int
    token_end: int
    outer_start: int
    outer_end: int
    depth: int

    @property
    def span(self) -> Span:
        """Return the place of the expression in its chunk, without parentheses around it."""
        return Span(self.start, self.end)

    @property
    def token(self) -> Span:
        """Return the place of the token that names the expression."""
        return Span(self.token_start, self.token_end)


class TypeKind(Enum):
    """Say what a type is; the comment gives its parts."""

    INT = "int"
    BOOL = "bool"
    REAL = "real"
    NAMED = "named"  # names: the type's
    SUBRANGE = "subrange"  # numbers: low, high
    ARRAY = "array"  # parts: element; numbers: size
    STRUCT = "struct"  # names: fields; parts: their types
    ENUM = "enum"  # names: values


class TypeExpression(NamedTuple):
    """Hold a type as it is written."""

    kind: TypeKind
    start: int
    end: int
    names: tuple[Identifier, ...] = ()
    parts: tuple[TypeExpression, ...] = ()
    numbers: tuple[int, ...] = ()
    depth: int = 1

    @property
    def span(self) -> Span:
        """Return the place of the type in its chunk."""
        return Span(self.start, self.end)


@dataclass(frozen=True, slots=True, eq=False)
class TypeDeclaration:
    """Hold `type name = type;`."""

    name: Identifier
    type: TypeExpression


@dataclass(frozen=True, slots=True, eq=False)
class ConstantDeclaration:
    """Hold `const name: type = value;`."""

    name: Identifier
    type: TypeExpression | None
    value: Expression


@dataclass(frozen=True, slots=True, eq=False)
class VariableGroup:
    """Hold `a, b: type`."""

    names: tuple[Identifier, ...]
    type: TypeExpression


@dataclass(frozen=True, slots=True, eq=False)
class Signature:
    """Hold the first line of a node or a function."""

    name: Identifier
    inputs: tuple[VariableGroup, ...]
    outputs: tuple[VariableGroup, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Equation:
    """Hold `targets = body;`."""

    targets: tuple[Identifier, ...]
    head: Span
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class Assertion:
    """Hold `assert body;`."""

    head: Span
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class PropertyStatement:
    """Hold `--%PROPERTY part;`: a variable, or a field or an element of one."""

    name: str
    part: Expression


@dataclass(frozen=True, slots=True, eq=False)
class MainPragma:
    """Hold `--%MAIN;`."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class RealizablePragma:
    """Hold `--%REALIZABLE a, b;`."""

    names: tuple[Identifier, ...]


@dataclass(frozen=True, slots=True, eq=False)
class CorePragma:
    """Hold `--%IVC a, b;`."""

    names: tuple[Identifier, ...]


Statement: TypeAlias = (
    Equation | Assertion | PropertyStatement | MainPragma | RealizablePragma | CorePragma
)
Tree: TypeAlias = "TypeDeclaration | ConstantDeclaration | Signature | VariableGroup | Statement"


class ChunkKind(Enum):
    """Say what a chunk of the file should be: the start symbol of its grammar."""

    TYPE = "typedef"
    CONSTANT = "constant"
    HEADER = "header"
    FUNCTION = "function"
    LOCALS = "locals"
    STATEMENT = "statement"
    STRAY = "stray"  # text that belongs to no declaration


@dataclass(frozen=True, slots=True, eq=False)
class Chunk:
    """Hold a chunk: its tree, None where it is broken, and what is wrong with it.

    `mentions` are the names it uses or declares. Compared by identity: parsing the same text
    again gives the same object.
    """

    kind: ChunkKind
    tree: Tree | None
    diagnostics: tuple[Diagnostic, ...]
    mentions: tuple[str, ...]
    length: int


@dataclass(frozen=True, slots=True)
class PlacedChunk:
    """Put a chunk at an offset of the file."""

    chunk: Chunk
    base: int

    @property
    def span(self) -> Span:
        """Return the place of the chunk in the file."""
        return Span(self.base, self.base + self.chunk.length)


@dataclass(frozen=True, slots=True)
class NodeTree:
    """Hold a node: header, groups of local variables, statements, and the whole place."""

    header: PlacedChunk
    locals: tuple[PlacedChunk, ...]
    statements: tuple[PlacedChunk, ...]
    whole: Span
    has_body: bool


@dataclass(frozen=True, slots=True)
class FileTree:
    """Hold a file: its declarations in source order."""

    declarations: tuple[PlacedChunk | NodeTree, ...]
