"""Whether properties hold in a small model of `tree_nusmv`, decided on the graph of its states.

Shares no code with the product's decision diagrams and tableaux. Source: NuSMV 2.6 user manual
§2.4; deadlocks and inputs as NuSMV treats them, `../shared/research/nusmv-language.md` §11, §12.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import product
from typing import Any

from mutproof.languages.nusmv.syntax import BRANCHING, LINEAR, Expression, Form, SpecificationKind
from support.tree_nusmv import NOWHERE, NeedsNextError, State, Stated, TooLargeError
from support.tree_nusmv_space import Graph, Space, endless

Formula = tuple[Any, ...]
Verdict = bool | str
"""Whether a property holds, or the number that COMPUTE prints."""

MOST_NODES = 20_000
MOST_GUESSES = 4_000
_PSL = {"always": Form.G, "next": Form.X, "eventually!": Form.F, "G": Form.G, "F": Form.F}


def verdict(space: Space, stated: Stated) -> Verdict:
    """Return whether a property holds, or the number that COMPUTE prints."""
    body = stated.body
    root = len(body.nodes) - 1
    match stated.kind:
        case SpecificationKind.INVARIANT:
            return _invariant(space, stated.atom(body, root), stated.of_steps)
        case SpecificationKind.CTL:
            return _Branching(space, stated, body).holds()
        case SpecificationKind.LTL | SpecificationKind.PSL:
            return _Linear(space, stated).holds()
        case _:
            return _computed(space, stated)


def _invariant(space: Space, holds: Callable[[State, State], Any], of_steps: bool) -> bool:
    """Tell whether an invariant holds; what reads inputs or next values speaks of transitions."""
    of_steps = of_steps and not space.is_path
    for number, state in enumerate(space.states):
        try:
            if not holds(state, NOWHERE) and not (of_steps and not space.after[number]):
                return False
        except NeedsNextError:
            if not all(holds(state, space.states[other]) for other in space.after[number]):
                return False
    return True


# --- branching time ---------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class _Branching:
    space: Space
    stated: Stated
    body: Expression

    def holds(self) -> bool:
        true = self.of(len(self.body.nodes) - 1)
        return all(n in true for n in self.space.first if n in self.space.fair)

    def of(self, index: int) -> frozenset[int]:
        """Return the states in which a part of the formula is true."""
        node = self.body.nodes[index]
        if not _temporal(self.body, index, BRANCHING):
            return self.space.where(self.stated.atom(self.body, index))
        args = [self.of(arg) for arg in node.args]
        left, right = args[0], args[-1]
        everything = frozenset(range(len(self.space.states)))
        no, nor = everything - left, everything - right
        low, high = node.value if isinstance(node.value, tuple) else (0, 0)
        low, high = int(low), int(high)
        match node.form:
            case Form.NOT:
                return no
            case Form.AND:
                return left & right
            case Form.OR:
                return left | right
            case Form.IMPLIES:
                return no | right
            case Form.IFF | Form.XNOR | Form.EQUAL:
                return (left & right) | (no & nor)
            case Form.XOR | Form.NOT_EQUAL:
                return (left & nor) | (no & right)
            case Form.IF:
                return (left & args[1]) | (no & right)
            case Form.EX:
                return self._next(left)
            case Form.AX:
                return everything - self._next(no)
            case Form.EF:
                return self._until(everything, left)
            case Form.AF:
                return everything - self._always(no)
            case Form.EG:
                return self._always(left)
            case Form.AG:
                return everything - self._until(everything, no)
            case Form.EU:
                return self._until(left, right)
            case Form.AU:
                return everything - (self._until(nor, no & nor) | self._always(nor))
            case Form.EBF:
                return self._bounded(everything, left, low, high)
            case Form.ABG:
                return everything - self._bounded(everything, no, low, high)
            case Form.EBU:
                return self._bounded(left, right, low, high)
            case Form.ABF:
                return everything - self._throughout(no, low, high)
            case Form.EBG:
                return self._throughout(left, low, high)
            case Form.ABU:
                return self._all_bounded(left, right, low, high)
            case _:
                raise NotImplementedError(node.form)

    def _next(self, goal: frozenset[int]) -> frozenset[int]:
        wanted = goal & self.space.fair
        found = (n for n, others in self.space.after.items() if not wanted.isdisjoint(others))
        return self.space.closed(found)

    def _until(self, hold: frozenset[int], goal: frozenset[int]) -> frozenset[int]:
        found = goal & self.space.fair
        while True:
            more = found | (hold & self._next(found))
            if more == found:
                return found
            found = more

    def _always(self, hold: frozenset[int]) -> frozenset[int]:
        inside = {n: [o for o in self.space.after[n] if o in hold] for n in hold}
        return self.space.closed(endless(inside, self.space.justice, []))

    def _bounded(
        self, hold: frozenset[int], goal: frozenset[int], low: int, high: int
    ) -> frozenset[int]:
        found = goal & self.space.fair
        for _ in range(high - low):
            found = (goal & self.space.fair) | (hold & self._next(found))
        for _ in range(low):
            found = hold & self._next(found)
        return found

    def _throughout(self, hold: frozenset[int], low: int, high: int) -> frozenset[int]:
        found = hold & self.space.fair
        for _ in range(high - low):
            found = hold & self._next(found)
        for _ in range(low):
            found = self._next(found)
        return found

    def _all_bounded(
        self, hold: frozenset[int], goal: frozenset[int], low: int, high: int
    ) -> frozenset[int]:
        everything = frozenset(range(len(self.space.states)))
        found = goal
        for _ in range(high - low):
            found = goal | (hold & (everything - self._next(everything - found)))
        for _ in range(low):
            found = hold & (everything - self._next(everything - found))
        return found


def _temporal(body: Expression, index: int, forms: frozenset[Form]) -> bool:
    node = body.nodes[index]
    if node.form in forms or node.form is Form.PSL:
        return True
    return any(_temporal(body, arg, forms) for arg in node.args)


def _computed(space: Space, stated: Stated) -> str:
    """Return the fewest (MIN) or most (MAX) steps from some states to others."""
    assert stated.target is not None
    first = _Branching(space, stated, stated.body).of(len(stated.body.nodes) - 1) & space.fair
    goal = _Branching(space, stated, stated.target).of(len(stated.target.nodes) - 1) & space.fair
    after = {n: [o for o in others if o in space.fair] for n, others in space.after.items()}
    if stated.kind is SpecificationKind.COMPUTE_MIN:
        found, seen, steps = first, first, 0
        while found:
            if found & goal:
                return str(steps)
            found = space.closed(o for n in space.closed(found) for o in after[n]) - seen
            seen, steps = seen | found, steps + 1
        return "infinity"
    if not first or not goal:
        return "undefined"
    avoiding, steps = frozenset(after) - goal, 0
    while first & avoiding:
        rest = frozenset(n for n in avoiding if not avoiding.isdisjoint(after[n]))
        rest = space.closed(rest) & avoiding
        if rest == avoiding:
            return "infinity"
        avoiding, steps = rest, steps + 1
    return str(steps)


# --- linear time ------------------------------------------------------------------------------


class _Linear:
    """Look for an execution without end on which a formula is false at the first instant.

    A node is a state, a guess of what holds of the next instant, and what held of the last one.
    """

    def __init__(self, space: Space, stated: Stated) -> None:
        self.space = space
        self.stated = stated
        self.later: list[Formula] = []
        self.earlier: list[Formula] = []
        self.recurring: list[Formula] = []
        self.tables: dict[int, list[Any]] = {}
        self.edges: list[int] = []
        self.formula = self._formula(len(stated.body.nodes) - 1)

    def _formula(self, index: int) -> Formula:
        body = self.stated.body
        node = body.nodes[index]
        if not _temporal(body, index, LINEAR):
            return self._atom(index)
        args = [self._formula(arg) for arg in node.args]
        left, right = args[0], args[-1]
        form = _PSL[str(node.value)] if node.form is Form.PSL else node.form
        value = None if node.form is Form.PSL else node.value
        if isinstance(value, tuple):
            return self._bounded(form, left, int(value[0]), int(value[1]))
        match form:
            case Form.NOT:
                return _not(left)
            case Form.AND:
                return ("and", left, right)
            case Form.OR:
                return _or(left, right)
            case Form.IMPLIES:
                return _or(_not(left), right)
            case Form.IFF | Form.XNOR:
                return ("same", left, right)
            case Form.XOR:
                return _not(("same", left, right))
            case Form.X:
                return self._next(left)
            case Form.F:
                return self._until(_TRUE, left)
            case Form.G:
                return _not(self._until(_TRUE, _not(left)))
            case Form.U:
                return self._until(left, right)
            case Form.V:
                return _not(self._until(_not(left), _not(right)))
            case Form.Y:
                return self._last(left)
            case Form.Z:
                return _not(self._last(_not(left)))
            case Form.ONCE:
                return self._since(_TRUE, left)
            case Form.H:
                return _not(self._since(_TRUE, _not(left)))
            case Form.S:
                return self._since(left, right)
            case Form.T:
                return _not(self._since(_not(left), _not(right)))
            case _:
                raise NotImplementedError(node.form)

    def _bounded(self, form: Form, part: Formula, low: int, high: int) -> Formula:
        shift = self._next if form in {Form.F, Form.G} else self._last
        found = part
        for _ in range(high - low):
            moved = shift(found)
            found = _or(part, moved) if form in {Form.F, Form.ONCE} else ("and", part, moved)
        for _ in range(low):
            found = shift(found)
        return found

    def _atom(self, index: int) -> Formula:
        meaning = self.stated.atom(self.stated.body, index)
        try:
            self.tables[index] = [bool(meaning(s, NOWHERE)) for s in self.space.states]
        except NeedsNextError:
            self.edges.append(index)
            return ("edge", len(self.edges) - 1)
        return ("atom", index)

    def _next(self, part: Formula) -> Formula:
        if part not in self.later:
            self.later.append(part)
        return ("next", self.later.index(part))

    def _last(self, part: Formula) -> Formula:
        if part not in self.earlier:
            self.earlier.append(part)
        return ("last", self.earlier.index(part))

    def _until(self, hold: Formula, goal: Formula) -> Formula:
        place = len(self.later)
        found = _or(goal, ("and", hold, ("next", place)))
        if found in self.recurring:
            return found
        self.later.append(found)
        self.recurring.append(_or(_not(found), goal))
        return found

    def _since(self, hold: Formula, goal: Formula) -> Formula:
        found = _or(goal, ("and", hold, ("last", len(self.earlier))))
        self.earlier.append(found)
        return found

    def _true(self, part: Formula, node: tuple[Any, ...]) -> bool:
        number, later, edges, earlier = node
        match part:
            case ("true",):
                return True
            case ("atom", index):
                return bool(self.tables[index][number])
            case ("edge", place):
                return bool(edges[place])
            case ("next", place):
                return bool(later[place])
            case ("last", place):
                return bool(earlier[place])
            case ("not", one):
                return not self._true(one, node)
            case ("and", one, other):
                return self._true(one, node) and self._true(other, node)
            case ("same", one, other):
                return self._true(one, node) == self._true(other, node)
            case _:
                raise AssertionError(part)

    def holds(self) -> bool:
        """Tell whether no such execution exists."""
        guesses = [*product((False, True), repeat=len(self.later))]
        marks = [*product((False, True), repeat=len(self.edges))]
        if len(self.space.states) * len(guesses) * len(marks) > MOST_GUESSES:
            raise TooLargeError
        before = (False,) * len(self.earlier)
        graph: dict[Any, list[Any]] = {}
        roots = [(n, g, m, before) for n in self.space.first for g in guesses for m in marks]
        roots = [node for node in roots if not self._true(self.formula, node)]
        left = [*roots]
        while left:
            node = left.pop()
            if node in graph:
                continue
            graph[node] = self._following(node, guesses, marks)
            left += graph[node]
            if len(graph) > MOST_NODES:
                raise TooLargeError
        justice = [self._nodes(graph, part) for part in self.recurring]
        justice += [_within(graph, wanted) for wanted in self.space.justice]
        compassion = [
            (_within(graph, self.space.where(often)), _within(graph, self.space.where(too)))
            for often, too in self.space.model.compassion
        ]
        good = endless(graph, justice, compassion)
        return not any(root in good for root in roots)

    def _nodes(self, graph: Graph, part: Formula) -> frozenset[Any]:
        return frozenset(node for node in graph if self._true(part, node))

    def _following(self, node: Any, guesses: list[Any], marks: list[Any]) -> list[Any]:
        number, later, edges, _ = node
        states = self.space.states
        held = tuple(self._true(part, node) for part in self.earlier)
        found = []
        for other in self.space.after[number]:
            if self.edges:
                atoms = (self.stated.atom(self.stated.body, index) for index in self.edges)
                if any(
                    bool(atom(states[number], states[other])) != guessed
                    for atom, guessed in zip(atoms, edges, strict=True)
                ):
                    continue
            for guess in guesses:
                for mark in marks:
                    after = (other, guess, mark, held)
                    true = (self._true(part, after) for part in self.later)
                    if all(value == guessed for value, guessed in zip(true, later, strict=True)):
                        found.append(after)
        return found


def _within(graph: Graph, states: frozenset[int]) -> frozenset[Any]:
    return frozenset(node for node in graph if node[0] in states)


_TRUE: Formula = ("true",)


def _not(part: Formula) -> Formula:
    return part[1] if part[0] == "not" else ("not", part)


def _or(left: Formula, right: Formula) -> Formula:
    return _not(("and", _not(left), _not(right)))
