"""From bodies of elements to constraints: one element in one instance, with any body.

Bodies of mutants share nearly all of their subterms with the body of the model, so its lowered
subterms are kept, with the constraints and variables that they add.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import TypeAlias

from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.model import sorts, terms
from mutproof.model.additions import Addition, Additions, listed, merged
from mutproof.model.flat_names import CLOCK, CONDACT, FIRST, HELD, auxiliary_name, memory_name
from mutproof.model.instances import Instance, child_prefix, clock_of, first_of
from mutproof.model.narrow import Narrowing
from mutproof.model.operators import Op
from mutproof.model.passes import division, operands, parts
from mutproof.model.passes.parts import Flat
from mutproof.model.program import Component, Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemVariable,
    SystemVariableKind,
)
from mutproof.model.terms import Site, Term


@dataclass(frozen=True)
class Lowered:
    """Hold what one element contributes in all its instances."""

    constraints: tuple[Constraint, ...]
    variables: tuple[SystemVariable, ...]


_Key: TypeAlias = tuple[Term, bool]
"""A subterm, and whether its value at the previous step is meant."""


class LoweringContext:
    """Hold what lowering an element needs to know of its program; mutable caches only."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.narrowing = Narrowing(program)
        self._sorts: dict[str, dict[str, Sort]] = {
            component.name: {variable.name: variable.sort for variable in component.variables}
            for component in program.components
        }

    def sort_of(self, component: str, name: str) -> Sort:
        """Return the declared sort of a variable of a component."""
        return self._sorts[component][name]


