"""Decide properties of a cone without some of its elements.

Candidates come, cheapest first, from a search for short counterexamples, from certificates known
of other reductions, and from engines; the notary makes evidence of them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING

from mutproof.analyses.checking.means import Means
from mutproof.analyses.checking.notary import Checker, Notary, bounded
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.reduction import ReducedRuns
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.cores.cones import Cone
from mutproof.analyses.cores.effort import EngineEffort
from mutproof.analyses.cores.lookalikes import Lookalikes
from mutproof.analyses.cores.nearby import Nearby
from mutproof.analyses.proving import temporal
from mutproof.analyses.proving.temporal_answer import TemporalAnswer
from mutproof.base.budget import Budget
from mutproof.base.lazy import cached_property
from mutproof.model import walk
from mutproof.model.edited_run import earlier_run
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Element, ElementId, Program, PropertyKind
from mutproof.model.purpose import Purpose
from mutproof.model.system import TransitionSystem
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.solving import portfolio
from mutproof.solving.verdict import Certificate, Proved, Refuted

if TYPE_CHECKING:
    from mutproof.analyses.bench.bench import Bench
    from mutproof.analyses.bench.solvers import Confirm

FIRST, SHALLOW, SEARCH_DEPTH = 2, 3, 6
"""How many first states are searched for a violation before anything else, how many more cheaply,
and how many before engines."""

CHEAP_UNITS = 400_000
"""The solver units of a question in such a search (some hundredths of a second): with more than
this, deep states cost more than a proof."""

FEW_UNITS = 60_000
"""The solver units of a question about the states after the first ones, before it is known which
elements a proof does without: these are hard, and nothing is violated without them."""

RANDOM = (3, 160)
"""How many random executions are run on removals that nothing decided, and how many steps each."""

HOW = "simulation"

MOST_CERTIFICATES = 6
"""How many known certificates are tried on a reduction: those found last."""

MOST_LEMMAS = 120
"""How many lemmas of known certificates engines are given as advice."""


class Failed:
    """Remember in vain tries: what failed without some elements fails without more of them.

    Mutable.
    """

    def __init__(self) -> None:
        self._certificates: dict[Certificate, list[frozenset[ElementId]]] = {}
        self._depths: dict[str, list[tuple[frozenset[ElementId], int]]] = {}

    def note(self, case: Claim, certificates: Iterable[Certificate]) -> None:
        """Take note of certificates that did not prove the open properties of a case."""
        removed = case.variant.removed
        for name in case.open:
            self._depths.setdefault(name, []).append((removed, case.depth))
        for one in certificates:
            if not case.open.isdisjoint(one.goals):
                self._certificates.setdefault(one, []).append(removed)

    def depth(self, name: str, removed: frozenset[ElementId]) -> int:
        """Return in how many first states a property is known not to fail."""
        known = self._depths.get(name, ())
        return max((depth for more, depth in known if removed <= more), default=0)

    def without(
        self, certificates: Iterable[Certificate], removed: frozenset[ElementId]
    ) -> list[Certificate]:
        """Return the certificates that are not known to fail."""
        return [
            one
            for one in certificates
            if not any(fewer <= removed for fewer in self._certificates.get(one, ()))
        ]


class Replay:
    """Run the cone without some elements, with all else that may restrict executions."""

    def __init__(self, whole: Interpretation, cone: Cone, notary: Notary) -> None:
        self._whole = whole
        self._cone = cone
        self._notary = notary

    @cached_property
    def meaning(self) -> Interpretation:
        """Return the meaning of what the cone reads."""
        return self._whole.focused(self._cone.elements)

    def __call__(self, variant: Variant, choices: Choices, how: str) -> Mapping[str, Fails] | None:
        """Return what an execution of a variant violates; None: it is no execution."""
        bodies, part = bodies_without(self.meaning.program, variant), self._cone.system
        found = self._notary.replay_part(self.meaning, choices, how, bodies, part=part)
        return None if found is None else found.violated


class Removing:
    """Decide variants of one cone that lack some elements; mutable, one thread.

    `whole` is the meaning of the program. Engines are asked only as long as `effort` is left. What
    is run goes on from `runs` of earlier versions, which are kept up to date.
    """

    def __init__(
        self,
        meaning: Interpretation,
        cone: Cone,
        means: Means,
        *,
        runs: ReducedRuns,
        by_engines: bool = True,
        effort: EngineEffort | None = None,
        lookalikes: Lookalikes | None = None,
    ) -> None:
        self.whole = meaning
        self.replay = Replay(meaning, cone, means.notary)
        self._runs = runs
        self._cone = cone
        self._means = means
        self._by_engines = by_engines
        self._effort = effort or EngineEffort()
        self._engine_calls = 0
        self._nearby = Nearby(cone, means, self._effort, lookalikes)
        self._failed, self._failed_parts = Failed(), Failed()
        self._checkers: list[Checker] = []  # that of the bench, once there is one

    @cached_property
    def _bench(self) -> Bench:
        """Return the bench, which is made when something is asked."""
        from mutproof.analyses.bench.bench import Bench  # slow to import, and few cores need one

        system, small = self._cone.system, self._means.small
        first = Bench(system, small, self.replay, heed=self._means.check_cancelled)
        self._checkers.append(Checker(first))
        return Bench(system, small, self.replay, self._checkers[0])

    @property
    def budget(self) -> Budget:
        """Return the budget of which each question has a part, less where effort is limited."""
        return self._means.budget if self._effort.left is None else self._means.middle

    @property
    def solver_calls(self) -> int:
        """Return the number of questions put to a solver so far."""
        asked = sum(self._bench.calls + checker.calls for checker in self._checkers)
        return self._engine_calls + self._nearby.calls + asked

    def shown(self, element: ElementId) -> str:
        """Return the name of an element for people."""
        return self.replay.meaning.program.shown(element)

    def variant(self, name: str, gone: frozenset[ElementId]) -> Variant:
        """Return the cone without some elements; open values of equal calls stay equal."""
        elements = sorted(gone, key=self._cone.places.__getitem__)
        if not self.whole.is_linked(elements):
            return Variant(name, gone, ())  # nothing is stated instead
        declared = self._cone.system.variables.keys()
        stated = self.replay.meaning.without(elements)
        return Variant(name, gone, tuple(c for c in stated if walk.variables(c.term) <= declared))

    def violation(self, variant: Variant, choices: Choices, how: str, name: str) -> Fails | None:
        """Return how an execution without some elements violates a property; None: it does not.

        Where it does on the whole program, it does in the cone, which has fewer restrictions; where
        it is an execution of the whole that does not, the cone has the same values. Of the whole,
        which many cones share, only what decides the property is run.
        """
        if not self._cone.system.relational:
            program, removed = self.whole.program, variant.removed
            bodies, goals = bodies_without(program, variant), frozenset((name,))
            purpose = Purpose(goals=goals, before=self._runs.earlier(name, removed, choices))
            found = self._means.notary.replay(self.whole, choices, how, bodies, purpose=purpose)
            if found is not None:
                fails, trace = found.violated.get(name), found.execution.trace
                if fails is not None and (run := earlier_run(program, bodies, trace)):
                    self._runs.keep(name, removed, run)
                return fails
        violated = self.replay(variant, choices, how)
        return None if violated is None else violated.get(name)

    def violated(self, cases: Sequence[Claim]) -> None:
        """Look for violations of many variants in the first states."""
        self._means.check_cancelled()
        if not cases:
            return
        _search(self._bench, cases, FIRST)
        _search(self._bench, cases, SHALLOW, FEW_UNITS, divides=False)
        for case in cases:
            self._failed.note(case, ())

    def together(
        self,
        cases: Sequence[Claim],
        certificates: Mapping[str, Sequence[Certificate]],
        *,
        proofs_first: bool = False,
    ) -> None:
        """Decide invariants of many variants together, as far as that needs no engine.

        With `proofs_first`, certificates are tried before deep states. What later proofs are found
        to rest on depends on that, where other variants were known before.
        """
        self._means.check_cancelled()
        if not cases:
            return
        self._nearby.prove(cases, certificates)
        for case in cases:
            removed = case.variant.removed
            case.depth = min((self._failed.depth(n, removed) for n in case.open), default=0)
        if not proofs_first:
            _search(self._bench, cases, SEARCH_DEPTH)
        names = [name for name in self._cone.names if any(name in case.open for case in cases)]
        known = dict.fromkeys(one for name in names for one in certificates.get(name, ()))
        asked = [one for one in known if one is not UNCERTIFIED]
        self._bench.certify(cases, asked, partly=False)
        left = [case for case in cases if case.open]
        if proofs_first:
            _search(self._bench, left, SEARCH_DEPTH)
        if self._by_engines:
            self._means.check_cancelled()
            _run_at_random(self._cone.system, [case for case in left if case.open], self.replay)
        for case in cases:
            self._failed.note(case, asked)

    def certified(self, cases: Sequence[Claim], certificates: Sequence[Certificate]) -> None:
        """Try whole certificates on variants."""
        self._means.check_cancelled()
        known = [one for one in certificates if one is not UNCERTIFIED]
        self._bench.certify(cases, known[-MOST_CERTIFICATES:], partly=False)

    def decide(
        self, variant: Variant, name: str, certificates: Sequence[Certificate]
    ) -> Holds | Fails | None:
        """Return a proof of a property of a variant, or how it fails; None: open."""
        self._means.check_cancelled()
        if self._cone.system.property(name).kind is not PropertyKind.INVARIANT:
            return self._by_diagrams(variant, name)
        if not certificates:
            # Diagrams proved it where engines did not.
            found = self._by_diagrams(variant, name)
            return found or self._by_provers(variant, name, certificates)
        case = Claim(variant, {name}, depth=self._failed.depth(name, variant.removed))
        known = certificates[-MOST_CERTIFICATES:][::-1]
        self._nearby.prove([case], {name: known})
        if not case.open:
            return case.holds[name]
        untried = self._failed.without(known, variant.removed)
        self._bench.certify([case], untried, partly=False)
        # Most removals break the proof within few steps, so parts of certificates come last.
        _search(self._bench, [case], SEARCH_DEPTH)
        self._failed.note(case, untried)
        _try_parts(self._bench, case, known, self._failed_parts)
        found = case.holds.get(name) or case.fails.get(name)
        if found is not None or not self._by_engines:
            return found
        found = self._by_provers(variant, name, certificates)
        if found is None:
            self._bench.search([case], SEARCH_DEPTH)
            found = case.fails.get(name)
        return found

    # --- private ------------------------------------------------------------------------------

    def _by_diagrams(self, variant: Variant, name: str) -> Holds | Fails | None:
        return self._effort.ask(
            self._means.middle, lambda budget: self._decide_temporal(variant, name, budget)
        )

    def _by_provers(
        self, variant: Variant, name: str, certificates: Sequence[Certificate]
    ) -> Holds | Fails | None:
        return self._effort.ask(
            self._means.middle, lambda budget: self._prove(variant, name, certificates, budget)
        )

    def _decide_temporal(self, variant: Variant, name: str, budget: Budget) -> Holds | Fails | None:
        self._engine_calls += 1
        system = applied(self._cone.system, variant)
        found: list[Holds | Fails | None] = []

        def take(_: str, answer: TemporalAnswer) -> None:
            evidence = None if answer.vacuity else answer.evidence
            if isinstance(evidence, Fails):
                # The trace may lack variables that the property does not depend on.
                evidence = bounded(evidence, system, name)
            found.append(evidence)

        means = replace(self._means, budget=budget)
        bodies = bodies_without(self.replay.meaning.program, variant)
        run = partial(means.notary.replay_part, self.replay.meaning, bodies=bodies)
        temporal.decide(system, [name], means, run, take=take)
        return found[0]

    def _prove(
        self, variant: Variant, name: str, certificates: Sequence[Certificate], budget: Budget
    ) -> Holds | Fails | None:
        self._engine_calls += 1
        system = applied(self._cone.system, variant)
        advice = dict.fromkeys(lemma for c in reversed(certificates) for lemma in c.lemmas)
        declared = system.variables.keys()
        outcome = portfolio.prove(
            system,
            budget,
            self._means.asking(
                advice=tuple(a for a in advice if walk.variables(a) <= declared)[:MOST_LEMMAS]
            ),
            goals=[name],
        )
        match outcome.verdicts[name]:
            case Proved() as proved:
                return self._means.notary.proved(system, proved, budget)
            case Refuted(choices=choices, engine=engine):
                violated = self.replay(variant, choices, engine)
                return None if violated is None else violated.get(name)
            case _:
                return None


def bodies_without(program: Program, variant: Variant) -> dict[Element, Term | None]:
    """Return other bodies for what a variant lacks: none."""
    removed = sorted(variant.removed)
    return {one: None for element in removed for one in program.by_id[element]}


def _search(
    bench: Bench,
    cases: Sequence[Claim],
    depth: int,
    units: int = CHEAP_UNITS,
    *,
    divides: bool = True,
) -> None:
    """Look for violations in the first states, as far as that is cheap."""
    effort = bench.questions.effort
    most = min(effort.rlimit or units, units)
    bench.questions.effort = replace(effort, rlimit=most)
    try:
        bench.search(cases, depth, divides=divides)
    finally:
        bench.questions.effort = effort


def _run_at_random(system: TransitionSystem, cases: Sequence[Claim], confirm: Confirm) -> None:
    """Look for late violations: engines would reach these step by step."""
    if system.relational or not cases:
        return
    from mutproof.analyses.bench.executions import Executions

    for case, choices, _ in Executions(system).random(cases, *RANDOM):
        violated = confirm(case.variant, choices, HOW)
        if violated is not None:
            case.refute(violated)


def _try_parts(bench: Bench, case: Claim, known: Sequence[Certificate], failed: Failed) -> None:
    """Try what holds of the lemmas of certificates together."""
    lemmas = dict.fromkeys(lemma for found in known for lemma in found.lemmas)
    if not lemmas or not case.open:
        return
    k = max(one.k for one in known)
    joined = Certificate(k, tuple(lemmas)[:MOST_LEMMAS], tuple(case.open))
    if failed.without([joined], case.variant.removed):
        bench.certify_partly(case, [joined])
        failed.note(case, [joined])
