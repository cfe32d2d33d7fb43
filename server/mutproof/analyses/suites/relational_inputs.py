"""Which variables of a relational model are inputs, and whether they determine all others.

Inputs are what the model declares as such, and variables that nothing is assigned to. Every
other variable has an assignment in the first and in later steps, and no assignment chooses from
a set. Constraints then say which inputs there are, and nothing else.

Source: Fellner, Tabaei Befrouei and Weissenbacher, SEFM 2019, section 2: symbolic transition
systems that are deterministic.
"""

from __future__ import annotations

from typing import Final

from mutproof.model import sorts
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import SetSort, Sort
from mutproof.model.terms import Term

_ASSIGNED: Final = frozenset(
    {ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}
)
CONSTRAINTS: Final = frozenset({ElementKind.INIT, ElementKind.TRANS, ElementKind.INVAR})
WAY_OUT: Final = "`mutproof control` makes inputs of what is open"


def inputs_of(program: Program) -> tuple[tuple[str, Sort], ...]:
    """Return the scalar inputs of a model with their sorts, frozen ones too."""
    component = program.component(program.main)
    assigned = {t for e in component.elements if e.kind in _ASSIGNED for t in e.targets}
    return tuple(
        (variable.name + suffix, sort)
        for variable in component.variables
        if variable.kind is not VariableKind.DEFINE
        for suffix, sort in sorts.leaves(variable.sort)
        if variable.kind is VariableKind.INPUT
        or assigned.isdisjoint((variable.name, variable.name + suffix))
    )


def outputs_of(program: Program) -> tuple[str, ...]:
    """Return the scalar variables that are assigned to."""
    component = program.component(program.main)
    inputs = {name for name, _ in inputs_of(program)}
    return tuple(
        variable.name + suffix
        for variable in component.variables
        if variable.kind is not VariableKind.DEFINE
        for suffix, _ in sorts.leaves(variable.sort)
        if variable.name + suffix not in inputs
    )


def undetermined(program: Program) -> str:
    """Return why inputs do not determine all that a model does; empty if they do."""
    component = program.component(program.main)
    if any(element.guard is not None for element in component.elements):
        return "which process runs is open, and no input can say it"
    for element in component.elements:
        target = ", ".join(element.targets)
        if leaves_open(element, element.body):
            what = f"{element.kind.value}({target})" if target else element.kind.value
            return f"the value of {what} is chosen from a set; {WAY_OUT}"
    return _unassigned(component, {name for name, _ in inputs_of(program)})


def _unassigned(component: Component, inputs: set[str]) -> str:
    """Return a message about a variable not assigned in some step; empty if there is none."""
    begun, followed = (
        {t for e in component.elements if e.kind in kinds for t in e.targets}
        for kinds in (
            {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN},
            {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN},
        )
    )
    for variable in component.variables:
        if variable.kind is VariableKind.DEFINE:
            continue
        for suffix, _ in sorts.leaves(variable.sort):
            name = variable.name + suffix
            if name in inputs:
                continue
            if begun.isdisjoint((variable.name, name)):
                return f"no assignment gives the first value of {name}; {WAY_OUT}"
            if (
                followed.isdisjoint((variable.name, name))
                and variable.kind is not VariableKind.FROZEN
            ):
                return f"no assignment gives the next value of {name}; {WAY_OUT}"
    return ""


def leaves_open(element: Element, body: Term) -> bool:
    """Tell whether an element with some body chooses a value; constraints only say which may be.

    A macro that is a set chooses where it is used, other than to test membership.
    """
    is_set = element.kind is ElementKind.DEFINE and isinstance(element.body.sort, SetSort)
    return element.kind not in CONSTRAINTS and not is_set and _chooses(body)


def _chooses(root: Term) -> bool:
    """Tell whether a term chooses from a set, other than to test membership."""
    stack = [(root, False)]
    while stack:
        term, is_asked = stack.pop()
        if isinstance(term.sort, SetSort):
            if not is_asked and not (term.op is Op.SET and len(term.args) == 1):
                return True
            stack.extend((arg, is_asked) for arg in term.args)
        else:
            member = term.op is Op.IN
            stack.extend((arg, member and n == 1) for n, arg in enumerate(term.args))
    return False
