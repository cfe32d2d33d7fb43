"""Compute values of one step whose parts need other parts: `a = [x, a[0] + 1]`.

Where whole values have no order, their scalar parts may have one. All start unknown; the known
parts of a body are computed from the known parts of what it reads, repeatedly, until nothing
changes.
"""

from __future__ import annotations

from collections.abc import MutableMapping
from collections.abc import Set as AbstractSet
from typing import Any, Protocol

from mutproof.model import walk
from mutproof.model.arbitrary import timeless
from mutproof.model.operators import Op
from mutproof.model.passes.parts import STRUCTURAL
from mutproof.model.sorts import ArraySort, RecordSort, Sort, TupleSort
from mutproof.model.spot import Source, Spot
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


class UnknownScalar:
    """Stand for a scalar that is not known yet."""


UNKNOWN = UnknownScalar()


class StepReads(Protocol):
    """Give the values that terms read in a step of an execution, beside their arguments'."""

    sorts: dict[str, Sort]
    now: MutableMapping[str, Any]  # values computed already
    ran: AbstractSet[str]
    choices: Choices

    def source(self, name: str) -> Source | None:
        """Return what defines a variable; None if it is known already, or chosen."""

    def chosen(self, name: str) -> Any:
        """Return the chosen value of a variable that nothing defines."""

    def previous(self, spot: Spot, term: Term) -> Any:
        """Return the value of a `pre`: that of its operand when the instance last ran."""

    def kept(
        self, spot: Spot, term: Term, clock: Any, defaults: tuple[Any, ...]
    ) -> tuple[Any, ...] | None:
        """Return the outputs of a `condact` whose call does not run; None where it does."""


def settled(run: StepReads, wanted: str) -> dict[str, Any]:
    """Return the values of a variable and of all that it needs, as far as they are determined."""
    values = _Values(run)
    values.read(wanted)
    changed = True
    while changed:
        changed = False
        for name in list(values):
            if is_known(values[name]):
                continue
            source, size = run.source(name), len(values)
            found = run.chosen(name) if source is None else _part(run, source, values)
            if len(values) > size or found != values[name]:
                changed = True
                values[name] = found
    return {name: value for name, value in values.items() if is_known(value)}


class _Values(dict[str, Any]):
    """Hold what is known of variables: computed values, else parts, unknown at first."""

    def __init__(self, run: StepReads) -> None:
        super().__init__()
        self._now, self._sorts = run.now, run.sorts

    def read(self, name: str) -> Any:
        """Return what is known of a variable."""
        if name in self._now:
            return self._now[name]
        if name not in self:
            self[name] = unknown(self._sorts[name])
        return self[name]


def unknown(sort: Sort) -> Any:
    """Return a value of a sort of which nothing is known; sorts are not nested deep."""
    match sort:
        case RecordSort(_, fields):
            return tuple([unknown(part) for _, part in fields])
        case ArraySort(low, high, element):
            return tuple([unknown(element)] * (high - low + 1))
        case TupleSort(elements):
            return tuple([unknown(part) for part in elements])
        case _:
            return UNKNOWN


def is_known(value: Any) -> bool:
    """Tell whether all parts of a value are known."""
    stack = [value]
    while stack:
        item = stack.pop()
        if item is UNKNOWN:
            return False
        if isinstance(item, tuple):
            stack.extend(item)
    return True


def _part(run: StepReads, source: Source, values: _Values) -> Any:
    """Return what is known of the value that a source gives."""
    spot, functions = source.spot, run.choices.functions

    def outputs(call: Term) -> tuple[Any, ...]:
        return tuple([values.read(name) for name in spot.output_names(call)])

    def combine(term: Term, args: tuple[Any, ...]) -> Any:
        match term.op:
            case Op.VAR:
                return values.read(spot.prefix + str(term.payload))
            case Op.PRE:
                return run.previous(spot, term)
            case Op.ARROW:
                return args[1 if spot.prefix in run.ran else 0]
            case Op.CALL:
                return _one_or_all(outputs(term))
            case Op.CONDACT:
                if args[0] is UNKNOWN:
                    return unknown(term.sort)
                kept = run.kept(spot, term, args[0], args[2:])
                return args[1] if kept is None else _one_or_all(kept)
            case Op.ITE:
                return unknown(term.sort) if args[0] is UNKNOWN else args[1 if args[0] else 2]
            case op if op in STRUCTURAL:
                placed = op in {Op.INDEX, Op.ARRAY_UPDATE}
                return (
                    unknown(term.sort)
                    if placed and args[1] is UNKNOWN
                    else timeless(term, args, functions)
                )
            case _:
                return timeless(term, args, functions) if is_known(args) else unknown(term.sort)

    found = walk.fold(source.term, combine)
    return found if source.part is None else found[source.part]


def _one_or_all(values: tuple[Any, ...]) -> Any:
    return values[0] if len(values) == 1 else values
