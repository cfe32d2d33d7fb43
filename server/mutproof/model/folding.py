"""Constant folding: terms in which the values of some variables are known."""

from __future__ import annotations

from collections.abc import Mapping

from mutproof.model import semantics, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Value
from mutproof.model.terms import Term


def with_known(root: Term, known: Mapping[str, Value]) -> Term:
    """Return a term with variables replaced by their values, and constants folded."""

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op is Op.VAR:
            name = str(term.payload)
            return terms.const(known[name], term.sort) if name in known else term
        if args == term.args:
            return term
        rebuilt = terms.rebuilt(term, args)
        if all(arg.op is Op.CONST for arg in args):
            return evaluated(rebuilt) or rebuilt
        return _decided(term.op, args) or rebuilt

    return walk.fold(root, combine)


def along_paths(formula: Term) -> Term:
    """Return a formula that means the same on infinite paths, without time over constants.

    `F FALSE` is false, for example. Operators with bounds stay, and so does what has no time.
    """

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        rebuilt = terms.rebuilt(term, args)
        if term.op in _ALONG_PATHS and term.payload is None and args[-1].op is Op.CONST:
            return args[-1]
        if rebuilt is term or all(arg.op is not Op.CONST for arg in args):
            return rebuilt
        if term.op is Op.NOT:
            return evaluated(rebuilt) or rebuilt
        return (_decided(term.op, args) if term.op in _CHOICES else None) or rebuilt

    return walk.fold(formula, combine)


_ALONG_PATHS = frozenset({Op.X, Op.F, Op.G, Op.U, Op.V, Op.O, Op.H})
"""Operators that are what their last operand is, if that is constant."""

_CHOICES = frozenset({Op.AND, Op.OR, Op.IMPLIES})


def evaluated(term: Term) -> Term | None:
    """Return the value of an operator on constants; None if it cannot be folded."""
    try:
        value = semantics.apply(term, tuple(arg.payload for arg in term.args))
    except (semantics.DivisionByZero, ArithmeticError, ValueError, NotImplementedError):
        return None
    return terms.const(value, term.sort)


def _decided(op: Op, args: tuple[Term, ...]) -> Term | None:
    """Return the term that an operator equals if a constant operand decides it; None if not."""
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
