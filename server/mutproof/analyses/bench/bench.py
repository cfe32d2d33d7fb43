"""The bench: variants of one system decided in solvers that stay, many with one query.

What is asked about a small part of a large system is asked in solvers of that part (`parts`). The
part of a certificate that holds on a variant is found by Houdini (Flanagan and Leino, 2001).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import Protocol

from mutproof.analyses.bench.near_parts import NearParts
from mutproof.analyses.bench.parts import LEAST_PARTED, Parts
from mutproof.analyses.bench.paths import Paths
from mutproof.analyses.bench.patience import Patience
from mutproof.analyses.bench.pieces import Pieces
from mutproof.analyses.bench.questions import Questions
from mutproof.analyses.bench.sieve import Bundle, bundled
from mutproof.analyses.bench.solvers import Confirm, Found, Solvers, speaks
from mutproof.analyses.claims.claim import Claim
from mutproof.base.budget import Budget
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.solving.verdict import Certificate, Owners
from mutproof.solving.workshop import Workshop

MOST_EDITS = 32
"""How many edited elements a bench may hold before it is replaced by a new one."""

MOST_CALLS = 100_000
"""How many questions a bench answers before it is replaced: solvers keep all their formulas."""

BATCH = 24
"""How many variants share one query: more of them make each query slower."""


class Checking(Protocol):
    """Check certificates on cases, in solvers of a bench that does nothing else."""

    bench: Bench

    def establish(
        self,
        batch: Sequence[Claim],
        proofs: Sequence[tuple[Certificate, list[Claim]]],
        paths: Paths | None = None,
        found: Found | None = None,
        *,
        owners: Owners | None = None,
    ) -> None:
        """Record on cases what certificates prove of them."""
        ...


class Bench(Solvers):
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
        within: TransitionSystem | None = None,
    ) -> None:
        self._checker = checker
        # Shared translations; solvers still do not share what they learn.
        workshop = Workshop(heed) if checker is None else checker.bench.workshop
        super().__init__(system, budget, confirm, workshop, within=within)
        self._in_solver = dict(system.by_owner)
        self._free_at_start = system.chosen

    def adopt(self, system: TransitionSystem) -> None:
        """Switch to another version of the system, and drop the benches of its parts."""
        super().adopt(system)
        self.shed()

    def shed(self) -> None:
        """Let go of the solvers of parts of the system, which no other version can use."""
        system, within = self.system, self._within
        # What makes parts holds nothing of this bench: so its memory is free as soon as it is.
        make = partial(Solvers, budget=self.budget, confirm=self.confirm, workshop=self.workshop)
        self._parts = Parts(self.model.slicer, lambda part: make(part, within=within))
        self._near = NearParts(
            system,
            lambda part, belongs: make(part, within=within or system, belongs=belongs),
        )
        self._pieces = Pieces(system, self._near, partial(_counted, self.questions))

    def rebase(self, system: TransitionSystem, confirm: Confirm) -> bool:
        """Switch to another version of the system; return False if the solvers cannot be kept.

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
        self.confirm = confirm
        self.adopt(system)
        return True

    # --- deciding -------------------------------------------------------------------------

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
        """Try certificates on cases and record what they prove; best if cases change few elements.

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
                self.certify_partly(case, certificates)
                if patience is not None:
                    patience.note(useful=len(case.open) < before)

    def certify_partly(
        self,
        case: Claim,
        certificates: Sequence[Certificate],
        join: Callable[[Sequence[Certificate]], Sequence[Certificate]] = lambda found: found,
        *,
        owners: Owners | None = None,
    ) -> None:
        """Record what those statements of certificates prove that hold on a case.

        `join` makes those that one part of the system decides into others, to be tried instead. It
        may be told what certificates rest on, their `owners`, as of `passing`.
        """
        asked = [certificate for certificate in certificates if speaks(certificate, case)]
        if not asked:
            return
        assert self._checker is not None
        stated = {c: self.questions.statements(c) for c in asked}
        known = {c: (terms, owners[c]) for c, terms in stated.items() if owners and c in owners}
        for portion, near in self._near.divided([case], known):
            with _counted(self.questions, near):
                kept = near.surviving(case, join(portion))
            resting = frozenset[ElementId]().union(*(known[c][1] for c in portion))
            self._checker.establish([case], kept, owners={c: resting for c, _ in kept})
            for certificate in portion:
                del stated[certificate]
        for portion in self._parts.divided([case], stated):
            with self._part([case], [s for c in portion for s in stated[c]]) as part:
                kept = part.surviving(case, join(portion))
            self._checker.establish([case], kept)

    def passing(
        self,
        batch: Sequence[Claim],
        proofs: Sequence[tuple[Certificate, list[Claim]]],
        paths: Paths | None = None,
        found: Found | None = None,
        *,
        owners: Owners | None = None,
    ) -> Iterator[Bundle]:
        """Yield which certificates hold together on which cases, and by which elements.

        `paths` predict on which cases a certificate breaks, and learn from those it breaks on. If
        `found` is given, violations met on the way are recorded; it is called with each, and may
        refute other cases by the same execution. What certificates rest on may be told: their
        `owners`. They are tried on small parts that have nothing else then, if there are such.
        """
        asked = dict[Certificate, list[Claim]]()
        for certificate, cases in proofs:
            asked.setdefault(certificate, []).extend(c for c in cases if speaks(certificate, c))
        stated = {c: self.questions.statements(c) for c, cases in asked.items() if cases}
        known = {c: (terms, owners[c]) for c, terms in stated.items() if owners and c in owners}
        for portion, part in self._near.divided(batch, known):
            pairs = [(c, case) for c in portion for case in asked[c] if speaks(c, case)]
            with _counted(self.questions, part):
                yield from part.sieved(batch, bundled(pairs), None, None)
            for certificate in portion:
                del stated[certificate]
        yield from self._in_pieces(stated, asked)
        stated = {c: terms for c, terms in stated.items() if any(speaks(c, o) for o in asked[c])}
        for portion in self._parts.divided(batch, stated):
            pairs = [(c, case) for c in portion for case in asked[c] if speaks(c, case)]
            names = {case.name for _, case in pairs}
            left = [case for case in batch if case.name in names]
            about = dict.fromkeys(s for c in portion for s in stated[c])
            with self._part(left, about) as part:
                yield from part.sieved(left, bundled(pairs), paths, found)

    def _in_pieces(
        self,
        stated: Mapping[Certificate, Sequence[Term]],
        asked: Mapping[Certificate, Sequence[Claim]],
    ) -> Iterator[Bundle]:
        """Yield certificates with many statements and cases on which these hold piece by piece."""
        if len(self.system.constraints) < LEAST_PARTED:
            return
        if not self._pieces.are_many(one for terms in stated.values() for one in terms):
            return
        for bundle in bundled([(c, case) for c in stated for case in asked[c] if speaks(c, case)]):
            statements = bundle.statements(self.questions)
            are_many = self._pieces.are_many(statements)
            passed = self._pieces.passing(bundle, statements) if are_many else None
            if passed is not None:
                yield passed

    def search(
        self,
        cases: Sequence[Claim],
        depth: int,
        found: Found = lambda _: None,
        most: Mapping[str, int] | None = None,
        *,
        divides: bool = True,
    ) -> None:
        """Look for violations of open properties within the first `depth` states.

        `found` is told of each violation, and may use it to refute other cases before they are
        asked about. `most` limits the number of states for the variants that it names. Unless it
        `divides` cases that together are too hard, these are given up.
        """
        limits = most or {}
        names = [case.variant.name for case in cases]
        until = {name: min(depth, limits.get(name, depth)) for name in names}
        cases = [c for c in cases if self.asked(c) and c.depth < until[c.variant.name]]
        open_goals = frozenset[str]().union(*(case.open for case in cases))
        for start in range(0, len(cases), BATCH):
            batch = cases[start : start + BATCH]
            own = frozenset[str]().union(*(case.open for case in batch))
            with self._part(batch, [self.goals[n] for n in self.goals if n in own]) as part:
                goals = open_goals if part is self else own
                part.search_batch(batch, goals, until, found, divides=divides)

    def anew(self, batch: Sequence[Claim], most: int) -> Solvers:
        """Return new solvers of what restricts executions of variants, for questions of a size.

        What they answer does not depend on what was asked before. `most` is in solver units.
        """
        part = self._parts.restricting(batch)
        found = Solvers(part, self.budget, self.confirm, self.workshop.another())
        own = found.questions.effort
        found.questions.effort = replace(own, rlimit=min(own.rlimit or most, most))
        return found

    @contextmanager
    def _part(self, batch: Sequence[Claim], statements: Iterable[Term]) -> Iterator[Solvers]:
        """Give the bench of a small part that decides statements on cases, else this one."""
        part = self._parts.of(batch, statements)
        if part is None:
            yield self
            return
        with _counted(self.questions, part):
            yield part


@contextmanager
def _counted(questions: Questions, part: Solvers) -> Iterator[None]:
    """Ask the solvers of a part with the effort of these questions, and count what they ask."""
    before, part.questions.effort = part.calls, questions.effort
    try:
        yield
    finally:
        questions.calls += part.calls - before


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
