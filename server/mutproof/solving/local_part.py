"""Base and step of induction over one part of a system, asked about single statements.

Cores say which elements, and which statements that were supposed, a statement needed.

Source: k-induction, Sheeran, Singh and Stålmarck, FMCAD 2000.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.model.sorts import BOOL
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.parts import resting_on
from mutproof.solving.solver import Answer, Formula, Solver
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop

ROUNDS = 4
"""After how many refuted rounds the statements of a batch are tried one by one."""

Ask: TypeAlias = Callable[[Solver, Sequence[Formula]], Answer]
"""Put a question to a solver, within limits."""


@dataclass(frozen=True, slots=True)
class Need:
    """Hold the elements and supposed statements that suffice for base and step of a statement."""

    owners: frozenset[ElementId]
    supposed: frozenset[int]


class LocalPart:
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

    def together(self, members: Sequence[int]) -> tuple[Sequence[int], Need] | None:
        """Return those of some statements that are shown together, and what all of them need."""
        left = [index for index in members if index not in self._false]
        found: Need | None = None
        for _ in range(ROUNDS):
            known = len(left)
            found = self._together(self._step, left, self._k, self._supposed)
            left = [index for index in left if index not in self._false]
            if found is not None or not left or len(left) == known:
                break
        if found is None:
            return None
        owners, supposed = set(found.owners), set(found.supposed)
        base = self._first()
        for frame in range(self._k):
            base.frame(frame)
            found = self._together(base, left, frame, self._held_before(base, frame))
            if found is None:
                return None
            owners |= found.owners
            supposed |= found.supposed
        return left, Need(frozenset(owners), frozenset(supposed))

    def around(self, members: Sequence[int]) -> LocalPart:
        """Return less of this, if some statements are shown together: what that rests on.

        What shows all of them shows each, and a solver that knows of little else takes less time.
        """
        shown = self.together(members)
        if shown is None:
            return self
        need, supposed = shown[1], shown[1].supposed.union(members)
        kept = {index: self.statements[index] for index in sorted(supposed)}
        return LocalPart(
            self._workshop,
            self._ask,
            resting_on(
                self._within,
                tuple(kept.values()),
                [o for o in self._within.by_owner if o in need.owners],
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
    ) -> Need | None:
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

    def need(self, index: int) -> Need | None:
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
        return Need(frozenset(owners), frozenset(supposed - {index}))

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
    ) -> Need | None:
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
    ) -> Need | None:
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
        return Need(
            frozenset(names[place] for place in core if place < count),
            frozenset(keys[p - count] for p in core if count <= p < count + len(keys)),
        )
