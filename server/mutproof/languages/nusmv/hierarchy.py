"""The instances of a model: modules unfolded from `main`, and what every full name stands for.

Nothing is evaluated here. Full names are dotted paths from `main`, whose own path is empty.
Source: NuSMV 2.6 user manual §2.3.11–2.3.13; compile/symb_table for the order of declarations.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import field
from typing import TypeAlias

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import by_steps
from mutproof.base.near import near
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, syntax
from mutproof.languages.nusmv.syntax import (
    ArrayType,
    ConstantsDeclaration,
    DefineDeclaration,
    EnumerationType,
    Expression,
    File,
    Form,
    Inclusion,
    InstanceType,
    Item,
    Module,
    VariableDeclaration,
)

MOST_INSTANCES = 20_000
DEEPEST_INSTANCE = 500
MAIN = "main"
SELECTOR = "_process_selector_"
RUNNING = "running"
UNBOUNDED = frozenset({"integer", "real"})


@dataclass(frozen=True, slots=True, eq=False)
class ModuleInstance:
    """Hold one copy of a module. `process` is the instance whose running lets it change."""

    path: str
    module: Module
    parent: ModuleInstance | None
    is_process: bool
    process: ModuleInstance | None
    depth: int = 0

    def full(self, name: str) -> str:
        """Return the full name of a name of this instance."""
        return f"{self.path}.{name}" if self.path else name

    @property
    def runner(self) -> ModuleInstance:
        """Return the process whose steps change what this instance assigns."""
        return self if self.is_process or self.process is None else self.process

    @property
    def process_name(self) -> str:
        """Return the constant that stands for this instance in the process selector."""
        return self.path or MAIN


@dataclass(frozen=True, slots=True, eq=False)
class VariableSymbol:
    """Stand for a declared variable; its type is evaluated in `scope`."""

    name: str
    declaration: VariableDeclaration
    scope: ModuleInstance
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class DefineSymbol:
    """Stand for a macro."""

    name: str
    item: Item
    body: Expression
    scope: ModuleInstance
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class ParameterSymbol:
    """Stand for a formal parameter: the actual means what it means in `scope`, the caller."""

    name: str
    actual: Expression
    base: int
    scope: ModuleInstance
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class InstanceSymbol:
    """Stand for an instance; a process is also a value of the process selector."""

    name: str
    instance: ModuleInstance
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class RunningSymbol:
    """Stand for `running` of a process."""

    name: str
    instance: ModuleInstance
    span: Span


@dataclass(frozen=True, slots=True, eq=False)
class SelectorSymbol:
    """Stand for the process selector."""

    name: str
    span: Span


Symbol: TypeAlias = (
    VariableSymbol
    | DefineSymbol
    | ParameterSymbol
    | InstanceSymbol
    | RunningSymbol
    | SelectorSymbol
)


@dataclass(frozen=True, slots=True, eq=False)
class PlacedItem:
    """Hold a declaration of an instance and the module whose text holds it."""

    item: Item
    owner: str
    scope: ModuleInstance


@dataclass(slots=True)
class Hierarchy:
    """Hold what unfolding found; filled by `unfold`, read afterwards.

    `lacks_modules`: some instance has no contents, so names may lack that are not misspelt.
    `unbounded`: names of types without bounds, those that are no modules of the file.
    """

    instances: list[ModuleInstance] = field(default_factory=list)  # callers first
    symbols: dict[str, Symbol] = field(default_factory=dict)
    constants: dict[str, Span] = field(default_factory=dict)
    placed: list[PlacedItem] = field(default_factory=list)  # callers first, in source order
    processes: list[ModuleInstance] = field(default_factory=list)
    doubtful: frozenset[str] = frozenset()
    lacks_modules: bool = False
    unbounded: frozenset[str] = UNBOUNDED
    defined: dict[tuple[Item, str], DefineSymbol] = field(default_factory=dict)
    diagnostics: list[Diagnostic] = field(default_factory=list)
    _prefixes: set[str] = field(default_factory=set)

    def values_of(self, symbol: VariableSymbol) -> Iterator[str]:
        """Yield the symbolic constants in the type of a variable."""
        type_ = innermost(symbol.declaration.type)
        if isinstance(type_, EnumerationType):
            yield from (value for value, _ in type_.values if isinstance(value, str))

    def begins_names(self, path: str) -> bool:
        """Tell whether declared names go on after an index: `a[1]` where there is `a[1].x`."""
        if not self._prefixes:
            self._prefixes.add("")
            for name in self.symbols:
                end = name.find("]")
                while end >= 0:
                    self._prefixes.add(name[: end + 1])
                    end = name.find("]", end + 1)
        return path in self._prefixes


def innermost(type_: syntax.TypeSyntax) -> syntax.TypeSyntax:
    """Return the type of the elements of an array, also of arrays in it; else the type itself."""
    while isinstance(type_, ArrayType):
        type_ = type_.element
    return type_


def unfold(file: File) -> Hierarchy:
    """Return the instances and names of the model in a file."""
    return _Unfolding(file).run()


class _Unfolding:
    def __init__(self, file: File) -> None:
        self._file = file
        self._result = Hierarchy(doubtful=file.doubtful)
        self._modules: dict[str, Module] = {}
        self._reported: set[tuple[str, Span]] = set()
        self._bodies: dict[str, list[tuple[Item, str]]] = {}
        self._aliases: dict[str, str] = {}

    def _report(self, diagnostic: Diagnostic) -> None:
        key = (diagnostic.code, diagnostic.span)
        if key not in self._reported:
            self._reported.add(key)
            self._result.diagnostics.append(diagnostic)

    def run(self) -> Hierarchy:
        for module in self._file.modules:
            name = module.header.name
            place = name.span.shifted(module.base)
            if name.text in self._modules:
                first = self._modules[name.text]
                earlier = first.header.name.span.shifted(first.base)
                self._report(errors.declared_twice(name.text, place, earlier))
            else:
                self._modules[name.text] = module
        self._result.unbounded -= self._modules.keys()
        main = self._modules.get(MAIN)
        if main is None:
            close = [self._modules[name] for name in near(MAIN, self._modules, most=1)]
            places = [one.header.name.span.shifted(one.base) for one in close]
            if close or not self._file.broken:  # else it may be in what is broken
                self._report(errors.no_main(*places or [Span(0, 0)], meant=bool(close)))
            return self._result
        if main.header.parameters:
            place = main.header.parameters[0].span.shifted(main.base)
            self._report(errors.main_parameters(place))
        has_process = any(
            isinstance(item.declaration, VariableDeclaration)
            and isinstance(item.declaration.type, InstanceType)
            and item.declaration.type.process
            for module in self._file.modules
            for item in module.items
        )
        root = ModuleInstance("", main, None, True, None)
        stack = [root]
        while stack:
            instance = stack.pop()
            if len(self._result.instances) >= MOST_INSTANCES:
                place = main.header.name.span.shifted(main.base)
                self._report(errors.too_many_instances(MOST_INSTANCES, place))
                break
            self._result.instances.append(instance)
            if instance.is_process and has_process:
                self._add_process(instance)
            stack.extend(reversed(list(self._declare(instance))))
        if len(self._result.processes) > 1:
            span = main.header.name.span.shifted(main.base)
            self._add(SelectorSymbol(SELECTOR, span))
            self._result.constants.setdefault(MAIN, span)
        return self._result

    def _add_process(self, instance: ModuleInstance) -> None:
        self._result.processes.append(instance)
        name = instance.full(RUNNING)
        span = instance.module.header.name.span.shifted(instance.module.base)
        self._result.symbols[name] = RunningSymbol(name, instance, span)

    def _body(self, module: Module) -> list[tuple[Item, str]]:
        """Return the declarations of a module and of those it includes, each with its owner."""
        name = module.header.name.text
        if name in self._bodies:
            return self._bodies[name]
        found: list[tuple[Item, str]] = []
        stack: list[tuple[Iterator[Item], str]] = [(iter(module.items), name)]
        while stack:
            items, owner = stack[-1]
            item = next(items, None)
            if item is None:
                stack.pop()
            elif isinstance(item.declaration, Inclusion):
                included = item.declaration.module
                place = included.span.shifted(item.base)
                base = self._modules.get(included.text)
                if base is None:
                    self._report(
                        errors.undefined_module(
                            included.text, place, near(included.text, self._modules)
                        )
                    )
                elif any(included.text == open_owner for _, open_owner in stack):
                    self._report(errors.recursive_module(included.text, place))
                else:
                    stack.append((iter(base.items), included.text))
            else:
                found.append((item, owner))
        self._bodies[name] = found
        return found

    def _add(self, symbol: Symbol) -> None:
        symbols = self._result.symbols
        first = symbols.get(symbol.name)
        if first is not None:
            self._report(errors.declared_twice(symbol.name, symbol.span, first.span))
        else:
            symbols[symbol.name] = symbol

    def _full(self, instance: ModuleInstance, name: str) -> str:
        """Return the full name of a declared name; in `p.x`, p may be a parameter."""
        first, dot, rest = name.partition(".")
        alias = self._aliases.get(instance.full(first)) if dot else None
        return instance.full(name) if alias is None else f"{alias}.{rest}" if alias else rest

    def _alias(self, actual: Expression, caller: ModuleInstance) -> str | None:
        """Return the full name that an actual parameter denotes; None if it is not a name."""
        path = ""
        for node in actual.nodes:
            if node.form is Form.SELF:
                path = caller.path
            elif node.form is Form.NAME:
                full = caller.full(str(node.value))
                path = self._aliases.get(full, full)
            elif node.form is Form.DOT:
                path = f"{path}.{node.value}" if path else str(node.value)
            else:
                return None
        return path

    def _declare(self, instance: ModuleInstance) -> Iterator[ModuleInstance]:
        """Add the symbols of an instance, macros before variables; yield its children."""
        body = self._body(instance.module)
        for item, _ in by_steps(body):
            if isinstance(item.declaration, DefineDeclaration):
                name = item.declaration.name
                full = self._full(instance, name.text)
                span = name.span.shifted(item.base)
                symbol = DefineSymbol(full, item, item.declaration.body, instance, span)
                self._add(symbol)
                if self._result.symbols.get(full) is symbol:
                    self._result.defined[item, instance.path] = symbol
        children = []
        for item, owner in by_steps(body):
            self._result.placed.append(PlacedItem(item, owner, instance))
            declaration = item.declaration
            if isinstance(declaration, ConstantsDeclaration):
                for constant in declaration.names:
                    place = constant.span.shifted(item.base)
                    self._result.constants.setdefault(constant.text, place)
            elif isinstance(declaration, VariableDeclaration):
                type_ = declaration.type
                unbounded = self._result.unbounded
                if isinstance(type_, InstanceType) and type_.module not in unbounded:
                    child = self._instantiate(instance, item, declaration)
                    if child is not None:
                        children.append(child)
                    continue
                full = self._full(instance, declaration.name.text)
                span = declaration.name.span.shifted(item.base)
                self._add(VariableSymbol(full, declaration, instance, span))
                self._add_constants(type_, item.base)
        return iter(children)

    def _add_constants(self, type_: syntax.TypeSyntax, base: int) -> None:
        type_ = innermost(type_)
        if isinstance(type_, EnumerationType):
            for value, span in by_steps(type_.values):
                if isinstance(value, str):
                    self._result.constants.setdefault(value, span.shifted(base))

    def _instantiate(
        self, parent: ModuleInstance, item: Item, declaration: VariableDeclaration
    ) -> ModuleInstance | None:
        type_ = declaration.type
        assert isinstance(type_, InstanceType)
        place = type_.module_span.shifted(item.base)
        full = parent.full(declaration.name.text)
        span = declaration.name.span.shifted(item.base)
        if declaration.storage is not syntax.Storage.STATE:
            self._report(
                errors.storage(
                    f"an instance cannot be declared in {declaration.storage.value}",
                    place,
                    "declare instances in VAR",
                )
            )
            return None
        module = self._modules.get(type_.module)
        if module is None:
            if type_.module not in self._file.doubtful:
                self._report(
                    errors.undefined_module(type_.module, place, near(type_.module, self._modules))
                )
            self._result.doubtful |= {declaration.name.text}
            self._result.lacks_modules = True
            return None
        ancestor: ModuleInstance | None = parent
        while ancestor is not None:
            if ancestor.module is module:
                self._report(errors.recursive_module(type_.module, place))
                return None
            ancestor = ancestor.parent
        if parent.depth >= DEEPEST_INSTANCE:
            self._report(errors.too_many_instances(DEEPEST_INSTANCE, place))
            return None
        formals = module.header.parameters
        if len(formals) != len(type_.actuals):
            self._report(errors.wrong_arity(type_.module, len(formals), len(type_.actuals), place))
            # Which of them are meant is not clear, but other errors of the module are.
            self._result.doubtful |= {formal.text for formal in formals}
            formals = ()
        owner = parent if parent.is_process else parent.process
        child = ModuleInstance(full, module, parent, type_.process, owner, parent.depth + 1)
        self._add(InstanceSymbol(full, child, span))
        for formal, actual in zip(formals, type_.actuals, strict=False):
            alias = self._alias(actual, parent)
            if alias is not None:
                self._aliases[child.full(formal.text)] = alias
            self._add(
                ParameterSymbol(
                    child.full(formal.text),
                    actual,
                    item.base,
                    parent,
                    formal.span.shifted(module.base),
                )
            )
        return child
