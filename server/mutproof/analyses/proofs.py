"""Prove the properties of a program, keeping what an earlier version of the file proved."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from mutproof.analyses.finding import PropertyFinding, PropertyVerdict
from mutproof.analyses.means import Means
from mutproof.analyses.variant import Fails, Holds, content, support
from mutproof.model import slice as slicing
from mutproof.model import walk
from mutproof.model.evaluate import Execution, evaluate
from mutproof.model.lower import Lowering
from mutproof.model.program import ElementId, Program, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.solving import certify, portfolio
from mutproof.solving.verdict import Certificate, Proved, Refuted, Verdict


@dataclass
class ProofMemory:
    """Keep proofs and counterexamples by property name between versions; mutable."""

    proofs: dict[str, tuple[Holds, frozenset[ElementId]]] = field(default_factory=dict)
    failures: dict[str, Fails] = field(default_factory=dict)
    terms: dict[str, bytes] = field(default_factory=dict)  # digests of the properties proved


@dataclass(frozen=True)
class Proofs:
    """Hold the outcome: findings of all properties, and the proofs with what they rest on."""

    findings: Mapping[str, PropertyFinding]
    holds: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]
    reused: int
    solver_calls: int


def declared_properties(lowering: Lowering) -> dict[str, tuple[str, str]]:
    """Return component and declared name of every property, by its name in the system."""
    return {
        instance.prefix + stated.name: (instance.component, stated.name)
        for instance in lowering.instances
        for stated in lowering.program.component(instance.component).properties
    }


def prove(
    program: Program,
    lowering: Lowering,
    system: TransitionSystem,
    memory: ProofMemory,
    means: Means,
    emit: Callable[[PropertyFinding], None],
    only: tuple[str, ...] = (),
) -> Proofs:
    """Decide the invariant properties of a program; emit each verdict once.

    `only` names the properties to decide, by their name in the system or as declared; none
    means all.
    """
    run = _Run(program, lowering, system, memory, means, emit)
    return run.run(only)


class _Run:
    def __init__(
        self,
        program: Program,
        lowering: Lowering,
        system: TransitionSystem,
        memory: ProofMemory,
        means: Means,
        emit: Callable[[PropertyFinding], None],
    ) -> None:
        self._program = program
        self._system = system
        self._memory = memory
        self._budget = means.budget
        self._spacer = means.spacer
        self._emit_finding = emit
        self._declared = declared_properties(lowering)
        self._started = time.monotonic()
        self._findings: dict[str, PropertyFinding] = {}
        self._holds: dict[str, Holds] = {}
        self._cores: dict[str, frozenset[ElementId]] = {}

    def run(self, only: tuple[str, ...]) -> Proofs:
        goals = [
            p.name
            for p in self._system.properties
            if p.kind is PropertyKind.INVARIANT
            and (not only or p.name in only or self._declared[p.name][1] in only)
        ]
        have = content(self._system)
        for name in goals:
            self._reuse(name, have)
        reused = len(self._findings)
        left = [name for name in goals if name not in self._findings]
        if left:
            advice = tuple(
                dict.fromkeys(
                    lemma for h, _ in self._memory.proofs.values() for lemma in h.certificate.lemmas
                )
            )
            names = self._system.variables.keys()
            known = [lemma for lemma in advice if walk.variables(lemma) <= names]
            portfolio.prove(
                self._system,
                self._budget,
                portfolio.Options(advice=tuple(known), spacer=self._spacer),
                goals=left,
                on_verdict=self._take,
            )
        ordered = {name: self._findings[name] for name in goals}
        return Proofs(ordered, self._holds, self._cores, reused, len(left))

    def _reuse(self, name: str, have: frozenset[bytes]) -> None:
        term = self._system.property(name).term
        if self._memory.terms.get(name) != term.digest:
            return
        if name in self._memory.proofs:
            holds, core = self._memory.proofs[name]
            known = {p.name: p.term.digest for p in self._system.properties}
            same = all(known.get(g) == self._memory.terms.get(g) for g in holds.certificate.goals)
            if same and holds.support <= have:
                self._note_proof(name, holds, core, "kept", 0.0)
        elif name in self._memory.failures:
            failure = self._memory.failures[name]
            execution = evaluate(self._program, failure.choices)
            if execution.assumed and name in execution.violated:
                self._note_failure(name, failure, execution, 0.0)

    def _take(self, name: str, verdict: Verdict) -> None:
        seconds = time.monotonic() - self._started
        match verdict:
            case Proved():
                self._take_proof(name, verdict, seconds)
            case Refuted():
                failure = Fails(verdict.choices, verdict.step, verdict.engine)
                execution = evaluate(self._program, verdict.choices)
                if execution.assumed and name in execution.violated:
                    self._note_failure(name, failure, execution, seconds)
                else:
                    self._note_unknown(name, "the counterexample could not be replayed", 0)
            case _:
                self._note_unknown(name, verdict.reason, verdict.depth)

    def _take_proof(self, name: str, verdict: Proved, seconds: float) -> None:
        core = verdict.core
        if core is None:
            core = certify.core_of(self._system, verdict.certificate, self._budget)
        if core is None:
            core = frozenset(o for o in self._system.by_owner if o is not None)
        certificate = verdict.certificate
        alone = self._alone(name, certificate) if len(certificate.goals) > 1 else None
        if alone is not None:
            certificate, core = alone
        statements = [*certificate.lemmas]
        statements += [self._system.property(goal).term for goal in certificate.goals]
        holds = Holds(certificate, support(self._system, statements, core), verdict.engine)
        self._note_proof(name, holds, core, verdict.engine, seconds)

    def _alone(
        self, name: str, certificate: Certificate
    ) -> tuple[Certificate, frozenset[ElementId]] | None:
        """Return the part of a proof of many properties that one of them needs, and its core.

        Otherwise the proof of each would rest on all that the others read.
        """
        part = slicing.cone(self._system, (name,))
        others = (self._system.property(goal).term for goal in certificate.goals if goal != name)
        within = tuple(
            statement
            for statement in (*certificate.lemmas, *others)
            if walk.variables(statement) <= part.variables.keys()
        )
        whole = Certificate(certificate.k, within, (name,))
        found = certify.support_of(part, whole, self._budget)
        if found is None:
            return None
        reduced = Certificate(certificate.k, found.lemmas, (name,))
        if not certify.certify(part, reduced, self._budget).ok:
            return None
        return reduced, found.owners

    # --- findings ---------------------------------------------------------------------------

    def _emit(self, finding: PropertyFinding) -> None:
        self._findings[finding.name] = finding
        self._emit_finding(finding)

    def _note_proof(
        self, name: str, holds: Holds, core: frozenset[ElementId], engine: str, seconds: float
    ) -> None:
        self._holds[name] = holds
        self._cores[name] = core
        self._memory.proofs[name] = (holds, core)
        self._memory.failures.pop(name, None)
        for goal in holds.certificate.goals:
            self._memory.terms[goal] = self._system.property(goal).term.digest
        self._memory.terms[name] = self._system.property(name).term.digest
        component, declared = self._declared[name]
        shown = holds.how if engine == "kept" else engine
        self._emit(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.PROVED,
                holds.certificate.k,
                shown,
                seconds,
            )
        )

    def _note_failure(
        self, name: str, failure: Fails, execution: Execution, seconds: float
    ) -> None:
        self._memory.failures[name] = failure
        self._memory.proofs.pop(name, None)
        self._memory.terms[name] = self._system.property(name).term.digest
        component, declared = self._declared[name]
        self._emit(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.FALSIFIED,
                execution.violated[name] + 1,
                failure.how,
                seconds,
                trace=execution.trace,
            )
        )

    def _note_unknown(self, name: str, reason: str, depth: int) -> None:
        component, declared = self._declared[name]
        seconds = time.monotonic() - self._started
        self._emit(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.UNKNOWN,
                engine="",
                seconds=seconds,
                reason=reason,
                depth=depth,
            )
        )


def combined(holds: Mapping[str, Holds]) -> Certificate:
    """Return one certificate that proves all goals of the given ones.

    A k-inductive statement is inductive for every larger k, so the conjunction is inductive
    for the largest.
    """
    certificates = {id(h.certificate): h.certificate for h in holds.values()}.values()
    lemmas = dict.fromkeys(lemma for c in certificates for lemma in c.lemmas)
    goals = dict.fromkeys(goal for c in certificates for goal in c.goals)
    return Certificate(max((c.k for c in certificates), default=1), tuple(lemmas), tuple(goals))
