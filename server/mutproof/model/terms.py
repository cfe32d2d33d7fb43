"""Typed terms, hash-consed: equal terms are the same object, so equality is identity.

A term carries no position. Its digest depends on its content only and is the same in every
process. Terms are made by the functions below, which check arity and sorts as assertions
about this program, not about a user's text: front ends check types before they build.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from fractions import Fraction
from functools import lru_cache
from typing import TypeAlias, cast
from weakref import ref

from mutproof.base.digest import BEFORE_DIGEST, Digest, digest_framed, framed
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.operators import Op
from mutproof.model.sorts import Sort, Value


@dataclass(frozen=True, slots=True)
class Site:
    """Name a node call: the called component and the call's number in its element, 0-based.

    The number keeps two equal calls apart and survives a mutation of the terms around it.
    """

    component: str
    number: int
    outputs: tuple[str, ...]


Payload: TypeAlias = "Value | Site | tuple[str | int, ...] | None"


class Term:
    """A node of the hash-consed graph; make one with the functions of this module."""

    __slots__ = ("__weakref__", "args", "known_digest", "op", "payload", "read", "sort")

    op: Op
    sort: Sort
    args: tuple[Term, ...]
    payload: Payload
    known_digest: Digest | None
    read: frozenset[str] | None  # the variables, once they were asked for

    def __repr__(self) -> str:
        if self.op is Op.CONST or self.op is Op.VAR:
            return str(self.payload)
        shown = "" if self.payload is None else f"[{self.payload}]"
        return f"{self.op.value}{shown}({', '.join('…' if a.args else repr(a) for a in self.args)})"

    def __reduce__(self) -> tuple[object, ...]:
        message = "terms cross processes as flat tables: model.tables"
        raise TypeError(message)

    @property
    def digest(self) -> Digest:
        """Return the digest of the content of the term."""
        if self.known_digest is None:
            _fill_digests(self)
        return cast("Digest", self.known_digest)


class _Reference(ref[Term]):
    """Refer weakly to a term, and hold its key in the table."""

    __slots__ = ("key",)

    key: tuple[object, ...]


_table: dict[tuple[object, ...], _Reference] = {}
"""All live terms, weakly referenced."""


def _forget(reference: ref[Term]) -> None:
    assert isinstance(reference, _Reference)
    if _table.get(reference.key) is reference:
        del _table[reference.key]


def make(op: Op, sort: Sort, args: Sequence[Term] = (), payload: Payload = None) -> Term:
    """Return the one term with this operator, sort, arguments and payload."""
    arguments = tuple(args)
    # True == 1 == Fraction(1) in Python, so the key names the payload's type. Arguments are
    # compared by identity, as terms are.
    key = (op, sort, payload, type(payload), arguments)
    reference = _table.get(key)
    if reference is not None:
        known = reference()
        if known is not None:
            return known
    term = Term.__new__(Term)
    term.op = op
    term.sort = sort
    term.args = arguments
    term.payload = payload
    term.known_digest = None
    term.read = None
    _table[key] = reference = _Reference(term, _forget)
    reference.key = key
    return term


@lru_cache(maxsize=4096)
def _framed_head(op: Op, sort: Sort) -> bytes:
    return framed(op.value, repr(sort))


_NO_PAYLOAD = framed("None")


def _fill_digests(root: Term) -> None:
    stack = [root]
    while stack:
        term = stack[-1]
        missing = [arg for arg in term.args if arg.known_digest is None]
        if missing:
            stack.extend(missing)
            continue
        stack.pop()
        if term.known_digest is None:
            payload = _NO_PAYLOAD if term.payload is None else framed(repr(term.payload))
            parts = [_framed_head(term.op, term.sort) + payload]
            parts += [arg.known_digest for arg in term.args if arg.known_digest is not None]
            term.known_digest = digest_framed(BEFORE_DIGEST.join(parts))


# --- leaves -----------------------------------------------------------------------------------


def const(value: Value, sort: Sort) -> Term:
    """Return the constant `value`; an int given for a real becomes a Fraction."""
    if isinstance(sort, sorts.RealSort) and not isinstance(value, Fraction):
        value = Fraction(cast("int", value))
    return make(Op.CONST, sorts.widened(sort), (), value)


def var(name: str, sort: Sort) -> Term:
    """Return the variable `name`; its sort is widened, bounds belong to declarations."""
    return make(Op.VAR, sorts.widened(sort), (), name)


def next_var(name: str, sort: Sort) -> Term:
    """Return the value of the variable `name` in the next state."""
    return make(Op.NEXT_VAR, sorts.widened(sort), (), name)


TRUE = const(True, sorts.BOOL)
FALSE = const(False, sorts.BOOL)


def bool_(value: bool) -> Term:
    """Return the Boolean constant."""
    return TRUE if value else FALSE


def int_(value: int) -> Term:
    """Return the integer constant."""
    return const(value, sorts.INT)


def real_(value: Fraction) -> Term:
    """Return the real constant."""
    return const(value, sorts.REAL)


# --- Boolean ----------------------------------------------------------------------------------


def not_(term: Term) -> Term:
    """Return the negation; not simplified."""
    return make(Op.NOT, sorts.BOOL, (term,))


def and_(left: Term, right: Term) -> Term:
    """Return the conjunction of two terms; not simplified."""
    return make(Op.AND, sorts.BOOL, (left, right))


def or_(left: Term, right: Term) -> Term:
    """Return the disjunction of two terms; not simplified."""
    return make(Op.OR, sorts.BOOL, (left, right))


def implies(left: Term, right: Term) -> Term:
    """Return the implication; not simplified."""
    return make(Op.IMPLIES, sorts.BOOL, (left, right))


def conjunction(terms: Iterable[Term]) -> Term:
    """Return the conjunction of any number of terms, `true` for none, as a left chain."""
    result: Term | None = None
    for term in terms:
        if term is TRUE:
            continue
        result = term if result is None else and_(result, term)
    return TRUE if result is None else result


def disjunction(terms: Iterable[Term]) -> Term:
    """Return the disjunction of any number of terms, `false` for none, as a left chain."""
    result: Term | None = None
    for term in terms:
        if term is FALSE:
            continue
        result = term if result is None else or_(result, term)
    return FALSE if result is None else result


def ite(condition: Term, then: Term, otherwise: Term) -> Term:
    """Return `if condition then then else otherwise`, of the sort of `then`."""
    return make(Op.ITE, then.sort, (condition, then, otherwise))


def eq(left: Term, right: Term) -> Term:
    """Return the equality of two terms."""
    return make(Op.EQ, sorts.BOOL, (left, right))


def ne(left: Term, right: Term) -> Term:
    """Return the inequality of two terms."""
    return make(Op.NE, sorts.BOOL, (left, right))


def compare(op: Op, left: Term, right: Term) -> Term:
    """Return a comparison: LT, LE, GT, GE, EQ or NE."""
    return make(op, sorts.BOOL, (left, right))


def arithmetic(op: Op, *args: Term) -> Term:
    """Return ADD, SUB, MUL, NEG and the like: the sort is that of the first argument."""
    return make(op, args[0].sort, args)


def rebuilt(term: Term, args: Sequence[Term]) -> Term:
    """Return the term with other arguments: same operator, sort and payload."""
    arguments = tuple(args)
    if arguments == term.args:  # compared by identity, as terms are
        return term
    return make(term.op, term.sort, arguments, term.payload)


# --- paths ------------------------------------------------------------------------------------

Path: TypeAlias = tuple[int, ...]
"""The place of a subterm: the argument positions (0-based) that lead to it from the root."""


def at(term: Term, path: Path) -> Term:
    """Return the subterm at a path."""
    for index in path:
        term = term.args[index]
    return term


def replaced(term: Term, path: Path, replacement: Term) -> Term:
    """Return the term with the subterm at `path` replaced; only that occurrence changes."""
    spine = [term]
    for index in path:
        spine.append(spine[-1].args[index])
    result = replacement
    for parent, index in zip(reversed(spine[:-1]), reversed(path), strict=True):
        arguments = list(parent.args)
        arguments[index] = result
        result = make(parent.op, parent.sort, arguments, parent.payload)
    return result
