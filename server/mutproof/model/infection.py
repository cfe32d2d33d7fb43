"""Whether a changed element changes any value in executions of a program that runs forward.

If another body gives an element its old values at all steps of an execution and in all instances,
the execution is one of the changed program too, which need not be run.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import field
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import semantics, sorts, walk
from mutproof.model.arbitrary import Functions, timeless
from mutproof.model.execution import Execution
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.program import Bodies, Element, ElementId
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term
from mutproof.model.values import built

_CALLS = frozenset({Op.CALL, Op.CONDACT})
_BY_STEP = frozenset({Op.APPLY, *BY_ZERO})
"""Operators whose value may depend on the choices of an execution."""
_UNCLEAR: Any = object()
"""The value of what is not computed here: a `pre` at the first step."""

Shown = tuple[tuple[ElementId, str, tuple[Any, ...]], ...]
"""For changed elements and the prefixes of their instances: the values at each step."""


@dataclass(frozen=True, slots=True)
class Column:
    """Hold the values of a term at the steps at which an instance runs, execution by execution.

    It is `clear` if none of them is `_UNCLEAR`.
    """

    values: Sequence[Any]
    clear: bool


@dataclass(frozen=True, slots=True)
class Place:
    """Hold an element in one instance: where it runs, and the values that it has there.

    `rows` are the steps at which it runs, `starts` the positions of the first one of each
    execution, and `ends` the numbers of rows up to the end of each execution. `columns` keeps
    values of terms.
    """

    prefix: str
    rows: Sequence[Mapping[str, Value]]
    functions: Sequence[Functions]
    starts: frozenset[int]
    ends: tuple[int, ...]
    values: Sequence[Any]
    columns: dict[Term, Column] = field(default_factory=dict)


Infected: TypeAlias = "Sequence[tuple[ElementId, str, Place, Column]]"
"""The values that other bodies first lead to, by instance; empty where all are as before."""


class Infection:
    """Tell which changes show in some executions; caches only.

    `prefixes` has those of the instances of each component. Bodies with calls, removed elements,
    and reads of values before the first step are not analysed. Executions are known by 0-based
    numbers.
    """

    def __init__(self, executions: Sequence[Execution], prefixes: Mapping[str, list[str]]) -> None:
        self._executions = executions
        self._prefixes = prefixes
        self._places: dict[tuple[Element, str], Place] = {}
        self._columns: dict[str, dict[Term, Column]] = {}
        self._calling: dict[Term, bool] = {}

    def of(self, bodies: Bodies) -> Infected | None:
        """Return what other bodies change in the executions; None if it is not analysed.

        Values are computed from those that all else has in the executions.
        """
        found: list[tuple[ElementId, str, Place, Column]] = []
        for element, body in bodies.items():
            if body is element.body:
                continue
            if body is None or not self._is_analysed(element):
                return None
            levels = list(walk.differences(element.body, body))
            if self._calls(levels[-1][1]):
                return None
            for prefix in self._prefixes.get(element.id.component, ()):
                place = self._place(element, prefix)
                try:
                    column = _changed(place, levels)
                except NumberTooLarge:
                    return None
                if column is not None:
                    found.append((element.id, prefix, place, column))
        return found

    def _is_analysed(self, element: Element) -> bool:
        if element.circular or self._calls(element.body):
            return False
        # Only targets tell at which steps an instance runs.
        return bool(element.targets) or not any(self._prefixes.get(element.id.component, ()))

    def _calls(self, term: Term) -> bool:
        if term not in self._calling:
            self._calling[term] = not walk.operators(term).isdisjoint(_CALLS)
        return self._calling[term]

    def _place(self, element: Element, prefix: str) -> Place:
        if (element, prefix) not in self._places:
            self._places[element, prefix] = self._made_place(element, prefix)
        return self._places[element, prefix]

    def _made_place(self, element: Element, prefix: str) -> Place:
        sort = element.body.sort
        several = len(element.targets) > 1
        kinds = sort.elements if several and isinstance(sort, sorts.TupleSort) else (sort,)
        targets = [
            (prefix + name, kind) for name, kind in zip(element.targets, kinds, strict=False)
        ]
        names = [name + path for name, kind in targets for path, _ in sorts.leaves(kind)]
        rows: list[Mapping[str, Value]] = []
        functions: list[Functions] = []
        starts: set[int] = set()
        ends: list[int] = []
        for execution in self._executions:
            begun = len(rows)
            rows += [row for row in execution.trace.steps if all(name in row for name in names)]
            functions += [execution.trace.choices.functions] * (len(rows) - len(functions))
            if begun < len(rows):
                starts.add(begun)
            ends.append(len(rows))
        known = self._columns.setdefault(prefix, {})
        columns = [_read(rows, name, kind) for name, kind in targets]
        values = [True] * len(rows) if not columns else columns[0]
        if several:
            values = list(zip(*columns, strict=True))
        return Place(prefix, rows, functions, frozenset(starts), tuple(ends), values, known)


def is_same(infected: Infected, number: int) -> bool:
    """Tell whether an execution is known to be one with the other bodies, too."""
    for _, _, place, column in infected:
        part = _part(place, number)
        if column.values[part] != place.values[part]:
            return False
    return True


def shown(infected: Infected, number: int) -> Shown | None:
    """Return the values that other bodies first lead to in an execution; None if one is unclear."""
    found = tuple(
        (element, prefix, tuple(column.values[_part(place, number)]))
        for element, prefix, place, column in infected
    )
    return None if any(_UNCLEAR in values for _, _, values in found) else found


def _part(place: Place, number: int) -> slice:
    """Return the positions of the rows of an execution."""
    return slice(place.ends[number - 1] if number else 0, place.ends[number])


def _changed(place: Place, levels: Sequence[tuple[Term, Term]]) -> Column | None:
    """Return the values of a changed term, computed from the change up; None if they are the same.

    `levels` has the terms that differ, old and new, from the whole ones down to the change.
    """
    columns = place.columns
    walk.fold(levels[0][0], lambda term, args: _computed(place, term, args), columns)
    changed = levels[-1][1]
    column = walk.fold(changed, lambda term, args: _computed(place, term, args), columns)
    # What a `pre` gives before the first step depends on its argument, not on values alone.
    held = next((n for n, (old, _) in enumerate(levels) if old.op is Op.PRE), len(levels))
    for number in range(len(levels) - 1, -1, -1):
        old, new = levels[number]
        if new is not changed:
            args = tuple([column if arg is changed else columns[arg] for arg in new.args])
            column, changed = _computed(place, new, args), new
        before = columns[old]
        if number <= held and column.clear and before.clear and column.values == before.values:
            return None
    return column


def _computed(place: Place, term: Term, args: tuple[Column, ...]) -> Column:
    """Return the values of a term whose arguments have these values."""
    op = term.op
    if op is Op.VAR:
        return Column(_read(place.rows, place.prefix + str(term.payload), term.sort), True)
    if op is Op.PRE:
        values = [_UNCLEAR, *args[0].values][: len(place.rows)]
        for start in place.starts:
            values[start] = _UNCLEAR
        return Column(values, not values)
    if op is Op.ARROW:
        values = list(args[1].values)
        for start in place.starts:
            values[start] = args[0].values[start]
        return Column(values, all(value is not _UNCLEAR for value in values))
    operands = [arg.values for arg in args]
    if op in _BY_STEP or not all(arg.clear for arg in args):
        rows = zip(*operands, strict=True) if operands else [()] * len(place.rows)
        values = [
            _UNCLEAR if any(value is _UNCLEAR for value in row) else timeless(term, row, functions)
            for row, functions in zip(rows, place.functions, strict=True)
        ]
        return Column(values, all(value is not _UNCLEAR for value in values))
    function = semantics.function(term)
    if not operands:
        return Column([function()] * len(place.rows), True)
    return Column(list(map(function, *operands)), True)


def _read(rows: Sequence[Mapping[str, Value]], name: str, sort: Sort) -> list[Any]:
    """Return the values of a variable in rows."""
    if sorts.is_scalar(sort):
        return [row[name] for row in rows]

    def value(row: Mapping[str, Value]) -> Any:
        return built(sort, lambda path, _: row[name + path])

    return [value(row) for row in rows]
