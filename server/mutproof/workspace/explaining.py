"""Which variables of an execution explain what it shows, in the order in which to read them.

Names of an execution may be parts (`x.f`, `x[0]`) of a variable that the program declares, and
those of a called component begin with the path of the instance.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.base.digraph import reached
from mutproof.model import walk
from mutproof.model.instances import unfold
from mutproof.model.program import Component, ElementId, ElementKind, Program, VariableKind
from mutproof.model.trace import Trace
from mutproof.model.traits import Semantics


def shown(
    trace: Trace, program: Program, finding: PropertyFinding
) -> tuple[Trace, tuple[str, ...]]:
    """Return an execution as a property's is shown, with the variables that explain it."""
    trace = ending(trace, program, finding)
    return trace, of_property(trace, program, finding)


def of_property(trace: Trace, program: Program, finding: PropertyFinding) -> tuple[str, ...]:
    """Return the variables that explain a violation: inputs, then what the property states."""
    cone, given = _nearest(program, finding), inputs(program)
    is_called = finding.component != program.main
    wanted = [name for name in given if is_called or name in cone]
    return _parts(trace, [*wanted, *(name for name in cone if name not in given)])


def ending(trace: Trace, program: Program, finding: PropertyFinding) -> Trace:
    """Return an execution without the inputs of its last step, if they lead nowhere.

    They do not where inputs lead from a state to the next, none follows, and the property reads
    none of them.
    """
    given = inputs(program)
    if program.traits.semantics is not Semantics.RELATIONAL or trace.loop is not None:
        return trace
    if not given or not trace.steps:
        return trace
    main = program.component(program.main)
    readers: dict[str, list[str]] = {}
    for element in main.elements:
        if element.kind is ElementKind.DEFINE:
            for name in sorted(walk.variables(element.body)):
                readers.setdefault(name, []).extend(element.targets)
    chosen = reached(given, lambda name: readers.get(name, ()))
    if not chosen.keys().isdisjoint(_said(program.component(finding.component), finding.declared)):
        return trace
    *before, last = trace.steps
    kept = {name: value for name, value in last.items() if chosen.keys().isdisjoint(wholes(name))}
    return replace(trace, steps=(*before, kept))


def read_by(trace: Trace, program: Program, finding: PropertyFinding) -> tuple[str, ...]:
    """Return the variables that a property depends on, those that it reads itself first."""
    first, *rest = _nearest(program, finding) or ("",)
    return _parts(trace, rest if first == finding.name else [first, *rest])


def of_variables(trace: Trace, program: Program, chosen: Iterable[str]) -> tuple[str, ...]:
    """Return the variables that explain some others: inputs, these, then what they read."""
    main, given = program.component(program.main), inputs(program)
    declared = {variable.name for variable in main.variables}
    starts = [whole for name in chosen for whole in wholes(name) if whole in declared]
    cone = _cone(main, starts)
    ordered = [name for name in given if name in cone]
    return _parts(trace, [*ordered, *(name for name in cone if name not in given)])


def of_element(trace: Trace, program: Program, identity: ElementId) -> tuple[str, ...]:
    """Return the variables that explain what an element allows: those of it, with their reasons.

    Of a called component they are named in each of its instances, behind the inputs.
    """
    main = program.component(program.main)
    own = [element for element in main.elements if element.id == identity]
    elements = own or program.by_id.get(identity, ())
    read = {name for element in elements for name in walk.variables(element.body)}
    read.update(target for element in elements for target in element.targets)
    if own:
        return of_variables(trace, program, [v.name for v in main.variables if v.name in read])
    prefixes = [one.prefix for one in unfold(program) if one.component == identity.component]
    found = _parts(trace, (prefix + name for prefix in prefixes for name in sorted(read)))
    return (*_parts(trace, inputs(program)), *found) if found else ()


def inputs(program: Program) -> Mapping[str, None]:
    """Return the inputs of the main component in declaration order."""
    main = program.component(program.main)
    return dict.fromkeys(variable.name for variable in main.of_kind(VariableKind.INPUT))


def names(trace: Trace) -> frozenset[str]:
    """Return all names of an execution."""
    return frozenset(name for step in trace.steps for name in step)


def wholes(name: str) -> tuple[str, ...]:
    """Return the name and the names of what it may be a part of."""
    ends = [index for index, sign in enumerate(name) if sign in ".["]
    return (name, *(name[:end] for end in ends))


def part_order(name: str) -> tuple[tuple[int, int | str], ...]:
    """Order parts by name, but indices by number."""
    pieces = name.replace("]", "").replace("[", ".").split(".")
    return tuple((0, int(piece)) if piece.isdigit() else (1, piece) for piece in pieces)


def _parts(trace: Trace, wanted: Iterable[str]) -> tuple[str, ...]:
    parts: dict[str, list[str]] = {}
    for name in sorted(names(trace), key=part_order):
        for whole in wholes(name):
            parts.setdefault(whole, []).append(name)
    return tuple(dict.fromkeys(part for name in wanted for part in parts.get(name, ())))


def _nearest(program: Program, finding: PropertyFinding) -> tuple[str, ...]:
    """Return the variables that a property depends on, by their names in the main component."""
    component = program.component(finding.component)
    instance = finding.name.removesuffix(finding.declared)
    cone = _cone(component, _said(component, finding.declared))
    return tuple(instance + name for name in cone)


def _said(component: Component, name: str) -> list[str]:
    """Return the variables that a property reads, its own where a variable is the property."""
    stated = next((p.term for p in component.properties if p.name == name), None)
    if stated is None:
        return [name]
    read = walk.variables(stated)
    return [variable.name for variable in component.variables if variable.name in read]


def _cone(component: Component, starts: Iterable[str]) -> Mapping[str, None]:
    """Return the cone of influence of some variables: these first, then the nearest ones."""
    reads: dict[str, list[str]] = {}
    for element in component.elements:
        read = walk.variables(element.body)
        ordered = [variable.name for variable in component.variables if variable.name in read]
        for target in element.targets:
            reads.setdefault(target, []).extend(ordered)
    return reached(starts, lambda name: reads.get(name, ()))
