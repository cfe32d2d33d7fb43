"""The tree of a NuSMV text: declarations with expressions in postorder, offsets relative.

Offsets inside a declaration count from the start of its own text, so that an unmoved
declaration is the same object in every version of a file. Knows no names and no types.
"""

from __future__ import annotations

from collections.abc import Iterator
from enum import Enum
from fractions import Fraction
from typing import TypeAlias

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.record import dataclass
from mutproof.base.span import Span


class Form(Enum):
    """Say what a node of an expression is; the value is the word or sign in the source."""

    NAME = "name"  # value: identifier
    SELF = "self"
    NUMBER = "number"  # value: int
    REAL = "real"  # value: Fraction
    BOOLEAN = "boolean"  # value: bool
    WORD = "word"  # value: WordLiteral
    DOT = "."  # record; value: identifier or number, as text
    INDEX = "[]"  # array, index
    SLICE = "[:]"  # word, high, low
    RANGE = ".."  # low, high
    SET = "{}"
    ARRAY = "[,]"
    CASE = "case"  # condition, value, condition, value, ...
    IF = "?:"  # condition, then, else
    CALL = "()"  # value: name of the operator; arguments
    NEXT = "next"
    NOT = "!"
    NEGATE = "unary -"
    CONCAT = "::"
    MULTIPLY = "*"
    DIVIDE = "/"
    MODULO = "mod"
    ADD = "+"
    SUBTRACT = "-"
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    UNION = "union"
    IN = "in"
    EQUAL = "="
    NOT_EQUAL = "!="
    LESS = "<"
    LESS_EQUAL = "<="
    GREATER = ">"
    GREATER_EQUAL = ">="
    AND = "&"
    OR = "|"
    XOR = "xor"
    XNOR = "xnor"
    IFF = "<->"
    IMPLIES = "->"
    EX = "EX"
    AX = "AX"
    EF = "EF"
    AF = "AF"
    EG = "EG"
    AG = "AG"
    EU = "E[U]"
    AU = "A[U]"
    EBF = "EBF"  # value: bounds, likewise below
    ABF = "ABF"
    EBG = "EBG"
    ABG = "ABG"
    EBU = "E[BU]"
    ABU = "A[BU]"
    X = "X"
    F = "F"  # value: bounds or None, likewise G, H and O
    G = "G"
    Y = "Y"
    Z = "Z"
    H = "H"
    ONCE = "O"
    U = "U"
    V = "V"
    S = "S"
    T = "T"
    BU = "BU"  # alone only until `A [ ]` is assembled
    PSL = "psl"  # value: name of the operator; arguments
    SEQUENCE = "{;}"  # PSL: elements; value: True where followed by `!`


BRANCHING = frozenset(
    {
        Form.EX,
        Form.AX,
        Form.EF,
        Form.AF,
        Form.EG,
        Form.AG,
        Form.EU,
        Form.AU,
        Form.EBF,
        Form.ABF,
        Form.EBG,
        Form.ABG,
        Form.EBU,
        Form.ABU,
    }
)
LINEAR = frozenset(
    {
        Form.X,
        Form.F,
        Form.G,
        Form.Y,
        Form.Z,
        Form.H,
        Form.ONCE,
        Form.U,
        Form.V,
        Form.S,
        Form.T,
    }
)


@dataclass(frozen=True, slots=True)
class WordLiteral:
    """Hold a word constant: the value as written, its width, its sign letter."""

    value: int
    width: int
    signed: bool


NodeValue: TypeAlias = "str | int | bool | Fraction | WordLiteral | tuple[int | str, ...] | None"

REPEATED = "[*n]"
"""How the value of a PSL node begins that repeats its argument; the number of times follows.

NuSMV writes `e[*n]` out as `e; e; …`. It checks no range, no `[*0]`, and no `[*n]` alone.
"""


def is_repeated(form: Form, value: NodeValue) -> bool:
    """Tell whether a node is PSL's `e[*n]`."""
    return form is Form.PSL and isinstance(value, tuple) and value[0] == REPEATED


@dataclass(frozen=True, slots=True, eq=False)
class SyntaxNode:
    """Hold one node: `args` are indices into the postorder of the expression.

    `whole` is the text of the node without parentheses around it, `token` its operator or
    first token.
    """

    form: Form
    value: NodeValue
    args: tuple[int, ...]
    whole: Span
    token: Span


@dataclass(frozen=True, slots=True, eq=False)
class Expression:
    """Hold an expression as its nodes in postorder; the last one is the root."""

    nodes: tuple[SyntaxNode, ...]

    @property
    def root(self) -> SyntaxNode:
        """Return the outermost node."""
        return self.nodes[-1]

    @property
    def span(self) -> Span:
        """Return the text of the expression."""
        return self.nodes[-1].whole


# --- types ------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class BooleanType:
    """Stand for `boolean`."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class EnumerationType:
    """Stand for `{a, 1, …}`: constants and integers with their places."""

    values: tuple[tuple[str | int | bool, Span], ...]
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class RangeType:
    """Stand for `low .. high`, both constant expressions."""

    low: Expression
    high: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class WordType:
    """Stand for `word[width]`."""

    signed: bool
    width: Expression
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ArrayType:
    """Stand for `array low..high of element`."""

    low: Expression
    high: Expression
    element: TypeSyntax
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class UnboundedArrayType:
    """Stand for `array of …` and `array word[n] of …`, which no model can be built from."""

    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class InstanceType:
    """Stand for `[process] module(actuals)`, and for nuXmv's `integer` and `real`."""

    module: str
    module_span: Span
    actuals: tuple[Expression, ...]
    process: bool
    span: Span


