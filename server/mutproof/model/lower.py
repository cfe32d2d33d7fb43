"""From programs to transition systems: calls, condacts, time and compound values are removed.

Every element is lowered on its own, once per instance of its component, so a mutant lowers
only its own element. The names of what lowering adds depend on the element and the content,
never on other elements:

* `x~pre` remembers variable x; before the first step it is arbitrary, within its sort;
* `~first` is true in the first state (of the clock of a condact: `instance.~first`);
* `instance.~clock` says whether a condact lets its node run;
* `instance.o~held` is output o of a condact;
* `e%digest` names a subexpression of element e that `pre` needs a name for.

Source: JKind 4.6, package `jkind.translation` (condacts, pre, arrays), for the meaning.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from mutproof.base.digest import short
from mutproof.model import sorts, terms
from mutproof.model.instances import Instance, child_prefix, unfold
from mutproof.model.narrow import Narrowing
from mutproof.model.operators import Op
from mutproof.model.passes import division, parts
from mutproof.model.passes.parts import Flat
from mutproof.model.program import Component, Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import Sort
from mutproof.model.system import (
    Constraint,
    ConstraintKind,
    SystemProperty,
    SystemVariable,
    SystemVariableKind,
    TransitionSystem,
)
from mutproof.model.terms import Site, Term

FIRST = "~first"
PRE = "~pre"
CLOCK = "~clock"
HELD = "~held"


@dataclass(frozen=True)
class Lowered:
    """Hold what one element contributes in all its instances."""

    constraints: tuple[Constraint, ...]
    variables: tuple[SystemVariable, ...]


def memory_name(name: str) -> str:
    """Return the name of the memory of a scalar variable."""
    return name + PRE


def auxiliary_name(prefix: str, element: Element, term: Term) -> str:
    """Return the name lowering gives a subexpression of an element under `pre`."""
    owner = element.targets[0] if element.targets else element.id.name
    return f"{prefix}{owner}%{short(term.digest)}"


class Lowering:
    """Lower a program, and single elements of it with other bodies; mutable caches only."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.instances = unfold(program)
        self.narrowing = Narrowing(program)
        self._of_component: dict[str, list[Instance]] = {}
        for instance in self.instances:
            self._of_component.setdefault(instance.component, []).append(instance)
        self._sorts: dict[str, dict[str, tuple[Sort, VariableKind]]] = {
            component.name: {v.name: (v.sort, v.kind) for v in component.variables}
            for component in program.components
        }

    def instances_of(self, component: str) -> tuple[Instance, ...]:
        """Return the instances of a component, callers first; none if it is not reached."""
        return tuple(self._of_component.get(component, ()))

    def element(self, element: Element, body: Term | None) -> Lowered:
        """Return what an element contributes with another body; None removes it."""
        if body is None:
            return Lowered((), ())
        constraints: list[Constraint] = []
        variables: dict[str, SystemVariable] = {}
        for instance in self._of_component.get(element.id.component, ()):
            lowerer = _ElementLowerer(self, instance, element)
            lowerer.run(body)
            constraints.extend(lowerer.constraints)
            variables.update(lowerer.variables)
        return Lowered(tuple(constraints), tuple(variables.values()))

    def system(self) -> TransitionSystem:
        """Return the transition system of the program."""
        variables: dict[str, SystemVariable] = {}
        constraints: list[Constraint] = []
        for instance in self.instances:
            component = self.program.component(instance.component)
            for name, sort, kind in self._declared(instance, component):
                variables[name] = SystemVariable(name, sort, kind)
        for component in self.program.components:
            if component.name not in self._of_component:
                continue
            for element in component.elements:
                lowered = self.element(element, element.body)
                constraints.extend(lowered.constraints)
                for variable in lowered.variables:
                    variables.setdefault(variable.name, variable)
        unique = dict.fromkeys(constraints)
        return TransitionSystem(variables, tuple(unique), tuple(self._properties()))

    def _declared(
        self, instance: Instance, component: Component
    ) -> Iterable[tuple[str, Sort, SystemVariableKind]]:
        for variable in component.variables:
            free = variable.kind is VariableKind.INPUT and not instance.prefix
            kind = SystemVariableKind.INPUT if free else SystemVariableKind.DEFINED
            for suffix, sort in sorts.leaves(variable.sort):
                yield instance.prefix + variable.name + suffix, sort, kind

    def _properties(self) -> Iterable[SystemProperty]:
        for instance in self.instances:
            component = self.program.component(instance.component)
            defining = {name: e for e in component.elements for name in e.targets}
            for stated in component.properties:
                reader = _ElementLowerer(self, instance, None)
                value = reader.value(stated.term)
                assert isinstance(value, Term)
                clock = clock_of(instance)
                if clock is not None:
                    value = terms.implies(clock, value)
                owner = defining.get(str(stated.term.payload)) if stated.term.op is Op.VAR else None
                yield SystemProperty(
                    instance.prefix + stated.name,
                    value,
                    stated.kind,
                    None if owner is None else owner.id,
                )

    def sort_of(self, component: str, name: str) -> Sort:
        """Return the declared sort of a variable of a component."""
        return self._sorts[component][name][0]


