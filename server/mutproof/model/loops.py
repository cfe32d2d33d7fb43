"""Equations whose values need themselves in the same step, and what they mean.

No order computes them, so they are constraints: their variables may have any values of their types
for which the equations hold (`Element.circular`), at every step at which their node runs.
Dependencies are between scalar parts, and through calls: `a = [x, a[0]]` is no loop. A part of a
choice between records needs the condition and both records, even where it is the same in both or
the condition is constant: who computes the choice reads them. If a loop enters a node by an input
and leaves it by an output, the equations of the caller are circular.

Source: JKind 4.6, which hands all equations to its solver as constraints.
"""

from __future__ import annotations

from dataclasses import replace

from mutproof.base.digraph import cyclic_components
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.lower import Lowering
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    Program,
    Variable,
    VariableKind,
)
from mutproof.model.sorts import Sort
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Loop:
    """Hold the equations of a component that need each other, and one cycle.

    `parts` are scalar parts of variables of which each needs the next; the first is repeated at
    the end. `variables` are those of the equations.
    """

    component: str
    parts: tuple[str, ...]
    variables: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Opened:
    """Hold a program whose loops are marked, so that all other values can be ordered."""

    program: Program
    loops: tuple[Loop, ...]


_opened: Memo[Opened] = Memo(16)


def opened(program: Program) -> Opened:
    """Return a program with its circular equations marked as such.

    Raises:
        instances.TooManyInstances: the calls multiply beyond the limit.
    """
    return _opened.get(program.digest, lambda: _open(program))


def is_ordered(program: Program) -> bool:
    """Tell whether the scalar parts of all values can be computed one after the other."""
    return not _knots(Lowering(_unmerged(program)).system())


def _open(program: Program) -> Opened:
    found: list[Loop] = []
    while True:
        system = Lowering(_unmerged(program)).system()
        knots = _knots(system)
        if not knots:
            return Opened(program, tuple(dict.fromkeys(found)))
        circular: set[ElementId] = set()
        definitions = system.equations
        for knot in knots:
            constraints = [definitions[name] for name in knot]
            outermost = min((c.instance for c in constraints), key=len)
            own = [c for c in constraints if c.instance == outermost]
            owners = {c.owner for c in own if c.owner is not None}
            circular |= owners
            found.append(_loop(program, system, knot, outermost, owners=owners))
        program = _marked(program, circular)


def _unmerged(program: Program) -> Program:
    """Return a program that reads the same in which no two parts of choices are equal.

    Lowering drops the condition of a choice between equal parts, or one that is constant.
    """
    return replace(program, components=tuple(map(_with_unequal_parts, program.components)))


def _with_unequal_parts(component: Component) -> Component:
    fresh: list[Variable] = []

    def free(sort: Sort) -> Term:
        fresh.append(Variable(f"{len(fresh)}?", sort, VariableKind.LOCAL))
        return terms.var(fresh[-1].name, sort)

    def unlike(term: Term) -> Term:
        return terms.ite(free(sorts.BOOL), term, free(term.sort))

    def combine(term: Term, args: tuple[Term, ...]) -> Term:
        match term.op:
            case Op.ITE if not sorts.is_scalar(term.sort):
                return terms.rebuilt(term, (unlike(args[0]), *args[1:]))
            case Op.ARRAY_UPDATE if args[1].op is Op.CONST:
                return terms.rebuilt(term, (unlike(args[0]), args[1], unlike(args[2])))
            case Op.RECORD | Op.ARRAY | Op.TUPLE | Op.RECORD_UPDATE | Op.ARRAY_UPDATE:
                return terms.rebuilt(term, [*map(unlike, args)])
            case _:
                return terms.rebuilt(term, args)

    elements = tuple(
        element if element.circular else _with_body(element, walk.fold(element.body, combine))
        for element in component.elements
    )
    if not fresh:
        return component
    return replace(component, elements=elements, variables=(*component.variables, *fresh))


def _with_body(element: Element, body: Term) -> Element:
    return element if body is element.body else replace(element, body=body)


def _marked(program: Program, circular: set[ElementId]) -> Program:
    def marked(element: Element) -> Element:
        return replace(element, circular=True) if element.id in circular else element

    components = tuple(
        replace(component, elements=tuple(map(marked, component.elements)))
        for component in program.components
    )
    return replace(program, components=components)


def _loop(
    program: Program,
    system: TransitionSystem,
    knot: list[str],
    instance: str,
    *,
    owners: set[ElementId],
) -> Loop:
    (name,) = {owner.component for owner in owners}
    component = program.component(name)
    prefix = f"{instance}." if instance else ""
    own = _parts(component)
    way = [part.removeprefix(prefix) for part in _way_round(system, knot)]
    parts = [part for part in way if part in own]
    variables = [t for e in component.elements if e.id in owners for t in e.targets]
    return Loop(name, (*parts, *parts[:1]), tuple(variables))


def _parts(component: Component) -> set[str]:
    return {
        variable.name + suffix
        for variable in component.variables
        for suffix, _ in sorts.leaves(variable.sort)
    }


def _graph(system: TransitionSystem) -> dict[str, list[str]]:
    """Return the variables that each defined one needs at the same step, in declaration order."""
    definitions = system.equations
    return {
        name: sorted(
            (read for read in walk.variables(constraint.term.args[1]) if read in definitions),
            key=system.positions.__getitem__,
        )
        for name, constraint in sorted(
            definitions.items(), key=lambda item: system.positions[item[0]]
        )
    }


def _knots(system: TransitionSystem) -> list[list[str]]:
    """Return the cyclic strongly connected components of needs, in order of declaration."""
    place = system.positions.__getitem__
    knots = [sorted(knot, key=place) for knot in cyclic_components(_graph(system))]
    return sorted(knots, key=lambda knot: place(knot[0]))


def _way_round(system: TransitionSystem, knot: list[str]) -> list[str]:
    """Return a shortest cycle through the first variable of a strongly connected component."""
    graph, members = _graph(system), set(knot)
    first = knot[0]
    came: dict[str, str] = {}
    queue = [first]
    for name in queue:
        for read in graph[name]:
            if read == first:
                way = [name]
                while way[-1] != first:
                    way.append(came[way[-1]])
                return way[::-1]
            if read in members and read not in came:
                came[read] = name
                queue.append(read)
    message = f"{first} does not need itself"
    raise AssertionError(message)
