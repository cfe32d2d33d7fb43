"""From terms to formulas of Z3, one operator at a time, without recursion.

Integers and symbolic constants become Int, words become bit-vectors. Integer `div` and `mod`
are Euclidean in SMT-LIB too; the truncating pair is built from them. Divisors that may be
zero do not reach this module: lowering guards them.

Source: SMT-LIB 2.6, theories Ints, Reals_Ints, FixedSizeBitVectors.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction

from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.solving.solver import Formula, UnsupportedTermError
from mutproof.solving.z3_context import Z3Context

_INTEGER = {Op.LT: "lt", Op.LE: "le", Op.GT: "gt", Op.GE: "ge"}
_SIGNED = {Op.LT: "bvslt", Op.LE: "bvsle", Op.GT: "bvsgt", Op.GE: "bvsge"}
_UNSIGNED = {Op.LT: "bvult", Op.LE: "bvule", Op.GT: "bvugt", Op.GE: "bvuge"}
_NUMERIC = {Op.ADD: "add", Op.SUB: "sub", Op.MUL: "mul"}
_WORDS = {Op.ADD: "bvadd", Op.SUB: "bvsub", Op.MUL: "bvmul"}
_BITWISE = {
    Op.AND: "bvand",
    Op.OR: "bvor",
    Op.XOR: "bvxor",
    Op.XNOR: "bvxnor",
    Op.IFF: "bvxnor",
}


def encode(
    context: Z3Context,
    root: Term,
    variable: Callable[[Term], Formula],
    memo: dict[Term, Formula],
) -> Formula:
    """Return a term as a formula; `memo` is read and extended.

    Raises:
        UnsupportedTermError: an operator or a sort has no place in a transition system.
    """

    def combine(term: Term, args: tuple[Formula, ...]) -> Formula:
        if term.op is Op.VAR or term.op is Op.NEXT_VAR:
            return variable(term)
        if term.op is Op.IN:
            return _membership(context, term, memo)
        return _combine(context, term, args)

    return walk.fold(root, combine, memo)


def _combine(context: Z3Context, term: Term, args: tuple[Formula, ...]) -> Formula:
    of_words = bool(term.args) and isinstance(term.args[0].sort, sorts.WordSort)
    match term.op:
        case Op.CONST:
            return context.constant_value(term.payload, term.sort)
        case Op.NOT:
            return context.call("bvnot" if of_words else "not", *args)
        case Op.AND | Op.OR | Op.XOR | Op.IFF | Op.XNOR | Op.IMPLIES:
            return _connective(context, term.op, args, of_words=of_words)
        case Op.ITE:
            return _choice(context, term, args)
        case Op.CASE:
            return _choice(context, term, args)
        case Op.EQ:
            return _equal(context, term.args, args)
        case Op.NE:
            return context.call("not", _equal(context, term.args, args))
        case Op.LT | Op.LE | Op.GT | Op.GE:
            if of_words:
                table = _SIGNED if _is_signed(term.args[0].sort) else _UNSIGNED
                return context.call(table[term.op], *args)
            return context.call(_INTEGER[term.op], *_same_sort(context, term.args, args))
        case Op.ADD | Op.SUB | Op.MUL:
            if of_words:
                return _chained(context, _WORDS[term.op], args)
            return context.call_many(_NUMERIC[term.op], _same_sort(context, term.args, args))
        case Op.NEG:
            return context.call("bvneg" if of_words else "unary_minus", *args)
        case Op.REAL_DIV:
            return context.call("div", *(_real(context, a, f) for a, f in _pairs(term, args)))
        case Op.DIV | Op.MOD | Op.TRUNC_DIV | Op.TRUNC_MOD:
            return _division(context, term, args, of_words=of_words)
        case Op.TO_REAL:
            return _real(context, term.args[0], args[0])
        case Op.FLOOR:
            if isinstance(term.args[0].sort, sorts.RealSort):
                return context.call("real2int", *args)
            return args[0]
        case Op.COUNT:
            one, zero = context.int_(1), context.int_(0)
            if not args:
                return zero
            return context.call_many("add", [context.call("ite", f, one, zero) for f in args])
        case Op.TO_INT:
            return _to_int(context, term.args[0].sort, args[0])
        case Op.TO_BOOL:
            return _to_bool(context, term.args[0].sort, args[0])
        case Op.SET | Op.UNION:
            return context.true  # never used: `_membership` reads the terms
        case Op.APPLY:
            return _application(context, term, args)
        case _:
            return _word_operation(context, term, args)


def _pairs(term: Term, args: tuple[Formula, ...]) -> Sequence[tuple[Term, Formula]]:
    return tuple(zip(term.args, args, strict=True))


def _is_signed(sort: Sort) -> bool:
    return isinstance(sort, sorts.WordSort) and sort.signed


def _chained(context: Z3Context, operation: str, args: tuple[Formula, ...]) -> Formula:
    result = args[0]
    for argument in args[1:]:
        result = context.call(operation, result, argument)
    return result


def _connective(
    context: Z3Context, op: Op, args: tuple[Formula, ...], *, of_words: bool
) -> Formula:
    if of_words:
        if op is Op.IMPLIES:
            return context.call("bvor", context.call("bvnot", args[0]), args[1])
        return _chained(context, _BITWISE[op], args)
    match op:
        case Op.AND:
            return context.conjunction(args)
        case Op.OR:
            return context.disjunction(args)
        case Op.XOR:
            return _chained(context, "xor", args)
        case Op.IMPLIES:
            return context.call("implies", *args)
        case _:
            return _chained(context, "iff", args)


def _real(context: Z3Context, term: Term, formula: Formula) -> Formula:
    if isinstance(term.sort, sorts.RealSort):
        return formula
    if isinstance(term.payload, int) and term.op is Op.CONST:
        return context.numeral(Fraction(term.payload), context.real_sort)
    return context.call("int2real", formula)


def _same_sort(
    context: Z3Context, originals: Sequence[Term], args: Sequence[Formula]
) -> Sequence[Formula]:
    """Convert integers to reals if any argument is real."""
    real = [isinstance(term.sort, sorts.RealSort) for term in originals]
    if not any(real) or all(real):
        return args
    return [_real(context, t, f) for t, f in zip(originals, args, strict=True)]


def _equal(context: Z3Context, originals: Sequence[Term], args: Sequence[Formula]) -> Formula:
    left, right = _same_sort(context, originals, args)
    return context.call("eq", left, right)


def _choice(context: Z3Context, term: Term, args: tuple[Formula, ...]) -> Formula:
    """Return nested if-then-else; the last value of a `case` applies if no condition is true."""
    if term.op is Op.ITE:
        conditions, originals, values = args[:1], term.args[1:], args[1:]
    else:
        conditions, originals, values = args[0:-2:2], term.args[1::2], args[1::2]
    values = tuple(_same_sort(context, originals, values))
    result = values[-1]
    for condition, value in zip(reversed(conditions), reversed(values[:-1]), strict=True):
        result = context.call("ite", condition, value, result)
    return result


def _division(
    context: Z3Context, term: Term, args: tuple[Formula, ...], *, of_words: bool
) -> Formula:
    left, right = args
    quotient = term.op in {Op.DIV, Op.TRUNC_DIV}
    if of_words:
        if not _is_signed(term.args[0].sort):
            return context.call("bvudiv" if quotient else "bvurem", left, right)
        if term.op in {Op.TRUNC_DIV, Op.TRUNC_MOD}:
            return context.call("bvsdiv" if quotient else "bvsrem", left, right)
        return _euclidean_word(context, term, args, quotient=quotient)
    operation = "div" if quotient else "mod"
    euclidean = context.call(operation, left, right)
    if term.op in {Op.DIV, Op.MOD}:
        return euclidean
    negated = context.call(
        "unary_minus", context.call(operation, context.call("unary_minus", left), right)
    )
    return context.call("ite", context.call("ge", left, context.int_(0)), euclidean, negated)


def _euclidean_word(
    context: Z3Context, term: Term, args: tuple[Formula, ...], *, quotient: bool
) -> Formula:
    """Return the Euclidean quotient or remainder (never negative) of signed words."""
    left, right = args
    word = context.sort(term.args[0].sort)
    zero, one = context.numeral(0, word), context.numeral(1, word)
    remainder = context.call("bvsrem", left, right)
    negative = context.call("bvslt", remainder, zero)
    down = context.call("bvslt", right, zero)
    if not quotient:
        size = context.call("ite", down, context.call("bvneg", right), right)
        return context.call("ite", negative, context.call("bvadd", remainder, size), remainder)
    towards_zero = context.call("bvsdiv", left, right)
    other = context.call(
        "ite",
        down,
        context.call("bvadd", towards_zero, one),
        context.call("bvsub", towards_zero, one),
    )
    return context.call("ite", negative, other, towards_zero)


def _to_int(context: Z3Context, sort: Sort, formula: Formula) -> Formula:
    match sort:
        case sorts.BoolSort():
            return context.call("ite", formula, context.int_(1), context.int_(0))
        case sorts.WordSort(_, signed):
            return context.call("bv2int", formula, signed)
        case sorts.RealSort():
            return context.call("real2int", formula)
        case _:
            return formula


def _to_bool(context: Z3Context, sort: Sort, formula: Formula) -> Formula:
    if isinstance(sort, sorts.BoolSort):
        return formula
    zero = context.numeral(0, context.sort(sort))
    return context.call("not", context.call("eq", formula, zero))


def _membership(context: Z3Context, term: Term, memo: dict[Term, Formula]) -> Formula:
    """Return that every element on the left is among those on the right."""
    available = _members(term.args[1])
    return context.conjunction(
        [
            context.disjunction([_equal(context, (e, m), (memo[e], memo[m])) for m in available])
            for e in _members(term.args[0])
        ]
    )


def _members(root: Term) -> list[Term]:
    """Return the elements of a set term, or the term itself if it is not a set.

    Raises:
        UnsupportedTermError: a set is not given by its elements.
    """
    stack, members = [root], list[Term]()
    while stack:
        found = stack.pop()
        if found.op in {Op.SET, Op.UNION}:
            stack.extend(reversed(found.args))
        elif isinstance(found.sort, sorts.SetSort):
            message = f"{found.op.name} cannot stand for a set here"
            raise UnsupportedTermError(message)
        else:
            members.append(found)
    return members


def _application(context: Z3Context, term: Term, args: tuple[Formula, ...]) -> Formula:
    assert isinstance(term.payload, tuple)
    name, output = term.payload
    declaration = context.function(
        (str(name), int(str(output))), tuple(a.sort for a in term.args), term.sort
    )
    return context.apply(declaration, args)


def _word_operation(context: Z3Context, term: Term, args: tuple[Formula, ...]) -> Formula:
    source = term.args[0].sort if term.args else None
    target = term.sort
    if term.op is Op.WORD1:
        word = context.sort(target)
        return context.call("ite", args[0], context.numeral(1, word), context.numeral(0, word))
    if isinstance(source, sorts.WordSort) and isinstance(target, sorts.WordSort):
        match term.op:
            case Op.SIGNED | Op.UNSIGNED:
                return args[0]
            case Op.CONCAT:
                return _chained(context, "concat", args)
            case Op.BIT_SELECTION if isinstance(term.payload, tuple):
                high, low = (int(str(bound)) for bound in term.payload)
                return context.call("extract", high, low, args[0])
            case Op.EXTEND | Op.RESIZE:
                return _resized(context, args[0], source, target.width)
            case Op.SHIFT_LEFT | Op.SHIFT_RIGHT:
                return _shift(context, term, args, source)
            case _:
                pass
    message = f"systems have no operator {term.op.name} on these sorts"
    raise UnsupportedTermError(message)


def _resized(context: Z3Context, word: Formula, source: sorts.WordSort, width: int) -> Formula:
    """Return a word of another width; shrinking a signed word keeps its sign bit.

    Source: NuSMV 2.6 user manual, 2.2.3 "Resize operator".
    """
    if width >= source.width:
        operation = "sign_ext" if source.signed else "zero_ext"
        return context.call(operation, width - source.width, word)
    if not source.signed:
        return context.call("extract", width - 1, 0, word)
    sign = context.call("extract", source.width - 1, source.width - 1, word)
    if width == 1:
        return sign
    return context.call("concat", sign, context.call("extract", width - 2, 0, word))


def _shift(
    context: Z3Context, term: Term, args: tuple[Formula, ...], source: sorts.WordSort
) -> Formula:
    if term.op is Op.SHIFT_LEFT:
        operation = "bvshl"
    else:
        operation = "bvashr" if source.signed else "bvlshr"
    word, amount = args
    amount_sort = term.args[1].sort
    if not isinstance(amount_sort, sorts.WordSort):
        # Larger amounts are replaced by the width: they all shift every bit out.
        width = context.int_(source.width)
        large = context.call("ge", amount, width)
        clamped = context.call("ite", large, width, amount)
        bits = source.width.bit_length() + 1
        wide = max(bits, source.width)
        extended = context.call("int2bv", wide, clamped)
        amount_width = wide
    else:
        extended, amount_width = amount, amount_sort.width
    common = max(amount_width, source.width)
    if common > amount_width:
        extended = context.call("zero_ext", common - amount_width, extended)
    if common > source.width:
        extension = "sign_ext" if source.signed else "zero_ext"
        word = context.call(extension, common - source.width, word)
    shifted = context.call(operation, word, extended)
    if common > source.width:
        return context.call("extract", source.width - 1, 0, shifted)
    return shifted
