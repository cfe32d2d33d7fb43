"""From which states of a graph an alternative of its system may have other steps.

The steps of the graph are rows of columns (`model.columns`), so that what a constraint says of all
of them is computed at once. Another equation for a variable leaves a state the steps that it has if
both give the same value in each, as long as what else the value decides is decided by equations
alone: then all other variables have the values of one of these steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from mutproof.base.digraph import cyclic_components
from mutproof.base.lazy import cached_property
from mutproof.model import terms, walk
from mutproof.model.columns import Column, ColumnCompiler, TooWide, values
from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.graphs.moves import Mover, State
from mutproof.solving.graphs.plan import Slot

_AHEAD = "'"
"""What marks variables of the next state."""


class Differences:
    """Compare constraints of a system with others, in all steps of its graph; caches only."""

    def __init__(
        self,
        system: TransitionSystem,
        mover: Mover,
        states: Sequence[State],
        graph: Mapping[int, Sequence[int]],
    ) -> None:
        self._system = system
        self._mover = mover
        self._states = states
        self._sources = [number for number, after in graph.items() for _ in after]
        self._targets = [other for after in graph.values() for other in after]
        self._rows = (1 << len(self._sources)) - 1
        names = (*mover.names, *(name + _AHEAD for name in mover.names))
        self._compiler = ColumnCompiler({name: place for place, name in enumerate(names)})
        self._columns: list[Column | None] = [None] * len(names)
        self._renamed: dict[bool, dict[Term, Term]] = {False: {}, True: {}}
        self._decided: dict[int, frozenset[int] | None] = {}

    def sources(
        self, lost: Iterable[Constraint], added: Iterable[Constraint]
    ) -> frozenset[int] | None:
        """Return at least the states with other steps if some constraints replace others.

        None if that cannot be told.
        """
        old, new = self._by_place(lost), self._by_place(added)
        if old is None or new is None or old.keys() != new.keys():
            return None
        try:
            rows = 0
            for place, before in old.items():
                found = self._differing(place, before, new[place])
                if found is None:
                    return None
                rows |= found
        except TooWide:
            return None
        return frozenset(map(self._sources.__getitem__, _places(rows)))

    def _by_place(self, constraints: Iterable[Constraint]) -> dict[int, Constraint] | None:
        """Return constraints of steps by the variable of the next state that each decides."""
        found: dict[int, Constraint] = {}
        for one in constraints:
            if one.kind is ConstraintKind.INIT:
                continue
            places = {place for row, place in self._read(one) if row == "n"}
            if one.defines is not None:
                places = {self._mover.places[one.defines]}
            if len(places) != 1 or not found.keys().isdisjoint(places):
                return None
            found[places.pop()] = one
        return found

    def _differing(self, place: int, old: Constraint, new: Constraint) -> int | None:
        """Return the rows in which a variable may have other next values by another constraint."""
        if old.kind is not new.kind or self._reads_inputs(old) or self._reads_inputs(new):
            return None
        given = [self._equation(place, one) for one in (old, new)]
        is_alone = old.kind is ConstraintKind.TRANS and all(
            {slot for slot in self._read(one) if slot[0] == "n"} <= {("n", place)}
            for one in (old, new)
        )
        if None in given:
            are_listed = None not in map(self._mover.allowed, (old, new))
            return self._allowed_otherwise(place, old, new) if is_alone and are_listed else None
        equal = [term for term in given if term is not None]
        if not is_alone and not self._is_decided(place, equal, old):
            return None
        one, other = [self._column(term, old) for term in equal]
        return self._unlike(one, other)

    def _reads_inputs(self, constraint: Constraint) -> bool:
        return any(place in self._mover.inputs for _, place in self._read(constraint))

    def _read(self, constraint: Constraint) -> frozenset[Slot]:
        ahead = constraint.kind is ConstraintKind.INVAR
        return self._mover.slots(constraint.term, "n" if ahead else "v")

    def _equation(self, place: int, constraint: Constraint) -> Term | None:
        """Return what a constraint says that a variable of the next state is equal to."""
        here = "n" if constraint.kind is ConstraintKind.INVAR else "v"
        targets = dict(self._mover.made(constraint.term, here).targets)
        return targets.get(("n", place))

    # --- columns ----------------------------------------------------------------------------

    def _column(
        self, term: Term, of: Constraint, given: Mapping[int, Column] | None = None
    ) -> Column:
        """Return the values of a term in all steps, with given columns for some variables."""
        is_shifted = of.kind is ConstraintKind.INVAR
        renamed = _renamed(term, self._renamed[is_shifted], is_shifted=is_shifted)
        count = len(self._mover.names)
        for row, place in self._mover.slots(term, "n" if is_shifted else "v"):
            self._fill(place + count if row == "n" else place)
        columns = [*self._columns]
        for place, column in (given or {}).items():
            columns[place + count] = column
        (function,) = self._compiler.compile_all([renamed])
        found: Column = function(columns, self._rows)
        return found

    def _fill(self, place: int) -> None:
        """Make the column of a variable of this state, or of the next one."""
        if self._columns[place] is not None:
            return
        count = len(self._mover.names)
        numbers = self._sources if place < count else self._targets
        states, own = self._states, place % count
        found: dict[Any, bytearray] = {}
        size = len(numbers) // 8 + 1
        for row, number in enumerate(numbers):
            value = states[number][own]
            mask = found.get(value)
            if mask is None:
                mask = found[value] = bytearray(size)
            mask[row >> 3] |= 1 << (row & 7)
        masks = {value: int.from_bytes(mask, "little") for value, mask in found.items()}
        is_boolean = isinstance(self._system.variables[self._mover.names[own]].sort, BoolSort)
        self._columns[place] = masks.get(True, 0) if is_boolean else masks

    def _unlike(self, one: Column, other: Column) -> int:
        """Return the rows in which columns have other values."""
        some, others = values(one, self._rows), values(other, self._rows)
        alike = 0
        for value, mask in some.items():
            alike |= mask & others.get(value, 0)
        return self._rows ^ alike

    def _allowed_otherwise(self, place: int, old: Constraint, new: Constraint) -> int:
        """Return the rows in which a variable is allowed other values by another constraint."""
        found = 0
        for value in self._mover.domain(place):
            column: Column = {value: self._rows}
            if value is True or value is False:
                column = self._rows if value else 0
            found |= self._unlike(
                *[self._column(one.term, one, {place: column}) for one in (old, new)]
            )
        return found

    # --- what else is decided ----------------------------------------------------------------

    def _is_decided(self, place: int, given: Sequence[Term], of: Constraint) -> bool:
        """Tell whether all that a variable decides in its own state is decided by equations."""
        if place not in self._decided:
            self._decided[place] = self._depending(place)
        depending = self._decided[place]
        here = "n" if of.kind is ConstraintKind.INVAR else "v"
        return depending is not None and all(
            term is not None
            and not any(
                row == "n" and one in depending for row, one in self._mover.slots(term, here)
            )
            for term in given
        )

    def _depending(self, place: int) -> frozenset[int] | None:
        """Return the variables that one of the same state decides, with itself.

        None if these have other values than those of equations, or bounds.
        """
        found, stack = {place}, [place]
        edges: dict[int, list[int]] = {}
        while stack:
            here = stack.pop()
            edges[here] = []
            if here not in self._total:
                return None
            for reader in self._readers.get(here, ()):
                if reader is None:
                    return None
                if reader != here:
                    edges[here].append(reader)
                    if reader not in found:
                        found.add(reader)
                        stack.append(reader)
        return None if any(cyclic_components(edges)) else frozenset(found)

    @cached_property
    def _total(self) -> frozenset[int]:
        """Return the variables that have one equation in each step, and all its values."""
        counts: dict[int, int] = {}
        for one in self._system.constraints:
            if one.kind is not ConstraintKind.INIT and one.defines is not None:
                place = self._mover.places[one.defines]
                known = self._equation(place, one) is not None and not self._reads_inputs(one)
                counts[place] = counts.get(place, 0) + (1 if known else 2)
        declared = [*self._system.variables.values()]
        return frozenset(
            place
            for place, count in counts.items()
            if count == 1
            and (
                declared[place].kind is SystemVariableKind.DEFINED
                or isinstance(declared[place].sort, BoolSort)
            )
        )

    @cached_property
    def _readers(self) -> Mapping[int, set[int | None]]:
        """Return what constraints that read a variable of the next state define there."""
        found: dict[int, set[int | None]] = {}
        for one in self._system.constraints:
            if one.kind is ConstraintKind.INIT:
                continue
            defined = None if one.defines is None else self._mover.places[one.defines]
            for row, place in self._read(one):
                if row == "n":
                    found.setdefault(place, set()).add(defined)
        return found


def _renamed(term: Term, memo: dict[Term, Term], *, is_shifted: bool) -> Term:
    """Return a term of a step in which all variables have names of their own."""

    def combine(part: Term, args: tuple[Term, ...]) -> Term:
        if part.op is Op.NEXT_VAR or (is_shifted and part.op is Op.VAR):
            return terms.var(str(part.payload) + _AHEAD, part.sort)
        return terms.rebuilt(part, args)

    return walk.fold(term, combine, memo)


def _places(rows: int) -> Iterator[int]:
    """Yield the places of the bits of a number that are set."""
    for place, byte in enumerate(rows.to_bytes((rows.bit_length() + 7) // 8, "little")):
        while byte:
            lowest = byte & -byte
            yield place * 8 + lowest.bit_length() - 1
            byte ^= lowest
