"""Property-directed reachability: inductive invariants from Spacer.

Goals with the same cone of influence are asked together, then one by one, with growing
limits. Spacer runs in a child process; every invariant is re-checked by the portfolio.

Source: Komuravelli, Gurfinkel and Chaki, CAV 2014; IC3, Bradley, VMCAI 2011.
"""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.solving.engine import Engine, Finding, Holds, Stuck, Task, Worked
from mutproof.solving.solver import Answer
from mutproof.solving.verdict import Certificate

ROUNDS = ((250_000, 1.0), (1_000_000, 4.0), (8_000_000, 15.0), (64_000_000, 60.0))
"""Limits of each round: solver units, and seconds as a backstop."""

START_COST = 2_500
"""Solver units that are charged for starting Spacer."""


def run(task: Task) -> Iterator[Finding]:
    """Ask for invariants, round by round with larger limits."""
    task.spacer.start()
    # Others work while the process starts.
    task.charge(START_COST)
    yield Worked()
    reason = "nothing was asked"
    # What Spacer says can fail is left to BMC, which shows how.
    reachable: set[str] = set()
    slicer = Slicer(task.system)
    for rlimit, seconds in ROUNDS:
        queue = _groups(task, slicer)
        while queue:
            goals, system = queue.pop(0)
            wanted = tuple(name for name in goals if name in task.goals and name not in reachable)
            if not wanted:
                continue
            timeout_s = min(seconds, task.deadline.remaining_s())
            claim = task.spacer.ask(system, wanted, (), rlimit=rlimit, timeout_s=timeout_s)
            task.charge(rlimit // 2 if claim.answer is Answer.UNKNOWN else rlimit // 8)
            if claim.answer is Answer.UNSAT:
                lemmas = (*task.lemmas, *claim.invariant)
                yield Holds(Certificate(task.lemma_k, lemmas, wanted))
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


def _groups(task: Task, slicer: Slicer) -> list[tuple[tuple[str, ...], TransitionSystem]]:
    """Return the open goals with the parts of the system they depend on, smallest first."""
    by_cone: dict[frozenset[str], list[str]] = {}
    for name, term in task.goals.items():
        by_cone.setdefault(slicer.variables((term,)), []).append(name)
    found = [(tuple(names), slicer.cone(names)) for names in by_cone.values()]
    return sorted(found, key=lambda item: (len(item[1].constraints), item[0]))


ENGINE = Engine(
    "pdr", "inductive invariants by property-directed reachability (Spacer)", run, 30_000, 16
)
