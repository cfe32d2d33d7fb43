"""Pairs of mutants: both changes at once, named so that edits elsewhere keep the name.

Source: Jia and Harman, Higher order mutation testing, Information and Software Technology 51,
2009.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from mutproof.analyses.mutation.mutant import LEAST_DIGITS, Mutant
from mutproof.base.digest import digest_parts, shortened


def pair(first: Mutant, second: Mutant) -> Mutant:
    """Return the mutant that makes both changes, which are at disjoint places."""
    name = digest_parts("pair", *sorted((first.id, second.id))).hex()
    return replace(
        first,
        id=name,
        shown=name[:LEAST_DIGITS],
        operator=f"{first.operator}+{second.operator}",
        summary=f"{first.summary} and {second.summary}",
        parts=(first, second),
    )


def of_names(mutants: Iterable[Mutant], names: Sequence[tuple[str, str]]) -> tuple[Mutant, ...]:
    """Return the pairs of mutants of these identities, in the order of the names."""
    known = {mutant.id: mutant for mutant in mutants}
    pairs = [pair(known[a], known[b]) for a, b in names if a in known and b in known]
    short = shortened([mutant.id for mutant in pairs], LEAST_DIGITS)
    return tuple(replace(mutant, shown=short[mutant.id]) for mutant in pairs)


def is_disjoint(first: Mutant, second: Mutant) -> bool:
    """Tell whether neither change is inside the other."""
    if first.element != second.element:
        return True
    if first.replacement is None or second.replacement is None:
        return False
    common = min(len(first.path), len(second.path))
    return first.path[:common] != second.path[:common]
