"""Diagnostics for a terminal: place, code, message, the line with a caret, and the way out."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.text import SourceText, counted, visible
from mutproof.reporters.excerpt import excerpt
from mutproof.reporters.style import Style

MOST_ERRORS = 50
MOST_OTHERS = 5
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
    for group, most, noun in ((errors, MOST_ERRORS, "error"), (others, MOST_OTHERS, "warning")):
        ranked = sorted(group, key=lambda one: one.span)
        shown += ["\n".join(_lines(source, one, style)) for one in ranked[:most]]
        if len(ranked) > most:
            rest = counted(len(ranked) - most, f"more {noun}")
            more = f"{visible(source.name)}: … and {rest}"
            shown.append(style.paint("quiet", more))
    return "\n".join(shown)


def _lines(source: SourceText, diagnostic: Diagnostic, style: Style) -> Iterator[str]:
    where = visible(source.name)
    if source.content:  # else the file is empty or could not be read
        where += f":{source.position(diagnostic.span.start)}"
    label = style.paint(
        _MEANING[diagnostic.severity], f"{diagnostic.severity.value}[{diagnostic.code}]"
    )
    yield f"{where}: {label}: {visible(diagnostic.message)}"
    shown = excerpt(source, diagnostic.span, style, _MEANING[diagnostic.severity])
    if shown:
        margin = " " * len(str(source.position(diagnostic.span.start).line))
        yield f"{margin} {style.paint('quiet', '|')}"
        yield from shown
    name = visible(source.name)
    for related in diagnostic.related:
        place = source.position(related.span.start)
        yield f"  = {style.paint('note', 'note')}: {name}:{place}: {visible(related.message)}"
    if diagnostic.help:
        yield f"  = {style.paint('note', 'help')}: {diagnostic.help}"
