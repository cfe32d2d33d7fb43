"""Whether executions of a Lustre program can end: where no input satisfies the assertions.

Ends are sought in the part of the program that assertions read: along random executions, after each
of the first steps, and as an end of all executions. There is none if in each state one of a few
ways to choose the next inputs works.
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from enum import Enum
from fractions import Fraction

from mutproof.analyses.checking.means import Means
from mutproof.analyses.proving.ways_on import EndKind, WaysOn
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import slice as slicing
from mutproof.model import sorts, terms, walk
from mutproof.model.simulate import CyclicDefinitions, simulator
from mutproof.model.sorts import BoolSort, IntSort, RealSort, Value
from mutproof.model.steering import Steering
from mutproof.model.system import ConstraintKind, SystemVariable, TransitionSystem
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

DEPTH = 100
"""How many steps are searched, as long as that is cheap."""
LITTLE = 2_000_000
"""The cost up to which a search is cheap, in solver units."""
LARGEST = 100
"""The most variables that assertions may read for a search step by step."""
FIRST_STEPS = 8
"""Ends are sought after each of this many first steps, or of as many as proofs have."""
RUNS = 6
STEPS = 12
"""How many random executions are run, and their number of steps."""


class End(Enum):
    """Say what is known of the ends of executions."""

    NOWHERE = "nowhere"  # no execution ends
    EVERYWHERE = "everywhere"  # no execution has more than `steps` steps
    SOMEWHERE = "somewhere"  # the execution of `choices` ends
    UNKNOWN = "unknown"  # there are executions of `steps` steps


@dataclass(frozen=True, slots=True)
class Ends:
    """Hold what was found out about ends, within or after a number of steps.

    No execution ends after one of the first `excluded` steps.
    """

    kind: End
    steps: int = 0
    choices: Choices | None = None
    excluded: int = 0


def ends(system: TransitionSystem, means: Means, depth: int = DEPTH) -> Ends:
    """Return whether executions of a system can end; whether all do, within `depth` steps."""
    part = assuming(system)
    return _known.get((part.digest, depth), lambda: _Search(part, means, depth).found())


def goes_on(system: TransitionSystem, means: Means) -> bool:
    """Tell whether it is soon proved that a system has executions, and each of them goes on.

    That is not tried where assertions read memories.
    """
    part = assuming(system)
    if any(constraint.kind is ConstraintKind.TRANS for constraint in part.constraints):
        return False
    search = _Search(part, means, 1)
    try:
        first = search.longest(1)
        begins = first.kind is not End.EVERYWHERE and first.steps > 0
        return begins and search.always_goes_on()
    except SolvingError:
        return False


def within(system: TransitionSystem, means: Means, steps: int) -> Choices | None:
    """Return an execution that ends after so many steps or fewer, None where none is found."""
    part = assuming(system)
    try:
        _, found = _Search(part, means, steps).first_end(steps, dear=True)
    except SolvingError:
        return None
    return found


def longest(system: TransitionSystem, means: Means, depth: int, *, dear: bool = False) -> Ends:
    """Return whether all executions of a system end within some steps, also if that is `dear`."""
    part = system if system.relational else assuming(system)
    try:
        return _Search(part, means, depth).longest(depth, dear=dear)
    except SolvingError:
        return Ends(End.UNKNOWN)


_known: Memo[Ends] = Memo(8)


def assuming(system: TransitionSystem) -> TransitionSystem:
    """Return the assertions of a system and the part of it that they depend on."""
    stated = [c.term for c in system.constraints if c.defines is None]
    names = slicing.cone_of_terms(system, stated)
    variables = {name: v for name, v in system.variables.items() if name in names}
    kept = tuple(c for c in system.constraints if walk.variables(c.term) <= names)
    return replace(system, variables=variables, constraints=kept, properties=())


class _Search:
    def __init__(self, part: TransitionSystem, means: Means, depth: int) -> None:
        self._part = part
        self._depth = depth
        self._means = means
        budget = means.small
        self._effort = Effort(budget.rlimit, budget.timeout_s)
        checks = [c.term for c in part.constraints if c.defines is None]
        self._check = terms.conjunction(checks)
        defining = tuple(c for c in part.constraints if c.defines is not None)
        self._free = replace(part, constraints=defining)
        self._chosen = [v for name, v in part.variables.items() if name in part.chosen]

    def found(self) -> Ends:
        """Return how executions end."""
        try:
            return self._found()
        except SolvingError:
            return Ends(End.UNKNOWN)

    def _found(self) -> Ends:
        first = self.longest(1)
        if first.kind is End.EVERYWHERE:
            return first
        if first.steps and (self.always_goes_on() or self._no_state_is_stuck()):
            return Ends(End.NOWHERE)
        whole = self.longest(self._depth)
        if whole.kind is End.EVERYWHERE:
            return whole
        excluded, stuck = self.first_end(FIRST_STEPS)
        stuck = stuck or self._stuck()
        if stuck is None:
            return replace(whole, excluded=excluded)
        return Ends(End.SOMEWHERE, len(stuck.steps), stuck)

    def _no_state_is_stuck(self) -> bool:
        """Tell whether it is proved that initial states and states with a predecessor go on."""
        if len(self._part.variables) > LARGEST:
            return False
        ways_on = self._ways_on
        try:
            if ways_on.after(1, initial=False).found is EndKind.NONE:
                return True
            first = ways_on.after(1, initial=True).found
            return first is EndKind.NONE and ways_on.after(2, initial=False).found is EndKind.NONE
        except SolvingError:
            return False

    def first_end(self, steps: int, *, dear: bool = False) -> tuple[int, Choices | None]:
        """Return a shortest execution that cannot go on, of at most `steps` steps, if there is one.

        The number before it tells up to which length no execution ends. With `dear`, the search
        also goes on where it is expensive.
        """
        if not dear and len(self._part.variables) > LARGEST:
            return 0, None
        for length in range(1, steps + 1):
            if not dear and self._ways_on.spent > LITTLE:
                return length - 1, None
            found = self._ways_on.after(length, initial=True)
            if found.choices is not None and self._ends(found.choices):
                return length - 1, found.choices
            if found.found is not EndKind.NONE:
                return length - 1, None
        return steps, None

    @cached_property
    def _ways_on(self) -> WaysOn:
        names = [variable.name for variable in self._chosen]
        ways = {tuple(way): None for way in self._ways()}
        return WaysOn(self._part, self._means, [dict(zip(names, way, strict=True)) for way in ways])

    def longest(self, depth: int, *, dear: bool = False) -> Ends:
        """Return whether all executions end within some steps."""
        unrolling = Unrolling(new_solver(), self._part, initial=True)
        for frame in range(depth):
            self._means.check_cancelled()
            unrolling.frame(frame)
            answer = unrolling.solver.check((), self._effort)
            if answer is Answer.UNSAT:
                return Ends(End.EVERYWHERE, frame)
            if answer is Answer.UNKNOWN:
                return Ends(End.UNKNOWN, frame)
            if not dear and unrolling.solver.spent > LITTLE:
                return Ends(End.UNKNOWN, frame + 1)
        return Ends(End.UNKNOWN, depth)

    def always_goes_on(self) -> bool:
        """Tell whether one of `_ways` is proved to satisfy the assertions after any step."""
        unrolling = Unrolling(new_solver(), self._free, initial=False)
        unrolling.frame(1)
        solver = unrolling.solver
        solver.add(unrolling.term(self._check, 0))
        solver.add(solver.negation(unrolling.term(self._check, 1)))
        for way in self._ways():
            self._means.check_cancelled()
            solver.push()
            for variable, value in zip(self._chosen, way, strict=True):
                here = unrolling.variable(variable.name, 1)
                there = (
                    unrolling.variable(variable.name, 0)
                    if value is None
                    else solver.literal_value(value, variable.sort)
                )
                solver.add(solver.equal(here, there))
            answer = solver.check((), self._effort)
            solver.pop()
            if answer is Answer.UNSAT:
                return True
        return False

    def _ways(self) -> Iterator[Sequence[Value | None]]:
        """Yield ways to choose all inputs; None keeps the value of the step before."""
        for number in (None, 0, 1):
            for switch in (None, False, True):
                yield [_next(variable, switch, number) for variable in self._chosen]

    def _stuck(self) -> Choices | None:
        """Return an execution that cannot go on, found at random; None if none is found."""
        try:
            runs = simulator(self._part)
        except CyclicDefinitions:
            return None
        source = random.Random(0)
        steering = Steering(runs)
        for _ in range(RUNS):
            self._means.check_cancelled()
            try:
                choices, rows = steering.execution(source, STEPS)
                kept = next((n for n, row in enumerate(rows) if not runs.assumed(row, {})), None)
            except ArithmeticError:
                continue
            if not kept:  # the assertions fail nowhere, or at the first step
                continue
            begun = replace(choices, steps=choices.steps[:kept])
            if self._ends(begun):
                return begun
        return None

    def _ends(self, choices: Choices) -> bool:
        """Tell whether it is proved that an execution has no next step."""
        unrolling = Unrolling(new_solver(), self._part, initial=True)
        solver, length = unrolling.solver, len(choices.steps)
        unrolling.frame(length - 1)
        given = {c.defines for c in self._part.constraints if c.kind is ConstraintKind.INIT}
        for name, value in choices.before.items():
            if name in self._part.variables and name not in given:
                solver.add(self._equation(unrolling, name, value, 0))
        for frame, step in enumerate(choices.steps):
            for name, value in step.items():
                solver.add(self._equation(unrolling, name, value, frame))
        if solver.check((), self._effort) is not Answer.SAT:
            return False
        unrolling.frame(length)
        return solver.check((), self._effort) is Answer.UNSAT

    def _equation(self, unrolling: Unrolling, name: str, value: Value, frame: int) -> Formula:
        solver, sort = unrolling.solver, self._part.variables[name].sort
        here = unrolling.variable(name, frame)
        return solver.equal(here, solver.literal_value(value, sort))


def _next(variable: SystemVariable, switch: bool | None, number: int | None) -> Value | None:
    """Return the value of an input by its sort; None keeps the value of the step before."""
    if isinstance(variable.sort, BoolSort):
        return switch
    if number is None or not isinstance(variable.sort, (IntSort, RealSort)):
        return None
    value = Fraction(number) if isinstance(variable.sort, RealSort) else number
    return value if sorts.contains(variable.sort, value) else None
