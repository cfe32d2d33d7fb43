"""From the tree of a file to the program it means: one flat component called main.

Every assignment, constraint and macro of every instance becomes one element; the occurrences of
one source element share its id. Nothing is inlined: a macro is a DEFINE variable even where its
value is a set or reads next values, and lowering copies it to where it is used, so that a
mutated macro changes all its uses. With processes, an element that acts only when its process
runs carries that condition as its `guard`.
"""

from __future__ import annotations

from dataclasses import field, replace

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.digest import digest_text
from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import (
    ambiguity,
    assignments,
    errors,
    lexing,
    properties,
    types,
    values,
)
from mutproof.languages.nusmv.assignments import Assigned
from mutproof.languages.nusmv.declared import Declarations, check_elements
from mutproof.languages.nusmv.expressions import ExpressionEvaluator
from mutproof.languages.nusmv.hierarchy import (
    MAIN,
    SELECTOR,
    DefineSymbol,
    Hierarchy,
    ModuleInstance,
    PlacedItem,
    SelectorSymbol,
    VariableSymbol,
    unfold,
)
from mutproof.languages.nusmv.places import Places
from mutproof.languages.nusmv.scope import Evaluators, NameScope, Operand, Reference, running
from mutproof.languages.nusmv.syntax import (
    Assignment,
    AssignmentKind,
    Compassion,
    ConstraintKeyword,
    ConstraintSection,
    DefineDeclaration,
    Expression,
    File,
    Item,
    Specification,
    Storage,
)
from mutproof.languages.nusmv.traits import TRAITS
from mutproof.languages.nusmv.uses import Uses, target_of
from mutproof.model import sorts
from mutproof.model.branching import speaks_of_branches
from mutproof.model.language import Elaborated, Parsed
from mutproof.model.obligations import ValidityObligation
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
from mutproof.model.provenance import ElementPlaces, Provenance
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term

_ASSIGNMENTS = {
    AssignmentKind.CURRENT: ElementKind.CURRENT_ASSIGN,
    AssignmentKind.INIT: ElementKind.INIT_ASSIGN,
    AssignmentKind.NEXT: ElementKind.NEXT_ASSIGN,
}
_CONSTRAINTS = {
    ConstraintKeyword.INIT: ElementKind.INIT,
    ConstraintKeyword.TRANS: ElementKind.TRANS,
    ConstraintKeyword.INVAR: ElementKind.INVAR,
}
_STORAGE = {
    Storage.STATE: VariableKind.STATE,
    Storage.INPUT: VariableKind.INPUT,
    Storage.FROZEN: VariableKind.FROZEN,
}


def elaborate(parsed: Parsed) -> Elaborated:
    """Return the program of a parsed text, None where its design has an error."""
    assert isinstance(parsed.tree, File)
    hierarchy = unfold(parsed.tree)
    return _Elaboration(parsed, parsed.tree, hierarchy).run()


@dataclass(slots=True)
class _CollectedParts:
    """Collect the parts of the component."""

    elements: list[Element] = field(default_factory=list)
    assigned: list[Assigned] = field(default_factory=list)
    properties: list[Property] = field(default_factory=list)
    fairness: list[Term] = field(default_factory=list)
    compassion: list[tuple[Term, Term]] = field(default_factory=list)
    compassion_spans: list[Span] = field(default_factory=list)
    fairness_spans: dict[Term, Span] = field(default_factory=dict)
    places: dict[ElementId, ElementPlaces] = field(default_factory=dict)
    property_spans: dict[str, Span] = field(default_factory=dict)
    statements: dict[str, Span] = field(default_factory=dict)


