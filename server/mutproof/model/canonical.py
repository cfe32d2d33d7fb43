"""Canonical forms of terms: terms with the same form have the same value in every state.

A form is a table. Its dimensions are what conditions depend on: Boolean variables, enumerated ones,
and sums of variables, cut where the term compares them with constants. Its entries are sums,
constants or opaque parts. Cuts and dimensions that make no difference are taken out, so that
`x > 0` and `not (x <= 0)`, and for integers `x >= 1`, have one form.

The converse does not hold: dimensions are taken to be independent, and products, divisions and
words are opaque.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import field
from fractions import Fraction
from math import prod
from typing import Final, TypeAlias

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.sorts import BoolSort, IntSort
from mutproof.model.sums import (
    Cut,
    Leaf,
    Sum,
    added,
    is_number,
    is_sum,
    leaf_of,
    name_of,
    no_case,
    product_of,
    question,
    scaled,
    times,
)
from mutproof.model.system import SystemVariable, SystemVariableKind
from mutproof.model.terms import Term

MOST_ENTRIES: Final = 1 << 10
"""The most entries of a table; a term that needs more is its own form."""

MOST_LEAVES: Final = 32
"""The most different values, as terms, of a part."""

_OTHER: Final = "%other"
_INSIDE: Final = {SystemVariableKind.INPUT, SystemVariableKind.STATE}


@dataclass(frozen=True, slots=True)
class _Dimension:
    """Hold one dimension of a table: a Boolean, an enumerated variable, or a sum between cuts."""

    key: str
    values: tuple[object, ...] = ()
    cuts: tuple[Cut, ...] = ()

    @property
    def size(self) -> int:
        if self.values:
            return len(self.values)
        return len(self.cuts) + 1


@dataclass(frozen=True, slots=True)
class _Choice:
    """Ask whether the enumerated variable `key` has the value `chosen`."""

    key: str
    chosen: object
    values: tuple[object, ...]


class _TableTooLarge(Exception):  # noqa: N818 - the caller decides what it means
    """Say that a table would have too many entries."""


def canonical(term: Term, variables: Mapping[str, SystemVariable]) -> Digest:
    """Return the digest of the form of a scalar term over variables of a system.

    Values of inputs and memories are taken to lie in the bounds of their declarations.
    """
    try:
        return _Table(term, variables).digest()
    except _TableTooLarge:
        return digest_parts("as it is", term.digest)


@dataclass
class _Table:
    """Build the table of one term; mutable."""

    term: Term
    variables: Mapping[str, SystemVariable]
    leaves: dict[Term, frozenset[Leaf]] = field(default_factory=dict)
    cuts: dict[str, set[Cut]] = field(default_factory=dict)
    listed: dict[str, tuple[object, ...]] = field(default_factory=dict)
    bits: dict[tuple[str, object], int] = field(default_factory=dict)

    def digest(self) -> Digest:
        walk.fold(self.term, self._leaves_of, self.leaves)
        for part in self._looked_into():
            self._ask(part)
        dimensions = [_Dimension(key, values) for key, values in self.listed.items()]
        dimensions += [_Dimension(k, cuts=tuple(sorted(c))) for k, c in self.cuts.items()]
        dimensions.sort(key=lambda each: each.key)
        if prod(each.size for each in dimensions) > MOST_ENTRIES:
            raise _TableTooLarge
        return _without_idle(dimensions, self._entries(dimensions))

    # --- the dimensions -----------------------------------------------------------------------

    def _leaves_of(self, term: Term, args: tuple[frozenset[Leaf], ...]) -> frozenset[Leaf]:
        """Return the values that a subterm may have, as sums or as opaque subterms."""
        if isinstance(term.sort, BoolSort):
            return frozenset()
        match term.op:
            case Op.ITE:
                found = args[1] | args[2]
            case Op.CASE:
                found = frozenset({no_case(term)}).union(*args[1::2])
            case Op.ADD | Op.SUB if is_number(term):
                sign = 1 if term.op is Op.ADD else -1
                found = frozenset(
                    added(one, other, sign)
                    for one in args[0]
                    for other in args[1]
                    if isinstance(one, Sum) and isinstance(other, Sum)
                )
            case Op.NEG if is_number(term):
                found = frozenset(times(one, Fraction(-1)) for one in args[0] if is_sum(one))
            case Op.TO_REAL if isinstance(term.args[0].sort, IntSort):
                found = args[0]
            case Op.MUL if is_number(term) and (products := scaled(*args)) is not None:
                found = products
            case _:
                found = frozenset({leaf_of(term)})
        if len(found) > MOST_LEAVES:
            raise _TableTooLarge
        return found

    def _looked_into(self) -> Iterator[Term]:
        """Yield the term and its subterms, each once; do not descend into opaque ones."""
        seen, stack = {self.term}, [self.term]
        while stack:
            term = stack.pop()
            yield term
            if self._is_closed(term):
                continue
            for arg in term.args:
                if arg not in seen:
                    seen.add(arg)
                    stack.append(arg)

    def _is_closed(self, term: Term) -> bool:
        if isinstance(term.sort, BoolSort):
            return term.op not in _LOGIC and not self.compares(term)
        return self.leaves[term] == {leaf_of(term)}

    def compares(self, term: Term) -> bool:
        """Tell whether a Boolean part compares values that are looked into."""
        if term.op in COMPARISONS:
            return is_number(term.args[0])
        is_equality = term.op in {Op.EQ, Op.NE}
        return is_equality and not isinstance(term.args[0].sort, BoolSort)

    def _ask(self, term: Term) -> None:
        if not isinstance(term.sort, BoolSort) or term.op is Op.CONST:
            return
        if self.compares(term):
            for one in self.leaves[term.args[0]]:
                for other in self.leaves[term.args[1]]:
                    self._ask_about(term, one, other)
        elif term.op not in _LOGIC:
            self.listed[name_of(term)] = (False, True)

    def _ask_about(self, term: Term, one: Leaf, other: Leaf) -> None:
        if isinstance(one, Sum) and isinstance(other, Sum):
            asked = question(term, one, other)
            for cut in asked.cuts:
                if self._outside(asked.key, cut) is None:
                    self.cuts.setdefault(asked.key, set()).add(cut)
        else:
            choice = self._enumerated(one, other)
            if isinstance(choice, _Choice):
                self.listed[choice.key] = choice.values

    def _enumerated(self, one: Leaf, other: Leaf) -> bool | _Choice:
        """Return whether two values are equal, or the question about a variable that decides it."""
        assert isinstance(one, Term)
        assert isinstance(other, Term)
        if one is other:
            return True
        if one.op is Op.CONST and other.op is Op.CONST:
            return (type(one.payload), one.payload) == (type(other.payload), other.payload)
        if one.op is Op.CONST:
            one, other = other, one
        if other.op is Op.CONST and one.op in {Op.VAR, Op.NEXT_VAR}:
            declared = self.variables.get(str(one.payload))
            values = () if declared is None else sorts.domain(declared.sort) or ()
            if values and declared is not None and other.payload in values:
                more = () if declared.kind in _INSIDE else (_OTHER,)
                return _Choice(name_of(one), other.payload, (*values, *more))
        key = "=".join(sorted((name_of(one), name_of(other))))
        return _Choice(key, True, (False, True))

    def _outside(self, key: str, cut: Cut) -> bool | None:
        """Return whether all values of a sum lie below a cut; None if only some do or unknown."""
        if not key:  # the sum of nothing
            return cut > (Fraction(0), 0)
        name = key.removeprefix("int 1 var ").removeprefix("int 1 next ")
        declared = self.variables.get(name)
        if declared is None or declared.kind not in _INSIDE:
            return None
        bounds = declared.sort
        if not isinstance(bounds, IntSort) or bounds.low is None or bounds.high is None:
            return None
        if cut < (bounds.low, 1):
            return False
        return True if cut >= (bounds.high, 1) else None

    # --- the table ----------------------------------------------------------------------------

    def _entries(self, dimensions: list[_Dimension]) -> list[str]:
        """Return the value of the term in each entry; the last dimension varies fastest."""
        total = prod(each.size for each in dimensions)
        self._everywhere = (1 << total) - 1
        inner = total
        for each in dimensions:
            inner //= each.size
            for number in range(each.size):
                block = ((1 << inner) - 1) << (number * inner)
                rows = 0
                for start in range(0, total, inner * each.size):
                    rows |= block << start
                place: object = each.values[number] if each.values else number
                self.bits[each.key, (type(place), place)] = rows
        known: dict[Term, _Column] = {}
        for part in self._looked_into():
            if self._is_closed(part):
                is_truth = isinstance(part.sort, BoolSort)
                whole: _Column = {leaf_of(part): self._everywhere}
                known[part] = self.listed_as(name_of(part), True) if is_truth else whole
        found = walk.refold(self.term, _Masks(self).combine, known)
        if isinstance(found, int):
            found = {"true": found, "false": self._everywhere & ~found}
        entries = [""] * total
        for leaf, rows in found.items():
            text = name_of(leaf) if isinstance(leaf, terms.Term) else repr(leaf)
            for number in range(total):
                if rows >> number & 1:
                    entries[number] = text
        return entries

    def listed_as(self, key: str, value: object) -> int:
        """Return the places at which something has a value."""
        return self.bits.get((key, (type(value), value)), 0)

    def below(self, key: str, cut: Cut) -> int:
        """Return the places at which a number lies below a cut."""
        outside = self._outside(key, cut)
        if outside is not None:
            return self._everywhere if outside else 0
        known = sorted(self.cuts[key])
        rows = 0
        for number in range(known.index(cut) + 1):
            rows |= self.listed_as(key, number)
        return rows

    def equal(self, one: Leaf, other: Leaf) -> int:
        """Return the places at which two values that are no numbers are equal."""
        asked = self._enumerated(one, other)
        if isinstance(asked, bool):
            return self._everywhere if asked else 0
        return self.listed_as(asked.key, asked.chosen)

    @property
    def everywhere(self) -> int:
        """Return all places."""
        return self._everywhere


_Column: TypeAlias = "int | dict[Leaf | str, int]"
"""The entries in which a part is true; or those in which it has each of its values."""


@dataclass(frozen=True, slots=True)
class _Masks:
    """Compute for each subterm the entries (as a bit mask) at which it has each of its values."""

    table: _Table

    def combine(self, term: Term, args: tuple[_Column, ...]) -> _Column:
        if isinstance(term.sort, BoolSort):
            return self._truth(term, args)
        match term.op:
            case Op.ITE:
                return _joined([(args[0], args[1]), (self._not(args[0]), args[2])])
            case Op.CASE:
                return _joined(self._branches(term, args))
            case Op.TO_REAL:
                return args[0]
            case Op.NEG:
                return _mapped(args[0], lambda one: times(one, Fraction(-1)))
            case Op.MUL:
                return _paired(args, product_of)
            case _:
                sign = 1 if term.op is Op.ADD else -1
                return _paired(args, lambda one, other: added(one, other, sign))

    def _truth(self, term: Term, args: tuple[_Column, ...]) -> int:
        table, everywhere = self.table, self.table.everywhere
        if table.compares(term):
            return self._compared(term, args)
        if term.op is Op.CONST:
            return everywhere if term.payload else 0
        bits = [each for each in args if isinstance(each, int)]
        match term.op:
            case Op.ITE:
                return (bits[0] & bits[1]) | (everywhere & ~bits[0] & bits[2])
            case Op.CASE:
                rows = 0
                for condition, value in self._branches(term, args):
                    assert isinstance(value, int)
                    rows |= condition & value
                return rows
            case Op.NOT:
                return everywhere & ~bits[0]
            case _:
                return everywhere & _BINARY[term.op](bits[0], bits[1])

    def _branches(self, term: Term, args: tuple[_Column, ...]) -> list[tuple[int, _Column]]:
        left, found = self.table.everywhere, list[tuple[int, _Column]]()
        for condition, value in zip(args[::2], args[1::2], strict=True):
            assert isinstance(condition, int)
            found.append((left & condition, value))
            left &= ~condition
        if found and not isinstance(found[0][1], int):
            found.append((left, {no_case(term): self.table.everywhere}))
        return found

    def _not(self, rows: _Column) -> int:
        assert isinstance(rows, int)
        return self.table.everywhere & ~rows

    def _compared(self, term: Term, args: tuple[_Column, ...]) -> int:
        table, found, (left, right) = self.table, 0, args
        assert isinstance(left, dict)
        assert isinstance(right, dict)
        for one, here in left.items():
            for other, there in right.items():
                rows = here & there
                if not rows or isinstance(one, str) or isinstance(other, str):
                    continue
                if isinstance(one, Sum) and isinstance(other, Sum):
                    found |= rows & question(term, one, other).answer(table.everywhere, table.below)
                else:
                    equal = table.equal(one, other)
                    found |= rows & (equal if term.op is Op.EQ else ~equal)
        return found


_BINARY: Final[Mapping[Op, Callable[[int, int], int]]] = {
    Op.AND: lambda one, other: one & other,
    Op.OR: lambda one, other: one | other,
    Op.XOR: lambda one, other: one ^ other,
    Op.NE: lambda one, other: one ^ other,
    Op.IMPLIES: lambda one, other: ~one | other,
    Op.IFF: lambda one, other: ~(one ^ other),
    Op.XNOR: lambda one, other: ~(one ^ other),
    Op.EQ: lambda one, other: ~(one ^ other),
}
_LOGIC: Final = {*_BINARY, Op.NOT, Op.ITE, Op.CASE, Op.CONST}


def _mapped(column: _Column, change: Callable[[object], Leaf]) -> _Column:
    assert isinstance(column, dict)
    return _gathered((change(leaf), rows) for leaf, rows in column.items())


def _paired(args: tuple[_Column, ...], change: Callable[[object, object], Leaf]) -> _Column:
    left, right = args
    assert isinstance(left, dict)
    assert isinstance(right, dict)
    return _gathered(
        (change(one, other), here & there)
        for one, here in left.items()
        for other, there in right.items()
        if here & there
    )


def _joined(cases: Iterable[tuple[_Column, _Column]]) -> _Column:
    return _gathered(
        (leaf, rows & condition)
        for condition, column in cases
        if isinstance(condition, int) and isinstance(column, dict)
        for leaf, rows in column.items()
    )


def _gathered(pairs: Iterable[tuple[Leaf | str, int]]) -> _Column:
    found: dict[Leaf | str, int] = {}
    for leaf, rows in pairs:
        if rows:
            found[leaf] = found.get(leaf, 0) | rows
    return found


def _without_idle(dimensions: list[_Dimension], entries: list[str]) -> Digest:
    """Return the digest of a table without the cuts and dimensions that make no difference."""
    kept: list[str] = []
    outer = 1
    for each in dimensions:
        inner = len(entries) // (outer * each.size)
        width = inner * each.size
        slices = [
            [
                entry
                for start in range(0, len(entries), width)
                for entry in entries[start + number * inner : start + (number + 1) * inner]
            ]
            for number in range(each.size)
        ]
        if each.cuts:
            chosen = [n for n in range(each.size) if not n or slices[n] != slices[n - 1]]
        else:
            alike = all(one == slices[0] for one in slices)
            chosen = [0] if alike else list(range(each.size))
        entries = [
            entry
            for start in range(0, len(entries), width)
            for number in chosen
            for entry in entries[start + number * inner : start + (number + 1) * inner]
        ]
        if len(chosen) > 1:
            at = [each.cuts[n - 1] for n in chosen[1:]] if each.cuts else each.values
            kept.append(f"{each.key}: {at!r}")
        outer *= len(chosen)
    return digest_parts("table", repr(kept), repr(entries))
