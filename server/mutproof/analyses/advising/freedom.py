"""Which elements may say anything else of states that are not reachable, and change no verdict.

What is known of reachable states holds of a model in which all elements are in force. Whether it
still does once an element is changed must not depend on that element: it must leave every state
that others allow, and every state that is reachable must have the same successors.
"""

from __future__ import annotations

from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementId, ElementKind, Program, VariableKind
from mutproof.model.sorts import BoolSort, IntSort, Sort
from mutproof.model.terms import Term
from mutproof.model.traits import Semantics

_PARTIAL = frozenset(
    {
        Op.REAL_DIV,
        Op.DIV,
        Op.MOD,
        Op.TRUNC_DIV,
        Op.TRUNC_MOD,
        Op.SHIFT_LEFT,
        Op.SHIFT_RIGHT,
        Op.INDEX,
    }
)
"""Operators without a value for some operands, of which front ends warn unless a condition helps.
"""

_OF_TWO_STATES = frozenset({Op.NEXT, Op.NEXT_VAR})
_RESTRICTING = frozenset({ElementKind.TRANS, ElementKind.INVAR})


def is_free(program: Program, identity: ElementId) -> bool:
    """Tell whether an element may be changed wherever it is never evaluated, in all instances.

    The answer may be no for elements of which that is true.
    """
    occurrences = program.by_id.get(identity, ())
    if any(_has(one.body, _PARTIAL) for one in occurrences):
        return False
    if program.traits.semantics is Semantics.FORWARD:
        return _allows_all(program) and all(
            one.kind is ElementKind.EQUATION and not one.circular for one in occurrences
        )
    readers = _Readers(program)
    return bool(occurrences) and all(map(readers.is_free, occurrences))


def _allows_all(program: Program) -> bool:
    """Tell whether a program that runs forward has an execution for all values of its inputs."""
    for component in program.components:
        if any(element.kind is ElementKind.ASSERT for element in component.elements):
            return False
        for variable in component.variables:
            is_given = component.name == program.main and variable.kind is VariableKind.INPUT
            if not is_given and any(map(_is_bounded, sorts.leaves(variable.sort))):
                return False
    return True


def _is_bounded(leaf: tuple[str, Sort]) -> bool:
    _, sort = leaf
    return isinstance(sort, IntSort) and (sort.low is not None or sort.high is not None)


class _Readers:
    """Look up who reads what in a flat program of relations; immutable."""

    def __init__(self, program: Program) -> None:
        self._component = program.component(program.main)
        elements = self._component.elements
        self._macros = {e.targets[0]: e.body for e in elements if e.kind is ElementKind.DEFINE}
        self._boolean = {
            variable.name
            for variable in self._component.variables
            if isinstance(variable.sort, BoolSort)
        }
        self._inputs = frozenset[str]()
        if any(element.kind in _RESTRICTING for element in elements):
            inputs = self._component.of_kind(VariableKind.INPUT)
            self._inputs = frozenset(variable.name for variable in inputs)

    def is_free(self, element: Element) -> bool:
        """Tell whether one occurrence of an element excludes no state.

        Assignments of next values decide the successors of reachable states only. Macros do not
        restrict anything, nor do Boolean variables, unless what reads them does.
        """
        if not self._is_of_one_state(element):
            return False
        if element.kind is ElementKind.NEXT_ASSIGN:
            return True
        seen: set[str] = set()
        stack = [element]
        while stack:
            one = stack.pop()
            if not self._is_harmless(one):
                return False
            if one.kind is ElementKind.NEXT_ASSIGN or one.targets[0] in seen:
                continue
            seen.add(one.targets[0])
            stack.extend(e for e in self._component.elements if _reads(e, one.targets[0]))
        return True

    def _is_harmless(self, element: Element) -> bool:
        if any(_has(term, _OF_TWO_STATES) for term in _terms(element)):
            return False
        if element.kind is ElementKind.CURRENT_ASSIGN:
            return element.targets[0] in self._boolean
        return element.kind in {ElementKind.NEXT_ASSIGN, ElementKind.DEFINE}

    def _is_of_one_state(self, element: Element) -> bool:
        """Tell whether what an element reads speaks of one state, inputs that matter left out.

        What is said of the others is said of steps, which the element may exclude itself.
        """
        stack, seen = list(_terms(element)), set[str]()
        while stack:
            term = stack.pop()
            names = walk.variables(term)
            if _has(term, _OF_TWO_STATES) or not self._inputs.isdisjoint(names):
                return False
            for name in names - seen:
                seen.add(name)
                if name in self._macros:
                    stack.append(self._macros[name])
        return True


def _terms(element: Element) -> tuple[Term, ...]:
    return (element.body,) if element.guard is None else (element.body, element.guard)


def _reads(element: Element, name: str) -> bool:
    return any(name in walk.variables(term) for term in _terms(element))


def _has(root: Term, operators: frozenset[Op]) -> bool:
    return any(term.op in operators for term in walk.subterms(root))
