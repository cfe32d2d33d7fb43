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
from mutproof.model.terms import Path

LEXIS: Final = Lexis(
    comment=COMMENT + r"|/--(?s:.*?)(?:--/|\Z)",
    word=r"[A-Za-z_~][A-Za-z0-9_$#\-]*",
    name=r"[A-Za-z_][A-Za-z0-9_$#-]*",
    keywords=tuple(sorted(RESERVED)),
    main=references.MAIN,
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


def without_branch(subject: EditedElement, path: Path) -> tuple[TextEdit, ...]:
    """Return the edit that takes the branch of a condition out of its `case`."""
    text, places = subject.source.content, subject.provenance.elements[subject.element]
    condition, value = places.place(path), places.place((*path[:-1], path[-1] + 1))
    if condition is None or value is None:
        return ()
    end = _semicolon(text, value.whole.end)
    if end is None:
        return ()
    start = condition.whole.start
    while text[:start].rstrip().endswith("("):  # they belong to the condition
        start = text.rindex("(", 0, start)
    return (TextEdit(_with_blanks(text, Span(start, end)), ""),)


def without_variable(elaborated: Elaborated, component: str, name: str) -> tuple[TextEdit, ...]:
    """Return the edits that take out a declaration and the assignments of its variable."""
    provenance, text, program = (
        elaborated.provenance,
        elaborated.parsed.source.content,
        elaborated.program,
    )
    declared = provenance.variables.get((component, name))
    if declared is None or program is None:
        return ()
    assigning = {
        identity
        for identity, occurrences in program.by_id.items()
        if any(name in one.targets for one in occurrences)
    }
    gone = [provenance.whole(identity) for identity in sorted(assigning)]
    written = text[declared.start : declared.end]
    uses = [t.span for t in lexis.tokens(text, LEXIS) if t.text == written]
    if declared not in uses:
        return ()  # it is written in several words
    if any(use != declared and not any(whole.covers(use) for whole in gone) for use in uses):
        return ()
    end = _semicolon(text, declared.end)
    if end is None:
        return ()
    declaration = TextEdit(_with_blanks(text, Span(declared.start, end)), "")
    return (declaration, *(TextEdit(_with_blanks(text, whole), "") for whole in gone))


def _semicolon(text: str, start: int) -> int | None:
    """Return the offset behind the first semicolon that is in no comment; None without one."""
    comments = [t.span for t in lexis.tokens(text, LEXIS) if t.kind is Lexeme.COMMENT]
    for match in re.finditer(";", text[start:]):
        place = start + match.start()
        if not any(comment.start <= place < comment.end for comment in comments):
            return place + 1
    return None


def _with_blanks(text: str, span: Span) -> Span:
    """Return a span with its lines, if nothing else is on them, else with the blanks behind it."""
    whole = whole_lines(text, span)
    if whole != span:
        return whole
    end = span.end
    while end < len(text) and text[end] in " \t":
        end += 1
    return Span(span.start, end)
