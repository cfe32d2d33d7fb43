"""A smallest set of tests that kills all that any of them kills.

Tests are compared by the bits of what they kill. Necessary tests are taken, dominated tests
dropped, and so are mutants that die wherever another one dies; a solver minimises the rest.

Source: Offutt, Pan and Voas, Procedures for Reducing the Size of Coverage-based Test Sets, 1995;
Ammann, Delamaro and Offutt, Establishing Theoretical Minimal Sets of Mutants, ICST 2014.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from mutproof.base.record import dataclass
from mutproof.solving.solver import Answer, Effort

EFFORT: Final = Effort(20_000_000, 20.0)
"""The effort of one question whether fewer suffice."""


@dataclass(frozen=True, slots=True)
class Cover:
    """Hold the indices of the chosen sets, in order, and a lower bound on their number.

    `minimal` is the number of things to cover that no other one implies.
    """

    chosen: tuple[int, ...]
    at_least: int
    minimal: int = 0


def cover(kills: Sequence[int], costs: Sequence[int], effort: Effort | None = EFFORT) -> Cover:
    """Return few sets that cover every bit of all sets; of equal sets the cheapest.

    Without `effort` no solver is asked whether fewer do.
    """
    minimal = len(_least(_killers(kills)))
    tests = _greatest(kills, costs)
    chosen: list[int] = []
    wanted = 0
    for mask in kills:
        wanted |= mask
    while True:
        left = [mask & wanted if n in tests else 0 for n, mask in enumerate(kills)]
        needed = _least(_killers(left))
        wanted = sum(1 << bit for bit in needed)
        forced = {able.bit_length() - 1: None for able in needed.values() if able.bit_count() == 1}
        for number in forced:
            chosen.append(number)
            wanted &= ~kills[number]
        if forced:
            continue
        rest = _greatest([mask & wanted for mask in left], costs)
        if len(rest) == len(tests):
            break
        tests = rest
    if not wanted:
        return Cover(tuple(sorted(chosen)), len(chosen), minimal)
    found, at_least = _counted(list(tests), [left[n] & wanted for n in tests], needed, effort)
    return Cover(tuple(sorted((*chosen, *found))), len(chosen) + at_least, minimal)


def _killers(kills: Sequence[int]) -> dict[int, int]:
    """Return, for each bit, the sets that contain it, as a bit mask over sets."""
    found: dict[int, int] = {}
    for number, mask in enumerate(kills):
        left = mask
        while left:
            lowest = left & -left
            left ^= lowest
            bit = lowest.bit_length() - 1
            found[bit] = found.get(bit, 0) | 1 << number
    return found


def _least(killers: dict[int, int]) -> dict[int, int]:
    """Return the bits that no other bit implies, with their sets: covering these covers all."""
    unique: dict[int, int] = {}
    for bit, able in killers.items():
        unique.setdefault(able, bit)
    ordered = sorted(unique, key=lambda able: (able.bit_count(), unique[able]))
    kept: list[int] = []
    for able in ordered:
        if not any(other & able == other for other in kept):
            kept.append(able)
    return {unique[able]: able for able in kept}


def _greatest(kills: Sequence[int], costs: Sequence[int]) -> dict[int, None]:
    """Return the sets that no other one contains; of equal sets the cheapest, then first."""
    ordered = sorted(
        (n for n, mask in enumerate(kills) if mask), key=lambda n: (-kills[n].bit_count(), costs[n])
    )
    kept: list[int] = []
    for number in ordered:
        if not any(kills[number] & ~kills[other] == 0 for other in kept):
            kept.append(number)
    return dict.fromkeys(sorted(kept))


def _counted(
    tests: Sequence[int], kills: Sequence[int], needed: dict[int, int], effort: Effort | None
) -> tuple[list[int], int]:
    """Return a cover by some tests, and a lower bound on the number of tests."""
    place = {number: position for position, number in enumerate(tests)}
    needs = [[place[n] for n in tests if able >> n & 1] for able in needed.values()]
    best = _greedy(kills)
    least = _apart(needs)
    if effort is None:
        return [tests[position] for position in best], least
    from mutproof.solving.covering import Covering

    asked = Covering(needs, len(tests))
    while len(best) > least:
        answer, found = asked.within(len(best) - 1, effort)
        if answer is Answer.UNSAT:
            least = len(best)
        elif answer is Answer.SAT:
            best = list(found)
        else:
            break
    return [tests[position] for position in best], least


def _greedy(kills: Sequence[int]) -> list[int]:
    left = 0
    for mask in kills:
        left |= mask
    chosen: list[int] = []
    while left:
        number = max(range(len(kills)), key=lambda each: (kills[each] & left).bit_count())
        chosen.append(number)
        left &= ~kills[number]
    return chosen


def _apart(needs: Sequence[Sequence[int]]) -> int:
    """Return the number of pairwise disjoint needs found, a lower bound on any cover."""
    taken: set[int] = set()
    count = 0
    for able in sorted(needs, key=len):
        if taken.isdisjoint(able):
            taken.update(able)
            count += 1
    return count
