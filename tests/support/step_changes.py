"""Constraints of steps that differ from others in one place, below any operator."""

from __future__ import annotations

from typing import TypeAlias

from hypothesis import strategies as st

from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint
from mutproof.model.terms import Term
from support.relational_systems import NUMBERS, STATES, TRANS, N, combined

NEXT = terms.next_var("n", NUMBERS)
STEPS = combined((terms.eq(NEXT, N), terms.eq(NEXT, terms.int_(1)), terms.next_var("a", BOOL)))
_VALUES = st.sampled_from([N, terms.int_(0), terms.int_(1), terms.int_(2)])
_KINDS = ((STATES, 5), (_VALUES, 3), (STEPS, 6))

Parts: TypeAlias = list[tuple[Term, ...]]
"""Tests, values, and what is said of steps."""


def of_parts(parts: Parts, *, is_total: bool = False) -> Constraint:
    """Return a constraint of all parts, or of those alone that say which number is next."""
    tests, values, steps = parts
    chosen = terms.ite(tests[0], values[0], terms.ite(tests[1], values[1], values[2]))
    if is_total:
        return Constraint(TRANS, terms.eq(NEXT, chosen))
    way = terms.ite(tests[2], steps[0], terms.ite(tests[3], steps[1], steps[2]))
    limit = terms.make(Op.IMPLIES, BOOL, (terms.and_(tests[4], steps[3]), steps[4]))
    said = terms.and_(terms.eq(NEXT, chosen), terms.and_(terms.or_(way, steps[5]), limit))
    return Constraint(TRANS, said)


@st.composite
def some_parts(draw: st.DrawFn) -> Parts:
    return [tuple(draw(some) for _ in range(many)) for some, many in _KINDS]


@st.composite
def other_parts(draw: st.DrawFn, parts: Parts) -> Parts:
    """Return parts of which one, at most, is another."""
    kind = draw(st.integers(0, 2))
    place = draw(st.integers(0, len(parts[kind]) - 1))
    changed = draw(_KINDS[kind][0])
    found = [*parts]
    found[kind] = (*parts[kind][:place], changed, *parts[kind][place + 1 :])
    return found
