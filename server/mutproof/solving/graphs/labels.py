"""Formulas of branching time in a graph in which every state has a successor.

Where conditions of fairness are given, they speak of paths on which each recurs; what is said of
them is true where each state begins one, so in the `fair_part` of a graph. Universal formulas of
linear time that say the same as one of branching time become that.
Source: Clarke, Emerson & Sistla 1986, Automatic verification of finite-state concurrent systems.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from mutproof.base.digraph import cyclic_components
from mutproof.base.lazy import cached_property
from mutproof.model import terms, walk
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import PropertyKind
from mutproof.model.sorts import BOOL
from mutproof.model.system import SystemProperty
from mutproof.model.terms import Term
from mutproof.solving.formulas import is_branching, is_temporal

States: TypeAlias = AbstractSet[int]

Graph: TypeAlias = Mapping[int, Sequence[int]]
"""The successors of each state, at least one."""

_PLAIN = frozenset({Op.NOT, Op.AND, Op.OR, Op.IMPLIES, Op.IFF, Op.EQ, Op.XOR, Op.XNOR, Op.NE})
_TIMED = frozenset({Op.EX, Op.AX, Op.EF, Op.AF, Op.EG, Op.AG, Op.EU, Op.AU})
_FOR_ALL = {Op.G: Op.AG, Op.F: Op.AF, Op.X: Op.AX, Op.U: Op.AU}
_OF_ANY = frozenset({Op.G, Op.X})
"""Operators of linear time that say the same on all paths, whatever they are applied to."""


def branching(stated: SystemProperty) -> Term | None:
    """Return a property as a formula of branching time; None if there is none."""
    memo: dict[Term, bool] = {}
    if stated.kind is PropertyKind.COMPUTE:
        return None
    if stated.kind is PropertyKind.INVARIANT:
        found: Term | None = terms.make(Op.AG, BOOL, (stated.term,))
    elif is_branching(stated):
        found = stated.term
    else:
        found = _for_all_paths(stated.term, memo)
    if found is None or Op.NEXT_VAR in walk.operators(found):
        return None
    for part in walk.subterms(found):
        timed = part.op in BRANCHING_TIME or part.op in LINEAR_TIME
        if timed and (part.op not in _TIMED or part.payload is not None):
            return None
        if is_temporal(part, memo) and part.op not in _TIMED and part.op not in _PLAIN:
            return None
    return found


def _for_all_paths(root: Term, memo: dict[Term, bool]) -> Term | None:
    """Return the formula of branching time that says of all paths what a linear one says."""

    def combine(term: Term, args: tuple[Term | None, ...]) -> Term | None:
        if not is_temporal(term, memo):
            return term
        if any(arg is None for arg in args):
            return None
        found = [arg for arg in args if arg is not None]
        timed = [is_temporal(arg, memo) for arg in term.args]
        if term.op in _FOR_ALL and term.payload is None:
            if any(timed) and term.op not in _OF_ANY:
                return None
            return terms.make(_FOR_ALL[term.op], BOOL, found)
        simple = (term.op is Op.OR and timed.count(True) == 1) or (
            term.op is Op.IMPLIES and not timed[0]
        )
        return terms.rebuilt(term, found) if term.op is Op.AND or simple else None

    return walk.fold(root, combine)


class Labels:
    """Compute the states of a graph that satisfy formulas; caches only.

    `satisfying` returns those of some states in which a term without time holds; `timed` is a memo
    of which terms have operators of time, which many graphs share. Each of `justice` holds again
    and again on fair paths.
    """

    def __init__(
        self,
        graph: Graph,
        satisfying: Callable[[Term, States], States],
        timed: dict[Term, bool] | None = None,
        justice: Iterable[Term] = (),
    ) -> None:
        self._graph = graph
        self._holds = satisfying
        self._justice = tuple(justice)
        self._timed: dict[Term, bool] = {} if timed is None else timed
        self._values: dict[Term, States] = {}
        self._recurring = [satisfying(term, self._all) for term in self._justice]

    @cached_property
    def fair_part(self) -> Graph:
        """Return the states in which fair paths begin, with those of them that follow each.

        Fair paths have no other states, so formulas say the same there.
        """
        graph = self._graph
        fair = self.some_always(self._all) if self._recurring else self._all
        if len(fair) == len(graph):
            return graph
        return {state: [other for other in graph[state] if other in fair] for state in fair}

    def within(self, part: Graph) -> Labels:
        """Return the labels of a part of the graph."""
        return Labels(part, self._holds, self._timed, self._justice)

    def satisfying(self, root: Term) -> States:
        """Return the states that satisfy a formula of branching time."""
        timed = self._timed
        is_temporal(root, timed)
        return walk.fold_parts(
            root, lambda term: term.args if timed[term] else (), self._combine, self._values
        )

    def is_temporal(self, term: Term) -> bool:
        """Tell whether a term has a temporal operator."""
        return is_temporal(term, self._timed)

    @cached_property
    def _before(self) -> Mapping[int, Sequence[int]]:
        found: dict[int, list[int]] = {state: [] for state in self._graph}
        for state, others in self._graph.items():
            for other in others:
                found[other].append(state)
        return found

    @cached_property
    def _all(self) -> States:
        return self._graph.keys()

    def _combine(self, term: Term, args: tuple[States, ...]) -> States:
        everything = self._all
        if not args:
            return self._holds(term, everything)
        match term.op:
            case Op.NOT:
                return everything - args[0]
            case Op.AND:
                return args[0] & args[1]
            case Op.OR:
                return args[0] | args[1]
            case Op.IMPLIES:
                return (everything - args[0]) | args[1]
            case Op.IFF | Op.EQ | Op.XNOR:
                return everything - (args[0] ^ args[1])
            case Op.XOR | Op.NE:
                return args[0] ^ args[1]
            case Op.EX:
                return self._some_next(args[0])
            case Op.AX:
                return everything - self._some_next(everything - args[0])
            case Op.EF:
                return self._some_until(everything, args[0])
            case Op.AF:
                return everything - self.some_always(everything - args[0])
            case Op.EG:
                return self.some_always(args[0])
            case Op.AG:
                return everything - self._some_until(everything, everything - args[0])
            case Op.EU:
                return self._some_until(args[0], args[1])
            case Op.AU:
                through, target = args
                without = everything - target
                broken = self._some_until(without, without - through)
                return everything - broken - self.some_always(without)
            case _:
                raise NotImplementedError(term.op.value)

    def _some_next(self, states: States) -> States:
        before = self._before
        return {other for state in states for other in before[state]}

    def _some_until(self, through: States, target: States) -> States:
        found, stack, before = {*target}, [*target], self._before
        while stack:
            for other in before[stack.pop()]:
                if other not in found and other in through:
                    found.add(other)
                    stack.append(other)
        return found

    def some_always(self, states: States) -> States:
        """Return the states from which a fair path stays in a set."""
        kept = states if states is self._all else self._lasting(states)
        return self._some_until(kept, self._fair(kept)) if self._recurring and kept else kept

    def _fair(self, states: States) -> States:
        """Return the states of a set that are on fair cycles in it."""
        return {state for part in self._parts(states) for state in part}

    def _parts(self, states: States) -> Iterator[States]:
        """Yield the largest sets with paths from each state to each, of which all recurs in one."""
        within = graph = self._graph
        if states is not self._all:
            within = {one: [other for other in graph[one] if other in states] for one in states}
        for part in map(frozenset, cyclic_components(within)):
            if not any(map(part.isdisjoint, self._recurring)):
                yield part

    def _lasting(self, states: States) -> States:
        """Return the states from which a path stays in a set."""
        graph, before = self._graph, self._before
        left = {state: sum(other in states for other in graph[state]) for state in states}
        stack = [state for state, count in left.items() if not count]
        while stack:
            state = stack.pop()
            del left[state]
            for other in before[state]:
                if other in left:
                    left[other] -= 1
                    if not left[other]:
                        stack.append(other)
        return left.keys()

    # --- paths ------------------------------------------------------------------------------

    def failing(self, term: Term, starts: Sequence[int]) -> tuple[Term, list[int]] | None:
        """Return a formula that fails where another does, and in which of some states.

        Of a conjunction it is the first part that fails; None if it is true in all of them.
        """
        for part in walk.conjuncts(term) if self.is_temporal(term) else (term,):
            satisfying = self.satisfying(part)
            found = [start for start in starts if start not in satisfying]
            if found:
                return part, found
        return None

    def refuted(self, term: Term, starts: Sequence[int]) -> tuple[list[int], int | None] | None:
        """Return a path that shows that a formula fails in one of some states, and where it loops.

        It fails in each of them. Any path that begins with one that does not loop shows it. None if
        no path does. That to where `AG p` fails is shortest.
        """
        path, loop = [starts[0]], None
        if term.op is Op.AG:
            path = self._path(starts, self._all, self._all - self.satisfying(term.args[0]))
            term = term.args[0]
        while self.is_temporal(term):
            here = path[-1]
            match term.op:
                case Op.AND | Op.OR | Op.IMPLIES:
                    parts = self._failing(term, here)
                    if parts is None:
                        return None
                    term = parts
                    continue
                case Op.AX:
                    wanted = self._all - self.satisfying(term.args[0])
                    path.append(next(other for other in self._graph[here] if other in wanted))
                    term = term.args[0]
                case Op.AG:
                    wanted = self._all - self.satisfying(term.args[0])
                    path += self._path([here], self._all, wanted)[1:]
                    term = term.args[0]
                case Op.AF if not self.is_temporal(term.args[0]):
                    return self._staying(path, self._all - self.satisfying(term.args[0]))
                case Op.AU if not any(map(self.is_temporal, term.args)):
                    through, target = map(self.satisfying, term.args)
                    without = self._all - target
                    broken = without - through
                    if here in self._some_until(without, broken):
                        path += self._path([here], without, broken)[1:]
                        return path, None
                    return self._staying(path, without)
                case _:
                    return None
        return path, loop

    def _failing(self, term: Term, here: int) -> Term | None:
        """Return the part of a formula that fails here, where the rest says nothing of paths."""
        if term.op is Op.AND:
            failing = [arg for arg in term.args if here not in self.satisfying(arg)]
            return min(failing, key=self.is_temporal)
        timed = [arg for arg in term.args if self.is_temporal(arg)]
        return timed[0] if len(timed) == 1 and timed[0] is not _condition(term) else None

    def _staying(self, path: list[int], states: States) -> tuple[list[int], int]:
        """Return a path that goes on in a set forever, by a short way into a fair loop."""
        if self._recurring:
            return self._recurred(path, states)
        kept = self.some_always(states)
        places = {path[-1]: len(path) - 1}
        while True:
            after = next(other for other in self._graph[path[-1]] if other in kept)
            closing = next((o for o in self._graph[path[-1]] if o in places), after)
            if closing in places:
                return path, places[closing]
            places[after] = len(path)
            path.append(after)

    def _recurred(self, path: list[int], states: States) -> tuple[list[int], int]:
        """Return a path that goes on in a set, in the end around a loop on which all recurs."""
        parts = [*self._parts(states)]
        found = path + self._path([path[-1]], states, {s for part in parts for s in part})[1:]
        loop = len(found) - 1
        own = next(part for part in parts if found[-1] in part)
        for often in self._recurring:
            if often.isdisjoint(found[loop:]):
                found += self._path([found[-1]], own, own & often)[1:]
        after = [other for other in self._graph[found[-1]] if other in own]
        return found + self._path(after, own, {found[loop]})[:-1], loop

    def prolonged(self, path: list[int]) -> tuple[list[int], int]:
        """Return a path that goes on forever."""
        if self._recurring:
            return self._recurred(path, self._all)
        places = {state: place for place, state in enumerate(path)}
        found = [*path]
        while True:
            others = self._graph[found[-1]]
            known = next((other for other in others if other in places), None)
            if known is not None:
                return found, places[known]
            places[others[0]] = len(found)
            found.append(others[0])

    def _path(self, starts: Sequence[int], through: States, target: States) -> list[int]:
        """Return a shortest path to a set; all states before its end are in `through`."""
        origin: dict[int, int] = {start: start for start in starts}
        layer = [*starts]
        end = next((start for start in starts if start in target), None)
        while end is None:
            following: list[int] = []
            for state in layer:
                for other in self._graph[state]:
                    if other in origin:
                        continue
                    if other in target:
                        origin[other], end = state, other
                        break
                    if other in through:
                        origin[other] = state
                        following.append(other)
                if end is not None:
                    break
            layer = following
        path = [end]
        while origin[path[-1]] != path[-1]:
            path.append(origin[path[-1]])
        path.reverse()
        return path


def _condition(term: Term) -> Term | None:
    return term.args[0] if term.op is Op.IMPLIES else None
