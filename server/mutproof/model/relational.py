"""From NuSMV programs to transition systems: assignments and constraints over flat scalars.

* `init(x) := e` gives INIT, `x := e` and INVAR give INVAR, `next(x) := e` and TRANS give TRANS;
  a set on the right-hand side is a choice: the variable is one of its members;
* a frozen variable keeps its value; a next-assignment with a guard (a process) acts when the
  guard holds, and the variable keeps its value while no guard of its assignments holds;
* arrays become scalars `a[0]`, reading with a variable index becomes a chain of conditions;
* DEFINEs are DEFINED variables, but those that are sets or read next values are copied to their
  uses (`passes.macros`): `Relational.unstored` names them, `copied` also those that are copied
  to where their next value is read;
* an invariant that reads next values, or inputs where constraints may end executions, speaks
  of every transition from a reachable state: a hidden variable remembers whether the last
  transition satisfied it.

Every element is lowered on its own, so that a mutant lowers little more than its own element
(`relational_changes`).
Source: NuSMV 2.6 user manual §2.3, for the meaning.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from copy import copy
from dataclasses import replace
from functools import lru_cache

from mutproof.base.lazy import cached_property
from mutproof.model import flat_names, sorts, terms, walk
from mutproof.model.instants import Instants
from mutproof.model.operators import Op
from mutproof.model.passes import parts
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.passes.flattener import Flattener
from mutproof.model.passes.macros import Macros
from mutproof.model.passes.parts import Flat
from mutproof.model.program import (
    Bodies,
    Component,
    Element,
    ElementKind,
    Program,
    Property,
    PropertyKind,
    VariableKind,
)
from mutproof.model.sorts import BOOL, EnumSort, IntSort, Sort, Value
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term

STEP_PREFIX = "?step:"
"""The prefix of names of variables that remember whether a step satisfied an invariant."""

_KINDS = {
    ElementKind.INIT_ASSIGN: ConstraintKind.INIT,
    ElementKind.INIT: ConstraintKind.INIT,
    ElementKind.CURRENT_ASSIGN: ConstraintKind.INVAR,
    ElementKind.INVAR: ConstraintKind.INVAR,
    ElementKind.DEFINE: ConstraintKind.INVAR,
    ElementKind.NEXT_ASSIGN: ConstraintKind.TRANS,
    ElementKind.TRANS: ConstraintKind.TRANS,
}
_ASSIGNING = frozenset({ElementKind.CURRENT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.DEFINE})
_STEPPING = frozenset({ElementKind.NEXT_ASSIGN, ElementKind.DEFINE})
RESTRICTING = frozenset({ElementKind.TRANS, ElementKind.INVAR})
"""Kinds of elements that can leave a state without a successor."""

_SYSTEM_KINDS = {
    VariableKind.INPUT: SystemVariableKind.INPUT,
    VariableKind.DEFINE: SystemVariableKind.DEFINED,
}


class Relational:
    """Lower a flat program, and single elements of it with other bodies; mutable caches only."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.component: Component = program.component(program.main)
        self._macros = Macros(self.component)
        self._flattener = Flattener(self.component)
        self._guards: dict[str, list[Element]] = {}
        for element in self.component.elements:
            if element.kind is ElementKind.NEXT_ASSIGN and element.guard is not None:
                self._guards.setdefault(element.targets[0], []).append(element)

    @cached_property
    def _loose(self) -> frozenset[str]:
        """Return the variables whose next-assignments are constraints, not definitions."""
        if not self._looks_ahead or ElementKind.CURRENT_ASSIGN not in self._kinds:
            return frozenset()
        return self._instants.loose_with({})

    @cached_property
    def _looks_ahead(self) -> bool:
        elements = self.component.elements
        return any(_reads_next(e.body) for e in elements if e.kind in _STEPPING)

    @cached_property
    def _kinds(self) -> frozenset[ElementKind]:
        return frozenset(element.kind for element in self.component.elements)

    @cached_property
    def _instants(self) -> Instants:
        return Instants(self.component)

    @property
    def copied(self) -> frozenset[str]:
        """Return the DEFINEs whose bodies uses hold, all of them or those of next values."""
        return self._macros.inlined

    @property
    def unstored(self) -> frozenset[str]:
        """Return the DEFINEs that have no variable: all their uses hold their bodies."""
        return self._macros.unstored

    def scalar(self, term: Term) -> Term:
        """Return a Boolean or temporal term over the variables of the system."""
        value = self._flattener.flat(self._macros.expanded(term))
        assert isinstance(value, Term)
        return value

    def listed(self, body: Term) -> frozenset[Value] | None:
        """Return the values that uses of a DEFINE with that body may list; None if not few."""
        try:
            return self._flattener.values(body)
        except NoCommonSort:
            return None

    def element(self, element: Element, body: Term | None) -> tuple[Constraint, ...]:
        """Return the constraints of one occurrence of an element with another body.

        None removes it. A DEFINE without variable has no constraints of its own.
        """
        if body is None or (element.targets and element.targets[0] in self.unstored):
            return ()
        kind = _KINDS[element.kind]
        value = self._flattener.flat(self._macros.expanded(body))
        if not element.targets:
            assert isinstance(value, Term)
            return (Constraint(kind, value, element.id, None, element.instance),)
        return tuple(self._assigned(element, kind, value))

    def _assigned(
        self, element: Element, kind: ConstraintKind, value: Flat
    ) -> Iterable[Constraint]:
        target = element.targets[0]
        sort = self._flattener.sort_of(target)
        shifted = element.kind is ElementKind.NEXT_ASSIGN
        for (suffix, leaf_sort), leaf in zip(
            sorts.leaves(sort), parts.flat_leaves(value), strict=True
        ):
            name = target + suffix
            make = terms.next_var if shifted else terms.var
            variable = make(name, leaf_sort)
            term = self._flattener.chosen(variable, leaf)
            guard = element.guard
            if guard is not None:
                term = self._guarded(element, guard, term, terms.var(name, leaf_sort))
            is_equation = term.op is Op.EQ and term.args[0] is variable
            defines = name if is_equation and not (shifted and target in self._loose) else None
            yield Constraint(kind, term, element.id, defines, element.instance)

    def _guarded(self, element: Element, guard: Term, term: Term, kept: Term) -> Term:
        """Return an assignment that acts when its process runs; if the only one, else keeps."""
        if len(self._guards.get(element.targets[0], ())) > 1:
            return terms.implies(guard, term)
        if term.op is Op.EQ and term.args[0].op is Op.NEXT_VAR:
            variable, value = term.args
            return terms.eq(variable, terms.ite(guard, value, kept))
        return terms.ite(guard, term, terms.eq(terms.next_var(str(kept.payload), kept.sort), kept))

    def varied(self, bodies: Mapping[str, Term]) -> Relational:
        """Return the lowering with other bodies for some copied DEFINEs, which `reads_alike`."""
        other = copy(self)
        other._macros = self._macros.varied(bodies)  # noqa: SLF001 - its own copy
        return other

    def is_shared(self, target: str) -> bool:
        """Tell whether several processes assign a variable."""
        return len(self._guards.get(target, ())) > 1

    def reads_alike(self, bodies: Bodies) -> bool:
        """Tell whether other bodies surely copy the same DEFINEs and define the same values."""
        macros = {
            element.targets[0]: body
            for element, body in bodies.items()
            if element.kind is ElementKind.DEFINE and body is not None
        }
        if macros and not self._macros.copies_alike(macros):
            return False
        if ElementKind.CURRENT_ASSIGN not in self._kinds:
            return True
        changed = [b for e, b in bodies.items() if e.kind in _ASSIGNING and b is not None]
        if not self._looks_ahead and not any(map(_reads_next, changed)):
            return True
        if macros and self._instants.indexes_by_macros(changed):
            return False
        return self._instants.is_as_loose(self._loose, bodies)

    def system(
        self,
        known: Mapping[Element, tuple[Constraint, ...]] | None = None,
        told: Mapping[Property, SystemProperty] | None = None,
    ) -> TransitionSystem:
        """Return the transition system of the program.

        `known` are the constraints of some elements, `told` some properties over its variables.

        Raises:
            passes.enumerated.NoCommonSort: an unbounded integer meets an enumeration.
        """
        known, told = known or {}, told or {}
        declared, constraints = [*self._declared[0]], [*self._declared[1]]
        for element in self.component.elements:
            own = known.get(element)
            constraints.extend(self.element(element, element.body) if own is None else own)
        constraints.extend(self._frames())
        properties = [told.get(p) or self.property(p) for p in self.component.properties]
        inputs = self.inputs(declared, constraints)
        for number, stated in enumerate(properties):
            if is_step_invariant(stated, inputs):
                remembers, own, properties[number] = remembered(stated)
                declared.append(remembers)
                constraints.extend(own)
        unique = dict.fromkeys(constraints)
        flat_names.check_defined_once(unique)
        return TransitionSystem(
            flat_names.declared_once(declared),
            tuple(unique),
            tuple(properties),
            tuple(self.scalar(term) for term in self.component.fairness),
            tuple((self.scalar(p), self.scalar(q)) for p, q in self.component.compassion),
            relational=True,
        )

    @cached_property
    def _declared(self) -> tuple[Sequence[SystemVariable], Sequence[Constraint]]:
        """Return the declared variables, and what that says of their values."""
        declared: list[SystemVariable] = []
        constraints: list[Constraint] = []
        for variable in self.component.variables:
            if variable.name in self.unstored:
                continue
            kind = _SYSTEM_KINDS.get(variable.kind, SystemVariableKind.STATE)
            for suffix, sort in sorts.leaves(variable.sort):
                name = variable.name + suffix
                narrow, membership = _narrow(name, sort)
                declared.append(SystemVariable(name, narrow, kind))
                if membership is not None:
                    constraints.append(Constraint(ConstraintKind.INVAR, membership))
                if variable.kind is VariableKind.FROZEN:
                    kept = terms.eq(terms.next_var(name, sort), terms.var(name, sort))
                    constraints.append(Constraint(ConstraintKind.TRANS, kept, defines=name))
        return declared, constraints

    def inputs(
        self, declared: Iterable[SystemVariable], constraints: Iterable[Constraint]
    ) -> frozenset[str]:
        """Return the variables that depend on inputs, if some states may have no transition.

        Inputs with only one value are as constants.
        Source: NuSMV 2.6.0 takes an invariant that reads inputs as true in such states.
        """
        if not any(element.kind in RESTRICTING for element in self.component.elements):
            return frozenset()
        found = {
            v.name
            for v in declared
            if v.kind is SystemVariableKind.INPUT and sorts.only_value(v.sort) is None
        }
        bodies = {
            c.defines: walk.variables(c.term.args[1])
            for c in constraints
            if c.defines is not None and c.kind is ConstraintKind.INVAR
        }
        defined = [v.name for v in declared if v.kind is SystemVariableKind.DEFINED]
        size = -1 if found else len(found)
        while size != len(found):
            size = len(found)
            found.update(name for name in defined if not found.isdisjoint(bodies.get(name, ())))
        return frozenset(found)

    def property(self, stated: Property) -> SystemProperty:
        """Return a property over the variables of the system."""
        if stated.term.op is Op.TUPLE:
            pair = tuple(self.scalar(term) for term in stated.term.args)
            term = terms.make(Op.TUPLE, stated.term.sort, pair, stated.term.payload)
        else:
            term = self.scalar(stated.term)
        return SystemProperty(stated.name, term, stated.kind)

    def _frames(self) -> Iterable[Constraint]:
        """Yield constraints that keep variables shared by processes while none of these runs."""
        for target, elements in self._guards.items():
            if len(elements) == 1:
                continue
            idle = terms.conjunction(terms.not_(e.guard) for e in elements if e.guard is not None)
            for suffix, sort in sorts.leaves(self._flattener.sort_of(target)):
                name = target + suffix
                kept = terms.eq(terms.next_var(name, sort), terms.var(name, sort))
                yield Constraint(ConstraintKind.TRANS, terms.implies(idle, kept))


