"""All mutants of a program at a level, in the order of the source."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mutproof.analyses.mutation.domains import Domains
from mutproof.analyses.mutation.mutant import LEAST_DIGITS, Mutant
from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.analyses.mutation.rewrite import replaced
from mutproof.analyses.mutation.written import (
    Likeness,
    Localized,
    Written,
    localized,
    sources,
    written,
)
from mutproof.base.digest import Prefixed, digest_parts, shortened
from mutproof.base.memo import Memo
from mutproof.model import terms
from mutproof.model.occurrences import translated
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, Program, Role
from mutproof.model.provenance import Provenance, TermPlace
from mutproof.model.roles import roles
from mutproof.model.terms import Path, Term
from mutproof.model.traits import Semantics, Traits


def chosen_mutators(
    level: str, names: tuple[str, ...] = (), semantics: Semantics = Semantics.FORWARD
) -> tuple[Mutator, ...]:
    """Return the operators of a level for a semantics, restricted to `names` if any are given.

    Those of the study that `paper` stands for come first: where operators of several studies
    make the same change, the mutant has their name.

    Raises:
        ValueError: there is no such level.
        KeyError: there is no operator of one of the names.
    """
    chosen = Level(level)
    if names:
        found = [MUTATORS[name] for name in names]
        return tuple(mutator for mutator in found if semantics in mutator.levels)
    included = [m for m in MUTATORS if chosen in m.levels.get(semantics, frozenset())]
    return tuple(sorted(included, key=lambda m: Level.PAPER not in m.levels[semantics]))


def mutants(
    program: Program, provenance: Provenance, mutators: tuple[Mutator, ...], text: str = ""
) -> tuple[Mutant, ...]:
    """Return the mutants of the design of a program, all instances of an element together.

    `text` is the text of the program; given it, the mutants of elements that an earlier version
    had as well are kept.
    """
    role = roles(program)
    found: dict[str, Mutant] = {}
    domains = {c.name: Domains(c) for c in program.components}
    chosen = [
        (provenance.head(occurrences[0].id).start, component, occurrences)
        for component in program.components
        for occurrences in _sources(program, component)
        if role[occurrences[0].id] is Role.DESIGN
    ]
    operators = _Operators(program.traits.semantics, mutators)
    declared = {c.name: digest_parts(c.name, repr(c.variables)) for c in program.components}
    for _, component, occurrences in sorted(chosen, key=lambda item: item[0]):
        places = provenance.elements[occurrences[0].id].terms

        def enumerated(
            occurrences: tuple[Element, ...] = occurrences,
            places: Mapping[Path, TermPlace] = places,
            domains: Domains = domains[component.name],
        ) -> tuple[Mutant, ...]:
            made: dict[str, Mutant] = {}
            for likeness in sources(occurrences, places):
                source = _Source(program.traits, likeness, places, domains)
                for mutant in source.mutants(operators):
                    made.setdefault(mutant.id, mutant)
            return tuple(made.values())

        if text and not program.traits.is_flattened:
            # The body and its text say which subterms have a place of their own.
            body = provenance.body(occurrences[0].id)
            written_as = text[body.start : body.end]
            here = program.language, declared[component.name]
            key = (operators.names, here, occurrences[0], written_as)
            known = _enumerated.get(key, enumerated)
        else:
            known = enumerated()
        for mutant in known:
            found.setdefault(mutant.id, mutant)
    short = shortened(found, LEAST_DIGITS)
    return tuple(
        mutant if mutant.shown == short[name] else replace(mutant, shown=short[name])
        for name, mutant in found.items()
    )


_enumerated: Memo[tuple[Mutant, ...]] = Memo(4_096)


def mutated_body(element: Element, mutant: Mutant, body: Term | None = None) -> Term | None:
    """Return the body an occurrence of the element has after a change; None if it is removed.

    `body` is what another change, at another place, has made of it already.
    """
    if mutant.replacement is None:
        return None
    replacement = translated(
        mutant.replacement, mutant.path, mutant.source, element, named=mutant.named
    )
    keeps_sort = element.kind is ElementKind.DEFINE
    return replaced(body or element.body, mutant.path, replacement, keeps_sort=keeps_sort)


def mutated_bodies(program: Program, mutant: Mutant) -> dict[Element, Term | None]:
    """Return the bodies that all occurrences of the mutated elements have in a mutant."""
    bodies: dict[Element, Term | None] = {}
    for change in mutant.changes:
        for element in program.by_id[change.element]:
            bodies[element] = mutated_body(element, change, bodies.get(element))
    return bodies


def _sources(program: Program, component: Component) -> Iterator[tuple[Element, ...]]:
    """Yield the elements of a component, each with all of its occurrences."""
    for element in component.elements:
        occurrences = program.by_id[element.id]
        if occurrences[0] is element:
            yield occurrences


class _Operators:
    """Hold the chosen operators in order, indexed by the terms that they may change.

    `published` names the operators for which published figures count every change.
    """

    def __init__(self, semantics: Semantics, mutators: tuple[Mutator, ...]) -> None:
        self.names = tuple(mutator.name for mutator in mutators)
        self._mutators = mutators
        self._by_term: dict[tuple[Op, bool], tuple[Mutator, ...]] = {}
        self.published: frozenset[str] = frozenset()
        if semantics is Semantics.FORWARD:
            counted = (m.name for m in mutators if Level.PAPER in m.levels[semantics])
            self.published = frozenset(counted)

    def concerned(self, op: Op, *, whole: bool) -> tuple[Mutator, ...]:
        """Return those that may change a term with an operator; `whole`: it is a body."""
        key = op, whole
        if key not in self._by_term:
            found = tuple(m for m in self._mutators if m.concerns(op, whole=whole))
            self._by_term[key] = found
        return self._by_term[key]


class _Source:
    """Change one source element, all of its occurrences together."""

    def __init__(
        self,
        traits: Traits,
        likeness: Likeness,
        places: Mapping[Path, TermPlace],
        domains: Domains,
    ) -> None:
        self._traits = traits
        self._likeness = likeness
        self._element = likeness.source
        self._places = places
        self._domains = domains
        self._written = Written(self._element.body, {})
        if traits.is_flattened:
            self._written = written(self._element, places)
        # Identities must not depend on the instances of a module.
        self._localized: Localized | None = None
        if self._element.instance:
            self._localized = localized(self._element, self._written.body, places)
        self._digests = Prefixed(
            self._element.id.component,
            self._element.id.kind,
            self._element.id.name,
            (self._localized or self._element).body.digest,
        )

    def mutants(self, operators: _Operators) -> Iterator[Mutant]:
        """Yield the mutants, each change once: that of the first operator that makes it."""
        made: dict[Path, set[Term | None]] = {}
        for occurrence in self._occurrences():
            if not self._likeness.allows(occurrence.path):
                continue
            # Paths are as long as terms are deep: look each up once.
            path = occurrence.path
            here, shown = made.setdefault(path, set()), repr(path)
            for mutator in operators.concerned(occurrence.term.op, whole=not path):
                for change in mutator.apply(occurrence):
                    if not self._is_change(occurrence, change):
                        continue
                    done = here if change.path is path else made.setdefault(change.path, set())
                    if change.replacement not in done or mutator.name in operators.published:
                        done.add(change.replacement)
                        where = shown if change.path is path else repr(change.path)
                        yield self._mutant(occurrence, mutator, change, where)

    def _occurrences(self) -> Iterator[Occurrence]:
        element, body = self._element, self._written.body
        if body is not element.body:
            element = replace(element, body=body)
        targets = element.targets
        target = self._domains.declared(targets[0]) if len(targets) == 1 else None
        stack: list[tuple[Path, Term, Term | None]] = [((), body, None)]
        while stack:
            path, term, parent = stack.pop()
            # A term without text of its own (inside an inlined constant) cannot be edited.
            # The call of a condact must stay a call.
            stays = parent is not None and parent.op is Op.CONDACT and path[-1] == 1
            if path in self._places and not stays:
                yield Occurrence(self._traits, element, path, term, parent, target, self._domains)
            inner = [((*path, i), arg, term) for i, arg in enumerate(term.args)]
            stack.extend(reversed(inner))

    def _is_change(self, occurrence: Occurrence, change: Change) -> bool:
        replacement = change.replacement
        if replacement is None:
            return True
        if terms.at(occurrence.term, change.path[len(occurrence.path) :]) is replacement:
            return False
        # A name bound to a constant here may be bound to another one in other instances.
        if self._written.is_hidden_constant(replacement):
            return False
        meant = self._written.meant(replacement)
        if self._written.hidden and self._likeness.has(change.path, meant):
            return False  # `1..2` instead of `{1, 2}`
        return self._likeness.translates(replacement, self._written)

    def _mutant(
        self, occurrence: Occurrence, mutator: Mutator, change: Change, where: str
    ) -> Mutant:
        element = self._element
        replacement, said, named = change.replacement, b"", None
        if replacement is not None:
            if self._written.hidden:
                named = self._written.named(replacement)
            local = None if self._localized is None else self._localized.of(replacement)
            replacement = self._written.meant(replacement)
            said = (local or replacement).digest
        digest = self._digests.digest(mutator.name, where, said).hex()
        place = None if change.at_head else occurrence.path
        return Mutant(
            digest,
            digest[:LEAST_DIGITS],
            element.id,
            mutator.name,
            change.path,
            replacement,
            place,
            change.summary,
            element,
            named=named,
        )
