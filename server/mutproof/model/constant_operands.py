"""The values of constant expressions of NuSMV, and which constant operands it refuses.

It refuses them when it reads the types of a model, so even if nothing uses the value.
Source: NuSMV 2.6 user manual §2.2.1: constant expressions may use DEFINEs; §2.2.3, `>>`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Final, cast

from mutproof.model import semantics, walk
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.sorts import ArraySort, Value, WordSort
from mutproof.model.terms import Term

BITS_LIMIT: Final = 13_300
"""How long the integers of a constant computation may become, in bits: about 4000 digits."""


def constant(term: Term, values: Mapping[str, Value]) -> Value | None:
    """Return the value of a term over names with known `values`, None for any other term."""

    def combine(part: Term, args: tuple[Value | None, ...]) -> Value | None:
        if part.op is Op.VAR or part.op is Op.NEXT_VAR:
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


def misplaced(term: Term, value: Callable[[Term], int | None]) -> Hazard | None:
    """Return why a constant operand of a term is refused, None if it is not.

    `value` tells the value of an index that is constant. Only literal shift amounts count.
    """
    if term.op is Op.INDEX:
        array, index = term.args[0].sort, value(term.args[1])
        assert isinstance(array, ArraySort)
        return None if index is None or array.low <= index <= array.high else Hazard.INDEX
    if term.op in {Op.SHIFT_LEFT, Op.SHIFT_RIGHT} and term.args[1].op is Op.CONST:
        amount = term.args[1].payload
        assert isinstance(term.sort, WordSort)
        if isinstance(amount, int) and amount > term.sort.width:
            return Hazard.SHIFT
    return None
