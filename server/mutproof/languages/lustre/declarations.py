"""What a file declares for all its nodes: types, constants, signatures of nodes and functions."""

from __future__ import annotations

from collections.abc import Callable

from mutproof.base.diagnostics import Diagnostic, Severity, has_errors
from mutproof.base.giving_way import by_steps
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.lustre import environment, errors, expressions, types, warnings
from mutproof.languages.lustre.environment import Callee, Environment, Value, ValueKind
from mutproof.languages.lustre.expressions import Meaning
from mutproof.languages.lustre.suggestions import report_undefined
from mutproof.languages.lustre.syntax import (
    Chunk,
    ChunkKind,
    ConstantDeclaration,
    Expression,
    FileTree,
    NodeTree,
    PlacedChunk,
    Shape,
    Signature,
    TypeDeclaration,
    TypeKind,
    VariableGroup,
)
from mutproof.languages.lustre.types import ResolvedType
from mutproof.model import constants, walk
from mutproof.model.passes import operands
from mutproof.model.program import Function
from mutproof.model.sorts import Sort

Report = Callable[[Diagnostic], None]

_meanings: Memo[Meaning] = Memo(50_000)
_resolved: Memo[tuple[ResolvedType | None, tuple[Diagnostic, ...]]] = Memo(100_000)


@dataclass(frozen=True, slots=True)
class Globals:
    """Hold what names mean everywhere, and where constants and enumeration values are declared."""

    environment: Environment
    value_spans: dict[str, Span]
    functions: tuple[Function, ...]


def meaning_of(chunk: Chunk, root: Expression, scope: Environment) -> Meaning:
    """Return what the one expression of a chunk means; remembered."""
    key = (chunk, scope.key(chunk.mentions))
    return _meanings.get(key, lambda: expressions.elaborate(root, scope))


def group_sort(
    placed: PlacedChunk, group: VariableGroup, table: types.Table, report: Report
) -> Sort | None:
    """Return the sort that a group of variables is declared with; remembered."""
    uses = tuple((name, table.get(name), name in table) for name in types.mentioned(group.type))

    def compute() -> tuple[ResolvedType | None, tuple[Diagnostic, ...]]:
        found: list[Diagnostic] = []
        return types.resolve(group.type, table, found.append), tuple(found)

    resolved, diagnostics = _resolved.get((group, uses), compute)
    for diagnostic in diagnostics:
        report(diagnostic.shifted(placed.base))
    return resolved.sort if resolved else None


def globals_of(tree: FileTree, report: Report) -> Globals:
    """Return what a file declares globally."""
    parts = tree.declarations
    simple = [part for part in parts if isinstance(part, PlacedChunk)]
    # A broken or stray declaration may declare any name.
    lenient = any(part.chunk.tree is None and part.chunk.diagnostics for part in simple)
    table = types.declared([p for p in simple if p.chunk.kind is ChunkKind.TYPE], report)
    values: dict[str, Value] = {}
    spans: dict[str, Span] = {}
    _enum_values(simple, table, values, spans, report=report)
    scope = Environment(values, _Lenient(), table, lenient, constant=True)
    _constants(simple, scope, values, spans, report=report)
    callees, functions = _callees(tree, table, report)
    broken_headers = any(
        isinstance(part, NodeTree) and part.header.chunk.tree is None for part in parts
    )
    scope = Environment(values, callees, table, lenient)
    if lenient or broken_headers:
        scope = Environment(values, _Lenient(callees), _LenientTypes(table, lenient), lenient)
    return Globals(scope, spans, functions)


class _Lenient(dict[str, "Callee | None"]):
    """Contain every name, as a broken header may have declared it."""

    def __contains__(self, name: object) -> bool:
        return True


class _LenientTypes(dict[str, "ResolvedType | None"]):
    """Contain every name if `lenient`, as a broken declaration may have declared it."""

    def __init__(self, table: dict[str, ResolvedType | None], lenient: bool) -> None:
        super().__init__(table)
        self._lenient = lenient

    def __contains__(self, name: object) -> bool:
        return self._lenient or super().__contains__(name)

    def __getitem__(self, name: str) -> ResolvedType | None:
        return self.get(name)