class _Elaboration:
    def __init__(self, parsed: Parsed, file: File, hierarchy: Hierarchy) -> None:
        self._parsed = parsed
        self._file = file
        self._hierarchy = hierarchy
        self._scope = NameScope(hierarchy)
        self._evaluator = ExpressionEvaluator(self._scope)
        declarations = Declarations(self._scope, self._evaluator)
        self._scope.evaluators = Evaluators(self._evaluator.meaning, declarations.sort)
        self._gathered = _CollectedParts()
        self._ids: dict[Item, ElementId] = {}
        self._counts: dict[tuple[str, str], int] = {}

    def run(self) -> Elaborated:
        symbols = self._hierarchy.symbols
        named = [s for s in symbols.values() if isinstance(s, VariableSymbol | DefineSymbol)]
        self._scope.settle(tuple(symbol.name for symbol in named))
        self._uses = Uses(self._scope)
        specifications = []
        for placed in self._hierarchy.placed:
            give_way()
            match placed.item.declaration:
                case DefineDeclaration() as define:
                    self._define(placed, define)
                case Assignment() as assignment:
                    self._assignment(placed, assignment)
                case ConstraintSection() as constraint:
                    self._constraint(placed, constraint)
                case Compassion() as compassion:
                    self._compassion(placed, compassion)
                case Specification():
                    specifications.append(placed)
                case _:
                    pass
        gathered = self._gathered
        ambiguity.check(self._hierarchy, self._scope.report)
        assignments.check_single(gathered.assigned, self._scope)
        assignments.check_circular(gathered.assigned, self._scope)
        check_elements(self._scope, self._hierarchy.symbols)
        broken = self._file.broken or any(i.module.broken for i in self._hierarchy.instances)
        broken = broken or bool(self._scope.diagnostics)
        stating = properties.Statements(self._scope, self._evaluator, self._uses)
        for placed in by_steps(specifications):
            stated = stating.state(placed)
            if stated is not None:
                gathered.properties.append(stated.property)
                key = f"{MAIN}.{stated.property.name}"
                gathered.property_spans[key] = stated.span
                gathered.statements[key] = placed.item.span
        program = None if broken else self._program()
        provenance = self._provenance()
        undecided: list[tuple[ValidityObligation, Diagnostic]] = []
        if program is not None:
            checked = values.check(program.component(MAIN), provenance, gathered.fairness_spans)
            undecided, program = checked.undecided, checked.model(program)
            for problem in checked.diagnostics:
                self._scope.report(problem)
        if any(speaks_of_branches(stated.term) for stated in gathered.properties):
            for span in gathered.compassion_spans:
                self._scope.report(errors.compassion_ignored(span))
        found = (*self._parsed.diagnostics, *self._scope.diagnostics)
        return Elaborated(self._parsed, program, provenance, found, tuple(undecided))

    # --- elements -----------------------------------------------------------------------------

    def _operand(
        self, expression: Expression, placed: PlacedItem, expected: str = ""
    ) -> Operand | None:
        base = placed.item.base
        operand = self._evaluator.operand(expression, placed.scope, base)
        if operand is None:
            return None
        use = self._uses.of(operand.term)
        if use.nested_next:
            self._scope.report(errors.nested_next(expression.span.shifted(base)))
            return None
        if use.next_of_input:
            self._scope.report(
                errors.storage(
                    "a next expression contains input variables",
                    expression.span.shifted(base),
                    "inputs have no next value: read them in the current state",
                )
            )
            return None
        if expected and operand.type != types.BOOLEAN:
            place = expression.root.token.shifted(base)
            advice = "a constraint is a Boolean expression"
            self._scope.report(errors.operand(f'"{expected}"', str(operand.type), place, advice))
            return None
        return operand

    def _state_only(self, operand: Operand, expression: Expression, base: int, what: str) -> bool:
        """Report inputs and next values in an expression about states; return whether none are."""
        use = self._uses.of(operand.term)
        if use.inputs:
            self._scope.report(
                errors.storage(
                    f"{what} contains input variables",
                    expression.span.shifted(base),
                    "inputs belong to transitions: read them in TRANS or next()",
                )
            )
            return False
        return self._no_next(operand, expression, base, what)

    def _no_next(self, operand: Operand, expression: Expression, base: int, what: str) -> bool:
        """Report next values read through a name; tell whether there are none."""
        reads_next = self._uses.of(operand.term).next
        if reads_next:
            advice = "a DEFINE or a parameter in it reads a next value"
            place = expression.span.shifted(base)
            self._scope.report(errors.wrong_kind("'next' operator", what, place, advice))
        return not reads_next

    def _identity(self, placed: PlacedItem, kind: ElementKind, name: str | None) -> ElementId:
        item = placed.item
        if item not in self._ids:
            if name is None:
                words = " ".join(token.text for token in lexing.lex(item.text).tokens)
                name = f"{kind.value}#{digest_text(words).hex()}"  # independent of white space
            count = self._counts.get((placed.owner, f"{kind.value} {name}"), 0)
            self._counts[placed.owner, f"{kind.value} {name}"] = count + 1
            full = name if count == 0 else f"{name}#{count}"
            self._ids[item] = ElementId(placed.owner, kind.value, full)
        return self._ids[item]

    def _element(
        self,
        placed: PlacedItem,
        identity: ElementId,
        targets: tuple[str, ...],
        body: Term,
        *,
        places: tuple[Expression, Span],
    ) -> None:
        kind = ElementKind(identity.kind)
        guard = None
        if kind is ElementKind.NEXT_ASSIGN and len(self._hierarchy.processes) > 1:
            guard = running(placed.scope.runner)
        self._gathered.elements.append(
            Element(identity, kind, targets, body, placed.scope.path, guard)
        )
        if identity not in self._gathered.places:
            expression, head = places
            item = placed.item
            found = Places(expression, item.text)
            self._gathered.places[identity] = ElementPlaces(
                item.base, Span(0, len(item.text)), head, expression.span, found
            )

    def _define(self, placed: PlacedItem, define: DefineDeclaration) -> None:
        symbol = self._hierarchy.defined.get((placed.item, placed.scope.path))
        if symbol is None:
            return
        name = symbol.name
        body = self._scope.defines.get(name)
        if body is None:
            return
        identity = self._identity(placed, ElementKind.DEFINE, define.name.text)
        self._element(placed, identity, (name,), body.term, places=(define.body, define.name.span))

    def _assignment(self, placed: PlacedItem, assignment: Assignment) -> None:
        base = placed.item.base
        kind = assignment.kind
        target = self._target(placed, assignment)
        operand = self._operand(assignment.body, placed)
        if target is None or operand is None:
            return
        name, sort = target
        if kind is not AssignmentKind.NEXT:
            what = f"assignment of {name}" if kind is AssignmentKind.CURRENT else f"init({name})"
            if not self._state_only(operand, assignment.body, base, what):
                return
        type_ = types.of_sort(sort)
        if not types.assignable(type_, operand.type):
            shown = f"{type_} and {operand.type}"
            place = assignment.head.shifted(base)
            advice = types.advice_for_assignment(type_, operand.type)
            self._scope.report(errors.operand('":="', shown, place, advice))
            return
        span = assignment.target.span
        text = lexing.normalised(placed.item.text[span.start : span.end])
        identity = self._identity(placed, _ASSIGNMENTS[kind], text)
        places = (assignment.body, assignment.head)
        self._element(placed, identity, (name,), operand.term, places=places)
        self._gathered.assigned.append(
            Assigned(kind, name, operand.term, placed.scope, assignment.head.shifted(base))
        )

    def _target(self, placed: PlacedItem, assignment: Assignment) -> tuple[str, Sort] | None:
        base = placed.item.base
        place = assignment.target.span.shifted(base)
        meaning = self._evaluator.reference(assignment.target, placed.scope, base)
        if meaning is None:
            return None
        root, indices = (
            (meaning.path, ())
            if isinstance(meaning, Reference)
            else (target_of(meaning.term, self._scope))
        )
        symbol = self._hierarchy.symbols.get(root)
        if isinstance(symbol, VariableSymbol) and None in indices:
            message = "expressions are not allowed in array subscripts on the left-hand side"
            self._scope.report(errors.bad_target(message, place))
            return None
        if not isinstance(symbol, VariableSymbol) or root in self._scope.constants:
            operand = self._evaluator.operand(assignment.target, placed.scope, base)
            if operand is not None:
                message = "only variables can be assigned to"
                self._scope.report(errors.bad_target(message, place))
            return None
        sort = self._scope.sorts.get(root)
        for _ in indices:
            sort = sort.element if isinstance(sort, sorts.ArraySort) else None
        if sort is None:
            return None
        if isinstance(sort, sorts.ArraySort):
            message = "whole arrays cannot be assigned"
            self._scope.report(errors.bad_target(message, place))
            return None
        name = root + "".join(f"[{index}]" for index in indices)
        allowed = self._assignable(symbol, assignment, place)
        return (name, sort) if allowed and self._scope.has_values(symbol, place) else None

    def _assignable(self, symbol: VariableSymbol, assignment: Assignment, place: Span) -> bool:
        storage = symbol.declaration.storage
        if storage is Storage.INPUT:
            message = f"illegal assignment to input variable {symbol.name}"
            advice = "inputs are free: declare it in VAR to define it"
        elif storage is Storage.FROZEN and assignment.kind is not AssignmentKind.INIT:
            message = f"illegal assignment to frozen variable {symbol.name}"
            advice = "only init() of a frozen variable can be assigned"
        else:
            return True
        self._scope.report(errors.storage(message, place, advice))
        return False

    def _constraint(self, placed: PlacedItem, constraint: ConstraintSection) -> None:
        keyword = constraint.keyword
        operand = self._operand(constraint.body, placed, keyword.value)
        if operand is None:
            return
        base = placed.item.base
        if keyword is ConstraintKeyword.FAIRNESS:
            if self._no_next(operand, constraint.body, base, "FAIRNESS"):
                self._gathered.fairness.append(operand.term)
                self._gathered.fairness_spans.setdefault(
                    operand.term, constraint.body.span.shifted(base)
                )
            return
        if keyword is not ConstraintKeyword.TRANS and not self._state_only(
            operand, constraint.body, base, keyword.value
        ):
            return
        identity = self._identity(placed, _CONSTRAINTS[keyword], None)
        self._element(placed, identity, (), operand.term, places=(constraint.body, constraint.head))

    def _compassion(self, placed: PlacedItem, compassion: Compassion) -> None:
        pair: list[Term] = []
        for expression in (compassion.premise, compassion.conclusion):
            operand = self._operand(expression, placed, "COMPASSION")
            base = placed.item.base
            if operand is not None and self._no_next(operand, expression, base, "COMPASSION"):
                pair.append(operand.term)
                self._gathered.fairness_spans.setdefault(
                    operand.term, expression.span.shifted(base)
                )
        if len(pair) == 2:
            self._gathered.compassion.append((pair[0], pair[1]))
            self._gathered.compassion_spans.append(compassion.head.shifted(placed.item.base))

    # --- the whole ----------------------------------------------------------------------------

    def _program(self) -> Program:
        variables: list[Variable] = []
        for symbol in self._hierarchy.symbols.values():
            if isinstance(symbol, VariableSymbol):
                sort = self._scope.sorts[symbol.name]
                assert sort is not None
                kind = _STORAGE[symbol.declaration.storage]
                variables.append(Variable(symbol.name, sort, kind))
            elif isinstance(symbol, SelectorSymbol):
                sort = self._scope.selector_sort
                variables.append(Variable(SELECTOR, sort, VariableKind.INPUT))
            elif isinstance(symbol, DefineSymbol):
                body = self._scope.defines[symbol.name]
                assert body is not None
                sort = types.to_sort(body.type)
                variables.append(Variable(symbol.name, sort, VariableKind.DEFINE))
        gathered = self._gathered
        component = Component(
            MAIN,
            tuple(variables),
            tuple(gathered.elements),
            tuple(gathered.properties),
            tuple(gathered.fairness),
            tuple(gathered.compassion),
        )
        return Program(TRAITS, (component,), MAIN)

    def _provenance(self) -> Provenance:
        names: dict[str, Span] = {}
        bodies: dict[str, Span] = {}
        for module in self._file.modules:
            header = module.header.name
            names.setdefault(header.text, header.span.shifted(module.base))
            bodies.setdefault(header.text, Span(module.base, module.end))
        declared: dict[tuple[str, str], Span] = {}
        for name, symbol in by_steps(self._hierarchy.symbols.items()):
            declared[MAIN, name] = symbol.span
        for instance in self._hierarchy.instances:
            self._declare_local(instance, declared)
        gathered = self._gathered
        for element in gathered.elements:
            # No mutants here: they would change types, which do not depend on elements.
            if element.kind is ElementKind.DEFINE and element.targets[0] in self._scope.fixed:
                whole = replace(gathered.places[element.id], terms={})
                gathered.places[element.id] = whole
        stated = gathered.property_spans, names, bodies, declared, gathered.statements
        return Provenance(gathered.places, *stated)

    def _declare_local(
        self, instance: ModuleInstance, declared: dict[tuple[str, str], Span]
    ) -> None:
        module = instance.module
        name = module.header.name.text
        for item in by_steps(module.items):
            declaration = item.declaration
            local = getattr(declaration, "name", None)
            if local is not None and not isinstance(declaration, Specification):
                declared.setdefault((name, local.text), local.span.shifted(item.base))
