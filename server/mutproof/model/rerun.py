"""Executions of a program with other bodies, computed from where they differ from its own.

The executions of the program itself are kept as a tree: those that begin alike share their
steps. With other bodies, a value is computed again only where something that it reads has another
value; all that is the same is shared.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from mutproof.model import sorts
from mutproof.model.arbitrary import Beginning
from mutproof.model.formula import Formula
from mutproof.model.instances import Instance
from mutproof.model.program import Element, Program
from mutproof.model.sorts import Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.values import leaves_of
from mutproof.model.wiring import ALWAYS, FUNCTIONS, Cell, Key, Misfit, Spot, Update, Wiring

MOST_VALUES = 100_000
"""How many values of executions of the program are kept."""

Row = list[Any]


@dataclass(frozen=True, slots=True)
class Step:
    """Hold what a step of an execution shows; `violated` are properties in order."""

    shown: Mapping[str, Value]
    violated: tuple[str, ...]
    assumed: bool


@dataclass(slots=True)
class _Node:
    """Hold one step of executions of the program, and the steps that come next."""

    row: Row
    step: Step
    next: dict[Key, _Node] = field(default_factory=dict)


@dataclass(slots=True)
class _Change:
    """Hold what other bodies of elements compute; places from the width of the wiring on are new.

    `cells` are by number, `updates` by the number of the one that they replace; `added` have a
    place of their own, and a term that has a value there before the first step.
    """

    cells: dict[int, Cell] = field(default_factory=dict)
    updates: dict[int, Update] = field(default_factory=dict)
    added: list[tuple[Update, tuple[Spot, Term] | None]] = field(default_factory=list)
    forced: int = 0
    forced_later: int = 0


class Reruns:
    """Run a program with other bodies; keeps executions of the program itself.

    Raises:
        Misfit: the program has no fixed order.
    """

    def __init__(
        self,
        program: Program,
        instances: tuple[Instance, ...],
        beginning: Beginning | None = None,
    ) -> None:
        self._wiring = wiring = Wiring(program, instances)
        self._beginning = beginning or Beginning(program, instances)
        self._free: dict[int, str] = {}
        self._variables: dict[int, tuple[str, Sort]] = {}
        for shown in wiring.shown:
            self._variables.update(shown.variables)
        for cell in wiring.cells:
            if cell.function is None:
                self._free[cell.place] = self._variables[cell.place][0]
        self._chosen = list(
            dict.fromkeys(
                self._beginning.chosen_name(name) + suffix
                for place, name in self._free.items()
                for suffix, _ in sorts.leaves(self._variables[place][1])
            )
        )
        self._update_at = {update.place: n for n, update in enumerate(wiring.updates)}
        self._actives = {shown.active for shown in wiring.shown} - {ALWAYS}
        self._of_properties = {stated.place for stated in wiring.stated} | self._actives
        self._active_at = {place: s.active for s in wiring.shown for place in s.variables}
        self._roots: dict[Key, tuple[Choices, dict[Key, _Node]]] = {}
        self._values = 0

    def run(self, choices: Choices, bodies: Mapping[Element, Term | None]) -> list[Step]:
        """Return the steps of the program with other bodies, None leaving variables free.

        Raises:
            Misfit: with these bodies it has no order, or another one.
        """
        change = self._change(bodies)
        nodes = self._nodes(choices)
        if not change.forced and not change.forced_later:
            return [node.step for node in nodes]
        return list(self._changed(change, nodes, choices))

    # --- the program itself ---------------------------------------------------------------

    def _nodes(self, choices: Choices) -> list[_Node]:
        """Return the steps of the program on choices, as far as they are known from the tree."""
        if self._values > MOST_VALUES:
            self._roots.clear()
            self._values = 0
        before = choices.before
        # Functions are told apart by identity: they are kept with what is known of them.
        functions = id(choices.functions) if choices.functions else None
        begun = (functions, *before, *before.values(), *map(type, before.values()))
        _, level = self._roots.setdefault(begun, (choices, {}))
        found: list[_Node] = []
        previous: Row | None = None
        for values in choices.steps:
            own = tuple(map(values.get, self._chosen))
            key = (own, tuple(map(type, own)))
            node = level.get(key)
            if node is None:
                node = level[key] = self._node(previous, values, choices)
                self._values += self._wiring.width
            found.append(node)
            previous, level = node.row, node.next
        return found

    def _node(self, previous: Row | None, values: Mapping[str, Value], choices: Choices) -> _Node:
        wiring = self._wiring
        row: Row = [None] * wiring.width
        row[FUNCTIONS], row[ALWAYS] = choices.functions, True
        for update in wiring.updates:
            if previous is not None:
                row[update.place] = _updated(update, previous)
            elif update.place in wiring.beginnings:
                row[update.place] = self._begun(wiring.beginnings[update.place], choices)
        for cell in wiring.cells:
            if cell.function is None:
                row[cell.place] = self._beginning.chosen(values, self._free[cell.place])
            else:
                row[cell.place] = cell.function([row[place] for place in cell.reads])
        return _Node(row, Step(self._shown(row), self._violated(row), self._assumed(row)))

    def _begun(self, what: tuple[Spot, Term], choices: Choices) -> Any:
        spot, term = what
        assert spot.element is not None
        return self._beginning.value(spot.instance, spot.element, term, choices)

    def _shown(self, row: Row) -> dict[str, Value]:
        found: dict[str, Value] = {}
        for shown in self._wiring.shown:
            if row[shown.active]:
                for place, (name, sort) in shown.variables.items():
                    _show(found, name, sort, row[place])
        return found

    def _violated(self, row: Row) -> tuple[str, ...]:
        return tuple([s.name for s in self._wiring.stated if not row[s.place] and row[s.active]])

    def _assumed(self, row: Row) -> bool:
        return all(row[place] for place in self._wiring.assertions)

    # --- other bodies ---------------------------------------------------------------------

    def _change(self, bodies: Mapping[Element, Term | None]) -> _Change:
        """Return what bodies compute otherwise than those of the program.

        Raises:
            Misfit: with these bodies there is no order, or another one.
        """
        change, wiring = _Change(), self._wiring
        now: list[tuple[Spot, Key, Formula | None]] = []
        later: list[tuple[Spot, Key, Formula]] = []
        new: dict[Key, int] = {}
        for element, body in bodies.items():
            if body is element.body:
                continue
            for spot in wiring.spots.get(element, ()):
                old, own = wiring.defined[spot], wiring.defined_by(spot, body)
                now += [
                    (spot, key, own.now.get(key))
                    for key in {**old.now, **own.now}
                    if own.now.get(key) is not old.now.get(key)
                ]
                for key, what in own.later.items():
                    if key in new:
                        continue  # another element remembers it too
                    if key not in wiring.places:
                        new[key] = wiring.width + len(new)
                    if key in new or (key in old.later and old.later[key] is not what):
                        later.append((spot, key, what))
        for spot, key, formula in now:
            cell = self._cell(spot, key, formula, new)
            number = cell.place - wiring.start
            change.cells[number] = cell
            change.forced |= 1 << number
        for spot, key, what in later:
            update = wiring.update(spot, key, what, new)
            if key in new:
                begun = (spot, key[3]) if key[0] == "before" else None
                change.added.append((update, begun))
            else:
                number = self._update_at[update.place]
                change.updates[number] = update
                change.forced_later |= 1 << number
        return change

    def _cell(self, spot: Spot, key: Key, formula: Formula | None, new: Mapping[Key, int]) -> Cell:
        place = self._wiring.places.get(key)
        if place is None:
            raise Misfit(key)
        if formula is None:
            # What is not asserted holds; what is not called under a clock does not run.
            constant = {"assertion": _always, "active": _never}.get(key[0])
            return Cell(place, constant, ())
        reads = self._wiring.resolved(spot, formula, new)
        if any(place <= read < self._wiring.width for read in reads):
            raise Misfit(key)
        return Cell(place, formula.function, reads)

    def _changed(self, change: _Change, nodes: list[_Node], choices: Choices) -> Iterator[Step]:
        previous: Row | None = None
        changed: list[int] = []  # the places at which the row is not that of the program
        for node, values in zip(nodes, choices.steps, strict=True):
            row = node.row.copy()
            remembered = self._remember(change, row, previous, changed, choices)
            changed = self._compute(change, row, remembered, values)
            yield self._step(node, row, changed)
            previous = row

    def _remember(
        self,
        change: _Change,
        row: Row,
        previous: Row | None,
        before: list[int],
        choices: Choices,
    ) -> list[int]:
        """Compute what is remembered of a row that differs; return where this row does."""
        wiring = self._wiring
        changed: list[int] = []
        if previous is None:
            for _, begun in change.added:
                row.append(None if begun is None else self._begun(begun, choices))
            return changed
        pending = change.forced_later
        for place in before:
            pending |= wiring.later_readers[place]
        while pending:
            lowest = pending & -pending
            pending ^= lowest
            number = lowest.bit_length() - 1
            update = change.updates.get(number) or wiring.updates[number]
            value = _updated(update, previous)
            if value != row[update.place]:
                row[update.place] = value
                changed.append(update.place)
        row.extend([_updated(update, previous) for update, _ in change.added])
        return changed

    def _compute(
        self, change: _Change, row: Row, changed: list[int], values: Mapping[str, Value]
    ) -> list[int]:
        """Compute what differs, in order; return all places that do."""
        cells, own, readers = self._wiring.cells, change.cells, self._wiring.readers
        pending = change.forced
        for place in changed:
            pending |= readers[place]
        while pending:
            lowest = pending & -pending
            pending ^= lowest
            number = lowest.bit_length() - 1
            cell = own[number] if lowest & change.forced else cells[number]
            place = cell.place
            if cell.function is None:
                value = self._beginning.chosen(values, self._variables[place][0])
            else:
                value = cell.function([row[read] for read in cell.reads])
            if value != row[place]:
                row[place] = value
                changed.append(place)
                pending |= readers[place]
        return changed

    def _step(self, node: _Node, row: Row, changed: list[int]) -> Step:
        """Return what a row shows that differs from the program's at some places."""
        if not changed:
            return node.step
        old = node.step
        if self._actives.isdisjoint(changed):
            shown = dict(old.shown)
            for place in changed:
                if place in self._variables and row[self._active_at[place]]:
                    name, sort = self._variables[place]
                    _show(shown, name, sort, row[place])
        else:
            shown = self._shown(row)
        same = self._of_properties.isdisjoint(changed)
        return Step(shown, old.violated if same else self._violated(row), self._assumed(row))


def _updated(update: Update, previous: Row) -> Any:
    if not previous[update.active]:
        return previous[update.place]
    return update.function([previous[place] for place in update.reads])


def _show(found: dict[str, Value], name: str, sort: Sort, value: Any) -> None:
    if isinstance(value, tuple):
        for suffix, leaf in leaves_of(sort, value):
            found[name + suffix] = leaf
    else:
        found[name] = value


def _always(_: Row) -> bool:
    return True


def _never(_: Row) -> bool:
    return False
