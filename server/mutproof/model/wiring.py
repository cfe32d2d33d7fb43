"""Programs as rows of values and cells that compute them, in an order that always serves.

A row holds one step of an execution: first what is remembered, then every variable of every
instance, after all that it reads in the same step. Who reads a place of the row is known, so that
after a change only what it reaches is computed again. A program in which no such order exists
has no wiring; it may have a meaning all the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mutproof.model import flat_names, terms, walk
from mutproof.model.formula import Formula, Function, Read, Source, clock, formula, site_of
from mutproof.model.instances import Instance
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementKind, Program, VariableKind
from mutproof.model.sorts import BOOL, Sort, TupleSort
from mutproof.model.terms import Site, Term

FUNCTIONS, ALWAYS = 0, 1
"""The places of the uninterpreted functions, and of what is always true."""

Key = tuple[Any, ...]
"""Say what stands at a place of a row: a word for its kind, and which one."""


class Misfit(Exception):  # noqa: N818 - a fact about the program
    """Say that a program, or another body of an element, has no place in a fixed order."""


@dataclass(frozen=True, slots=True, eq=False)
class Spot:
    """Hold one element in one instance; none for what an instance states."""

    instance: Instance
    element: Element | None

    @property
    def owner(self) -> str:
        """Return the name after which the calls in the element are named."""
        return "" if self.element is None else self.element.owner

    def child(self, site: Site) -> str:
        """Return the prefix of what is called at a site of the element."""
        return flat_names.instance_prefix(self.instance.prefix, self.owner, site)


@dataclass(frozen=True, slots=True)
class Cell:
    """Compute the value of a place from others; without a function it is chosen freely."""

    place: int
    function: Function | None
    reads: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Update:
    """Compute what is remembered at a place from the row of the step before.

    It stays what it was where the value at `active` is false in that row.
    """

    place: int
    function: Function
    reads: tuple[int, ...]
    active: int


@dataclass(frozen=True, slots=True)
class Defined:
    """Hold what a body of an element defines: values now, and values to remember."""

    now: dict[Key, Formula] = field(default_factory=dict)
    later: dict[Key, Formula] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Shown:
    """Hold the variables of an instance with their sorts, by place, and where it says it runs."""

    active: int
    variables: dict[int, tuple[str, Sort]]


@dataclass(frozen=True, slots=True)
class Stated:
    """Hold the place of a property of an instance, and where the instance says it runs."""

    name: str
    place: int
    active: int


_Formulas = dict[Key, tuple[Spot, Formula]]


class Wiring:
    """Hold the cells of a program; unchanged once it is made.

    `spots` are the places where an element stands, `defined` what it defines there.
    `beginnings` are the places of values of terms that are remembered from before the first step.

    Raises:
        Misfit: some variable may need itself within one step.
    """

    def __init__(self, program: Program, instances: tuple[Instance, ...]) -> None:
        self._program = program
        self._domains = _domains(instances)
        self._clocked: dict[tuple[str, str], list[str]] = {}
        for one in instances:
            if one.parent is not None and one.element is not None and one.clocked:
                caller = one.parent.prefix, one.element.owner
                self._clocked.setdefault(caller, []).append(one.prefix)
        self.spots: dict[Element, list[Spot]] = {}
        self.defined: dict[Spot, Defined] = {}
        self.places: dict[Key, int] = {("functions",): FUNCTIONS, ("active", ""): ALWAYS}
        self.beginnings: dict[int, tuple[Spot, Term]] = {}
        now, later = self._collected(instances)
        domains = dict.fromkeys(self._domains.values())
        for key in [*(("ran", domain) for domain in domains), *later]:
            self.places[key] = len(self.places)
        self.start = len(self.places)
        self._order(now, instances)
        self.width = len(self.places)
        self.cells = [self._cell(key, now) for key in [*self.places][self.start :]]
        self.updates = [
            Update(self.places["ran", domain], _true, (), self.places["active", domain])
            for domain in domains
        ]
        self.updates += [self.update(spot, key, what) for key, (spot, what) in later.items()]
        self._look(instances)
        for key, (spot, _) in later.items():
            if key[0] == "before":
                self.beginnings[self.places[key]] = spot, key[3]

    def _collected(self, instances: tuple[Instance, ...]) -> tuple[_Formulas, _Formulas]:
        """Return what all elements and properties define: now, and to remember."""
        now: _Formulas = {}
        later: _Formulas = {}
        for instance in instances:
            component = self._program.component(instance.component)
            for element in component.elements:
                spot = Spot(instance, element)
                self.spots.setdefault(element, []).append(spot)
                found = self.defined[spot] = self.defined_by(spot, element.body)
                now.update((key, (spot, what)) for key, what in found.now.items())
                later.update((key, (spot, what)) for key, what in found.later.items())
            whole = Spot(instance, None)
            for stated in component.properties:
                now["property", instance.prefix + stated.name] = whole, formula(stated.term)
        return now, later

    def _order(self, now: _Formulas, instances: tuple[Instance, ...]) -> None:
        """Give every value of a step a place after all that it reads.

        Raises:
            Misfit: there is no such order.
        """
        for instance in instances:
            for variable in self._program.component(instance.component).variables:
                key: Key = ("variable", instance.prefix + variable.name)
                if key not in now:
                    self.places[key] = len(self.places)
        opened: set[Key] = set()
        stack = list(reversed(now))
        while stack:
            key = stack[-1]
            if key in self.places:
                stack.pop()
                continue
            spot, what = now[key]
            missing = [k for read in what.reads if (k := self._key(spot, read)) not in self.places]
            if not missing:
                self.places[stack.pop()] = len(self.places)
            elif key in opened or not all(other in now for other in missing):
                raise Misfit(key)
            else:
                opened.add(key)
                stack.extend(missing)

    def _cell(self, key: Key, now: _Formulas) -> Cell:
        if key not in now:
            return Cell(self.places[key], None, ())
        spot, what = now[key]
        return Cell(self.places[key], what.function, self.resolved(spot, what))

    def _look(self, instances: tuple[Instance, ...]) -> None:
        """Note who reads which place, and what stands at the places that are looked at."""
        self.readers = [0] * self.width
        self.later_readers = [0] * self.width
        for number, cell in enumerate(self.cells):
            for place in cell.reads:
                self.readers[place] |= 1 << number
        for number, update in enumerate(self.updates):
            for place in (*update.reads, update.active, update.place):
                self.later_readers[place] |= 1 << number
        self.shown: list[Shown] = []
        self.stated: list[Stated] = []
        for instance in instances:
            component, prefix = self._program.component(instance.component), instance.prefix
            active = self.places["active", self._domains[prefix]]
            variables = {
                self.places["variable", prefix + variable.name]: (
                    prefix + variable.name,
                    variable.sort,
                )
                for variable in component.variables
            }
            self.shown.append(Shown(active, variables))
            for stated in component.properties:
                name = prefix + stated.name
                self.stated.append(Stated(name, self.places["property", name], active))
        self.assertions = [place for key, place in self.places.items() if key[0] == "assertion"]

    # --- what stands where ----------------------------------------------------------------

    def resolved(
        self, spot: Spot, what: Formula, new: Mapping[Key, int] | None = None
    ) -> tuple[int, ...]:
        """Return the places of what a formula reads; `new` are places that there are besides.

        Raises:
            Misfit: it reads what there is not.
        """
        found = []
        for read in what.reads:
            key = self._key(spot, read)
            place = self.places.get(key)
            if place is None and new is not None:
                place = new.get(key)
            if place is None:
                raise Misfit(key)
            found.append(place)
        return tuple(found)

    def update(
        self, spot: Spot, key: Key, what: Formula, new: Mapping[Key, int] | None = None
    ) -> Update:
        """Return how the value of a formula is remembered.

        Raises:
            Misfit: it reads what there is not.
        """
        place = self.places[key] if new is None or key in self.places else new[key]
        # What a condact holds has its default from the first step on, whether it runs or not.
        domain = "" if key[0] == "held" else self._domains[spot.instance.prefix]
        active = self.places["active", domain]
        return Update(place, what.function, self.resolved(spot, what, new), active)

    def _key(self, spot: Spot, read: Read) -> Key:
        prefix, of = spot.instance.prefix, read.of
        match read.source:
            case Source.VARIABLE:
                return "variable", f"{prefix}{of}"
            case Source.BEFORE if isinstance(of, Term):
                return _before(spot, of)
            case Source.OUTPUT if isinstance(of, Site):
                return "variable", spot.child(of) + of.outputs[read.number]
            case Source.HELD if isinstance(of, Site):
                return "held", spot.child(of), read.number
            case Source.FUNCTIONS:
                return ("functions",)
            case Source.BEGUN:
                return "ran", ""
            case source:
                return source.value, self._domains[prefix]

    # --- bodies ---------------------------------------------------------------------------

    def defined_by(self, spot: Spot, body: Term | None) -> Defined:
        """Return what a body defines in place of the element's own; None defines nothing.

        Raises:
            Misfit: one call stands in it with different arguments or clocks.
        """
        found = Defined()
        if body is None:
            return found
        clocks: dict[str, list[Term]] = {}
        found.now.update(self._targets(spot, body))
        for term in walk.subterms(body):
            if term.op is Op.PRE:
                found.later[_before(spot, term)] = formula(term.args[0])
            elif term.op is Op.CALL:
                for key, what in self._inputs(spot, term):
                    _put(found.now, key, what)
            elif term.op is Op.CONDACT:
                site = site_of(term.args[1])
                clocks.setdefault(spot.child(site), []).append(term.args[0])
                for number in range(len(site.outputs)):
                    part = number if len(site.outputs) > 1 else None
                    _put(found.later, ("held", spot.child(site), number), formula(term, part))
        for prefix in self._clocked.get((spot.instance.prefix, spot.owner), ()):
            found.now["active", prefix] = clock(tuple(clocks.get(prefix, ())))
        return found

    def _targets(self, spot: Spot, body: Term) -> Iterator[tuple[Key, Formula]]:
        element, prefix = spot.element, spot.instance.prefix
        assert element is not None
        if element.kind is ElementKind.ASSERT:
            if not prefix:  # those of called nodes bind nobody
                yield ("assertion", element.owner), formula(body)
        elif element.circular:
            key: Key = "assertion", f"{prefix}{element.owner}"
            if self._domains[prefix]:
                raise Misfit(key)  # what need not run need not hold
            yield key, formula(_equation(element.targets, body))
        elif len(element.targets) == 1:
            yield ("variable", prefix + element.targets[0]), formula(body)
        else:
            for number, target in enumerate(element.targets):
                # The parts of a written tuple do not wait for each other.
                written = body.op is Op.TUPLE
                part = formula(body.args[number]) if written else formula(body, number)
                yield ("variable", prefix + target), part

    def _inputs(self, spot: Spot, call: Term) -> Iterator[tuple[Key, Formula]]:
        site = site_of(call)
        prefix = spot.child(site)
        inputs = self._program.component(site.component).of_kind(VariableKind.INPUT)
        for number, variable in enumerate(inputs):
            yield ("variable", prefix + variable.name), formula(call.args[number])


def _domains(instances: tuple[Instance, ...]) -> dict[str, str]:
    """Return the prefix of the instance whose clock decides whether an instance runs."""
    found: dict[str, str] = {}
    for one in instances:
        plain = one.parent is not None and not one.clocked
        found[one.prefix] = found[one.parent.prefix] if plain and one.parent else one.prefix
    return found


def _before(spot: Spot, pre: Term) -> Key:
    # A variable is remembered once for all elements that ask for it.
    owner = "" if pre.args[0].op is Op.VAR else spot.owner
    return "before", spot.instance.prefix, owner, pre


def _put(found: dict[Key, Formula], key: Key, what: Formula) -> None:
    if found.setdefault(key, what) is not what:
        raise Misfit(key)


def _equation(targets: tuple[str, ...], body: Term) -> Term:
    """Return the equation of variables and a body."""
    if len(targets) == 1:
        return terms.make(Op.EQ, BOOL, (terms.var(targets[0], body.sort), body))
    assert isinstance(body.sort, TupleSort)
    known = [terms.var(n, sort) for n, sort in zip(targets, body.sort.elements, strict=True)]
    return terms.make(Op.EQ, BOOL, (terms.make(Op.TUPLE, body.sort, known), body))


def _true(_: list[Any]) -> bool:
    return True
