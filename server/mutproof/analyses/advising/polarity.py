"""The parts of a formula, and the formula at its strongest whatever one of them is."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.base.record import dataclass
from mutproof.model import terms
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.sorts import BoolSort
from mutproof.model.terms import Path, Term

_SAME = frozenset({Op.AND, Op.OR, *BRANCHING_TIME, *LINEAR_TIME})
_MIXED = frozenset({Op.IFF, Op.XOR, Op.XNOR})


@dataclass(frozen=True, slots=True)
class FormulaPart:
    """Hold where a subformula is, and the formula at its `strongest` without the subformula.

    Whatever is in its place, the formula is true where `strongest` is true.
    """

    path: Path
    strongest: Term


def _all_parts(formula: Term) -> list[tuple[Path, bool]]:
    """Return where the parts are, outer before inner, and whether each is a leaf."""
    found: list[tuple[Path, bool]] = []
    stack: list[tuple[Path, Term]] = [((), formula)]
    while stack:
        path, term = stack.pop()
        inner = _inner(term)
        if path and term.op is not Op.CONST:
            found.append((path, not inner))
        stack.extend(((*path, index), term.args[index]) for index in reversed(inner))
    return found


def parts(formula: Term) -> list[FormulaPart]:
    """Return the innermost parts of a formula in source order, the formula itself left out."""
    return [_part(formula, path) for path, is_leaf in _all_parts(formula) if is_leaf]


def parents(formula: Term) -> Mapping[Path, FormulaPart]:
    """Return the innermost part that contains each part, for those inside another one."""
    known = {path: _part(formula, path) for path, _ in _all_parts(formula)}
    return {path: known[path[:-1]] for path in known if path[:-1] in known}


def _part(formula: Term, path: Path) -> FormulaPart:
    weakest, strongest = terms.TRUE, terms.FALSE
    for depth in reversed(range(len(path))):
        around, index = terms.at(formula, path[:depth]), path[depth]
        if around.op is Op.NOT or (around.op is Op.IMPLIES and index == 0):
            weakest, strongest = strongest, weakest
        if around.op in _MIXED:
            weakest, strongest = _mixed(around, index, weakest, strongest)
        else:
            weakest = terms.replaced(around, (index,), weakest)
            strongest = terms.replaced(around, (index,), strongest)
    return FormulaPart(path, strongest)


def _mixed(around: Term, index: int, weakest: Term, strongest: Term) -> tuple[Term, Term]:
    """Return an equivalence, or its negation, at its weakest and at its strongest.

    An argument occurs twice in it, as it is and negated, and each time has the value that counts:
    `F (p xor q)` may be false though neither `F (TRUE xor q)` nor `F (FALSE xor q)` is.
    """
    other = around.args[1 - index]
    same, opposite = (other, terms.not_(other))
    if around.op is Op.XOR:
        same, opposite = opposite, same
    return (
        terms.or_(terms.and_(weakest, same), terms.and_(terms.not_(strongest), opposite)),
        terms.or_(terms.and_(strongest, same), terms.and_(terms.not_(weakest), opposite)),
    )


def _inner(term: Term) -> list[int]:
    """Return the positions of the arguments that are formulas."""
    if term.op not in _SAME | _MIXED | {Op.NOT, Op.IMPLIES}:
        return []
    return [index for index, one in enumerate(term.args) if isinstance(one.sort, BoolSort)]
