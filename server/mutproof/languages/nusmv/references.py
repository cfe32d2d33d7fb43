"""Declarations and uses of names: the view of a tree that editors need.

Made from the tree alone, module by module and without unfolding instances, so it is there for
the sound parts of a broken file too and does not grow with the number of instances. A name
behind a dot is looked up in the modules of which the name before it can be an instance; a
parameter can be whatever any instantiation binds it to.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping
from dataclasses import field

from mutproof.base.digraph import reached
from mutproof.base.giving_way import by_steps, give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv.syntax import (
    ArrayType,
    Assignment,
    Compassion,
    ConstantsDeclaration,
    ConstraintSection,
    DefineDeclaration,
    EnumerationType,
    Expression,
    File,
    Form,
    Inclusion,
    InstanceType,
    Item,
    Module,
    RangeType,
    Specification,
    Storage,
    SyntaxNode,
    TypeSyntax,
    VariableDeclaration,
    WordType,
)
from mutproof.model.naming import Declared, NameKind, NameUse, ResolvedNames

MOST_PATHS = 8
LONGEST_PATH = 2_000
"""The longest name of an instance whose contents are listed too, in characters."""
MOST_ACTUALS = 3
LONGEST_DETAIL = 60
MAIN = "main"


def symbols(file: File, text: str) -> ResolvedNames:
    """Return the symbols of a tree and the uses that can be resolved."""
    return _Resolution(file, text).run()


_STORAGE = {
    Storage.INPUT: NameKind.INPUT,
    Storage.STATE: NameKind.STATE,
    Storage.FROZEN: NameKind.FROZEN,
}


@dataclass(frozen=True, slots=True)
class _Binding:
    """Hold the expression to which a parameter is bound, its module and its absolute offset."""

    parameter: Declared
    actual: Expression
    caller: str
    base: int


@dataclass(slots=True)
class _Environment:
    """Hold the names that a module declares."""

    own: dict[str, Declared] = field(default_factory=dict)
    parameters: list[Declared] = field(default_factory=list)


class _Resolution:
    def __init__(self, file: File, text: str) -> None:
        self._text = text
        self._modules: dict[str, Module] = {}
        for module in file.modules:
            self._modules.setdefault(module.header.name.text, module)
        self._declared: list[Declared] = []
        self._references: dict[tuple[Span, Declared], bool] = {}
        self._module_symbols: dict[str, Declared] = {}
        self._constants: dict[str, Declared] = {}
        self._environments: dict[str, _Environment] = {}
        self._included: dict[str, tuple[str, ...]] = {}
        self._types: dict[Declared, dict[str, None]] = {}
        self._actuals: dict[tuple[str, int], dict[str, None]] = {}  # actual parameters as written
        self._bindings: list[_Binding] = []

    def run(self) -> ResolvedNames:
        self._read_actuals()
        for name, module in self._modules.items():
            self._declare(name, module)
        for name in self._modules:
            self._included[name] = tuple(self._inclusions(name))
        self._bind()
        for name, module in self._modules.items():
            for item in by_steps(module.items):
                self._item(name, item)
        found = by_steps(self._references.items())
        references = [NameUse(span, symbol, written) for (span, symbol), written in found]
        give_way()
        references.sort(key=lambda use: (use.span.start, use.span.end))
        return ResolvedNames(
            tuple(self._declared),
            tuple(references),
            {symbol: tuple(modules) for symbol, modules in self._types.items()},
            self._paths(),
            self._included,
        )

    # --- declarations -------------------------------------------------------------------------

    def _shown(self, span: Span) -> str:
        shown = " ".join(self._text[span.start : span.end].split())
        return shown if len(shown) <= LONGEST_DETAIL else f"{shown[: LONGEST_DETAIL - 1]}…"

    def _instantiations(self) -> Iterator[tuple[str, Item, InstanceType]]:
        for caller, module in self._modules.items():
            for item in module.items:
                if isinstance(item.declaration, VariableDeclaration):
                    type_ = item.declaration.type
                    if isinstance(type_, InstanceType) and type_.module in self._modules:
                        yield caller, item, type_

    def _read_actuals(self) -> None:
        for _, item, type_ in self._instantiations():
            for index, actual in enumerate(type_.actuals):
                shown = self._shown(actual.span.shifted(item.base))
                self._actuals.setdefault((type_.module, index), {})[shown] = None

    def _declare(self, name: str, module: Module) -> None:
        give_way()
        header = module.header
        formals = ", ".join(formal.text for formal in header.parameters)
        whole = Span(module.base, module.end)
        symbol = Declared(
            name,
            NameKind.MODULE,
            header.name.span.shifted(module.base),
            whole,
            detail=f"({formals})" if formals else "",
        )
        self._declared.append(symbol)
        self._module_symbols[name] = symbol
        environment = self._environments[name] = _Environment()
        for index, formal in enumerate(header.parameters):
            span = formal.span.shifted(module.base)
            actuals = list(self._actuals.get((name, index), {}))
            detail = " or ".join(actuals[:MOST_ACTUALS])
            detail += " or …" if len(actuals) > MOST_ACTUALS else ""
            parameter = Declared(formal.text, NameKind.PARAMETER, span, span, name, detail)
            environment.parameters.append(parameter)
            environment.own.setdefault(formal.text, parameter)
            self._declared.append(parameter)
        for item in by_steps(module.items):
            made = self._symbol(name, item)
            if made is not None:
                self._declared.append(made)
                if made.kind is not NameKind.PROPERTY:
                    environment.own.setdefault(made.text, made)

    def _symbol(self, module: str, item: Item) -> Declared | None:
        declaration = item.declaration
        match declaration:
            case VariableDeclaration(name, storage, type_):
                kind = _STORAGE[storage]
                self._add_constants(type_, item.base)
                detail = self._shown(type_.span.shifted(item.base))
            case DefineDeclaration(name, body):
                kind = NameKind.DEFINE
                detail = self._shown(body.span.shifted(item.base))
            case Specification(_, declared, _, _, _) if declared is not None:
                name, kind, detail = declared, NameKind.PROPERTY, declaration.kind.value
            case ConstantsDeclaration(names):
                for constant in names:
                    self._add_constant(constant.text, constant.span.shifted(item.base))
                return None
            case _:
                return None
        span = name.span.shifted(item.base)
        made = Declared(name.text, kind, span, item.span, module, detail)
        if isinstance(declaration, VariableDeclaration) and self._is_instance(declaration.type):
            made = Declared(name.text, NameKind.INSTANCE, span, item.span, module, detail)
            assert isinstance(declaration.type, InstanceType)
            self._types[made] = {declaration.type.module: None}
        return made

    def _is_instance(self, type_: TypeSyntax) -> bool:
        return isinstance(type_, InstanceType) and type_.module in self._modules

    def _add_constants(self, type_: TypeSyntax, base: int) -> None:
        while isinstance(type_, ArrayType):
            type_ = type_.element
        if isinstance(type_, EnumerationType):
            for value, span in by_steps(type_.values):
                if isinstance(value, str):
                    self._add_constant(value, span.shifted(base))

    def _add_constant(self, name: str, span: Span) -> None:
        """Add a constant; further declarations of its name are references to it."""
        if name not in self._constants:
            self._constants[name] = Declared(name, NameKind.CONSTANT, span, span)
            self._declared.append(self._constants[name])
        elif span != self._constants[name].name:
            self._references[span, self._constants[name]] = False

    def _inclusions(self, name: str) -> list[str]:
        """Return the modules that a module includes, each once."""

        def inclusions(module: str) -> Iterator[str]:
            for item in self._modules[module].items:
                if isinstance(item.declaration, Inclusion):
                    included = item.declaration.module.text
                    if included in self._modules:
                        yield included

        return [*reached([name], inclusions)][1:]

    # --- what parameters are bound to ---------------------------------------------------------

    def _bind(self) -> None:
        for caller, item, type_ in self._instantiations():
            formals = self._environments[type_.module].parameters
            for formal, actual in zip(formals, type_.actuals, strict=False):
                self._bindings.append(_Binding(formal, actual, caller, item.base))
        readers: dict[Declared, list[_Binding]] = {}
        for binding in self._bindings:
            for node in binding.actual.nodes:
                if node.form is Form.NAME:
                    read = self._lookup(binding.caller, str(node.value))
                    if read is not None:
                        readers.setdefault(read, []).append(binding)
        queue = deque(self._bindings)
        while queue:
            binding = queue.popleft()
            known = self._types.setdefault(binding.parameter, {})
            found = self._resolved(binding.actual, binding.caller, binding.base, keep=False)
            if any(module not in known for module in found):
                known.update(dict.fromkeys(found))
                queue.extend(readers.get(binding.parameter, ()))

    def _lookup(self, module: str, name: str) -> Declared | None:
        """Return the declaration of a name in a module or those it includes; None if none."""
        for owner in (module, *self._included.get(module, ())):
            found = self._environments[owner].own.get(name)
            if found is not None:
                return found
        return None

    # --- uses ---------------------------------------------------------------------------------

    def _item(self, module: str, item: Item) -> None:
        declaration, base = item.declaration, item.base
        match declaration:
            case VariableDeclaration(_, _, type_):
                self._type(type_, module, base)
            case DefineDeclaration(_, body) | ConstraintSection(_, body, _):
                self._resolved(body, module, base)
            case Assignment(_, target, body, _):
                self._resolved(target, module, base, writes=True)
                self._resolved(body, module, base)
            case Compassion(premise, conclusion, _):
                self._resolved(premise, module, base)
                self._resolved(conclusion, module, base)
            case Specification(_, _, body, target, context):
                within: tuple[str, ...] = (module,)
                if context is not None:
                    within = self._resolved(context, module, base)
                for part in (body, target):
                    if part is not None and within:
                        self._resolved(part, within[0], base)
            case Inclusion(name):
                self._use_module(name.text, name.span.shifted(base))
            case ConstantsDeclaration():
                pass

    def _type(self, type_: TypeSyntax, module: str, base: int) -> None:
        while isinstance(type_, ArrayType):
            self._resolved(type_.low, module, base)
            self._resolved(type_.high, module, base)
            type_ = type_.element
        match type_:
            case RangeType(low, high, _):
                self._resolved(low, module, base)
                self._resolved(high, module, base)
            case WordType(_, width, _):
                self._resolved(width, module, base)
            case InstanceType(name, span, actuals, _, _):
                self._use_module(name, span.shifted(base))
                for actual in actuals:
                    self._resolved(actual, module, base)
            case _:
                pass

    def _use_module(self, name: str, span: Span) -> None:
        if name in self._module_symbols:
            self._references[span, self._module_symbols[name]] = False

    def _resolved(
        self,
        expression: Expression,
        module: str,
        base: int,
        *,
        keep: bool = True,
        writes: bool = False,
    ) -> tuple[str, ...]:
        """Return the modules of which an expression may be an instance; record the uses in it."""
        results: list[tuple[str, ...]] = []
        last: tuple[Span, Declared] | None = None
        for node in by_steps(expression.nodes):
            modules: dict[str, None] = {}
            for span, symbol in self._meant(node, results, module):
                modules.update(self._types.get(symbol, {}))
                if keep:
                    last = (span.shifted(base), symbol)
                    self._references.setdefault(last, False)
            if node.form is Form.SELF:
                modules[module] = None
            results.append(tuple(modules))
        if writes and last is not None:
            self._references[last] = True
        return results[-1]

    def _meant(
        self,
        node: SyntaxNode,
        results: list[tuple[str, ...]],
        module: str,
    ) -> Iterator[tuple[Span, Declared]]:
        """Yield what a node names, with the span of the name relative to the declaration."""
        if node.form is Form.NAME:
            found = self._lookup(module, str(node.value))
            found = self._constants.get(str(node.value)) if found is None else found
            if found is not None:
                yield node.token, found
        elif node.form is Form.DOT:
            name = str(node.value)
            span = Span(node.whole.end - len(name), node.whole.end)
            for owner in results[node.args[0]]:
                member = self._lookup(owner, name)
                if member is not None:
                    yield span, member

    def _paths(self) -> Mapping[str, tuple[str, ...]]:
        """Return full names of instances, breadth first, at most MOST_PATHS of each module."""
        found: dict[str, list[str]] = {}
        queue = deque([(MAIN, "")] if MAIN in self._modules else [])
        while queue:
            name, path = queue.popleft()
            if len(found.setdefault(name, [])) == MOST_PATHS or len(path) > LONGEST_PATH:
                continue
            found[name].append(path)
            for owner in (name, *self._included[name]):
                if owner != name:
                    found.setdefault(owner, []).append(path)
                for symbol in self._environments[owner].own.values():
                    if symbol.kind is NameKind.INSTANCE:
                        inner = f"{path}.{symbol.text}" if path else symbol.text
                        queue.extend((module, inner) for module in self._types[symbol])
        return {name: tuple(paths[:MOST_PATHS]) for name, paths in found.items()}
