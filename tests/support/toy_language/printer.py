"""Terms as text that reads back as the same term."""

from __future__ import annotations

from mutproof.model.operators import Op
from mutproof.model.program import Element
from mutproof.model.terms import Path, Term
from support.toy_language.traits import TRAITS


def print_term(term: Term) -> str:
    """Return a term with parentheses around every operand that is not a leaf."""
    match term.op:
        case Op.CONST:
            return TRAITS.show(term.payload, term.sort)
        case Op.VAR:
            return str(term.payload)
    parts = [_operand(argument) for argument in term.args]
    match term.op:
        case Op.NOT:
            return f"not {parts[0]}"
        case Op.NEG:
            return f"-{parts[0]}"
        case Op.PRE:
            return f"pre({print_term(term.args[0])})"
        case Op.ARROW:
            return f"first({', '.join(map(print_term, term.args))})"
        case Op.ITE:
            return f"{parts[1]} if {parts[0]} else {parts[2]}"
        case _:
            return f"{parts[0]} {TRAITS.operator(term.op)} {parts[1]}"


def print_replacement(_: Element, path: Path, term: Term) -> str:
    """Return a term so that it may stand at a path."""
    return _operand(term) if path else print_term(term)


def _operand(term: Term) -> str:
    leaf = term.op in {Op.CONST, Op.VAR, Op.PRE, Op.ARROW}
    return print_term(term) if leaf else f"({print_term(term)})"
