"""What a small NuSMV text means, read off its syntax tree: all states, steps and properties.

Shares with the product only the parser. Knows modules with parameters, processes, all storage
classes, finite types, DEFINE, ASSIGN and all constraints; `tree_nusmv_temporal` decides properties.
Source: NuSMV 2.6 user manual §2.2, §2.3.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import product
from typing import Any

from mutproof.base.text import SourceText
from mutproof.languages.nusmv import syntax
from mutproof.languages.nusmv.parse import parse
from mutproof.languages.nusmv.syntax import AssignmentKind, ConstraintKeyword, Form
from support.tree_nusmv_values import (
    CALLS,
    OPERATIONS,
    Array,
    UndefinedError,
    Word,
    includes,
    key,
    members,
    number,
)

State = Mapping[str, Any]
Meaning = Callable[[State, State], Any]
MOST_STATES = 20_000
MOST_TRIED = 40_000
SELECTOR = "_process_selector_"


class TooLargeError(Exception):
    """Say that a model has more states than are worth trying."""


class NeedsNextError(Exception):
    """Say that an expression cannot be evaluated without the state that follows."""


class _Nowhere(dict[str, Any]):
    def __missing__(self, name: str) -> Any:
        raise NeedsNextError(name)


NOWHERE: State = _Nowhere()
"""The state that follows where none is known, and the current one in constants."""


@dataclass(frozen=True, slots=True)
class Stated:
    """Hold a property; `atom` gives the meaning of a node of its expression.

    `of_steps` tells that it reads inputs or next values somewhere.
    """

    kind: syntax.SpecificationKind
    body: syntax.Expression
    target: syntax.Expression | None
    atom: Callable[[syntax.Expression, int], Meaning]
    of_steps: bool


@dataclass(slots=True)
class Explicit:
    """Hold a flat model: the values of its scalars and what must hold of them.

    `assigned` are the values that variables may have after a step.
    """

    domains: dict[str, list[Any]] = field(default_factory=dict)
    inputs: set[str] = field(default_factory=set)
    frozen: set[str] = field(default_factory=set)
    first: list[Meaning] = field(default_factory=list)
    always: list[Meaning] = field(default_factory=list)
    steps: list[Meaning] = field(default_factory=list)
    assigned: dict[str, Meaning] = field(default_factory=dict)
    justice: list[Meaning] = field(default_factory=list)
    compassion: list[tuple[Meaning, Meaning]] = field(default_factory=list)
    properties: list[Stated] = field(default_factory=list)

    def is_state(self, state: State) -> bool:
        """Tell whether all that is asked of every state holds."""
        return all(demand(state, NOWHERE) for demand in self.always)

    def is_first(self, state: State) -> bool:
        """Tell whether a state is initial."""
        return self.is_state(state) and all(demand(state, NOWHERE) for demand in self.first)

    def is_step(self, state: State, after: State) -> bool:
        """Tell whether one state can follow another."""
        kept = all(state[name] == after[name] for name in self.frozen)
        return (
            kept
            and all(includes(of(state, after), after[n]) for n, of in self.assigned.items())
            and all(demand(state, after) for demand in self.steps)
        )

    def states(self) -> list[State]:
        """Return all states with inputs.

        Raises:
            TooLargeError: there are too many to try.
        """
        total = 1
        for domain in self.domains.values():
            total *= len(domain)
        if total > MOST_TRIED:
            raise TooLargeError
        names = list(self.domains)
        combined = (dict(zip(names, v, strict=True)) for v in product(*self.domains.values()))
        states: list[State] = [state for state in combined if self.is_state(state)]
        if len(states) > MOST_STATES:
            raise TooLargeError
        return states

    def demands(self, state: State) -> tuple[dict[str, frozenset[Any]], list[Meaning]] | None:
        """Return the keys variables may have after a state, and what else a step must meet.

        None says that no step leaves the state.
        """
        allowed = {name: frozenset({key(state[name])}) for name in self.frozen}
        late: list[Meaning] = []
        for name, value in self.assigned.items():
            try:
                allowed[name] = members(value(state, NOWHERE))
            except NeedsNextError:
                late.append(lambda s, t, of=value, n=name: includes(of(s, t), t[n]))
        for demand in self.steps:
            try:
                if not demand(state, NOWHERE):
                    return None
            except NeedsNextError:
                late.append(demand)
        return allowed, late


@dataclass(slots=True)
class _Scope:
    path: str
    module: syntax.Module
    process: str
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
        self.processes = ["main"]
        self.arrays: dict[str, tuple[int, int]] = {}
        self.macros: dict[str, tuple[syntax.Expression, _Scope]] = {}
        self.meanings: dict[str, Meaning] = {}
        self.nexts: dict[str, dict[str, Meaning]] = {}
        self.used: set[str] = set()
        self.reading: dict[str, set[str]] = {}
        self._declare(_Scope("", self.modules["main"], "main"))
        for scope, declaration in self._declarations():
            if isinstance(declaration, syntax.VariableDeclaration):
                self._variable(
                    scope.full(declaration.name.text), declaration.storage, declaration.type, scope
                )
        if len(self.processes) > 1:
            self.result.domains[SELECTOR] = [*self.processes]
            self.result.inputs.add(SELECTOR)
        for scope, declaration in self._declarations():
            self._demand(declaration, scope)
        for name, values in self.nexts.items():
            self.result.assigned[name] = self._by_process(name, values)
        self._forget_unused()

    def _forget_unused(self) -> None:
        """Leave out what nothing reads and nothing restricts: it has some value always."""
        used = self.used | {*self.result.assigned, SELECTOR}
        kept = {name: domain for name, domain in self.result.domains.items() if name in used}
        self.result.domains = kept
        self.result.inputs &= {*kept}
        self.result.frozen &= {*kept}

    # --- declarations -------------------------------------------------------------------------

    def _declarations(self) -> Iterator[tuple[_Scope, syntax.Declaration]]:
        for scope in self.scopes.values():
            yield from ((scope, declaration) for declaration in self._body(scope.module))

    def _body(self, module: syntax.Module) -> Iterator[syntax.Declaration]:
        for item in module.items:
            if isinstance(item.declaration, syntax.Inclusion):
                yield from self._body(self.modules[item.declaration.module.text])
            else:
                yield item.declaration

    def _declare(self, scope: _Scope) -> None:
        self.scopes[scope.path] = scope
        for declaration in self._body(scope.module):
            match declaration:
                case syntax.DefineDeclaration(name, body):
                    self.macros[scope.full(name.text)] = (body, scope)
                case syntax.VariableDeclaration(name, _, syntax.InstanceType() as type_):
                    full = scope.full(name.text)
                    if type_.process:
                        self.processes.append(full)
                    module = self.modules[type_.module]
                    names = [name.text for name in module.header.parameters]
                    bound = {n: (a, scope) for n, a in zip(names, type_.actuals, strict=True)}
                    running = full if type_.process else scope.process
                    self._declare(_Scope(full, module, running, bound))
                case _:
                    pass

    def _variable(
        self, full: str, storage: syntax.Storage, type_: syntax.TypeSyntax, scope: _Scope
    ) -> None:
        match type_:
            case syntax.InstanceType():
                return
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
        return number(self.meaning(expression, scope)(NOWHERE, NOWHERE))

    def _by_process(self, name: str, values: dict[str, Meaning]) -> Meaning:
        if len(self.processes) == 1:
            return values["main"]

        def value(state: State, after: State) -> Any:
            running = state[SELECTOR]
            return values[running](state, after) if running in values else state[name]

        return value

    def _demand(self, declaration: syntax.Declaration, scope: _Scope) -> None:
        result = self.result
        match declaration:
            case syntax.Assignment(kind, target, body, _):
                name = self.path(target, len(target.nodes) - 1, scope)
                assert isinstance(name, str)
                value = self.meaning(body, scope)
                if kind is AssignmentKind.NEXT:
                    self.nexts.setdefault(name, {})[scope.process] = value
                else:
                    demands = result.first if kind is AssignmentKind.INIT else result.always
                    demands.append(lambda s, t: includes(value(s, t), s[name]))
                    self.used.add(name)
            case syntax.ConstraintSection(keyword, body, _):
                demands = {
                    ConstraintKeyword.INIT: result.first,
                    ConstraintKeyword.INVAR: result.always,
                    ConstraintKeyword.TRANS: result.steps,
                    ConstraintKeyword.FAIRNESS: result.justice,
                }[keyword]
                demands.append(self.meaning(body, scope))
            case syntax.Compassion(premise, conclusion, _):
                pair = (self.meaning(premise, scope), self.meaning(conclusion, scope))
                result.compassion.append(pair)
            case syntax.Specification(kind, _, body, target, context):
                where = scope
                if context is not None:
                    path = self.path(context, len(context.nodes) - 1, scope)
                    assert isinstance(path, str)
                    where = self.scopes[path]
                before, self.used = self.used, set()
                for expression in (body,) if target is None else (body, target):
                    for index, node in enumerate(expression.nodes):
                        if node.form in {*_REFERENCES, Form.NEXT}:
                            self._node(expression, index, where)  # says what is used
                of_steps = not self.used.isdisjoint({*result.inputs, Form.NEXT.value})
                self.used |= before
                atom = partial(self._node, scope=where)
                result.properties.append(Stated(kind, body, target, atom, of_steps))
            case _:
                pass

    # --- expressions --------------------------------------------------------------------------

    def path(self, expression: syntax.Expression, index: int, scope: _Scope) -> str | Meaning:
        """Return the full name an expression is, or the meaning of a parameter bound to more."""
        node = expression.nodes[index]
        if node.form is Form.SELF:
            return scope.path
        if node.form is Form.NAME:
            return self._bound(str(node.value), scope)
        if node.form not in {Form.DOT, Form.INDEX}:
            return self._node(expression, index, scope)
        left = self.path(expression, node.args[0], scope)
        if node.form is Form.DOT:
            assert isinstance(left, str)
            if left in self.scopes:
                return self._bound(str(node.value), self.scopes[left])
            return f"{left}.{node.value}" if left else str(node.value)
        value = self._node(expression, node.args[1], scope)
        if isinstance(left, str) and left not in self.macros:
            try:
                return f"{left}[{number(value(NOWHERE, NOWHERE))}]"
            except (NeedsNextError, UndefinedError):
                pass  # the index is a variable
        array = self.named(left) if isinstance(left, str) else left
        return lambda s, t: array(s, t).at(number(value(s, t)))

    def _bound(self, name: str, scope: _Scope) -> str | Meaning:
        """Return the full name of what a name stands for in a scope."""
        if name not in scope.bound:
            return scope.full(name)
        actual, caller = scope.bound[name]
        return self.path(actual, len(actual.nodes) - 1, caller)

    def named(self, full: str) -> Meaning:
        """Return the meaning of a full name: a variable, a macro, a constant."""
        if full in self.result.domains:
            self.used.add(full)
            return lambda s, t: s[full]
        if full in self.arrays:
            low, high = self.arrays[full]
            elements = [self.named(f"{full}[{i}]") for i in range(low, high + 1)]
            return lambda s, t: Array(low, tuple(lambda of=of: of(s, t) for of in elements))
        if full in self.macros:
            if full not in self.meanings:
                before, self.used = self.used, set()
                self.meanings[full] = self.meaning(*self.macros[full])
                self.reading[full] = self.used
                self.used = before
            self.used |= self.reading[full]
            return self.meanings[full]
        if full.endswith("]"):  # an element that no such array has
            return lambda s, t: _undefined()
        scope, _, constant = full.rpartition(".")
        if constant == "running" and len(self.processes) > 1:
            process = self.scopes[scope].process
            self.used.add(SELECTOR)
            return lambda s, t: s[SELECTOR] == process
        if full in self.processes:
            return lambda s, t: full
        return lambda s, t: constant

    def meaning(self, expression: syntax.Expression, scope: _Scope) -> Meaning:
        """Return the meaning of an expression."""
        return self._node(expression, len(expression.nodes) - 1, scope)

    def _node(self, expression: syntax.Expression, index: int, scope: _Scope) -> Meaning:
        node = expression.nodes[index]
        form, value = node.form, node.value
        if form in _REFERENCES:
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
            self.used.add(form.value)
            return lambda s, t: args[0](t, NOWHERE)
        if form is Form.IF:
            return lambda s, t: args[1](s, t) if args[0](s, t) else args[2](s, t)
        if form is Form.CASE:
            return lambda s, t: _chosen(args, s, t)
        if form is Form.ARRAY:
            return lambda s, t: Array(0, tuple(lambda of=of: of(s, t) for of in args))
        if form in _DECIDED:
            return lambda s, t: _decided(form, args, s, t)
        if form is Form.NEGATE and value == "+":
            return args[0]
        operation = CALLS[str(value)] if form is Form.CALL else OPERATIONS[form]
        return lambda s, t: operation(*[arg(s, t) for arg in args])


_REFERENCES = {Form.NAME, Form.DOT, Form.INDEX, Form.SELF}
_DECIDED = {Form.AND: (False, False), Form.OR: (True, True), Form.IMPLIES: (False, True)}
"""Which value of the left and of the right operand decides alone."""


def _undefined() -> Any:
    raise UndefinedError


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
        return OPERATIONS[form](*values)
    if any(value is decider for value, decider in zip(values, _DECIDED[form], strict=True)):
        return form is not Form.AND
    raise UndefinedError


def states_of(model: Explicit, row: Mapping[str, Any]) -> Iterator[State]:
    """Yield the states that have the values of a row of a trace, which may leave out some."""
    choices: list[list[Any]] = []
    for name, domain in model.domains.items():
        first = domain[0]
        if name not in row:
            choices.append(domain)
        else:
            value = first.like(row[name]) if isinstance(first, Word) else row[name]
            choices.append([one for one in domain if key(one) == key(value)])
    total = 1
    for choice in choices:
        total *= len(choice)
    if total > MOST_TRIED:
        raise TooLargeError
    for values in product(*choices):
        yield dict(zip(model.domains, values, strict=True))
