"""What programs say, element by element, so that two texts can be compared."""

from __future__ import annotations

from fractions import Fraction

from mutproof.model import terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, Program
from mutproof.model.terms import Term


def bodies(program: Program) -> dict[ElementId, Term]:
    """Return what the elements of a program say."""
    elements = (element for one in program.components for element in one.elements)
    return {element.id: plain(element.body) for element in elements}


def plain(term: Term) -> Term:
    """Return a term in which negative numbers are constants, however they are written."""

    def made(part: Term, args: tuple[Term, ...]) -> Term:
        if part.op is Op.NEG and args[0].op is Op.CONST:
            assert isinstance(args[0].payload, int | Fraction)
            return terms.const(-args[0].payload, args[0].sort)
        return terms.rebuilt(part, args) if args else part

    return walk.fold(term, made)
