"""The initial states of a system, and what may follow a state."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import sorts, terms, walk
from mutproof.model.compile import Compiler
from mutproof.model.operators import Op
from mutproof.model.sorts import IntSort, Sort, WordSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
)
from mutproof.model.terms import Term
from mutproof.solving.graphs.plan import MOST_TRIED, Conjunct, NotFew, Slot, ValueOrder

State: TypeAlias = tuple[Any, ...]
"""The values of all variables, in order; those of inputs are None."""

Moves: TypeAlias = Mapping[State, tuple[Any, ...]]
"""States, each with values of the inputs with which it follows."""

Allowed: TypeAlias = "tuple[int, Callable[[State], tuple[Any, ...]]]"
"""A variable by its place, and its next values that a constraint allows after a state, in order."""


_WIDEST = 8
"""The most bits of a word whose values are tried."""

LONG = 8
"""From how many conditionals on a chain of them is taken apart."""

MOST_TERMS = 100_000
"""Of how many terms is kept what they read."""

MOST_PLANS = 64
"""How many orders of values are kept; mutants of one element mostly have the same."""


class Mover:
    """Compute the moves of systems with the same variables; keeps what it compiled.

    `places` are those of all variables, `inputs` the ones of inputs, with their `defaults`.
    """

    def __init__(self, variables: Mapping[str, SystemVariable]) -> None:
        self.names = tuple(variables)
        self.places = {name: place for place, name in enumerate(variables)}
        self._compiler = Compiler(self.places)
        declared = [*variables.values()]
        kinds = [v.kind for v in declared]
        self.inputs = tuple(n for n, k in enumerate(kinds) if k is SystemVariableKind.INPUT)
        self._of_inputs: tuple[Slot, ...] = tuple([("v", place) for place in self.inputs])
        self._stored = tuple(n for n in range(len(kinds)) if n not in self.inputs)
        self._domains = [_domain(v.sort) for v in declared]
        self._bounds = [
            None
            if kind is SystemVariableKind.DEFINED
            else _Sort(v.sort)
            if values is None
            else frozenset(values)
            for v, kind, values in zip(declared, kinds, self._domains, strict=True)
        ]
        self.defaults = tuple(sorts.default_value(declared[place].sort) for place in self.inputs)
        self._parts: dict[tuple[Term, bool], _Asked] = {}
        self._shapes: dict[Hashable, int] = {}
        self._reading: dict[Term, frozenset[Term]] = {}
        self._plans: dict[Hashable, tuple[ValueOrder, Callable[..., Any]]] = {}
        self._functions: dict[Term, Callable[..., Any]] = {}

    def functions(self, wanted: Iterable[Term]) -> list[Callable[..., Any]]:
        """Return terms as functions of this row, the next row and nothing.

        Of long chains of conditionals each part is compiled alone: mutants differ in one of them.
        """
        found, known = [*wanted], self._functions
        fresh = dict.fromkeys(term for term in found if term not in known)
        chains = [_chain(term) for term in fresh]
        functions = iter(self._compiler.compile_all([part for one in chains for part in one]))
        for term, one in zip(fresh, chains, strict=True):
            known[term] = _chosen([*islice(functions, len(one))])
        return [known[term] for term in found]

    def initial(self, constraints: Iterable[Constraint]) -> list[State]:
        """Return the initial states.

        Raises:
            NotFew: there are too many values to try, or what is initial depends on inputs.
        """
        parts = [self._parts_of(c) for c in constraints if c.kind is not ConstraintKind.TRANS]
        run = self._function(parts, [("v", place) for place in self._stored], "v")
        return [*run([None] * len(self.names))]

    def following(self, constraints: Iterable[Constraint]) -> Callable[[State], Moves]:
        """Return the function that gives the moves from a state.

        Raises:
            NotFew: there are too many values to try, or what is a state depends on inputs.
        """
        parts = [
            self._parts_of(c, shifted=c.kind is ConstraintKind.INVAR)
            for c in constraints
            if c.kind is not ConstraintKind.INIT
        ]
        inputs = [slot for slot in self._of_inputs if any(slot in one.reads for one in parts)]
        return self._function(parts, [*inputs, *(("n", place) for place in self._stored)], "n")

    def _function(
        self, asked: Sequence[_Asked], wanted: list[Slot], row: str
    ) -> Callable[[Iterable[Any]], Moves]:
        shape = (row, tuple(wanted), tuple([one.shape for one in asked]))
        parts = [part for one in asked for part in one.parts]
        if shape not in self._plans:
            if len(self._plans) > MOST_PLANS:
                self._plans.clear()
            plan = ValueOrder(parts, wanted, self._domains, self._bounds)
            self._plans[shape] = plan, plan.function(row, self._stored, self.inputs)
        plan, code = self._plans[shape]
        functions, values = self.functions(plan.terms(parts)), plan.values
        count, inputs = len(self.names), [*zip(self.inputs, self.defaults, strict=True)]

        def run(state: Iterable[Any]) -> Moves:
            found: dict[State, tuple[Any, ...]] = {}
            now = [*state]
            for place, value in inputs:
                now[place] = value
            code(now, [None] * count, functions, values, found)
            return found

        return run

    def domain(self, place: int) -> tuple[Any, ...]:
        """Return the values of a variable; none if they are too many to be tried."""
        return self._domains[place] or ()

    def allowed(self, constraint: Constraint) -> Allowed | None:
        """Return what a constraint allows where it reads this state and one next value alone."""
        if constraint.kind is not ConstraintKind.TRANS:
            return None
        part = self.made(constraint.term, "v")
        ahead = [slot for slot in part.reads if slot[0] == "n"]
        if len(ahead) != 1:
            return None
        ((_, place),) = ahead
        values, bounds = self._domains[place], self._bounds[place]
        if any(slot[1] in self.inputs for slot in part.reads) or bounds is None or values is None:
            return None
        if part.targets and part.targets[0][0] == ahead[0]:
            (value,) = self.functions([part.targets[0][1]])

            def only(state: State) -> tuple[Any, ...]:
                one = value(state, (), {})
                return (one,) if one in bounds else ()

            return place, only
        (asked,) = self.functions([constraint.term])

        def several(state: State) -> tuple[Any, ...]:
            row, found = [*state], []
            for row[place] in values:
                if asked(state, row, {}):
                    found.append(row[place])
            return tuple(found)

        return place, several

    def _parts_of(self, constraint: Constraint, *, shifted: bool = False) -> _Asked:
        """Return what a constraint asks, one conjunct at a time."""
        key = constraint.term, shifted
        asked = self._parts.get(key)
        if asked is None:
            if len(self._parts) > MOST_TRIED:
                self._parts.clear()
            if len(self._reading) > MOST_TERMS:
                self._reading.clear()
            here = "n" if shifted else "v"
            found = [self.made(term, here) for term in walk.conjuncts(constraint.term)]
            reads = frozenset().union(*[part.reads for part in found])
            shape = tuple([part.shape for part in found])
            number = self._shapes.setdefault(shape, len(self._shapes))
            asked = self._parts[key] = _Asked(found, reads, number)
        if constraint.kind is not ConstraintKind.TRANS and self.inputs:
            read = {place for _, place in asked.reads}
            if not read.isdisjoint(self.inputs):
                raise NotFew
        return asked

    def made(self, term: Term, here: str) -> Conjunct:
        """Return a constraint, its variables being of `here`, with what it may give a value."""
        targets: list[tuple[Slot, Term]] = []
        if term.op in {Op.EQ, Op.IFF}:
            for one, other in (term.args, term.args[::-1]):
                own = self.slots(one, here)
                if one.op in {Op.VAR, Op.NEXT_VAR} and own.isdisjoint(self.slots(other, here)):
                    targets += [(slot, other) for slot in own]
        elif term.op in {Op.VAR, Op.NEXT_VAR}:
            targets += [(slot, terms.TRUE) for slot in self.slots(term, here)]
        elif term.op is Op.NOT and term.args[0].op in {Op.VAR, Op.NEXT_VAR}:
            targets += [(slot, terms.FALSE) for slot in self.slots(term, here)]
        return Conjunct(term, self.slots(term, here), tuple(targets), here == "n")

    def slots(self, term: Term, here: str) -> frozenset[Slot]:
        """Return what a term reads, its variables being those of the row `here`."""
        return frozenset(
            (here if variable.op is Op.VAR else "n", self.places[str(variable.payload)])
            for variable in walk.fold(term, _variables, self._reading)
        )


@dataclass(frozen=True, slots=True)
class _Asked:
    """Hold what a constraint asks, all that it reads, and a number of the shapes of its parts."""

    parts: Sequence[Conjunct]
    reads: frozenset[Slot]
    shape: int


def _variables(term: Term, args: tuple[frozenset[Term], ...]) -> frozenset[Term]:
    """Return the variables that a term reads."""
    if term.op in {Op.VAR, Op.NEXT_VAR}:
        return frozenset((term,))
    most = max(args, key=len, default=frozenset())
    return most if all(one <= most for one in args) else most.union(*args)


def _chain(term: Term) -> list[Term]:
    """Return the branches of a long chain of conditionals; any other term is one value."""
    found = walk.branches(term)
    return found if len(found) > 2 * LONG else [term]


def _chosen(functions: Sequence[Callable[..., Any]]) -> Callable[..., Any]:
    """Return the function that gives the first value whose condition is true, else the last."""
    if len(functions) == 1:
        return functions[0]
    pairs, last = [*zip(functions[:-1:2], functions[1::2], strict=True)], functions[-1]

    def choose(now: Any, after: Any, given: Any) -> Any:
        for condition, value in pairs:
            if condition(now, after, given):
                return value(now, after, given)
        return last(now, after, given)

    return choose


class _Sort:
    """Contain the values of a sort that are too many to list."""

    def __init__(self, sort: Sort) -> None:
        self._sort = sort

    def __contains__(self, value: Any) -> bool:
        return sorts.contains(self._sort, value)


def _domain(sort: Sort) -> tuple[Any, ...] | None:
    """Return the values of a sort if they are few enough to be tried."""
    if isinstance(sort, WordSort):
        low = -(1 << sort.width - 1) if sort.signed else 0
        return tuple(range(low, low + (1 << sort.width))) if sort.width <= _WIDEST else None
    if isinstance(sort, IntSort):
        first, last = sort.low, sort.high
        if first is None or last is None or last - first >= MOST_TRIED:
            return None
    return sorts.domain(sort)
