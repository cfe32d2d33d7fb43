"""From elements and paths in their terms to places in the text: the only such map."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model.program import ElementId
from mutproof.model.terms import Path


@dataclass(frozen=True, slots=True)
class TermPlace:
    """Locate a subterm: the text of the whole expression, and the token that names it.

    `token` is the operator of a binary expression and the first token of anything else: the
    place at which reports speak of the subterm. `whole` includes parentheses that belong to
    the expression's own text, not those around it. `name` is the name that a flattened
    language's text has there, of whatever it stands for.
    """

    whole: Span
    token: Span
    name: str = ""


@dataclass(frozen=True)
class ElementPlaces:
    """Locate an element and the subterms of its body; offsets are relative to `base`.

    `whole` covers the element with its terminator, `head` its left-hand side (or keyword),
    `body` the right-hand side. Keeping offsets relative lets the places of an unmoved
    declaration be shared between versions of a file.
    """

    base: int
    whole: Span
    head: Span
    body: Span
    terms: Mapping[Path, TermPlace]

    def place(self, path: Path) -> TermPlace | None:
        """Return the place of a subterm in absolute offsets; None if it has no text."""
        found = self.terms.get(path)
        if found is None:
            return None
        return TermPlace(found.whole.shifted(self.base), found.token.shifted(self.base), found.name)


@dataclass(frozen=True)
class Provenance:
    """Locate everything of a program in one text; all spans handed out are absolute."""

    elements: Mapping[ElementId, ElementPlaces]
    properties: Mapping[str, Span]  # by `component.name`: the name in the property statement
    components: Mapping[str, Span]  # by name: the name in the declaration
    component_bodies: Mapping[str, Span]  # by name: the whole declaration
    variables: Mapping[tuple[str, str], Span]  # by component and name: the declaring name
    statements: Mapping[str, Span] = field(default_factory=dict)  # by key: whole, of a property

    def statement(self, key: str) -> Span:
        """Return the whole property statement, or the name in it where no more is known."""
        return self.statements.get(key, self.properties[key])

    def head(self, element: ElementId) -> Span:
        """Return the left-hand side of an element (its keyword for constraints)."""
        places = self.elements[element]
        return places.head.shifted(places.base)

    def whole(self, element: ElementId) -> Span:
        """Return the whole text of an element, its terminator included."""
        places = self.elements[element]
        return places.whole.shifted(places.base)

    def body(self, element: ElementId) -> Span:
        """Return the text of the right-hand side of an element."""
        places = self.elements[element]
        return places.body.shifted(places.base)

    def text(self, element: ElementId, path: Path) -> Span:
        """Return the text of a subterm, of the whole right-hand side if it has none of its own."""
        place = self.elements[element].place(path)
        return self.body(element) if place is None else place.whole
