"""From the tree of a node to its component: variables, elements, properties."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field

from mutproof.base.diagnostics import Diagnostic, has_errors
from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.near import near
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.lustre import environment, errors, implications, types, warnings
from mutproof.languages.lustre.declarations import Globals, group_sort, meaning_of
from mutproof.languages.lustre.environment import Environment, Value, ValueKind
from mutproof.languages.lustre.expressions import Meaning
from mutproof.languages.lustre.places import ExpressionPlaces
from mutproof.languages.lustre.suggestions import report_undefined
from mutproof.languages.lustre.syntax import (
    Assertion,
    CorePragma,
    Equation,
    Expression,
    Identifier,
    NodeTree,
    PlacedChunk,
    PropertyStatement,
    RealizablePragma,
    Signature,
    VariableGroup,
)
from mutproof.model import sorts, terms
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Property,
    Variable,
    VariableKind,
    constraint_id,
)
from mutproof.model.provenance import ElementPlaces
from mutproof.model.sorts import Sort, TupleSort
from mutproof.model.terms import Term

_ASSIGNABLE = frozenset({ValueKind.OUTPUT, ValueKind.LOCAL})
_KINDS = {
    VariableKind.INPUT: ValueKind.INPUT,
    VariableKind.OUTPUT: ValueKind.OUTPUT,
    VariableKind.LOCAL: ValueKind.LOCAL,
}


@dataclass(frozen=True, slots=True, eq=False)
class NodeMeaning:
    """Hold a node's meaning and the places of its parts; `component` is None if broken."""

    name: str
    name_span: Span
    whole: Span
    component: Component | None
    diagnostics: tuple[Diagnostic, ...]
    called: tuple[str, ...]
    asserts: tuple[Span, ...]
    places: Mapping[ElementId, ElementPlaces]
    property_spans: Mapping[str, Span]
    variable_spans: Mapping[str, Span]
    statements: Mapping[str, Span]  # of properties

    def head_of(self, variable: str) -> Span:
        """Return the left-hand side of the equation that defines a variable."""
        for identity, places in self.places.items():
            if variable in identity.name.split(","):
                return places.head.shifted(places.base)
        return self.variable_spans.get(variable, self.whole)


def elaborate(node: NodeTree, found: Globals) -> NodeMeaning:
    """Elaborate a node."""
    return _Node(node, found).meaning()


