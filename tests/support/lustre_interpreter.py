"""A second reading of what Lustre means, and the verdicts that follow for finite models.

It interprets the terms of a program directly, and asks for arbitrary values only when one is
read; a search over all answers visits every reachable state. It shares no code with `lower`,
`evaluate` or `simulate` but the meaning of the operators on values. Models are small, so it
recurses.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mutproof.model import semantics, sorts, terms
from mutproof.model.bounds import Bounds
from mutproof.model.instances import child_prefix, unfold
from mutproof.model.narrow import Narrowing
from mutproof.model.operators import Op
from mutproof.model.passes import operands
from mutproof.model.program import Bodies, Component, Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import IntSort, RealSort, Sort, Value
from mutproof.model.terms import Site, Term

MOST_STATES = 150
SAMPLED = (-1, 0, 1, 2, 5)
"""The integers that stand for all where an arbitrary one is asked for."""

Key = tuple[Any, ...]
Ask = Callable[[Key, Sort], Value]
State = dict[Key, Value]

_UNSET: Any = object()


class Circular(Exception):  # noqa: N818 - a fact about the program
    """Say that a value depends on itself."""


@dataclass(eq=False)
class _Place:
    """Stand for one instance of a component."""

    prefix: str
    component: Component
    parent: _Place | None = None
    element: Element | None = None  # of the parent, with the call
    call: Term | None = None
    condact: Term | None = None
    children: dict[str, _Place] = field(default_factory=dict)

    def clocked(self) -> bool:
        return self.condact is not None or (self.parent is not None and self.parent.clocked())


class Interpreter:
    """Hold a program, perhaps with other bodies for some elements."""

    def __init__(self, program: Program, bodies: Bodies | None = None) -> None:
        self.program = program
        self.narrowing = Narrowing(program)
        changed = bodies or {}
        self.bodies: dict[Element, Term | None] = {
            element: changed.get(element, element.body) for element in program.elements()
        }
        self.places: list[_Place] = []
        self._unfold(_Place("", program.component(program.main)))
        self.bounded = Bounds(program, unfold(program)).bounded(self.bodies).variables
        self.alike = _alike(self.places)
        self.memories = tuple(dict.fromkeys(key for p in self.places for key in self._kept(p)))

    def _unfold(self, place: _Place) -> None:
        self.places.append(place)
        for element in place.component.elements:
            body = self.bodies[element]
            for call, condact in [] if body is None else _calls(body):
                site = call.payload
                assert isinstance(site, Site)
                prefix = child_prefix(place.prefix, element, site)
                if prefix not in place.children:
                    callee = self.program.component(site.component)
                    child = _Place(prefix, callee, place, element, call, condact)
                    place.children[prefix] = child
                    self._unfold(child)

    def _kept(self, place: _Place) -> Iterator[Key]:
        for element in place.component.elements:
            body = self.bodies[element]
            if body is not None:
                for term in _all(body):
                    if term.op is Op.PRE and operands.any_part(held_parts(term)):
                        yield ("term", place.prefix, place, element, term)
                    elif term.op is Op.PRE:
                        yield from self._read_before(place, element, term.args[0])

    def _read_before(self, place: _Place, element: Element, term: Term) -> Iterator[Key]:
        if term.op is Op.VAR:
            yield ("variable", place.prefix + str(term.payload), place, str(term.payload))
        elif term.op is Op.CONDACT:
            yield ("term", place.prefix, place, element, term)
        elif term.op is Op.CALL:
            child = self._child(place, element, term)
            for output in child.component.of_kind(VariableKind.OUTPUT):
                yield ("variable", child.prefix + output.name, child, output.name)
        else:
            for arg in term.args:
                yield from self._read_before(place, element, arg)

    def _child(self, place: _Place, element: Element, call: Term) -> _Place:
        assert isinstance(call.payload, Site)
        return place.children[child_prefix(place.prefix, element, call.payload)]

    def start(self) -> State:
        """Return the state before the first step: nothing is known of it."""
        return {}

    def step(self, state: State, ask: Ask) -> _Step:
        """Return one step from a state; values are computed when they are read."""
        return _Step(self, state, ask)


class _Step:
    def __init__(self, interpreter: Interpreter, state: State, ask: Ask) -> None:
        self.machine = interpreter
        self.state = dict(state)
        self.ask = ask
        self.values: dict[tuple[str, str], Any] = {}
        self.terms: dict[tuple[str, Element, Term], Any] = {}

    # --- results --------------------------------------------------------------------------

    def assumed(self) -> bool:
        main = self.machine.places[0]
        return all(
            self.term(main, element, body)
            for element in main.component.elements
            if element.kind is ElementKind.ASSERT
            and (body := self.machine.bodies[element]) is not None
        ) and all(
            sorts.contains(sort, self.variable(place, name[len(place.prefix) :]))
            for place in self.machine.places
            if self.runs(place)
            for name, sort in self.machine.bounded.get(place.prefix, ())
        )

    def properties(self) -> dict[str, bool]:
        found = {}
        for place in self.machine.places:
            if place.component.properties and self.runs(place):
                for stated in place.component.properties:
                    name = str(stated.term.payload)
                    assert stated.term.op is Op.VAR
                    found[place.prefix + stated.name] = bool(self.variable(place, name))
        return found

    def after(self) -> State:
        """Return the state after this step."""
        machine, found = self.machine, {}
        for key in machine.memories:
            place = key[2]
            if self.runs(place):
                if key[0] == "variable":
                    found[key] = self.variable(place, key[3])
                else:
                    term = key[4].args[0] if key[4].op is Op.PRE else key[4]
                    found[key] = self.term(place, key[3], term)
            elif key in self.state:
                found[key] = self.state[key]
        for place in machine.places:
            ran = ("ran", place.prefix)
            if ran in self.state or self.runs(place):
                found[ran] = True
            if place.condact is not None:
                held = ("held", place.prefix)
                assert place.parent is not None
                assert place.element is not None
                if self.runs(place.parent):
                    found[held] = self.term(place.parent, place.element, place.condact)
                elif held in self.state:
                    found[held] = self.state[held]
                else:  # what is held begins with the first step, whether the caller runs or not
                    found[held] = self.term(place.parent, place.element, place.condact)
        found.update((key, value) for key, value in self.state.items() if key[0] == "alike")
        return found

    # --- values ---------------------------------------------------------------------------

    def runs(self, place: _Place) -> bool:
        if place.parent is None:
            return True
        if not self.runs(place.parent):
            return False
        if place.condact is None:
            return True
        assert place.element is not None
        return bool(self.term(place.parent, place.element, place.condact.args[0]))

    def variable(self, place: _Place, name: str) -> Any:
        key = (place.prefix, name)
        if key in self.values:
            if self.values[key] is _UNSET:
                raise Circular(name)
            return self.values[key]
        self.values[key] = _UNSET
        self.values[key] = self._variable(place, name)
        return self.values[key]

    def _variable(self, place: _Place, name: str) -> Any:
        declared = place.component.variable(name)
        if declared.kind is VariableKind.INPUT and place.parent is not None:
            inputs = [v.name for v in place.component.of_kind(VariableKind.INPUT)]
            assert place.call is not None
            assert place.element is not None
            return self.term(place.parent, place.element, place.call.args[inputs.index(name)])
        for element in place.component.elements:
            body = self.machine.bodies[element]
            if name in element.targets and body is not None:
                if len(element.targets) == 1:
                    return self.term(place, element, body)
                index = element.targets.index(name)
                if body.op is Op.TUPLE:
                    return self.term(place, element, body.args[index])
                return self.term(place, element, body)[index]
        group = self.machine.alike.get(place.prefix)
        shared = (f"alike {group}", name)
        if group is None or shared not in self.values:
            found = _arbitrary(self.ask, ("now", place.prefix + name), declared.sort)
            if group is None:
                return found
            self.values[shared] = found
        return self.values[shared]

    def term(self, place: _Place, element: Element, term: Term) -> Any:
        key = (place.prefix, element, term)
        if key not in self.terms:
            self.terms[key] = self._term(place, element, term)
        return self.terms[key]

    def _term(self, place: _Place, element: Element, term: Term) -> Any:
        op = term.op
        if op is Op.VAR:
            return self.variable(place, str(term.payload))
        if op is Op.PRE:
            return self.before(place, element, term)
        if op is Op.ARROW:
            started = ("ran", place.prefix) in self.state
            return self.term(place, element, term.args[1 if started else 0])
        if op is Op.ITE:
            chosen = 1 if self.term(place, element, term.args[0]) else 2
            return self.term(place, element, term.args[chosen])
        if op is Op.CALL:
            child = self.machine._child(place, element, term)
            outputs = child.component.of_kind(VariableKind.OUTPUT)
            values = tuple(self.variable(child, output.name) for output in outputs)
            return values[0] if len(values) == 1 else values
        if op is Op.CONDACT:
            return self._condact(place, element, term)
        return semantics.apply(term, tuple(self.term(place, element, arg) for arg in term.args))

    def _condact(self, place: _Place, element: Element, term: Term) -> Any:
        if self.runs(place) and self.term(place, element, term.args[0]):
            return self.term(place, element, term.args[1])
        child = self.machine._child(place, element, term.args[1])
        held = ("held", child.prefix)
        if held in self.state:
            return self.state[held]
        defaults = tuple(self.term(place, element, arg) for arg in term.args[2:])
        return defaults[0] if len(defaults) == 1 else defaults

    def before(self, place: _Place, element: Element, pre: Term) -> Any:
        """Return the value of a `pre`: arbitrary parts if its node never ran."""
        operand, key = pre.args[0], ("term", place.prefix, place, element, pre)
        held = held_parts(pre)
        if not operands.any_part(held):
            return self._before(place, element, operand)
        if key not in self.state:
            narrow = self.machine.narrowing.sort(place.component, operand)
            known = None
            if not all(operands.leaves(held)):
                known = self._before(place, element, operand)
            new = lambda: _mixed(self.ask, key, narrow, held, known)  # noqa: E731
            self.state[key] = self._first(place, key, new)
        return self.state[key]

    def _before(self, place: _Place, element: Element, term: Term) -> Any:
        if term.op is Op.VAR:
            return self._remembered(place, str(term.payload))
        if term.op in {Op.PRE, Op.ARROW}:  # in a part that has state of its own
            return sorts.default_value(self.machine.narrowing.sort(place.component, term))
        if term.op is Op.CONDACT and term.args[0] is terms.TRUE:
            return self._before(place, element, term.args[1])
        if term.op is Op.CONDACT:  # a call to the node that holds the outputs of the other
            child = self.machine._child(place, element, term.args[1])
            key = ("condact", child.prefix, child, "condact")
            if key not in self.state:
                narrow = self.machine.narrowing.sort(place.component, term)
                new = lambda: _arbitrary(self.ask, key, narrow)  # noqa: E731
                self.state[key] = self._first(child, key, new)
            return self.state[key]
        if term.op is Op.CALL:
            child = self.machine._child(place, element, term)
            outputs = child.component.of_kind(VariableKind.OUTPUT)
            values = tuple(self._remembered(child, output.name) for output in outputs)
            return values[0] if len(values) == 1 else values
        return semantics.apply(term, tuple(self._before(place, element, a) for a in term.args))

    def _remembered(self, place: _Place, name: str) -> Any:
        key = ("variable", place.prefix + name, place, name)
        if key not in self.state:
            clocked, sort = place.clocked(), place.component.variable(name).sort
            ask = _unbounded(self.ask) if clocked else self.ask
            self.state[key] = self._first(place, key, lambda: _arbitrary(ask, key, sort))
        return self.state[key]

    def _first(self, place: _Place, key: Key, new: Callable[[], Any]) -> Any:
        """Return an arbitrary value, the same in all places of equal calls."""
        if place.prefix not in self.machine.alike:
            return new()
        common = ("alike", self.machine.alike[place.prefix], *key[3:])
        if common not in self.state:
            self.state[common] = new()
        return self.state[common]


def _alike(places: list[_Place]) -> dict[str, int]:
    """Number the groups of places whose calls are equal, and name the group of each."""
    groups: dict[Any, list[str]] = {}
    of: dict[str, int] = {"": 0}
    clocked = {"": False}
    for place in places[1:]:
        assert place.parent is not None
        assert place.call is not None
        outer = place.parent.prefix
        guarded = place.condact is not None and place.condact.args[0] is not terms.TRUE
        said = [_written(arg) for arg in place.call.args]
        if guarded and place.condact is not None:
            said += [_written(place.condact.args[0]), "clock"]
            said += [_written(arg) for arg in place.condact.args[2:]]
        own = of[outer] if clocked[outer] or _is_local(said) else None
        key = (place.component.name, own, clocked[outer], tuple(said))
        of[place.prefix] = [*groups, key].index(key) + 1
        groups.setdefault(key, []).append(place.prefix)
        clocked[place.prefix] = clocked[outer] or guarded
    return {one: of[one] for members in groups.values() if len(members) > 1 for one in members}


def _written(term: Term) -> Any:
    named = term.payload.component if isinstance(term.payload, Site) else repr(term.payload)
    return (term.op, named, repr(term.sort), *(_written(arg) for arg in term.args))


def _is_local(said: Any) -> bool:
    if said in (Op.VAR, Op.CALL):
        return True
    return isinstance(said, list | tuple) and any(_is_local(part) for part in said)


def _calls(body: Term) -> list[tuple[Term, Term | None]]:
    found: dict[Term, Term | None] = {}
    for term in _all(body):
        if term.op is Op.CONDACT:
            found[term.args[1]] = term
        elif term.op is Op.CALL:
            found.setdefault(term, None)
    return list(found.items())


def _all(root: Term) -> Iterator[Term]:
    yield root
    for arg in root.args:
        yield from _all(arg)


def held_parts(pre: Term) -> operands.Parts:
    return operands.stateful(pre.args[0])


def _unbounded(ask: Ask) -> Ask:
    return lambda key, sort: ask(key, operands.unbounded(sort))


def _mixed(ask: Ask, key: Key, sort: Sort, held: operands.Parts, known: Any) -> Any:
    """Return an arbitrary value, with the known ones where nothing is held."""
    if isinstance(held, bool):
        return _arbitrary(_unbounded(ask), key, sort) if held else known
    return tuple(
        _mixed(ask, (*key, path), of, part, None if known is None else known[i])
        for i, ((path, of), part) in enumerate(zip(_parts(sort), held, strict=True))
    )


def _parts(sort: Sort) -> list[tuple[str, Sort]]:
    match sort:
        case sorts.RecordSort(_, fields):
            return [(f".{name}", of) for name, of in fields]
        case sorts.ArraySort(low, high, of):
            return [(f"[{i}]", of) for i in range(low, high + 1)]
        case sorts.TupleSort(elements):
            return [(f".{i}", of) for i, of in enumerate(elements)]
        case _:
            raise TypeError(sort)


def _arbitrary(ask: Ask, key: Key, sort: Sort) -> Any:
    match sort:
        case sorts.RecordSort(_, fields):
            return tuple(_arbitrary(ask, (*key, f".{name}"), of) for name, of in fields)
        case sorts.ArraySort(low, high, of):
            return tuple(_arbitrary(ask, (*key, f"[{i}]"), of) for i in range(low, high + 1))
        case _:
            return ask(key, sort)


# --- search ---------------------------------------------------------------------------------------


class _Replayed:
    """Answer questions in all possible ways, one execution of a step after the other."""

    def __init__(self) -> None:
        self.answers: list[tuple[tuple[Value, ...], int]] = []
        self.position = 0
        self.exact = True

    def ask(self, _: Key, sort: Sort) -> Value:
        if self.position == len(self.answers):
            domain = sorts.domain(sort)
            if domain is None:
                assert isinstance(sort, IntSort | RealSort)
                self.exact = False
                domain = SAMPLED
            self.answers.append((tuple(domain), 0))
        domain, index = self.answers[self.position]
        self.position += 1
        return domain[index]

    def advance(self) -> bool:
        self.position = 0
        while self.answers:
            domain, index = self.answers.pop()
            if index + 1 < len(domain):
                self.answers.append((domain, index + 1))
                return True
        return False


@dataclass(frozen=True)
class Truth:
    """Hold what a search found.

    `violated` gives each property that fails on a visited state the first 0-based step;
    `exact` tells that all executions were visited; `longest` is the number of steps of the
    longest execution seen, at most three.
    """

    violated: Mapping[str, int]
    exact: bool
    longest: int


def truth(
    program: Program,
    bodies: Bodies | None = None,
    *,
    most_states: int = MOST_STATES,
) -> Truth:
    """Return which properties fail on a reachable state.

    Raises:
        Circular: a value depends on itself.
    """
    machine = Interpreter(program, bodies)
    layer = [machine.start()]
    seen: set[frozenset[tuple[Key, Value]]] = set()
    violated: dict[str, int] = {}
    exact, longest, step = True, 0, 0
    while layer:
        following: list[State] = []
        for state in layer:
            way = _Replayed()
            while True:
                now = machine.step(state, way.ask)
                if now.assumed():
                    longest = max(longest, min(step + 1, 3))
                    for name, holds in now.properties().items():
                        if not holds:
                            violated.setdefault(name, step)
                    after = now.after()
                    key = frozenset(after.items())
                    if key not in seen:
                        seen.add(key)
                        following.append(after)
                if not way.advance():
                    break
            exact = exact and way.exact
            if len(seen) > most_states:
                return Truth(violated, False, 3)
        layer = following
        step += 1
    if longest < 3 and _endless(machine):
        longest = 3
    return Truth(violated, exact, longest)


def _endless(machine: Interpreter) -> bool:
    """Tell whether there is an execution of three steps."""
    layer: list[State] = [machine.start()]
    for _ in range(3):
        following = {}
        for state in layer:
            way = _Replayed()
            while True:
                now = machine.step(state, way.ask)
                if now.assumed():
                    after = now.after()
                    following[frozenset(after.items())] = after
                if not way.advance():
                    break
        layer = list(following.values())
    return bool(layer)
