"""Temporal operators with bounds, and what they say step by step.

Source: NuSMV 2.6 for `H [m, n] p` and `O [m, n] p`, which count steps back with the strong Y.
"""

from __future__ import annotations

from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term

MOST_STEPS = 1_000
"""The largest bound of an operator that is written out step by step."""

_STEPS = {Op.F: (Op.X, Op.OR), Op.G: (Op.X, Op.AND), Op.O: (Op.Y, Op.OR), Op.H: (Op.Y, Op.AND)}

WRITTEN_OUT = frozenset(_STEPS)
"""The operators that are written out."""


class LargeBoundError(Exception):
    """Say in words that a bound is larger than `MOST_STEPS`."""


def bounds(term: Term) -> tuple[int, int]:
    """Return the first and last step of a bounded operator, both inclusive."""
    assert isinstance(term.payload, tuple)
    low, high = term.payload
    assert isinstance(low, int)
    assert isinstance(high, int)
    return low, high


def without_bounds(formula: Term) -> Term:
    """Return a formula with the bounded ones of `WRITTEN_OUT` expanded into single steps.

    Raises:
        LargeBoundError: a bound is too large for that.
    """

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op not in _STEPS or term.payload is None:
            return terms.rebuilt(term, args)
        low, high = bounds(term)
        if high > MOST_STEPS:
            message = f"a bound of {high} steps is too large"
            raise LargeBoundError(message)
        step, connective = _STEPS[term.op]
        result = args[0]
        for position in range(high - 1, -1, -1):
            later = terms.make(step, BOOL, (result,))
            result = terms.make(connective, BOOL, (args[0], later)) if position >= low else later
        return result

    return walk.fold(formula, combine)
