"""Find mutants whose constant indices or shift amounts are refused where types are checked.

Such an operand is refused even if nothing uses its value. A change of a macro also changes the
constant indices that are computed from it elsewhere.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from mutproof.base.lazy import cached_property
from mutproof.model import sorts, walk
from mutproof.model.constant_operands import constant_int, misplaced
from mutproof.model.obligations import fairness_terms
from mutproof.model.operators import Op
from mutproof.model.passes.definedness import Hazard
from mutproof.model.passes.macros import Macros
from mutproof.model.program import Bodies, Component, Element, ElementKind
from mutproof.model.sorts import Value
from mutproof.model.terms import Term


class ConstantOperands:
    """Tell what is wrong with constant operands of mutants of a component; mutable caches only."""

    def __init__(self, component: Component) -> None:
        self._component = component
        self._operands = _Operands(Macros(component, every=True), _single_values(component))
        self._known: dict[Term, Hazard | None] = {}

    def hazard(self, bodies: Bodies) -> Hazard | None:
        """Return what is refused in, or because of, other bodies of elements; None if nothing."""
        macros = {
            element.targets[0]: body
            for element, body in bodies.items()
            if element.kind is ElementKind.DEFINE and body is not None
        }
        concerned = dict.fromkeys(user for name in macros for user in self._users.get(name, ()))
        operands = self._operands.with_macros(macros) if concerned else self._operands
        found = None
        for user in concerned:
            body = bodies.get(user, user.body) if isinstance(user, Element) else user
            if body is not None:
                found = found or walk.fold(body, operands.combine)
        for element, body in bodies.items():
            if body is not None and element not in concerned:
                walk.fold(element.body, self._operands.combine, self._known)
                found = found or walk.refold(body, operands.combine, self._known)
        return found

    @cached_property
    def _users(self) -> Mapping[str, tuple[Element | Term, ...]]:
        """Return, for each macro, the elements and properties with an index that reads it."""
        found: dict[str, dict[Element | Term, None]] = {}
        for user in _users(self._component):
            for term in walk.subterms(user.body if isinstance(user, Element) else user):
                if term.op is Op.INDEX:
                    for name in self._operands.macros_of(term.args[1]):
                        found.setdefault(name, {})[user] = None
        return {name: tuple(users) for name, users in found.items()}


class _Operands:
    """Check constant operands; `single` holds the values of variables that have only one."""

    def __init__(self, macros: Macros, single: Mapping[str, Value]) -> None:
        self._macros = macros
        self._single = single

    def with_macros(self, bodies: Mapping[str, Term]) -> _Operands:
        return _Operands(self._macros.with_bodies(bodies), self._single)

    def combine(self, term: Term, args: tuple[Hazard | None, ...]) -> Hazard | None:
        """Return what is refused of a term or of the first such part."""
        for arg in args:
            if arg is not None:
                return arg
        return misplaced(term, self._value)

    def _value(self, index: Term) -> int | None:
        return constant_int(self._macros.expanded(index), self._single)

    def macros_of(self, root: Term) -> frozenset[str]:
        """Return the macros that a term reads, directly or through others."""
        bodies = self._macros.bodies
        found: set[str] = set()
        stack = [root]
        while stack:
            for name in walk.variables(stack.pop()) & bodies.keys() - found:
                found.add(name)
                stack.append(bodies[name])
        return frozenset(found)


def _single_values(component: Component) -> Mapping[str, Value]:
    """Return the values of the variables whose sort has only one."""
    found = ((variable.name, sorts.only_value(variable.sort)) for variable in component.variables)
    return {name: value for name, value in found if value is not None}


def _users(component: Component) -> Iterator[Element | Term]:
    yield from component.elements
    for stated in component.properties:
        yield stated.term
    yield from fairness_terms(component)
