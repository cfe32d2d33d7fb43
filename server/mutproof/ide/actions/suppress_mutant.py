"""Suppress a mutant with a comment that says why."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation import suppress
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide.action import Action, ActionKind, Maker, Selection
from mutproof.model.editing import TextEdit

REASON = "TODO say why this change does not matter"


def _offer(selection: Selection) -> Iterator[Action]:
    analysed = selection.verdicts.analysed
    seen: set[tuple[int, str]] = set()
    for mutant in selection.unseen:
        line = analysed.source.position(mutant.span.start).line
        operator = mutant.record.operator
        if (line, operator) in seen:
            continue
        seen.add((line, operator))
        change = _comment(analysed.source, line, operator, analysed.language.line_comment)
        yield Action(
            f"Suppress {operator} on this line, with a reason",
            ActionKind.SUPPRESSION,
            (change,),
            about=mutant.record.mutant,
        )


def _comment(source: SourceText, line: int, operator: str, mark: str) -> TextEdit:
    start = source.line_starts[line - 1]
    for directive in suppress.directives(source):
        if directive.next_line and directive.is_disable and directive.line == line - 1:
            operators = ", ".join((*directive.operators, operator))
            text = source.slice(directive.span)
            head = text[: text.index("next-line") + len("next-line")]
            reason = directive.reason or REASON
            closing = text[-2:] if text.endswith(("*)", "*/")) else ""
            return TextEdit(directive.span, f"{head} {operators}: {reason} {closing}".rstrip())
    content = source.line(line)
    indent = content[: len(content) - len(content.lstrip())]
    comment = f"{indent}{mark} mutproof disable next-line {operator}: {REASON}\n"
    return TextEdit(Span(start, start), comment)


MAKER = Maker("suppress-mutant", _offer)
