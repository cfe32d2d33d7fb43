"""From terms to diagrams: finite variables as bits, terms as functions of them.

A Boolean term is one diagram, a word one diagram for each bit, an integer or a symbol a table from
values to conditions. A variable defined by an equation in every state has no bits: its right-hand
side replaces it. A comparison with a value outside a domain is false.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, TypeAlias, cast

from mutproof.model import semantics, simulate, sorts, terms, walk
from mutproof.model.compile import Compiled, Compiler
from mutproof.model.operators import COMPARISONS, Op
from mutproof.model.sorts import BoolSort, IntSort, RealSort, Sort, Value, WordSort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Term
from mutproof.solving.bdd import ordering, tables
from mutproof.solving.bdd.coding import Coding, NotFinite, coding_of, following
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.tables import Table, TooManyValues
from mutproof.solving.bdd.variables_read import VariablesRead
from mutproof.solving.bdd.word_terms import WordTerms
from mutproof.solving.bdd.words import Word

Encoded: TypeAlias = Diagram | Table | Word

_COMPARISONS = COMPARISONS | {Op.EQ, Op.NE}

_Key: TypeAlias = tuple[Term, bool]


class Encoder:
    """Encode the terms of one system; mutable caches only.

    The `rigid` variables never change: their bits have no next value and belong to no state.
    The bits of `order` come before others, in that order. What `like`, an encoder of the same
    manager, has encoded is not encoded again where variables and the equations behind it are the
    same.

    Raises:
        NotFinite: a variable has no finite domain, or equations read each other in a circle.
    """

    def __init__(
        self,
        manager: Manager,
        system: TransitionSystem,
        rigid: frozenset[str] = frozenset(),
        *,
        order: Sequence[str] = (),
        like: Encoder | None = None,
    ) -> None:
        self.manager = manager
        self.system = system
        self.rigid = rigid
        self.definitions: dict[str, Term] = {}
        for constraint in system.constraints:
            if constraint.kind is ConstraintKind.INVAR and constraint.defines is not None:
                self.definitions.setdefault(constraint.defines, constraint.term.args[1])
        try:
            self._order = simulate.ordered(self.definitions)
        except simulate.CyclicDefinitions as cycle:
            message = f"the equations of {cycle} read it"
            raise NotFinite(message) from cycle
        self.codings: dict[str, Coding] = {}
        self._equations: list[tuple[int, Compiled]] | None = None
        self._values: dict[_Key, Encoded] = {}
        self._variables: dict[tuple[str, bool], Encoded] = {}
        self._fresh: dict[frozenset[str], dict[_Key, Encoded]] = {}
        self._words = WordTerms(manager)
        self.reading = VariablesRead()
        for variable in system.variables.values():
            if variable.name not in self.definitions:
                self.codings[variable.name] = coding_of(variable.name, variable.sort)
        if like is not None and self._is_like(like):
            self._values, self._variables = like.encoded(self.definitions)
            for name, coding in self.codings.items():
                if (name, False) not in self._variables:
                    self._declare(coding)
            return
        for name in sorted(rigid):
            self._declare(self.codings[name])
        changing = [one for name, one in self.codings.items() if name not in rigid]
        order = order or ordering.ordered(system, self.definitions, changing)
        for bit in order:
            manager.pair(bit, following(bit))
        for coding in changing:
            self._declare(coding)

    def encoded(
        self, definitions: Mapping[str, Term]
    ) -> tuple[dict[_Key, Encoded], dict[tuple[str, bool], Encoded]]:
        """Return, as copies, what is encoded so far and is the same with other definitions."""
        stale = self.stale(definitions)
        if stale not in self._fresh:
            reading, changed = self.reading, self.reading.names(stale)
            self._fresh[stale] = {
                key: value
                for key, value in self._values.items()
                if not (changed and reading.of(key[0]) & changed)
            }
        return dict(self._fresh[stale]), dict(self._variables)

    def stale(self, definitions: Mapping[str, Term]) -> frozenset[str]:
        """Return the variables whose values differ with other definitions in place of these."""
        mine = self.definitions
        stale = {
            name for name in {*mine, *definitions} if mine.get(name) is not definitions.get(name)
        }
        changed = self.reading.names(stale)
        for name in self._order if stale else ():
            if self.reading.of(mine[name]) & changed:
                stale.add(name)
                changed |= self.reading.names((name,))
        return frozenset(stale)

    def _is_like(self, other: Encoder) -> bool:
        assert self.manager is other.manager
        mine, others = self.codings, other.codings
        return self.rigid == other.rigid and all(
            others.get(name, coding) == coding for name, coding in mine.items()
        )

    def _declare(self, coding: Coding) -> None:
        name = coding.name
        if name in self.rigid:
            pairs = [(node, node) for node in map(self.manager.single, coding.bits)]
        else:
            pairs = [self.manager.pair(bit, following(bit)) for bit in coding.bits]
        for shifted in (False, True):
            nodes = [pair[shifted] for pair in pairs]
            self._variables[name, shifted] = self._variable(coding, nodes)

    def _variable(self, coding: Coding, nodes: list[Diagram]) -> Encoded:
        if isinstance(coding.sort, BoolSort):
            return nodes[0]
        if isinstance(coding.sort, WordSort):
            return Word(tuple(reversed(nodes)), coding.sort.signed)
        entries: list[tuple[Value, Diagram]] = []
        last = len(nodes) - 1
        for code, value in enumerate(coding.values):
            literals = (n if code >> (last - i) & 1 else ~n for i, n in enumerate(nodes))
            entries.append((value, self.manager.conjunction(literals)))
        return Table(dict(entries))

    def bits(self) -> tuple[str, ...]:
        """Return the current bits of all variables but rigid ones in order of declaration."""
        return tuple(
            bit
            for name, coding in self.codings.items()
            if name not in self.rigid
            for bit in coding.bits
        )

    def is_definition(self, constraint: Constraint) -> bool:
        """Tell whether a constraint is the equation that stands for its variable."""
        return (
            constraint.kind is ConstraintKind.INVAR
            and constraint.defines is not None
            and self.definitions[constraint.defines] is constraint.term.args[1]
        )

    def domains(self) -> list[Diagram]:
        """Return that variables have values of their sorts, and DEFINED ones any value."""
        found = []
        for name, variable in self.system.variables.items():
            if sorts.domain(variable.sort) is None:
                continue
            anything = name in self.definitions and variable.kind is SystemVariableKind.DEFINED
            value = self.value(terms.var(name, variable.sort))
            if isinstance(value, Table):
                found.append(
                    self.manager.disjunction(
                        node
                        for item, node in value.entries.items()
                        if anything or sorts.contains(variable.sort, item)
                    )
                )
        return found

    def predicate(self, term: Term) -> Diagram:
        """Return the diagram of a Boolean term.

        Raises:
            NotFinite: the term is over numbers without bounds, or has too many values.
            OutOfTime: the deadline has passed.
        """
        return _bit(self.value(term))

    def value(self, root: Term) -> Encoded:
        """Return the encoding of a term in the current state.

        Raises:
            NotFinite: the term is over numbers without bounds, or has too many values.
            OutOfTime: the deadline has passed.
        """
        values = self._values
        waiting: dict[_Key, list[_Key]] = {}
        stack: list[_Key] = [(root, False)]
        while stack:
            key = stack[-1]
            if key in values:
                stack.pop()
                continue
            needed = waiting.pop(key, None)
            if needed is None:
                needed = waiting[key] = self._needed(key)
                if missing := [item for item in needed if item not in values]:
                    stack.extend(missing)
                    continue
            stack.pop()
            if key[0].args:
                self.manager.tick()
            try:
                values[key] = self._combine(key, tuple([values[item] for item in needed]))
            except TooManyValues as many:
                message = "an integer expression has too many values"
                raise NotFinite(message) from many
        return values[root, False]

    def _needed(self, key: _Key) -> list[_Key]:
        term, shifted = key
        if term.op in {Op.VAR, Op.NEXT_VAR}:
            body = self.definitions.get(str(term.payload))
            return [] if body is None else [(body, shifted or term.op is Op.NEXT_VAR)]
        is_chosen = term.op is Op.ITE and not _is_by_bits(term.sort)
        args = walk.branches(term) if is_chosen else term.args
        keys: list[_Key] = []
        for arg in args:  # variables may be many: what defines them is asked for at once
            ahead = arg.op is Op.NEXT_VAR
            is_read = ahead or arg.op is Op.VAR
            body = self.definitions.get(cast("str", arg.payload)) if is_read else None
            keys.append((arg, shifted) if body is None else (body, shifted or ahead))
        return keys

    def _combine(self, key: _Key, args: tuple[Encoded, ...]) -> Encoded:
        term, shifted = key
        if term.op in {Op.VAR, Op.NEXT_VAR}:
            if args:
                return args[0]
            name = str(term.payload)
            if name not in self.system.variables:
                message = f"{name} is not declared"
                raise NotFinite(message)
            return self._variables[name, shifted or term.op is Op.NEXT_VAR]
        if term.op is Op.APPLY:
            message = "it calls a function of which nothing is known"
            raise NotFinite(message)
        if isinstance(term.sort, RealSort):
            message = "it computes with real numbers"
            raise NotFinite(message)
        if isinstance(term.sort, WordSort) or any(isinstance(arg, Word) for arg in args):
            try:
                found = self._words.encoded(term, args)
            except NotImplementedError as operator:
                message = f"it uses {operator} on words"
                raise NotFinite(message) from operator
            if found is not None:
                return found
        if isinstance(term.sort, BoolSort):
            return self._boolean(term, args)
        return self._table(term, args)

    def _boolean(self, term: Term, args: tuple[Encoded, ...]) -> Diagram:
        manager = self.manager
        match term.op:
            case Op.CONST:
                return manager.true if term.payload else manager.false
            case Op.NOT:
                return ~_bit(args[0])
            case Op.AND:
                return _bit(args[0]) & _bit(args[1])
            case Op.OR:
                return _bit(args[0]) | _bit(args[1])
            case Op.IMPLIES:
                return ~_bit(args[0]) | _bit(args[1])
            case Op.XOR:
                return manager.xor(_bit(args[0]), _bit(args[1]))
            case Op.IFF | Op.XNOR:
                return ~manager.xor(_bit(args[0]), _bit(args[1]))
            case Op.ITE:
                return manager.ite(_bit(args[0]), _bit(args[1]), _bit(args[2]))
            case Op.TO_BOOL if isinstance(args[0], Table):
                return manager.disjunction(
                    node for value, node in args[0].entries.items() if value != 0
                )
            case Op.TO_BOOL:
                return _bit(args[0])
            case _:
                return self._comparison(term, args)

    def _comparison(self, term: Term, args: tuple[Encoded, ...]) -> Diagram:
        if term.op not in _COMPARISONS:
            message = f"it uses {term.op.value}, which has no diagram here"
            raise NotFinite(message)
        left, right = args
        if not isinstance(left, Table) or not isinstance(right, Table):
            same = ~self.manager.xor(_bit(left), _bit(right))
            return same if term.op is Op.EQ else ~same
        match term.op:
            case Op.EQ:
                return tables.equal(self.manager, left, right)
            case Op.NE:
                return ~tables.equal(self.manager, left, right)
            case Op.LT:
                return tables.less(self.manager, left, right)
            case Op.GT:
                return tables.less(self.manager, right, left)
            case Op.LE:
                return tables.less(self.manager, left, right) | tables.equal(
                    self.manager, left, right
                )
            case _:
                return tables.less(self.manager, right, left) | tables.equal(
                    self.manager, left, right
                )

    def _table(self, term: Term, args: tuple[Encoded, ...]) -> Table:
        manager = self.manager
        match term.op:
            case Op.CONST:
                assert isinstance(term.payload, int | str)
                return Table({term.payload: manager.true})
            case Op.ITE:
                conditions = [_bit(arg) for arg in args[:-1:2]]
                choices = cast("Sequence[Table]", (*args[1::2], args[-1]))
                return tables.chosen(manager, conditions, choices)
            case Op.TO_INT if isinstance(args[0], Table):
                return args[0]
        operands = tuple(
            arg if isinstance(arg, Table) else self._numbered(arg, term.op) for arg in args
        )
        if not isinstance(term.sort, IntSort):
            message = f"it uses {term.op.value} on symbols"
            raise NotFinite(message)
        if term.op is Op.COUNT:
            total = Table({0: manager.true})
            for operand in operands:
                total = tables.combined(manager, lambda a, b: a + b, (total, operand))
            return total
        return tables.combined(manager, semantics.function(term), operands)

    def _numbered(self, value: Encoded, op: Op) -> Table:
        """Return a Boolean (1 for true) or a word as a table of integers."""
        if isinstance(value, Word):
            return self._words.numbered(value)
        truth, falsity = (1, 0) if op in {Op.TO_INT, Op.COUNT} else (True, False)
        node = _bit(value)
        return tables.table(self.manager, [(falsity, ~node), (truth, node)])

    def valuation(self, assignment: dict[str, bool]) -> tuple[dict[str, Value], dict[str, Value]]:
        """Return the values of the free and of all variables under an assignment of bits."""
        free = {name: coding.value(assignment) for name, coding in self.codings.items()}
        names = list(self.system.variables)
        if self._equations is None:
            compiler = Compiler({name: index for index, name in enumerate(names)})
            bodies = compiler.compile_all([self.definitions[name] for name in self._order])
            self._equations = list(
                zip([compiler.index[name] for name in self._order], bodies, strict=True)
            )
        row: list[Any] = [free.get(name) for name in names]
        for index, body in self._equations:
            row[index] = body(row, row, {})
        return free, dict(zip(names, row, strict=True))


def _is_by_bits(sort: Sort) -> bool:
    return isinstance(sort, BoolSort | WordSort)


def _bit(value: Encoded) -> Diagram:
    assert not isinstance(value, Table | Word)
    return value