class ElementLowerer:
    """Lower bodies of one element in one instance; keeps what `keep` has lowered."""

    def __init__(
        self, context: LoweringContext, instance: Instance, element: Element | None
    ) -> None:
        self._context = context
        self._instance = instance
        self._element = element
        self._prefix = instance.prefix
        self._path = instance.path
        self._component = context.program.component(instance.component)
        self._values: dict[_Key, Flat] = {}
        self._added: dict[_Key, Additions] = {}  # no entry: adds nothing
        self._fresh: list[_Key] = []  # keys computed since the last body
        self._own: list[Addition] = []  # of the current subterm
        self._memories: dict[str, Addition] = {}

    def keep(self, body: Term) -> None:
        """Lower a body whose subterms are in many others."""
        self.value(body)
        self._fresh.clear()

    def run(self, body: Term) -> Lowered:
        """Return what the element contributes with this body."""
        give_way()
        element = self._element
        assert element is not None
        value = self.value(body)
        additions = listed(self._added.get((body, False), ()))
        for key in self._fresh:
            del self._values[key]
            self._added.pop(key, None)
        self._fresh.clear()
        constraints = [c for addition in additions for c in addition.constraints]
        constraints.extend(self._stated(element, body, value))
        known = [addition.variable for addition in additions if addition.variable is not None]
        variables = {variable.name: variable for variable in known}
        return Lowered(tuple(constraints), tuple(variables.values()))

    def _stated(self, element: Element, body: Term, value: Flat) -> list[Constraint]:
        """Return the constraints of an element's own statement."""
        if element.kind is ElementKind.ASSERT:
            # JKind ignores assertions of called nodes; the front end warns about them.
            if self._prefix:
                return []
            assert isinstance(value, Term)
            return [self._constraint(ConstraintKind.INVAR, value, None)]
        values = (value,) if len(element.targets) == 1 else value
        assert isinstance(values, tuple)
        definitions = [
            constraint
            for target, item in zip(element.targets, values, strict=True)
            for constraint in self._definitions(
                self._prefix + target,
                self._context.sort_of(self._instance.component, target),
                item,
                body,
            )
        ]
        return [self._restriction(one) for one in definitions] if element.circular else definitions

    def _restriction(self, definition: Constraint) -> Constraint:
        """Return a circular equation as a constraint: it holds wherever its node runs."""
        if definition.defines is None:
            return definition  # a bound
        clock = clock_of(self._instance)
        term = definition.term if clock is None else terms.implies(clock, definition.term)
        return replace(definition, term=term, defines=None)

    def _definitions(
        self, flat_name: str, sort: Sort, value: Flat, body: Term
    ) -> Iterable[Constraint]:
        """Yield the equations that define a variable, and bounds that the value may exceed."""
        clock = clock_of(self._instance)
        leaving = operands.is_bounded(sort) and operands.may_leave(body, clocked=clock is not None)
        names = sorts.leaves(sort)
        for (suffix, leaf_sort), leaf in zip(names, parts.flat_leaves(value), strict=True):
            name = flat_name + suffix
            equation = terms.eq(terms.var(name, leaf_sort), leaf)
            yield self._constraint(ConstraintKind.INVAR, equation, name)
            inside = operands.within(terms.var(name, leaf_sort), leaf_sort) if leaving else None
            if inside is not None:
                inside = inside if clock is None else terms.implies(clock, inside)
                yield self._constraint(ConstraintKind.INVAR, inside, None)

    def _constraint(
        self, kind: ConstraintKind, term: Term, defines: str | None, *, stated: bool = True
    ) -> Constraint:
        if not stated or self._element is None:
            return Constraint(kind, term, None, defines, self._path if stated else "")
        return Constraint(kind, term, self._element.id, defines, self._path)

    # --- values ---------------------------------------------------------------------------

    def value(self, root: Term, *, previous: bool = False) -> Flat:
        """Return the flat value of a term in this instance, now or at the previous step."""
        values = self._values
        added = self._added
        stack: list[tuple[_Key, list[_Key] | None]] = [((root, previous), None)]
        while stack:
            key, needed = stack.pop()
            if needed is None:
                if key in values:
                    continue
                needed = self._needs(*key)
                missing = [item for item in needed if item not in values]
                if missing:
                    stack.append((key, needed))
                    stack.extend([(item, None) for item in missing])
                    continue
            values[key] = self._combine(*key, tuple([values[item] for item in needed]))
            self._fresh.append(key)
            # The last argument was lowered first.
            inner = [added[item] for item in reversed(needed) if item in added] if added else []
            if inner or self._own:
                added[key] = merged(inner, self._own)
        return values[root, previous]

    @staticmethod
    def _needs(term: Term, previous: bool) -> list[_Key]:
        if term.op in _TIMED:
            if previous:
                return [(term, False)]
            if term.op is Op.PRE:
                held = set(operands.leaves(operands.stateful(term.args[0])))
                return [(term.args[0], not state) for state in sorted(held)]
        return [(arg, previous) for arg in term.args]

    def _combine(self, term: Term, previous: bool, args: tuple[Flat, ...]) -> Flat:
        if term.op not in _OF_INSTANCES:
            return _combine_now(term, args)
        if previous and term.op in _TIMED:
            return self._remembered(term, args[0])
        match term.op:
            case Op.PRE:
                return self._previous(term, args)
            case Op.ARROW:
                return parts.choose(self._first(), args[0], args[1])
            case Op.VAR:
                return self._variable(term, previous)
            case Op.CALL:
                return self._call(term, args)
            case _:
                return self._condact(term, args)

    def _variable(self, term: Term, previous: bool) -> Flat:
        name = str(term.payload)
        sort = self._context.sort_of(self._instance.component, name)

        def leaf(suffix: str, leaf_sort: Sort) -> Term:
            flat = terms.var(self._prefix + name + suffix, leaf_sort)
            return self._memory(flat, leaf_sort) if previous else flat

        return parts.build(sort, leaf)

    def _memory(self, variable: Term, sort: Sort, *, always: bool = False) -> Term:
        """Return the memory of a variable: its value at the last step at which the instance ran."""
        name = memory_name(str(variable.payload))
        clock = None if always else clock_of(self._instance)
        if clock is not None:
            sort = operands.unbounded(sort)
        memory = terms.var(name, sort)
        if name not in self._memories:
            kept = variable if clock is None else terms.ite(clock, variable, memory)
            update = terms.eq(terms.next_var(name, sort), kept)
            self._memories[name] = Addition(
                SystemVariable(name, sort, SystemVariableKind.STATE, shown=False),
                (self._constraint(ConstraintKind.TRANS, update, name, stated=False),),
            )
        self._own.append(self._memories[name])
        return memory

    def _previous(self, term: Term, args: tuple[Flat, ...]) -> Flat:
        """Return the value of a `pre`; parts of its operand without state need no memory."""
        held = iter(operands.leaves(operands.stateful(term.args[0])))
        before, now = args[0], args[-1]
        assert self._element is not None
        base = auxiliary_name(self._prefix, self._element, term)
        names = iter(sorts.leaves(self._context.narrowing.sort(self._component, term.args[0])))

        def part(previous: Term, current: Term) -> Term:
            suffix, sort = next(names)
            if not next(held):
                return previous
            sort = operands.unbounded(sort)
            self._auxiliary(base + suffix, sort, current)
            return self._memory(terms.var(base + suffix, sort), sort)

        return parts.pointwise(part, before, now)

    def _remembered(self, term: Term, value: Flat) -> Flat:
        """Return the memory of a call or condact; for other terms, a value that nothing uses."""
        if term.op in {Op.PRE, Op.ARROW}:
            return value
        if term.op is Op.CONDACT and term.args[0] is terms.TRUE:
            term, value = term.args[1], _outputs(*self._callee(term.args[1]))
        narrow = self._context.narrowing.sort(self._component, term)
        suffixes = iter(sorts.leaves(narrow))

        def remember(leaf: Term) -> Term:
            suffix, sort = next(suffixes)
            if term.op is Op.CALL:
                return self._memory(leaf, sort)
            # Named by the called instance: equal calls share the value before the first step.
            name = self._callee(term.args[1])[0] + CONDACT + suffix
            self._auxiliary(name, sort, leaf)
            return self._memory(terms.var(name, sort), sort)

        return parts.pointwise(remember, value)

    def _auxiliary(self, name: str, sort: Sort, value: Term) -> None:
        variable = SystemVariable(name, sort, SystemVariableKind.DEFINED, shown=False)
        equation = terms.eq(terms.var(name, sort), value)
        constraint = self._constraint(ConstraintKind.INVAR, equation, name)
        self._own.append(Addition(variable, (constraint,)))

    def _first(self) -> Term:
        return self._flag(*first_of(self._instance))

    def _flag(self, name: str, clock: Term | None) -> Term:
        flag = terms.var(name, sorts.BOOL)
        if name not in self._memories:
            after = terms.FALSE if clock is None else terms.ite(clock, terms.FALSE, flag)
            update = terms.eq(terms.next_var(name, sorts.BOOL), after)
            begins = terms.eq(flag, terms.TRUE)
            self._memories[name] = Addition(
                SystemVariable(name, sorts.BOOL, SystemVariableKind.STATE, shown=False),
                (
                    self._constraint(ConstraintKind.INIT, begins, name, stated=False),
                    self._constraint(ConstraintKind.TRANS, update, name, stated=False),
                ),
            )
        self._own.append(self._memories[name])
        return flag

    # --- calls ----------------------------------------------------------------------------

    def _callee(self, term: Term) -> tuple[str, Component]:
        assert self._element is not None
        site = term.payload
        assert isinstance(site, Site)
        prefix = child_prefix(self._prefix, self._element, site)
        return prefix, self._context.program.component(site.component)

    def _call(self, term: Term, args: tuple[Flat, ...]) -> Flat:
        prefix, callee = self._callee(term)
        inputs = callee.of_kind(VariableKind.INPUT)
        for variable, argument, value in zip(inputs, term.args, args, strict=True):
            name = prefix + variable.name
            given = tuple(self._definitions(name, variable.sort, value, argument))
            self._own.append(Addition(None, given))
        return _outputs(prefix, callee)

    def _condact(self, term: Term, args: tuple[Flat, ...]) -> Flat:
        call = term.args[1]
        prefix, callee = self._callee(call)
        runs, computed, defaults = args[0], args[1], args[2:]
        assert isinstance(runs, Term)
        outer = clock_of(self._instance)
        clock = terms.var(prefix + CLOCK, sorts.BOOL)
        value = runs if outer is None else terms.and_(outer, runs)
        self._auxiliary(prefix + CLOCK, sorts.BOOL, value)
        outputs = callee.of_kind(VariableKind.OUTPUT)
        single = len(outputs) == 1
        held: list[Flat] = []
        for index, output in enumerate(outputs):
            now = computed if single else computed[index]  # type: ignore[index]
            default = iter(parts.flat_leaves(defaults[index]))
            leaves = iter(sorts.leaves(output.sort))

            def hold(
                leaf: Term,
                name: str = output.name,
                default: Iterable[Term] = default,
                leaves: Iterable[tuple[str, Sort]] = leaves,
            ) -> Term:
                suffix, sort = next(iter(leaves))
                held_name = f"{prefix}{name}{suffix}{HELD}"
                variable = terms.var(held_name, sort)
                # The default is that of the first step, even if the instance does not run there.
                before = self._memory(variable, sort, always=True)
                otherwise = terms.ite(self._flag(FIRST, None), next(iter(default)), before)
                self._auxiliary(held_name, sort, terms.ite(clock, leaf, otherwise))
                return variable

            held.append(parts.pointwise(hold, now))
        return held[0] if single else tuple(held)


