"""Put a mutant into the text, to look at it; undo takes it back."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.actions.show_diff import edit


def _offer(selection: Selection) -> Iterator[Action]:
    for mutant in selection.mutants:
        change = edit(mutant, selection.verdicts)
        yield Action(f"Apply the mutant {mutant.label}", ActionKind.MUTANT, (change,))


MAKER = Maker("apply-mutant", _offer)
