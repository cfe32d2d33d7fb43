"""The code actions, in the order in which they are offered, and menus of a few of them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from itertools import islice
from typing import Final

from mutproof.base.record import dataclass
from mutproof.base.registry import Registry
from mutproof.ide.action import Action, Selection
from mutproof.ide.actions import (
    add_test,
    apply_mutant,
    follow_advice,
    insert_property,
    insert_suggestion,
    prove_again,
    remove_unneeded,
    show_diff,
    show_difference,
    show_survivors,
    show_trace,
    suppress_mutant,
)

MAKERS = Registry(
    "code action",
    [
        prove_again.MAKER,
        insert_suggestion.MAKER,
        insert_suggestion.ALL,
        show_difference.MAKER,
        insert_property.MAKER,
        suppress_mutant.MAKER,
        show_diff.MAKER,
        show_survivors.MAKER,
        show_trace.MAKER,
        add_test.MAKER,
        remove_unneeded.MAKER,
        follow_advice.MAKER,
        apply_mutant.MAKER,
    ],
)

MOST: Final = 8
"""How many entries a menu has, at most."""


@dataclass(frozen=True, slots=True)
class Menu:
    """Hold the actions of a menu, and whether some were left out for lack of room."""

    actions: tuple[Action, ...]
    has_more: bool


def actions(selection: Selection) -> tuple[Action, ...]:
    """Return everything that can be done about a selection."""
    return tuple(action for maker in MAKERS for action in maker.offer(selection))


def menu(
    selection: Selection, is_wanted: Callable[[Action], bool], *, entry_for_more: bool
) -> Menu:
    """Return at most `MOST` of the wanted actions, some of each maker.

    Where some are left over, `entry_for_more` leaves room for one more entry.
    """
    offers = [filter(is_wanted, maker.offer(selection)) for maker in MAKERS]
    found = list(islice(_turns(offers), MOST + 1))
    has_more = len(found) > MOST
    room = MOST - 1 if has_more and entry_for_more else MOST
    kept = sorted(found[:room], key=lambda one: one[0])
    return Menu(tuple(action for _, action in kept), has_more)


def _turns(offers: Iterable[Iterator[Action]]) -> Iterator[tuple[int, Action]]:
    """Yield the first action of each maker, then the second of each, with the maker's index."""
    waiting = dict(enumerate(offers))
    while waiting:
        for place, own in tuple(waiting.items()):
            action = next(own, None)
            if action is None:
                del waiting[place]
            else:
                yield place, action
