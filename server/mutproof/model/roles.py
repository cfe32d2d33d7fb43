"""Tell design from specification: only the design is mutated.

An element is specification if all that it defines is stated as properties, or if it computes
something that is read by nothing but specification. The second rule covers helper equations of
properties: locals without memory or calls that are no argument of a call, since state and
components describe the system even if only a property reads them. So a call inside a property
equation is design from the call down. Components that are never called are specification as a
whole, and so are assertions of called ones, which have no effect. If this left nothing to mutate in
what the properties read, only the property equations themselves are specification.

NuSMV states properties in declarations of their own, so there only helpers are specification:
the DEFINEs that properties read, and that nothing else reads but such DEFINEs. What a fairness
constraint reads is design: it says which executions there are.

Source: DESIGN.md, section 1; JKind's fork mutates helper equations, which is a defect.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping

from mutproof.base.digraph import reached
from mutproof.base.memo import Memo
from mutproof.model import sorts, walk
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Role,
    VariableKind,
)
from mutproof.model.terms import Site, Term

_RELATIONAL = frozenset(ElementKind) - {ElementKind.EQUATION, ElementKind.ASSERT}


def roles(program: Program) -> Mapping[ElementId, Role]:
    """Return the role of every element of a program."""
    return _roles_of.get(program.digest, lambda: _found(program))


_roles_of: Memo[Mapping[ElementId, Role]] = Memo(4)  # asked repeatedly for the same program


def _found(program: Program) -> Mapping[ElementId, Role]:
    component = program.component(program.main)
    if any(element.kind in _RELATIONAL for element in component.elements):
        return _macro_roles(component)
    found = _roles(program, helpers=True)
    if any(role is Role.DESIGN for role in found.values()):
        return found
    return _roles(program, helpers=False)


def _macro_roles(component: Component) -> Mapping[ElementId, Role]:
    """Return the roles of the elements of a flat NuSMV model."""
    macros = {e.targets[0]: e for e in component.elements if e.kind is ElementKind.DEFINE}
    statements = [stated.term for stated in component.properties]
    stated = {n for t in statements for n in walk.variables(t) if n in macros}
    read = {macros[name].id for name in _reached(macros, stated)}
    # What the design reads, directly or not, is design; all instances of an element are alike.
    design = {e.id for e in component.elements if e.kind is not ElementKind.DEFINE}
    design |= {macro.id for macro in macros.values() if macro.id not in read}
    design |= {macros[name].id for name in _read_by_design(component, macros)}
    starts = [name for name, macro in macros.items() if macro.id in design]
    instances: dict[ElementId, list[str]] = {}
    for name, macro in macros.items():
        instances.setdefault(macro.id, []).append(name)

    def reads(name: str) -> Iterator[str]:
        for read in walk.variables(macros[name].body):
            if read in macros:
                yield from instances[macros[read].id]

    design |= {macros[name].id for name in reached(starts, reads)}
    found = {
        element.id: Role.DESIGN if element.id in design else Role.SPECIFICATION
        for element in component.elements
    }
    if Role.DESIGN in found.values():
        return found
    return dict.fromkeys(found, Role.DESIGN)


def _read_by_design(component: Component, macros: Mapping[str, Element]) -> set[str]:
    """Return the macros that assignments, constraints and fairness read by name."""
    bodies = [e.body for e in component.elements if e.kind is not ElementKind.DEFINE]
    bodies += [e.guard for e in component.elements if e.guard is not None]
    bodies += component.fairness
    bodies += [term for pair in component.compassion for term in pair]
    return {name for body in bodies for name in walk.variables(body) if name in macros}


def unread(program: Program) -> frozenset[ElementId]:
    """Return the DEFINEs that the design does not read.

    They have mutants only until a property reads them, which makes them specification. Where all
    that is defined is DEFINEs, none of these are returned.
    """
    component = program.component(program.main)
    if all(element.kind is ElementKind.DEFINE for element in component.elements):
        return frozenset()
    macros = {e.targets[0]: e for e in component.elements if e.kind is ElementKind.DEFINE}
    read = _reached(macros, _read_by_design(component, macros)) if macros else set()
    return frozenset({e.id for e in macros.values()} - {macros[name].id for name in read})


def _reached(macros: Mapping[str, Element], starts: set[str]) -> set[str]:
    """Return macros with all macros that they read, directly or through others."""
    return set(reached(starts, lambda name: walk.variables(macros[name].body) & macros.keys()))


def _roles(program: Program, *, helpers: bool) -> dict[ElementId, Role]:
    specification: set[ElementId] = set()
    for component in program.components:
        stated = _stating(component)
        specification |= {element.id for element in stated}
        if helpers:
            specification |= _helpers(component, stated)
    specification |= without_effect(program)
    return {
        element.id: Role.SPECIFICATION if element.id in specification else Role.DESIGN
        for element in program.elements()
    }


def without_effect(program: Program) -> frozenset[ElementId]:
    """Return the elements of components that are never called, and assertions of called ones."""
    called = called_components(program)
    return frozenset(
        element.id
        for component in program.components
        for element in component.elements
        if component.name not in called
        or (component.name != program.main and element.kind is ElementKind.ASSERT)
    )


def _stating(component: Component) -> list[Element]:
    """Return the equations that define properties and nothing else."""
    whole: set[str] = set()
    parts: set[str] = set()
    for stated in component.properties:
        name = _part_name(stated.term)
        if name is not None:
            parts.add(name)
        if stated.term.op is Op.VAR:
            whole.add(str(stated.term.payload))
    return [
        element
        for element in component.elements
        if element.kind is ElementKind.EQUATION
        and element.targets
        and all(
            target in whole
            or all(
                target + suffix in parts
                for suffix, _ in sorts.leaves(component.variable(target).sort)
            )
            for target in element.targets
        )
    ]


def _part_name(term: Term) -> str | None:
    """Return the name of a variable or a part of one, such as `r.x[0]`; None if it is neither."""
    suffix = ""
    while term.op in {Op.FIELD, Op.INDEX, Op.PROJECT}:
        if term.op is Op.INDEX:
            index = term.args[1]
            if index.op is not Op.CONST:
                return None
            suffix = f"[{index.payload}]{suffix}"
        else:
            suffix = f".{term.payload}{suffix}"
        term = term.args[0]
    return f"{term.payload}{suffix}" if term.op is Op.VAR else None


def _helpers(component: Component, stating: list[Element]) -> set[ElementId]:
    outputs = {v.name for v in component.of_kind(VariableKind.OUTPUT)}
    readers: dict[str, set[ElementId]] = {}
    for element in component.elements:
        for name in walk.variables(element.body):
            readers.setdefault(name, set()).add(element.id)
    found = {element.id for element in stating}
    passed = _passed(component)
    candidates = [
        element
        for element in component.elements
        if element.kind in {ElementKind.EQUATION, ElementKind.DEFINE}
        and not (outputs | passed) & set(element.targets)
        and not _remembers_or_calls(element)
        and any(readers.get(target) for target in element.targets)
    ]
    changed = True
    while changed:
        changed = False
        for element in candidates:
            if element.id not in found and all(
                readers.get(target, set()) <= found for target in element.targets
            ):
                found.add(element.id)
                changed = True
    return found


def _remembers_or_calls(element: Element) -> bool:
    return any(
        term.op in {Op.PRE, Op.ARROW, Op.CALL, Op.CONDACT, Op.NEXT}
        for term in walk.subterms(element.body)
    )


def _passed(component: Component) -> set[str]:
    """Return the variables that arguments of calls read."""
    return {
        name
        for element in component.elements
        for term in walk.subterms(element.body)
        if isinstance(term.payload, Site)
        for name in walk.variables(term)
    }


def called_components(program: Program, caller: str = "") -> set[str]:
    """Return a component, else the main one, and those it calls, directly or through others."""
    return set(reached([caller or program.main], lambda name: callees(program.component(name))))


def callees(component: Component) -> set[str]:
    """Return the components that a component calls itself."""
    return {site.component for e in component.elements for site in walk.sites(e.body)}


def core_candidates(program: Program) -> frozenset[ElementId] | None:
    """Return the elements that the source lists for cores; None if there is no list.

    The lists of the main component and of what it calls add up.
    Source: JKind 4.6, `jkind.translation.InlineNodeCalls`.
    """
    called = called_components(program)
    listing = [
        (component, frozenset(component.core_candidates))
        for component in program.components
        if component.name in called and component.core_candidates is not None
    ]
    if not listing:
        return None
    return frozenset(
        element.id
        for component, listed in listing
        for element in component.elements
        if not listed.isdisjoint(element.targets)
    )


def asked_about(program: Program, elements: Iterable[ElementId]) -> tuple[ElementId, ...]:
    """Return those of some elements of which cores tell whether they are needed."""
    listed = core_candidates(program)
    return tuple(one for one in elements if listed is None or one in listed)
