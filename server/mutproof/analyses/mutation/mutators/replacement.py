"""Operators of the NuSMV study on expressions: negation, exchange, fixed values, parentheses."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import Change, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.structure import BOTH, SECTION_4
from mutproof.model import terms
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort, IntSort, RealSort, WordSort
from mutproof.model.terms import Term

_LOGICAL = (Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.XOR, Op.XNOR)
_RELATIONAL = (Op.EQ, Op.NE, Op.LT, Op.LE, Op.GT, Op.GE)
_EQUALITIES = (Op.EQ, Op.NE)
_SUMS = frozenset({Op.ADD, Op.SUB})
_PRODUCTS = frozenset({Op.MUL, Op.TRUNC_DIV, Op.TRUNC_MOD, Op.REAL_DIV, Op.DIV, Op.MOD})
_SHIFTING = frozenset(_LOGICAL) | _SUMS | _PRODUCTS
_LINEAR_DIVISIONS = {True: (Op.DIV, Op.MOD), False: (Op.REAL_DIV,)}
_PARITY = frozenset({Op.XOR, Op.XNOR, Op.IFF})


def _is_own(occurrence: Occurrence) -> bool:
    """Tell whether a term is Boolean, and not the operand of `!` or `next`.

    Changing that operand equals changing the whole, which has mutants of its own.
    """
    parent = occurrence.parent
    around = parent is not None and parent.op in {Op.NOT, Op.NEXT}
    return isinstance(occurrence.term.sort, BoolSort) and not around


def _negate(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if _is_own(occurrence) and term.op is not Op.CONST:
        negated = term.args[0] if term.op is Op.NOT else terms.not_(term)
        yield Change(occurrence.path, negated, "negated")


def _stick(value: bool) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        if _is_own(occurrence):
            shown = spelling.value(occurrence, value)
            yield Change(occurrence.path, terms.bool_(value), f"stuck at `{shown}`")

    return apply


def _others(occurrence: Occurrence, ops: tuple[Op, ...]) -> Iterator[Change]:
    term = occurrence.term
    before = spelling.operator(occurrence, term.op)
    for op in ops:
        if op is not term.op:
            replacement = terms.make(op, term.sort, term.args)
            summary = f"`{before}` → `{spelling.operator(occurrence, op)}`"
            yield Change(occurrence.path, replacement, summary)


def _logical(occurrence: Occurrence) -> Iterator[Change]:
    if occurrence.term.op in _LOGICAL:
        yield from _others(occurrence, occurrence.traits.logical)


def _relational(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op in _RELATIONAL:
        ordered = all(isinstance(arg.sort, IntSort | RealSort | WordSort) for arg in term.args)
        yield from _others(occurrence, _RELATIONAL if ordered else _EQUALITIES)


def _mathematical(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if len(term.args) == 2 and term.op in _SUMS | _PRODUCTS:
        yield from _others(occurrence, _arithmetic(occurrence))


def _arithmetic(occurrence: Occurrence) -> tuple[Op, ...]:
    """Return the operators that may stand between the operands of a term, its own included.

    In linear languages, none makes a product of two terms that are not constant, or divides by one.
    """
    left, right = occurrence.term.args
    if occurrence.traits.is_linear:
        found = [Op.ADD, Op.SUB]
        if Op.CONST in {left.op, right.op}:
            found.append(Op.MUL)
        if right.op is Op.CONST and right.payload != 0:
            found += _LINEAR_DIVISIONS[isinstance(right.sort, IntSort)]
        return tuple(found)
    if isinstance(occurrence.term.sort, RealSort):
        return (Op.ADD, Op.SUB, Op.MUL, Op.REAL_DIV)
    return (Op.ADD, Op.SUB, Op.MUL, Op.TRUNC_DIV, Op.TRUNC_MOD)


def _shift(occurrence: Occurrence) -> Iterator[Change]:
    """Move the parentheses of `(a * b) + c` and `a * (b + c)`, where that changes anything."""
    term = occurrence.term
    products = frozenset({Op.MUL}) if occurrence.traits.is_linear else _PRODUCTS
    allowed = frozenset(occurrence.traits.logical) | _SUMS | products
    if term.op not in allowed or len(term.args) != 2:
        return
    left, right = term.args
    if left.op in allowed and _can_shift(left, term, right, inner_first=True):
        inner = terms.make(term.op, term.sort, (left.args[1], right))
        moved = terms.make(left.op, term.sort, (left.args[0], inner))
        yield Change(occurrence.path, moved, _shifted(occurrence, left.op, "right"))
    if right.op in allowed and _can_shift(right, term, left, inner_first=False):
        inner = terms.make(term.op, term.sort, (left, right.args[0]))
        moved = terms.make(right.op, term.sort, (inner, right.args[1]))
        yield Change(occurrence.path, moved, _shifted(occurrence, right.op, "left"))


def _shifted(occurrence: Occurrence, inner: Op, where: str) -> str:
    first = spelling.operator(occurrence, inner)
    second = spelling.operator(occurrence, occurrence.term.op)
    operands = (first, second) if where == "right" else (second, first)
    return f"parentheses of `{operands[0]}` and `{operands[1]}` shifted to the {where}"


def _can_shift(inner: Term, outer: Term, other: Term, *, inner_first: bool) -> bool:
    if len(inner.args) != 2:
        return False
    if any(part.sort != outer.sort for part in (inner, other, *inner.args)):
        return False
    first, second = (inner.op, outer.op) if inner_first else (outer.op, inner.op)
    if first in _PARITY and second in _PARITY:
        return False
    if first is second and first in {Op.AND, Op.OR, Op.MUL}:
        return False
    return not (first is Op.ADD and second in _SUMS)


def _made(
    name: str,
    group: str,
    summary: str,
    apply: Callable[[Occurrence], Iterator[Change]],
    *,
    changes: Iterable[Op] | None = None,
) -> Mutator:
    concerned = None if changes is None else frozenset(changes)
    return Mutator(name, group, summary, SECTION_4, BOTH, apply, concerned)


MUTATORS = (
    _made("EN", "boolean", "expression negation: a Boolean becomes its negation", _negate),
    _made("LOR", "boolean", "a logical operator becomes another one", _logical, changes=_LOGICAL),
    _made(
        "MOR",
        "arithmetic",
        "a mathematical operator becomes another one",
        _mathematical,
        changes=_SUMS | _PRODUCTS,
    ),
    _made(
        "ROR",
        "relational",
        "a relational operator becomes another one",
        _relational,
        changes=_RELATIONAL,
    ),
    _made("SA0", "boolean", "stuck at 0: a Boolean becomes FALSE", _stick(False)),
    _made("SA1", "boolean", "stuck at 1: a Boolean becomes TRUE", _stick(True)),
    _made(
        "AS",
        "structure",
        "associative shift: parentheses move to the next operator",
        _shift,
        changes=_SHIFTING,
    ),
)
