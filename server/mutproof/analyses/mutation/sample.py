"""Parts of the mutants of a file: a sample, where there are too many, and shards for machines."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.digest import digest_parts
from mutproof.model.program import ElementId

UNEVEN = 32
"""The part of all mutants that a share may have more than another before it is passed over."""


def sampled(mutants: Sequence[Mutant], most: int) -> tuple[Mutant, ...]:
    """Return at most so many mutants, in the same order; 0 is no limit.

    Elements take turns, so that as many as possible have a mutant in the sample. Identities
    decide which of an element's mutants come first: the sample of a text is always the same, and
    an edit elsewhere leaves most of it as it was.
    """
    if not most or len(mutants) <= most:
        return tuple(mutants)
    of_element: dict[ElementId, list[str]] = {}
    for mutant in mutants:
        of_element.setdefault(mutant.element, []).append(mutant.id)
    turns = sorted(
        (turn, name) for names in of_element.values() for turn, name in enumerate(sorted(names))
    )
    chosen = {name for _, name in turns[:most]}
    return tuple(mutant for mutant in mutants if mutant.id in chosen)


def among(mutants: Sequence[Mutant], only: Sequence[str] | None) -> tuple[Mutant, ...]:
    """Return the mutants of some identities, in the same order; None: all."""
    if only is None:
        return tuple(mutants)
    wanted = frozenset(only)
    return tuple(mutant for mutant in mutants if mutant.id in wanted)


def of_shard(mutants: Sequence[Mutant], shard: tuple[int, int]) -> tuple[Mutant, ...]:
    """Return the mutants of the i-th of n shards, 0-based, in the same order.

    Each mutant is in exactly one shard, determined by its identity alone.
    """
    number, count = shard
    if count == 1:
        return tuple(mutants)
    return tuple(m for m in mutants if int.from_bytes(digest_parts(m.id)) % count == number)


def of_share(mutants: Sequence[Mutant], share: tuple[int, int]) -> tuple[Mutant, ...]:
    """Return the mutants of the i-th of n shares, 0-based, in the same order.

    All mutants of an element are in the same share. Elements with most mutants are dealt out first,
    so that shares have about as many; no pattern that models repeat every few elements makes one
    dearer than the others.
    """
    number, count = share
    elements = Counter(mutant.element for mutant in mutants)
    order = sorted(elements, key=lambda element: -elements[element])
    sizes, own = [0] * count, set[ElementId]()
    for place, element in enumerate(order):
        given, size = _dealt(place, count), elements[element]
        if sizes[given] - min(sizes) > max(size, len(mutants) // UNEVEN):
            given = sizes.index(min(sizes))
        sizes[given] += size
        if given == number:
            own.add(element)
    return tuple(mutant for mutant in mutants if mutant.element in own)


def _dealt(place: int, count: int) -> int:
    """Return who of `count` is first at a place: the sum of its digits to that base."""
    total = 0
    while place and count > 1:
        place, digit = divmod(place, count)
        total += digit
    return total % count