def _enum_values(
    simple: list[PlacedChunk],
    table: dict[str, ResolvedType | None],
    values: dict[str, Value],
    spans: dict[str, Span],
    *,
    report: Report,
) -> None:
    for placed in simple:
        tree = placed.chunk.tree
        if not isinstance(tree, TypeDeclaration) or tree.type.kind is not TypeKind.ENUM:
            continue
        resolved = table.get(tree.name.name)
        for name in by_steps(tree.type.names):
            span = name.span.shifted(placed.base)
            if name.name in values:
                report(errors.duplicate("value", name.name, span, spans.get(name.name)))
                continue
            spans[name.name] = span
            sort = resolved.sort if resolved else None
            term = None if sort is None else constants.as_term(name.name, sort)
            values[name.name] = environment.value(ValueKind.ENUM_VALUE, sort, term)


def _constants(
    simple: list[PlacedChunk],
    scope: Environment,
    values: dict[str, Value],
    spans: dict[str, Span],
    *,
    report: Report,
) -> None:
    declared: dict[str, tuple[ConstantDeclaration, PlacedChunk]] = {}
    for placed in simple:
        tree = placed.chunk.tree
        if not isinstance(tree, ConstantDeclaration):
            continue
        name = tree.name.name
        span = tree.name.span.shifted(placed.base)
        if name in spans:
            report(errors.duplicate("constant", name, span, spans[name]))
            continue
        spans[name] = span
        declared[name] = (tree, placed)
    later = _divisors_declared_later(declared)
    for name in _ordered(declared, values, report):
        tree, placed = declared[name]
        values[name] = _constant(tree, placed, scope, report, later=later.get(name, frozenset()))


def _divisors_declared_later(
    declared: dict[str, tuple[ConstantDeclaration, PlacedChunk]],
) -> dict[str, frozenset[Span]]:
    """Return the divisors in each constant that read constants not evaluated yet by JKind.

    Source: JKind, DivisionChecker.
    """
    known: set[str] = set()
    found: dict[str, set[Span]] = {}
    for name, (tree, _) in declared.items():
        for divisor in _divisors(tree.value):
            fresh = [used for used in _names_in(divisor) if used in declared and used not in known]
            if fresh:
                known.update(fresh)
                found.setdefault(name, set()).add(divisor.span)
        known.add(name)
    return {name: frozenset(spans) for name, spans in found.items()}


def _divisors(root: Expression) -> list[Expression]:
    """Return the divisors of an expression, inner ones first, from left to right."""
    found = []
    stack = [root]
    while stack:
        expression = stack.pop()
        if expression.kind is Shape.BINARY and expression.text in {"/", "div", "mod"}:
            found.append(expression.args[1])
        stack.extend(expression.args)
    return found[::-1]


def _ordered(
    declared: dict[str, tuple[ConstantDeclaration, PlacedChunk]],
    values: dict[str, Value],
    report: Report,
) -> list[str]:
    """Order the constants so that each comes after those it uses; report cycles."""

    def cyclic(cycle: list[str]) -> None:
        tree, placed = declared[cycle[-1]]
        report(errors.cyclic("constant", cycle, tree.name.span.shifted(placed.base)))
        broken = environment.value(ValueKind.CONSTANT, None, None)
        values.update(dict.fromkeys(cycle, broken))

    return types.in_order(declared, lambda name: _names_in(declared[name][0].value), cyclic)


def _names_in(root: Expression) -> list[str]:
    found: dict[str, None] = {}
    stack = [root]
    while stack:
        expression = stack.pop()
        if expression.kind.value == "name":
            found[expression.text] = None
        stack.extend(reversed(expression.args))
    return list(found)