@dataclass(slots=True)
class _Node:
    """Collect the meaning of one node."""

    node: NodeTree
    found: Globals
    name: str = ""
    scope: Environment = field(init=False)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    variables: list[Variable] = field(default_factory=list)
    spans: dict[str, Span] = field(default_factory=dict)
    elements: list[Element] = field(default_factory=list)
    places: dict[ElementId, ElementPlaces] = field(default_factory=dict)
    properties: list[Property] = field(default_factory=list)
    property_spans: dict[str, Span] = field(default_factory=dict)
    statements: dict[str, Span] = field(default_factory=dict)
    called: dict[str, None] = field(default_factory=dict)
    asserts: list[Span] = field(default_factory=list)
    assigned: dict[str, Span] = field(default_factory=dict)
    counts: dict[tuple[ElementKind, Term], int] = field(default_factory=dict)
    cores: dict[str, None] | None = None
    complete: bool = True

    def meaning(self) -> NodeMeaning:
        node = self.node
        header = node.header.chunk.tree
        parts = (node.header, *node.locals, *node.statements)
        self.complete = node.has_body and not any(part.chunk.tree is None for part in parts)
        name_span = node.header.span
        if isinstance(header, Signature):
            self.name = header.name.name
            name_span = header.name.span.shifted(node.header.base)
            self._declare(header)
            self._statements()
            self._check_assigned()
            for element in implications.suspicious(self.elements, self.properties):
                place = self.places[element.id].place(())
                if place is not None:
                    self._report(warnings.arrow_for_implication(place.token))
        else:
            self.complete = False
        complete = self.complete and not has_errors(self.diagnostics)
        component = (
            Component(
                self.name,
                tuple(self.variables),
                tuple(self.elements),
                tuple(self.properties),
                core_candidates=None if self.cores is None else tuple(self.cores),
            )
            if complete
            else None
        )
        return NodeMeaning(
            self.name,
            name_span,
            node.whole,
            component,
            tuple(self.diagnostics),
            tuple(self.called),
            tuple(self.asserts),
            self.places,
            self.property_spans,
            self.spans,
            self.statements,
        )

    # --- variables

    def _declare(self, header: Signature) -> None:
        values: dict[str, Value] = dict(self.found.environment.values)
        place = self.node.header
        broken = False
        for groups, kind in (
            (header.inputs, VariableKind.INPUT),
            (header.outputs, VariableKind.OUTPUT),
        ):
            for group in groups:
                self._declare_group(place, group, kind, values)
        for placed in self.node.locals:
            if isinstance(placed.chunk.tree, VariableGroup):
                self._declare_group(placed, placed.chunk.tree, VariableKind.LOCAL, values)
            else:
                broken = True
        outer = self.found.environment
        self.scope = Environment(values, outer.callees, outer.types, outer.lenient or broken)

    def _declare_group(
        self,
        placed: PlacedChunk,
        group: VariableGroup,
        kind: VariableKind,
        values: dict[str, Value],
    ) -> None:
        give_way()
        table = self.found.environment.types
        sort = group_sort(placed, group, table, self.diagnostics.append)
        if sort is None:
            self.complete = False
        for identifier in by_steps(group.names):
            name = identifier.name
            span = identifier.span.shifted(placed.base)
            if name in self.spans:
                self._report(errors.duplicate("variable", name, span, self.spans[name]))
                continue
            if name in self.found.value_spans:
                first = self.found.value_spans[name]
                self._report(errors.duplicate("variable", name, span, first))
            self.spans[name] = span
            term = None if sort is None else terms.var(name, sort)
            values[name] = environment.value(_KINDS[kind], sort, term)
            if sort is not None:
                self.variables.append(Variable(name, sort, kind))

    # --- statements

    def _statements(self) -> None:
        for placed in self.node.statements:
            give_way()
            match placed.chunk.tree:
                case Equation() as equation:
                    self._equation(placed, equation)
                case Assertion() as assertion:
                    self._assertion(placed, assertion)
                case PropertyStatement() as stated:
                    self._property(placed, stated)
                case CorePragma(names):
                    self._core(placed, names)
                case RealizablePragma(names):
                    self._realizable(placed, names)
                case _:
                    pass

    def _meaning(self, placed: PlacedChunk, root: Expression) -> Meaning:
        meaning = meaning_of(placed.chunk, root, self.scope)
        for diagnostic in meaning.diagnostics:
            self._report(diagnostic.shifted(placed.base))
        report_undefined(meaning.undefined, placed.base, self.scope, self._report)
        for callee in meaning.called:
            self.called[callee.name] = None
        if meaning.typed is None:
            self.complete = False
        return meaning

    def _equation(self, placed: PlacedChunk, equation: Equation) -> None:
        wanted = [self._target(placed, target) for target in equation.targets]
        meaning = self._meaning(placed, equation.body)
        if meaning.typed is None or any(sort is None for sort in wanted):
            self.complete = False
            return
        term, sort = meaning.typed
        if not self._fits(placed, equation, [s for s in wanted if s is not None], sort):
            return
        names = tuple(target.name for target in equation.targets)
        identity = ElementId(self.name, ElementKind.EQUATION.value, ",".join(names))
        if not names:
            identity = constraint_id(
                self.name, ElementKind.EQUATION, term, self._earlier(ElementKind.EQUATION, term)
            )
        self.elements.append(Element(identity, ElementKind.EQUATION, names, term))
        self._place(identity, placed, equation.head, equation.body, term=term)

    def _target(self, placed: PlacedChunk, target: Identifier) -> Sort | None:
        """Return the sort of an assigned variable; None, reported, if it is not assignable."""
        name = target.name
        span = target.span.shifted(placed.base)
        value = self.scope.values.get(name)
        if value is None:
            if not self.scope.lenient:
                own = (n for n, v in self.scope.values.items() if v.kind in _ASSIGNABLE)
                close = near(name, own)
                advice = f"declare `{name}` as an output or in `var`, with its type"
                self._report(errors.undefined("variable", name, span, close, advice=advice))
            return None
        if value.kind not in _ASSIGNABLE:
            self._report(errors.not_assignable(name, value.kind.value, span))
            return None
        if name in self.assigned:
            self._report(errors.reassigned(name, span, self.assigned[name]))
            return None
        self.assigned[name] = span
        return value.sort

    def _fits(
        self, placed: PlacedChunk, equation: Equation, wanted: list[Sort], sort: Sort
    ) -> bool:
        given = list(sort.elements) if isinstance(sort, TupleSort) else [sort]
        body = equation.body
        if len(wanted) != len(given):
            span = body.span.shifted(placed.base)
            self._report(errors.wrong_count("value", len(wanted), len(given), span))
            return False
        fits = True
        for index, (expected, actual) in enumerate(zip(wanted, given, strict=True)):
            if types.assignable(expected, actual):
                continue
            where = body
            if len(given) > 1 and len(body.args) == len(given) and body.kind.value == "tuple":
                where = body.args[index]
            self._report(errors.mismatch(expected, actual, where.span.shifted(placed.base)))
            fits = False
        return fits

    def _assertion(self, placed: PlacedChunk, assertion: Assertion) -> None:
        self.asserts.append(assertion.head.shifted(placed.base))
        meaning = self._meaning(placed, assertion.body)
        if meaning.typed is None:
            return
        term, sort = meaning.typed
        if not types.assignable(sorts.BOOL, sort):
            span = assertion.body.span.shifted(placed.base)
            self._report(errors.mismatch(sorts.BOOL, sort, span))
            return
        earlier = self._earlier(ElementKind.ASSERT, term)
        identity = constraint_id(self.name, ElementKind.ASSERT, term, earlier)
        self.elements.append(Element(identity, ElementKind.ASSERT, (), term))
        self._place(identity, placed, assertion.head, assertion.body, term=term)

    def _earlier(self, kind: ElementKind, term: Term) -> int:
        """Return the number of equal constraints before this one, and count it."""
        count = self.counts.get((kind, term), 0)
        self.counts[kind, term] = count + 1
        return count

    def _place(
        self, identity: ElementId, placed: PlacedChunk, head: Span, body: Expression, *, term: Term
    ) -> None:
        whole = Span(0, placed.chunk.length)
        outer = Span(body.outer_start, body.outer_end)
        self.places[identity] = ElementPlaces(
            placed.base, whole, head, outer, ExpressionPlaces(body, term)
        )

    def _property(self, placed: PlacedChunk, stated: PropertyStatement) -> None:
        span = stated.part.span.shifted(placed.base)
        if stated.name in self.property_spans:
            self._report(errors.duplicate_pragma("property", stated.name, span))
            return
        self.property_spans[stated.name] = span
        self.statements[stated.name] = Span(placed.base, placed.base + placed.chunk.length)
        root = stated.part
        while root.args:
            root = root.args[0]
        value = self.scope.values.get(root.text)
        if value is not None and value.kind in {ValueKind.CONSTANT, ValueKind.ENUM_VALUE}:
            self._report(errors.undefined("variable", stated.name, span))
            return
        meaning = self._meaning(placed, stated.part)
        if meaning.typed is None:
            return
        term, sort = meaning.typed
        if sort != sorts.BOOL:
            self._report(errors.property_not_boolean(stated.name, sort, span))
            return
        self.properties.append(Property(stated.name, term))

    def _core(self, placed: PlacedChunk, names: tuple[Identifier, ...]) -> None:
        if self.cores is None:
            self.cores = {}
        for name in names:
            span = name.span.shifted(placed.base)
            value = self.scope.values.get(name.name)
            if value is None or value.kind not in {ValueKind.OUTPUT, ValueKind.LOCAL}:
                if value is not None or not self.scope.lenient:
                    self._report(errors.core_candidate(name.name, span))
            elif name.name in self.cores:
                self._report(errors.duplicate_pragma("core candidate", name.name, span))
            else:
                self.cores[name.name] = None

    def _realizable(self, placed: PlacedChunk, names: tuple[Identifier, ...]) -> None:
        seen: set[str] = set()
        for name in names:
            span = name.span.shifted(placed.base)
            value = self.scope.values.get(name.name)
            if value is None or value.kind is not ValueKind.INPUT:
                if value is not None or not self.scope.lenient:
                    self._report(warnings.realizable_input(name.name, span))
            elif name.name in seen:
                self._report(warnings.realizable_twice(name.name, span))
            seen.add(name.name)

    # --- the whole node

    def _check_assigned(self) -> None:
        if not self.node.has_body or any(p.chunk.tree is None for p in self.node.statements):
            return  # the missing equation may be the broken one
        for variable in self.variables:
            if variable.kind is not VariableKind.INPUT and variable.name not in self.assigned:
                self._report(errors.unassigned(variable.name, self.spans[variable.name]))

    def _report(self, diagnostic: Diagnostic) -> None:
        self.diagnostics.append(diagnostic)
