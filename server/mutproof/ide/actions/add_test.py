"""Add a test that kills a mutant to the suite beside the file."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.placed import Freshness, ShownMutant
from mutproof.ide.shown import MakeTests


def _offer(selection: Selection) -> Iterator[Action]:
    for mutant in selection.mutants:
        if mutant.standing is Freshness.CURRENT and _is_seen(mutant):
            name = mutant.record.mutant
            title = f"Add as test: {mutant.label}"
            yield Action(title, ActionKind.TEST, shown=MakeTests(name), about=name)


def _is_seen(mutant: ShownMutant) -> bool:
    """Tell whether a known execution distinguishes a mutant from the model."""
    if mutant.finding is not None and mutant.finding.trace is not None:
        return True
    known = mutant.equivalence
    return known is not None and known.status is EquivalenceStatus.GAP


MAKER = Maker("add-test", _offer)
