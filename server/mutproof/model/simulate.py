"""A fast evaluator of transition systems: every constraint compiled to a Python function.

It serves to try many executions; what it finds is confirmed by `evaluate`. Only systems in
which every variable is an input, a STATE with a TRANS definition or has an INVAR definition
run forward (Lustre); others are checked state by state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import sorts, walk
from mutproof.model.compile import Compiled, CompiledParts, Functions, Row, compiler
from mutproof.model.operators import Op
from mutproof.model.reach import MOST_REACHES, Reach, Reaches
from mutproof.model.sorts import Value
from mutproof.model.spread import Spread
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    TransitionSystem,
    in_bounds,
)
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


@dataclass(frozen=True)
class Definition:
    """Hold one compiled definition: the variable's index, its term and its function."""

    index: int
    name: str
    term: Term
    function: Compiled


@dataclass(frozen=True, slots=True)
class Needed:
    """Hold definitions that are computed in each state, and of memories in the first and later."""

    definitions: Sequence[Definition]
    initial: Sequence[Definition]
    updates: Sequence[Definition]


class Original(list[Any]):
    """Hold a row of an execution with what was computed about it; immutable.

    `parts` are the values of all subterms of the definitions of some variables; `assumed` tells
    whether the assertions hold, `violated` names the properties that do not; None: not known.
    """

    __slots__ = ("assumed", "parts", "violated")

    parts: dict[str, tuple[Any, ...]]
    assumed: bool | None
    violated: frozenset[str] | None


@dataclass(frozen=True, slots=True)
class Readers:
    """Hold the readers of each variable, by its index, as bit sets.

    Bits stand for positions among the definitions, the updates and the properties.
    """

    definitions: list[int]
    updates: list[int]
    properties: list[int]


class CyclicDefinitions(Exception):  # noqa: N818 - a fact about the system
    """Say that INVAR definitions depend on each other within one state."""


def definition(constraint: Constraint) -> Term | None:
    """Return e of a constraint `v = e` or `next(v) = e` that defines v; None otherwise."""
    return constraint.term.args[1] if constraint.defines is not None else None