def _constant(
    tree: ConstantDeclaration,
    placed: PlacedChunk,
    scope: Environment,
    report: Report,
    *,
    later: frozenset[Span],
) -> Value:
    """Return the value of a constant; with `pre` in it, the expression, as in JKind.

    `later` are divisors that may be zero where they are not needed.
    """
    broken = environment.value(ValueKind.CONSTANT, None, None)
    meaning = meaning_of(placed.chunk, tree.value, scope)
    failed = False
    value = None if meaning.typed is None else constants.evaluate(meaning.typed.term, {})
    for diagnostic in meaning.diagnostics:
        if diagnostic.code == "division-by-zero" and diagnostic.span in later and value is not None:
            report(warnings.unneeded_division(diagnostic.span).shifted(placed.base))
        elif diagnostic.code != "unguarded-pre":
            report(diagnostic.shifted(placed.base))
            failed = failed or diagnostic.severity is Severity.ERROR
    report_undefined(meaning.undefined, placed.base, scope, report)
    sort: Sort | None = None
    if tree.type is not None:
        found: list[Diagnostic] = []
        resolved = types.resolve(tree.type, scope.types, found.append)
        for diagnostic in found:
            report(diagnostic.shifted(placed.base))
        sort = resolved.sort if resolved else None
        failed = failed or sort is None
    if meaning.typed is None:
        if meaning.called and not has_errors(meaning.diagnostics):
            report(_not_constant(tree, placed))
        return broken
    term, actual = meaning.typed
    if sort is not None and not types.assignable(sort, actual):
        report(errors.mismatch(sort, actual, tree.value.span.shifted(placed.base)))
        failed = True
    if value is None and not failed:
        span = tree.name.span.shifted(placed.base)
        timeless = all(part.op not in constants.NOT_CONSTANT for part in walk.subterms(term))
        report(errors.number_too_long(span) if timeless else _not_constant(tree, placed))
        failed = True
    if failed or value is None:
        return broken
    sort = actual if sort is None else sort
    if not operands.remembers(term):
        term = constants.as_term(value, sort)
    return environment.value(ValueKind.CONSTANT, sort, term)


def _not_constant(tree: ConstantDeclaration, placed: PlacedChunk) -> Diagnostic:
    return errors.not_constant(tree.name.name, tree.name.span.shifted(placed.base))


def _callees(
    tree: FileTree, table: dict[str, ResolvedType | None], report: Report
) -> tuple[dict[str, Callee | None], tuple[Function, ...]]:
    callees: dict[str, Callee | None] = {}
    spans: dict[str, Span] = {}
    functions: list[Function] = []
    for part in by_steps(tree.declarations):
        placed = part.header if isinstance(part, NodeTree) else part
        signature = placed.chunk.tree
        if not isinstance(signature, Signature):
            continue
        is_function = placed.chunk.kind is ChunkKind.FUNCTION
        name = signature.name.name
        span = signature.name.span.shifted(placed.base)
        if name in callees:
            report(errors.duplicate("node or function", name, span, spans[name]))
            continue
        spans[name] = span
        # Types in headers of nodes are reported with the node; here they are only looked up.
        note: Report = report if is_function else _silent
        inputs = [
            group_sort(placed, group, table, note)
            for group in signature.inputs
            for _ in group.names
        ]
        outputs: list[Sort | None] = []
        names: list[str] = []
        for group in signature.outputs:
            sort = group_sort(placed, group, table, note)
            for output in group.names:
                if is_function and sort is not None and types.constrained(sort):
                    where = group.type.span.shifted(placed.base)
                    report(errors.constrained_output(output.name, where))
                    sort = None
                outputs.append(sort)
                names.append(output.name)
        callees[name] = environment.callee(
            name, tuple(inputs), tuple(outputs), tuple(names), is_function=is_function
        )
        if is_function:
            _unique(signature, placed, report)
            known_inputs = tuple(sort for sort in inputs if sort is not None)
            known_outputs = tuple(sort for sort in outputs if sort is not None)
            functions.append(Function(name, known_inputs, known_outputs))
    return callees, tuple(functions)


def _unique(signature: Signature, placed: PlacedChunk, report: Report) -> None:
    seen: dict[str, Span] = {}
    for group in (*signature.inputs, *signature.outputs):
        for name in group.names:
            span = name.span.shifted(placed.base)
            if name.name in seen:
                report(errors.duplicate("variable", name.name, span, seen[name.name]))
            seen.setdefault(name.name, span)


def _silent(_: Diagnostic) -> None:
    """Report nothing."""
