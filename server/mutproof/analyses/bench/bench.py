"""The bench: one system with all its elements behind literals, to decide variants of it.

Two solvers stay alive: executions from the initial states, and paths from any state. A
variant is decided by assuming the literals of what it keeps. Statements (lemmas and
properties) are behind literals too, so that a set of them can be assumed or doubted.

Source: Algorithm 1 of Todorov, Taha and Boulanger (NFM 2020), with the filter of invariants
done as Houdini (Flanagan and Leino, 2001) over base and step, and with one query for many
variants.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import Protocol

from mutproof.analyses.bench.group import Group, Model, Side
from mutproof.analyses.bench.parts import Parts
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.bench.sieve import Bundle, Sieve, bundled
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import Fails
from mutproof.analyses.claims.variant import freed
from mutproof.base.budget import Budget
from mutproof.model.program import PropertyKind
from mutproof.model.slice import Slicer
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving.solver import Answer, Effort, NotRepresentableError
from mutproof.solving.verdict import Certificate
from mutproof.solving.workshop import Workshop

MOST_EDITS = 32
"""How many edited elements a bench carries before it is made anew."""

MOST_CALLS = 100_000
"""How many questions a bench is asked before it is made anew: solvers keep all their formulas."""

BATCH = 24
"""How many variants share one query: more of them make each query slower."""

Confirm = Callable[[Variant, Choices, str], "Mapping[str, Fails] | None"]
"""Replay an execution of a variant, found in some way: what it violates, None if it is none."""

Found = Callable[[Claim], None]
"""Take note that an execution was found which violates properties of a case."""


class Checking(Protocol):
    """Check certificates on cases, in solvers of a bench that does nothing else."""

    bench: Bench

    def establish(
        self,
        batch: Sequence[Claim],
        proofs: Sequence[tuple[Certificate, list[Claim]]],
        paths: Paths | None = None,
        found: Found | None = None,
    ) -> None:
        """Note what certificates prove of cases."""
        ...


class Bench:
    """Decide variants of one system; mutable, one thread.

    A bench stays when its system changes a little: what an edited element says now is added
    behind a new literal, and the old one is no longer assumed (`rebase`).
    """

    def __init__(
        self,
        system: TransitionSystem,
        budget: Budget,
        confirm: Confirm,
        checker: Checking | None = None,
        *,
        heed: Callable[[], None] | None = None,
        workshop: Workshop | None = None,
    ) -> None:
        self.system = system
        self._checker = checker
        # Translated once: what one solver has learnt is not known to another all the same.
        shared = workshop if checker is None else checker.bench.workshop
        self.workshop: Workshop = Workshop(heed) if shared is None else shared
        self._first = system
        self.budget = budget
        self._confirm = confirm
        effort = Effort(budget.rlimit, budget.timeout_s)
        self.questions = Questions(self._side(initial=True), self._side(initial=False), effort)
        self._in_solver = dict(system.by_owner)
        self._free_at_start = system.chosen
        self._adopt(system)

    def _adopt(self, system: TransitionSystem) -> None:
        self.system = system
        self._goals = self.questions.goals = {
            stated.name: stated.term
            for stated in system.properties
            if stated.kind is PropertyKind.INVARIANT
        }
        owners = {owner: place for place, owner in enumerate(system.by_owner) if owner is not None}
        sides = self.questions.base, self.questions.step
        definers, constraints = system.definers, system.by_owner
        self.model = Model(sides, owners, definers, constraints, Slicer(system))
        self._parts = Parts(
            self.model.slicer,
            lambda part: Bench(part, self.budget, self._confirm, workshop=self.workshop),
        )

    @property
    def calls(self) -> int:
        """Return the number of questions asked so far."""
        return self.questions.calls

    def rebase(self, system: TransitionSystem, confirm: Confirm) -> bool:
        """Go over to another version of the system, if the solvers can be kept.

        They can where the new version declares nothing new, remembers nothing else, and only
        few elements have changed since the solvers were made.
        """
        if self.calls > MOST_CALLS:
            return False
        first = self._first
        if any(first.variables.get(name) != v for name, v in system.variables.items()):
            return False
        if (self._free_at_start & set(system.variables)) - system.chosen:
            return False
        known = set(first.by_owner.get(None, ()))
        held = {(c.kind, c.defines): c for c in system.by_owner.get(None, ())}
        if not set(held.values()) == set(system.by_owner.get(None, ())) <= known:
            return False
        if any(held.get((c.kind, c.defines), c) != c for c in known):
            return False
        if any(c.defines is None and c not in held.values() for c in known):
            return False
        changed = [
            owner
            for owner, constraints in system.by_owner.items()
            if owner is not None and self._in_solver.get(owner) != constraints
        ]
        if len({owner for owner, _ in self.questions.base.edited}) + len(changed) > MOST_EDITS:
            return False
        for owner in changed:
            constraints = system.by_owner[owner]
            for side in (self.questions.base, self.questions.step):
                side.edit(owner, constraints)
            self._in_solver[owner] = constraints
        self._adopt(system)
        self._confirm = confirm
        return True

    def _side(self, *, initial: bool) -> Side:
        first, workshop = self._first, self.workshop
        return Side(lambda: workshop.unrolling(first, initial=initial, labelled=True, guarded=True))

    # --- deciding -------------------------------------------------------------------------

    @contextmanager
    def hurried(self, share: float) -> Iterator[None]:
        """Give questions about certificates only a share of their effort, in the context."""
        assert self._checker is not None
        questions = self._checker.bench.questions
        effort = questions.effort
        if effort.rlimit:  # 0 is no limit
            questions.effort = replace(effort, rlimit=max(1, int(effort.rlimit * share)))
        try:
            yield
        finally:
            questions.effort = effort

    def certify(
        self,
        cases: Sequence[Claim],
        certificates: Sequence[Certificate],
        *,
        partly: bool = True,
        paths: Paths | None = None,
        found: Found | None = None,
        patience: Patience | None = None,
    ) -> None:
        """Try certificates on cases and note what they prove; best for cases of few elements.

        With `partly`, the statements of a certificate that hold are tried alone where it does not
        hold as a whole, while there is `patience`; properties that turn out to fail in the first
        states are noted as refuted. The checker proves everything that is noted as proved, and
        finds what the proof rests on.
        """
        assert self._checker is not None
        wanted: list[Claim] = []
        for batch, proofs in spoken_of(cases, certificates):
            self._checker.establish(batch, proofs, paths, found)
            wanted += batch
        for case in wanted if partly else ():
            if case.open and (patience is None or patience.left):
                before = len(case.open)
                self._certify_alone(case, certificates)
                if patience is not None:
                    patience.note(useful=len(case.open) < before)

    def _certify_alone(self, case: Claim, certificates: Sequence[Certificate]) -> None:
        asked = [certificate for certificate in certificates if _speaks(certificate, case)]
        if not asked:
            return
        for certificate in asked:
            self.questions.prepare(self.questions.statements(certificate), certificate.k)
        kept: list[tuple[Certificate, list[Claim]]] = []
        with Group(self.model, [case], asserted=True) as group:
            for certificate in asked:
                left = self._filter(group, case, certificate)
                if left is not None and _speaks(left, case):
                    kept.append((left, [case]))
        assert self._checker is not None
        self._checker.establish([case], kept)

    def passing(
        self,
        batch: Sequence[Claim],
        proofs: Sequence[tuple[Certificate, list[Claim]]],
        paths: Paths | None = None,
        found: Found | None = None,
    ) -> Iterator[Bundle]:
        """Yield which certificates hold together on which cases, and by which elements.

        `paths` tell in advance on which cases a certificate breaks, and learn from those it
        breaks on. Executions that violate a property on the way are noted where `found` is told
        of them, which may refute others by them.
        """
        bundles = bundled((c, case) for c, cases in proofs for case in cases if _speaks(c, case))
        about = dict.fromkeys(s for b in bundles for s in b.statements(self.questions))
        part = self._parts.of(batch, about)
        if part is not None:
            before = part.calls
            part.questions.effort = self.questions.effort
            yield from part.passing(batch, proofs, paths, found)
            self.questions.calls += part.calls - before
            return
        for bundle in bundles:
            self.questions.prepare(bundle.statements(self.questions), bundle.k)
        if not bundles:
            return

        def note(case: Claim, frame: int) -> None:
            if found is not None and self._refuted(case, frame, "certificate"):
                found(case)

        failed = None if found is None else note
        with Group(self.model, batch, about=about) as group:
            for bundle in bundles:
                for case in bundle.cases:
                    case.reason = "the certificate could not be checked again"
                sieve = Sieve(self.questions, group, bundle, paths, failed=failed)
                yield from sieve.passed()

    def search(
        self,
        cases: Sequence[Claim],
        depth: int,
        found: Found = lambda _: None,
        most: Mapping[str, int] | None = None,
    ) -> None:
        """Look for violations of open properties within the first `depth` states.

        `found` is told of each violation, and may use it to refute other cases before they are
        asked about. `most` limits the number of states for the variants that it names.
        """
        limits = most or {}
        names = [case.variant.name for case in cases]
        until = {name: min(depth, limits.get(name, depth)) for name in names}
        cases = [c for c in cases if self._asked(c) and c.depth < until[c.variant.name]]
        if not cases:
            return
        self.questions.base.unrolling.frame(depth - 1)
        goals = tuple(self._goals[n] for n in self._goals if any(n in c.open for c in cases))
        for frame in range(depth):
            self.questions.violation(self.questions.base, goals, frame)
        for start in range(0, len(cases), BATCH):
            batch = cases[start : start + BATCH]
            with Group(self.model, batch, asserted=True, sides=(self.questions.base,)) as group:
                self._search_together(group, goals, until, found)

    def _asked(self, case: Claim) -> bool:
        """Tell whether an invariant of a case is open."""
        return not case.open.isdisjoint(self._goals)

    def _search_together(
        self,
        group: Group,
        goals: tuple[Term, ...],
        until: Mapping[str, int],
        found: Found,
    ) -> None:
        """Ask about cases with the same open properties together: a model is of one of them.

        `until` says in how many first states of each variant.
        """
        left = list(group.cases)
        apart: set[str] = set()  # what was too hard together
        while left := [c for c in left if self._asked(c) and c.depth < until[c.variant.name]]:
            first = min(left, key=lambda case: case.depth)
            alike = [
                case
                for case in left
                if case.depth == first.depth
                and case.open == first.open
                and case.variant.name not in apart
            ]
            if first.variant.name in apart:
                alike = [first]
            names = [case.variant.name for case in alike]
            doubted = [self._goals[name] for name in self._goals if name in first.open]
            literals = group.any_of(self.questions.base, names)
            answer = self.questions.ask(
                self.questions.base, literals, goals, doubted, frame=first.depth
            )
            if answer is Answer.UNSAT:
                for case in alike:
                    case.depth += 1
            elif answer is Answer.UNKNOWN and len(alike) > 1:
                apart.update(names)
            elif answer is Answer.UNKNOWN:
                first.reason = self.questions.base.solver.reason_unknown
                left.remove(first)
            else:
                chosen = group.true_in_model(self.questions.base, names)
                for case in alike:
                    if case.variant.name in chosen and self._refuted(case, case.depth, "bmc"):
                        found(case)
                    elif case.variant.name in chosen or not chosen:
                        left.remove(case)

    # --- certificates ---------------------------------------------------------------------

    def _filter(self, group: Group, case: Claim, certificate: Certificate) -> Certificate | None:
        """Return what is left of a certificate on one variant, found as Houdini does."""
        statements = self.questions.statements(certificate)
        alive = list(statements)
        initially: list[Term] = []  # what holds in the first states
        for side, frame in self.questions.places(certificate.k):
            if side is self.questions.step:
                initially = alive
            while alive:
                literals = group.literals(side, case.variant)
                if side is self.questions.step:
                    literals += self.questions.hypotheses(side, alive, frame)
                answer = self.questions.ask(side, literals, statements, alive, frame=frame)
                if answer is Answer.UNSAT:
                    break
                if answer is Answer.UNKNOWN:
                    case.reason = side.solver.reason_unknown
                    return None
                false = [s for s in alive if self.questions.is_false(side, s, frame)]
                if not false:
                    case.reason = "the solver's model decides nothing"
                    return None
                if side is self.questions.base and any(s in self._goals.values() for s in false):
                    self._refuted(case, frame, "certificate")
                alive = [s for s in alive if s not in false]
        if all(self._goals[name] in initially for name in case.open if name in self._goals):
            case.depth = max(case.depth, certificate.k)
        kept = set(alive)
        goals = tuple(name for name in certificate.goals if self._goals[name] in kept)
        if not goals:
            return None
        goal_terms = {self._goals[name] for name in goals}
        lemmas = tuple(s for s in alive if s not in goal_terms)
        return Certificate(certificate.k, lemmas, goals)

    # --- counterexamples ----------------------------------------------------------------------

    def _refuted(self, case: Claim, last: int, how: str) -> bool:
        """Replay the model of the last query; tell whether it refuted an open property."""
        choices = self.chosen(case, last)
        if choices is None:
            case.reason = "the counterexample has irrational values"
            return False
        violated = self._confirm(case.variant, choices, how)
        if violated is None:
            case.reason = "the counterexample could not be replayed"
            return False
        before = len(case.open)
        case.refute(violated)
        if len(case.open) == before:
            case.reason = "the replay of the counterexample violates no property"
            return False
        return True

    def chosen(self, case: Claim, last: int) -> Choices | None:
        """Return what the last model chooses, None if it has irrational values."""
        free = freed(self.system, case.variant)
        try:
            return self.questions.base.unrolling.choices(last, system=self.system, freed=free)
        except NotRepresentableError:
            return None


def _speaks(certificate: Certificate, case: Claim) -> bool:
    """Tell whether a certificate has a goal that is open in a case."""
    return not case.open.isdisjoint(certificate.goals)


def spoken_of(
    cases: Sequence[Claim], certificates: Sequence[Certificate]
) -> Iterator[tuple[list[Claim], list[tuple[Certificate, list[Claim]]]]]:
    """Yield cases in batches, each with the certificates that speak of an open property there."""
    goals = {goal for certificate in certificates for goal in certificate.goals}
    wanted = [case for case in cases if not case.open.isdisjoint(goals)]
    for start in range(0, len(wanted), BATCH):
        batch = wanted[start : start + BATCH]
        asked = frozenset[str]().union(*(case.open for case in batch))
        yield batch, [(c, batch) for c in certificates if not asked.isdisjoint(c.goals)]
