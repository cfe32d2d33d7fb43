"""Local induction: on the part of the system around each statement, a proof for each goal.

Whether a statement holds after k states in which it and others hold is asked on the part of the
system around it; if that fails, on larger parts. Cores say which elements and other statements were
needed. A goal is proved if the statements that it needs, those that they need, and so on, are all
shown: they are k-inductive together.

Source: k-induction, Sheeran, Singh and Stålmarck, FMCAD 2000; modular invariants as a fixed
point over many properties, Kahsai and Tinelli, PDMC 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.parts import SystemParts, resting_on
from mutproof.solving.solver import Answer, Formula, Solver
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop

SIZES = (40, 160)
"""The approximate numbers of constraints of the parts that are tried one after the other."""

MOST_MISSED = 32
"""How many statements may stay open before a search is given up that shows fewer."""

MANY = 100
"""From this many statements on, those that a batch needs are determined first."""

BATCH = 48
"""How many statements are then shown together."""

ROUNDS = 4
"""After how many refuted rounds the statements of a batch are tried one by one."""

Ask: TypeAlias = Callable[[Solver, Sequence[Formula]], Answer]
"""Put a question to a solver, within limits."""


@dataclass(frozen=True, slots=True)
class Share:
    """Hold a proof of one goal: it and the lemmas are k-inductive, given some elements."""

    goal: Term
    lemmas: tuple[Term, ...]
    owners: frozenset[ElementId]


Search: TypeAlias = Generator[tuple[Share, ...], None, bool]
"""It yields proofs, and returns whether the other goals are known to have no proof with this k."""


class Local:
    """Search for proofs in parts of one system; keeps what it knows of the system."""

    def __init__(self, system: TransitionSystem, workshop: Workshop, ask: Ask) -> None:
        self._parts = SystemParts(system)
        self._workshop = workshop
        self._ask = ask
        self._levels: dict[Term, tuple[frozenset[str], ...]] = {}

    @property
    def is_small(self) -> bool:
        """Tell whether parts of the first size are the whole system."""
        return is_whole(self._parts.system, SIZES[0])

    def search(
        self,
        k: int,
        goals: Iterable[Term],
        lemmas: Iterable[Term] = (),
        sizes: Sequence[int] = SIZES,
        *,
        patient: bool = False,
    ) -> Search:
        """Look for goals that are k-inductive with other goals and with lemmas.

        Lemmas are supposed, and shown only if goals need them. If the whole system is not much
        larger than a part, it is used instead. Unless `patient`, the search ends when it shows
        little.
        """
        wanted = tuple(dict.fromkeys(goals))
        statements = {term: self._levels_of(term) for term in dict.fromkeys((*wanted, *lemmas))}
        found = _Search(self._parts, self._workshop, self._ask, k, statements=statements)
        return found.run(range(len(wanted)), sizes, patient=patient)

    def _levels_of(self, term: Term) -> tuple[frozenset[str], ...]:
        if term not in self._levels:
            self._levels[term] = self._parts.levels(term)
        return self._levels[term]


def is_whole(system: TransitionSystem, size: int) -> bool:
    """Tell whether to take the whole system in place of parts of about `size` constraints."""
    return len(system.constraints) <= 4 * size


@dataclass(frozen=True, slots=True)
class _Need:
    """Hold the elements and supposed statements that suffice for base and step of a statement."""

    owners: frozenset[ElementId]
    supposed: frozenset[int]


class _Search:
    def __init__(
        self,
        parts: SystemParts,
        workshop: Workshop,
        ask: Ask,
        k: int,
        *,
        statements: Mapping[Term, tuple[frozenset[str], ...]],
    ) -> None:
        self._parts = parts
        self._workshop = workshop
        self._ask = ask
        self._k = k
        self._statements = tuple(statements)
        self._levels = tuple(statements.values())
        self._about: dict[str, list[int]] = {}
        for index, levels in enumerate(self._levels):
            for name in sorted(frozenset[str]().union(*levels)):
                self._about.setdefault(name, []).append(index)
        self._needs: dict[int, _Need] = {}
        self._failed: set[int] = set()
        self._conclusive = True

    def run(self, goals: Iterable[int], sizes: Sequence[int], *, patient: bool) -> Search:
        """Yield shares as they are found; see `Local.search`."""
        queue = list(goals)
        left = dict.fromkeys(queue)
        while queue:
            for size in sizes:
                missed: list[int] = []
                for cluster, members in self._clusters(queue, size):
                    missed += self._decide(cluster, members)
                    yield tuple(self._closed(left, members))
                    if not patient and len(missed) > MOST_MISSED + 2 * len(self._needs):
                        return False
                whole, queue = is_whole(self._parts.system, size), missed
                if whole or not queue:
                    break
            else:
                self._conclusive = False
            self._failed.update(queue)
            yield tuple(self._closed(left, tuple(left)))
            queue = self._next(left)
        return self._conclusive

    def _next(self, goals: Iterable[int]) -> list[int]:
        """Return the statements to show next: those that goals need and that are not shown yet."""
        found: set[int] = set()
        seen: set[int] = set()
        stack = list(goals)
        while stack:
            index = stack.pop()
            if index in seen or index in self._failed:
                continue
            seen.add(index)
            need = self._needs.get(index)
            if need is None:
                found.add(index)
            elif not need.supposed.isdisjoint(self._failed):
                del self._needs[index]
                found.add(index)
            else:
                stack.extend(need.supposed)
        return sorted(found)

    def _closure(self, goal: int) -> set[int]:
        """Return all statements that a goal needs, with itself; empty if one is not shown."""
        seen: set[int] = set()
        stack = [goal]
        while stack:
            index = stack.pop()
            if index not in seen:
                need = self._needs.get(index)
                if need is None:
                    return set()
                seen.add(index)
                stack.extend(need.supposed)
        return seen

    def _closed(self, left: dict[int, None], goals: Iterable[int]) -> Iterator[Share]:
        """Yield the proofs of goals in `left` that are proved; remove these from it."""
        for goal in goals:
            closure = self._closure(goal) if goal in left else None
            if closure:
                del left[goal]
                lemmas = tuple(self._statements[i] for i in sorted(closure) if i != goal)
                owners = frozenset[ElementId]().union(*(self._needs[i].owners for i in closure))
                yield Share(self._statements[goal], lemmas, owners)

    # --- parts ------------------------------------------------------------------------------

    def _clusters(self, queue: Sequence[int], size: int) -> Iterator[tuple[_Cluster, list[int]]]:
        """Yield parts of the system, each with the queued statements that lie in it."""
        if is_whole(self._parts.system, size):
            everything = [i for i in range(len(self._statements)) if i not in self._failed]
            yield self._cluster(self._parts.system, everything), list(queue)
            return
        held: frozenset[int] = frozenset()
        members: list[int] = []
        for index in queue:
            near = self._parts.around(sorted(self._levels[index][0]), size)
            if members and len(held | near) > 2 * size:
                yield self._around(held, members), members
                held, members = frozenset(), []
            held |= near
            members.append(index)
        if members:
            yield self._around(held, members), members

    def _around(self, held: frozenset[int], members: Sequence[int]) -> _Cluster:
        """Return the part around `held` with all statements about it and their definitions."""
        names = self._parts.names(held)
        names.update(name for index in members for name in self._levels[index][0])
        candidates = sorted({index for name in names for index in self._about.get(name, ())})
        supposed = set(members)
        kept, mentioned = set(held), set(names)
        for index in candidates:
            if index in self._failed:
                continue
            levels = self._levels[index]
            for depth, level in enumerate(levels):
                if level <= names:
                    supposed.add(index)
                    between = frozenset[str]().union(*levels[:depth])
                    kept |= self._parts.definitions(between)
                    mentioned |= levels[0]
                    break
        return self._cluster(self._parts.cut(kept, mentioned), sorted(supposed))

    def _cluster(self, part: TransitionSystem, supposed: Sequence[int]) -> _Cluster:
        statements = {index: self._statements[index] for index in supposed}
        return _Cluster(
            self._workshop, self._ask, part, self._parts.system, statements=statements, k=self._k
        )

    def _decide(self, cluster: _Cluster, members: Sequence[int]) -> list[int]:
        """Ask about statements; return those that are not proved."""
        missed = []
        many = len(cluster.statements) >= MANY
        for start in range(0, len(members), BATCH if many else len(members) or 1):
            batch = members[start : start + BATCH] if many else members
            asked = cluster.around(batch) if many else cluster
            for index in batch:
                need = asked.need(index)
                if need is None and asked is not cluster:
                    need = cluster.need(index)
                if need is None:
                    missed.append(index)
                else:
                    self._needs[index] = need
        if cluster.unknown:
            self._conclusive = False
        return missed


class _Cluster:
    """Hold base and step over one part; literals activate its elements and statements."""

    def __init__(
        self,
        workshop: Workshop,
        ask: Ask,
        part: TransitionSystem,
        within: TransitionSystem,
        *,
        statements: dict[int, Term],
        k: int,
        false: Iterable[int] = (),
    ) -> None:
        self.unknown = False
        self._workshop = workshop
        self._ask = ask
        self._part = part
        self._within = within
        self.statements = statements
        self._k = k
        self._false = set(false)
        self._step = self._side(initial=False)
        self._step.frame(k)
        self._supposed = {index: self._suppose(index) for index in statements}
        self._base: Unrolling | None = None
        self._before: dict[tuple[int, int], Formula] = {}

    def _side(self, *, initial: bool) -> Unrolling:
        return self._workshop.unrolling(
            self._part, initial=initial, labelled=True, guarded=initial, within=self._within
        )

    def _suppose(self, index: int) -> Formula:
        """Return a literal that implies that a statement holds in the frames before the last."""
        step = self._step
        literal = step.solver.constant(f"?suppose:{index}", BOOL)
        for frame in range(self._k):
            held = step.term(self.statements[index], frame)
            step.solver.add(step.solver.implication(literal, held))
        return literal

    def around(self, members: Sequence[int]) -> _Cluster:
        """Return less of this, if some statements are shown together: what that rests on.

        What shows all of them shows each, and a solver that knows of little else takes less time.
        """
        left = [index for index in members if index not in self._false]
        found: _Need | None = None
        for _ in range(ROUNDS):
            known = len(left)
            found = self._together(self._step, left, self._k, self._supposed)
            left = [index for index in left if index not in self._false]
            if found is not None or not left or len(left) == known:
                break
        if found is None:
            return self
        owners, supposed = set(found.owners), {*found.supposed, *members}
        base = self._first()
        for frame in range(self._k):
            base.frame(frame)
            found = self._together(base, left, frame, self._held_before(base, frame))
            if found is None:
                return self
            owners |= found.owners
            supposed |= found.supposed
        kept = {index: self.statements[index] for index in sorted(supposed)}
        return _Cluster(
            self._workshop,
            self._ask,
            resting_on(
                self._within,
                tuple(kept.values()),
                [o for o in self._within.by_owner if o in owners],
            ),
            self._within,
            statements=kept,
            k=self._k,
            false=self._false,
        )

    def _together(
        self,
        side: Unrolling,
        indices: Sequence[int],
        frame: int,
        supposed: Mapping[int, Formula] | Mapping[tuple[int, int], Formula],
    ) -> _Need | None:
        """Return what implies several statements in a frame; None if not implied, or unknown."""
        if not indices:
            return None
        solver = side.solver
        solver.push()
        try:
            stated = [side.term(self.statements[index], frame) for index in indices]
            solver.add(solver.negation(solver.conjunction(stated)))
            return self._answered(side, supposed, [], frame)
        finally:
            solver.pop()

    def _note_false(self) -> None:
        """Note the statements that the last model refutes; it satisfies the suppositions of all."""
        step = self._step
        for index, term in self.statements.items():
            if step.solver.value(step.term(term, self._k), BOOL) is False:
                self._false.add(index)

    def need(self, index: int) -> _Need | None:
        """Return what base and step of a statement need; None where they are not shown."""
        if index in self._false:
            return None
        step = self._asked(self._step, index, self._k, self._supposed)
        if step is None:
            return None
        owners, supposed = set(step.owners), set(step.supposed)
        base = self._first()
        for frame in range(self._k):
            base.frame(frame)
            found = self._asked(base, index, frame, self._held_before(base, frame))
            if found is None:
                return None
            owners |= found.owners
            supposed |= found.supposed
        return _Need(frozenset(owners), frozenset(supposed - {index}))

    def _first(self) -> Unrolling:
        """Return the unrolling from initial states, made on first use."""
        if self._base is None:
            self._base = self._side(initial=True)
        return self._base

    def _held_before(self, base: Unrolling, frame: int) -> dict[tuple[int, int], Formula]:
        """Return literals, each of which implies a statement in a frame before `frame`."""
        for number in range(frame):
            for index, statement in self.statements.items():
                if (index, number) not in self._before:
                    literal = base.solver.constant(f"?before:{index}@{number}", BOOL)
                    held = base.term(statement, number)
                    base.solver.add(base.solver.implication(literal, held))
                    self._before[index, number] = literal
        return {key: literal for key, literal in self._before.items() if key[1] < frame}

    def _asked(
        self,
        side: Unrolling,
        index: int,
        frame: int,
        supposed: dict[int, Formula] | dict[tuple[int, int], Formula],
    ) -> _Need | None:
        """Return what implies a statement in a frame; None if not implied, or unknown."""
        solver = side.solver
        doubt = solver.constant(f"?doubt:{index}@{frame}", BOOL)
        statement = side.term(self.statements[index], frame)
        solver.add(solver.implication(doubt, solver.negation(statement)))
        return self._answered(side, supposed, [doubt], frame)

    def _answered(
        self,
        side: Unrolling,
        supposed: Mapping[int, Formula] | Mapping[tuple[int, int], Formula],
        doubts: list[Formula],
        frame: int,
    ) -> _Need | None:
        """Return the core of the assertions and `doubts`; None if satisfiable or unknown."""
        solver = side.solver
        keys = [key if isinstance(key, int) else key[0] for key in supposed]
        names = side.owners()
        guards = [] if side is self._step else side.guards(frame)
        literals = [side.assume(owner) for owner in names]
        answer = self._ask(solver, [*literals, *supposed.values(), *doubts, *guards])
        if answer is Answer.SAT and side is self._step:
            self._note_false()
        if answer is not Answer.UNSAT:
            self.unknown |= answer is Answer.UNKNOWN
            return None
        core = solver.core()
        count = len(names)
        return _Need(
            frozenset(names[place] for place in core if place < count),
            frozenset(keys[p - count] for p in core if count <= p < count + len(keys)),
        )
