"""The code actions, in the order in which they are offered."""

from __future__ import annotations

from mutproof.base.registry import Registry
from mutproof.ide.action import Action, Selection
from mutproof.ide.actions import (
    apply_mutant,
    insert_property,
    insert_suggestion,
    prove_again,
    remove_unneeded,
    show_diff,
    show_difference,
    show_trace,
    suppress_mutant,
)

MAKERS = Registry(
    "code action",
    [
        prove_again.MAKER,
        insert_suggestion.MAKER,
        insert_property.MAKER,
        suppress_mutant.MAKER,
        show_difference.MAKER,
        show_diff.MAKER,
        show_trace.MAKER,
        remove_unneeded.MAKER,
        apply_mutant.MAKER,
    ],
)


def actions(selection: Selection) -> tuple[Action, ...]:
    """Return everything that can be done about a selection."""
    return tuple(action for maker in MAKERS for action in maker.offer(selection))
