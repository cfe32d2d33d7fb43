"""What names mean inside a declaration: values, callables and types.

Meanings are interned: equal ones are the same object, so a statement whose names mean the same
as before is found again by identity.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping
from enum import Enum

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.languages.lustre.types import ResolvedType
from mutproof.model.passes import operands
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term


class ValueKind(Enum):
    """Say what kind of value a name stands for."""

    INPUT = "input"
    OUTPUT = "output"
    LOCAL = "local"
    CONSTANT = "constant"
    ENUM_VALUE = "enumeration value"


@dataclass(frozen=True, slots=True, eq=False)
class Value:
    """Hold the sort and the term of a name; both None where its declaration is broken."""

    kind: ValueKind
    sort: Sort | None
    term: Term | None


@dataclass(frozen=True, slots=True, eq=False)
class Callee:
    """Hold the signature of a node or an uninterpreted function; None for broken types."""

    name: str
    inputs: tuple[Sort | None, ...] | None
    outputs: tuple[Sort | None, ...]
    output_names: tuple[str, ...]
    is_function: bool


_values: Memo[Value] = Memo(200_000)
_callees: Memo[Callee] = Memo(20_000)


def value(kind: ValueKind, sort: Sort | None, term: Term | None) -> Value:
    """Return the one value with this content."""
    return _values.get((kind, sort, term), lambda: Value(kind, sort, term))


def callee(
    name: str,
    inputs: tuple[Sort | None, ...] | None,
    outputs: tuple[Sort | None, ...],
    output_names: tuple[str, ...],
    *,
    is_function: bool,
) -> Callee:
    """Return the one callee with this content."""
    key = (name, inputs, outputs, output_names, is_function)
    return _callees.get(key, lambda: Callee(name, inputs, outputs, output_names, is_function))


@dataclass(frozen=True, slots=True, eq=False)
class Environment:
    """Hold the meaning of names; `lenient`: a broken declaration may have declared more of them.

    `constant`: expressions are those of constants, in which an unused division may be by zero.
    """

    values: Mapping[str, Value]
    callees: Mapping[str, Callee | None]
    types: Mapping[str, ResolvedType | None]
    lenient: bool = False
    constant: bool = False

    def is_constant(self, name: str) -> bool:
        """Tell whether a name stands for one value, at every step."""
        found = self.values.get(name)
        if found is None or found.kind not in {ValueKind.CONSTANT, ValueKind.ENUM_VALUE}:
            return False
        return found.term is None or not operands.remembers(found.term)

    def key(self, mentions: tuple[str, ...]) -> Hashable:
        """Return the meaning of those names as a key: equal keys, equal meaning."""
        values, callees, types = self.values.get, self.callees.get, self.types.get
        found: list[object] = [self.lenient]
        for name in mentions:
            found.append(values(name))
            if name in self.callees:
                found.append(("callee", callees(name)))
            if name in self.types:
                found.append(("type", types(name)))
        return tuple(found)
