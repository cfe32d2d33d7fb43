"""Premises that hold in a long execution of a large NuSMV model of assignments alone.

Where signals pass through many modules, the last premise holds late: to reach its states, engines
take long, the evaluator hardly.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutproof.analyses.proving.premises import premise_of
from mutproof.model import terms
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.program import Program, Property
from mutproof.model.purpose import Purpose
from mutproof.model.system import TransitionSystem
from mutproof.model.unassigned import ENDS, MOST_STEPS, MOST_VALUES, STEPS, Unassigned, longer

LARGE = 100
"""In systems of fewer constraints, engines take no longer."""


def met(meaning: Interpretation, system: TransitionSystem, names: Collection[str]) -> set[str]:
    """Return those of some properties whose premise holds in an execution that was tried."""
    if len(system.constraints) < LARGE or not system.goes_on:
        return set()
    main = meaning.program.component(meaning.program.main)
    asked = {one.name: premise_of(one.term) for one in main.properties if one.name in names}
    stated = [Property(name, terms.not_(term)) for name, term in asked.items() if term is not None]
    if not stated:
        return set()
    runs = interpretation(_stating(meaning.program, stated))
    assigned, found = Unassigned(meaning.program), set[str]()
    for end in ENDS:
        found |= _met(runs, assigned, end, frozenset(one.name for one in stated) - found)
    return found


def _met(
    runs: Interpretation, assigned: Unassigned, end: int, asked: frozenset[str]
) -> frozenset[str]:
    steps, left = STEPS, asked
    while left and steps <= MOST_STEPS:
        found = runs.run(assigned.calm(end, steps), None, Purpose(goals=left))
        if found is None or not found.assumed or left.isdisjoint(found.violated):
            break
        left -= found.violated.keys()
        later = longer(steps, len(asked) - len(left), len(left))
        if found.computed * later > MOST_VALUES * steps:
            break
        steps = later
    return asked - left


def _stating(program: Program, stated: Collection[Property]) -> Program:
    """Return a program with these properties instead of its own."""
    components = tuple(
        replace(one, properties=tuple(stated)) if one.name == program.main else one
        for one in program.components
    )
    return Program(program.traits, components, program.main, program.functions)
