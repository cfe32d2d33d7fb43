"""The values of constant expressions: bounds, widths, shift counts.

Source: NuSMV 2.6 user manual §2.2.1: constant expressions may use DEFINEs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final, cast

from mutproof.model import semantics, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.terms import Term

BITS_LIMIT: Final = 13_300
"""How long the integers of a constant computation may become, in bits: about 4000 digits."""


def constant(term: Term, values: Mapping[str, Value]) -> Value | None:
    """Return the value of a term over names with known `values`, None for any other term."""

    def combine(part: Term, args: tuple[Value | None, ...]) -> Value | None:
        if part.op is Op.VAR:
            return values.get(str(part.payload))
        if part.op is Op.NEXT:
            return args[0]
        if any(arg is None for arg in args):
            return None
        try:
            value = cast("Value", semantics.apply(part, args))
        except (
            semantics.DivisionByZero,
            ArithmeticError,
            ValueError,
            NotImplementedError,
            TypeError,
        ):
            return None
        is_long = isinstance(value, int) and value.bit_length() > BITS_LIMIT
        return None if is_long else value

    return walk.fold(term, combine)


def constant_int(term: Term, values: Mapping[str, Value]) -> int | None:
    """Return the value of a constant integer or word term, None for any other term."""
    value = constant(term, values)
    return value if isinstance(value, int) and not isinstance(value, bool) else None
