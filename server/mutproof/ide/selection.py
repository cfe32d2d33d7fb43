"""Selection ranges: a word, the expressions around it, its element, its component."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from mutproof.base import lexis
from mutproof.base.span import Span
from mutproof.model.language import Elaborated, Language

MOST, OUTER = 100, 4
"""How many spans are told around an offset, and how many of them are the largest: an answer nests
them, and editors read it recursively."""


def selections(
    elaborated: Elaborated, language: Language, offsets: Sequence[int]
) -> tuple[tuple[Span, ...], ...]:
    """Return for each 0-based offset the spans around it, each contained in the next.

    The last one is the whole text. Of very many the outermost expressions are left out.
    """
    content = elaborated.parsed.source.content
    text = Span(0, len(content))
    words = [token.span for token in lexis.tokens(content, language.lexis)]
    found = []
    for offset in offsets:
        around = [*_around(elaborated, offset), *(w for w in words if _touches(w, offset)), text]
        found.append(_nested(around))
    return tuple(found)


def _around(elaborated: Elaborated, offset: int) -> Iterator[Span]:
    """Yield the spans of components, elements and expressions that touch an offset."""
    provenance = elaborated.provenance
    for body in provenance.component_bodies.values():
        if _touches(body, offset):
            yield body
    for element, places in provenance.elements.items():
        if not _touches(provenance.whole(element), offset):
            continue
        parts = (provenance.whole(element), provenance.head(element), provenance.body(element))
        yield from (part for part in parts if _touches(part, offset))
        terms = (place.whole.shifted(places.base) for place in places.terms.values())
        yield from (term for term in terms if _touches(term, offset))


def _touches(span: Span, offset: int) -> bool:
    return span.start <= offset <= span.end


def _nested(spans: list[Span]) -> tuple[Span, ...]:
    """Return the spans, smallest first, without those that do not contain the previous one."""
    kept: list[Span] = []
    for span in sorted(set(spans), key=lambda one: (one.end - one.start, one.start)):
        if span.end > span.start and (
            not kept or (span.start <= kept[-1].start and kept[-1].end <= span.end)
        ):
            kept.append(span)
    return tuple(kept if len(kept) <= MOST else [*kept[: MOST - OUTER], *kept[-OUTER:]])
