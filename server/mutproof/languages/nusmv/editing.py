"""Editor support for NuSMV texts: names, property stubs, removal of elements."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from typing import Final

from mutproof.base import lexis
from mutproof.base.lexis import COMMENT, Lexeme, Lexis
from mutproof.base.span import Span
from mutproof.languages.nusmv import references, restatement
from mutproof.languages.nusmv.lexing import RESERVED, normalised
from mutproof.model.editing import EditedElement, NewProperty, Stub, TextEdit, whole_lines
from mutproof.model.language import Elaborated
from mutproof.model.naming import Declared, NameKind, ResolvedNames
from mutproof.model.program import PropertyKind

LEXIS: Final = Lexis(
    comment=COMMENT + r"|/--(?s:.*?)(?:--/|\Z)",
    word=r"[A-Za-z_~][A-Za-z0-9_$#\-]*",
    name=r"[A-Za-z_][A-Za-z0-9_$#-]*",
    keywords=tuple(sorted(RESERVED)),
)


_KEYWORDS: Final = {
    PropertyKind.INVARIANT: "INVARSPEC",
    PropertyKind.LTL: "LTLSPEC",
    PropertyKind.CTL: "CTLSPEC",
}


def names(elaborated: Elaborated) -> ResolvedNames:
    """Return the names of a text."""
    parsed = elaborated.parsed
    found = references.symbols(parsed.tree, parsed.source.content)
    bodies = _extents([d for d in found.declared if d.kind is NameKind.MODULE], elaborated)
    members = {declared: modules for declared, modules in found.members.items() if modules}
    return replace(found, bodies=bodies, members=members)


def _extents(modules: list[Declared], elaborated: Elaborated) -> Mapping[str, Span]:
    """Return the span of each module up to the next one, so that text typed at its end counts."""
    starts = [module.whole.start for module in modules]
    ends = [*(start - 1 for start in starts[1:]), len(elaborated.parsed.source.content)]
    pairs = zip(modules, starts, ends, strict=False)  # without modules, `ends` is longer
    return {module.text: Span(start, max(start, end)) for module, start, end in pairs}


def restate(subject: EditedElement, stub: Stub) -> tuple[TextEdit, ...]:
    """Return the edit that restates an element as properties of its module."""
    provenance, source, identity = subject.provenance, subject.source, subject.element
    module = provenance.component_bodies.get(identity.component)
    occurrences = subject.program.by_id.get(identity, ())
    if module is None or not occurrences:
        return ()
    component = subject.program.component(subject.program.main)
    head = normalised(source.slice(provenance.head(identity)))
    body = normalised(source.slice(provenance.body(identity)))
    written = restatement.WrittenElement(occurrences[0], head, body)
    stated = restatement.statements(written, occurrences, component)
    if not stated:
        return ()
    target = re.sub(r"\W+", "_", written.target).strip("_").lower()
    lines = [*stub.comments]
    if restatement.is_one_sided(written, stated):
        lines.append("-- It notices what a change allows in addition, not what it takes away.")
    for statement in stated:
        name = stub.fresh(f"{target}_{statement.suffix}")
        lines.append(f"{statement.keyword} NAME {name} := {statement.formula};")
    inserted = "".join(f"{line}\n" for line in lines)
    return (behind_line(source.content, module.end, inserted),)


def state(
    elaborated: Elaborated, component: str, properties: tuple[NewProperty, ...]
) -> tuple[TextEdit, ...]:
    """Return the edit that states invariants behind the main module."""
    module = elaborated.provenance.component_bodies.get(component)
    if module is None:
        return ()
    lines = [line for one in properties for line in property_lines(one)]
    inserted = "".join(f"{line}\n" for line in lines)
    return (behind_line(elaborated.parsed.source.content, module.end, inserted),)


def property_lines(stated: NewProperty) -> tuple[str, ...]:
    """Return the lines that state a property."""
    return (*stated.comments, f"{_KEYWORDS[stated.kind]} NAME {stated.name} := {stated.text};")


def behind_line(text: str, offset: int, inserted: str) -> TextEdit:
    """Return the edit that inserts lines after an offset's line, or there if more follows."""
    rest = re.compile(r"[ \t]*(?:--[^\r\n]*)?(\r\n?|\n|\Z)").match(text, offset)
    if rest is None:
        return TextEdit(Span(offset, offset), f"\n{inserted}")
    before = "" if rest.group(1) else "\n"
    return TextEdit(Span(rest.end(), rest.end()), before + inserted)


def remove(subject: EditedElement) -> tuple[TextEdit, ...]:
    """Return the edit that removes an element; none for a macro that is used elsewhere."""
    text, element = subject.source.content, subject.element
    whole = subject.provenance.whole(element)
    # A macro may be named anywhere, also after a dot.
    if element.kind == "define" and not all(
        whole.covers(token.span)
        for token in lexis.tokens(text, LEXIS)
        if token.kind is Lexeme.WORD and token.text == element.name
    ):
        return ()
    return (TextEdit(whole_lines(text, whole), ""),)
