"""Show the execution on which model and mutant differ, side by side."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide import survivors
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.placed import Freshness
from mutproof.ide.shown import ShowText, Subject, SubjectKind


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    for mutant in selection.mutants:
        known = mutant.equivalence
        text = "" if known is None else survivors.beside(known, verdicts.analysed.program)
        if not text:
            continue
        if mutant.standing is Freshness.STALE:
            text = f"stale: the model has changed since\n{text}"
        name = f"{verdicts.label(mutant.record.element)}: {mutant.label}"
        yield Action(
            f"Show distinguishing trace of {mutant.label}",
            ActionKind.TRACE,
            shown=ShowText(
                f"{name}, model beside mutant",
                text,
                Subject(SubjectKind.MUTANT, mutant.record.mutant),
            ),
            about=mutant.record.mutant,
        )


MAKER = Maker("show-difference", _offer)
