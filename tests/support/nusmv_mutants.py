"""Mutants of a NuSMV text in the forms tests compare: texts and bodies."""

from __future__ import annotations

from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import LANGUAGE
from mutproof.model import sorts, terms, walk
from mutproof.model.language import Elaborated
from mutproof.model.operators import Op
from mutproof.model.program import Element, Program
from mutproof.model.sorts import BoolSort, SetSort
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics


def elaborated(text: str) -> Elaborated:
    """Return what a text means."""
    return LANGUAGE.elaborate(LANGUAGE.parse(SourceText("test.smv", text)))


def accepted(text: str) -> Elaborated:
    """Return what a text means that NuSMV accepts."""
    found = elaborated(text)
    assert found.program is not None, found.diagnostics
    return found


def program_of(found: Elaborated) -> Program:
    assert found.program is not None
    return found.program


def mutants_of(
    found: Elaborated, level: str = "all", operators: tuple[str, ...] = ()
) -> tuple[Mutant, ...]:
    """Return the mutants of a text at a level, or those of some operators."""
    chosen = chosen_mutators(level, operators, Semantics.RELATIONAL)
    return mutants(program_of(found), found.provenance, chosen)


def mutated_text(found: Elaborated, mutant: Mutant) -> str:
    """Return the source with the mutant's replacement in its place, or without the element."""
    content = found.parsed.source.content
    provenance = found.provenance
    if mutant.replacement is None:
        span = provenance.whole(mutant.element)
        return content[: span.start] + content[span.end :]
    places = provenance.elements[mutant.element]
    place = places.place(mutant.path)
    assert place is not None, mutant
    pasted = LANGUAGE.replacement(
        places.terms, mutant.source, mutant.path, mutant.replacement, named=mutant.named
    )
    return content[: place.whole.start] + pasted + content[place.whole.end :]


def meaning(elements: list[Element]) -> list[object]:
    """Return what elements say, in a form that does not depend on how it is written."""
    return [
        (element.kind, element.targets, element.instance, element.guard, normal(element.body))
        for element in elements
    ]


def normal(root: Term) -> Term:
    """Return a term with negative numbers as negations and choices of the sort of their parts."""

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        if term.op is Op.CONST and not isinstance(term.sort, BoolSort | sorts.WordSort):
            if isinstance(term.payload, str) or term.payload >= 0:  # type: ignore[operator]
                return term
            positive = terms.const(-term.payload, term.sort)  # type: ignore[operator]
            return terms.make(Op.NEG, term.sort, (positive,))
        values = {Op.ITE: args[1:], Op.CASE: args[1::2]}.get(term.op, ())
        single = values and not any(isinstance(value.sort, SetSort) for value in values)
        if isinstance(term.sort, SetSort) and single:
            return terms.make(term.op, term.sort.element, args)
        return terms.make(term.op, term.sort, args, term.payload)

    return walk.fold(root, combine)