class Simulator:
    """Run a system forward; compiled once, immutable afterwards but for what it keeps."""

    def __init__(self, system: TransitionSystem) -> None:
        self.system = system
        self.names = tuple(system.variables)
        self.compiler = compiler(self.names)
        self.index = self.compiler.index
        invars: dict[str, Term] = {}
        updates: dict[str, Term] = {}
        initial: dict[str, Term] = {}
        checks: list[Term] = []
        for constraint in system.constraints:
            value = definition(constraint)
            if value is None:
                checks.append(constraint.term)
            else:
                target = {
                    ConstraintKind.INVAR: invars,
                    ConstraintKind.TRANS: updates,
                    ConstraintKind.INIT: initial,
                }[constraint.kind]
                assert constraint.defines is not None
                target[constraint.defines] = value
        self.defined = invars
        self.order = ordered(invars)
        self.definitions = self._definitions([(name, invars[name]) for name in self.order])
        self.updates = self._definitions(list(updates.items()))
        self.initial = self._definitions(list(initial.items()))
        self._whole = Needed(self.definitions, self.initial, self.updates)
        self.checks = self.compiler.compile_all(checks)
        self.properties = {
            stated.name: function
            for stated, function in zip(
                system.properties,
                self.compiler.compile_all(stated.term for stated in system.properties),
                strict=True,
            )
        }
        free = [
            variable
            for variable in system.variables.values()
            if variable.name not in invars and variable.name not in updates
        ]
        self.free = tuple(variable.name for variable in free)
        self.position = {name: number for number, name in enumerate(self.order)}
        self.update_position = {item.name: number for number, item in enumerate(self.updates)}
        self.check_terms = tuple(checks)
        self._parts: dict[str, CompiledParts] = {}
        self._read_by: Memo[frozenset[str]] = Memo(MOST_REACHES)
        self.defaults = [sorts.default_value(v.sort) for v in system.variables.values()]

    def _definitions(self, pairs: Sequence[tuple[str, Term]]) -> list[Definition]:
        functions = self.compiler.compile_all(term for _, term in pairs)
        return [
            Definition(self.index[name], name, term, function)
            for (name, term), function in zip(pairs, functions, strict=True)
        ]

    # --- running --------------------------------------------------------------------------

    def run(
        self, choices: Choices, only: Needed | None = None, known: Sequence[Row] = ()
    ) -> list[Row]:
        """Return the rows of an execution; assertions are ignored.

        With `only`, nothing else is computed, and all other variables have default values. The
        first rows may be `known`.
        """
        rows = list(known)
        previous: Row | None = rows[-1] if rows else None
        for chosen in choices.steps[len(rows) :]:
            previous = self._row(previous, chosen, choices, only or self._whole)
            rows.append(previous)
        return rows

    def row(
        self,
        previous: Row | None,
        chosen: Mapping[str, Value],
        before: Mapping[str, Value],
        functions: Functions,
    ) -> Row:
        """Return the row after `previous`; the first one, after the values `before`, if none."""
        return self._row(previous, chosen, Choices((), before, functions), self._whole)

    def _row(
        self, previous: Row | None, chosen: Mapping[str, Value], choices: Choices, only: Needed
    ) -> Row:
        """Return the row after `previous`, the first one if none; `choices` begin the execution."""
        functions = choices.functions
        row = Original(self.defaults)
        row.parts, row.assumed, row.violated = {}, None, None
        if previous is None:
            for name, value in choices.before.items():
                if name in self.index:
                    row[self.index[name]] = value
            for item in only.initial:
                row[item.index] = item.function(row, row, functions)
        else:
            for item in only.updates:
                row[item.index] = item.function(previous, previous, functions)
        for name, value in chosen.items():
            position = self.index.get(name)
            if position is not None:
                row[position] = value
        for item in only.definitions:
            row[item.index] = item.function(row, row, functions)
        return row

    def needed(self, names: Iterable[str], steps: int) -> Needed:
        """Return what decides variables in executions of at most `steps` states.

        A variable on which they depend through more memories than that is left out.
        """
        found: set[str] = set()
        layer = list(names)
        for _ in range(steps):
            before: list[str] = []
            while layer:
                name = layer.pop()
                if name not in found:
                    found.add(name)
                    layer += self.reads[0].get(name, ())
                    before += self.reads[1].get(name, ())
            if not before:
                break
            layer = before
        whole = self._whole
        return Needed(
            *(
                [item for item in items if item.name in found]
                for items in (whole.definitions, whole.initial, whole.updates)
            )
        )

    def read_by(self, properties: frozenset[str]) -> frozenset[str]:
        """Return the variables that properties and assertions read; kept."""

        def found() -> frozenset[str]:
            terms = [self.system.property(name).term for name in properties]
            return frozenset[str]().union(*map(walk.variables, [*terms, *self.check_terms]))

        return self._read_by.get(properties, found)

    def reach(self, names: frozenset[str]) -> Reach:
        """Return what decides variables in executions of any length; kept."""
        return self._reaches.of(names)

    @cached_property
    def _reaches(self) -> Reaches:
        return Reaches(self.reads, self.index, self.bits)

    def deciding(self, names: frozenset[str]) -> frozenset[str]:
        """Return the variables that decide some in executions of any length."""
        found, waiting = set[str](), [*names]
        while waiting:
            name = waiting.pop()
            if name not in found:
                found.add(name)
                for reads in self.reads:
                    waiting += reads.get(name, ())
        return frozenset(found)

    def bits(self, names: frozenset[str]) -> Reach:
        """Return variables that decide some, and their definitions and updates, as bits."""
        places = (self.index, self.position, self.update_position)
        return Reach(*(sum(1 << known[n] for n in names if n in known) for known in places))

    def reached(self, changed: Iterable[str]) -> Mapping[str, int]:
        """Return after how many steps each variable may differ where some have other definitions.

        Those that never do are missing; the first come first. Kept for the last ones.
        """
        return self._spread.of(changed)

    @cached_property
    def _spread(self) -> Spread:
        return Spread(self.reads, self._read_in[:2])

    def soonest(self, reached: Mapping[str, int]) -> Mapping[str, int]:
        """Return after how many steps each property may fail where it would not otherwise.

        The variables that are `reached` may differ then. Where an assertion may hold that did not,
        any property may fail; those that never do for such a reason are missing.
        """
        checked = min((reached[name] for name in self.checked if name in reached), default=None)
        found = {} if checked is None else dict.fromkeys(self.properties, checked)
        for name, stating in self._read_in[2].items():
            if name in reached:
                step = reached[name]
                for stated in stating:
                    if step < found.get(stated, step + 1):
                        found[stated] = step
        return found

    @cached_property
    def checked(self) -> frozenset[str]:
        """Return the variables that assertions read."""
        return self.read_by(frozenset())

    @cached_property
    def _read_in(self) -> tuple[Mapping[str, Sequence[str]], ...]:
        """Return what reads each variable: in the same state, in the next one, and properties."""
        readers: list[dict[str, list[str]]] = []
        for reads in (*self.reads, self.stated):
            found: dict[str, list[str]] = {}
            for reader, names in reads.items():
                for name in names:
                    found.setdefault(name, []).append(reader)
            readers.append(found)
        return tuple(readers)

    @cached_property
    def stated(self) -> Mapping[str, Sequence[str]]:
        """Return what each property reads."""
        return {stated.name: _reads(stated.term) for stated in self.system.properties}

    @cached_property
    def reads(self) -> tuple[Mapping[str, Sequence[str]], Mapping[str, Sequence[str]]]:
        """Return what each variable is computed from in the same state, and in the one before."""
        same, earlier = [*self.definitions, *self.initial], self.updates
        return (
            {item.name: _reads(item.term) for item in same},
            {item.name: _reads(item.term) for item in earlier},
        )

    def parts(self, name: str, row: Row, functions: Functions) -> tuple[Any, ...]:
        """Return the values of all subterms of a definition in a row."""
        if not isinstance(row, Original):
            return self.parts_of(name).function(row, row, functions)
        known = row.parts.get(name)
        if known is None:
            known = row.parts[name] = self.parts_of(name).function(row, row, functions)
        return known

    def parts_of(self, name: str) -> CompiledParts:
        """Return the compiled subterms of the definition of a variable."""
        if name not in self._parts:
            self._parts[name] = self.compiler.parts(self.defined[name])
        return self._parts[name]

    def violated(self, row: Row, functions: Functions) -> frozenset[str]:
        """Return the properties that are false in a row."""
        if isinstance(row, Original) and row.violated is not None:
            return row.violated
        found = frozenset(
            name for name, holds in self.properties.items() if not holds(row, row, functions)
        )
        if isinstance(row, Original):
            row.violated = found
        return found

    @cached_property
    def readers(self) -> Readers:
        """Return the readers of each variable."""
        stated = [stated.term for stated in self.system.properties]
        return Readers(
            self._bits([item.term for item in self.definitions]),
            self._bits([item.term for item in self.updates]),
            self._bits(stated),
        )

    def _bits(self, readers: Sequence[Term]) -> list[int]:
        found = [0] * len(self.names)
        for position, term in enumerate(readers):
            for name in walk.variables(term):
                found[self.index[name]] |= 1 << position
        return found

    def assumed(self, row: Row, functions: Functions) -> bool:
        """Tell whether all constraints that define nothing hold in a row."""
        if not self.checks:
            return True
        if not isinstance(row, Original):
            return all(check(row, row, functions) for check in self.checks)
        if row.assumed is None:
            row.assumed = all(check(row, row, functions) for check in self.checks)
        return row.assumed

    def fulfils(self, choices: Choices) -> bool:
        """Tell whether choices, perhaps of another system, are an execution of this one."""
        checked = (c for c in self.system.constraints if c.defines is None)
        if any(constraint.kind is not ConstraintKind.INVAR for constraint in checked):
            return False
        if not in_bounds(self.system.variables, choices):
            return False
        return all(self.assumed(row, choices.functions) for row in self.run(choices))

    def violations(self, rows: Sequence[Row], functions: Functions) -> dict[str, int]:
        """Return the first step at which each property is false, up to the first broken check."""
        found: dict[str, int] = {}
        for step, row in enumerate(rows):
            if not self.assumed(row, functions):
                break
            for name, function in self.properties.items():
                if name not in found and not function(row, row, functions):
                    found[name] = step
        return found

    def named(self, row: Row) -> dict[str, Value]:
        """Return a row as a mapping from names."""
        return dict(zip(self.names, row, strict=True))