TypeSyntax: TypeAlias = (
    BooleanType
    | EnumerationType
    | RangeType
    | WordType
    | ArrayType
    | UnboundedArrayType
    | InstanceType
)

# --- declarations -----------------------------------------------------------------------------


@dataclass(frozen=True, slots=True, eq=False)
class Name:
    """Hold a declared name and its place; dots and indices are part of it."""

    text: str
    span: Span


class Storage(Enum):
    """Say in which section a variable is declared."""

    STATE = "VAR"
    INPUT = "IVAR"
    FROZEN = "FROZENVAR"


@dataclass(frozen=True, slots=True, eq=False)
class VariableDeclaration:
    """Declare a variable or a module instance."""

    name: Name
    storage: Storage
    type: TypeSyntax


@dataclass(frozen=True, slots=True, eq=False)
class DefineDeclaration:
    """Declare a macro."""

    name: Name
    body: Expression


@dataclass(frozen=True, slots=True, eq=False)
class ConstantsDeclaration:
    """Declare symbolic constants."""

    names: tuple[Name, ...]


class AssignmentKind(Enum):
    """Say at which instants an assignment acts."""

    CURRENT = "current"
    INIT = "init"
    NEXT = "next"


@dataclass(frozen=True, slots=True, eq=False)
class Assignment:
    """Hold `target := body`, `init(target) := body` or `next(target) := body`."""

    kind: AssignmentKind
    target: Expression
    body: Expression
    head: Span


class ConstraintKeyword(Enum):
    """Name the sections that hold one expression about the model."""

    INIT = "INIT"
    TRANS = "TRANS"
    INVAR = "INVAR"
    FAIRNESS = "FAIRNESS"


@dataclass(frozen=True, slots=True, eq=False)
class ConstraintSection:
    """Hold `INIT`, `TRANS`, `INVAR` or `FAIRNESS` (also called `JUSTICE`)."""

    keyword: ConstraintKeyword
    body: Expression
    head: Span


@dataclass(frozen=True, slots=True, eq=False)
class Compassion:
    """Hold `COMPASSION (if infinitely often this, then infinitely often that)`."""

    premise: Expression
    conclusion: Expression
    head: Span


class SpecificationKind(Enum):
    """Say in which logic a property is written; the value is its keyword."""

    INVARIANT = "INVARSPEC"
    CTL = "CTLSPEC"
    LTL = "LTLSPEC"
    COMPUTE_MIN = "COMPUTE MIN"
    COMPUTE_MAX = "COMPUTE MAX"
    PSL = "PSLSPEC"


@dataclass(frozen=True, slots=True, eq=False)
class Specification:
    """Hold a property; `target` is the second expression of `COMPUTE`, `context` what `IN` says."""

    kind: SpecificationKind
    name: Name | None
    body: Expression
    target: Expression | None
    context: Expression | None


@dataclass(frozen=True, slots=True, eq=False)
class Inclusion:
    """Hold `ISA module`: the body of that module is pasted here."""

    module: Name


Declaration: TypeAlias = (
    VariableDeclaration
    | DefineDeclaration
    | ConstantsDeclaration
    | Assignment
    | ConstraintSection
    | Compassion
    | Specification
    | Inclusion
)


@dataclass(frozen=True, slots=True, eq=False)
class ModuleHeader:
    """Hold `MODULE name (parameters)`."""

    name: Name
    parameters: tuple[Name, ...]


@dataclass(frozen=True, slots=True, eq=False)
class Item:
    """Place a declaration in its text: `base` is the absolute offset of its own text."""

    base: int
    text: str
    declaration: Declaration

    @property
    def span(self) -> Span:
        """Return the absolute extent, terminator included."""
        return Span(self.base, self.base + len(self.text))


@dataclass(frozen=True, slots=True, eq=False)
class Module:
    """Hold a module: its header at `base` and its declarations in source order.

    `broken` says that a declaration of the design, not a property, could not be read.
    """

    base: int
    end: int
    header: ModuleHeader
    items: tuple[Item, ...]
    broken: bool


@dataclass(frozen=True, slots=True, eq=False)
class File:
    """Hold the modules of a text in source order; `broken` where text belongs to none.

    `doubtful` are the identifiers in declarations that could not be read: if one of them is
    undefined, no further error is reported.
    """

    modules: tuple[Module, ...]
    broken: bool
    doubtful: frozenset[str]


@dataclass(frozen=True, slots=True, eq=False)
class ParsedChunk:
    """Hold the tree of one declaration's text, and its syntax errors."""

    declaration: Declaration | ModuleHeader | None
    diagnostics: tuple[Diagnostic, ...]


def spans(expression: Expression) -> Iterator[tuple[tuple[int, ...], SyntaxNode]]:
    """Yield every node with its path, parents first."""
    stack: list[tuple[tuple[int, ...], int]] = [((), len(expression.nodes) - 1)]
    while stack:
        path, index = stack.pop()
        node = expression.nodes[index]
        yield path, node
        positions = range(len(node.args) - 1, -1, -1)
        stack.extend(((*path, position), node.args[position]) for position in positions)
