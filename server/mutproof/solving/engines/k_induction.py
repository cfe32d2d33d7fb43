"""k-induction: goals that hold in k states in a row hold in the next.

First each conjunct of a large goal, then each goal, is tried on the part of the system around it
(`local`). The other goals are proved together: those that a model of the step falsifies are left
out and tried again with a larger k. Lemmas are assumed in every state. BMC provides the base
case.

Source: Sheeran, Singh and Stålmarck, FMCAD 2000; several properties at once, Kahsai and
Tinelli, PDMC 2011.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator, Mapping
from functools import partial

from mutproof.model.operators import Op
from mutproof.model.program import ElementId
from mutproof.model.sorts import BOOL
from mutproof.model.system import Constraint
from mutproof.model.terms import Term
from mutproof.solving.engine import (
    FIRST_LIMIT,
    MORE,
    Candidate,
    Each,
    Engine,
    Finding,
    LearntLemmas,
    Stuck,
    Task,
    Worked,
    ran_out,
)
from mutproof.solving.local import Local, Share
from mutproof.solving.solver import Answer, Formula
from mutproof.solving.verdict import Certificate, Proof

AGAIN = "out of units"

EASY_K = 2
"""Beyond this k, new lemmas begin the search anew: with them a smaller k may do, which makes a
certificate that takes less to check, and that holds on more mutants."""

NEAR_LIMIT = 100_000
"""The solver units of one question about a part."""

MANY_PARTS = 12
DEEPEST_PARTS = 2
TURN = 10
"""From how many conjuncts on a goal is tried conjunct by conjunct, up to which k, and how many
questions about parts make one turn."""


def run(task: Task) -> Iterator[Finding]:
    """Try k = 1, 2, and so on; all goals together never ahead of what BMC has explored."""
    near = Local(task.system, task.workshop, partial(task.check, limit=NEAR_LIMIT))
    step: _InductionStep | None = None
    k = 1
    known = 0
    pays = True
    while task.goals:
        if len(task.lemmas) > known:
            known = len(task.lemmas)
            if k > max(EASY_K, task.lemma_k):
                k, step = task.lemma_k, None
        before = len(task.goals)
        decided = False
        if pays:
            if k <= DEEPEST_PARTS:
                yield from _in_parts(task, near, max(k, task.lemma_k))
            decided = yield from _near(task, near, max(k, task.lemma_k))
            pays = len(task.goals) < before and not near.is_small
            if len(task.lemmas) > known:
                if pays:
                    continue  # lemmas came meanwhile, with which this k may do
                decided = False
            # Goals near those may be proved in parts with a larger k.
            decided |= pays and k == 1
        if task.goals and not decided:
            step = step or _InductionStep(task)
            reason = yield from _together(task, step, k, known)
            if reason:
                yield Stuck(f"k = {k}: {reason}")
                return
        elif task.goals:
            yield Worked()
        k += 1


def _near(task: Task, near: Local, k: int) -> Generator[Finding, None, bool]:
    """Report goals proved in parts; return whether no other goal has a proof with this k."""
    names: dict[Term, list[str]] = {}
    for name, term in task.goals.items():
        names.setdefault(term, []).append(name)
    search = near.search(k, names, tuple(task.lemmas))
    while True:
        try:
            shares = next(search)
        except StopIteration as end:
            return bool(end.value)
        proofs = tuple(
            Proof(name, Certificate(k, share.lemmas, (name,)), share.owners)
            for share in shares
            for name in names[share.goal]
        )
        yield Each(proofs) if proofs else Worked()


def _in_parts(task: Task, near: Local, k: int) -> Iterator[Finding]:
    """Report goals that are conjunctions of many statements, each proved in a part around it.

    This yields their certificates without a question about all their variables at once. Where only
    some statements are shown, these are lemmas, so that others ask about the rest.
    """
    for name, term in tuple(task.goals.items()):
        parts, read = _joined(term, task.system.equations)
        if len(parts) < MANY_PARTS:
            continue
        shown: dict[Term, Share] = {}
        known = 0
        search = near.search(k, parts, tuple(task.lemmas), joint=True)
        for number, shares in enumerate(search, start=1):
            shown.update((share.goal, share) for share in shares)
            if number % TURN == 0 and len(shown) < len(parts):
                yield Worked(proves=len(shown) > known)
                known = len(shown)
        found = shown.values()
        lemmas = tuple(dict.fromkeys(t for share in found for t in (share.goal, *share.lemmas)))
        if len(shown) == len(parts):
            owners = read.union(*(share.owners for share in found))
            yield Each((Proof(name, Certificate(k, lemmas, (name,)), owners),))
        elif shown:
            yield LearntLemmas(lemmas, k)


def _joined(
    term: Term, definitions: Mapping[str, Constraint]
) -> tuple[tuple[Term, ...], frozenset[ElementId]]:
    """Return the conjuncts of a term, also through definitions, and these definitions' owners."""
    found: dict[Term, None] = {}
    owners: set[ElementId] = set()
    stack = [term]
    while stack:
        part = stack.pop()
        stated = definitions.get(str(part.payload)) if part.op is Op.VAR else None
        value = None if stated is None else stated.term.args[1]
        if part.op is Op.AND:
            stack.extend(reversed(part.args))
        elif stated is not None and value is not None and value.op in {Op.AND, Op.VAR}:
            stack.append(value)
            owners.update(() if stated.owner is None else (stated.owner,))
        else:
            found[part] = None
    return tuple(found), frozenset(owners)


