"""What an editor may fold: declarations of several lines, and runs of comments."""

from __future__ import annotations

from enum import Enum

from mutproof.base import lexis
from mutproof.base.record import dataclass
from mutproof.base.span import Span
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
    run: tuple[int, int] | None = None
    for token in lexis.tokens(source.content, language.lexis):
        if token.kind is not lexis.Lexeme.COMMENT:
            continue
        first, last = lines(token.span)
        if run is not None and first == run[1] + 1:
            run = (run[0], last)
        else:
            if run is not None:
                found.add(Fold(*run, FoldKind.COMMENT))
            run = (first, last)
    if run is not None:
        found.add(Fold(*run, FoldKind.COMMENT))
    several = [fold for fold in found if fold.last > fold.first]
    return tuple(sorted(several, key=lambda fold: (fold.first, -fold.last)))
