"""Diagnostics for a terminal: place, code, message, the line with a caret, and the way out."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.base.text import SourceText, visible
from mutproof.reporters.style import Style

MOST_ERRORS = 50
MOST_OTHERS = 5
_MOST_CHARACTERS = 100  # of a source line
_MEANING = {
    Severity.ERROR: "bad",
    Severity.WARNING: "warning",
    Severity.INFORMATION: "note",
    Severity.HINT: "quiet",
}


def rendered(source: SourceText, diagnostics: tuple[Diagnostic, ...], style: Style) -> str:
    """Return the diagnostics of a file: errors first, both capped with the rest counted."""
    errors = [one for one in diagnostics if one.severity is Severity.ERROR]
    others = [one for one in diagnostics if one.severity is not Severity.ERROR]
    shown: list[str] = []
    for group, most, noun in ((errors, MOST_ERRORS, "errors"), (others, MOST_OTHERS, "warnings")):
        ranked = sorted(group, key=lambda one: one.span)
        shown += ["\n".join(_lines(source, one, style)) for one in ranked[:most]]
        if len(ranked) > most:
            more = f"{visible(source.name)}: … and {len(ranked) - most} more {noun}"
            shown.append(style.paint("quiet", more))
    return "\n".join(shown)


def _lines(source: SourceText, diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    where = visible(source.name)
    if source.content:  # else it is about a file that could not be read, or that says nothing
        where += f":{source.position(diagnostic.span.start)}"
    label = style.paint(
        _MEANING[diagnostic.severity], f"{diagnostic.severity.value}[{diagnostic.code}]"
    )
    yield f"{where}: {label}: {visible(diagnostic.message)}"
    yield from _excerpt(source, diagnostic.span, style, _MEANING[diagnostic.severity])
    name = visible(source.name)
    for related in diagnostic.related:
        place = source.position(related.span.start)
        yield f"  = {style.paint('note', 'note')}: {name}:{place}: {visible(related.message)}"
    if diagnostic.help:
        yield f"  = {style.paint('note', 'help')}: {diagnostic.help}"


def _excerpt(source: SourceText, span: Span, style: Style, meaning: str) -> Iterator[str]:
    if not source.content:
        return
    position = source.position(span.start)
    line = source.line(position.line)
    if not line.strip():
        return
    column = position.column - 1
    length = max(1, min(span.end - span.start, len(line) - column))
    first = 0
    if len(line) > _MOST_CHARACTERS:
        first = max(0, min(column - _MOST_CHARACTERS // 2, len(line) - _MOST_CHARACTERS))
        line = line[first : first + _MOST_CHARACTERS]
    length = max(1, min(length, len(line) - (column - first)))
    number = str(position.line)
    margin = " " * len(number)
    shown = "".join(
        c if c.isprintable() or c == "\t" else "\N{REPLACEMENT CHARACTER}" for c in line
    )
    # Tabs are repeated under themselves so that the caret stands where the terminal puts it.
    indent = "".join("\t" if c == "\t" else " " for c in shown[: column - first])
    bar = style.paint("quiet", "|")
    yield f"{margin} {bar}"
    yield f"{style.paint('quiet', number)} {bar} {shown}"
    yield f"{margin} {bar} {indent}{style.paint(meaning, '^' * length)}"