def _outputs(prefix: str, callee: Component) -> Flat:
    outputs = tuple(
        _variables(prefix + output.name, output.sort)
        for output in callee.of_kind(VariableKind.OUTPUT)
    )
    return outputs[0] if len(outputs) == 1 else outputs


def _variables(name: str, sort: Sort) -> Flat:
    return parts.build(sort, lambda suffix, leaf: terms.var(name + suffix, leaf))


_TIMED = frozenset({Op.PRE, Op.ARROW, Op.CALL, Op.CONDACT})
_OF_INSTANCES = _TIMED | {Op.VAR}


def _combine_now(term: Term, args: tuple[Flat, ...]) -> Flat:
    if term.op in parts.STRUCTURAL:
        structural = parts.remove(term, args)
        assert structural is not None
        return structural
    match term.op:
        case Op.ITE:
            condition = args[0]
            assert isinstance(condition, Term)
            return parts.choose(condition, args[1], args[2])
        case Op.EQ | Op.NE if isinstance(args[0], tuple):
            same = parts.equal(args[0], args[1])
            return same if term.op is Op.EQ else terms.not_(same)
        case Op.APPLY:
            return _apply(term, args)
        case Op.CONST:
            assert sorts.is_scalar(term.sort), f"compound constant {term!r}"
            return term
        case _:
            lowered = terms.rebuilt(term, args)  # type: ignore[arg-type]  # they are scalar
            return division.remove(lowered) if term.op in division.BY_ZERO else lowered


def _apply(term: Term, args: tuple[Flat, ...]) -> Flat:
    arguments = tuple(leaf for arg in args for leaf in parts.flat_leaves(arg))
    assert isinstance(term.payload, tuple)
    name, position = str(term.payload[0]), int(str(term.payload[1]))

    def result(suffix: str, sort: Sort) -> Term:
        return terms.make(Op.APPLY, sorts.widened(sort), arguments, (f"{name}{suffix}", position))

    return parts.build(term.sort, result)
