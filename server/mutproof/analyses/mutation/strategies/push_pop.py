"""The strategy of the first paper: one solver, in which the changed element is exchanged.

All other elements stay asserted while the mutants of an element are pushed and popped. A mutant
is searched for violations up to the depth of the proofs; the lemmas of the proofs that are
still invariants are kept; with them the properties are proved by induction; what is not proved
is searched deeper, and at last unknown.

The published tool tests lemmas in fewer first states than their proofs are deep, and so takes
some for invariants that are none. Here lemmas and properties are one certificate: of depth k, it
is tested in k first states.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), and its section 5.2 for the groups.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager

from mutproof.analyses.bench import Bench
from mutproof.analyses.deciding.notary import Checker
from mutproof.analyses.finding import MutantFinding
from mutproof.analyses.means import Means
from mutproof.analyses.mutation.caseload import Baseline
from mutproof.analyses.mutation.docket import Docket, groups
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.records import Records
from mutproof.analyses.mutation.strategy import Strategy
from mutproof.analyses.variant import Case, combined, freed
from mutproof.model import sorts
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.solver import Answer, Effort, Formula, NotRepresentableError
from mutproof.solving.unroll import Unrolling
from mutproof.solving.verdict import Certificate
from mutproof.solving.z3_solver import new_solver

KILL_DEPTH = 10
"""The number of first states in which a mutant that is not proved is searched."""


class PushPop:
    """Decide mutants element by element in one solver; `load` holds their cases."""

    def __init__(
        self,
        baseline: Baseline,
        mutants: Sequence[Mutant],
        records: Records,
        means: Means,
        emit: Callable[[MutantFinding], None],
    ) -> None:
        self._baseline = baseline
        self._means = means
        self._docket = Docket(baseline, mutants, records, means, emit, largest_family=1)
        self._calls = 0
        self.load = self._docket.load

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        return self._docket.solver_calls + self._calls

    def run(self) -> None:
        """Decide every mutant; each is emitted once."""
        docket = self._docket
        docket.take_in()
        if docket.families is not None:
            docket.families.decide(docket.open())
            docket.finish_decided()
            for case in docket.open():
                if not case.open.isdisjoint(docket.families.temporal):
                    docket.families.decide_alone(case)
        asked = [case for case in docket.open() if case.variant.system is None]
        if asked:
            self._decide(asked)
        docket.close()

    def _decide(self, cases: Sequence[Case]) -> None:
        docket, means = self._docket, self._means
        certificate = combined(
            {name: h for name, h in self._baseline.proofs.items() if h.certificate.k}
        )
        solver = _Exchange(docket, Effort(means.small.rlimit, means.small.timeout_s), certificate)
        for group in groups(cases):
            with solver.without(group[0].variant.removed):
                for case in group:
                    means.check_cancelled()
                    solver.decide(case)
                    self._calls = solver.calls
                    docket.finish(case.variant.name)


class _Exchange:
    """Hold a system in two solvers, executions and paths from any state; mutable.

    Frames and translated formulas stay; elements and mutants come and go.
    """

    def __init__(self, docket: Docket, effort: Effort, certificate: Certificate) -> None:
        self.calls = 0
        self._docket = docket
        self._system: TransitionSystem = docket.system
        self._effort = effort
        self._k = certificate.k
        self._lemmas = certificate.lemmas
        self._goals = {
            stated.name: stated.term
            for stated in self._system.properties
            if stated.kind is PropertyKind.INVARIANT and stated.name in docket.baseline.proofs
        }
        self._base = self._side(initial=True)
        self._step = self._side(initial=False)
        self._base.frame(max(KILL_DEPTH, self._k) - 1)
        self._step.frame(self._k)
        self._removed: frozenset[ElementId] = frozenset()
        bench = Bench(self._system, docket.means.small, docket.replayer.confirm)
        self._checker = Checker(bench)

    def _side(self, *, initial: bool) -> Unrolling:
        return Unrolling(new_solver(), self._system, initial=initial, labelled=True, guarded=True)

    def without(self, removed: frozenset[ElementId]) -> _Scope:
        """Return a scope in which all elements hold but some."""
        self._removed = removed
        return _Scope((self._base, self._step), self._keep)

    def _keep(self, side: Unrolling) -> None:
        for owner in side.owners():
            if owner not in self._removed:
                side.solver.add(side.assume(owner))

    def decide(self, case: Case) -> None:
        """Run the algorithm on one mutant of the elements that are left out now."""

        def exchange(side: Unrolling) -> None:
            name = case.variant.name
            side.solver.add(side.add_alternative(name, case.variant.constraints))
            for bounds in self._bounds(side, case):
                side.solver.add(bounds)

        with _Scope((self._base, self._step), exchange):
            if not self._search(case, self._k):
                return
            proved = self._induction(case)
            if proved is not None:
                asked = self._checker.calls
                self._checker.establish([case], [(proved, [case])])
                self.calls += self._checker.calls - asked
            self._search(case, KILL_DEPTH)

    def _bounds(self, side: Unrolling, case: Case) -> list[Formula]:
        """Return literals that keep what a mutant leaves undefined in its declared bounds."""
        bounds = [side.assume_bounds(found.name) for found in freed(self._system, case.variant)]
        return [literal for literal in bounds if literal is not None]

    def _search(self, case: Case, depth: int) -> bool:
        """Look for violations in the first states; tell whether all questions had answers."""
        while case.depth < depth and (doubted := self._open_goals(case)):
            with self._asked(self._base, doubted, case.depth) as answer:
                if answer is Answer.UNSAT:
                    case.depth += 1
                elif answer is Answer.UNKNOWN:
                    case.reason = self._base.solver.reason_unknown
                    return False
                elif not self._refuted(case, case.depth):
                    return False
        return True

    def _open_goals(self, case: Case) -> list[Term]:
        return [term for name, term in self._goals.items() if name in case.open]

    def _induction(self, case: Case) -> Certificate | None:
        """Return what is left of lemmas and properties, inductive together; None: nothing."""
        goals = self._open_goals(case)
        if not goals:
            return None
        # The search has found the properties true in these states.
        lemmas: list[Term] | None = [term for term in self._lemmas if term not in goals]
        for frame in range(self._k):
            lemmas = self._filtered(case, self._base, lemmas or [], frame)
            if lemmas is None:
                return None
        left = self._filtered(case, self._step, [*(lemmas or ()), *goals], self._k)
        if left is None:
            return None
        names = [name for name in self._goals if name in case.open and self._goals[name] in left]
        if not names:
            case.reason = "no property that is open is inductive on the mutant"
            return None
        proved = {self._goals[name] for name in names}
        kept = tuple(term for term in left if term not in proved)
        return Certificate(self._k, kept, tuple(names))

    def _filtered(
        self, case: Case, side: Unrolling, statements: list[Term], frame: int
    ) -> list[Term] | None:
        """Drop statements that models of a frame make false; None: not all was answered."""
        alive = statements
        while alive:
            hypotheses = []
            if side is self._step:
                hypotheses = [side.term(term, n) for term in alive for n in range(frame)]
            with self._asked(side, alive, frame, hypotheses) as answer:
                if answer is Answer.UNSAT:
                    return alive
                if answer is Answer.UNKNOWN:
                    case.reason = side.solver.reason_unknown
                    return None
                true = [term for term in alive if not _is_false(side, term, frame)]
            if len(true) == len(alive):
                case.reason = "the solver's model decides nothing"
                return None
            alive = true
        return alive

    @contextmanager
    def _asked(
        self,
        side: Unrolling,
        doubted: Sequence[Term],
        frame: int,
        hypotheses: Sequence[Formula] = (),
    ) -> Iterator[Answer]:
        """Ask for a model in which one of the statements is false in a frame; it stays inside."""
        solver = side.solver
        self.calls += 1
        solver.push()
        for formula in hypotheses:
            solver.add(formula)
        everything = solver.conjunction([side.term(term, frame) for term in doubted])
        solver.add(solver.negation(everything))
        try:
            yield solver.check(side.guards(frame), self._effort)
        finally:
            solver.pop()

    def _refuted(self, case: Case, last: int) -> bool:
        """Replay the model of the last query; tell whether it refuted an open property."""
        try:
            choices = self._base.choices(last, freed=freed(self._system, case.variant))
        except NotRepresentableError:
            case.reason = "the counterexample has irrational values"
            return False
        violated = self._docket.replayer.confirm(case.variant, choices, "bmc")
        before = len(case.open)
        if violated is not None:
            case.refute(violated)
        if len(case.open) == before:
            case.reason = "the counterexample could not be replayed"
            return False
        return True


def _is_false(side: Unrolling, term: Term, frame: int) -> bool:
    return side.solver.value(side.term(term, frame), sorts.BOOL) is False


class _Scope:
    """Open a scope on both sides and say something in it; it is forgotten at the end."""

    def __init__(self, sides: tuple[Unrolling, ...], say: Callable[[Unrolling], None]) -> None:
        self._sides = sides
        self._say = say

    def __enter__(self) -> None:
        for side in self._sides:
            side.push()
            self._say(side)

    def __exit__(self, *_: object) -> None:
        for side in self._sides:
            side.pop()


STRATEGY = Strategy(
    "push-pop",
    "Algorithm 1 of the first paper, sound: one solver for the model, in which one element after"
    " the other is exchanged for its mutants; search, filter the invariants, induction, search",
    "Todorov, Taha and Boulanger, NFM 2020, algorithm 1 and section 5.2",
    PushPop,
)
