"""Put called nodes in place of their calls: one component, an element for each occurrence.

The meaning and the names of remaining variables are unchanged; but equations of single instances
and arguments of single calls become removable. Of equal calls only the first is inlined, and the
others read its outputs. A node under a `condact` stays a node, since it has its own steps (unless
the clock is true).

Source: JKind 4.6, `jkind.translation.InlineNodeCalls`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.model import terms, walk
from mutproof.model.instances import Instance, calls, child_prefix, unfold
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    Variable,
    VariableKind,
)
from mutproof.model.sharing import Sharing
from mutproof.model.terms import Site, Term
from mutproof.model.traits import Semantics


@dataclass(frozen=True)
class Inlined:
    """Hold a program without calls, and the source element of each element.

    An argument belongs to the element that holds the call, the first one of equal calls. For each
    property of an inlined node `properties` gives its component and its name there.
    """

    program: Program
    origins: Mapping[ElementId, ElementId]
    properties: Mapping[str, tuple[str, str]]


def inlined(program: Program) -> Inlined:
    """Return a program with all nodes inlined that run at every step of the main one.

    A relational program has the elements of all its instances, which are only named apart.

    Raises:
        instances.TooManyInstances: the calls multiply beyond the limit.
    """
    if program.traits.semantics is Semantics.RELATIONAL:
        return _apart(program)
    return _Inlining(program).run()


def _apart(program: Program) -> Inlined:
    """Return a program in which each instance of a module has elements of its own."""
    main, origins = program.component(program.main), dict[ElementId, ElementId]()
    elements = []
    for element in main.elements:
        named = element.id
        if element.instance:
            named = ElementId(main.name, named.kind, f"{element.instance}.{named.name}")
        origins[named] = element.id
        elements.append(replace(element, id=named))
    joined = replace(main, elements=tuple(elements))
    components = tuple(joined if c.name == main.name else c for c in program.components)
    return Inlined(replace(program, components=components), origins, {})


class _Inlining:
    def __init__(self, program: Program) -> None:
        self._program = program
        self._variables: list[Variable] = []
        self._elements: list[Element] = []
        self._properties: list[Property] = []
        self._candidates: list[str] | None = None
        self._origins: dict[ElementId, ElementId] = {}
        self._stated: dict[str, tuple[str, str]] = {}
        self._instances = unfold(program)
        self._first = _first_calls(self._instances)

    def run(self) -> Inlined:
        main = self._program.component(self._program.main)
        for instance in self._instances:
            if self._first[instance.prefix] == instance.prefix and not _clocked(instance):
                self._instance(instance)
        joined = replace(
            main,
            variables=tuple(self._variables),
            elements=tuple(self._elements),
            properties=tuple(self._properties),
            core_candidates=None if self._candidates is None else tuple(self._candidates),
        )
        components = tuple(joined if c.name == main.name else c for c in self._program.components)
        program = Program(self._program.traits, components, main.name, self._program.functions)
        for element in program.elements():
            self._origins.setdefault(element.id, element.id)
        return Inlined(program, self._origins, self._stated)

    def _instance(self, instance: Instance) -> None:
        component = self._program.component(instance.component)
        for variable in component.variables:
            kind = VariableKind.LOCAL if instance.prefix else variable.kind
            self._variables.append(Variable(instance.prefix + variable.name, variable.sort, kind))
        for stated in component.properties:
            term = walk.renamed(stated.term, lambda name: instance.prefix + name)
            self._stated[instance.prefix + stated.name] = (instance.component, stated.name)
            self._properties.append(replace(stated, name=instance.prefix + stated.name, term=term))
        if component.core_candidates is not None:
            listed = [instance.prefix + name for name in component.core_candidates]
            self._candidates = [*(self._candidates or ()), *listed]
        for element in component.elements:
            # JKind ignores assertions of called nodes.
            if element.kind is ElementKind.ASSERT and instance.prefix:
                continue
            self._elements.extend(self._element(instance, element))

    def _element(self, instance: Instance, element: Element) -> Iterator[Element]:
        """Yield an instance's copy of an element, and equations for the arguments of its calls."""
        main, prefix = self._program.main, instance.prefix
        kept = _under_clocks(element.body)
        memo: dict[Term, Term] = {}

        def combine(term: Term, args: tuple[Term, ...]) -> Term:
            if term.op is Op.VAR:
                return terms.var(prefix + str(term.payload), term.sort)
            if term.op is Op.CALL and term not in kept:
                child = child_prefix(prefix, element, _site(term))
                return self._outputs(term, self._first[child])
            if term.op is Op.CONDACT and term.args[1] not in kept:
                return args[1]
            return terms.rebuilt(term, args)

        body = walk.fold(element.body, combine, memo)
        named = ElementId(main, element.id.kind, prefix + element.id.name)
        targets = tuple(prefix + target for target in element.targets)
        self._origins[named] = element.id
        yield replace(element, id=named, targets=targets, body=body)
        for site, call, _ in calls(element.body):
            if call in kept:
                continue
            callee = self._program.component(site.component)
            child = child_prefix(prefix, element, site)
            if self._first[child] != child:
                continue
            for variable, argument in zip(_inputs(callee), call.args, strict=True):
                name = child + variable.name
                given = ElementId(main, ElementKind.EQUATION.value, name)
                self._origins[given] = element.id
                value = walk.fold(argument, combine, memo)
                yield Element(given, ElementKind.EQUATION, (name,), value)

    def _outputs(self, call: Term, prefix: str) -> Term:
        callee = self._program.component(_site(call).component)
        outputs = [
            terms.var(prefix + output.name, output.sort)
            for output in callee.of_kind(VariableKind.OUTPUT)
        ]
        return outputs[0] if len(outputs) == 1 else terms.make(Op.TUPLE, call.sort, outputs)


def _first_calls(instances: tuple[Instance, ...]) -> dict[str, str]:
    """Map the prefix of each instance to that of the first instance that is the same call."""
    keys = Sharing(instances).keys
    first: dict[Digest | None, str] = {}
    return {one.prefix: first.setdefault(keys[one.prefix], one.prefix) for one in instances}


def _inputs(component: Component) -> tuple[Variable, ...]:
    return component.of_kind(VariableKind.INPUT)


def _site(call: Term) -> Site:
    assert isinstance(call.payload, Site)
    return call.payload


def _under_clocks(body: Term) -> frozenset[Term]:
    """Return the calls in a body that need not run at every step."""
    return frozenset(
        term.args[1]
        for term in walk.subterms(body)
        if term.op is Op.CONDACT and term.args[0] is not terms.TRUE
    )


def _clocked(instance: Instance) -> bool:
    """Tell whether an instance, or one around it, need not run at every step."""
    current = instance
    while current.parent is not None:
        assert current.element is not None
        kept = {_site(call) for call in _under_clocks(current.element.body)}
        sites = {child_prefix(current.parent.prefix, current.element, site) for site in kept}
        if current.prefix in sites:
            return True
        current = current.parent
    return False
