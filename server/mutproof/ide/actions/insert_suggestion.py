"""Insert suggested properties, already proved, that kill mutants no property notices."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.analyses.suggesting.best import rank
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.verdicts import Verdicts
from mutproof.model.editing import TextEdit
from mutproof.workspace.insertion import insertion

MOST: int = 3
"""The most properties offered for a place, those that close most gaps first."""


def _offer(selection: Selection) -> Iterator[Action]:
    for one in sorted(_apt(selection), key=lambda one: (rank(one), -len(one.kills)))[:MOST]:
        about = next(m.record.mutant for m in selection.unseen if m.record.mutant in one.kills)
        label = " (restates an element)" if one.restates else ""
        yield _action(selection, f"Add property `{one.text}`{label}", [one], about)


def _offer_all(selection: Selection) -> Iterator[Action]:
    several = selection.verdicts.analysed.suggestions.best_set
    if len(several) > 1 and _apt(selection):
        about = selection.unseen[0].record.mutant
        yield _action(selection, f"Add {len(several)} properties", several, about)


def _apt(selection: Selection) -> list[Suggestion]:
    """Return the suggestions that close a gap in the selection."""
    here = {mutant.record.mutant for mutant in selection.unseen}
    found = selection.verdicts.analysed.suggestions.suggestions
    return [one for one in found if not here.isdisjoint(one.kills)]


def best(verdicts: Verdicts) -> tuple[TextEdit, ...]:
    """Return the edits that add the best set of properties; none where none is known."""
    analysed = verdicts.analysed
    stated = analysed.suggestions.best_set
    return insertion(analysed.language, analysed.elaborated, stated) if stated else ()


def _action(selection: Selection, title: str, stated: Sequence[Suggestion], about: str) -> Action:
    analysed = selection.verdicts.analysed
    closed = {name for one in stated for name in one.kills}
    gaps = "1 gap" if len(closed) == 1 else f"{len(closed)} gaps"
    edits = insertion(analysed.language, analysed.elaborated, stated)
    return Action(f"{title}: closes {gaps}, proved", ActionKind.PROPERTY, edits, about=about)


MAKER = Maker("insert-suggestion", _offer)
ALL = Maker("insert-suggestions", _offer_all)
