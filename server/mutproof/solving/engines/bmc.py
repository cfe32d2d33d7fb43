"""Bounded model checking: look for the shortest execution that violates a goal.

Source: Biere, Cimatti, Clarke and Zhu, TACAS 1999; incremental use of one solver, Eén and
Sörensson, BMC 2003.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.model import walk
from mutproof.model.operators import Op
from mutproof.model.sorts import BOOL
from mutproof.model.terms import Term
from mutproof.solving.engine import (
    FIRST_LIMIT,
    MORE,
    Engine,
    Explored,
    Falsified,
    Finding,
    Stuck,
    Task,
    Worked,
    ran_out,
)
from mutproof.solving.solver import Answer, SolvingError

FRAME_COST = 20
"""The units charged for a constraint or lemma of a new frame; one of an older frame counts as one.
Solvers themselves count neither assertions nor what they reprocess for each question."""

SLOW = frozenset({Op.FLOOR, Op.MOD})
"""Operators that lemmas on the steps of counters have: with them, solvers search for longer."""


def run(task: Task) -> Iterator[Finding]:
    """Check the goals in the first state, the second, and so on, as long as any is open."""
    finite = task.system.is_of_words
    unrolling = task.workshop.unrolling(task.system, initial=True, finite=finite)
    solver = unrolling.solver
    step = 0
    limit = FIRST_LIMIT
    known_lemmas = 0
    slow: dict[Term, bool] = {}
    while task.goals:
        unrolling.frame(step)
        for lemma in task.lemmas:
            if lemma not in slow:
                slow[lemma] = not walk.operators(lemma).isdisjoint(SLOW)
        lemmas = [lemma for lemma in task.lemmas if not slow[lemma]]
        known_lemmas = min(known_lemmas, len(lemmas))
        fresh = len(lemmas) - known_lemmas
        stated = len(task.system.constraints) + len(lemmas)
        task.charge(stated * (FRAME_COST + step) + fresh * FRAME_COST * step)
        for number in range(step + 1):
            # A new frame gets all lemmas, older frames only the new ones.
            first = 0 if number == step else known_lemmas
            for lemma in lemmas[first:]:
                solver.add(unrolling.term(lemma, number))
        known_lemmas = len(lemmas)
        while task.goals:
            goals = dict(task.goals)
            formulas = {name: unrolling.term(term, step) for name, term in goals.items()}
            everything = solver.conjunction(list(formulas.values()))
            solver.push()
            solver.add(solver.negation(everything))
            answer = task.check(solver, (), limit)
            if answer is Answer.SAT:
                try:
                    failed = tuple(
                        name for name, found in formulas.items() if not solver.value(found, BOOL)
                    )
                    choices = unrolling.choices(step)
                except SolvingError as error:
                    yield Stuck(f"counterexample at step {step} cannot be shown: {error}")
                    return
                solver.pop()
                yield Falsified(failed, choices, step)
                if all(name in task.goals for name in failed):
                    yield Stuck(f"counterexample at step {step} was not accepted")
                    return
                continue
            solver.pop()
            if answer is Answer.UNKNOWN and ran_out(solver):
                limit *= MORE
                yield Worked()
                continue
            if answer is Answer.UNKNOWN:
                yield Stuck(f"step {step}: {solver.reason_unknown}")
                return
            solver.add(everything)
            step += 1
            yield Explored(step)
            break


ENGINE = Engine("bmc", "shortest counterexamples, step by step", run)
