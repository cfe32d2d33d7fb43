"""Names of a text: what declares them, where they are used, what is visible where.

A language that resolves names itself is asked; for any other the provenance and the words of
the text serve, which also works for a text with errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from functools import cached_property
from typing import Final

from mutproof.base.span import Span
from mutproof.ide import lexis
from mutproof.languages.lustre import scope
from mutproof.languages.lustre.syntax import FileTree
from mutproof.model import sorts
from mutproof.model.language import Elaborated
from mutproof.model.program import VariableKind


class Kind(Enum):
    """Say what a name names."""

    COMPONENT = "component"
    FUNCTION = "function"
    TYPE = "type"
    FIELD = "field"
    ENUM_VALUE = "enumeration value"
    CONSTANT = "constant"
    INPUT = "input"
    OUTPUT = "output"
    LOCAL = "local"

    @property
    def is_variable(self) -> bool:
        """Tell whether it has a value at every step."""
        return self in {Kind.INPUT, Kind.OUTPUT, Kind.LOCAL}


@dataclass(frozen=True, slots=True)
class Declared:
    """Hold a declaration: `name` is the declaring occurrence, `whole` the declaring text.

    `container` is the component or type it belongs to, empty for what the whole file sees.
    """

    text: str
    kind: Kind
    name: Span
    whole: Span
    container: str = ""
    detail: str = ""


@dataclass(frozen=True, slots=True)
class Use:
    """Hold an occurrence of a name other than its declaration."""

    span: Span
    declared: Declared
    is_write: bool = False


@dataclass(frozen=True)
class Names:
    """Hold all names of a text; `bodies` are the components' declarations, by name."""

    language: str
    declared: tuple[Declared, ...]
    uses: tuple[Use, ...]
    bodies: Mapping[str, Span]

    @cached_property
    def _occurrences(self) -> tuple[tuple[Span, Declared], ...]:
        found = [(declared.name, declared) for declared in self.declared]
        found.extend((use.span, use.declared) for use in self.uses)
        return tuple(sorted(found, key=lambda pair: pair[0]))

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(span.start for span, _ in self._occurrences)

    @cached_property
    def _uses_of(self) -> Mapping[Declared, tuple[Use, ...]]:
        found: dict[Declared, list[Use]] = {}
        for use in self.uses:
            found.setdefault(use.declared, []).append(use)
        return {declared: tuple(uses) for declared, uses in found.items()}

    def at(self, offset: int) -> tuple[Span, Declared] | None:
        """Return the occurrence that holds a 0-based offset or ends there."""
        index = bisect_right(self._starts, offset) - 1
        for candidate in (index, index - 1):
            if candidate >= 0 and self._occurrences[candidate][0].contains(offset):
                return self._occurrences[candidate]
        return None

    def uses_of(self, declared: Declared) -> tuple[Use, ...]:
        """Return the uses of a name in the order of the text, without its declaration."""
        return self._uses_of.get(declared, ())

    def component_at(self, offset: int) -> str:
        """Return the component whose declaration covers an offset, empty for none."""
        for name, span in self.bodies.items():
            if span.contains(offset):
                return name
        return ""

    def visible_at(self, offset: int) -> tuple[Declared, ...]:
        """Return what may be named at an offset: the component's own names, then global ones."""
        component = self.component_at(offset)
        own = [d for d in self.declared if d.kind.is_variable and d.container == component]
        shared = [d for d in self.declared if not d.kind.is_variable and d.kind is not Kind.FIELD]
        return (*own, *shared)


def names(elaborated: Elaborated, language: str) -> Names:
    """Return the names of a text; pure, may run on any thread."""
    tree = elaborated.parsed.tree
    if isinstance(tree, FileTree):
        return _lustre(elaborated, tree)
    return _generic(elaborated, language)


_LUSTRE_KINDS: Final = {
    scope.SymbolKind.NODE: Kind.COMPONENT,
    scope.SymbolKind.FUNCTION: Kind.FUNCTION,
    scope.SymbolKind.TYPE: Kind.TYPE,
    scope.SymbolKind.FIELD: Kind.FIELD,
    scope.SymbolKind.ENUM_VALUE: Kind.ENUM_VALUE,
    scope.SymbolKind.CONSTANT: Kind.CONSTANT,
    scope.SymbolKind.INPUT: Kind.INPUT,
    scope.SymbolKind.OUTPUT: Kind.OUTPUT,
    scope.SymbolKind.LOCAL: Kind.LOCAL,
}


def _lustre(elaborated: Elaborated, tree: FileTree) -> Names:
    found = scope.symbols(tree, elaborated.parsed.source.content)
    declared = {
        symbol: Declared(
            symbol.name,
            _LUSTRE_KINDS[symbol.kind],
            symbol.name_span,
            symbol.whole,
            symbol.container,
            symbol.detail,
        )
        for symbol in found.symbols
    }
    uses = tuple(Use(ref.span, declared[ref.symbol], ref.writes) for ref in found.references)
    bodies = {
        d.text: d.whole for d in declared.values() if d.kind in {Kind.COMPONENT, Kind.FUNCTION}
    }
    return Names("lustre", tuple(declared.values()), uses, bodies)


_VARIABLE_KINDS: Final = {
    VariableKind.INPUT: Kind.INPUT,
    VariableKind.OUTPUT: Kind.OUTPUT,
}


def _generic(elaborated: Elaborated, language: str) -> Names:
    provenance = elaborated.provenance
    words = lexis.words(elaborated.parsed.source.content, language)
    types = {}
    if elaborated.program is not None:
        for component in elaborated.program.components:
            for variable in component.variables:
                types[component.name, variable.name] = variable
    heads = [provenance.head(element) for element in provenance.elements]
    declared: list[Declared] = []
    uses: list[Use] = []
    shadowed: dict[str, list[Span]] = {}
    for (owner, name), span in provenance.variables.items():
        body = provenance.component_bodies.get(owner)
        known = types.get((owner, name))
        kind = Kind.LOCAL if known is None else _VARIABLE_KINDS.get(known.kind, Kind.LOCAL)
        detail = "" if known is None else sorts.describe(known.sort)
        one = Declared(name, kind, span, span, owner, detail)
        declared.append(one)
        if body is not None:
            shadowed.setdefault(name, []).append(body)
            uses.extend(
                Use(use, one, any(head.covers(use) for head in heads))
                for use in words.get(name, ())
                if use != span and body.covers(use)
            )
    for name, span in provenance.components.items():
        whole = provenance.component_bodies.get(name, span)
        one = Declared(name, Kind.COMPONENT, span, whole)
        declared.append(one)
        uses.extend(
            Use(use, one)
            for use in words.get(name, ())
            if use != span and not any(body.covers(use) for body in shadowed.get(name, ()))
        )
    declared.sort(key=lambda one: one.name)
    uses.sort(key=lambda use: use.span)
    return Names(language, tuple(declared), tuple(uses), dict(provenance.component_bodies))
