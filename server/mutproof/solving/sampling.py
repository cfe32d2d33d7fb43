"""Sample states of real executions, against which candidate invariants are tried first."""

from __future__ import annotations

import random
from collections.abc import Sequence

from mutproof.base.record import dataclass
from mutproof.model import sampling, simulate
from mutproof.model.compile import Compiler, Row
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, Effort, Formula, SolvingError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.workshop import Workshop

RUNS = 24
STEPS = 12
ENOUGH_ROWS = 60

SOLVER_RUNS = 8
SOLVER_STEPS = 6
MOST_REPAIRS = 8
CHECK = Effort(rlimit=4_000_000, timeout_s=5.0)


@dataclass(frozen=True)
class Sample:
    """Hold states that executions reach, as rows, and what evaluates terms over them."""

    compiler: Compiler
    rows: list[Row]

    def columns(self, wanted: Sequence[Term]) -> list[tuple[object, ...]]:
        """Return the values of terms in all rows."""
        functions = self.compiler.compile_all(wanted)
        return [tuple(function(row, row, {}) for row in self.rows) for function in functions]


def sample(system: TransitionSystem, workshop: Workshop | None = None) -> Sample:
    """Return states of random executions, or of solver models where random inputs do not suffice.

    The states satisfy all assertions. Uninterpreted functions have default values, so terms that
    apply them are tested under one interpretation only.
    """
    source = random.Random(1)
    index = {name: position for position, name in enumerate(system.variables)}
    rows = _simulated(system, source)
    if len(rows) < ENOUGH_ROWS:
        rows += _solved(workshop or Workshop(), system, source)
    return Sample(Compiler(index), rows)


def _simulated(system: TransitionSystem, source: random.Random) -> list[Row]:
    """Return rows of random executions, each up to the first step that violates an assertion."""
    if any(c.defines is None and c.kind is not ConstraintKind.INVAR for c in system.constraints):
        return []
    rows: list[Row] = []
    try:
        simulator = simulate.Simulator(system)
        for _ in range(RUNS):
            choices = sampling.random_choices(simulator, source, STEPS)
            for row in simulator.run(choices):
                if not simulator.assumed(row, {}):
                    break
                rows.append(row)
    except (simulate.CyclicDefinitions, ArithmeticError):
        return []
    return rows


def _solved(workshop: Workshop, system: TransitionSystem, source: random.Random) -> list[Row]:
    """Return rows of executions that a solver finds, with random values for some variables."""
    rows: list[Row] = []
    try:
        unrolling = workshop.unrolling(system, initial=True, finite=system.is_of_words)
        solver = unrolling.solver
        unrolling.frame(SOLVER_STEPS - 1)
        wishes = _wishes(unrolling, source)
        for _ in range(SOLVER_RUNS):
            kept = [wish for wish in wishes if source.random() < 0.3]
            answer = solver.check(kept, CHECK)
            for attempt in range(MOST_REPAIRS):
                if answer is not Answer.UNSAT or not kept:
                    break
                core = frozenset(solver.core())
                # Drop half of the wishes if they remain contradictory.
                if attempt >= MOST_REPAIRS // 2:
                    kept = kept[: len(kept) // 2] if attempt < MOST_REPAIRS - 1 else []
                    answer = solver.check(kept, CHECK)
                    continue
                kept = [wish for place, wish in enumerate(kept) if place not in core]
                answer = solver.check(kept, CHECK)
            if answer is not Answer.SAT:
                return rows
            rows.extend(list(unrolling.valuation(frame).values()) for frame in range(SOLVER_STEPS))
    except SolvingError:
        return rows
    return rows


def _wishes(unrolling: Unrolling, source: random.Random) -> list[Formula]:
    """Return literals, each of which gives a variable without definition a random value."""
    solver = unrolling.solver
    interesting = sampling.interesting_values(unrolling.system)
    found: list[Formula] = []
    for frame in range(SOLVER_STEPS):
        for name, declared in unrolling.system.variables.items():
            if declared.kind is SystemVariableKind.DEFINED:
                continue
            value: Value = sampling.random_value(declared.sort, source, interesting)
            literal = solver.constant(f"?wish:{name}@{frame}", BOOL)
            same = solver.equal(
                unrolling.variable(name, frame), solver.literal_value(value, declared.sort)
            )
            solver.add(solver.implication(literal, same))
            found.append(literal)
    return found