def speaks_of_steps(stated: SystemProperty) -> bool:
    """Tell whether a property of a lowered system is about two states at a time."""
    term = stated.term
    return term.op is Op.VAR and str(term.payload).startswith(STEP_PREFIX)


def remembered(
    stated: SystemProperty,
) -> tuple[SystemVariable, tuple[Constraint, ...], SystemProperty]:
    """Return a variable that remembers whether a step satisfied an invariant, as the property."""
    name = STEP_PREFIX + stated.name
    kept = terms.var(name, BOOL)
    follows = terms.eq(terms.next_var(name, BOOL), stated.term)
    constraints = (
        Constraint(ConstraintKind.INIT, kept),
        Constraint(ConstraintKind.TRANS, follows, defines=name),
    )
    variable = SystemVariable(name, BOOL, SystemVariableKind.STATE, shown=False)
    return variable, constraints, replace(stated, term=kept)


def remembering(system: TransitionSystem, other: TransitionSystem) -> TransitionSystem:
    """Return a system that also remembers the steps of those invariants of which another does."""
    names = {STEP_PREFIX + stated.name for stated in system.properties}
    names &= other.variables.keys() - system.variables.keys()
    if not names:
        return system
    variables, constraints = dict(system.variables), list(system.constraints)
    properties: list[SystemProperty] = []
    for stated in system.properties:
        if STEP_PREFIX + stated.name in names:
            declared, own, kept = remembered(stated)
            variables[declared.name] = declared
            constraints += own
            properties.append(kept)
        else:
            properties.append(stated)
    return replace(
        system,
        variables=variables,
        constraints=tuple(constraints),
        properties=tuple(properties),
    )


def is_step_invariant(stated: SystemProperty, inputs: frozenset[str]) -> bool:
    """Tell whether a property of single states reads next values, or inputs that matter."""
    return stated.kind is PropertyKind.INVARIANT and _reads_steps(stated.term, inputs)


@lru_cache(maxsize=1 << 12)
def _reads_steps(term: Term, inputs: frozenset[str]) -> bool:
    if Op.NEXT_VAR in walk.operators(term):
        return True
    return not inputs.isdisjoint(walk.variables(term))


def _reads_next(term: Term) -> bool:
    return Op.NEXT in walk.operators(term)


def _narrow(name: str, sort: Sort) -> tuple[Sort, Term | None]:
    """Return a variable's sort in the system, and a constraint if integers in it have gaps."""
    if not isinstance(sort, EnumSort) or not isinstance(sorts.widened(sort), IntSort):
        return sort, None
    values = sorted(value for value in sort.values if isinstance(value, int))
    bounds = IntSort(values[0], values[-1])
    if len(values) == values[-1] - values[0] + 1:
        return bounds, None
    variable = terms.var(name, sort)
    return bounds, terms.disjunction(terms.eq(variable, terms.int_(value)) for value in values)
