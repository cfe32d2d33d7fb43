"""The outline of a file: components, and in them variables, equations and properties."""

from __future__ import annotations

from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.ide.names import Declared, NameKind, Names
from mutproof.model.program import ElementId
from mutproof.model.provenance import Provenance


@dataclass(frozen=True, slots=True)
class Symbol:
    """Hold one entry of the outline; `whole` covers `name`, and the `children`.

    `kind` is None for an element of the model and for a property, told apart by `is_property`.
    """

    label: str
    detail: str
    kind: NameKind | None
    whole: Span
    name: Span
    children: tuple[Symbol, ...] = ()
    is_property: bool = False


def symbols(names: Names, provenance: Provenance) -> tuple[Symbol, ...]:
    """Return what a file declares, each with what it contains, in the order of the text."""
    inside: dict[str, list[Symbol]] = {}
    named: set[Span] = set()
    for declared in by_steps(names.declared):
        owner = _owner(declared, names)
        if owner:
            whole = declared.whole if declared.whole.covers(declared.name) else declared.name
            child = Symbol(
                declared.text,
                declared.described,
                declared.kind,
                whole,
                declared.name,
                is_property=declared.kind is NameKind.PROPERTY,
            )
            inside.setdefault(owner, []).append(child)
            named.add(declared.name)
    for element in provenance.elements:
        give_way()
        head = provenance.head(element)
        if element.kind == "define" and head in named:
            continue  # a macro is both a name and an element
        whole = provenance.whole(element).joined(head)
        child = Symbol(_label(element), element.kind, None, whole, head)
        inside.setdefault(element.component, []).append(child)
    for key, span in by_steps(provenance.properties.items()):
        if names.language.traits.is_flattened and span in named:
            continue  # one statement, a property for each instance
        named.add(span)
        owner, _, name = key.partition(".")
        owner = names.component_at(span.start) or owner
        child = Symbol(name.partition(" IN ")[0], "property", None, span, span, is_property=True)
        inside.setdefault(owner, []).append(child)
    found = []
    for declared in by_steps(names.declared):
        if not _owner(declared, names):
            whole = declared.whole.joined(declared.name)
            inner = by_steps(inside.get(declared.text, ()))
            children = [child for child in inner if whole.covers(child.whole)]
            children.sort(key=lambda symbol: symbol.whole)
            found.append(
                Symbol(
                    declared.text,
                    declared.described,
                    declared.kind,
                    whole,
                    declared.name,
                    tuple(children),
                )
            )
    return tuple(sorted(found, key=lambda symbol: symbol.whole))


def _owner(declared: Declared, names: Names) -> str:
    """Return the component or type under which a name is listed; for constants, the module."""
    if declared.kind is NameKind.CONSTANT and names.language.traits.is_flattened:
        return names.component_at(declared.name.start)
    return declared.container


def _label(element: ElementId) -> str:
    match element.kind:
        case "init" | "next":
            return f"{element.kind}({element.name})"
        case "INIT" | "TRANS" | "INVAR" | "assert":
            return element.kind
        case _:
            return element.name.replace(",", ", ")


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