def simulator(system: TransitionSystem) -> Simulator:
    """Return the simulator of a system, cached among the most recent ones."""
    return _simulators.get(id(system), lambda: Simulator(system))  # which keeps the key alive


_simulators: Memo[Simulator] = Memo(2)


def ordered(
    definitions: Mapping[str, Term], reads: Callable[[Term], Sequence[str]] | None = None
) -> list[str]:
    """Return the defined names so that each follows what it reads.

    `reads`, if given, returns the variables that a term reads, in order.

    Raises:
        CyclicDefinitions: there is no such order; the message names a variable of the cycle.
    """
    read = _reads if reads is None else reads
    done: dict[str, bool] = {}
    result: list[str] = []
    for root in definitions:
        if definitions[root].op is Op.CONST:  # so are the cells of large tables
            if root not in done:
                done[root] = True
                result.append(root)
            continue
        stack = [root]
        while stack:
            name = stack[-1]
            if name not in done:
                done[name] = False
                needs = [v for v in read(definitions[name]) if v in definitions]
                for need in needs:
                    if need not in done:
                        stack.append(need)
                    elif not done[need]:
                        raise CyclicDefinitions(need)
            else:
                stack.pop()
                if not done[name]:
                    done[name] = True
                    result.append(name)
    return result


def _reads(term: Term) -> list[str]:
    return sorted(walk.variables(term))
