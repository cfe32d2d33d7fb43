"""Remove division by zero: what it gives is an arbitrary function of the dividend."""

from __future__ import annotations

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import WordSort
from mutproof.model.terms import Term

BY_ZERO = {
    Op.DIV: "%div-by-zero",
    Op.MOD: "%mod-by-zero",
    Op.REAL_DIV: "%real-div-by-zero",
    Op.TRUNC_DIV: "%tdiv-by-zero",
    Op.TRUNC_MOD: "%tmod-by-zero",
}
"""The uninterpreted function that stands for each division by zero."""


def is_nonzero(divisor: Term) -> bool:
    """Tell whether a term is a constant other than zero, such as a negated one."""
    while divisor.op is Op.NEG:
        divisor = divisor.args[0]
    return divisor.op is Op.CONST and divisor.payload != 0


def remove(division: Term) -> Term:
    """Return a division guarded by a test of its divisor, unless that is a non-zero constant.

    Words are left alone: NuSMV rejects a model that can divide a word by zero.

    Source: SMT-LIB theories Ints and Reals, which leave these values uninterpreted.
    """
    dividend, divisor = division.args
    if isinstance(division.sort, WordSort) or is_nonzero(divisor):
        return division
    zero = terms.const(0, divisor.sort)
    arbitrary = terms.make(Op.APPLY, division.sort, (dividend,), (BY_ZERO[division.op], 0))
    if divisor is zero:
        return arbitrary
    return terms.ite(terms.eq(divisor, zero), arbitrary, division)
