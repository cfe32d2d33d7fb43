"""Declarations and uses of names: the view of a tree that editors need.

Made from the tree alone, so it also covers the sound parts of a broken file. Fields are found by
the declared types of variables.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.span import Span
from mutproof.languages.lustre.syntax import (
    Assertion,
    ChunkKind,
    ConstantDeclaration,
    CorePragma,
    Equation,
    Expression,
    FileTree,
    Identifier,
    NodeTree,
    PlacedChunk,
    PropertyStatement,
    RealizablePragma,
    Shape,
    Signature,
    TypeDeclaration,
    TypeExpression,
    TypeKind,
    VariableGroup,
)
from mutproof.model import naming
from mutproof.model.naming import Declared, NameUse, ResolvedNames

MOST_OF_VALUE: Final = 40
"""The most characters of the value of a constant that is shown beside its name."""


def symbols(tree: FileTree, content: str) -> ResolvedNames:
    """Return the names of a tree and their uses; `content` is the text it was parsed from."""
    return _Collector(tree, content).result()


UNNAMED = "?"
"""The container of names in a node whose header is broken."""


class _Collector:
    """Collect the names of a tree: declarations first, then uses."""

    def __init__(self, tree: FileTree, content: str) -> None:
        self._tree = tree
        self._content = content
        self._symbols: list[Declared] = []
        self._references: list[NameUse] = []
        self._values: dict[str, Declared] = {}
        self._types: dict[str, Declared] = {}
        self._callables: dict[str, Declared] = {}
        self._fields: dict[tuple[str, str], Declared] = {}
        self._type_trees: dict[str, TypeExpression] = {}
        self._local: dict[str, Declared] = {}
        self._local_types: dict[str, TypeExpression] = {}
        self._constant_types: dict[str, TypeExpression] = {}
        self._output_types: dict[str, tuple[TypeExpression, ...]] = {}

    def result(self) -> ResolvedNames:
        scopes: list[tuple[dict[str, Declared], dict[str, TypeExpression]]] = [
            self._declare(part) for part in by_steps(self._tree.declarations)
        ]
        for part, (local, local_types) in zip(self._tree.declarations, scopes, strict=True):
            self._local, self._local_types = local, local_types
            self._use(part)
        self._symbols.sort(key=lambda symbol: (symbol.name.start, symbol.name.end))
        self._references.sort(key=lambda use: (use.span.start, use.span.end))
        return ResolvedNames(tuple(self._symbols), tuple(self._references))

    # --- declarations

    def _declare(
        self, part: PlacedChunk | NodeTree
    ) -> tuple[dict[str, Declared], dict[str, TypeExpression]]:
        local: dict[str, Declared] = {}
        types: dict[str, TypeExpression] = {}
        placed = part.header if isinstance(part, NodeTree) else part
        whole = part.whole if isinstance(part, NodeTree) else part.span
        match placed.chunk.tree:
            case TypeDeclaration(name, type_):
                self._declare_type(placed, name, type_)
            case ConstantDeclaration(name, type_, value):
                detail = "" if type_ is None else self._text(type_.span, placed.base)
                said = self._text(value.span, placed.base)
                said = said if len(said) <= MOST_OF_VALUE else "…"
                symbol = self._add(
                    name, naming.NameKind.CONSTANT, placed, whole, detail=detail, value=said
                )
                self._values.setdefault(name.name, symbol)
                if type_ is None and value.kind is Shape.RECORD:
                    type_ = _named(value.text)
                if type_ is not None:
                    self._constant_types.setdefault(name.name, type_)
            case Signature() as signature:
                is_function = placed.chunk.kind is ChunkKind.FUNCTION
                kind = naming.NameKind.FUNCTION if is_function else naming.NameKind.COMPONENT
                symbol = self._add(
                    signature.name, kind, placed, whole, detail=self._signature(signature, placed)
                )
                self._callables.setdefault(signature.name.name, symbol)
                self._output_types.setdefault(
                    signature.name.name,
                    tuple(group.type for group in signature.outputs for _ in group.names),
                )
                container = signature.name.name
                for groups, variable in (
                    (signature.inputs, naming.NameKind.INPUT),
                    (signature.outputs, naming.NameKind.OUTPUT),
                ):
                    for group in by_steps(groups):
                        self._declare_group(
                            placed, group, variable, container, scope=(local, types)
                        )
                if isinstance(part, NodeTree):
                    self._declare_locals(part, container, (local, types))
            case _:
                if isinstance(part, NodeTree):
                    self._declare_locals(part, UNNAMED, (local, types))
        return local, types

    def _declare_locals(
        self,
        node: NodeTree,
        container: str,
        scope: tuple[dict[str, Declared], dict[str, TypeExpression]],
    ) -> None:
        for placed in by_steps(node.locals):
            if isinstance(placed.chunk.tree, VariableGroup):
                self._declare_group(
                    placed, placed.chunk.tree, naming.NameKind.LOCAL, container, scope=scope
                )

    def _declare_group(
        self,
        placed: PlacedChunk,
        group: VariableGroup,
        kind: naming.NameKind,
        container: str,
        *,
        scope: tuple[dict[str, Declared], dict[str, TypeExpression]],
    ) -> None:
        local, types = scope
        detail = self._text(group.type.span, placed.base)
        whole = Span(group.names[0].start, group.type.end).shifted(placed.base)
        for name in by_steps(group.names):
            symbol = self._add(name, kind, placed, whole, container=container, detail=detail)
            local.setdefault(name.name, symbol)
            types.setdefault(name.name, group.type)

    def _declare_type(self, placed: PlacedChunk, name: Identifier, type_: TypeExpression) -> None:
        detail = self._text(type_.span, placed.base)
        symbol = self._add(name, naming.NameKind.TYPE, placed, placed.span, detail=detail)
        self._types.setdefault(name.name, symbol)
        self._type_trees.setdefault(name.name, type_)
        if type_.kind is TypeKind.ENUM:
            for value in by_steps(type_.names):
                found = self._add(
                    value,
                    naming.NameKind.ENUM_VALUE,
                    placed,
                    value.span.shifted(placed.base),
                    container=name.name,
                    detail=name.name,
                )
                self._values.setdefault(value.name, found)
        elif type_.kind is TypeKind.STRUCT:
            for field, part in zip(type_.names, type_.parts, strict=True):
                found = self._add(
                    field,
                    naming.NameKind.FIELD,
                    placed,
                    Span(field.start, part.end).shifted(placed.base),
                    container=name.name,
                    detail=self._text(part.span, placed.base),
                )
                self._fields.setdefault((name.name, field.name), found)

    def _add(
        self,
        name: Identifier,
        kind: naming.NameKind,
        placed: PlacedChunk,
        whole: Span,
        *,
        container: str = "",
        detail: str = "",
        value: str = "",
    ) -> Declared:
        at = name.span.shifted(placed.base)
        symbol = Declared(name.name, kind, at, whole, container, detail, value)
        self._symbols.append(symbol)
        return symbol

    def _text(self, span: Span, base: int) -> str:
        return " ".join(self._content[base + span.start : base + span.end].split())

    def _signature(self, signature: Signature, placed: PlacedChunk) -> str:
        def listed(groups: tuple[VariableGroup, ...]) -> str:
            return "; ".join(
                f"{', '.join(name.name for name in group.names)}: "
                f"{self._text(group.type.span, placed.base)}"
                for group in groups
            )

        return f"({listed(signature.inputs)}) returns ({listed(signature.outputs)})"

    # --- uses

    def _use(self, part: PlacedChunk | NodeTree) -> None:
        if isinstance(part, PlacedChunk):
            self._use_chunk(part)
            return
        for placed in (part.header, *part.locals, *part.statements):
            self._use_chunk(placed)

    def _use_chunk(self, placed: PlacedChunk) -> None:
        base = placed.base
        match placed.chunk.tree:
            case TypeDeclaration(_, type_):
                self._use_type(type_, base)
            case ConstantDeclaration(_, type_, value):
                if type_ is not None:
                    self._use_type(type_, base)
                self._use_expression(value, base)
            case Signature(_, inputs, outputs):
                for group in (*inputs, *outputs):
                    self._use_type(group.type, base)
            case VariableGroup(_, type_):
                self._use_type(type_, base)
            case Equation(targets, _, body):
                for target in targets:
                    self._refer(self._local.get(target.name), target, base, writes=True)
                self._use_expression(body, base)
            case Assertion(_, body):
                self._use_expression(body, base)
            case PropertyStatement(_, part):
                self._use_expression(part, base)
            case CorePragma(names) | RealizablePragma(names):
                for name in names:
                    self._refer(self._local.get(name.name), name, base)
            case _:
                pass

    def _use_type(self, type_: TypeExpression, base: int) -> None:
        stack = [type_]
        while stack:
            current = stack.pop()
            if current.kind is TypeKind.NAMED:
                name = current.names[0]
                self._refer(self._types.get(name.name), name, base)
            stack.extend(current.parts)

    def _use_expression(self, root: Expression, base: int) -> None:
        give_way()
        stack = [root]
        while stack:
            expression = stack.pop()
            stack.extend(expression.args)
            if expression.kind is Shape.NAME:
                found = self._local.get(expression.text) or self._values.get(expression.text)
                if found is not None:
                    span = Span(base + expression.token_start, base + expression.token_end)
                    self._references.append(NameUse(span, found))
                continue
            token = Identifier(expression.text, expression.token_start, expression.token_end)
            match expression.kind:
                case Shape.CALL:
                    self._refer(self._callables.get(token.name), token, base)
                case Shape.RECORD:
                    self._refer(self._types.get(token.name), token, base)
                    record = self._record_name(_named(token.name))
                    for name in expression.names:
                        self._refer(self._fields.get((record, name.name)), name, base)
                case Shape.FIELD | Shape.RECORD_UPDATE:
                    name = expression.names[0]
                    record = self._record_of(expression.args[0])
                    self._refer(self._fields.get((record, name.name)), name, base)
                case _:
                    pass

    def _refer(
        self, symbol: Declared | None, name: Identifier, base: int, *, writes: bool = False
    ) -> None:
        if symbol is not None:
            self._references.append(NameUse(name.span.shifted(base), symbol, writes))

    # --- types of records, as far as they are written

    def _record_of(self, expression: Expression) -> str:
        """Return the name of the record type of an expression; empty if unknown."""
        return self._record_name(self._written_type(expression))

    def _written_type(self, expression: Expression) -> TypeExpression | None:
        """Return the declared type of an expression; None if its parts have none."""
        steps: list[Expression] = []
        current = expression
        found: TypeExpression | None = None
        while True:
            match current.kind:
                case Shape.NAME:
                    found = self._local_types.get(current.text) or self._constant_types.get(
                        current.text
                    )
                    break
                case Shape.CALL:
                    outputs = self._output_types.get(current.text, ())
                    found = outputs[0] if len(outputs) == 1 else None
                    break
                case Shape.RECORD:
                    found = _named(current.text)
                    break
                case Shape.FIELD | Shape.INDEX:
                    steps.append(current)
                    current = current.args[0]
                case Shape.PREFIX | Shape.RECORD_UPDATE | Shape.ARRAY_UPDATE:
                    current = current.args[0]
                case Shape.CONDITIONAL | Shape.CONDACT:
                    current = current.args[1]
                case Shape.BINARY if current.text == "->":
                    current = current.args[0]
                case _:
                    return None
        for step in reversed(steps):
            found = self._step(found, step)
        return found

    def _step(self, type_: TypeExpression | None, step: Expression) -> TypeExpression | None:
        if step.kind is Shape.INDEX:
            array = self._unalias(type_)
            is_array = array is not None and array.kind is TypeKind.ARRAY
            return array.parts[0] if array is not None and is_array else None
        struct = self._type_trees.get(self._record_name(type_))
        if struct is None:
            return None
        for name, part in zip(struct.names, struct.parts, strict=False):
            if name.name == step.text:
                return part
        return None

    def _aliases(self, type_: TypeExpression | None) -> Iterator[tuple[str, TypeExpression]]:
        """Yield the types that a named type stands for with their names, alias by alias."""
        seen: set[str] = set()
        while type_ is not None and type_.kind is TypeKind.NAMED:
            name = type_.names[0].name
            if name in seen or name not in self._type_trees:
                return
            seen.add(name)
            type_ = self._type_trees[name]
            yield name, type_

    def _unalias(self, type_: TypeExpression | None) -> TypeExpression | None:
        for _, meant in self._aliases(type_):
            type_ = meant
        return type_

    def _record_name(self, type_: TypeExpression | None) -> str:
        for name, meant in self._aliases(type_):
            if meant.kind is TypeKind.STRUCT:
                return name
        return ""


def _named(name: str) -> TypeExpression:
    """Return a type expression that names a declared type."""
    return TypeExpression(TypeKind.NAMED, 0, 0, names=(Identifier(name, 0, 0),))
