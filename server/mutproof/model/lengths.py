"""Estimate how long the numbers of one step may become, before they are computed.

A chain of squares doubles the digits with each equation. Solvers cannot be interrupted while they
compute such numbers, so systems that state them are not given to solvers.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.semantics import MOST_BITS, NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, definition, ordered
from mutproof.model.sorts import WordSort
from mutproof.model.system import ConstraintKind, TransitionSystem
from mutproof.model.terms import Term

BITS: Final = 32
"""How many bits the value of a variable that nothing defines is taken to have."""

_LENGTHENING = {Op.MUL, Op.REAL_DIV}


def check(system: TransitionSystem) -> None:
    """Look for products in a system that may have more than `MOST_BITS` bits.

    Raises:
        NumberTooLarge: there is one.
    """
    roots = [constraint.term for constraint in system.constraints]
    roots += [stated.term for stated in system.properties]
    if _LENGTHENING.isdisjoint(walk.operators(*roots)):
        return
    invars = {
        constraint.defines: value
        for constraint in system.constraints
        if constraint.kind is ConstraintKind.INVAR
        and constraint.defines is not None
        and (value := definition(constraint)) is not None
    }
    known: dict[str, int] = {}
    memo: dict[Term, int] = {}

    def combine(term: Term, args: tuple[int, ...]) -> int:
        if term.op is Op.CONST:
            return _bits(term.payload)
        if not args:
            return known.get(str(term.payload), BITS)
        if term.op in _LENGTHENING and not isinstance(term.sort, WordSort):
            bits = sum(args)
            if bits > MOST_BITS:
                raise NumberTooLarge
            return bits
        return max(args)

    try:
        order = ordered(invars)
    except CyclicDefinitions:
        order = []
    for name in order:
        known[name] = walk.fold(invars[name], combine, memo)
    for constraint in system.constraints:
        if constraint.defines not in known or constraint.kind is not ConstraintKind.INVAR:
            walk.fold(constraint.term, combine, memo)
    for stated in system.properties:
        walk.fold(stated.term, combine, memo)


def _bits(value: object) -> int:
    if isinstance(value, int):
        return value.bit_length()
    if isinstance(value, Fraction):
        return max(value.numerator.bit_length(), value.denominator.bit_length())
    return 0
