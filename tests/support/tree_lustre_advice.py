"""What meta-properties say of a small Lustre text, by visiting all states that it can reach.

Built on `tree_lustre`: shares nothing with the product but which equations are design. For texts
in which `pre` has a name as operand and a value before it: the next state then follows from the
values of all variables.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field

from support.tree_lustre import Memory, Path, Place, Places, Scalar
from support.tree_lustre_run import Run
from support.tree_lustre_text import ModelText, NodeText, Tree, Type

Said = tuple[str, int]
"""A meta-property, and the offset of the subterm or the name of the variable it is about."""

Where = Callable[[Run, int], bool]
MOST_STATES = 400
_JOINING = {"and", "or", "xor", "=>"}
_COMPARING = {"=", "<>", "<", "<=", ">", ">="}


class TooManyStatesError(Exception):
    """Say that a text has too many states to visit them all."""


@dataclass(slots=True)
class _Told:
    """Give the inputs of each step, and one value after the other of memories.

    What is before the first step only counts where it is asked what is behind an arrow there.
    """

    steps: tuple[Mapping[str, Scalar], ...]
    guesses: bool = False
    memories: dict[Memory, tuple[tuple[Scalar, ...], int]] = field(default_factory=dict)

    def free(self, place: Place, name: str, path: Path, step: int, kind: Type) -> Scalar:
        """Return an input."""
        assert not path
        return self.steps[step][name]

    def memory(self, what: Memory, kind: Type) -> Scalar:
        """Return the present value of a memory."""
        values, number = self.memories.setdefault(what, (_domain(kind), 0))
        return values[number]

    def advance(self) -> bool:
        """Go on to other values of memories; tell whether there are any."""
        for what, (values, number) in self.memories.items():
            if number + 1 < len(values):
                self.memories[what] = values, number + 1
                return True
            self.memories[what] = values, 0
        return False

    def function(self, name: str, path: Path, args: tuple[Scalar, ...], kind: Type) -> Scalar:
        """Refuse: there are no functions."""
        raise AssertionError(name)

    def looped(self, place: Place, name: str, path: Path, step: int) -> Scalar:
        """Refuse: there are no loops."""
        raise AssertionError(name)

    def is_free(self, place: Place, name: str) -> bool:
        """Tell that all values follow."""
        return False


def visits(model: ModelText, places: Places) -> Iterator[tuple[Run, int]]:
    """Yield an execution to each reachable state and through each step from one."""
    inputs = [(name, _domain(model.resolved(kind))) for name, kind in places.main.node.inputs]
    rows = [
        dict(zip([name for name, _ in inputs], values, strict=True))
        for values in itertools.product(*[domain for _, domain in inputs])
    ]
    seen: set[object] = set()
    histories: list[tuple[Mapping[str, Scalar], ...]] = [()]
    for history in histories:  # it grows on the way
        for row in rows:
            steps = (*history, row)
            run, last = Run(model, _Told(steps), places), len(steps) - 1
            if not run.admitted(last):
                continue
            values = tuple(value for _, _, _, value in run.variables(last))
            key = (values, min(last, 1))
            if key not in seen:
                seen.add(key)
                if len(seen) > MOST_STATES:
                    raise TooManyStatesError
                histories.append(steps)
            yield run, last


def _domain(kind: Type) -> tuple[Scalar, ...]:
    match kind:
        case ("bool",):
            return (False, True)
        case ("range", low, high):
            return tuple(range(low, high + 1))
        case ("enum", values):
            return tuple(values)
        case _:
            raise NotImplementedError(kind)


@dataclass(slots=True)
class Question:
    """Hold what is asked of one place; it is advice if `found` says so at last.

    `hits` counts for each condition the states in which it is true.
    """

    said: tuple[str, object]
    conditions: dict[str, Where]
    found: Callable[[Mapping[str, int]], bool]
    hits: dict[str, int] = field(default_factory=dict)

    def visit(self, run: Run, step: int) -> None:
        """Look at a state."""
        for name, condition in self.conditions.items():
            self.hits[name] = self.hits.get(name, 0) + condition(run, step)

    @property
    def finding(self) -> frozenset[str] | None:
        """Return which conditions no state fulfils, if that is a reason for advice, else None."""
        if not self.found(self.hits):
            return None
        return frozenset(name for name in self.conditions if not self.hits[name])


def questions(model: ModelText, place: Place, design: set[str]) -> Iterator[Question]:
    """Yield what is asked of an instance; `design` names the targets of its equations."""
    for targets, body in place.node.equations:
        if targets[0] in design:
            yield from _Asking(place).of(body)
    if place.outer is None:
        for stated in place.node.asserts:
            yield from _Asking(place).of(stated)
    for name, kind in place.node.variables():
        if name not in {v for v, _ in place.node.inputs} and name not in design:
            continue
        yield from _of_values(place, name, model.resolved(kind))
        if model.resolved(kind)[0] == "range" and name in design:
            yield _changing(place, name)
    yield from _of_uses(place.node, design)


class _Asking:
    def __init__(self, place: Place) -> None:
        self._place = place

    def of(self, body: Tree) -> Iterator[Question]:
        yield from self._within(body, [], None)

    def _is(self, tree: Tree, value: bool = True) -> Where:
        return lambda run, step: bool(run.value(self._place, tree, (), step)) is value

    def _within(self, tree: Tree, context: list[Where], parent: Tree | None) -> Iterator[Question]:
        if parent is not None and _joins(parent) and _is_asked(tree):
            yield self._operand(tree, context)
        inner: list[list[Where]] = [context] * len(tree.args)
        if tree.kind == "if":
            condition = tree.args[0]
            for number, value in ((1, True), (2, False)):
                inner[number] = [*context, self._is(condition, value)]
            yield from self._branches(tree, context)
        elif (tree.kind, tree.word) == ("binary", "->"):
            inner = [[*context, _at_first], [*context, _later]]
            yield self._arrow(tree, context)
        elif tree.kind in {"pre", "call"}:
            inner = [[] for _ in tree.args]
        for arg, where in zip(tree.args, inner, strict=True):
            yield from self._within(arg, where, tree)

    def _branches(self, tree: Tree, context: list[Where]) -> Iterator[Question]:
        condition, otherwise = tree.args[0], tree.args[2]
        here = _all(context)
        taken, other = (_all([*context, self._is(condition, value)]) for value in (True, False))

        def never(hits: Mapping[str, int]) -> bool:
            return hits["here"] > 0 and not hits["taken"]

        yield Question(("MP1", condition.start), {"here": here, "taken": taken}, never)
        yield Question(("MP2", condition.start), {"here": here, "taken": taken}, never)
        yield Question(("MP2", otherwise.start), {"here": here, "taken": other}, never)

    def _arrow(self, tree: Tree, context: list[Where]) -> Question:
        before, behind = tree.args

        def differs(run: Run, step: int) -> bool:
            told = run.given
            assert isinstance(told, _Told)
            while True:
                one, other = (run.value(self._place, side, (), step) for side in (before, behind))
                if one != other:
                    return True
                if not told.advance():
                    return False

        first = [*context, _at_first]
        conditions = {"here": _all(first), "differs": _all([*first, differs])}
        return Question(
            ("idle-arrow", tree.start),
            conditions,
            lambda hits: hits["here"] > 0 and not hits["differs"],
        )

    def _operand(self, tree: Tree, context: list[Where]) -> Question:
        true, false = (_all([*context, self._is(tree, value)]) for value in (True, False))
        return Question(
            ("constant-operand", tree.start),
            {"true": true, "false": false},
            lambda hits: (hits["true"] > 0) != (hits["false"] > 0),
        )


def _at_first(run: Run, step: int) -> bool:
    return step == 0


def _later(run: Run, step: int) -> bool:
    return step > 0


def _all(conditions: list[Where]) -> Where:
    return lambda run, step: all(one(run, step) for one in conditions)


def _joins(tree: Tree) -> bool:
    return (tree.kind, tree.word) == ("unary", "not") or (
        tree.kind == "binary" and tree.word in _JOINING
    )


def _is_asked(tree: Tree) -> bool:
    """Tell whether a truth value is computed here, so that it is asked whether it is constant."""
    if tree.kind in {"unary", "if"}:
        return tree.kind == "if" or tree.word == "not"
    return tree.kind == "binary" and tree.word in {*_JOINING, *_COMPARING, "->"}


def _of_values(place: Place, name: str, kind: Type) -> Iterator[Question]:
    def takes(value: Scalar) -> Where:
        return lambda run, step: run.variable(place, name, (), step) == value

    conditions = {str(value): takes(value) for value in _domain(kind)}
    yield Question(("MP6", name), conditions, lambda hits: not all(hits.values()))


def _changing(place: Place, name: str) -> Question:
    def changes(run: Run, step: int) -> bool:
        return step > 0 and (
            run.variable(place, name, (), step) != run.variable(place, name, (), step - 1)
        )

    return Question(("constant-variable", name), {"it": changes}, lambda hits: not hits["it"])


def _of_uses(node: NodeText, design: set[str]) -> Iterator[Question]:
    readers: dict[str, list[list[str]]] = {}
    for targets, body in node.equations:
        for name in _names(body):
            readers.setdefault(name, []).append(targets)
    for stated in (*node.asserts, *node.properties):
        for name in _names(stated):
            readers.setdefault(name, []).append([])
    for name, _ in (*node.inputs, *node.locals):
        is_input = name not in design
        if is_input and name not in {known for known, _ in node.inputs}:
            continue
        idle = all(name in targets for targets in readers.get(name, ()))
        yield Question(
            ("MP7" if is_input else "MP8", name), {}, lambda _, is_idle=idle: bool(is_idle)
        )


def _names(tree: Tree) -> set[str]:
    own = {tree.word} if tree.kind == "name" else set()
    return own.union(*(_names(arg) for arg in tree.args))


# --- vacuity --------------------------------------------------------------------------------------


def leaves(formula: Tree) -> Iterator[tuple[Tree, tuple[str, ...]]]:
    """Yield the innermost formulas, with the constants that say most in their places."""
    stack = [(formula, 1)]
    while stack:
        tree, sign = stack.pop()
        signs: tuple[int, ...] = ()
        if tree.kind == "binary" and tree.word in {"and", "or"}:
            signs = (sign, sign)
        elif tree.kind == "binary" and tree.word == "=>":
            signs = (-sign, sign)
        elif tree.kind == "binary" and tree.word == "xor":
            signs = (0, 0)
        elif (tree.kind, tree.word) == ("unary", "not"):
            signs = (-sign,)
        if signs:
            stack += zip(tree.args, signs, strict=True)
        elif tree is not formula and tree.kind != "truth":
            yield tree, {1: ("false",), -1: ("true",), 0: ("true", "false")}[sign]


def holds(model: ModelText, places: Places) -> bool:
    """Tell whether all properties hold in all reachable states."""
    return all(held for run, step in visits(model, places) for _, _, held in run.properties(step))