def clock_of(instance: Instance) -> Term | None:
    """Return the clock under which an instance runs; None if it always runs."""
    current: Instance | None = instance
    while current is not None:
        if current.clocked:
            return terms.var(current.prefix + CLOCK, sorts.BOOL)
        current = current.parent
    return None


def first_of(instance: Instance) -> tuple[str, Term | None]:
    """Return the name of the initial flag an instance reads, and the clock that lowers it."""
    current: Instance | None = instance
    while current is not None:
        if current.clocked:
            return current.prefix + FIRST, terms.var(current.prefix + CLOCK, sorts.BOOL)
        current = current.parent
    return FIRST, None


class _ElementLowerer:
    """Lower one element in one instance; collects constraints and variables."""

    def __init__(self, lowering: Lowering, instance: Instance, element: Element | None) -> None:
        self._lowering = lowering
        self._instance = instance
        self._element = element
        self._prefix = instance.prefix
        self._component = lowering.program.component(instance.component)
        self._values: dict[tuple[Term, bool], Flat] = {}
        self.constraints: list[Constraint] = []
        self.variables: dict[str, SystemVariable] = {}

    def run(self, body: Term) -> None:
        """Add the constraints of the element with this body."""
        element = self._element
        assert element is not None
        value = self.value(body)
        if element.kind is ElementKind.ASSERT:
            # JKind ignores assertions of called nodes; the front end warns about them.
            if not self._prefix:
                assert isinstance(value, Term)
                self._constrain(ConstraintKind.INVAR, value, None)
            return
        if len(element.targets) == 1:
            self._define_variable(self._prefix + element.targets[0], element.targets[0], value)
            return
        assert isinstance(value, tuple)
        for target, item in zip(element.targets, value, strict=True):
            self._define_variable(self._prefix + target, target, item)

    def _define_variable(self, flat_name: str, name: str, value: Flat) -> None:
        sort = self._lowering.sort_of(self._instance.component, name)
        self._define(flat_name, sort, value)

    def _define(self, flat_name: str, sort: Sort, value: Flat) -> None:
        names = sorts.leaves(sort)
        for (suffix, leaf_sort), leaf in zip(names, parts.flat_leaves(value), strict=True):
            name = flat_name + suffix
            self._constrain(ConstraintKind.INVAR, terms.eq(terms.var(name, leaf_sort), leaf), name)

    def _constrain(
        self, kind: ConstraintKind, term: Term, defines: str | None, *, stated: bool = True
    ) -> None:
        owner = self._element.id if self._element is not None and stated else None
        self.constraints.append(
            Constraint(kind, term, owner, defines, self._instance.path if stated else "")
        )

    # --- values ---------------------------------------------------------------------------

    def value(self, root: Term, *, previous: bool = False) -> Flat:
        """Return the flat value of a term in this instance, now or at the previous step."""
        values = self._values
        stack = [(root, previous)]
        while stack:
            key = stack[-1]
            if key in values:
                stack.pop()
                continue
            needed = self._needs(*key)
            missing = [item for item in needed if item not in values]
            if missing:
                stack.extend(missing)
                continue
            stack.pop()
            values[key] = self._combine(*key, tuple([values[item] for item in needed]))
        return values[root, previous]

    @staticmethod
    def _needs(term: Term, previous: bool) -> list[tuple[Term, bool]]:
        if previous and term.op in {Op.PRE, Op.ARROW, Op.CALL, Op.CONDACT}:
            return [(term, False)]
        if term.op is Op.PRE:
            return [(term.args[0], True)]
        return [(arg, previous) for arg in term.args]

    def _combine(self, term: Term, previous: bool, args: tuple[Flat, ...]) -> Flat:
        if previous and term.op in {Op.PRE, Op.ARROW, Op.CONDACT, Op.CALL}:
            return self._remembered(term, args[0])
        match term.op:
            case Op.PRE:
                return args[0]
            case Op.ARROW:
                return parts.choose(self._first(), args[0], args[1])
            case Op.VAR:
                return self._variable(term, previous)
            case Op.CALL:
                return self._call(term, args)
            case Op.CONDACT:
                return self._condact(term, args)
            case _:
                return _combine_now(term, args)

    def _variable(self, term: Term, previous: bool) -> Flat:
        name = str(term.payload)
        sort = self._lowering.sort_of(self._instance.component, name)

        def leaf(suffix: str, leaf_sort: Sort) -> Term:
            flat = terms.var(self._prefix + name + suffix, leaf_sort)
            return self._memory(flat, leaf_sort) if previous else flat

        return parts.build(sort, leaf)

    def _memory(self, variable: Term, sort: Sort) -> Term:
        name = memory_name(str(variable.payload))
        memory = terms.var(name, sort)
        if name not in self.variables:
            self.variables[name] = SystemVariable(name, sort, SystemVariableKind.STATE, shown=False)
            clock = clock_of(self._instance)
            kept = variable if clock is None else terms.ite(clock, variable, memory)
            update = terms.eq(terms.next_var(name, sort), kept)
            self._constrain(ConstraintKind.TRANS, update, name, stated=False)
        return memory

    def _remembered(self, term: Term, value: Flat) -> Flat:
        """Return the memory of a term that is no variable; outputs of calls have their own."""
        assert self._element is not None
        base = auxiliary_name(self._prefix, self._element, term)
        narrow = self._lowering.narrowing.sort(self._component, term)
        suffixes = iter(sorts.leaves(narrow))

        def remember(leaf: Term) -> Term:
            suffix, sort = next(suffixes)
            if term.op is Op.CALL:
                return self._memory(leaf, sort)
            name = base + suffix
            self._auxiliary(name, sort, leaf)
            return self._memory(terms.var(name, sort), sort)

        return parts.pointwise(remember, value)

    def _auxiliary(self, name: str, sort: Sort, value: Term) -> None:
        self.variables[name] = SystemVariable(name, sort, SystemVariableKind.DEFINED, shown=False)
        self._constrain(ConstraintKind.INVAR, terms.eq(terms.var(name, sort), value), name)

    def _first(self) -> Term:
        return self._flag(*first_of(self._instance))

    def _flag(self, name: str, clock: Term | None) -> Term:
        flag = terms.var(name, sorts.BOOL)
        if name not in self.variables:
            self.variables[name] = SystemVariable(
                name, sorts.BOOL, SystemVariableKind.STATE, shown=False
            )
            after = terms.FALSE if clock is None else terms.ite(clock, terms.FALSE, flag)
            update = terms.eq(terms.next_var(name, sorts.BOOL), after)
            self._constrain(ConstraintKind.INIT, terms.eq(flag, terms.TRUE), name, stated=False)
            self._constrain(ConstraintKind.TRANS, update, name, stated=False)
        return flag

    # --- calls ----------------------------------------------------------------------------

    def _callee(self, term: Term) -> tuple[str, Component]:
        assert self._element is not None
        site = term.payload
        assert isinstance(site, Site)
        prefix = child_prefix(self._prefix, self._element, site)
        return prefix, self._lowering.program.component(site.component)

    def _call(self, term: Term, args: tuple[Flat, ...]) -> Flat:
        prefix, callee = self._callee(term)
        for variable, value in zip(callee.of_kind(VariableKind.INPUT), args, strict=True):
            self._define(prefix + variable.name, variable.sort, value)
        outputs = tuple(
            _variables(prefix + output.name, output.sort)
            for output in callee.of_kind(VariableKind.OUTPUT)
        )
        return outputs[0] if len(outputs) == 1 else outputs

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
                before = self._memory(variable, sort)
                otherwise = terms.ite(self._first(), next(iter(default)), before)
                self._auxiliary(held_name, sort, terms.ite(clock, leaf, otherwise))
                return variable

            held.append(parts.pointwise(hold, now))
        return held[0] if single else tuple(held)


