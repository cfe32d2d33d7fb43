"""What an editor may fold: declarations of several lines, and runs of comments."""

from __future__ import annotations

from enum import Enum

from mutproof.base import lexis
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.language import Elaborated, Language


class FoldKind(Enum):
    """Say what is folded."""

    REGION = "region"
    COMMENT = "comment"


@dataclass(frozen=True, slots=True)
class Fold:
    """Hold a foldable range of lines, both 0-based and inclusive."""

    first: int
    last: int
    kind: FoldKind


def folds(elaborated: Elaborated, language: Language) -> tuple[Fold, ...]:
    """Return the foldable ranges in the order of the text."""
    source = elaborated.parsed.source
    provenance = elaborated.provenance

    def lines(span: Span) -> tuple[int, int]:
        return source.position(span.start).line - 1, source.position(span.end).line - 1

    spans = [
        *provenance.component_bodies.values(),
        *(provenance.whole(element) for element in provenance.elements),
    ]
    found = {Fold(*lines(span), FoldKind.REGION) for span in spans}
    run: tuple[int, int] | None = None  # of comments that have their lines for themselves
    for token in lexis.tokens(source.content, language.lexis):
        if token.kind is not lexis.Lexeme.COMMENT:
            continue
        first, last = lines(token.span)
        before, behind = _beside(source, token.span)
        if behind:
            last -= 1
        if run is not None and not before and first == run[1] + 1:
            found.discard(Fold(*run, FoldKind.COMMENT))
            run = (run[0], last)
        else:
            run = None if before else (first, last)
        found.add(Fold(*(run or (first, last)), FoldKind.COMMENT))
    several = [fold for fold in found if fold.last > fold.first]
    return tuple(sorted(several, key=lambda fold: (fold.first, -fold.last)))


def _beside(source: SourceText, span: Span) -> tuple[str, str]:
    """Return what stands before a span in its first line, and behind it in its last one."""
    content, starts = source.content, source.line_starts
    ending = source.position(span.end).line
    end = starts[ending] if ending < len(starts) else len(content)
    begin = starts[source.position(span.start).line - 1]
    return content[begin : span.start].strip(), content[span.end : end].strip()
