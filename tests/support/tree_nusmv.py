"""What a small NuSMV text means, read off its syntax tree: all states, steps and invariants.

Shares with the product only the parser. Knows modules with parameters, all storage classes, finite
types, DEFINE, ASSIGN, INIT, TRANS, INVAR and INVARSPEC. Source: NuSMV 2.6 user manual §2.2, §2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import product
from typing import Any

from mutproof.base.text import SourceText
from mutproof.languages.nusmv import syntax
from mutproof.languages.nusmv.parse import parse
from mutproof.languages.nusmv.syntax import AssignmentKind, ConstraintKeyword, Form

State = Mapping[str, Any]
Meaning = Callable[[State, State], Any]
NOWHERE: State = {}
MOST_STATES = 600


@dataclass(frozen=True, slots=True)
class Word:
    """Hold a word by its bits."""

    bits: int
    width: int
    signed: bool

    @property
    def number(self) -> int:
        """Return the integer it stands for."""
        negative = self.signed and self.bits >> (self.width - 1)
        return self.bits - (1 << self.width) if negative else self.bits

    def like(self, number: int) -> Word:
        """Return the word of the same type with the low bits of a number."""
        return Word(number % (1 << self.width), self.width, self.signed)


class UndefinedError(Exception):
    """Say that no condition of a case is true; what another operand decides needs no value."""


class TooLargeError(Exception):
    """Say that a model has more states than are worth trying."""


@dataclass(slots=True)
class Explicit:
    """Hold a flat model: the values of its scalars and what must hold of them."""

    domains: dict[str, list[Any]] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    first: list[Meaning] = field(default_factory=list)
    always: list[Meaning] = field(default_factory=list)
    steps: list[Meaning] = field(default_factory=list)
    invariants: list[Meaning] = field(default_factory=list)

    def is_state(self, state: State) -> bool:
        """Tell whether all that is asked of every state holds."""
        if any(state[name] not in domain for name, domain in self.domains.items()):
            return False
        return all(demand(state, NOWHERE) for demand in self.always)

    def is_first(self, state: State) -> bool:
        """Tell whether a state is initial."""
        return self.is_state(state) and all(demand(state, NOWHERE) for demand in self.first)

    def is_step(self, state: State, after: State) -> bool:
        """Tell whether one state can follow another."""
        kept = all(state[name] == after[name] for name in self.frozen)
        return kept and all(demand(state, after) for demand in self.steps)

    def reachable(self) -> list[State]:
        """Return all states with inputs that executions get to.

        Raises:
            TooLargeError: there are too many states to try.
        """
        total = 1
        for domain in self.domains.values():
            total *= len(domain)
        if total > 40 * MOST_STATES:
            raise TooLargeError
        names = list(self.domains)
        combined = (dict(zip(names, v, strict=True)) for v in product(*self.domains.values()))
        states = [state for state in combined if self.is_state(state)]
        if len(states) > MOST_STATES:
            raise TooLargeError
        found = [state for state in states if self.is_first(state)]
        left = [state for state in states if state not in found]
        for state in found:  # grows while it is walked
            following = [after for after in left if self.is_step(state, after)]
            found.extend(following)
            left = [after for after in left if after not in following]
        return found


@dataclass(slots=True)
class _Scope:
    path: str
    module: syntax.Module
    bound: dict[str, tuple[syntax.Expression, _Scope]] = field(default_factory=dict)

    def full(self, name: str) -> str:
        return f"{self.path}.{name}" if self.path else name


def read(text: str) -> Explicit:
    """Return what a text means; its names and types are taken to be right."""
    return _Reader(text).result


class _Reader:
    def __init__(self, text: str) -> None:
        tree = parse(SourceText("tree.smv", text)).tree
        assert isinstance(tree, syntax.File)
        self.modules = {module.header.name.text: module for module in tree.modules}
        self.result = Explicit()
        self.scopes: dict[str, _Scope] = {}
        self.arrays: dict[str, tuple[int, int]] = {}
        self.macros: dict[str, tuple[syntax.Expression, _Scope]] = {}
        self.meanings: dict[str, Meaning] = {}
        self._declare(_Scope("", self.modules["main"]))
        for scope in list(self.scopes.values()):
            for item in scope.module.items:
                self._demand(item.declaration, scope)

    # --- declarations -------------------------------------------------------------------------

    def _declare(self, scope: _Scope) -> None:
        self.scopes[scope.path] = scope
        children = []
        for item in scope.module.items:
            match item.declaration:
                case syntax.DefineDeclaration(name, body):
                    self.macros[scope.full(name.text)] = (body, scope)
                case syntax.VariableDeclaration(name, storage, type_):
                    full = scope.full(name.text)
                    if isinstance(type_, syntax.InstanceType):
                        children.append((full, type_))
                    else:
                        self._variable(full, storage, type_, scope)
                case _:
                    pass
        for full, type_ in children:
            module = self.modules[type_.module]
            names = [name.text for name in module.header.parameters]
            bound = {n: (a, scope) for n, a in zip(names, type_.actuals, strict=True)}
            self._declare(_Scope(full, module, bound))

    def _variable(
        self, full: str, storage: syntax.Storage, type_: syntax.TypeSyntax, scope: _Scope
    ) -> None:
        match type_:
            case syntax.ArrayType(low, high, element):
                first, last = self._constant(low, scope), self._constant(high, scope)
                self.arrays[full] = (first, last)
                for index in range(first, last + 1):
                    self._variable(f"{full}[{index}]", storage, element, scope)
                return
            case syntax.BooleanType():
                domain: list[Any] = [False, True]
            case syntax.EnumerationType(values):
                domain = [value for value, _ in values]
            case syntax.RangeType(low, high):
                domain = [*range(self._constant(low, scope), self._constant(high, scope) + 1)]
            case syntax.WordType(signed, bound):
                width = self._constant(bound, scope)
                domain = [Word(bits, width, signed) for bits in range(1 << width)]
            case _:
                raise NotImplementedError(type_)
        self.result.domains[full] = domain
        if storage is syntax.Storage.INPUT:
            self.result.inputs.add(full)
        elif storage is syntax.Storage.FROZEN:
            self.result.frozen.add(full)

    def _constant(self, expression: syntax.Expression, scope: _Scope) -> int:
        value = self.meaning(expression, scope)(NOWHERE, NOWHERE)
        return value.number if isinstance(value, Word) else int(value)

    def _demand(self, declaration: syntax.Declaration, scope: _Scope) -> None:
        result = self.result
        match declaration:
            case syntax.Assignment(kind, target, body, _):
                name = self.path(target, len(target.nodes) - 1, scope)
                assert isinstance(name, str)
                value = self.meaning(body, scope)
                if kind is AssignmentKind.NEXT:
                    result.steps.append(lambda s, t: _includes(value(s, t), t[name]))
                else:
                    demands = result.first if kind is AssignmentKind.INIT else result.always
                    demands.append(lambda s, t: _includes(value(s, t), s[name]))
            case syntax.Constraint(keyword, body, _):
                demands = {
                    ConstraintKeyword.INIT: result.first,
                    ConstraintKeyword.INVAR: result.always,
                    ConstraintKeyword.TRANS: result.steps,
                }[keyword]
                demands.append(self.meaning(body, scope))
            case syntax.Specification(syntax.SpecificationKind.INVARIANT, _, body, _, None, _):
                result.invariants.append(self.meaning(body, scope))
            case _:
                pass

    # --- expressions --------------------------------------------------------------------------

    def path(self, expression: syntax.Expression, index: int, scope: _Scope) -> str | Meaning:
        """Return the full name an expression is, or the meaning of a parameter bound to more."""
        node = expression.nodes[index]
        if node.form is Form.SELF:
            return scope.path
        if node.form is Form.NAME:
            name = str(node.value)
            if name in scope.bound:
                actual, caller = scope.bound[name]
                if actual.root.form in {Form.NAME, Form.DOT, Form.INDEX, Form.SELF}:
                    return self.path(actual, len(actual.nodes) - 1, caller)
                return self.meaning(actual, caller)
            return scope.full(name)
        left = self.path(expression, node.args[0], scope)
        if not isinstance(left, str):
            return left
        if node.form is Form.DOT:
            return f"{left}.{node.value}" if left else str(node.value)
        value = self._node(expression, node.args[1], scope)
        try:
            return f"{left}[{value(NOWHERE, NOWHERE)}]"
        except KeyError:  # the index is a variable
            low, high = self.arrays[left]
            names = {i: self.named(f"{left}[{i}]") for i in range(low, high + 1)}
            return lambda s, t: names[_number(value(s, t))](s, t)

    def named(self, full: str) -> Meaning:
        """Return the meaning of a full name: a variable, a macro, a constant."""
        if full in self.result.domains:
            return lambda s, t: s[full]
        if full in self.macros:
            if full not in self.meanings:
                self.meanings[full] = self.meaning(*self.macros[full])
            return self.meanings[full]
        constant = full.rpartition(".")[2]
        return lambda s, t: constant

    def meaning(self, expression: syntax.Expression, scope: _Scope) -> Meaning:
        """Return the meaning of an expression."""
        return self._node(expression, len(expression.nodes) - 1, scope)

    def _node(self, expression: syntax.Expression, index: int, scope: _Scope) -> Meaning:
        node = expression.nodes[index]
        form, value = node.form, node.value
        if form in {Form.NAME, Form.DOT, Form.INDEX, Form.SELF}:
            found = self.path(expression, index, scope)
            return self.named(found) if isinstance(found, str) else found
        if form is Form.WORD:
            assert isinstance(value, syntax.WordLiteral)
            word = Word(value.value % (1 << value.width), value.width, value.signed)
            return lambda s, t: word
        if not node.args:
            return lambda s, t: value
        args = [self._node(expression, arg, scope) for arg in node.args]
        if form is Form.NEXT:
            return lambda s, t: args[0](t, NOWHERE)
        if form is Form.IF:
            return lambda s, t: args[1](s, t) if args[0](s, t) else args[2](s, t)
        if form is Form.CASE:
            return lambda s, t: _chosen(args, s, t)
        if form in _DECIDED:
            return lambda s, t: _decided(form, args, s, t)
        operation = _CALLS[str(value)] if form is Form.CALL else _OPERATIONS[form]
        return lambda s, t: operation(*[arg(s, t) for arg in args])


_DECIDED = {Form.AND: (False, False), Form.OR: (True, True), Form.IMPLIES: (False, True)}
"""Which value of the left and of the right operand decides alone."""


def _chosen(args: list[Meaning], state: State, after: State) -> Any:
    for index in range(0, len(args), 2):
        if args[index](state, after):
            return args[index + 1](state, after)
    raise UndefinedError


def _decided(form: Form, args: list[Meaning], state: State, after: State) -> Any:
    """Return the value of a connective, also where one operand has none and need not have one."""
    values: list[Any] = []
    for arg in args:
        try:
            values.append(arg(state, after))
        except UndefinedError:
            values.append(None)
    if None not in values:
        return _OPERATIONS[form](*values)
    if any(value is decider for value, decider in zip(values, _DECIDED[form], strict=True)):
        return form is not Form.AND
    raise UndefinedError


def _number(value: Any) -> int:
    return value.number if isinstance(value, Word) else int(value)


def _members(value: Any) -> frozenset[Any]:
    return value if isinstance(value, frozenset) else frozenset({_key(value)})


def _key(value: Any) -> tuple[type, Any]:
    """Return a value so that TRUE is not 1."""
    return type(value), value


def _includes(value: Any, one: Any) -> bool:
    return _key(one) in _members(value)


def _arithmetic(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        found = operation(_number(left), _number(right))
        return left.like(found) if isinstance(left, Word) else found

    return apply


def _quotient(left: int, right: int) -> int:
    found = abs(left) // abs(right)
    return found if (left < 0) == (right < 0) else -found


def _logic(operation: Callable[[int, int], int]) -> Callable[[Any, Any], Any]:
    def apply(left: Any, right: Any) -> Any:
        if isinstance(left, Word):
            return left.like(operation(left.bits, right.bits))
        return bool(operation(left, right) & 1)

    return apply


def _not(value: Any) -> Any:
    return value.like(~value.bits) if isinstance(value, Word) else not value


def _negated(value: Any) -> Any:
    return value.like(-value.number) if isinstance(value, Word) else -value


def _concatenated(left: Word, right: Word) -> Word:
    return Word(left.bits << right.width | right.bits, left.width + right.width, signed=False)


def _subset(left: Any, right: Any) -> bool:
    return _members(left) <= _members(right)


_OPERATIONS: dict[Form, Callable[..., Any]] = {
    Form.NOT: _not,
    Form.NEGATE: _negated,
    Form.ADD: _arithmetic(lambda a, b: a + b),
    Form.SUBTRACT: _arithmetic(lambda a, b: a - b),
    Form.MULTIPLY: _arithmetic(lambda a, b: a * b),
    Form.DIVIDE: _arithmetic(_quotient),
    Form.MODULO: _arithmetic(lambda a, b: a - b * _quotient(a, b)),
    Form.AND: _logic(lambda a, b: a & b),
    Form.OR: _logic(lambda a, b: a | b),
    Form.XOR: _logic(lambda a, b: a ^ b),
    Form.XNOR: _logic(lambda a, b: ~(a ^ b)),
    Form.IFF: _logic(lambda a, b: ~(a ^ b)),
    Form.IMPLIES: _logic(lambda a, b: ~a | b),
    Form.EQUAL: lambda a, b: _key(a) == _key(b),
    Form.NOT_EQUAL: lambda a, b: _key(a) != _key(b),
    Form.LESS: lambda a, b: _number(a) < _number(b),
    Form.LESS_EQUAL: lambda a, b: _number(a) <= _number(b),
    Form.GREATER: lambda a, b: _number(a) > _number(b),
    Form.GREATER_EQUAL: lambda a, b: _number(a) >= _number(b),
    Form.SET: lambda *a: frozenset().union(*(_members(one) for one in a)),
    Form.UNION: lambda a, b: _members(a) | _members(b),
    Form.IN: _subset,
    Form.RANGE: lambda a, b: frozenset(_key(n) for n in range(a, b + 1)),
    Form.CONCAT: _concatenated,
    Form.SHIFT_LEFT: lambda a, b: a.like(a.bits << _number(b)),
    Form.SHIFT_RIGHT: lambda a, b: a.like(a.number >> _number(b)),
    Form.SLICE: lambda a, b, c: Word(a.bits >> c & ((2 << (b - c)) - 1), b - c + 1, signed=False),
}
_CALLS: dict[str, Callable[..., Any]] = {
    "toint": _number,
    "word1": lambda a: Word(int(a), 1, signed=False),
    "bool": lambda a: _number(a) != 0,
    "count": lambda *a: sum(a),
    "min": min,
    "max": max,
    "abs": abs,
    "unsigned": lambda a: Word(a.bits, a.width, signed=False),
    "signed": lambda a: Word(a.bits, a.width, signed=True),
}


def states_of(model: Explicit, row: Mapping[str, Any]) -> Iterator[State]:
    """Yield the states that have the values of a row of a trace, which may leave out some."""
    choices: list[list[Any]] = []
    for name, domain in model.domains.items():
        first = domain[0]
        if name not in row:
            choices.append(domain)
        else:
            choices.append([first.like(row[name]) if isinstance(first, Word) else row[name]])
    for values in product(*choices):
        yield dict(zip(model.domains, values, strict=True))
