"""The operators of terms: one closed list for both languages."""

from __future__ import annotations

from enum import Enum


class Op(Enum):
    """Name an operator; the comment gives its arguments and its payload."""

    # Enum's own hash is a Python function and slow; members are compared by identity anyway.
    __hash__ = object.__hash__

    # leaves
    CONST = "const"  # payload: value
    VAR = "var"  # payload: name
    NEXT_VAR = "next_var"  # payload: name; the value in the next state (systems only)

    # Boolean
    NOT = "not"
    AND = "and"  # binary, as are all operators of the source
    OR = "or"
    XOR = "xor"
    IMPLIES = "=>"
    IFF = "<->"
    XNOR = "xnor"

    # any sort
    ITE = "ite"  # condition, then, else
    CASE = "case"  # condition, value, condition, value, ...; first true condition wins
    EQ = "="
    NE = "<>"

    # numbers
    LT = "<"
    LE = "<="
    GT = ">"
    GE = ">="
    ADD = "+"
    SUB = "-"
    MUL = "*"
    NEG = "neg"
    REAL_DIV = "/"
    DIV = "div"  # Euclidean, integers
    MOD = "mod"  # Euclidean, integers
    TRUNC_DIV = "tdiv"  # truncates towards zero, NuSMV integers
    TRUNC_MOD = "tmod"  # sign of the dividend, NuSMV integers
    TO_REAL = "real"
    FLOOR = "floor"
    COUNT = "count"  # Booleans -> int: how many are true
    TO_INT = "toint"  # bool, word, int -> int
    TO_BOOL = "bool"  # word[1], int -> bool

    # words (arithmetic and comparison use the operators above on word sorts)
    SHIFT_LEFT = "<<"
    SHIFT_RIGHT = ">>"
    CONCAT = "::"
    BIT_SELECTION = "bits"  # payload: (high, low)
    EXTEND = "extend"  # sort says the width
    RESIZE = "resize"  # sort says the width
    SIGNED = "signed"
    UNSIGNED = "unsigned"
    WORD1 = "word1"  # bool -> unsigned word[1]

    # sets and choice (NuSMV)
    SET = "set"  # elements
    UNION = "union"
    IN = "in"

    # parts
    RECORD = "record"  # sort says the fields
    FIELD = "field"  # record; payload: field name
    RECORD_UPDATE = "record_update"  # record, value; payload: field name
    ARRAY = "array"  # elements
    INDEX = "index"  # array, index
    ARRAY_UPDATE = "array_update"  # array, index, value
    TUPLE = "tuple"
    PROJECT = "project"  # tuple; payload: 0-based position

    # time
    PRE = "pre"
    ARROW = "->"
    NEXT = "next"  # NuSMV, of any expression

    # calls
    CALL = "call"  # node call; payload: Site; sort: output, or tuple of outputs
    CONDACT = "condact"  # clock, call, defaults...
    APPLY = "apply"  # uninterpreted function; payload: (name, 0-based output position)

    # branching time
    EX = "EX"
    AX = "AX"
    EF = "EF"
    AF = "AF"
    EG = "EG"
    AG = "AG"
    EU = "EU"
    AU = "AU"
    EBF = "EBF"  # payload: (from, to); likewise below
    ABF = "ABF"
    EBG = "EBG"
    ABG = "ABG"
    EBU = "EBU"
    ABU = "ABU"

    # linear time; payload: None or (from, to)
    X = "X"
    F = "F"
    G = "G"
    U = "U"
    V = "V"
    Y = "Y"
    Z = "Z"
    O = "O"  # noqa: E741 - the name of the operator
    H = "H"
    S = "S"
    T = "T"


COMPARISONS = frozenset({Op.LT, Op.LE, Op.GT, Op.GE})
SWAPPED = {Op.LT: Op.GT, Op.GT: Op.LT, Op.LE: Op.GE, Op.GE: Op.LE}
"""The comparison that says the same with its sides exchanged."""
CONNECTIVES = frozenset({Op.AND, Op.OR, Op.XOR, Op.IMPLIES, Op.IFF, Op.XNOR})
BRANCHING_TIME = frozenset(
    {
        Op.EX,
        Op.AX,
        Op.EF,
        Op.AF,
        Op.EG,
        Op.AG,
        Op.EU,
        Op.AU,
        Op.EBF,
        Op.ABF,
        Op.EBG,
        Op.ABG,
        Op.EBU,
        Op.ABU,
    }
)
LINEAR_TIME = frozenset({Op.X, Op.F, Op.G, Op.U, Op.V, Op.Y, Op.Z, Op.O, Op.H, Op.S, Op.T})
