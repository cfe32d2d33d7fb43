"""Names that are symbolic constants as well; constants are global, wherever declared.

Source: NuSMV 2.6, compile/symb_table/ResolveSymbol; the probes of the 2.6.0 binary for the order: a
variable may precede a constant of its last name as long as it is not used.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.base.diagnostics import Diagnostic
from mutproof.languages.nusmv import errors
from mutproof.languages.nusmv.hierarchy import Hierarchy, ModuleInstance
from mutproof.languages.nusmv.syntax import (
    ArrayType,
    ConstantsDeclaration,
    Declaration,
    DefineDeclaration,
    EnumerationType,
    VariableDeclaration,
)

_Order = tuple[int, ...]
"""The places of a declaration and of the instances around it, outermost first."""


def check(hierarchy: Hierarchy, report: Callable[[Diagnostic], None]) -> None:
    """Report macros named like a constant, and variables declared after such a constant."""
    suspects = []
    for placed in hierarchy.placed:
        declaration = placed.item.declaration
        if isinstance(declaration, DefineDeclaration | VariableDeclaration):
            name = declaration.name
            if name.text in hierarchy.constants:
                place = name.span.shifted(placed.item.base)
                if isinstance(declaration, DefineDeclaration):
                    report(errors.ambiguous(name.text, place))
                else:
                    suspects.append((placed.scope, placed.item, name.text, place))
    if not suspects:
        return
    orders = _Orders(hierarchy)
    wanted = {name for _, _, name, _ in suspects}
    first: dict[str, _Order] = {}
    for placed in hierarchy.placed:
        for constant in _constants(placed.item.declaration):
            if constant in wanted:
                order = orders.of(placed.scope, id(placed.item))
                first[constant] = min(first.get(constant, order), order)
    for scope, item, named, place in suspects:
        order = orders.of(scope, id(item))
        if named in first and first[named] == order:
            report(errors.ambiguous(named, place))
        elif named in first and first[named] < order:
            report(errors.declared_twice(scope.full(named), place, hierarchy.constants[named]))


def _constants(declaration: Declaration) -> Iterator[str]:
    if isinstance(declaration, ConstantsDeclaration):
        yield from (name.text for name in declaration.names)
    if isinstance(declaration, VariableDeclaration):
        type_ = declaration.type
        while isinstance(type_, ArrayType):
            type_ = type_.element
        if isinstance(type_, EnumerationType):
            yield from (value for value, _ in type_.values if isinstance(value, str))


class _Orders:
    """Tell the order in which NuSMV reads declarations, an instance's at its own declaration."""

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._positions: dict[tuple[str, int], int] = {}
        self._instances: dict[str, int] = {}
        for position, placed in enumerate(hierarchy.placed):
            self._positions.setdefault((placed.scope.path, id(placed.item)), position)
            declaration = placed.item.declaration
            if isinstance(declaration, VariableDeclaration):
                full = placed.scope.full(declaration.name.text)
                self._instances.setdefault(full, position)

    def of(self, scope: ModuleInstance, item: int) -> _Order:
        """Return the order of a declaration of an instance."""
        found = [self._positions[scope.path, item]]
        instance: ModuleInstance | None = scope
        while instance is not None and instance.parent is not None:
            found.append(self._instances[instance.path])
            instance = instance.parent
        return tuple(reversed(found))
