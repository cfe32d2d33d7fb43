"""Insert a property stub for a mutant that no property notices.

The stub restates the mutated equation, with a comment that asks for a better property: it holds by
construction and notices every change of the equation, but adds nothing to it.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base import lexis
from mutproof.ide import traces
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.ide.placed import ShownMutant
from mutproof.ide.verdicts import Verdicts
from mutproof.model.editing import Stub, TextEdit
from mutproof.model.program import Component, ElementId


def _offer(selection: Selection) -> Iterator[Action]:
    seen: set[ElementId] = set()
    for mutant in selection.unseen:
        element = mutant.record.element
        if element in seen:
            continue
        seen.add(element)
        edits = _edits(mutant, selection)
        if edits:
            yield Action(
                f"Insert a property stub for {selection.verdicts.label(element)}",
                ActionKind.PROPERTY,
                edits,
                about=mutant.record.mutant,
            )


def _edits(mutant: ShownMutant, selection: Selection) -> tuple[TextEdit, ...]:
    verdicts, element = selection.verdicts, mutant.record.element
    component = verdicts.holder(element)
    if component is None:
        return ()
    stub = Stub(
        tuple(_comments(mutant, verdicts)), lambda base: _fresh_name(component, verdicts, base)
    )
    return verdicts.analysed.language.restate(selection.subject(element), stub)


def _fresh_name(component: Component, verdicts: Verdicts, base: str) -> str:
    provenance = verdicts.analysed.elaborated.provenance
    taken = {v.name for v in component.variables} | set(provenance.components)
    language = verdicts.analysed.language
    taken |= set(language.lexis.keywords)
    text = verdicts.analysed.source.content
    taken |= set(lexis.words(text, language.lexis))
    number = 1
    while True:
        name = base if number == 1 else f"{base}_{number}"
        if name not in taken:
            return name
        number += 1


def _comments(mutant: ShownMutant, verdicts: Verdicts) -> list[str]:
    place = verdicts.analysed.source.position(mutant.span.start)
    lines = [
        f"-- TODO stub by mutproof: no property notices {mutant.label} at {place}.",
        f"-- It restates {verdicts.subject(mutant.record.element)}; say instead what that is for.",
    ]
    if mutant.finding is not None and mutant.finding.trace is not None:
        table = traces.table(mutant.finding.trace, verdicts.analysed.program)
        lines.extend(f"-- {line}" for line in table.splitlines())
    return lines


MAKER = Maker("insert-property", _offer)
