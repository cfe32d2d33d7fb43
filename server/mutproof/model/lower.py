"""From programs to transition systems: calls, condacts, time and compound values are removed.

Every element is lowered on its own, once per instance of its component, so a mutant lowers
only its own element. The names of what lowering adds depend on the element and the content,
never on other elements:

* a memory for each variable under `pre`; before the first step it is arbitrary, within its sort;
* a flag that is true in the first state (of a clock, for what a condact holds);
* a clock for each condact, which says whether it lets its node run, and its outputs;
* a variable for each subexpression of an element that `pre` needs a name for.

`flat_names` makes these names.

Source: JKind 4.6, package `jkind.translation` (condacts, pre, arrays), for the meaning.
"""

from __future__ import annotations

from collections.abc import Iterable

from mutproof.base.digest import Digest
from mutproof.base.memo import Memo
from mutproof.model import flat_names, sorts, terms
from mutproof.model.instances import Instance, clock_of, unfold
from mutproof.model.linking import Linking
from mutproof.model.lower_element import ElementLowerer, Lowered, LoweringContext
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, Program, VariableKind
from mutproof.model.sharing import Sharing
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term

MOST_KEPT = 20_000
"""How many elements are kept as they were lowered."""

_lowered: Memo[Lowered] = Memo(MOST_KEPT)


class Lowering:
    """Lower a program, and single elements of it with other bodies; mutable caches only."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.instances = unfold(program)
        self.linking = Linking(program, self.instances)
        self._context = LoweringContext(program)
        self._latest: tuple[Element, list[ElementLowerer]] | None = None
        self._of_component: dict[str, list[Instance]] = {}
        for instance in self.instances:
            self._of_component.setdefault(instance.component, []).append(instance)

    def instances_of(self, component: str) -> tuple[Instance, ...]:
        """Return the instances of a component, callers first; none if it is not reached."""
        return tuple(self._of_component.get(component, ()))

    def element(self, element: Element, body: Term | None) -> Lowered:
        """Return what an element contributes with another body; None removes it.

        Consecutive calls for one element share what their bodies have in common with its own.
        """
        if body is None:
            return Lowered((), ())
        if body is element.body:
            return _joined([lowerer.run(body) for lowerer in self._lowerers(element)])
        if self._latest is None or self._latest[0] is not element:
            self._latest = element, self._lowerers(element)
            for lowerer in self._latest[1]:
                lowerer.keep(element.body)
        return _joined([lowerer.run(body) for lowerer in self._latest[1]])

    def _lowerers(self, element: Element) -> list[ElementLowerer]:
        found = self._of_component.get(element.id.component, ())
        return [ElementLowerer(self._context, instance, element) for instance in found]

    def system(self, frame: Digest | None = None) -> TransitionSystem:
        """Return the transition system of the program.

        `frame` is a digest of all that lowering depends on beside the content of elements; with it,
        elements that other versions of the program have too are lowered once.
        """
        constraints: list[Constraint] = []
        variables = flat_names.declared_once(
            SystemVariable(*declared)
            for instance in self.instances
            for declared in self._declared(instance, self.program.component(instance.component))
        )
        for component in self.program.components:
            if component.name not in self._of_component:
                continue
            for element in component.elements:
                lowered = self._lowered(element, frame)
                constraints.extend(lowered.constraints)
                flat_names.declare(variables, lowered.variables)
        shared = self.linking.base(variables)
        constraints.extend(shared.constraints)
        flat_names.declare(variables, shared.variables)
        unique = dict.fromkeys(constraints)
        flat_names.check_defined_once(unique)
        return TransitionSystem(variables, tuple(unique), tuple(self._properties()))

    @property
    def sharing(self) -> Sharing:
        """Return the sharing of instances: those that count as one call."""
        return self.linking.sharing

    def _lowered(self, element: Element, frame: Digest | None) -> Lowered:
        if frame is None:
            return self.element(element, element.body)
        return _lowered.get((frame, element), lambda: self.element(element, element.body))

    def _declared(
        self, instance: Instance, component: Component
    ) -> Iterable[tuple[str, Sort, SystemVariableKind]]:
        for variable in component.variables:
            free = variable.kind is VariableKind.INPUT and not instance.prefix
            kind = SystemVariableKind.INPUT if free else SystemVariableKind.DEFINED
            for suffix, sort in sorts.leaves(variable.sort):
                yield instance.prefix + variable.name + suffix, sort, kind

    def _properties(self) -> Iterable[SystemProperty]:
        for instance in self.instances:
            component = self.program.component(instance.component)
            defining = {name: e for e in component.elements for name in e.targets}
            for stated in component.properties:
                reader = ElementLowerer(self._context, instance, None)
                value = reader.value(stated.term)
                assert isinstance(value, Term)
                clock = clock_of(instance)
                if clock is not None:
                    value = terms.implies(clock, value)
                owner = defining.get(str(stated.term.payload)) if stated.term.op is Op.VAR else None
                yield SystemProperty(
                    instance.prefix + stated.name,
                    value,
                    stated.kind,
                    None if owner is None else owner.id,
                )


def _joined(found: list[Lowered]) -> Lowered:
    if len(found) == 1:
        return found[0]
    constraints = [constraint for one in found for constraint in one.constraints]
    variables = {variable.name: variable for one in found for variable in one.variables}
    return Lowered(tuple(constraints), tuple(variables.values()))


def lower(program: Program) -> TransitionSystem:
    """Return the transition system of a program.

    Raises:
        instances.TooManyInstances: the calls multiply beyond the limit.
    """
    return Lowering(program).system()