def _together(
    task: Task, step: _InductionStep, k: int, known: int
) -> Generator[Finding, None, str]:
    """Prove goals together as long as some are proved; return why not all are.

    It was begun with so many `known` lemmas.
    """
    while task.goals:
        while task.depth < k:
            yield Worked(waiting=True)
            if not task.goals:
                return ""
        proved, reason = step.attempt(k)
        if proved and len(task.lemmas) > known and k > max(EASY_K, task.lemma_k):
            return ""  # lemmas came meanwhile, with which a smaller k may do
        if proved:
            yield Candidate(Certificate(max(k, task.lemma_k), tuple(task.lemmas), proved))
            continue
        yield Worked()
        if reason != AGAIN:
            return reason
    return ""


class _InductionStep:
    """Hold the solver of the induction step; mutable."""

    def __init__(self, task: Task) -> None:
        self._task = task
        finite = task.system.is_of_words
        self._unrolling = task.workshop.unrolling(task.system, initial=False, finite=finite)
        self._solver = self._unrolling.solver
        self._limit = FIRST_LIMIT
        self._lemmas = 0
        self._frames = 0
        self._hypotheses: dict[str, Formula] = {}
        self._supposed: dict[str, int] = {}

    def attempt(self, k: int) -> tuple[tuple[str, ...], str]:
        """Return the goals that are proved together with this k, and why it is not known."""
        task, solver = self._task, self._solver
        self._prepare(k)
        candidates: dict[str, Term] = dict(task.goals)
        while candidates:
            formulas = {name: self._unrolling.term(term, k) for name, term in candidates.items()}
            solver.push()
            solver.add(solver.negation(solver.conjunction(list(formulas.values()))))
            answer = task.check(solver, [self._hypotheses[n] for n in candidates], self._limit)
            if answer is Answer.SAT:
                kept = {
                    name: candidates[name]
                    for name, found in formulas.items()
                    if solver.value(found, BOOL)
                }
            solver.pop()
            if answer is Answer.UNSAT:
                return tuple(candidates), ""
            if answer is Answer.UNKNOWN:
                if ran_out(solver):
                    self._limit *= MORE
                    return (), AGAIN
                return (), solver.reason_unknown
            candidates = kept
        return (), ""

    def _prepare(self, k: int) -> None:
        """Add the frames 0..k, the lemmas in all of them, the goals in those before k."""
        task, solver, unrolling = self._task, self._solver, self._unrolling
        unrolling.frame(k)
        for number in range(k + 1):
            first = self._lemmas if number < self._frames else 0
            for lemma in task.lemmas[first:]:
                solver.add(unrolling.term(lemma, number))
        self._lemmas, self._frames = len(task.lemmas), k + 1
        for name, term in task.goals.items():
            if name not in self._hypotheses:
                self._hypotheses[name] = solver.constant(f"?goal:{name}", BOOL)
            for number in range(self._supposed.get(name, 0), k):
                solver.add(solver.implication(self._hypotheses[name], unrolling.term(term, number)))
            self._supposed[name] = k


ENGINE = Engine("k-induction", "induction over k states, strengthened by lemmas", run)
