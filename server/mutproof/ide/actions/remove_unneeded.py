"""Remove an element that no proof needs, and the declarations of variables that only it defines."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide.action import Action, ActionKind, Maker, Selection


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    provenance = verdicts.analysed.elaborated.provenance
    for element in verdicts.unneeded:
        if not selection.touches(provenance.whole(element)):
            continue
        edits = verdicts.analysed.language.remove(selection.subject(element))
        if edits:
            yield Action(
                f"Remove {verdicts.label(element)}: no proof needs it",
                ActionKind.REPAIR,
                edits,
                about=str(element),
            )


MAKER = Maker("remove-unneeded", _offer)
