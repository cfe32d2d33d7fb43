"""The outline of a file: components, and in them variables, equations and properties."""

from __future__ import annotations

from dataclasses import dataclass

from mutproof.base.span import Span
from mutproof.ide.names import Kind, Names
from mutproof.model.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Symbol:
    """Hold one entry of the outline; `whole` covers `name`, and the `children`.

    `kind` is None for an element of the model and for a property, told apart by `is_property`.
    """

    label: str
    detail: str
    kind: Kind | None
    whole: Span
    name: Span
    children: tuple[Symbol, ...] = ()
    is_property: bool = False


def symbols(names: Names, provenance: Provenance) -> tuple[Symbol, ...]:
    """Return what a file declares, each with what it contains, in the order of the text."""
    inside: dict[str, list[Symbol]] = {}
    for declared in names.declared:
        if declared.container:
            whole = declared.whole if declared.whole.covers(declared.name) else declared.name
            child = Symbol(declared.text, declared.detail, declared.kind, whole, declared.name)
            inside.setdefault(declared.container, []).append(child)
    for element in provenance.elements:
        head = provenance.head(element)
        whole = provenance.whole(element).joined(head)
        label = element.name.replace(",", ", ")
        child = Symbol(label, element.kind, None, whole, head)
        inside.setdefault(element.component, []).append(child)
    for key, span in provenance.properties.items():
        owner, _, name = key.partition(".")
        child = Symbol(name, "property", None, span, span, is_property=True)
        inside.setdefault(owner, []).append(child)
    found = []
    for declared in names.declared:
        if not declared.container:
            whole = declared.whole.joined(declared.name)
            children = [c for c in inside.get(declared.text, []) if whole.covers(c.whole)]
            children.sort(key=lambda symbol: symbol.whole)
            found.append(
                Symbol(
                    declared.text,
                    declared.detail,
                    declared.kind,
                    whole,
                    declared.name,
                    tuple(children),
                )
            )
    return tuple(sorted(found, key=lambda symbol: symbol.whole))


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
