"""Search for infinite fair paths that return to one of their states: longer and longer lassos.

Source: Biere, Cimatti, Clarke and Zhu, Symbolic model checking without BDDs, TACAS 1999.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from mutproof.base.budget import Deadline
from mutproof.base.record import dataclass
from mutproof.model import linear, sorts
from mutproof.model.compile import Compiler, Row
from mutproof.model.sorts import BOOL, Value
from mutproof.model.system import ConstraintKind, SystemVariableKind, TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.solving.engine import MORE, ran_out
from mutproof.solving.liveness.product import TableauProduct, remembered
from mutproof.solving.solver import Answer, Effort, Formula
from mutproof.solving.unroll import Unrolling
from mutproof.solving.z3_solver import new_solver

EVERY_LENGTH = 24
"""Up to this length, every one is tried; beyond, some are skipped, as a lasso can be unrolled."""


@dataclass(frozen=True, slots=True)
class Path:
    """Hold the states of a product along a lasso, and the 0-based one that it returns to."""

    steps: tuple[Mapping[str, Value], ...]
    loop: int


class LassoSearch:
    """Search the product of one property for lassos; mutable, resumes where it stopped.

    One state is guessed to return. Literals say for each frame that it is this state (`here`),
    that it is on the loop (`inside`), and what recurs has been on the loop so far (`met`);
    those of earlier frames stay when a frame is added. Lassos of fewer than `shortest` states are
    not looked for.
    """

    def __init__(self, product: TableauProduct, shortest: int = 1) -> None:
        self._justice = product.justice
        self._solver = new_solver()
        self._unrolling = Unrolling(self._solver, product.whole, initial=True)
        self._guessed = {
            declared.name: self._solver.constant(f"?returns:{declared.name}", declared.sort)
            for declared in remembered(product.whole)
        }
        self._here: list[Formula] = []
        self._inside: list[Formula] = []
        self._met: list[list[Formula]] = [[] for _ in product.justice]
        self._next = shortest
        self.stuck = ""
        self.ended = 0  # no execution of the product has this many states; 0 if not known
        self.cost = 0  # of the last search, in the solver's units

    @property
    def depth(self) -> int:
        """Return the number of states of the lassos that were tried in vain."""
        return self._next - 1

    def search(self, longest: int, rlimit: int, deadline: Deadline) -> Path | None:
        """Try longer and longer lassos, of at most so many states, within the limits.

        None: none was found; the search can be resumed unless it is `stuck`.
        """
        begun = self._solver.spent
        self.cost = 0
        while not self.stuck and self._next <= longest and not deadline.passed():
            left = rlimit - self.cost
            if left <= 0:
                break
            answer = self._ask(self._next - 1, Effort(left, max(0.1, deadline.remaining_s())))
            self.cost = self._solver.spent - begun
            if answer is Answer.SAT:
                return self._path(self._next - 1)
            if answer is Answer.UNKNOWN:
                break
            more = 1 if self._next < EVERY_LENGTH else self._next // MORE
            self._next += more
        return None

    def _ask(self, last: int, effort: Effort) -> Answer:
        """Tell whether a path returns from the frame `last` to the guessed state."""
        solver, unrolling = self._solver, self._unrolling
        unrolling.frame(last + 1)
        while len(self._here) <= last:
            self._extend(len(self._here))
        closed = solver.constant(f"?closed:{last}", BOOL)
        solver.add(solver.implication(closed, self._is_guessed(last + 1)))
        assumed = [closed, self._inside[last], *(met[last] for met in self._met)]
        answer = solver.check(assumed, effort)
        if answer is Answer.UNSAT and not solver.core():
            self.ended = last + 2
            self.stuck = f"no execution has {self.ended} states"
        if answer is Answer.UNKNOWN and not ran_out(solver) and solver.reason_unknown != "timeout":
            self.stuck = f"lassos of {last + 1} states: {solver.reason_unknown}"
        return answer

    def _extend(self, number: int) -> None:
        """Add the literals and constraints of a frame."""
        solver = self._solver
        here = solver.constant(f"?here:{number}", BOOL)
        inside = solver.constant(f"?inside:{number}", BOOL)
        solver.add(solver.implication(here, self._is_guessed(number)))
        solver.add(solver.implication(inside, solver.disjunction([here, *self._inside[-1:]])))
        for index, (often, before) in enumerate(zip(self._justice, self._met, strict=True)):
            met = solver.constant(f"?met:{index}:{number}", BOOL)
            now = solver.conjunction([inside, self._unrolling.term(often, number)])
            solver.add(solver.implication(met, solver.disjunction([now, *before[-1:]])))
            before.append(met)
        self._here.append(here)
        self._inside.append(inside)

    def _is_guessed(self, number: int) -> Formula:
        solver, unrolling = self._solver, self._unrolling
        return solver.conjunction(
            [
                solver.equal(guessed, unrolling.variable(name, number))
                for name, guessed in self._guessed.items()
            ]
        )

    def _path(self, last: int) -> Path:
        here = self._here[: last + 1]
        loop = next(i for i, found in enumerate(here) if self._solver.value(found, BOOL))
        steps = tuple(self._unrolling.valuation(number) for number in range(last + 1))
        return Path(steps, loop)


def shown(system: TransitionSystem, found: Path) -> Trace:
    """Return a path of a product as an execution of the system."""
    steps = tuple(
        {name: step[name] for name in system.variables if name in step} for step in found.steps
    )
    chosen = system.chosen
    choices = Choices(
        tuple({name: value for name, value in step.items() if name in chosen} for step in steps)
    )
    return Trace(replace(choices, loop=found.loop), steps, found.loop)


def denies(system: TransitionSystem, formula: Term, trace: Trace) -> bool:
    """Tell whether an execution is an infinite fair path on which a formula is false.

    Independent of the search: terms are evaluated.
    """
    loop = trace.loop
    if loop is None:
        return False
    names = {name: index for index, name in enumerate(trace.steps[0])}
    compiler = Compiler(names)
    rows: list[Row] = [[step[name] for name in names] for step in trace.steps]
    following = [*rows[1:], rows[loop]]

    def along(term: Term) -> list[bool]:
        (function,) = compiler.compile_all([term])
        return [bool(function(r, n, {})) for r, n in zip(rows, following, strict=True)]

    for constraint in system.constraints:
        if constraint.defines is not None and constraint.defines not in names:
            continue
        truths = along(constraint.term)
        if not (truths[0] if constraint.kind is ConstraintKind.INIT else all(truths)):
            return False
    for name in names:
        declared = system.variables[name]
        if declared.kind is not SystemVariableKind.DEFINED and not all(
            sorts.contains(declared.sort, step[name]) for step in trace.steps
        ):
            return False
    if not all(any(along(often)[loop:]) for often in system.fairness):
        return False
    for asked, given in system.compassion:
        if any(along(asked)[loop:]) and not any(along(given)[loop:]):
            return False
    return not linear.holds(formula, along, loop)
