"""Operators of the studies on Simulink and Verilog: what is inserted, swapped, or made 0 or 1."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from itertools import islice

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.passes import operands
from mutproof.model.sorts import BoolSort, IntSort, RealSort, WordSort
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

SIMULINK = "Donaldson, He, Kroening and Rümmer: TACAS 2011, section 5.2"
VERILOG = "Fellner, Tabaei Befrouei and Weissenbacher: SEFM 2019, Table 3"
LARGEST = 40
"""The most subterms of what is written twice to make it absolute."""

_LEVELS = dict.fromkeys(Semantics, frozenset({Level.ALL}))
_SWAPPED = (Op.LT, Op.LE, Op.GT, Op.GE, Op.EQ)
_CALLS = frozenset({Op.CALL, Op.CONDACT})


def _is_number(occurrence: Occurrence) -> bool:
    """Tell whether a term is a number, and not the operand of a unary minus or `next`."""
    parent = occurrence.parent
    around = parent is not None and parent.op in {Op.NEG, Op.NEXT}
    return isinstance(occurrence.term.sort, IntSort | RealSort) and not around


def _zero(term: Term) -> Term:
    return terms.int_(0) if isinstance(term.sort, IntSort) else terms.real_(Fraction(0))


def _absolute(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if not _is_number(occurrence) or term.op in {Op.CONST, Op.NEG}:
        return
    parts = list(islice(walk.subterms(term), LARGEST + 1))
    if len(parts) > LARGEST or any(map(_is_each_its_own, parts)):
        return  # its calls and memories would be duplicated
    negative = terms.compare(Op.LT, term, _zero(term))
    absolute = terms.ite(negative, terms.arithmetic(Op.NEG, term), term)
    yield Change(occurrence.path, absolute, "its absolute value")


def _is_each_its_own(term: Term) -> bool:
    """Tell whether each occurrence of a term has its own memories."""
    if term.op is Op.PRE:
        return operands.any_part(operands.stateful(term.args[0]))
    return term.op in _CALLS


def _negated(occurrence: Occurrence) -> Iterator[Change]:
    term, parent = occurrence.term, occurrence.parent
    if _is_number(occurrence) and term.op is not Op.NEG and term is not _zero(term):
        yield Change(occurrence.path, terms.arithmetic(Op.NEG, term), "`-` inserted")
    around = parent is not None and parent.op in {Op.NOT, Op.NEXT}
    if isinstance(term.sort, BoolSort) and not around and term.op not in {Op.NOT, Op.CONST}:
        shown = spelling.operator(occurrence, Op.NOT)
        yield Change(occurrence.path, terms.not_(term), f"`{shown}` inserted")


def _swapped(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    ordered = all(isinstance(arg.sort, IntSort | RealSort | WordSort) for arg in term.args)
    if term.op not in _SWAPPED or not ordered:
        return
    before = spelling.operator(occurrence, term.op)
    for op in _SWAPPED:
        if op is not term.op:
            replacement = terms.make(op, term.sort, term.args)
            after = spelling.operator(occurrence, op)
            yield Change(occurrence.path, replacement, f"`{before}` → `{after}`")


def _set_to(ones: bool) -> Callable[[Occurrence], Iterator[Change]]:
    def apply(occurrence: Occurrence) -> Iterator[Change]:
        term = occurrence.term
        value: int | Fraction = int(ones)
        if isinstance(term.sort, WordSort) and ones:
            value = -1 if term.sort.signed else (1 << term.sort.width) - 1
        elif isinstance(term.sort, RealSort):
            value = Fraction(value)
        numeric = isinstance(term.sort, IntSort | RealSort | WordSort)
        if term.op is Op.CONST and numeric and sorts.contains(term.sort, value):
            replacement = terms.const(value, term.sort)
            before, after = (spelling.constant(occurrence, t) for t in (term, replacement))
            yield Change(occurrence.path, replacement, f"`{before}` → `{after}`")

    return apply


def _made(
    name: str,
    group: str,
    summary: str,
    apply: Callable[[Occurrence], Iterator[Change]],
    *,
    source: str = SIMULINK,
    changes: Iterable[Op] | None = None,
) -> Mutator:
    concerned = None if changes is None else frozenset(changes)
    return Mutator(name, group, summary, source, _LEVELS, apply, concerned)


MUTATORS = (
    _made("ABS", "arithmetic", "a number becomes its absolute value", _absolute),
    _made("UOI", "arithmetic", "`-` or `not` is inserted before a number or Boolean", _negated),
    _made(
        "RR",
        "relational",
        "a comparison of numbers becomes another one of <, <=, >, >= and =",
        _swapped,
        changes=_SWAPPED,
    ),
    _made(
        "const2zero",
        "constant",
        "a number or word becomes 0",
        _set_to(False),
        source=VERILOG,
        changes={Op.CONST},
    ),
    _made(
        "const2one",
        "constant",
        "a number becomes 1, a word has all bits set",
        _set_to(True),
        source=VERILOG,
        changes={Op.CONST},
    ),
)
