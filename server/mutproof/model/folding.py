"""Terms in which the values of some variables are known, and what follows from constants."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutproof.model import semantics, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.terms import Term


def with_known(root: Term, known: Mapping[str, Value]) -> Term:
    """Return a term with the values of variables put in, and what follows from constants."""

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op is Op.VAR:
            name = str(term.payload)
            return terms.const(known[name], term.sort) if name in known else term
        if args == term.args:
            return term
        if all(arg.op is Op.CONST for arg in args) and term.op is not Op.APPLY:
            try:
                value = semantics.apply(term, tuple(_payload(arg) for arg in args))
            except semantics.DivisionByZero:
                return terms.rebuilt(term, args)
            return terms.const(value, term.sort)
        return _decided(term.op, args) or terms.rebuilt(term, args)

    return walk.fold(root, combine)


def _decided(op: Op, args: tuple[Term, ...]) -> Term | None:
    """Return what an operator gives where a constant among its operands decides it."""
    first = args[0]
    match op:
        case Op.ITE if first.op is Op.CONST:
            return args[1] if first.payload else args[2]
        case Op.AND if first is terms.FALSE or args[1] is terms.FALSE:
            return terms.FALSE
        case Op.OR if first is terms.TRUE or args[1] is terms.TRUE:
            return terms.TRUE
        case Op.IMPLIES if first is terms.FALSE or args[1] is terms.TRUE:
            return terms.TRUE
        case Op.AND if first is terms.TRUE:
            return args[1]
        case Op.OR if first is terms.FALSE:
            return args[1]
        case Op.IMPLIES if first is terms.TRUE:
            return args[1]
        case Op.AND if args[1] is terms.TRUE:
            return first
        case Op.OR if args[1] is terms.FALSE:
            return first
        case _:
            return None


def _payload(term: Term) -> Any:
    return term.payload
