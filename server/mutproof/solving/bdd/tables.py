"""Terms with few possible values, as tables from values to the conditions of taking them.

Source: Bahar et al. 1993, Algebraic decision diagrams and their applications, for terms as
diagrams with many leaves; here the diagram of each leaf is kept apart.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mutproof.base.record import dataclass
from mutproof.model.semantics import DivisionByZero
from mutproof.model.sorts import Value
from mutproof.solving.bdd.manager import Diagram, Manager

MOST_VALUES = 1 << 14
"""The most values of one term."""

MOST_PAIRS = 1 << 21
"""The most pairs of values of two operands."""


class TooManyValues(Exception):  # noqa: N818 - the caller reports it as a reason
    """Say that a term has more values than are listed."""


@dataclass(frozen=True, slots=True)
class Table:
    """Hold the condition of every possible value; outside all of them there is no value."""

    entries: Mapping[Value, Diagram]


def table(manager: Manager, entries: Iterable[tuple[Value, Diagram]]) -> Table:
    """Return a table; conditions of equal values are joined and impossible ones left out.

    Raises:
        TooManyValues: there are more than `MOST_VALUES`.
    """
    found: dict[Value, Diagram] = {}
    for value, condition in entries:
        if condition != manager.false:
            earlier = found.get(value)
            found[value] = condition if earlier is None else earlier | condition
    if len(found) > MOST_VALUES:
        raise TooManyValues
    return Table(found)


def chosen(manager: Manager, conditions: Sequence[Diagram], choices: Sequence[Table]) -> Table:
    """Return the table of the first condition that is true, or the last table.

    Raises:
        TooManyValues: there are too many values.
    """
    entries: list[tuple[Value, Diagram]] = []
    left = manager.true
    for condition, choice in zip((*conditions, manager.true), choices, strict=True):
        here = left & condition
        entries += [(value, here & node) for value, node in choice.entries.items()]
        left = left & ~condition
        if left == manager.false:
            break
    return table(manager, entries)


def combined(manager: Manager, apply: Callable[..., Any], operands: tuple[Table, ...]) -> Table:
    """Return the table of an operation; where it has no value, neither has the table.

    Raises:
        TooManyValues: there are too many combinations of values.
    """
    rows: dict[tuple[Value, ...], Diagram] = {(): manager.true}
    for operand in operands:
        if len(rows) * len(operand.entries) > MOST_PAIRS:
            raise TooManyValues
        longer: dict[tuple[Value, ...], Diagram] = {}
        for values, condition in rows.items():
            manager.tick()
            for value, node in operand.entries.items():
                both = condition & node
                if both != manager.false:
                    longer[*values, value] = both
        rows = longer
    entries: list[tuple[Value, Diagram]] = []
    for values, condition in rows.items():
        try:
            entries.append((apply(*values), condition))
        except DivisionByZero:
            continue
    return table(manager, entries)


def equal(manager: Manager, left: Table, right: Table) -> Diagram:
    """Return the condition that two tables have the same value."""
    return manager.disjunction(
        node & right.entries[value]
        for value, node in left.entries.items()
        if value in right.entries
    )


def less(manager: Manager, left: Table, right: Table) -> Diagram:
    """Return the condition that the value of one table of integers is below that of another."""
    result, below = manager.false, manager.false
    rising: list[tuple[int, Diagram]] = sorted(_integers(left), key=lambda entry: entry[0])
    position = 0
    for value, node in sorted(_integers(right), key=lambda entry: entry[0]):
        while position < len(rising) and rising[position][0] < value:
            below = below | rising[position][1]
            position += 1
        result = result | (below & node)
    return result


def _integers(values: Table) -> list[tuple[int, Diagram]]:
    return [(value, node) for value, node in values.entries.items() if isinstance(value, int)]
