"""All mutants of a program at a level, in the order of the source."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.digest import digest_parts, short
from mutproof.model import terms, walk
from mutproof.model.program import Component, Element, Program, Role
from mutproof.model.provenance import Provenance
from mutproof.model.roles import roles
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term

_RANK = {Level.DEFAULT: 0, Level.PAPER: 1, Level.ALL: 2}


def chosen_mutators(level: str, names: tuple[str, ...] = ()) -> tuple[Mutator, ...]:
    """Return the operators of a level, restricted to `names` if any are given.

    Raises:
        ValueError: there is no such level.
        KeyError: there is no operator of one of the names.
    """
    if names:
        return tuple(MUTATORS[name] for name in names)
    rank = _RANK[Level(level)]
    return tuple(mutator for mutator in MUTATORS if _RANK[mutator.level] <= rank)


def mutants(
    program: Program, provenance: Provenance, mutators: tuple[Mutator, ...]
) -> tuple[Mutant, ...]:
    """Return the mutants of the design of a program, all instances of an element together."""
    role = roles(program)
    found: dict[str, Mutant] = {}
    for component in program.components:
        for element in component.elements:
            if role[element.id] is Role.DESIGN and program.by_id[element.id][0] is element:
                for mutant in _of_element(component, element, provenance, mutators):
                    found.setdefault(mutant.id, mutant)
    return tuple(found.values())


def _of_element(
    component: Component, element: Element, provenance: Provenance, mutators: tuple[Mutator, ...]
) -> Iterator[Mutant]:
    places = provenance.elements[element.id].terms
    target = _target_sort(component, element)
    for path, term in walk.occurrences(element.body):
        # What has no text of its own (an inlined constant's inside) cannot be edited there.
        if path not in places:
            continue
        occurrence = Occurrence(element, path, term, target)
        for mutator in mutators:
            for change in mutator.apply(occurrence):
                if _changes(element.body, change):
                    yield _mutant(element, occurrence, mutator, change)


def _target_sort(component: Component, element: Element) -> Sort | None:
    return component.variable(element.targets[0]).sort if len(element.targets) == 1 else None


def _changes(body: Term, change: Change) -> bool:
    return change.replacement is None or terms.at(body, change.path) is not change.replacement


def _mutant(element: Element, occurrence: Occurrence, mutator: Mutator, change: Change) -> Mutant:
    replacement = change.replacement
    digest = digest_parts(
        element.id.component,
        element.id.kind,
        element.id.name,
        element.body.digest,
        mutator.name,
        repr(change.path),
        b"" if replacement is None else replacement.digest,
    )
    place = None if change.at_head else occurrence.path
    return Mutant(
        short(digest), element.id, mutator.name, change.path, replacement, place, change.summary
    )


def mutated_body(element: Element, mutant: Mutant) -> Term | None:
    """Return the body an occurrence of the element has in the mutant; None if it is removed."""
    if mutant.replacement is None:
        return None
    return terms.replaced(element.body, mutant.path, mutant.replacement)
