"""Show what a mutant changes, next to the model."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.placed import ShownMutant
from mutproof.ide.shown import ShowDiff
from mutproof.ide.verdicts import Verdicts
from mutproof.model.editing import TextEdit, separated


def edit(mutant: ShownMutant, verdicts: Verdicts) -> TextEdit:
    """Return the edit that turns the text into a mutant."""
    provenance = verdicts.analysed.elaborated.provenance
    element = mutant.record.element
    if mutant.record.replacement is None:
        return TextEdit(provenance.whole(element), "")
    path = mutant.record.path
    span = provenance.text(element, path) if path else provenance.body(element)
    content = verdicts.analysed.source.content
    return separated(content, TextEdit(span, mutant.record.replacement))


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    provenance = verdicts.analysed.elaborated.provenance
    text = verdicts.analysed.source.content
    for mutant in selection.mutants:
        change = edit(mutant, verdicts)
        whole = provenance.whole(mutant.record.element)
        body = provenance.component_bodies.get(mutant.record.element.component, whole)
        around = body.joined(whole)
        left = text[around.start : around.end]
        right = text[around.start : change.span.start] + change.text
        right += text[change.span.end : around.end]
        title = f"Show {mutant.label} as a difference"
        name = f"{verdicts.label(mutant.record.element)}: {mutant.label}"
        yield Action(
            title,
            ActionKind.DIFFERENCE,
            shown=ShowDiff(name, left + "\n", right + "\n"),
            about=mutant.record.mutant,
        )


MAKER = Maker("show-diff", _offer)
