"""List all survivors of the selected element, of which the text underlines only a few."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.ide import survivors
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.placed import ShownMutant
from mutproof.model.program import ElementId


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    first: dict[ElementId, ShownMutant] = {}
    for mutant in selection.unseen:
        if mutant.status is MutantStatus.SURVIVED:
            first.setdefault(mutant.record.element, mutant)
    for element, mutant in first.items():
        count = verdicts.tallies[element].survived
        if count > 1:
            label = verdicts.label(element)
            shown = survivors.listed(f"{label}: mutants that survive", verdicts.by_element[element])
            yield Action(
                f"Show all {count} survivors of {label}",
                ActionKind.SURVIVORS,
                shown=shown,
                about=mutant.record.mutant,
            )


MAKER = Maker("show-survivors", _offer)
