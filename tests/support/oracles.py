"""Temporal logic on explicit graphs and on lassos: slow, and simple enough to believe."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.model import sorts
from mutproof.model.compile import Compiler
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.system import SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from support.explicit import Row, StateSpace

CONNECTIVES: dict[Op, Callable[..., bool]] = {
    Op.NOT: lambda a: not a,
    Op.AND: lambda a, b: a and b,
    Op.OR: lambda a, b: a or b,
    Op.IMPLIES: lambda a, b: not a or b,
    Op.IFF: lambda a, b: a == b,
}


def is_temporal(term: Term) -> bool:
    return term.op in BRANCHING_TIME | LINEAR_TIME or any(is_temporal(arg) for arg in term.args)


class Graph:
    """The reachable part of a state space; its states give inputs a value too."""

    def __init__(self, system: TransitionSystem, space: StateSpace) -> None:
        self.system = system
        self.space = space
        self.compiler = Compiler({name: index for index, name in enumerate(space.names)})
        self.rows = space.reachable
        self.after = {row: list(space.successors[row]) for row in self.rows}
        inputs = [
            index
            for index, name in enumerate(space.names)
            if system.variables[name].kind is SystemVariableKind.INPUT
        ]
        self.state = {
            row: tuple(v for index, v in enumerate(row) if index not in inputs) for row in self.rows
        }
        self.justice = [self.where(term) for term in system.fairness]
        self.compassion = [(self.where(p), self.where(q)) for p, q in system.compassion]
        self.fair = self.always(set(self.rows))

    def where(self, term: Term) -> set[Row]:
        holds = self.compiler.compile_all([term])[0]
        return {row for row in self.rows if holds(list(row), list(row), {})}

    def any_input(self, rows: set[Row]) -> set[Row]:
        states = {self.state[row] for row in rows}
        return {row for row in self.rows if self.state[row] in states}

    def reached(self, within: set[Row]) -> dict[Row, set[Row]]:
        """Return what can be reached from each state in a step or more: Warshall's closure."""
        reached = {row: within.intersection(self.after[row]) for row in within}
        for middle, beyond in reached.items():
            for found in reached.values():
                if middle in found:
                    found |= beyond
        return reached

    def always(self, within: set[Row]) -> set[Row]:
        reached = self.reached(within)
        cores = set()
        for row in within:
            component = {o for o in reached[row] if row in reached[o]}
            if row in reached[row] and all(component & often for often in self.justice):
                cores.add(row)
        return self.any_input({row for row in within if row in cores or reached[row] & cores})

    def some_next(self, rows: set[Row]) -> set[Row]:
        target = rows & self.fair
        return self.any_input({row for row in self.rows if target & set(self.after[row])})

    def until(self, through: set[Row], target: set[Row]) -> set[Row]:
        found = target & self.fair
        while True:
            more = self.any_input(found | (through & self.some_next(found)))
            if more == found:
                return found
            found = more

    def bounded(self, through: set[Row], target: set[Row], low: int, high: int) -> set[Row]:
        """States with a path that meets `target` at a step in low..high, `through` before."""
        paths: set[Row] = set()
        for hit in range(low, high + 1):
            rows = target & self.fair
            for _ in range(hit):
                rows = through & self.some_next(rows)
            paths |= rows
        return paths

    def all_until(
        self, through: set[Row], target: set[Row], row: Row, step: int, limits: tuple[int, int]
    ) -> bool:
        """Tell whether every fair path meets `target` at a step in limits, `through` before."""
        low, high = limits
        if low <= step and row in target:
            return True
        if step == high or row not in through:
            return False
        same = [other for other in self.rows if self.state[other] == self.state[row]]
        following = {o for other in same for o in self.after[other]} & self.fair
        return all(self.all_until(through, target, o, step + 1, limits) for o in following)

    def satisfying(self, term: Term) -> set[Row]:
        if not is_temporal(term):
            return self.where(term)
        args = [self.satisfying(arg) for arg in term.args]
        every = set(self.rows)
        if term.op in CONNECTIVES:
            combine = CONNECTIVES[term.op]
            return {row for row in every if combine(*(row in arg for arg in args))}
        low, high = term.payload if term.payload is not None else (0, 0)  # type: ignore[misc]
        match term.op:
            case Op.EX:
                return self.some_next(args[0])
            case Op.AX:
                return every - self.some_next(every - args[0])
            case Op.EF:
                return self.until(every, args[0])
            case Op.AG:
                return every - self.until(every, every - args[0])
            case Op.EG:
                return self.always(args[0] & self.fair)
            case Op.AF:
                return every - self.always((every - args[0]) & self.fair)
            case Op.EU:
                return self.until(args[0], args[1])
            case Op.AU:
                left, right = every - args[0], every - args[1]
                return every - self.until(right, left & right) - self.always(right & self.fair)
            case Op.EBF:
                return self.bounded(every, args[0], low, high)
            case Op.ABG:
                return every - self.bounded(every, every - args[0], low, high)
            case Op.ABF:
                return {row for row in every if self.all_until(every, args[0], row, 0, (low, high))}
            case Op.EBG:
                bad = every - args[0]
                return {r for r in every if not self.all_until(every, bad, r, 0, (low, high))}
            case Op.ABU:
                left, right = args
                return {row for row in every if self.all_until(left, right, row, 0, (low, high))}
            case Op.EBU:
                return self.bounded(args[0], args[1], low, high)
            case _:
                raise NotImplementedError(term.op)

    def lassos(self, longest: int) -> Iterator[tuple[list[Row], int]]:
        """Yield fair lassos from initial states of at most so many states."""
        stack = [[row] for row in self.space.initial]
        while stack:
            path = stack.pop()
            for other in self.after[path[-1]]:
                for loop, row in enumerate(path):
                    if row == other and self.is_fair(path[loop:]):
                        yield path, loop
                if len(path) < longest:
                    stack.append([*path, other])

    def is_fair(self, cycle: list[Row]) -> bool:
        rows = set(cycle)
        return all(rows & often for often in self.justice) and all(
            not rows & asked or rows & given for asked, given in self.compassion
        )

    def row(self, values: dict[str, sorts.Value]) -> Row:
        return tuple(values[name] for name in self.space.names)

    def holds_on(self, formula: Term, path: list[Row], loop: int) -> bool:
        """Tell whether a formula holds on a lasso: unrolled until its past repeats too."""
        cycle = path[loop:]
        rows = path + cycle * 8
        back = len(rows) - len(cycle)
        values: dict[Term, list[bool]] = {}
        self._truths(formula, rows, back, values)
        return values[formula][0]

    def _truths(
        self, term: Term, rows: list[Row], back: int, values: dict[Term, list[bool]]
    ) -> None:
        if term in values:
            return
        count = len(rows)
        if not is_temporal(term):
            where = self.compiler.compile_all([term])[0]
            following = [*rows[1:], rows[back]]
            pairs = zip(rows, following, strict=True)
            values[term] = [bool(where(list(r), list(n), {})) for r, n in pairs]
            return
        for arg in term.args:
            self._truths(arg, rows, back, values)
        args = [values[arg] for arg in term.args]
        if term.op in CONNECTIVES:
            combine = CONNECTIVES[term.op]
            values[term] = [bool(combine(*here)) for here in zip(*args, strict=True)]
            return
        result = [False] * count
        for position in range(count):
            ahead = [*range(position, count), *range(back, max(position, back))]
            before = list(range(position, -1, -1))
            low, high = term.payload if term.payload is not None else (0, None)  # type: ignore[misc]
            result[position] = _at(term.op, args, position, (ahead, before), (low, high), back)
        values[term] = result