def _variables(name: str, sort: Sort) -> Flat:
    return parts.build(sort, lambda suffix, leaf: terms.var(name + suffix, leaf))


def _combine_now(term: Term, args: tuple[Flat, ...]) -> Flat:
    structural = parts.remove(term, args)
    if structural is not None:
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
        case Op.CONST if not sorts.is_scalar(term.sort):
            message = f"compound constant {term!r}"
            raise TypeError(message)
        case _:
            arguments = tuple(arg for arg in args if isinstance(arg, Term))
            lowered = terms.make(term.op, term.sort, arguments, term.payload)
            return division.remove(lowered) if term.op in division.BY_ZERO else lowered


def _apply(term: Term, args: tuple[Flat, ...]) -> Flat:
    arguments = tuple(leaf for arg in args for leaf in parts.flat_leaves(arg))
    assert isinstance(term.payload, tuple)
    name, position = str(term.payload[0]), int(str(term.payload[1]))

    def result(suffix: str, sort: Sort) -> Term:
        return terms.make(Op.APPLY, sorts.widened(sort), arguments, (f"{name}{suffix}", position))

    return parts.build(term.sort, result)


def lower(program: Program) -> TransitionSystem:
    """Return the transition system of a program.

    Raises:
        instances.TooManyInstances: the calls multiply beyond the limit.
    """
    return Lowering(program).system()
