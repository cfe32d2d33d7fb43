"""Flat tables for terms, systems and sorts: how they cross process boundaries and are stored.

A table is a list of rows of plain JSON values; a row refers to earlier rows by number, so
neither writing nor reading recurses, however deep a term is. Whole numbers are exact at any
size: they are written as text beyond 53 bits.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field
from fractions import Fraction
from typing import Any, assert_never

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Payload, Site, Term

_EXACT = 1 << 53
"""The largest integer that all readers of JSON keep exactly."""

Plain = Any
"""A JSON value: None, bool, int, str, list or dict of such."""


def value_to_plain(value: Payload) -> Plain:
    """Return a value or a payload as a JSON value; tuples become lists."""
    match value:
        case None | bool() | str():
            return value
        case int():
            return value if -_EXACT < value < _EXACT else {"int": str(value)}
        case Fraction():
            return {"real": str(value)}
        case Site(component, number, outputs):
            return {"site": [component, number, list(outputs)]}
        case tuple():
            return [value_to_plain(item) for item in value]
        case _:
            assert_never(value)


def value_from_plain(plain: Plain) -> Any:
    """Return the value or payload that `value_to_plain` wrote."""
    if isinstance(plain, list):
        return tuple(value_from_plain(item) for item in plain)
    if isinstance(plain, dict):
        if "int" in plain:
            return int(plain["int"])
        if "real" in plain:
            return Fraction(plain["real"])
        component, number, outputs = plain["site"]
        return Site(component, number, tuple(outputs))
    return plain


def sort_to_plain(sort: Sort) -> Plain:
    """Return a sort as a JSON value."""
    match sort:
        case sorts.BoolSort():
            return ["bool"]
        case sorts.IntSort(low, high):
            return ["int", value_to_plain(low), value_to_plain(high)]
        case sorts.RealSort():
            return ["real"]
        case sorts.EnumSort(name, values):
            return ["enum", name, value_to_plain(values)]
        case sorts.WordSort(width, signed):
            return ["word", width, signed]
        case sorts.ArraySort(low, high, element):
            return ["array", low, high, sort_to_plain(element)]
        case sorts.RecordSort(name, fields):
            return ["record", name, [[label, sort_to_plain(s)] for label, s in fields]]
        case sorts.TupleSort(elements):
            return ["tuple", [sort_to_plain(element) for element in elements]]
        case sorts.SetSort(element):
            return ["set", sort_to_plain(element)]
        case _:
            assert_never(sort)


def sort_from_plain(plain: Plain) -> Sort:
    """Return the sort that `sort_to_plain` wrote."""
    match plain:
        case ["bool"]:
            return sorts.BOOL
        case ["int", low, high]:
            return sorts.IntSort(value_from_plain(low), value_from_plain(high))
        case ["real"]:
            return sorts.REAL
        case ["enum", name, values]:
            return sorts.EnumSort(name, value_from_plain(values))
        case ["word", width, signed]:
            return sorts.WordSort(width, signed)
        case ["array", low, high, element]:
            return sorts.ArraySort(low, high, sort_from_plain(element))
        case ["record", name, fields]:
            return sorts.RecordSort(name, tuple((label, sort_from_plain(s)) for label, s in fields))
        case ["tuple", elements]:
            return sorts.TupleSort(tuple(sort_from_plain(element) for element in elements))
        case ["set", element]:
            return sorts.SetSort(sort_from_plain(element))
        case _:
            message = f"no sort: {plain!r}"
            raise ValueError(message)


@dataclass(slots=True)
class TableWriter:
    """Collect terms in a table, each distinct subterm once; mutable."""

    rows: list[Plain] = field(default_factory=list)
    sort_rows: list[Plain] = field(default_factory=list)
    _numbers: dict[Term, int] = field(default_factory=dict)
    _sort_numbers: dict[Sort, int] = field(default_factory=dict)

    def add(self, root: Term) -> int:
        """Add a term and its subterms that are not in the table yet; return the row of the term."""
        return walk.fold(root, self._row, self._numbers)

    def _row(self, term: Term, arguments: tuple[int, ...]) -> int:
        payload = value_to_plain(term.payload)
        self.rows.append([term.op.value, self._sort(term.sort), payload, [*arguments]])
        return len(self.rows) - 1

    def _sort(self, sort: Sort) -> int:
        if sort not in self._sort_numbers:
            self._sort_numbers[sort] = len(self.sort_rows)
            self.sort_rows.append(sort_to_plain(sort))
        return self._sort_numbers[sort]

    def table(self) -> Plain:
        """Return the table so far."""
        return {"sorts": list(self.sort_rows), "terms": list(self.rows)}


def read_table(table: Plain) -> list[Term]:
    """Return the terms of all rows of a table."""
    all_sorts = [sort_from_plain(plain) for plain in table["sorts"]]
    found: list[Term] = []
    for operator, sort, payload, arguments in table["terms"]:
        found.append(
            terms.make(
                Op(operator),
                all_sorts[sort],
                [found[number] for number in arguments],
                value_from_plain(payload),
            )
        )
    return found


def terms_to_plain(wanted: Iterable[Term]) -> Plain:
    """Return terms as a JSON value."""
    writer = TableWriter()
    roots = [writer.add(term) for term in wanted]
    return {**writer.table(), "roots": roots}


def terms_from_plain(plain: Plain) -> tuple[Term, ...]:
    """Return the terms that `terms_to_plain` wrote."""
    found = read_table(plain)
    return tuple(found[root] for root in plain["roots"])


def system_to_plain(system: TransitionSystem) -> Plain:
    """Return a transition system as a JSON value."""
    writer = TableWriter()
    constraints = [
        [c.kind.value, writer.add(c.term), _element_to_plain(c.owner), c.defines, c.instance]
        for c in system.constraints
    ]
    properties = [
        [p.name, writer.add(p.term), p.kind.value, _element_to_plain(p.owner)]
        for p in system.properties
    ]
    variables = [
        [v.name, sort_to_plain(v.sort), v.kind.value, v.shown] for v in system.variables.values()
    ]
    fairness = [writer.add(term) for term in system.fairness]
    compassion = [[writer.add(left), writer.add(right)] for left, right in system.compassion]
    return {
        **writer.table(),
        "variables": variables,
        "constraints": constraints,
        "properties": properties,
        "fairness": fairness,
        "compassion": compassion,
        "relational": system.relational,
    }


def system_from_plain(plain: Plain) -> TransitionSystem:
    """Return the transition system that `system_to_plain` wrote."""
    found = read_table(plain)
    variables = {
        name: SystemVariable(name, sort_from_plain(sort), SystemVariableKind(kind), shown)
        for name, sort, kind, shown in plain["variables"]
    }
    constraints = tuple(
        Constraint(ConstraintKind(kind), found[term], _element_from_plain(owner), defines, instance)
        for kind, term, owner, defines, instance in plain["constraints"]
    )
    properties = tuple(
        SystemProperty(name, found[term], PropertyKind(kind), _element_from_plain(owner))
        for name, term, kind, owner in plain["properties"]
    )
    return TransitionSystem(
        variables,
        constraints,
        properties,
        tuple(found[term] for term in plain["fairness"]),
        tuple((found[left], found[right]) for left, right in plain["compassion"]),
        plain["relational"],
    )


def _element_to_plain(element: ElementId | None) -> Plain:
    return None if element is None else [element.component, element.kind, element.name]


def _element_from_plain(plain: Sequence[str] | None) -> ElementId | None:
    return None if plain is None else ElementId(*plain)
