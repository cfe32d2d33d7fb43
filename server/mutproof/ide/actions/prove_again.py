"""Start the analysis again after a failure, such as a crash of the solver."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide import problems
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.shown import StartRun


def _offer(selection: Selection) -> Iterator[Action]:
    span = problems.failure_span(selection.verdicts)
    if span is not None and selection.touches(span):
        about = problems.BROKEN_OFF
        yield Action("Prove again", ActionKind.REPAIR, shown=StartRun(), about=about)


MAKER = Maker("prove-again", _offer)
