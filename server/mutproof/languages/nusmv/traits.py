"""The traits of NuSMV."""

from __future__ import annotations

from fractions import Fraction

from mutproof.model import display
from mutproof.model.operators import Op
from mutproof.model.sorts import ArraySort, Sort, Value, WordSort
from mutproof.model.traits import Semantics, Traits


def show(value: Value, sort: Sort | None) -> str:
    """Return a value as a constant of NuSMV.

    Source: NuSMV 2.6 user manual §2.2 (constants).
    """
    match value, sort:
        case bool(), _:
            return "TRUE" if value else "FALSE"
        case int(), WordSort(width, signed):
            sign = "-" if value < 0 else ""
            return f"{sign}0{'s' if signed else 'u'}d{width}_{abs(value)}"
        case Fraction(denominator=denominator), _ if denominator != 1:
            return f"f'{display.quotient(value)}"
        case tuple(), _:
            element = sort.element if isinstance(sort, ArraySort) else None
            return "[" + ", ".join(show(part, element) for part in value) + "]"
        case _:
            return display.text(value)


TRAITS = Traits(
    "nusmv",
    "NuSMV",
    Semantics.RELATIONAL,
    is_flattened=True,
    symbols={
        Op.NOT: "!",
        Op.AND: "&",
        Op.OR: "|",
        Op.IMPLIES: "->",
        Op.NE: "!=",
        Op.TRUNC_DIV: "/",
        Op.TRUNC_MOD: "mod",
    },
    booleans=("FALSE", "TRUE"),
    show=show,
    logical=(Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.XOR, Op.XNOR),
    is_linear=False,
    has_own_conditions=True,
)
