"""Property-directed reachability: inductive invariants from Spacer.

In a large system each goal is asked of the part around it first. Then goals with the same cone
of influence are asked together, then one by one, with growing limits. Spacer runs in a child
process; every invariant is re-checked by the portfolio.

Source: Komuravelli, Gurfinkel and Chaki, CAV 2014; IC3, Bradley, VMCAI 2011.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator
from dataclasses import replace

from mutproof.base.budget import ON_THE_CLOCK
from mutproof.model import walk
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.engine import Candidate, Engine, Finding, Stuck, Task, Worked
from mutproof.solving.local import is_whole
from mutproof.solving.parts import SystemParts
from mutproof.solving.solver import Answer
from mutproof.solving.spacer import SpacerAnswer
from mutproof.solving.verdict import Certificate

ROUNDS = ((250_000, 1.0), (1_000_000, 4.0), (8_000_000, 15.0), (64_000_000, 60.0))
"""Limits of each round: solver units, and seconds of processor time as a backstop."""

AWAITED_RLIMIT = 250_000
"""Up to which limit engines always wait for the answer: a short proof is the same in every run."""

NEAR_SIZES = (10, 20, 40)
NEAR_RLIMIT = 50_000
NEAR_S = 0.4
"""The approximate number of constraints of the parts tried first, and limits of each question."""

START_COST = 2_500
"""The solver units charged for starting Spacer."""


def run(task: Task) -> Iterator[Finding]:
    """Ask for invariants, round by round with larger limits."""
    task.spacer.start()
    # Other engines work while the process starts.
    task.charge(START_COST)
    yield Worked()
    yield from _near(task)
    reason = "nothing was asked"
    # Goals that Spacer finds reachable are left to BMC, which finds the trace.
    reachable: set[str] = set()
    slicer = Slicer(task.system)
    for rlimit, seconds in ROUNDS:
        queue = _groups(task, slicer)
        while queue:
            goals, system = queue.pop(0)
            wanted = tuple(name for name in goals if name in task.goals and name not in reachable)
            if not wanted:
                continue
            claim = yield from _asked(task, system, wanted, (rlimit, seconds))
            task.charge(rlimit // 2 if claim.answer is Answer.UNKNOWN else rlimit // 8)
            if claim.answer is Answer.UNSAT:
                yield from _proofs(task, claim.invariant, wanted)
                reason = "no invariant could be checked again"
                continue
            if claim.answer is Answer.SAT and len(wanted) == 1:
                reachable.add(wanted[0])
                reason = "a failure is reachable"
            elif len(wanted) > 1:
                queue[:0] = [((name,), slicer.cone((name,))) for name in wanted]
            else:
                reason = claim.reason
            yield Worked()
    yield Stuck(reason)


def _asked(
    task: Task, system: TransitionSystem, goals: tuple[str, ...], limits: tuple[int, float]
) -> Generator[Finding, None, SpacerAnswer]:
    """Return Spacer's answer; other engines may work meanwhile, and decide the goals before it."""
    rlimit, cpu_s = limits
    if task.deadline.of_work:
        cpu_s = min(cpu_s, task.deadline.remaining_s())
    timeout_s = min(cpu_s * ON_THE_CLOCK, task.deadline.on_the_clock_s())
    task.spacer.send(system, goals, (), rlimit=rlimit, cpu_s=cpu_s, timeout_s=timeout_s)
    while task.beside and rlimit > AWAITED_RLIMIT and not task.spacer.has_answered(0):
        yield Worked(away=True)
        if not any(name in task.goals for name in goals):
            task.spacer.close()
    found = task.spacer.answer()
    task.charge_cpu(found.cpu_s)
    return found


def _near(task: Task) -> Iterator[Finding]:
    """Ask about each goal in parts around it; only proofs there count for the system."""
    parts = SystemParts(task.system)
    sizes = [size for size in NEAR_SIZES if not is_whole(task.system, size)]
    for name, term in tuple(task.goals.items()):
        names = walk.variables(term)
        for size in sizes:
            if name not in task.goals:
                break
            part = parts.cut(parts.around(sorted(names), size), names)
            part = replace(part, properties=(task.system.property(name),))
            claim = yield from _asked(task, part, (name,), (NEAR_RLIMIT, NEAR_S))
            late = claim.answer is Answer.UNKNOWN
            task.charge(NEAR_RLIMIT // 8 if late else NEAR_RLIMIT // 64)
            if claim.answer is Answer.UNSAT:
                yield from _proofs(task, claim.invariant, (name,), part)
                continue
            yield Worked()
            if late:
                break


def _proofs(
    task: Task,
    invariant: tuple[Term, ...],
    goals: tuple[str, ...],
    part: TransitionSystem | None = None,
) -> Iterator[Finding]:
    """Report goals as proved by an invariant, then those left as proved by all lemmas with it."""
    yield Candidate(Certificate(1, invariant, goals), sure=False, part=part)
    left = tuple(name for name in goals if name in task.goals)
    if left:
        lemmas = (*task.lemmas, *invariant)
        yield Candidate(Certificate(task.lemma_k, lemmas, left), sure=False)


def _groups(task: Task, slicer: Slicer) -> list[tuple[tuple[str, ...], TransitionSystem]]:
    """Return the open goals, grouped by cone of influence, smallest cones first."""
    by_cone: dict[frozenset[str], list[str]] = {}
    for name, term in task.goals.items():
        by_cone.setdefault(slicer.variables((term,)), []).append(name)
    found = [(tuple(names), slicer.cone(names)) for names in by_cone.values()]
    return sorted(found, key=lambda item: (len(item[1].constraints), item[0]))


ENGINE = Engine(
    "pdr", "inductive invariants by property-directed reachability (Spacer)", run, 30_000, 16
)
