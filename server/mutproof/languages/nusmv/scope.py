"""The meaning of names: sorts of variables, types of macros, bindings of parameters.

Meanings are found on demand. A meaning that needs another one raises `Needs`; `Scope.settle`
then finds that one first, on an explicit stack, so chains of macros may be as long as a user
likes and cycles are seen.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import give_way
from mutproof.base.near import near
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, types
from mutproof.languages.nusmv.hierarchy import (
    SELECTOR,
    DefineSymbol,
    Hierarchy,
    InstanceSymbol,
    ModuleInstance,
    ParameterSymbol,
    RunningSymbol,
    SelectorSymbol,
    Symbol,
    VariableSymbol,
    innermost,
)
from mutproof.languages.nusmv.syntax import Expression, InstanceType
from mutproof.languages.nusmv.types import Type
from mutproof.model import sorts, terms, walk
from mutproof.model.constant_operands import constant, constant_int
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term


@dataclass(frozen=True, slots=True)
class Reference:
    """Stand for a full name that has not been read yet; it may name an instance.

    `constant` is a symbolic constant of the same name, which it stands for where it is read;
    `spelled` is the full name of the parameter that is bound to it.
    """

    path: str
    constant: str = ""
    spelled: str = ""


@dataclass(frozen=True, slots=True)
class Operand:
    """Hold a term and its type."""

    term: Term
    type: Type


Meaning: TypeAlias = "Reference | Operand | None"
"""The meaning of a name or expression; None if it is wrong, which is reported once."""


def running(process: ModuleInstance) -> Term:
    """Return the condition under which a process runs. Source: manual §2.3.13."""
    selector = terms.var(SELECTOR, sorts.SYMBOL)
    return terms.eq(selector, terms.const(process.process_name, sorts.SYMBOL))


class Needs(Exception):  # noqa: N818 - control flow of this package
    """Say which names must be settled first."""

    def __init__(self, names: tuple[str, ...]) -> None:
        super().__init__(names)
        self.names = names


@dataclass(frozen=True, slots=True)
class Evaluators:
    """Hold the two evaluations that settling needs and that need settled names in turn."""

    expression: Callable[[Expression, ModuleInstance, int], Meaning]
    sort: Callable[[VariableSymbol], Sort | None]


class NameScope:
    """Settle names of a hierarchy; keeps what is settled, and reports each problem once."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.hierarchy = hierarchy
        self.diagnostics: list[Diagnostic] = list(hierarchy.diagnostics)
        self.sorts: dict[str, Sort | None] = {}
        self.defines: dict[str, Operand | None] = {}
        self.parameters: dict[str, Meaning] = {}
        self.constants: dict[str, Value] = {}  # values of constant macros
        self.fixed: set[str] = set()  # macros that types, widths or bounds read
        self.evaluators: Evaluators | None = None
        self._reported = {(d.code, d.span) for d in self.diagnostics}
        self.unbounded = any(
            isinstance(symbol, VariableSymbol)
            and isinstance(innermost(symbol.declaration.type), InstanceType)
            for symbol in hierarchy.symbols.values()
        )
        self.selector_sort = sorts.EnumSort(
            "", tuple(process.process_name for process in hierarchy.processes)
        )

    def report(self, diagnostic: Diagnostic) -> None:
        """Keep a diagnostic, unless another instance has had the same one."""
        key = (diagnostic.code, diagnostic.span)
        if key not in self._reported:
            self._reported.add(key)
            self.diagnostics.append(diagnostic)

    def fix(self, term: Term) -> int | None:
        """Return the value of a constant that terms do not show, None where it is not constant.

        The macros it reads are `fixed`: other bodies would mean other types.
        """
        value = constant_int(term, self.constants)
        stack = [term]
        while stack:
            for name in walk.variables(stack.pop()):
                body = self.defines.get(name)
                if body is not None and name not in self.fixed:
                    self.fixed.add(name)
                    stack.append(body.term)
        return value

    # --- settling -----------------------------------------------------------------------------

    def unsettled(self, symbol: Symbol | None) -> bool:
        """Tell whether the meaning of a symbol is still to be found."""
        if isinstance(symbol, VariableSymbol):
            return symbol.name not in self.sorts
        if isinstance(symbol, DefineSymbol):
            return symbol.name not in self.defines
        return isinstance(symbol, ParameterSymbol) and symbol.name not in self.parameters

    def settle(self, names: tuple[str, ...]) -> None:
        """Find the meaning of names, and first of those they need."""
        symbols = self.hierarchy.symbols
        stack = list(reversed(names))
        active: set[str] = set()
        while stack:
            give_way()
            name = stack[-1]
            if not self.unsettled(symbols.get(name)):
                stack.pop()
                active.discard(name)
                continue
            try:
                self._compute(symbols[name])
            except Needs as needs:
                active.add(name)
                cyclic = [needed for needed in needs.names if needed in active]
                if cyclic:
                    self._break_cycle(symbols[cyclic[0]])
                else:
                    stack.extend(reversed(needs.names))

    def _compute(self, symbol: Symbol) -> None:
        assert self.evaluators is not None
        if isinstance(symbol, VariableSymbol):
            sort = self.sorts[symbol.name] = self.evaluators.sort(symbol)
            only = None if sort is None else sorts.only_value(sort)
            if only is not None:
                self.constants[symbol.name] = only
        elif isinstance(symbol, DefineSymbol):
            found = self.evaluators.expression(symbol.body, symbol.scope, symbol.item.base)
            value = self.read(found, symbol.span)
            self.defines[symbol.name] = value
            known = None if value is None else constant(value.term, self.constants)
            if known is not None:
                self.constants[symbol.name] = known
        elif isinstance(symbol, ParameterSymbol):
            found = self.evaluators.expression(symbol.actual, symbol.scope, symbol.base)
            self.parameters[symbol.name] = found

    def _break_cycle(self, symbol: Symbol) -> None:
        self.report(errors.recursive_definition(symbol.name, symbol.span))
        if isinstance(symbol, VariableSymbol):
            self.sorts[symbol.name] = None
        elif isinstance(symbol, DefineSymbol):
            self.defines[symbol.name] = None
        else:
            self.parameters[symbol.name] = None

    def has_values(self, symbol: VariableSymbol, place: Span) -> bool:
        """Tell whether the constants among the values of a variable name nothing else.

        Reports at the use of the variable; constants are looked up among the names of main.
        """
        for value in self.hierarchy.values_of(symbol):
            named = self.hierarchy.symbols.get(value)
            if named is not None and not isinstance(named, InstanceSymbol):
                self.report(errors.ambiguous(value, place))
                return False
        return True

    # --- meanings -----------------------------------------------------------------------------

    def refer(self, path: str) -> Meaning:
        """Return the reference to a full name; a parameter means what it is bound to.

        Raises:
            Needs: the parameter is not settled.
        """
        symbol = self.hierarchy.symbols.get(path)
        if isinstance(symbol, ParameterSymbol):
            if path not in self.parameters:
                raise Needs((path,))
            bound = self.parameters[path]
            if isinstance(bound, Reference) and not bound.constant:
                return Reference(bound.path, spelled=path)
            return bound
        return Reference(path)

    def read(self, meaning: Meaning, place: Span) -> Operand | None:
        """Return the value of a meaning; reports names that have none at the absolute `place`.

        Raises:
            Needs: a name is not settled.
        """
        if not isinstance(meaning, Reference):
            return meaning
        path = meaning.path
        symbol = self.hierarchy.symbols.get(path)
        match symbol:
            case VariableSymbol() | DefineSymbol() if self.unsettled(symbol):
                raise Needs((path,))
            case VariableSymbol():
                sort = self.sorts[path] if self.has_values(symbol, place) else None
                return None if sort is None else Operand(terms.var(path, sort), types.of_sort(sort))
            case DefineSymbol():
                body = self.defines[path]
                if body is None:
                    return None
                return Operand(terms.var(path, types.to_sort(body.type)), body.type)
            case RunningSymbol(_, instance, _):
                return Operand(running(instance), types.BOOLEAN)
            case SelectorSymbol():
                return Operand(terms.var(path, sorts.SYMBOL), types.SYMBOLIC)
            case InstanceSymbol() if meaning.constant:
                return Operand(terms.const(meaning.constant, sorts.SYMBOL), types.SYMBOLIC)
            case InstanceSymbol(_, instance, _):
                if instance.is_process:
                    return Operand(terms.const(instance.path, sorts.SYMBOL), types.SYMBOLIC)
                self.report(
                    errors.type_error(
                        f"{path} is an instance of module {instance.module.header.name.text}, "
                        "it has no value",
                        place,
                        f"name one of its variables: `{path}.x`",
                    )
                )
                return None
            case _:
                if path in self.hierarchy.constants:
                    return Operand(terms.const(path, sorts.SYMBOL), types.SYMBOLIC)
                close = self._near(path)
                doubtful = self.hierarchy.doubtful
                known = doubtful.isdisjoint(path.replace("[", ".").split("."))
                if known and (close or not self.hierarchy.lacks_modules):
                    self.report(
                        errors.undefined(path or "self", self._bound(meaning, place), close)
                    )
                return None

    def _bound(self, meaning: Reference, place: Span) -> Span:
        """Return the place of what a parameter is bound to, if that is what is read at a place."""
        symbol = self.hierarchy.symbols.get(meaning.spelled)
        while isinstance(symbol, ParameterSymbol):
            place = symbol.actual.span.shifted(symbol.base)
            bound = self.parameters[symbol.name]
            outer = bound.spelled if isinstance(bound, Reference) else ""
            symbol = self.hierarchy.symbols.get(outer)
        return place

    def _near(self, path: str) -> list[str]:
        """Return constants, and names beside an undefined one, that look like that."""
        inside, dot, name = path.rpartition(".")
        prefix = inside + dot
        beside = (
            known.removeprefix(prefix)
            for known in self.hierarchy.symbols
            if known.startswith(prefix) and "." not in known[len(prefix) :]
        )
        if name.upper() in {"TRUE", "FALSE"}:
            return [name.upper()]
        return near(name, (*beside, *self.hierarchy.constants))
