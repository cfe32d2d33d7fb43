"""Simplify terms: constants are computed, Boolean laws applied, operands put in order.

Two terms with the same simple form have the same values; the converse need not hold. Only laws
that hold for every value are used; division stays where the divisor may be zero.

Source: the laws of Boolean algebra and of linear orders; Baader and Nipkow, Term Rewriting
and All That, 1998, section 4.
"""

from __future__ import annotations

from mutproof.model import folding, semantics, sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL, BoolSort, WordSort
from mutproof.model.terms import FALSE, TRUE, Term

_COMMUTATIVE = frozenset({Op.AND, Op.OR, Op.XOR, Op.XNOR, Op.IFF, Op.EQ, Op.NE, Op.ADD, Op.MUL})
_NEGATED = {Op.LT: Op.GE, Op.GE: Op.LT, Op.GT: Op.LE, Op.LE: Op.GT, Op.EQ: Op.NE, Op.NE: Op.EQ}
_MIRRORED = {Op.GT: Op.LT, Op.GE: Op.LE}
_FOLDED = (
    frozenset({Op.ITE, Op.CASE, Op.NOT, Op.NEG, Op.TO_REAL, Op.FLOOR, Op.COUNT})
    | {Op.IMPLIES, Op.LT, Op.LE, Op.GT, Op.GE}
    | semantics.ARITHMETIC
    | _COMMUTATIVE
)


def simplified(root: Term, memo: dict[Term, Term] | None = None) -> Term:
    """Return the simple form of a term."""
    return walk.fold(root, _combine, memo)


def _combine(term: Term, args: tuple[Term, ...]) -> Term:
    rebuilt = terms.rebuilt(term, args)
    if term.op in _FOLDED and args and all(_is_value(arg) for arg in args):
        folded = folding.evaluated(rebuilt)
        if folded is not None:
            return folded
    if isinstance(term.sort, BoolSort):
        return _boolean(rebuilt)
    if term.op is Op.ITE:
        return _chosen(rebuilt)
    return _number(_ordered(rebuilt))


def _is_value(term: Term) -> bool:
    return term.op is Op.CONST and not isinstance(term.sort, sorts.SetSort)


def _boolean(term: Term) -> Term:
    match term.op:
        case Op.NOT:
            return _negation(term.args[0])
        case Op.AND | Op.OR if not _is_word(term.args[0]):
            return _joined(term.op, term.args)
        case Op.IMPLIES:
            return _joined(Op.OR, (_negation(term.args[0]), term.args[1]))
        case Op.XOR | Op.XNOR | Op.IFF | Op.EQ | Op.NE if _is_truth(term.args[0]):
            return _same_truth(*term.args, negated=term.op in {Op.XOR, Op.NE})
        case Op.EQ | Op.NE | Op.LE | Op.GE | Op.LT | Op.GT:
            return _comparison(term)
        case Op.ITE:
            return _chosen(term)
        case _:
            return _ordered(term)


def _is_truth(term: Term) -> bool:
    return isinstance(term.sort, BoolSort)


def _is_word(term: Term) -> bool:
    return isinstance(term.sort, WordSort)


def _negation(term: Term) -> Term:
    if term is TRUE or term is FALSE:
        return FALSE if term is TRUE else TRUE
    if term.op is Op.NOT:
        return term.args[0]
    if term.op in _NEGATED and _is_ordered_sort(term):
        return _comparison(terms.compare(_NEGATED[term.op], *term.args))
    if term.op in {Op.AND, Op.OR}:
        other = Op.OR if term.op is Op.AND else Op.AND
        return _joined(other, tuple(_shallow_negation(arg) for arg in _spread(term.op, term)))
    return terms.not_(term)


def _shallow_negation(term: Term) -> Term:
    """Return a negation without pushing it further down: the depth of a term is the user's."""
    if term.op is Op.NOT:
        return term.args[0]
    if term is TRUE or term is FALSE:
        return FALSE if term is TRUE else TRUE
    if term.op in _NEGATED and _is_ordered_sort(term):
        return _comparison(terms.compare(_NEGATED[term.op], *term.args))
    return terms.not_(term)


def _is_ordered_sort(term: Term) -> bool:
    return not isinstance(term.args[0].sort, BoolSort)


def _joined(op: Op, args: tuple[Term, ...]) -> Term:
    """Return a conjunction or disjunction: flat one level, without repetition, in order."""
    neutral, absorbing = (TRUE, FALSE) if op is Op.AND else (FALSE, TRUE)
    parts: dict[Term, None] = {}
    for arg in args:
        parts.update(dict.fromkeys(_spread(op, arg)))
    parts.pop(neutral, None)
    if absorbing in parts or any(p.op is Op.NOT and p.args[0] in parts for p in parts):
        return absorbing
    ordered = sorted(parts, key=lambda part: part.digest)
    if not ordered:
        return neutral
    result = ordered[0]
    for part in ordered[1:]:
        result = terms.make(op, BOOL, (result, part))
    return result


def _spread(op: Op, term: Term) -> list[Term]:
    """Return the operands of a left chain of one operator, as `_joined` makes it."""
    found = []
    while term.op is op:
        found.append(term.args[1])
        term = term.args[0]
    return [*found, term]


def _same_truth(left: Term, right: Term, *, negated: bool) -> Term:
    for one, other in ((left, right), (right, left)):
        if one is TRUE:
            return _negation(other) if negated else other
        if one is FALSE:
            return other if negated else _negation(other)
    while Op.NOT in {left.op, right.op}:
        if left.op is Op.NOT:
            left, negated = left.args[0], not negated
        if right.op is Op.NOT:
            right, negated = right.args[0], not negated
    if left is right:
        return terms.bool_(not negated)
    first, second = sorted((left, right), key=lambda part: part.digest)
    equal = terms.eq(first, second)
    return terms.not_(equal) if negated else equal


def _comparison(term: Term) -> Term:
    left, right = term.args
    if left is right:
        return terms.bool_(term.op in {Op.EQ, Op.LE, Op.GE})
    if term.op in _MIRRORED:
        return terms.compare(_MIRRORED[term.op], right, left)
    return _ordered(term)


def _ordered(term: Term) -> Term:
    if term.op in _COMMUTATIVE and len(term.args) == 2:
        return terms.rebuilt(term, sorted(term.args, key=lambda arg: arg.digest))
    return term


def _chosen(term: Term) -> Term:
    condition, then, otherwise = term.args
    if condition is TRUE or then is otherwise:
        return then
    if condition is FALSE:
        return otherwise
    if condition.op is Op.NOT:
        condition, then, otherwise = condition.args[0], otherwise, then
    if then is TRUE and otherwise is FALSE:
        return condition
    if then is FALSE and otherwise is TRUE:
        return _shallow_negation(condition)
    return terms.ite(condition, then, otherwise)


def _number(term: Term) -> Term:
    """Return a number without what adds or multiplies nothing."""
    if isinstance(term.sort, WordSort):
        return term
    if term.op is Op.NEG and term.args[0].op is Op.NEG:
        return term.args[0].args[0]
    if term.op in {Op.ADD, Op.SUB, Op.MUL} and len(term.args) == 2:
        left, right = term.args
        neutral = 1 if term.op is Op.MUL else 0
        if _is_number(right, neutral):
            return left
        if _is_number(left, neutral) and term.op is not Op.SUB:
            return right
        if term.op is Op.SUB and left is right:
            return terms.const(0, term.sort)
    return term


def _is_number(term: Term, value: int) -> bool:
    return term.op is Op.CONST and term.payload == value and not isinstance(term.payload, bool)
