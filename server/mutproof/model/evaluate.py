"""The oracle: run a program step by step, straight from its meaning.

It knows nothing of transition systems and unfolds nothing ahead of time: `pre e` is the value
e had when its node last ran, a node under `condact` does not run while its clock is false.
Every counterexample is replayed here before anybody sees it.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from mutproof.model import lower, semantics, sorts, walk
from mutproof.model.instances import Instance, calls, child_prefix, unfold
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.program import Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices, Trace


@dataclass(frozen=True, slots=True)
class Execution:
    """Hold what running a program on choices gave.

    `trace` has the flat scalar variables of all instances that ran; `violated` are the
    properties that are false, with the first 0-based step at which they are; `assumed` tells
    that all assertions of the main component held at every step.
    """

    trace: Trace
    violated: Mapping[str, int]
    assumed: bool


class InstantaneousLoop(Exception):  # noqa: N818 - a fact about the program
    """Say that a variable depends on itself within one step."""


class _Undefined(Exception):  # noqa: N818 - control flow inside this module
    def __init__(self, name: str) -> None:
        super().__init__(name)
        self.name = name


def evaluate(program: Program, choices: Choices) -> Execution:
    """Run a program for as many steps as the choices have.

    Raises:
        InstantaneousLoop: the program is not causal.
    """
    return _Run(program, choices).run()


class _Run:
    def __init__(self, program: Program, choices: Choices) -> None:
        self._program = program
        self._choices = choices
        self._instances = unfold(program)
        self._by_prefix = {instance.prefix: instance for instance in self._instances}
        self._sorts: dict[str, Sort] = {}
        self._definitions: dict[str, tuple[Instance, Element]] = {}
        self._inputs: dict[str, tuple[Instance, Element, Term, int]] = {}
        for instance in self._instances:
            component = program.component(instance.component)
            for variable in component.variables:
                self._sorts[instance.prefix + variable.name] = variable.sort
            for element in component.elements:
                for target in element.targets:
                    self._definitions[instance.prefix + target] = (instance, element)
                self._wire(instance, element)
        # One entry per step: values of variables, and of the subterms of every element.
        self._now: dict[str, Any] = {}
        self._terms: dict[tuple[str, Element], dict[Term, Any]] = {}
        self._last: dict[str, dict[tuple[str, Element], dict[Term, Any]]] = {}
        self._last_values: dict[str, dict[str, Any]] = {}
        self._held: dict[str, Any] = {}
        self._step = 0
        self._now_kept: dict[str, dict[tuple[str, Element], dict[Term, Any]]] = {}

    def _wire(self, instance: Instance, element: Element) -> None:
        for site, call, _ in calls(element.body):
            prefix = child_prefix(instance.prefix, element, site)
            callee = self._program.component(site.component)
            for index, variable in enumerate(callee.of_kind(VariableKind.INPUT)):
                self._inputs[prefix + variable.name] = (instance, element, call, index)

    # --- steps ----------------------------------------------------------------------------

    def run(self) -> Execution:
        steps = []
        violated: dict[str, int] = {}
        assumed = True
        for self._step in range(len(self._choices.steps)):
            self._now = {}
            self._terms = {}
            active = self._run_step()
            steps.append(self._flattened(active))
            assumed = assumed and self._assertions_hold()
            for name, holds in self._properties(active):
                if not holds:
                    violated.setdefault(name, self._step)
            self._remember(active)
        return Execution(Trace(self._choices, tuple(steps)), violated, assumed)

    def _run_step(self) -> set[str]:
        active: set[str] = set()
        for instance in self._instances:
            if self._runs(instance, active):
                active.add(instance.prefix)
                component = self._program.component(instance.component)
                for variable in component.variables:
                    self._demand(instance.prefix + variable.name)
                for element in component.elements:
                    if element.kind is ElementKind.ASSERT:
                        self._element_value(instance, element)
        return active

    def _runs(self, instance: Instance, active: set[str]) -> bool:
        if instance.parent is None:
            return True
        if instance.parent.prefix not in active:
            return False
        if not instance.clocked:
            return True
        assert instance.element is not None
        self._element_value(instance.parent, instance.element)
        values = self._terms[instance.parent.prefix, instance.element]
        return any(
            bool(values[term.args[0]])
            for term in values
            if term.op is Op.CONDACT
            and child_prefix(instance.parent.prefix, instance.element, _site(term.args[1]))
            == instance.prefix
        )

    def _remember(self, active: set[str]) -> None:
        """Keep what `pre` reads at the next run: the values of its operands at this one."""
        for prefix in active:
            instance = self._by_prefix[prefix]
            kept: dict[tuple[str, Element], dict[Term, Any]] = {}
            for element in self._program.component(instance.component).elements:
                values = self._terms.setdefault((prefix, element), {})
                for term in walk.subterms(element.body):
                    if term.op is Op.PRE:
                        self._term(instance, element, term.args[0], values)
                kept[prefix, element] = values
            self._now_kept[prefix] = kept
        self._last.update(self._now_kept)
        for prefix in active:
            self._last_values[prefix] = self._now

    def _flattened(self, active: set[str]) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for name, value in self._now.items():
            prefix = name[: name.rfind(".") + 1]
            if prefix in active:
                for suffix, leaf in _leaves(self._sorts[name], value):
                    found[name + suffix] = leaf
        return found

    def _assertions_hold(self) -> bool:
        main = self._program.component(self._program.main)
        root = self._by_prefix[""]
        return all(
            self._element_value(root, element)
            for element in main.elements
            if element.kind is ElementKind.ASSERT
        )

    def _properties(self, active: set[str]) -> Iterator[tuple[str, bool]]:
        for instance in self._instances:
            if instance.prefix in active:
                for stated in self._program.component(instance.component).properties:
                    value = self._term(instance, None, stated.term, {})
                    yield instance.prefix + stated.name, bool(value)

    # --- values on demand -----------------------------------------------------------------

    def _demand(self, wanted: str) -> Any:
        """Compute a variable; what it needs first is put on an explicit stack."""
        stack = [wanted]
        while stack:
            name = stack[-1]
            if name in self._now:
                stack.pop()
                continue
            try:
                self._compute(name)
                stack.pop()
            except _Undefined as missing:
                if missing.name in stack:
                    raise InstantaneousLoop(missing.name) from None
                stack.append(missing.name)
        return self._now[wanted]

    def _compute(self, name: str) -> None:
        if name in self._inputs:
            instance, element, call, index = self._inputs[name]
            values = self._terms.setdefault((instance.prefix, element), {})
            self._now[name] = self._term(instance, element, call.args[index], values)
        elif name in self._definitions:
            instance, element = self._definitions[name]
            self._assign(instance, element, name)
        else:
            self._now[name] = self._chosen(name)

    def _assign(self, instance: Instance, element: Element, name: str) -> None:
        values = self._terms.setdefault((instance.prefix, element), {})
        body = element.body
        if len(element.targets) == 1:
            self._now[name] = self._term(instance, element, body, values)
            return
        # The parts of a written tuple do not wait for each other.
        if body.op is Op.TUPLE:
            part = body.args[element.targets.index(name[len(instance.prefix) :])]
            self._now[name] = self._term(instance, element, part, values)
            return
        value = self._term(instance, element, body, values)
        for target, part in zip(element.targets, value, strict=True):
            self._now[instance.prefix + target] = part

    def _element_value(self, instance: Instance, element: Element) -> Any:
        values = self._terms.setdefault((instance.prefix, element), {})
        while True:
            try:
                return self._term(instance, element, element.body, values)
            except _Undefined as missing:
                self._demand(missing.name)

    def _term(
        self, instance: Instance, element: Element | None, root: Term, values: dict[Term, Any]
    ) -> Any:
        stack = [root]
        while stack:
            term = stack[-1]
            if term in values:
                stack.pop()
                continue
            if term.op is Op.PRE:
                values[term] = self._previous(instance, element, term.args[0])
            elif term.op is Op.CALL:
                values[term] = self._outputs(instance, element, term)
            elif term.op is Op.CONDACT:
                needed = [term.args[0], *term.args[2:]]
                missing = [arg for arg in needed if arg not in values]
                if missing:
                    stack.extend(missing)
                    continue
                values[term] = self._condact(instance, element, term, values)
            else:
                missing = [arg for arg in term.args if arg not in values]
                if missing:
                    stack.extend(missing)
                    continue
                arguments = tuple([values[arg] for arg in term.args])
                values[term] = self._apply(instance, term, arguments)
            stack.pop()
        return values[root]

    def _apply(self, instance: Instance, term: Term, args: tuple[Any, ...]) -> Any:
        match term.op:
            case Op.VAR:
                name = instance.prefix + str(term.payload)
                if name not in self._now:
                    raise _Undefined(name)
                return self._now[name]
            case Op.ARROW:
                return args[1] if instance.prefix in self._last_values else args[0]
            case _:
                return self._timeless(term, args)

    def _timeless(self, term: Term, args: tuple[Any, ...]) -> Any:
        if term.op is Op.APPLY:
            flat = tuple(
                leaf
                for arg, value in zip(term.args, args, strict=True)
                for _, leaf in _leaves(arg.sort, value)
            )
            assert isinstance(term.payload, tuple)
            position = int(str(term.payload[1]))
            return self._function(str(term.payload[0]), position, term.sort, flat)
        try:
            return semantics.apply(term, args)
        except semantics.DivisionByZero:
            return self._function(BY_ZERO[term.op], 0, term.sort, (args[0],))

    def _function(self, name: str, position: int, sort: Sort, args: tuple[Value, ...]) -> Any:
        def leaf(suffix: str, leaf_sort: Sort) -> Value:
            table = self._choices.functions.get((name + suffix, position))
            return sorts.default_value(leaf_sort) if table is None else table(args)

        return _built(sort, leaf)

    # --- time -----------------------------------------------------------------------------

    def _previous(self, instance: Instance, element: Element | None, term: Term) -> Any:
        if instance.prefix not in self._last_values:
            return self._arbitrary(instance, element, term)
        if element is not None:
            values = self._last[instance.prefix].get((instance.prefix, element), {})
            if term in values:
                return values[term]
        # A property reads variables only; those of its node were computed when it last ran.
        last = self._last_values[instance.prefix]
        values = {}
        for part in _variables_of(term):
            values[part] = last[instance.prefix + str(part.payload)]
        return self._term(instance, element, term, values)

    def _arbitrary(self, instance: Instance, element: Element | None, root: Term) -> Any:
        """Return the value of a term before the first step: variables are arbitrary."""
        values: dict[Term, Any] = {}
        stack = [root]
        while stack:
            term = stack[-1]
            if term in values:
                stack.pop()
            elif term.op is Op.VAR:
                name = instance.prefix + str(term.payload)
                values[term] = self._before(name, self._sorts[name])
            elif term.op in {Op.PRE, Op.ARROW, Op.CONDACT}:
                assert element is not None
                name = lower.auxiliary_name(instance.prefix, element, term)
                values[term] = self._before(name, term.sort)
            elif term.op is Op.CALL:
                values[term] = self._arbitrary_outputs(instance, element, term)
            else:
                missing = [arg for arg in term.args if arg not in values]
                if missing:
                    stack.extend(missing)
                    continue
                arguments = tuple([values[arg] for arg in term.args])
                values[term] = self._timeless(term, arguments)
        return values[root]

    def _before(self, name: str, sort: Sort) -> Any:
        def leaf(suffix: str, leaf_sort: Sort) -> Value:
            memory = lower.memory_name(name + suffix)
            return self._choices.before.get(memory, sorts.default_value(leaf_sort))

        return _built(sort, leaf)

    # --- calls ----------------------------------------------------------------------------

    def _output_names(
        self, instance: Instance, element: Element | None, call: Term
    ) -> tuple[str, ...]:
        assert element is not None
        site = _site(call)
        prefix = child_prefix(instance.prefix, element, site)
        return tuple(prefix + name for name in site.outputs)

    def _outputs(self, instance: Instance, element: Element | None, call: Term) -> Any:
        names = self._output_names(instance, element, call)
        for name in names:
            if name not in self._now:
                raise _Undefined(name)
        values = tuple(self._now[name] for name in names)
        return values[0] if len(values) == 1 else values

    def _arbitrary_outputs(self, instance: Instance, element: Element | None, call: Term) -> Any:
        names = self._output_names(instance, element, call)
        values = tuple(self._before(name, self._sorts[name]) for name in names)
        return values[0] if len(values) == 1 else values

    def _condact(
        self, instance: Instance, element: Element | None, term: Term, values: dict[Term, Any]
    ) -> Any:
        call = term.args[1]
        names = self._output_names(instance, element, call)
        if values[term.args[0]]:
            result = self._outputs(instance, element, call)
            parts = (result,) if len(names) == 1 else result
            for name, part in zip(names, parts, strict=True):
                self._held[name] = part
            return result
        defaults = tuple(values[arg] for arg in term.args[2:])
        if instance.prefix not in self._last_values:
            for name, default in zip(names, defaults, strict=True):
                self._held[name] = default
        parts = tuple(self._held[name] for name in names)
        return parts[0] if len(parts) == 1 else parts

    def _chosen(self, name: str) -> Any:
        """Return the chosen value of a variable that nothing defines."""
        chosen = self._choices.steps[self._step]

        def leaf(suffix: str, sort: Sort) -> Value:
            return chosen.get(name + suffix, sorts.default_value(sort))

        return _built(self._sorts[name], leaf)


def _site(term: Term) -> Site:
    assert isinstance(term.payload, Site)
    return term.payload


def _variables_of(term: Term) -> Iterator[Term]:
    stack = [term]
    while stack:
        item = stack.pop()
        if item.op is Op.VAR:
            yield item
        stack.extend(item.args)


def _leaves(sort: Sort, value: Any) -> Iterator[tuple[str, Value]]:
    match sort:
        case sorts.RecordSort(_, fields):
            for (name, field), item in zip(fields, value, strict=True):
                for path, leaf in _leaves(field, item):
                    yield f".{name}{path}", leaf
        case sorts.ArraySort(low, high, element):
            for index, item in zip(range(low, high + 1), value, strict=True):
                for path, leaf in _leaves(element, item):
                    yield f"[{index}]{path}", leaf
        case sorts.TupleSort(elements):
            for index, (element, item) in enumerate(zip(elements, value, strict=True)):
                for path, leaf in _leaves(element, item):
                    yield f".{index}{path}", leaf
        case _:
            yield "", value


def _built(sort: Sort, leaf: Any, path: str = "") -> Any:
    match sort:
        case sorts.RecordSort(_, fields):
            return tuple(_built(field, leaf, f"{path}.{name}") for name, field in fields)
        case sorts.ArraySort(low, high, element):
            return tuple(_built(element, leaf, f"{path}[{i}]") for i in range(low, high + 1))
        case sorts.TupleSort(elements):
            return tuple(_built(element, leaf, f"{path}.{i}") for i, element in enumerate(elements))
        case _:
            return leaf(path, sort)
