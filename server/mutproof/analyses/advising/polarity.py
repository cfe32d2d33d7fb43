"""The parts of a formula that can be replaced by constants, each with the strongest constants."""

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
    """Hold a subformula; replacing it by any of the constants `strongest` strengthens the formula.

    Where a part occurs with both polarities, both constants are tried.
    """

    path: Path
    strongest: tuple[Term, ...]


def _all_parts(formula: Term) -> list[tuple[FormulaPart, bool]]:
    """Return the parts of a formula, outer before inner, and whether each is a leaf."""
    found: list[tuple[FormulaPart, bool]] = []
    stack: list[tuple[Path, Term, int]] = [((), formula, 1)]
    while stack:
        path, term, polarity = stack.pop()
        inner = _inner(term, polarity)
        if path and term.op is not Op.CONST:
            found.append((FormulaPart(path, _strongest(polarity)), not inner))
        stack.extend(((*path, index), term.args[index], sign) for index, sign in reversed(inner))
    return found


def parts(formula: Term) -> list[FormulaPart]:
    """Return the innermost parts of a formula in source order, the formula itself left out."""
    return [part for part, is_leaf in _all_parts(formula) if is_leaf]


def parents(formula: Term) -> Mapping[Path, FormulaPart]:
    """Return the innermost part that contains each part, for those inside another one."""
    known = {part.path: part for part, _ in _all_parts(formula)}
    return {path: known[path[:-1]] for path in known if path[:-1] in known}


def _strongest(polarity: int) -> tuple[Term, ...]:
    if polarity > 0:
        return (terms.FALSE,)
    return (terms.TRUE,) if polarity < 0 else (terms.TRUE, terms.FALSE)


def _inner(term: Term, polarity: int) -> list[tuple[int, int]]:
    """Return the positions of the arguments that are formulas, with their polarities."""
    signs: list[int] = []
    if term.op in _SAME:
        signs = [polarity] * len(term.args)
    elif term.op is Op.NOT:
        signs = [-polarity]
    elif term.op is Op.IMPLIES:
        signs = [-polarity, polarity]
    elif term.op in _MIXED:
        signs = [0] * len(term.args)
    return [
        (index, sign)
        for index, sign in enumerate(signs)
        if isinstance(term.args[index].sort, BoolSort)
    ]
