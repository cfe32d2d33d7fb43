"""A program with conjectures stated as properties of one of its components."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mutproof.analyses.suggesting.conjecture import Conjecture
from mutproof.model import sorts, terms
from mutproof.model.program import (
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    Variable,
    VariableKind,
)
from mutproof.model.traits import Semantics


def stating(program: Program, component: str, named: Mapping[str, Conjecture]) -> Program:
    """Return a program that states conjectures of a component as properties of these names.

    No user can type the names. Where equations run forward, an equation defines a variable of each
    name.
    """
    old = program.component(component)
    variables: list[Variable] = []
    elements: list[Element] = []
    properties: list[Property] = []
    for name, conjecture in named.items():
        term = conjecture.term
        if program.traits.semantics is Semantics.FORWARD:
            kind = ElementKind.EQUATION
            variables.append(Variable(name, sorts.BOOL, VariableKind.LOCAL))
            elements.append(Element(ElementId(component, kind.value, name), kind, (name,), term))
            term = terms.var(name, sorts.BOOL)
        properties.append(Property(name, term))
    new = replace(
        old,
        variables=(*old.variables, *variables),
        elements=(*old.elements, *elements),
        properties=(*old.properties, *properties),
    )
    components = tuple(new if one is old else one for one in program.components)
    return Program(program.traits, components, program.main, program.functions)
