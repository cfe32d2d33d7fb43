"""Merge conjectures that claim the same under different conditions."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.suggesting.branches import negated
from mutproof.analyses.suggesting.conjecture import Conjecture, When
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import PropertyKind
from mutproof.model.terms import Term

MOST_LITERALS: Final = 3
"""The most comparisons in the conditions of a merged conjecture."""

MOST_VALUES: Final = 6
"""The most variables whose initial values are merged into one claim."""

_TOGETHER: Final = {
    frozenset({Op.GT, Op.EQ}): Op.GE,
    frozenset({Op.LT, Op.EQ}): Op.LE,
    frozenset({Op.LT, Op.GT}): Op.NE,
    frozenset({Op.GT, Op.GE}): Op.GE,
    frozenset({Op.LT, Op.LE}): Op.LE,
}
"""The comparison equivalent to the disjunction of two of the same terms."""


def merged(some: Sequence[Conjecture]) -> Iterator[tuple[Conjecture, list[Conjecture]]]:
    """Yield merged conjectures, each with the conjectures that it stands for."""
    groups: dict[tuple[object, ...], list[tuple[Conjecture, list[Conjecture]]]] = {}
    for one in some:
        if one.when is When.FIRST and one.restates:
            continue
        if one.kind is not PropertyKind.INVARIANT:
            continue
        group = groups.setdefault((one.component, one.claim, one.scope), [])
        for number, (known, parts) in enumerate(group):
            both = either(known, one)
            if both is not None:
                group[number] = both, [*parts, one]
                break
        else:
            group.append((one, [one]))
    for group in groups.values():
        yield from ((whole, parts) for whole, parts in group if len(parts) > 1)
    yield from _first_values(some)


def _first_values(
    some: Sequence[Conjecture],
) -> Iterator[tuple[Conjecture, list[Conjecture]]]:
    """Yield conjunctions of unconditional claims about first values, each with its parts."""
    groups: dict[tuple[str, PropertyKind], list[Conjecture]] = {}
    for one in some:
        if one.restates and one.when is When.FIRST and not one.conditions:
            groups.setdefault((one.component, one.kind), []).append(one)
    for parts in groups.values():
        for chosen in (
            parts[start : start + MOST_VALUES] for start in range(0, len(parts), MOST_VALUES)
        ):
            if len(chosen) > 1:
                claim = terms.conjunction(one.claim for one in chosen)
                yield replace(chosen[0], claim=claim), chosen


def either(one: Conjecture, other: Conjecture) -> Conjecture | None:
    """Return a claim under the conditions of either of two, None where that is hard to read."""
    common = tuple(term for term in one.conditions if term in other.conditions)
    left = [term for term in one.conditions if term not in common]
    right = [term for term in other.conditions if term not in common]
    if not left or not right:
        return None  # the conditions of one include the other's
    joined = _joined(left, right)
    if joined is None:
        return None
    conditions = common if joined is terms.TRUE else (*common, joined)
    if sum(map(_literals, conditions)) > MOST_LITERALS:
        return None
    again, odd = one.restates and other.restates, one.odd or other.odd
    return Conjecture(one.component, conditions, one.claim, one.when, one.kind, again, odd)


def _joined(left: Sequence[Term], right: Sequence[Term]) -> Term | None:
    """Return a disjunction of two conditions, None if there is more than one on a side."""
    if len(left) > 1 or len(right) > 1:
        return None
    (one,), (other,) = left, right
    if negated(one) is other or negated(other) is one:
        return terms.TRUE
    op = _TOGETHER.get(frozenset({one.op, other.op}))
    if op is not None and one.args == other.args:
        return terms.make(op, sorts.BOOL, one.args)
    return terms.or_(one, other)


def _literals(condition: Term) -> int:
    """Return how many conditions are joined in one by `and` and `or`."""
    count, stack = 0, [condition]
    while stack:
        term = stack.pop()
        if term.op in {Op.AND, Op.OR}:
            stack.extend(term.args)
        else:
            count += 1
    return count
