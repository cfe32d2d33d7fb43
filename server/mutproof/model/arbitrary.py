"""Values that a program leaves open: memories before the first step, uninterpreted functions.

They are read from the choices of an execution; missing ones have the default of their sort.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from mutproof.base.memo import Memo
from mutproof.model import flat_names, semantics, sorts, terms
from mutproof.model.instances import Instance, child_prefix
from mutproof.model.narrow import Narrowing
from mutproof.model.operators import Op
from mutproof.model.passes import operands
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.program import Element, Program, VariableKind
from mutproof.model.sharing import OpenValues, Sharing
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices, FunctionTable
from mutproof.model.values import built, leaves_of

Functions = Mapping[tuple[str, int], FunctionTable]


def timeless(term: Term, args: tuple[Any, ...], functions: Functions) -> Any:
    """Return the value within one step of a term whose arguments have these values."""
    if term.op is Op.APPLY:
        flat = tuple(
            leaf
            for arg, value in zip(term.args, args, strict=True)
            for _, leaf in leaves_of(arg.sort, value)
        )
        assert isinstance(term.payload, tuple)
        position = int(str(term.payload[1]))
        return _applied(functions, (str(term.payload[0]), position), term.sort, flat)
    try:
        return semantics.apply(term, args)
    except semantics.DivisionByZero:
        return _applied(functions, (BY_ZERO[term.op], 0), term.sort, (args[0],))


def chosen(values: Mapping[str, Value], name: str, sort: Sort) -> Any:
    """Return the value that the choices of a step give a variable."""

    def leaf(suffix: str, leaf_sort: Sort) -> Value:
        return values.get(name + suffix, sorts.default_value(leaf_sort))

    return built(sort, leaf)


class Beginning:
    """Give open values: those before the first step, and of variables that nothing defines."""

    def __init__(
        self,
        program: Program,
        instances: tuple[Instance, ...],
        open_values: OpenValues | None = None,
    ) -> None:
        self._program = program
        self._open = open_values or Sharing(instances).base
        self._narrowing = Narrowing(program)
        self._sorts: dict[str, Sort] = {}
        self._prefixes: dict[str, str] = {}
        self._names: dict[str, str] = {}
        self._scalars: dict[tuple[str, str], tuple[str, Value] | None] = {}
        for instance in instances:
            for variable in program.component(instance.component).variables:
                self._sorts[instance.prefix + variable.name] = variable.sort
                if variable.kind is not VariableKind.INPUT:
                    self._prefixes[instance.prefix + variable.name] = instance.prefix

    def chosen_name(self, name: str) -> str:
        """Return the name under which choices have the value of a variable that nothing defines.

        Inputs of instances are among these where their call was removed, whether or not it was
        shared.
        """
        if name not in self._names:
            prefix = self._prefixes.get(name)
            own = None if prefix is None else self._open.name(prefix, name[len(prefix) :])
            self._names[name] = own or name
        return self._names[name]

    def chosen(self, values: Mapping[str, Value], name: str) -> Any:
        """Return the value that the choices of a step give a variable that nothing defines."""
        return chosen(values, self.chosen_name(name), self._sorts[name])

    def value(self, instance: Instance, element: Element, pre: Term, choices: Choices) -> Any:
        """Return the value of a `pre` before the first step: its operand over arbitrary variables.

        Parts of the operand that have state of their own are arbitrary as a whole.
        """
        root = pre.args[0]
        if root.op is Op.VAR:  # the usual case
            key = instance.prefix, str(root.payload)
            if key not in self._scalars:
                self._scalars[key] = self._scalar(*key)
            if (known := self._scalars[key]) is not None:
                return choices.before.get(*known)
        held = tuple(operands.leaves(operands.stateful(root)))
        if not any(held):
            return self._timeless(instance, element, root, choices)
        component = self._program.component(instance.component)
        sort = self._narrowing.sort(component, root)
        names = [suffix for suffix, _ in sorts.leaves(sort)]
        own = dict(zip(names, held, strict=True))
        before: dict[str, Value] = {}
        if not all(held):
            known = self._timeless(instance, element, root, choices)
            before = dict(leaves_of(sort, known))
        base = flat_names.auxiliary_name("", element, pre)

        def leaf(suffix: str, leaf_sort: Sort) -> Value:
            if not own[suffix]:
                return before[suffix]
            return self._remembered(instance.prefix, base + suffix, leaf_sort, choices)

        return built(sort, leaf)

    def _scalar(self, prefix: str, name: str) -> tuple[str, Value] | None:
        """Return the memory of a scalar variable, and its value where choices have none."""
        sort = self._sorts[prefix + name]
        if isinstance(sort, sorts.ArraySort | sorts.RecordSort | sorts.TupleSort):
            return None
        return self._open.name(prefix, flat_names.memory_name(name)), sorts.default_value(sort)

    def _timeless(self, instance: Instance, element: Element, root: Term, choices: Choices) -> Any:
        values: dict[Term, Any] = {}
        stack = [root]
        while stack:
            term = stack[-1]
            if term in values:
                stack.pop()
            elif term.op in _HELD:
                values[term] = self._held(instance, element, term, choices)
            else:
                missing = [arg for arg in term.args if arg not in values]
                if missing:
                    stack.extend(missing)
                    continue
                arguments = tuple([values[arg] for arg in term.args])
                values[term] = timeless(term, arguments, choices.functions)
        return values[root]

    def _held(self, instance: Instance, element: Element, term: Term, choices: Choices) -> Any:
        prefix = instance.prefix
        if term.op is Op.VAR:
            return self._variable(prefix, str(term.payload), choices)
        if term.op is Op.CALL:
            assert isinstance(term.payload, Site)
            child = child_prefix(prefix, element, term.payload)
            names = term.payload.outputs
            outputs = tuple([self._variable(child, name, choices) for name in names])
            return outputs[0] if len(outputs) == 1 else outputs
        if term.op is Op.CONDACT and term.args[0] is terms.TRUE:
            return self._held(instance, element, term.args[1], choices)
        sort = self._narrowing.sort(self._program.component(instance.component), term)
        if term.op is Op.CONDACT:
            site = term.args[1].payload
            assert isinstance(site, Site)
            child = child_prefix(prefix, element, site)
            return self._before(child, flat_names.CONDACT, sort, choices)
        return self._before(prefix, flat_names.auxiliary_name("", element, term), sort, choices)

    def _variable(self, prefix: str, name: str, choices: Choices) -> Any:
        return self._before(prefix, name, self._sorts[prefix + name], choices)

    def _before(self, prefix: str, name: str, sort: Sort, choices: Choices) -> Any:
        def leaf(suffix: str, leaf_sort: Sort) -> Value:
            return self._remembered(prefix, name + suffix, leaf_sort, choices)

        return built(sort, leaf)

    def _remembered(self, prefix: str, name: str, sort: Sort, choices: Choices) -> Value:
        begun = self._open.name(prefix, flat_names.memory_name(name))
        return choices.before.get(begun, sorts.default_value(sort))


class AllBeginnings:
    """Cache a `Beginning` for each sharing of open values."""

    def __init__(self, program: Program, instances: tuple[Instance, ...]) -> None:
        self._program, self._instances = program, instances
        self._known: Memo[Beginning] = Memo(8)

    def of(self, open_values: OpenValues) -> Beginning:
        """Return the `Beginning` for a way in which instances share open values."""
        new = lambda: Beginning(self._program, self._instances, open_values)  # noqa: E731
        return self._known.get(id(open_values), new)  # which keeps the key alive


_HELD = frozenset({Op.VAR, Op.CALL, Op.PRE, Op.ARROW, Op.CONDACT})


def _applied(
    functions: Functions, what: tuple[str, int], sort: Sort, args: tuple[Value, ...]
) -> Any:
    name, position = what

    def leaf(suffix: str, leaf_sort: Sort) -> Value:
        table = functions.get((name + suffix, position))
        return sorts.default_value(leaf_sort) if table is None else table(args)

    return built(sort, leaf)
