"""Handing over open mutants to another worker that has nothing to do.

A worker that decides mutants checks from time to time whether another one asks for work, and then
hands over half of what is open. Who asks, and who decides it then, is not known here.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final, TypeVar

from mutproof.base.record import dataclass

ItemT = TypeVar("ItemT")

DIVISIBLE: Final = 8
"""The fewest mutants of one element that, if no others are open, two workers share."""


@dataclass(slots=True)
class Lending:
    """Say whether somebody asks for work, and `pass_on` the names of the mutants handed over.

    `has_lent` tells whether there were any. Mutable.
    """

    asked: Callable[[], bool] = lambda: False
    pass_on: Callable[[tuple[str, ...]], None] = lambda _: None
    has_lent: bool = False

    def lend(self, names: tuple[str, ...]) -> None:
        """Hand over mutants."""
        self.has_lent = True
        self.pass_on(names)


def latter_half(groups: Sequence[Sequence[ItemT]]) -> list[ItemT]:
    """Return about half of the items, taken from the end; whole groups if there are several."""
    if len(groups) == 1 and len(groups[0]) >= DIVISIBLE:
        return list(groups[0][(len(groups[0]) + 1) // 2 :])
    half, kept, taken = sum(map(len, groups)) / 2, 0, len(groups)
    for position, group in enumerate(groups):
        kept += len(group)
        if kept >= half:
            taken = position + 1
            break
    if taken == len(groups):
        taken = max(1, taken - 1)  # the last group alone is more than half
    return [item for group in groups[taken:] for item in group]
