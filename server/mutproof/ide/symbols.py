"""The outline of a file: components, and in them variables, equations and properties."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum

from mutproof.base.span import Span
from mutproof.model import sorts
from mutproof.model.language import Elaborated
from mutproof.model.program import Component


class SymbolKind(Enum):
    """Say what a symbol is."""

    COMPONENT = "component"
    VARIABLE = "variable"
    ELEMENT = "element"
    PROPERTY = "property"


@dataclass(frozen=True, slots=True)
class Symbol:
    """Hold one entry of the outline; `whole` covers `name`."""

    label: str
    detail: str
    kind: SymbolKind
    whole: Span
    name: Span
    children: tuple[Symbol, ...] = ()


def symbols(elaborated: Elaborated) -> tuple[Symbol, ...]:
    """Return the components of a file, each with what it contains, in the order of the text."""
    provenance = elaborated.provenance
    declared = {}
    if elaborated.program is not None:
        declared = {component.name: component for component in elaborated.program.components}
    found = []
    for name, span in provenance.components.items():
        whole = provenance.component_bodies.get(name, span).joined(span)
        children = _children(elaborated, name, whole, declared.get(name))
        found.append(Symbol(name, "", SymbolKind.COMPONENT, whole, span, children))
    return tuple(sorted(found, key=lambda symbol: symbol.whole))


def _children(
    elaborated: Elaborated, owner: str, whole: Span, component: Component | None
) -> tuple[Symbol, ...]:
    provenance = elaborated.provenance
    types = {}
    if component is not None:
        types = {v.name: f"{sorts.describe(v.sort)} · {v.kind.value}" for v in component.variables}
    found = []
    for (declarer, name), span in provenance.variables.items():
        if declarer == owner:
            found.append(Symbol(name, types.get(name, ""), SymbolKind.VARIABLE, span, span))
    for element in provenance.elements:
        if element.component == owner:
            place, head = provenance.whole(element), provenance.head(element)
            label = element.name.replace(",", ", ")
            found.append(Symbol(label, element.kind, SymbolKind.ELEMENT, place.joined(head), head))
    for key, span in provenance.properties.items():
        declarer, _, name = key.partition(".")
        if declarer == owner:
            found.append(Symbol(name, "property", SymbolKind.PROPERTY, span, span))
    inside = [symbol for symbol in found if whole.covers(symbol.whole)]
    return tuple(sorted(inside, key=lambda symbol: symbol.whole))


def flattened(found: tuple[Symbol, ...], query: str) -> tuple[tuple[Symbol, str], ...]:
    """Return the symbols whose label contains the letters of a query in order, with owners."""
    result = []
    for symbol in found:
        result.append((symbol, ""))
        result.extend((child, symbol.label) for child in symbol.children)
    return tuple(pair for pair in result if _matches(query, pair[0].label))


def _matches(query: str, label: str) -> bool:
    letters = iter(label.lower())
    return all(letter in letters for letter in query.lower())
