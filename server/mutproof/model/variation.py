"""Executions of a system with some definitions replaced, computed from those of the system.

Only what differs is computed: a mutated definition from the values of its unchanged subterms, and
then the readers of values that changed.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import repeat
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.model import sorts, walk
from mutproof.model.compile import CompiledParts, Functions, Patch, Row
from mutproof.model.deciding import deciding_until
from mutproof.model.reach import Reach
from mutproof.model.simulate import Definition, Simulator, ordered
from mutproof.model.sorts import BoolSort, EnumSort, IntSort, RealSort, Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_TOGETHER = 256
"""How many definitions are compiled together."""

ALL = repeat((-1, -1))
"""The bits of all definitions and updates, in each step."""


class Changed(list[Any]):
    """Hold a row of a variation, and the indices of values that differ from the original."""

    __slots__ = ("indices", "original")

    indices: list[int]
    original: Row


class Variation:
    """Run a system with some definitions replaced or removed, against rows of the original.

    `definitions` replaces or adds INVAR definitions by name; a name in `freed` has none: its values
    are taken from the choices where they give one, otherwise they differ from those of the
    original. `checks` replaces the assertions. Memories that are `unbound` begin as in the original
    where its choices say so, but may begin otherwise. Functions are compiled when it first runs, or
    before by `compile_all`.

    Raises:
        CyclicDefinitions: the new definitions depend on each other within one state.
    """

    def __init__(
        self,
        simulator: Simulator,
        definitions: Mapping[str, Term],
        freed: frozenset[str] = frozenset(),
        checks: Sequence[Term] | None = None,
        *,
        unbound: frozenset[str] = frozenset(),
    ) -> None:
        self.simulator = simulator
        self._unbound = tuple(sorted(unbound))
        self.definitions = dict(definitions)
        self.freed = tuple(sorted(freed))
        self._patched: dict[int, tuple[str, Patch]] | None = None  # by position in the definitions
        self._whole = None if self._fits() else self._reordered()
        self._new_checks = () if checks is None else tuple(checks)
        self._same_checks = checks is None or self._new_checks == simulator.check_terms
        self._checks = tuple(simulator.compiler.compile_all(self._new_checks))
        self._read: dict[str, frozenset[str]] = {}
        self._forced = 0  # bit mask of definitions that are always computed
        self._skipped = 0  # bit mask of definitions that are never computed
        for name in definitions if self._whole is None else ():
            self._forced |= 1 << simulator.position[name]
        for name in self.freed:
            self._skipped |= 1 << simulator.position[name] if name in simulator.position else 0

    def _fits(self) -> bool:
        """Tell whether the old order works: each new definition reads only variables before it."""
        position = self.simulator.position
        for name, term in self.definitions.items():
            own = position.get(name)
            if own is None:
                return False
            _, new = walk.difference(self.simulator.defined[name], term)
            if any(position.get(variable, -1) >= own for variable in walk.variables(new)):
                return False
        return True

    def _reordered(self) -> list[Definition]:
        """Return all definitions in an order that works for the variation."""
        simulator, freed = self.simulator, set(self.freed)
        everything = {
            **{name: simulator.defined[name] for name in simulator.order if name not in freed},
            **self.definitions,
        }
        pairs = [(name, everything[name]) for name in ordered(everything)]
        functions = simulator.compiler.compile_all(term for _, term in pairs)
        return [
            Definition(simulator.index[name], name, term, function)
            for (name, term), function in zip(pairs, functions, strict=True)
        ]

    @property
    def is_ordered(self) -> bool:
        """Tell whether definitions are computed in the order of the system."""
        return self._whole is None

    # --- running --------------------------------------------------------------------------

    def infected(
        self, rows: Sequence[Row], functions: Functions, reach: Reach | None = None
    ) -> int | None:
        """Return the first step of an original execution at which a definition differs.

        If it is known what matters, other definitions are not looked at.
        """
        if self.freed or not self._same_checks:
            return 0
        if self._whole is not None:
            new = [item for item in self._whole if item.name in self.definitions]
            for step, row in enumerate(rows):
                if any(item.function(row, row, functions) != row[item.index] for item in new):
                    return step
            return None
        found: int | None = None
        for position, (name, patch) in self.mutated().items():
            index = self.simulator.definitions[position].index
            if reach is not None and not reach.has(index):
                continue
            parts = self.simulator.parts
            for step, row in enumerate(rows if found is None else rows[:found]):
                values = parts(name, row, functions)
                if patch(values, row, row, functions) != row[index]:
                    found = step
                    break
        return found

    @property
    def needs_compiling(self) -> bool:
        """Tell whether anything of `to_compile` is not compiled yet."""
        return self._patched is None and self._whole is None

    def to_compile(self) -> Iterable[tuple[CompiledParts, Term]]:
        """Yield the new definitions, each with the parts of the old one."""
        for name, term in self.definitions.items():
            yield self.simulator.parts_of(name), term

    def take(self, patches: Iterator[Patch]) -> None:
        """Take as many functions as `to_compile` yields."""
        self._patched = {
            self.simulator.position[name]: (name, next(patches)) for name in self.definitions
        }

    def mutated(self) -> Mapping[int, tuple[str, Patch]]:
        """Return the mutated definitions by their positions."""
        if self._patched is None:
            compile_all([self])
        assert self._patched is not None
        return self._patched

    def run(
        self, rows: Sequence[Row], choices: Choices, start: int = 0, reach: Reach | None = None
    ) -> list[Row]:
        """Return what `rows` yields from `start` on; before it they are the original's."""
        return [*self.rows(rows, choices, start, reach)]

    def rows(
        self, rows: Sequence[Row], choices: Choices, start: int = 0, reach: Reach | None = None
    ) -> Iterator[Row]:
        """Yield the rows of the variation, which differ from `start` on.

        If it is known what matters, other values may stay as they were.
        """
        bits = (-1, -1) if reach is None else (reach.definitions, reach.updates)
        yield from rows[:start]
        yield from self._rows(rows, choices, start, repeat(bits))

    def rows_until(
        self, rows: Sequence[Row], choices: Choices, start: int, by: Mapping[str, int]
    ) -> Iterator[Row]:
        """Yield rows up to the last of the steps `by` which properties are to have failed.

        Only what decides each property up to its own step is computed.
        """
        yield from rows[:start]
        own = {name: self.reads_of(name) for name in self.definitions}
        yield from self._rows(rows, choices, start, deciding_until(by, self.simulator, own, start))

    def deciding(self, properties: Iterable[str]) -> Reach | None:
        """Return what decides properties, and whether assertions hold; None if that may be all."""
        return self.reach(self.simulator.reach(self.simulator.read_by(frozenset(properties))))

    @cached_property
    def soonest(self) -> Mapping[str, int] | None:
        """Return after how many steps each property may differ; None if any may at once."""
        return self.simulator.soonest(self.reached) if self._same_checks else None

    @cached_property
    def reached(self) -> Mapping[str, int]:
        """Return after how many steps each variable may differ, if it ever does."""
        return self.simulator.reached([*self.definitions, *self.freed, *self._unbound])

    def reach(self, known: Reach) -> Reach | None:
        """Return what decides new assertions, and what does in the original; None if maybe all."""
        if self._whole is not None:
            return None
        found, reach = known | self.simulator.reach(self._checked), self.simulator.reach
        own = {self.simulator.index[name]: self.reads_of(name) for name in self.definitions}
        while met := [place for place in own if found.has(place)]:
            for place in met:
                found |= reach(own.pop(place))
        return found

    def reads_of(self, name: str) -> frozenset[str]:
        """Return the variables that a new definition reads."""
        if name not in self._read:
            self._read[name] = walk.variables(self.definitions[name])
        return self._read[name]

    @cached_property
    def _checked(self) -> frozenset[str]:
        """Return the variables that new assertions read."""
        return frozenset[str]().union(*map(walk.variables, self._new_checks))

    def differs(self, rows: Sequence[Row], choices: Choices, indices: Sequence[int]) -> int | None:
        """Return the first step at which one of some values differs; run no further."""
        start = self.infected(rows, choices.functions)
        if start is None:
            return None
        for step, row in enumerate(self._rows(rows, choices, start, ALL), start):
            original = rows[step]
            if any(row[index] != original[index] for index in indices):
                return step
        return None

    def strays(self, rows: Sequence[Row], choices: Choices) -> int | None:
        """Return the last step after which memories differ, None if none do."""
        start = self.infected(rows, choices.functions)
        if start is None or self._whole is not None:
            return None
        reading, found = self.simulator.readers.updates, None
        for step, row in enumerate(self._rows(rows, choices, start, ALL), start):
            if isinstance(row, Changed) and any(reading[index] for index in row.indices):
                found = step
        return found

    def _rows(
        self, rows: Sequence[Row], choices: Choices, start: int, among: Iterable[tuple[int, int]]
    ) -> Iterator[Row]:
        """Yield the rows of the variation from `start` on, as many as there are bits.

        They say which definitions and updates are computed in each step.
        """
        if self._whole is not None:
            before = rows[start - 1] if start else None
            for step in range(start, len(rows)):
                before = self._whole_row(rows[step], before, choices, step)
                yield before
            return
        previous: Changed | None = None
        for step, (defined, updated) in zip(range(start, len(rows)), among, strict=False):
            row = Changed(rows[step])
            row.original = rows[step]
            row.indices = []
            if previous is not None:
                self._update(row, previous, choices.functions, updated)
            if self.freed:
                self._free(row, choices.steps[step])
            self._define(row, choices.functions, defined & ~self._skipped)
            yield row
            previous = row

    def _update(self, row: Changed, previous: Changed, functions: Functions, among: int) -> None:
        """Update the memories, among some, that read values of the previous row that differ."""
        reading, bits = self.simulator.readers.updates, 0
        for index in previous.indices:
            bits |= reading[index]
        for position in _positions(bits & among):
            item = self.simulator.updates[position]
            value = item.function(previous, previous, functions)
            if value != row[item.index]:
                row[item.index] = value
                row.indices.append(item.index)

    def _free(self, row: Changed, chosen: Mapping[str, Value]) -> None:
        """Choose values for the freed variables."""
        for name in self.freed:
            index = self.simulator.index[name]
            sort = self.simulator.system.variables[name].sort
            value = chosen[name] if name in chosen else _other(row[index], sort)
            if value != row[index]:
                row[index] = value
                row.indices.append(index)

    def _define(self, row: Changed, functions: Functions, among: int) -> None:
        """Compute the mutated definitions and those, among some, that read a value that differs."""
        definitions, reading = self.simulator.definitions, self.simulator.readers.definitions
        mutated, changed = self.mutated(), row.indices
        touched = 0
        for index in changed:
            touched |= reading[index]
        pending = (touched | self._forced) & among
        while pending:
            lowest = pending & -pending
            pending ^= lowest
            position = lowest.bit_length() - 1
            item = definitions[position]
            if lowest & self._forced:
                value = self._mutant(mutated[position], row, functions, touched & lowest)
            else:
                value = item.function(row, row, functions)
            index = item.index
            if value != row[index]:
                row[index] = value
                changed.append(index)
                touched |= reading[index]
                pending |= reading[index] & among

    def _mutant(
        self, mutated: tuple[str, Patch], row: Changed, functions: Functions, touched: int
    ) -> Any:
        """Return the value of a mutated definition; `touched` if what it reads may differ."""
        name, patch = mutated
        if touched:
            values = self.simulator.parts_of(name).function(row, row, functions)
        else:
            values = self.simulator.parts(name, row.original, functions)
        return patch(values, row, row, functions)

    def _whole_row(self, original: Row, before: Row | None, choices: Choices, step: int) -> Row:
        """Return the row at a step, computed in full."""
        simulator, functions = self.simulator, choices.functions
        assert self._whole is not None
        row = list(original)
        if before is not None:
            for item in simulator.updates:
                row[item.index] = item.function(before, before, functions)
        chosen = choices.steps[step]
        for name in self.freed:
            position = simulator.index[name]
            sort = simulator.system.variables[name].sort
            row[position] = chosen[name] if name in chosen else _other(row[position], sort)
        for item in self._whole:
            row[item.index] = item.function(row, row, functions)
        return row

    @property
    def asserts(self) -> bool:
        """Tell whether there are constraints that define nothing."""
        return bool(self.simulator.check_terms if self._same_checks else self._checks)

    def assumed(self, rows: Iterable[Row], functions: Functions) -> bool:
        """Tell whether all constraints that define nothing hold in all rows."""
        if self._same_checks:
            return all(self.simulator.assumed(row, functions) for row in rows)
        return all(check(row, row, functions) for row in rows for check in self._checks)

    def violations(
        self, rows: Iterable[Row], functions: Functions, names: Iterable[str], start: int = 0
    ) -> dict[str, int]:
        """Return the first step at which each named property is false, while checks hold.

        No row is asked for after all have failed.
        """
        found: dict[str, int] = {}
        left = set(names)
        for step, row in enumerate(rows if left else ()):
            if not self.assumed((row,), functions):
                break
            if step >= start:
                for name in self._violated(row, functions, left):
                    found[name] = step
                    left.discard(name)
                if not left:
                    break
        return found

    def _violated(self, row: Row, functions: Functions, names: set[str]) -> list[str]:
        """Return the properties among `names` that are false in a row."""
        simulator = self.simulator
        if not isinstance(row, Changed):
            failed = simulator.violated(row, functions)
            return [name for name in sorted(names) if name in failed]
        touched = 0
        for index in row.indices:
            touched |= simulator.readers.properties[index]
        stated = [simulator.system.properties[position].name for position in _positions(touched)]
        found = [
            name
            for name in stated
            if name in names and not simulator.properties[name](row, row, functions)
        ]
        failed = simulator.violated(row.original, functions)
        if failed:
            found += [n for n in sorted(names) if n in failed and n not in stated]
        return found

    def choices(self, rows: Sequence[Row], choices: Choices, steps: int) -> Choices:
        """Return choices of `steps` steps that include the values of the freed variables.

        Unbound memories begin as in the rows.
        """
        index = self.simulator.index
        before = choices.before
        if self._unbound and rows:
            before = {**before, **{name: rows[0][index[name]] for name in self._unbound}}
        chosen = tuple(
            {**choices.steps[step], **{name: rows[step][index[name]] for name in self.freed}}
            for step in range(steps)
        )
        return Choices(chosen, before, choices.functions)


def compile_all(variations: Iterable[Variation]) -> None:
    """Compile what variations of one simulator need to run, all together."""
    wanted = [v for v in variations if v.needs_compiling]
    for start in range(0, len(wanted), MOST_TOGETHER):
        together = wanted[start : start + MOST_TOGETHER]
        patches = iter(
            together[0].simulator.compiler.patches(
                [pair for variation in together for pair in variation.to_compile()]
            )
        )
        for variation in together:
            variation.take(patches)


def _positions(bits: int) -> Iterable[int]:
    """Yield the positions of the bits that are set, lowest first."""
    while bits:
        lowest = bits & -bits
        bits ^= lowest
        yield lowest.bit_length() - 1


def _other(value: Any, sort: Sort) -> Any:
    """Return another value of a sort; the given one if none is found."""
    match sort:
        case BoolSort():
            return not value
        case EnumSort(_, values) if values:
            return values[(values.index(value) + 1) % len(values) if value in values else 0]
        case IntSort():
            candidates = (value + 1, value - 1, sort.low, sort.high)
            return next((v for v in candidates if v is not None and sorts.contains(sort, v)), value)
        case RealSort():
            return value + 1
        case _:
            return value
