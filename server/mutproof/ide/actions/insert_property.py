"""Insert a property stub for a mutant that no property notices.

The stub restates the mutated equation, says that it is a stub, and asks for a better one: it
holds by construction and notices every change of the equation, but it says nothing that the
equation does not say already.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mutproof.base.span import Span
from mutproof.ide import completion, lexis, restatement, traces
from mutproof.ide.action import Action, ActionKind, Maker, Selection, TextEdit
from mutproof.ide.placed import PlacedMutant
from mutproof.ide.verdicts import Verdicts
from mutproof.languages.nusmv.elaborate import normalised
from mutproof.model.program import Component, ElementId

_PRE: Final = re.compile(r"\bpre\b")


def _offer(selection: Selection) -> Iterator[Action]:
    seen: set[ElementId] = set()
    for mutant in selection.unseen:
        element = mutant.record.element
        if element in seen:
            continue
        seen.add(element)
        edits = _edits(mutant, selection.verdicts)
        if edits:
            yield Action(
                f"Insert a property stub for {selection.verdicts.label(element)}",
                ActionKind.QUICK_FIX,
                edits,
                about=mutant.record.mutant,
            )


def _edits(mutant: PlacedMutant, verdicts: Verdicts) -> tuple[TextEdit, ...]:
    component = verdicts.holder(mutant.record.element)
    if component is None:
        return ()
    if verdicts.analysed.program.language == "lustre":
        return _lustre(mutant, component, verdicts)
    return _nusmv(mutant, component, verdicts)


def _statement(mutant: PlacedMutant, verdicts: Verdicts) -> str | None:
    """Return the element as a Boolean expression in the words of the source."""
    provenance = verdicts.analysed.elaborated.provenance
    source = verdicts.analysed.source
    element = mutant.record.element
    body = _one_line(source.slice(provenance.body(element)))
    if element.kind == "assert":
        return body
    if "," in element.name or element.kind != "equation":
        return None
    stated = f"{element.name} = ({body})"
    return f"true -> ({stated})" if _PRE.search(body) and "->" not in body else stated


def _one_line(text: str) -> str:
    without = re.sub(r"--[^\r\n]*", "", text)
    return " ".join(without.split())


def _fresh_name(component: Component, verdicts: Verdicts, base: str) -> str:
    provenance = verdicts.analysed.elaborated.provenance
    taken = {v.name for v in component.variables} | set(provenance.components)
    taken |= completion.keywords(verdicts.analysed.program.language)
    text = verdicts.analysed.source.content
    taken |= set(lexis.words(text, verdicts.analysed.program.language))
    number = 1
    while True:
        name = base if number == 1 else f"{base}_{number}"
        if name not in taken:
            return name
        number += 1


def _comments(mutant: PlacedMutant, verdicts: Verdicts) -> list[str]:
    place = verdicts.analysed.source.position(mutant.span.start)
    lines = [
        f"-- TODO stub by mutproof: no property notices {mutant.label} at {place}.",
        f"-- It restates {verdicts.subject(mutant.record.element)}; say instead what that is for.",
    ]
    if mutant.finding is not None and mutant.finding.trace is not None:
        table = traces.table(mutant.finding.trace, verdicts.analysed.program)
        lines.extend(f"-- {line}" for line in table.splitlines())
    return lines


def _lustre(mutant: PlacedMutant, component: Component, verdicts: Verdicts) -> tuple[TextEdit, ...]:
    analysed = verdicts.analysed
    body = analysed.elaborated.provenance.component_bodies[component.name]
    words = lexis.words(analysed.source.content, "lustre")
    let = _inside(words.get("let", ()), body)
    tel = _inside(words.get("tel", ()), body)
    statement = _statement(mutant, verdicts)
    if not let or not tel or statement is None:
        return ()
    declared = _inside(words.get("var", ()), body)
    target = re.sub(r"\W", "_", verdicts.label(mutant.record.element))
    name = _fresh_name(component, verdicts, f"{target}_is_as_stated")
    declaration = f"  {name} : bool;\n"
    if not declared or declared[0].start > let[0].start:
        declaration = f"var\n{declaration}"
    lines = [
        *_comments(mutant, verdicts),
        f"{name} = {statement};",
        f"--%PROPERTY {name};",
    ]
    equations = "".join(f"  {line}\n" for line in lines)
    return (
        _before_line(analysed.source.content, let[0], declaration),
        _before_line(analysed.source.content, tel[-1], equations),
    )


def _inside(spans: tuple[Span, ...], body: Span) -> list[Span]:
    return [span for span in spans if body.covers(span)]


def _before_line(text: str, word: Span, inserted: str) -> TextEdit:
    """Insert whole lines before a word: at the start of its line if it is the first there."""
    start = max(text.rfind("\n", 0, word.start), text.rfind("\r", 0, word.start)) + 1
    if text[start : word.start].strip():
        return TextEdit(Span(word.start, word.start), f"\n{inserted}")
    return TextEdit(Span(start, start), inserted)


def _nusmv(mutant: PlacedMutant, component: Component, verdicts: Verdicts) -> tuple[TextEdit, ...]:
    analysed = verdicts.analysed
    provenance, source = analysed.elaborated.provenance, analysed.source
    identity = mutant.record.element
    module = provenance.component_bodies.get(identity.component)
    occurrences = analysed.program.by_id.get(identity, ())
    if module is None or not occurrences:
        return ()
    head = normalised(source.slice(provenance.head(identity)))
    body = normalised(source.slice(provenance.body(identity)))
    written = restatement.Written(occurrences[0], head, body)
    stated = restatement.statements(written, occurrences, component)
    if not stated:
        return ()
    subject = re.sub(r"\W+", "_", written.target).strip("_").lower()
    lines = _comments(mutant, verdicts)
    if restatement.is_one_sided(written, stated):
        lines.append("-- It notices what a change allows in addition, not what it takes away.")
    for statement in stated:
        name = _fresh_name(component, verdicts, f"{subject}_{statement.suffix}")
        lines.append(f"{statement.keyword} NAME {name} := {statement.formula};")
    inserted = "".join(f"{line}\n" for line in lines)
    return (_behind_line(source.content, module.end, inserted),)


def _behind_line(text: str, offset: int, inserted: str) -> TextEdit:
    """Insert whole lines behind the line of an offset, or at once if more stands on that line."""
    rest = re.compile(r"[ \t]*(?:--[^\r\n]*)?(\r\n?|\n|\Z)").match(text, offset)
    if rest is None:
        return TextEdit(Span(offset, offset), f"\n{inserted}")
    before = "" if rest.group(1) else "\n"
    return TextEdit(Span(rest.end(), rest.end()), before + inserted)


MAKER = Maker("insert-property", _offer)
