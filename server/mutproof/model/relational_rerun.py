"""Judge a NuSMV program with other bodies from its own execution on the same choices.

What reads nothing that changed has the values of the program itself and keeps its rules. So only
what bodies may change is computed and judged again. Where they may change more, as a DEFINE that
reads next values, it takes the whole program.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import relational_rules, sorts, walk
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.program import (
    Bodies,
    Element,
    ElementKind,
    Property,
    PropertyKind,
    VariableKind,
)
from mutproof.model.relational_code import CodedProgram
from mutproof.model.relational_rules import Rule, Rules, Values, ordered
from mutproof.model.relational_scene import Scene
from mutproof.model.relational_states import Assignment, Found, StateValues
from mutproof.model.relational_values import NOWHERE, RelationalCode
from mutproof.model.sorts import Sort
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

MOST_KEPT = 32
"""Of how many changed places it is known what they influence: mutants come place by place."""

MOST_JUDGED = 256
"""How many executions with other values of DEFINEs are kept: many bodies give the same values."""

_CONSTRAINTS = frozenset({ElementKind.INIT, ElementKind.INVAR, ElementKind.TRANS})


@dataclass(frozen=True, slots=True)
class Influenced:
    """Hold what depends on some variables and DEFINEs, which are among the `names`.

    `positions` are those of the elements that restrict or read any of the names, `properties` what
    may be violated otherwise than before, and `scalars` the names of which an execution tells.
    """

    names: frozenset[str]
    positions: tuple[int, ...]
    properties: tuple[Property, ...]
    scalars: tuple[tuple[str, Sort], ...]


@dataclass(frozen=True, slots=True)
class _Order:
    """Hold how names get their values in a state, what they need of it, and an order of them."""

    ways: Mapping[str, Assignment]
    needs: Mapping[str, Sequence[str]]
    order: Sequence[str]
    place: Mapping[str, int]


class Reruns:
    """Judge executions of one program with other bodies; caches only."""

    def __init__(self, coded: CodedProgram) -> None:
        self._coded = coded
        self._component = coded.component
        self._rules = coded.rules
        self._own = coded.own
        self._states = StateValues(self._component, self._rules, Choices(()))
        self._known: Memo[Influenced] = Memo(MOST_KEPT)
        self._orders: Memo[_Order] = Memo(2 * MOST_KEPT)
        self._judged: Memo[Execution] = Memo(MOST_JUDGED)

    def of(self, scene: Scene, bodies: Bodies) -> Execution | None:
        """Return the execution with other bodies; None if it takes the whole program to tell.

        Raises:
            KeyError: an element is not one of the program.
        """
        rules, before = self._rules, scene.found
        if rules.free or not before.is_ordered or not scene.own.assumed:
            return None
        if not all(self._is_followed(element, body) for element, body in bodies.items()):
            return None
        changed = self._changed(bodies)
        found = self._influenced(scene, bodies)
        try:
            values = self._values(scene, found, changed)
        except InstantaneousLoop:
            return None
        other = Scene(self._coded, rules, scene.choices, is_own=False, given=Found(values))
        assumed = self._is_declared(found, values) and other.meets(self._touched(found, changed))
        own = scene.own
        find = other.violation
        if scene.choices.loop is None and self._goes_on:
            find = other.failure
        return Execution(
            other.shown([name for name, _ in found.scalars]),
            _again(own.violated, found.properties, find),
            assumed,
            lambda: _again(own.refuted(), found.properties, other.refutation),
        )

    def alike(
        self,
        scene: Scene,
        bodies: Mapping[Element, Term | None],
        judge: Callable[[], Execution],
    ) -> Execution:
        """Return the execution with other bodies, judged once for those that give the same values.

        Those that give a DEFINE the values that it has change nothing.
        """
        if not scene.found.is_ordered or any(e.kind is not ElementKind.DEFINE for e in bodies):
            return judge()
        if not all(self._is_followed(element, body) for element, body in bodies.items()):
            return judge()
        steps, read = self._rules.transitions.keys(), self._read_by(bodies.values())
        begun = frozenset(element.targets[0] for element in bodies)
        at_once = self._after(begun, self._at_once)  # a body that reads any of it is circular
        if not (steps.isdisjoint(begun | read) and at_once.isdisjoint(read)):
            return judge()
        values = self._given(scene, bodies.values())
        if values == self._given(scene, [element.body for element in bodies]):
            return replace(scene.own, trace=scene.shown(()))
        if not self._after(begun, scene.found.computed).isdisjoint(read):
            return judge()
        places = tuple(self._changed(bodies))
        return self._judged.get((scene, places, values), judge)

    def _after(self, begun: frozenset[str], computed: frozenset[str]) -> frozenset[str]:
        """Return what depends on DEFINEs, through others and variables that are computed."""
        return self._known.get((begun, computed), lambda: self._influence(begun, computed)).names

    @cached_property
    def _at_once(self) -> frozenset[str]:
        """Return the variables that assignments compute from their own state."""
        found = (e for e in self._component.elements if e.kind is ElementKind.CURRENT_ASSIGN)
        return frozenset(target for element in found for target in element.targets)

    def _read_by(self, bodies: Iterable[Term | None]) -> frozenset[str]:
        return frozenset().union(*(walk.variables(body) for body in bodies if body is not None))

    def _given(self, scene: Scene, bodies: Iterable[Term | None]) -> tuple[tuple[type, Any], ...]:
        """Return the values of terms in the states of the program."""
        codes = [self._coded.code_of(body) for body in bodies if body is not None]
        values = (code.value(now, NOWHERE) for code in codes for now in scene.found.values)
        return tuple((type(value), value) for value in values)

    # --- bodies ---------------------------------------------------------------------------

    def _is_followed(self, element: Element, body: Term | None) -> bool:
        """Tell whether another body changes only its rule, or the values of its DEFINE."""
        if element.kind is not ElementKind.DEFINE:
            # Without constraints, executions may be known to go on.
            return body is not None or element.kind not in _CONSTRAINTS
        if body is None or self._inputs_matter or element.targets[0] in self._rules.settled:
            return False
        read, steps = self._coded.code_of(body).reads, self._rules.transitions.keys()
        if element.targets[0] in steps or any(ahead or name in steps for _, name, ahead in read):
            return False
        unchanging = self._component.unchanging | self._rules.settled
        return not self._steps_matter or any(name not in unchanging for _, name, _ in read)

    @cached_property
    def _steps_matter(self) -> bool:
        """Tell whether what never changes decides in which states an invariant is judged."""
        stated = [p.term for p in self._component.properties if p.kind is PropertyKind.INVARIANT]
        return any(ahead for term in stated for *_, ahead in self._coded.code_of(term).reads)

    @cached_property
    def _inputs_matter(self) -> bool:
        """Tell whether what reads inputs decides of which states an invariant speaks."""
        return any(self._component.of_kind(VariableKind.INPUT))

    @cached_property
    def _goes_on(self) -> bool:
        return self._coded.goes_on(self._rules)

    def _changed(self, bodies: Bodies) -> dict[int, Rule | None]:
        """Return the rules of other bodies by the positions of elements."""
        code_of = self._coded.code_of
        return {
            position: None if body is None else relational_rules.rule(element, body, code_of)
            for element, body in bodies.items()
            for position in self._coded.positions(element)
        }

    def _touched(self, found: Influenced, changed: Mapping[int, Rule | None]) -> Rules:
        """Return the rules that may not be met: those of other bodies, or of other values."""
        result, elements = Rules(), self._component.elements
        touched = {*found.positions, *changed}
        for position in [*touched]:
            if elements[position].guard is not None:  # processes change a variable together
                touched.update(self._readers[elements[position].targets[0]])
        for position in sorted(touched):
            one = changed.get(position, self._own[position])
            if one is not None and elements[position].kind is not ElementKind.DEFINE:
                relational_rules.place(result, elements[position], one)
        return result

    # --- influence ------------------------------------------------------------------------

    @cached_property
    def _readers(self) -> Mapping[str, list[int]]:
        """Return the positions of the elements that read each name, or assign it."""
        found: dict[str, dict[int, None]] = {}
        for position, (element, one) in enumerate(
            zip(self._component.elements, self._own, strict=True)
        ):
            codes = [one.code] if one.guard is None else [one.code, one.guard]
            read = [name for code in codes for _, name, _ in code.reads]
            for name in (*read, *element.targets):
                found.setdefault(name, {})[position] = None
        return {name: [*positions] for name, positions in found.items()}

    @cached_property
    def _whole(self) -> Mapping[str, str]:
        """Return the names of arrays by those of their scalar parts."""
        return {
            variable.name + path: variable.name
            for variable in self._coded.stored
            for path, _ in sorts.leaves(variable.sort)
            if path
        }

    @cached_property
    def _about(self) -> Mapping[str, list[int]]:
        """Return the numbers of the properties whose verdicts depend on each name."""
        component = self._component
        pairs = [term for pair in component.compassion for term in pair]
        fair = {name for term in (*component.fairness, *pairs) for name in walk.variables(term)}
        found: dict[str, list[int]] = {}
        for number, stated in enumerate(component.properties):
            paths = fair if stated.kind is not PropertyKind.INVARIANT else set[str]()
            for name in walk.variables(stated.term) | paths:
                found.setdefault(name, []).append(number)
        return found

    @cached_property
    def _scalars(self) -> Mapping[str, Sort]:
        return dict(self._coded.scalars)

    def _influenced(self, scene: Scene, bodies: Mapping[Element, Term | None]) -> Influenced:
        """Return what depends on what other bodies compute in the states of an execution."""
        computed = scene.found.computed
        begun = frozenset(
            element.targets[0]
            for element in bodies
            if element.kind is ElementKind.DEFINE or computed.intersection(element.targets)
        )
        return self._known.get((begun, computed), lambda: self._influence(begun, computed))

    def _influence(self, begun: frozenset[str], computed: frozenset[str]) -> Influenced:
        elements, stated = self._component.elements, self._component.properties
        names, stack = set(begun), sorted(begun)
        touched: set[int] = set()
        while stack:
            name = stack.pop()
            reading = self._readers.get(name, ())
            touched.update(reading)
            defined = [elements[p] for p in reading if elements[p].targets]
            after = [
                one.targets[0]
                for one in defined
                if one.kind is ElementKind.DEFINE or one.targets[0] in computed
            ]
            if name in self._whole:
                after.append(self._whole[name])
            for other in after:
                if other not in names:
                    names.add(other)
                    stack.append(other)
        about = sorted({n for name in names for n in self._about.get(name, ())})
        scalars = [(name, self._scalars[name]) for name in sorted(names) if name in self._scalars]
        return Influenced(
            frozenset(names),
            tuple(sorted(touched)),
            tuple(stated[number] for number in about),
            tuple(scalars),
        )

    # --- values ---------------------------------------------------------------------------

    def _values(
        self, scene: Scene, found: Influenced, changed: Mapping[int, Rule | None]
    ) -> list[Values]:
        """Return the values in all states.

        Raises:
            InstantaneousLoop: a value depends on itself.
        """
        if not found.names:
            return scene.found.values
        phases = [self._order(found.names, changed, first=first) for first in (True, False)]
        values: list[Values] = []
        for before, chosen in zip(scene.found.values, scene.choices.steps, strict=True):
            previous = values[-1] if values else None
            order = phases[1 if values else 0]
            values.append(self._states.again(before, chosen, previous, order))
        return values

    def _order(
        self, names: frozenset[str], changed: Mapping[int, Rule | None], *, first: bool
    ) -> list[tuple[str, Assignment]]:
        """Return how names get their values in the first state or in others, in that order."""
        usual = self._orders.get((names, first), lambda: self._usual(names, first=first))
        elements = self._component.elements
        others = {target for position in changed for target in elements[position].targets}
        ways, needs = dict(usual.ways), dict[str, Sequence[str]]()
        for name in sorted(others & ways.keys()):
            ways[name] = self._way(name, changed, first=first)
            needs[name] = self._needed(name, ways[name], first=first)
        order: Sequence[str] = usual.order
        place = usual.place
        if any(place.get(need, -1) >= place[name] for name, own in needs.items() for need in own):
            order = ordered({**usual.needs, **needs})
        return [(name, ways[name]) for name in order]

    def _usual(self, names: frozenset[str], *, first: bool) -> _Order:
        """Return how names get their values by the rules of the program."""
        # Pairs of states have what reads next values.
        found = sorted(names - self._rules.transitions.keys())
        ways = {name: self._way(name, {}, first=first) for name in found}
        needs = {name: self._needed(name, way, first=first) for name, way in ways.items()}
        order = ordered(needs)
        return _Order(ways, needs, order, {name: number for number, name in enumerate(order)})

    def _needed(self, name: str, way: Assignment, *, first: bool) -> Sequence[str]:
        """Return what the value of a name needs of its own state."""
        if isinstance(way, RelationalCode):
            return [read for _, read, _ in way.reads]
        if way is None:
            return [name + path for path, _ in sorts.leaves(self._arrays[name])]
        return self._states.needs(name, way, first=first)

    @cached_property
    def _arrays(self) -> Mapping[str, Sort]:
        return {variable.name: variable.sort for variable in self._coded.stored}

    def _way(self, name: str, changed: Mapping[int, Rule | None], *, first: bool) -> Assignment:
        """Return how a name gets its value: the rules of a variable come from its assignments."""
        if name not in self._scalars and name in self._arrays:
            return None
        rules = Rules()
        for position in self._readers.get(name, ()):
            element = self._component.elements[position]
            one = changed.get(position, self._own[position])
            if one is None or name not in element.targets:
                continue
            if element.kind is ElementKind.DEFINE:
                return one.code
            relational_rules.place(rules, element, one)
        later = rules.guarded.get(name, rules.steps[-1:])
        return rules.always[-1:] or (rules.first[-1:] if first else later)

    def _is_declared(self, found: Influenced, values: Sequence[Values]) -> bool:
        """Tell whether values are of their sorts, and frozen variables do not change."""
        frozen = found.names.intersection(self._coded.frozen)
        return all(
            sorts.contains(sort, state[name]) for name, sort in found.scalars for state in values
        ) and all(state[name] == values[0][name] for name in frozen for state in values)


def _again(
    known: Mapping[str, int],
    properties: Sequence[Property],
    find: Callable[[Property], int | None],
) -> Mapping[str, int]:
    """Return the steps at which properties fail, found again for some."""
    steps = {**known, **{stated.name: find(stated) for stated in properties}}
    return {name: step for name, step in steps.items() if step is not None}