def _at(op, args, position, order, limits, back) -> bool:
    ahead, before = order
    low, high = limits
    count = len(args[0])
    match op:
        case Op.X:
            return args[0][position + 1 if position + 1 < count else back]
        case Op.Y:
            return position > 0 and args[0][position - 1]
        case Op.Z:
            return position == 0 or args[0][position - 1]
        case Op.F if high is None:
            return any(args[0][i] for i in ahead)
        case Op.G if high is None:
            return all(args[0][i] for i in ahead)
        case Op.O if high is None:
            return any(args[0][i] for i in before)
        case Op.H if high is None:
            return all(args[0][i] for i in before)
        case Op.F | Op.G:
            steps = [_ahead(position, n, count, back) for n in range(low, high + 1)]
            return (any if op is Op.F else all)(args[0][i] for i in steps)
        case Op.O:
            return any(args[0][position - n] for n in range(low, high + 1) if n <= position)
        case Op.H:
            return high <= position and all(args[0][position - n] for n in range(low, high + 1))
        case Op.U | Op.S:
            for i in ahead if op is Op.U else before:
                if args[1][i]:
                    return True
                if not args[0][i]:
                    return False
            return False
        case Op.V | Op.T:
            for i in ahead if op is Op.V else before:
                if not args[1][i]:
                    return False
                if args[0][i]:
                    return True
            return True
        case _:
            raise NotImplementedError(op)


def _ahead(position: int, distance: int, count: int, back: int) -> int:
    for _ in range(distance):
        position = position + 1 if position + 1 < count else back
    return position
