"""Properties of paths that were proved as invariants, as invariants: these cost less everywhere.

Where executions go on whatever elements say, or are left out, what violates the one is an execution
that violates the other, in the model and in each mutant.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.proving.proofs import Proofs
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.program import Program, Property
from mutproof.model.system import SystemProperty, TransitionSystem
from mutproof.solving import liveness
from mutproof.solving.formulas import invariant_of
from mutproof.solving.liveness import LinearProof, Way
from mutproof.solving.liveness.universal import linear_form
from mutproof.solving.verdict import Proved

LARGE = 100
"""Of systems with so many constraints mutants cost less as invariants. Of smaller ones, graphs and
diagrams decide all properties of a mutant at once."""


def as_invariants(
    meaning: Interpretation, system: TransitionSystem, proofs: Proofs, means: Means
) -> tuple[Interpretation, TransitionSystem, Proofs]:
    """Return a large model that states as invariants what was proved so, and its proofs."""
    if not is_large(system):
        return meaning, system, proofs
    found = {
        name: holds.proof
        for name, holds in proofs.holds.items()
        if holds.proof is not None and holds.proof.way is Way.INVARIANT and not holds.vacuity
    }
    if not found:
        return meaning, system, proofs
    known = liveness.as_invariants(system, found)
    program = _stating(meaning.program, system, found)
    said = interpretation(program).system()
    checked = {
        name: holds
        for name, proof in found.items()
        if said.property(name) == known.property(name)
        and (holds := means.notary.proved(said, _alone(proof), means.budget)) is not None
    }
    if not checked:
        return meaning, system, proofs
    if len(checked) < len(found):
        program = _stating(meaning.program, system, checked)
    other = interpretation(program)
    return other, other.system(), replace(proofs, holds={**proofs.holds, **checked})


def is_large(system: TransitionSystem) -> bool:
    """Tell whether a system is large, and assignments alone say what follows its states."""
    return len(system.constraints) >= LARGE and system.goes_on


def _alone(proof: LinearProof) -> Proved:
    made = proof.certificate
    return Proved(made, proof.rests_on, proof.how, made.k)


def _stating(program: Program, system: TransitionSystem, names: Collection[str]) -> Program:
    """Return a program that states p where a property of these says `always p` of single states."""
    main = program.component(program.main)
    stated = tuple(_stated(system, one) if one.name in names else one for one in main.properties)
    changed = replace(main, properties=stated)
    components = tuple(changed if one is main else one for one in program.components)
    return Program(program.traits, components, program.main, program.functions)


def _stated(system: TransitionSystem, known: Property) -> Property:
    formula = linear_form(system, SystemProperty(known.name, known.term, known.kind))
    said = None if formula is None else invariant_of(formula)
    return known if said is None else Property(known.name, said)
