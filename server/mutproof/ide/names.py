"""Names of a text: what declares them, where they are used, what is visible where.

A language that resolves names itself is asked; for any other the provenance and the words of
the text serve, which also works for a text with errors.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Mapping
from dataclasses import field
from typing import Final

from mutproof.base import lexis
from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model import sorts
from mutproof.model.language import Elaborated, Language
from mutproof.model.naming import Declared, NameKind, NameUse, ResolvedNames
from mutproof.model.program import VariableKind

__all__ = ["Declared", "NameKind", "NameUse", "Names", "names"]


@dataclass(frozen=True)
class Names:
    """Hold all names of a text; `bodies` are the components' declarations, by name.

    `members` are the components that a name can be an instance of, `included` those whose text
    a component includes. `paths` are instances of each component, by the names they have in
    traces (empty for the main one).
    """

    language: Language
    declared: tuple[Declared, ...]
    uses: tuple[NameUse, ...]
    bodies: Mapping[str, Span]
    members: Mapping[Declared, tuple[str, ...]] = field(default_factory=dict)
    included: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    paths: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    @cached_property
    def _occurrences(self) -> tuple[tuple[Span, Declared], ...]:
        found = [(declared.name, declared) for declared in by_steps(self.declared)]
        found.extend((use.span, use.declared) for use in by_steps(self.uses))
        give_way()
        ordered = sorted(found, key=lambda pair: (pair[0].start, pair[0].end))
        give_way()
        return tuple(ordered)

    @cached_property
    def _starts(self) -> tuple[int, ...]:
        return tuple(span.start for span, _ in by_steps(self._occurrences))

    @cached_property
    def _uses_of(self) -> Mapping[Declared, tuple[NameUse, ...]]:
        found: dict[Declared, list[NameUse]] = {}
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

    def uses_of(self, declared: Declared) -> tuple[NameUse, ...]:
        """Return the uses of a name in the order of the text, without its declaration."""
        return self._uses_of.get(declared, ())

    def component_at(self, offset: int) -> str:
        """Return the component whose declaration covers an offset, empty for none."""
        for name, span in self.bodies.items():
            if span.contains(offset):
                return name
        return ""

    @cached_property
    def _shared(self) -> tuple[Declared, ...]:
        hidden = {NameKind.FIELD, NameKind.PROPERTY}
        return tuple(d for d in self.declared if not d.kind.is_variable and d.kind not in hidden)

    @cached_property
    def _owned(self) -> Mapping[str, tuple[Declared, ...]]:
        found: dict[str, list[Declared]] = {}
        for declared in by_steps(self.declared):
            if declared.kind.is_variable:
                found.setdefault(declared.container, []).append(declared)
        return {container: tuple(own) for container, own in found.items()}

    def prepare(self) -> Names:
        """Compute the tables that are slow for a large text; return these names."""
        _ = self._starts, self._owned, self._shared
        return self

    def visible_at(self, offset: int) -> tuple[Declared, ...]:
        """Return what may be named at an offset: the component's own names, then global ones."""
        return (*self._within(self.component_at(offset)), *self._shared)

    def behind(self, path: tuple[str, ...], offset: int) -> tuple[Declared, ...]:
        """Return the names that may follow a path and a dot at an offset.

        In a language without instances any field may.
        """
        if not self.members:
            return tuple(d for d in self.declared if d.kind is NameKind.FIELD)
        components: tuple[str, ...] = (self.component_at(offset),)
        for name in path:
            if name == "self":
                continue
            found = [d for c in components for d in self._within(c) if d.text == name]
            reached = dict.fromkeys(c for d in found for c in self.members.get(d, ()))
            components = tuple(reached)
        inside = (d for c in components for d in self._within(c))
        return tuple(d for d in dict.fromkeys(inside) if d.kind is not NameKind.PARAMETER)

    def is_shared(self, declared: Declared) -> bool:
        """Tell whether uses of a name are also uses of another one (parameters in NuSMV)."""
        spans = {use.span for use in self.uses_of(declared)}
        return any(use.span in spans and use.declared != declared for use in self.uses)

    def _within(self, component: str) -> tuple[Declared, ...]:
        owners = dict.fromkeys((component, *self.included.get(component, ())))
        if len(owners) == 1:
            return self._owned.get(component, ())
        return tuple(d for d in self.declared if d.kind.is_variable and d.container in owners)


def names(elaborated: Elaborated, language: Language) -> Names:
    """Return the names of a text; pure, may run on any thread."""
    found = _generic(elaborated, language) if language.names is None else language.names(elaborated)
    return Names(
        language,
        found.declared,
        found.uses,
        found.bodies,
        found.members,
        found.included,
        found.paths,
    )


_VARIABLE_KINDS: Final = {
    VariableKind.INPUT: NameKind.INPUT,
    VariableKind.OUTPUT: NameKind.OUTPUT,
}


def _generic(elaborated: Elaborated, language: Language) -> ResolvedNames:
    provenance = elaborated.provenance
    words = lexis.words(elaborated.parsed.source.content, language.lexis)
    types = {}
    if elaborated.program is not None:
        for component in elaborated.program.components:
            for variable in component.variables:
                types[component.name, variable.name] = variable
    heads = [provenance.head(element) for element in provenance.elements]
    declared: list[Declared] = []
    uses: list[NameUse] = []
    shadowed: dict[str, list[Span]] = {}
    for (owner, name), span in provenance.variables.items():
        body = provenance.component_bodies.get(owner)
        known = types.get((owner, name))
        kind = NameKind.LOCAL if known is None else _VARIABLE_KINDS.get(known.kind, NameKind.LOCAL)
        detail = "" if known is None else sorts.describe(known.sort)
        one = Declared(name, kind, span, span, owner, detail)
        declared.append(one)
        if body is not None:
            shadowed.setdefault(name, []).append(body)
            uses.extend(
                NameUse(use, one, any(head.covers(use) for head in heads))
                for use in words.get(name, ())
                if use != span and body.covers(use)
            )
    for name, span in provenance.components.items():
        whole = provenance.component_bodies.get(name, span)
        one = Declared(name, NameKind.COMPONENT, span, whole)
        declared.append(one)
        uses.extend(
            NameUse(use, one)
            for use in words.get(name, ())
            if use != span and not any(body.covers(use) for body in shadowed.get(name, ()))
        )
    declared.sort(key=lambda one: one.name)
    uses.sort(key=lambda use: use.span)
    main = elaborated.program
    paths = {} if main is None else {main.main: ("",)}
    bodies = dict(provenance.component_bodies)
    return ResolvedNames(tuple(declared), tuple(uses), paths=paths, bodies=bodies)
