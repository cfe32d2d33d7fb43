"""Mutants of a Lustre text in the forms tests compare: bodies, systems and texts."""

from __future__ import annotations

from random import Random

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.mutation.enumerate import mutated_body
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.budget import Budget
from mutproof.languages.lustre import LANGUAGE
from mutproof.model import sorts, terms, walk
from mutproof.model.instances import unfold
from mutproof.model.language import Elaborated
from mutproof.model.lower import Lowering, lower
from mutproof.model.operators import Op
from mutproof.model.program import Bodies, Element, Program
from mutproof.model.sampling import interesting_values, random_value
from mutproof.model.sorts import BoolSort
from mutproof.model.system import Constraint, TransitionSystem
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.reading import spliced

BUDGET = Budget(timeout_s=60)


def options(level: str = "paper", *, cores: bool = False, mutate: bool = True) -> Options:
    return Options(level=level, cores=cores, mutate=mutate, budget=BUDGET)


def report(
    elaborated: Elaborated, chosen: Options | None = None, memory: Memory | None = None
) -> Report:
    """Return what an analysis finds."""
    used = Memory() if memory is None else memory
    return analyse(elaborated, chosen or options(), used, lambda _: None, cancelled=lambda: False)


def program_of(elaborated: Elaborated) -> Program:
    assert elaborated.program is not None
    return elaborated.program


def bodies(program: Program, mutant: Mutant) -> dict[Element, Term | None]:
    """Return the bodies that a mutant gives to the occurrences of its element."""
    return {element: mutated_body(element, mutant) for element in program.by_id[mutant.element]}


def mutated_text(elaborated: Elaborated, mutant: Mutant) -> str | None:
    """Return the source with the mutant's replacement in its place; None for a removal."""
    if mutant.replacement is None:
        return None
    provenance = elaborated.provenance
    element = program_of(elaborated).by_id[mutant.element][0]
    span = provenance.body(mutant.element)
    path = () if mutant.place is None else mutant.path
    places = provenance.elements[mutant.element]
    if path:
        place = places.place(path)
        assert place is not None, mutant
        span = place.whole
    text = LANGUAGE.replacement(places.terms, element, path, mutant.replacement)
    return spliced(elaborated.parsed.source.content, span, text)


def variant(
    lowering: Lowering, system: TransitionSystem, mutant: Mutant
) -> tuple[TransitionSystem, Variant]:
    """Return the system with all memories of a mutant, and the mutant as a variant of it."""
    variables = dict(system.variables)
    structure = dict.fromkeys(system.constraints)
    own: list[Constraint] = []
    changed = bodies(lowering.program, mutant)
    parts = [lowering.element(element, body) for element, body in changed.items()]
    added = [declared for lowered in parts for declared in lowered.variables]
    for lowered in (*parts, lowering.linking.under(changed, system.variables, added)):
        own.extend(c for c in lowered.constraints if c.owner is not None)
        structure.update((c, None) for c in lowered.constraints if c.owner is None)
        for declared in lowered.variables:
            variables.setdefault(declared.name, declared)
    extended = TransitionSystem(variables, tuple(structure), system.properties)
    return extended, Variant(mutant.id, frozenset({mutant.element}), tuple(own))


def mutated_system(lowering: Lowering, mutant: Mutant) -> TransitionSystem:
    """Return the transition system of a mutant."""
    extended, changed = variant(lowering, lowering.system(), mutant)
    return applied(extended, changed)


def meaning(program: Program, others: Program) -> list[object]:
    """Return what two texts of one program have in common, for the nodes that both have.

    Names of assertions are left out: they are made of their content. A mutant that drops a call
    may leave a node that nobody needs.
    """
    both = {c.name for c in program.components} & {c.name for c in others.components}
    return [
        (
            component.name,
            component.variables,
            component.properties,
            [(element.targets, normal(element.body)) for element in component.elements],
        )
        for component in program.components
        if component.name in both
    ]


def normal(root: Term) -> Term:
    """Return a term with calls numbered from 0 and negative numbers written as negations."""
    sites = sorted({t.payload.number for t in walk.subterms(root) if isinstance(t.payload, Site)})

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        payload = term.payload
        if isinstance(payload, Site):
            site = Site(payload.component, sites.index(payload.number), payload.outputs)
            return terms.make(term.op, term.sort, args, site)
        if term.op is Op.CONST and not isinstance(term.sort, BoolSort):
            if isinstance(payload, str | tuple) or payload is None or payload >= 0:  # type: ignore[operator]
                return term
            positive = terms.make(Op.CONST, term.sort, (), -payload)  # type: ignore[operator]
            return terms.make(Op.NEG, term.sort, (positive,))
        return terms.rebuilt(term, args)

    return walk.fold(root, combine)


def free_choices(source: Random, program: Program, choices: Choices, changed: Bodies) -> Choices:
    """Return choices that also choose what removed equations leave free."""
    free = {
        instance.prefix + target + suffix: leaf
        for instance in unfold(program)
        for element, body in changed.items()
        if body is None and element.id.component == instance.component
        for target in element.targets
        for suffix, leaf in sorts.leaves(
            program.component(instance.component).variable(target).sort
        )
    }
    interesting = interesting_values(lower(program))
    steps = tuple(
        {
            **step,
            **{name: random_value(sort, source, interesting) for name, sort in free.items()},
        }
        for step in choices.steps
    )
    return Choices(steps, choices.before, choices.functions)
