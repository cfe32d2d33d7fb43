"""Remove an element that no proof needs, and the declaration of what only it defines."""

from __future__ import annotations

import re
from collections.abc import Iterator

from mutproof.base.span import Span
from mutproof.ide import lexis
from mutproof.ide.action import Action, ActionKind, Maker, Selection, TextEdit
from mutproof.ide.verdicts import Verdicts
from mutproof.model.program import ElementId, VariableKind


def _offer(selection: Selection) -> Iterator[Action]:
    verdicts = selection.verdicts
    provenance = verdicts.analysed.elaborated.provenance
    for element in verdicts.unneeded:
        if not selection.touches(provenance.whole(element)):
            continue
        edits = _edits(element, verdicts)
        if edits:
            yield Action(
                f"Remove {verdicts.label(element)}: no proof needs it",
                ActionKind.QUICK_FIX,
                edits,
                about=str(element),
            )


def _edits(element: ElementId, verdicts: Verdicts) -> tuple[TextEdit, ...]:
    analysed = verdicts.analysed
    provenance = analysed.elaborated.provenance
    text = analysed.source.content
    removal = TextEdit(_whole_lines(text, provenance.whole(element)), "")
    if analysed.program.language == "nusmv":
        return (removal,) if _is_removable(element, verdicts) else ()
    if element.kind == "assert":
        return (removal,)
    component = verdicts.component(element.component)
    if component is None or element.kind != "equation" or "," in element.name:
        return ()
    kinds = {variable.name: variable.kind for variable in component.variables}
    declared = provenance.variables.get((element.component, element.name))
    if kinds.get(element.name) is not VariableKind.LOCAL or declared is None:
        return ()
    body = provenance.component_bodies[element.component]
    whole = provenance.whole(element)
    uses = lexis.words(text, analysed.program.language).get(element.name, ())
    elsewhere = [s for s in uses if body.covers(s) and not whole.covers(s) and s != declared]
    # Without its equation the variable would be undefined where it is still read.
    if elsewhere:
        return ()
    return (_without_declaration(text, declared), removal)


def _is_removable(element: ElementId, verdicts: Verdicts) -> bool:
    """Tell whether a NuSMV model stays one: what is not assigned is free, a macro must exist."""
    if element.kind != "define":
        return True
    analysed = verdicts.analysed
    whole = analysed.elaborated.provenance.whole(element)
    # A macro may be named anywhere, behind a dot too.
    return all(
        whole.covers(token.span)
        for token in lexis.tokens(analysed.source.content, "nusmv")
        if token.kind is lexis.Lexeme.WORD and token.text == element.name
    )


def _without_declaration(text: str, name: Span) -> TextEdit:
    after = re.compile(r"\s*,\s*").match(text, name.end)
    if after is not None:
        return TextEdit(Span(name.start, after.end()), "")
    before = re.search(r",\s*\Z", text[: name.start])
    if before is not None:
        return TextEdit(Span(before.start(), name.end), "")
    end = text.index(";", name.end) + 1
    keyword = re.search(r"\bvar\s+\Z", text[: name.start])
    # A section without declarations is none.
    if keyword is not None and re.compile(r"\s*let\b").match(text, end) is not None:
        return TextEdit(_whole_lines(text, Span(keyword.start(), end)), "")
    return TextEdit(_whole_lines(text, Span(name.start, end)), "")


def _whole_lines(text: str, span: Span) -> Span:
    """Return the span with its line breaks if nothing else stands on its lines."""
    start = text.rfind("\n", 0, span.start) + 1
    end = text.find("\n", span.end)
    end = len(text) if end < 0 else end + 1
    if text[start : span.start].strip() or text[span.end : end].strip():
        return span
    return Span(start, end)


MAKER = Maker("remove-unneeded", _offer)
