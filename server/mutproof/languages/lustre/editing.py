"""Editor support for Lustre texts: names, property stubs, removal of equations."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Final

from mutproof.base import lexis
from mutproof.base.giving_way import by_steps
from mutproof.base.lexis import Lexis
from mutproof.base.span import Span
from mutproof.languages.lustre import scope
from mutproof.model.editing import (
    EditedElement,
    NewProperty,
    Stub,
    TextEdit,
    before_line,
    whole_lines,
)
from mutproof.model.language import Elaborated
from mutproof.model.naming import NameKind, ResolvedNames
from mutproof.model.program import VariableKind

_KEYWORDS: Final = (
    "node function returns var let tel const type struct enum subrange of int bool real "
    "assert if then else true false not and or xor div mod pre condact floor "
    "--%PROPERTY --%MAIN --%IVC --%REALIZABLE"
)
LEXIS: Final = Lexis(keywords=tuple(_KEYWORDS.split()))
_PRE: Final = re.compile(r"\bpre\b")


def names(elaborated: Elaborated) -> ResolvedNames:
    """Return the names of a text."""
    parsed, program = elaborated.parsed, elaborated.program
    found = scope.symbols(parsed.tree, parsed.source.content)
    bodies = {
        d.text: d.whole
        for d in by_steps(found.declared)
        if d.kind in {NameKind.COMPONENT, NameKind.FUNCTION}
    }
    paths = {} if program is None else {program.main: ("",)}
    return replace(found, bodies=bodies, paths=paths)


def restate(subject: EditedElement, stub: Stub) -> tuple[TextEdit, ...]:
    """Return the edits that restate an equation or assertion as a property of its node."""
    component = subject.component
    statement = _statement(subject)
    if component is None or statement is None:
        return ()
    is_assertion = subject.element.kind == "assert"
    target = "assertion" if is_assertion else re.sub(r"\W", "_", subject.label)
    stated = NewProperty(stub.fresh(f"{target}_is_as_stated"), statement, stub.comments)
    body = subject.provenance.component_bodies[component.name]
    return _inserted(subject.source.content, body, (stated,))


def state(
    elaborated: Elaborated, node: str, properties: tuple[NewProperty, ...]
) -> tuple[TextEdit, ...]:
    """Return the edits that declare, define and state properties in a node."""
    body = elaborated.provenance.component_bodies.get(node)
    if body is None:
        return ()
    return _inserted(elaborated.parsed.source.content, body, properties)


def property_lines(stated: NewProperty) -> tuple[str, ...]:
    """Return the lines that define and state a property."""
    return (*stated.comments, f"{stated.name} = {stated.text};", f"--%PROPERTY {stated.name};")


def _inserted(text: str, body: Span, properties: tuple[NewProperty, ...]) -> tuple[TextEdit, ...]:
    words = lexis.words(text, LEXIS)
    let = _inside(words.get("let", ()), body)
    tel = _inside(words.get("tel", ()), body)
    if not let or not tel:
        return ()
    declared = _inside(words.get("var", ()), body)
    declaration = "".join(f"  {one.name} : bool;\n" for one in properties)
    if not declared or declared[0].start > let[0].start:
        declaration = f"var\n{declaration}"
    lines = [line for one in properties for line in property_lines(one)]
    equations = "".join(f"  {line}\n" for line in lines)
    return (
        before_line(text, let[0], declaration),
        before_line(text, tel[-1], equations),
    )


def _statement(subject: EditedElement) -> str | None:
    """Return the element as a Boolean expression of the source's text; None if impossible."""
    element = subject.element
    body = _one_line(subject.source.slice(subject.provenance.body(element)))
    if element.kind == "assert":
        return body
    if "," in element.name or element.kind != "equation":
        return None
    stated = f"{element.name} = ({body})"
    return f"true -> ({stated})" if _PRE.search(body) and "->" not in body else stated


def _one_line(text: str) -> str:
    without = re.sub(r"--[^\r\n]*", "", text)
    return " ".join(without.split())


def _inside(spans: tuple[Span, ...], body: Span) -> list[Span]:
    return [span for span in spans if body.covers(span)]


def remove(subject: EditedElement) -> tuple[TextEdit, ...]:
    """Return the edits that remove an element, and the declarations of what only it defines."""
    element, provenance = subject.element, subject.provenance
    text = subject.source.content
    removal = TextEdit(whole_lines(text, provenance.whole(element)), "")
    if element.kind == "assert":
        return (removal,)
    component = subject.component
    if component is None or element.kind != "equation" or "," in element.name:
        return ()
    kinds = {variable.name: variable.kind for variable in component.variables}
    declared = provenance.variables.get((element.component, element.name))
    if kinds.get(element.name) is not VariableKind.LOCAL or declared is None:
        return ()
    body = provenance.component_bodies[element.component]
    whole = provenance.whole(element)
    uses = lexis.words(text, LEXIS).get(element.name, ())
    elsewhere = [s for s in uses if body.covers(s) and not whole.covers(s) and s != declared]
    # The variable is read elsewhere, where it would be undefined without its equation.
    if elsewhere:
        return ()
    return (_without_declaration(text, declared), removal)


def without_variable(elaborated: Elaborated, component: str, name: str) -> tuple[TextEdit, ...]:
    """Return the edits that take out a local variable that only its equation mentions."""
    program = elaborated.program
    if program is None:
        return ()
    for element in program.component(component).elements:
        if element.targets == (name,):
            source, provenance = elaborated.parsed.source, elaborated.provenance
            return remove(EditedElement(source, program, provenance, element.id, name))
    return ()


def _without_declaration(text: str, name: Span) -> TextEdit:
    after = re.compile(r"\s*,\s*").match(text, name.end)
    if after is not None:
        return TextEdit(Span(name.start, after.end()), "")
    before = re.search(r",\s*\Z", text[: name.start])
    if before is not None:
        return TextEdit(Span(before.start(), name.end), "")
    end = text.index(";", name.end) + 1
    keyword = re.search(r"\bvar\s+\Z", text[: name.start])
    # Remove `var` too if no declaration is left.
    if keyword is not None and re.compile(r"\s*let\b").match(text, end) is not None:
        return TextEdit(whole_lines(text, Span(keyword.start(), end)), "")
    return TextEdit(whole_lines(text, Span(name.start, end)), "")
