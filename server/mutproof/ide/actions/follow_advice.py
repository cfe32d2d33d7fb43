"""Follow advice where that changes no verdict: remove what is never taken, or never read."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.advising.advice import AdviceStatus
from mutproof.ide import advice as advising
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.advice_fixes import fix
from mutproof.workspace.advice_places import advice_span


def _offer(selection: Selection) -> Iterator[Action]:
    analysed = selection.verdicts.analysed
    for advice in analysed.advice.of(AdviceStatus.FOUND):
        if not selection.touches(advice_span(analysed.elaborated, advice)):
            continue
        found = fix(selection, advice)
        if found is not None:
            about = advising.identity(advice)
            yield Action(found.title, ActionKind.REPAIR, found.edits, about=about)


MAKER = Maker("follow-advice", _offer)
