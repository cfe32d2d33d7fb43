"""Which survivors are shown in the text: few on a screen, the most informative ones.

All others still count, and are in hovers, lenses and reports. Makes no messages.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator
from dataclasses import replace
from typing import Final

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.record import dataclass
from mutproof.ide.placed import ShownMutant
from mutproof.ide.screens import LineOf, Screens
from mutproof.ide.verdicts import Verdicts
from mutproof.model.program import ElementId

LINES: Final = 40
"""The lines among which few survivors are shown."""

MOST_ON_LINES: Final = 6
"""The most survivors shown in `LINES` lines."""

MOST_OF_ELEMENT: Final = 3
"""The most survivors shown of one element."""


@dataclass(frozen=True, slots=True)
class Telling:
    """Hold a mutant that is shown, and how many others it stands for.

    `more`, on the first mutant shown of an element, counts its survivors that are not shown.
    """

    mutant: ShownMutant
    alike: int
    more: int = 0


def most_telling(
    verdicts: Verdicts,
    most: int,
    screens: Screens,
    line_of: LineOf,
    *,
    kept: Collection[str] = (),
) -> tuple[Telling, ...]:
    """Return at most `most` survivors to show, the most informative ones first.

    UNKNOWN mutants are shown once for each element, equivalent ones not at all. Each element gets
    one before any gets a second. They take room of `screens`. Those of `kept` that survive come
    before all others, so that what is shown stays where it is while a run goes on.
    """
    chosen: list[Telling] = []
    few = Screens(LINES, MOST_ON_LINES)
    starts: set[int] = set()
    for one in _turns(_kept_first(verdicts, kept)):
        if len(chosen) >= most:
            break
        start = one.mutant.span.start
        line = line_of(start)
        if start not in starts and few.has_room(line) and screens.has_room(line):
            starts.add(start)
            few.add(line)
            screens.add(line)
            chosen.append(one)
    return tuple(_counted(chosen, verdicts))


def _counted(chosen: list[Telling], verdicts: Verdicts) -> Iterator[Telling]:
    """Yield the chosen mutants; the first survivor of an element has the number not shown."""
    survivors = [one for one in chosen if one.mutant.status is MutantStatus.SURVIVED]
    shown = Counter(one.mutant.record.element for one in survivors)
    first = {one.mutant.record.element: one for one in reversed(survivors)}
    for one in chosen:
        element = one.mutant.record.element
        if first.get(element) is one:
            yield replace(one, more=verdicts.tallies[element].survived - shown[element])
        else:
            yield one


def _kept_first(verdicts: Verdicts, kept: Collection[str]) -> Iterator[Telling]:
    if not kept:
        yield from _candidates(verdicts)
        return
    found = {one.mutant.record.mutant: one for one in _candidates(verdicts)}
    yield from (one for name, one in found.items() if name in kept)
    for mutant in verdicts.mutants:
        name, survives = mutant.record.mutant, mutant.status is MutantStatus.SURVIVED
        if name in kept and name not in found and survives and not mutant.is_equivalent:
            yield Telling(mutant, 0)
    yield from (one for name, one in found.items() if name not in kept)


def _candidates(verdicts: Verdicts) -> Iterator[Telling]:
    """Yield the mutants that may be shown, the most informative first."""
    behaviours, placed = verdicts.behaviours, verdicts.by_id
    for implied in (False, True):
        for one in behaviours.all:
            if bool(one.implied_by) is implied:
                yield Telling(placed[one.mutants[0]], one.alike)
    for mutant in verdicts.mutants:
        is_other = mutant.status is MutantStatus.SURVIVED and not mutant.is_equivalent
        if is_other and mutant.record.mutant not in behaviours.of:
            yield Telling(mutant, 0)
    for mutants in verdicts.by_element.values():
        open_ = [mutant for mutant in mutants if mutant.status is MutantStatus.UNKNOWN]
        if open_:
            yield Telling(open_[0], len(open_) - 1)


def _turns(found: Iterable[Telling]) -> Iterator[Telling]:
    """Yield mutants of all elements in turns: the first of each element, then the second."""
    of_element: dict[ElementId, list[Telling]] = {}
    for one in found:
        of_element.setdefault(one.mutant.record.element, []).append(one)
    for turn in range(MOST_OF_ELEMENT):
        for own in of_element.values():
            if turn < len(own):
                yield own[turn]
