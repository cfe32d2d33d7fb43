"""Prove the properties of a program, keeping what an earlier version of the file proved."""

from __future__ import annotations

import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from mutproof.analyses import premises, temporal
from mutproof.analyses.audit import Audit
from mutproof.analyses.deciding.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.deciding.notary import DIAGRAMS, Replayed, bounded
from mutproof.analyses.defect import Defect
from mutproof.analyses.edits import NO_SUGGESTIONS, Suggestions
from mutproof.analyses.finding import PropertyFinding, PropertyVerdict
from mutproof.analyses.means import Means
from mutproof.analyses.proof_memory import ProofMemory
from mutproof.analyses.scope import rests_on_all, scope
from mutproof.analyses.variant import content, stating
from mutproof.base.budget import Budget
from mutproof.model import slice as slicing
from mutproof.model import terms, walk
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, Trace
from mutproof.solving import portfolio
from mutproof.solving.bdd.verdict import Computed
from mutproof.solving.shares import Shares
from mutproof.solving.verdict import Certificate, Proved, Refuted, Unknown, Verdict
from mutproof.solving.workshop import Workshop

INITIATION = "initiation"
"""The engine of a proof that needs no steps: no state is a first one."""


@dataclass(frozen=True)
class Proofs:
    """Hold the outcome: findings of all properties, and the proofs with what they rest on."""

    findings: Mapping[str, PropertyFinding]
    holds: Mapping[str, Holds]
    cores: Mapping[str, frozenset[ElementId]]
    reused: int
    solver_calls: int


def prove(
    meaning: Interpretation,
    system: TransitionSystem,
    memory: ProofMemory,
    means: Means,
    emit: Callable[[PropertyFinding], None],
    only: tuple[str, ...] = (),
    empty: str = "",
    suggestions: Suggestions = NO_SUGGESTIONS,
) -> Proofs:
    """Decide the properties of a program; emit each verdict, once more if it says little.

    `only` names the properties to decide, by their name in the system or as declared; none
    means all. `empty` says why nothing could fail, if so. `suggestions` are tried first.
    """
    return _Run(meaning, system, memory, means, emit, empty, suggestions).run(only)


class _Run:
    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        memory: ProofMemory,
        means: Means,
        emit: Callable[[PropertyFinding], None],
        empty: str,
        suggestions: Suggestions,
    ) -> None:
        self._suggestions = suggestions
        self._ran: dict[int, Replayed | None] = {}
        self._meaning = meaning
        self._system = system
        self._memory = memory
        self._means = means
        self._budget = means.budget
        self._notary = means.notary
        self._emit_finding = emit
        self._declared = meaning.declared()
        self._started = time.monotonic()
        self._findings: dict[str, PropertyFinding] = {}
        self._holds: dict[str, Holds] = {}
        self._cores: dict[str, frozenset[ElementId]] = {}
        self._vacuity = empty
        self._slicer = slicing.Slicer(system)
        self._shares: Shares | None = None
        self._audit = Audit(meaning, system, memory.fulfilling.values())

    def run(self, only: tuple[str, ...]) -> Proofs:
        goals = [
            p.name
            for p in self._system.properties
            if not only or p.name in only or self._declared[p.name][1] in only
        ]
        have = content(self._system)
        for name in goals:
            self._reuse(name, have)
        reused = len(self._findings)
        asked = len(left := self._left(goals))
        for name in left:
            self._try_earlier(name)
        left = self._left(goals)
        if self._vacuity:
            self._without_a_beginning(left)
            left = self._left(goals)
        if self._system.relational:
            self._decide_relational(left)
        elif left:
            self._by_engines(left, self._budget, self._take)
        self._check_premises()
        ordered = {name: self._findings[name] for name in goals}
        return Proofs(ordered, self._holds, self._cores, reused, asked)

    def _check_premises(self) -> None:
        """Say of implications that are proved if nothing ever asks for what they promise."""
        memory = self._memory
        known = premises.Known(memory.idle, memory.idle_on, memory.asking)
        for name in premises.idle(self._slicer, self._holds, known, self._means):
            self._emit(replace(self._findings[name], vacuity=premises.IDLE))

    def _without_a_beginning(self, goals: Sequence[str]) -> None:
        """Prove invariants where nothing is reachable: engines search long for a first state."""
        for name in goals:
            if self._system.property(name).kind is not PropertyKind.INVARIANT:
                continue
            certificate = Certificate(1, (terms.FALSE,), (name,))
            if not self._notary.check(self._system, certificate, self._means.middle).ok:
                return
            seconds = time.monotonic() - self._started
            self._take_proof(name, Proved(certificate, None, INITIATION, 1, seconds), seconds)

    def _left(self, goals: Sequence[str]) -> list[str]:
        return [name for name in goals if name not in self._findings]

    def _decide_relational(self, goals: list[str]) -> None:
        """Let engines try the invariants for a while, then diagrams all, then engines again."""
        invariants = [
            name for name in goals if self._system.property(name).kind is PropertyKind.INVARIANT
        ]
        if invariants:
            self._by_engines(invariants, self._means.middle, self._take_conclusive)
        left = self._left(goals)
        if left:
            temporal.decide(self._system, left, self._means, self._run_part, self._take_answer)
        left = self._left(invariants)
        if left:
            self._by_engines(left, self._budget, self._take)

    def _by_engines(
        self, goals: Sequence[str], budget: Budget, take: Callable[[str, Verdict], None]
    ) -> None:
        lemmas = dict.fromkeys(
            lemma for holds, _ in self._memory.proofs.values() for lemma in holds.certificate.lemmas
        )
        names = self._system.variables.keys()
        advice = tuple(lemma for lemma in lemmas if walk.variables(lemma) <= names)
        options = portfolio.Options(
            advice=advice,
            spacer=self._means.spacer,
            heed=self._means.check_cancelled,
            check=self._notary.check,
        )
        portfolio.prove(self._system, budget, options, goals=goals, on_verdict=take)

    def _run_part(self, choices: Choices, how: str, part: TransitionSystem) -> Replayed | None:
        return self._notary.replay(self._meaning, choices, how, part=part)

    def _reuse(self, name: str, have: frozenset[bytes]) -> None:
        if standing := self._memory.standing(name, self._system, have):
            # Elements can have other names now, or state together what one stated before.
            cores = [(stating(self._system, holds.support), holds) for holds in standing]
            core, holds = min(cores, key=lambda one: len(one[0]))
            self._note_proof(name, holds, core, "kept", 0.0)
            return
        if self._memory.terms.get(name) != self._system.property(name).digest:
            return
        if name in self._memory.proofs:
            holds, _ = self._memory.proofs[name]
            witness = None
            # Elements can have other names now, or state together what one stated before.
            core = stating(self._system, holds.support)
            if holds.certificate is UNCERTIFIED:
                have = rests_on_all(self._system, name)
                part = scope(self._system, (name,))
                core = frozenset(c.owner for c in part.constraints if c.owner is not None)
                witness = self._memory.shown.get(name)
            said, before = self._system.said, self._memory.terms
            same = all(said.get(goal) == before.get(goal) for goal in holds.certificate.goals)
            if same and holds.support <= have:
                self._note_proof(name, holds, core, "kept", 0.0, witness)
        elif name in self._memory.failures:
            failure = self._memory.failures[name]
            if failure.support:
                if failure.support <= rests_on_all(self._system, name):
                    self._note_failed(name, failure, self._memory.shown[name], 0.0)
                return
            replayed = self._notary.replay(self._meaning, failure.choices, failure.how)
            if replayed is not None and name in replayed.violated:
                self._note_failure(name, replayed, 0.0)

    def _try_earlier(self, name: str) -> None:
        """Try what proved a property before an edit, or what violated it where it was made."""
        if self._system.property(name).kind is not PropertyKind.INVARIANT:
            return
        for choices in self._suggestions.executions.get(name, ()):
            replayed = self._suggested(choices)
            if replayed is not None and name in replayed.violated:
                self._note_failure(name, replayed, self._elapsed())
                return
        certificates = dict.fromkeys(self._suggestions.certificates.get(name, ()))
        for holds, _ in self._memory.earlier.get(name, ()):
            certificates[holds.certificate] = None  # those first that were made to rest on less
        if name in self._memory.proofs:
            certificates[self._memory.proofs[name][0].certificate] = None
        names = self._system.variables.keys()
        goals = {stated.name for stated in self._system.properties} if certificates else set()
        for certificate in certificates:
            self._means.check_cancelled()
            if (
                certificate is UNCERTIFIED
                or not goals.issuperset(certificate.goals)
                or not all(walk.variables(lemma) <= names for lemma in certificate.lemmas)
            ):
                continue
            found = self._alone(name, certificate)
            if found is not None:
                proved, core = found
                kept = self._notary.resting(self._system, proved, core, "certificate", self._budget)
                if kept is not None:
                    self._note_proof(name, kept, core, "certificate", self._elapsed())
                    return

    def _suggested(self, choices: Choices) -> Replayed | None:
        """Run what is suggested, once for all properties; None where it is no execution."""
        key = id(choices)  # the suggestions keep them alive
        if key not in self._ran:
            self._ran[key] = self._notary.replay(self._meaning, choices, "replay")
        return self._ran[key]

    def _elapsed(self) -> float:
        return time.monotonic() - self._started

    def _take_conclusive(self, name: str, verdict: Verdict) -> None:
        if not isinstance(verdict, Unknown):
            self._take(name, verdict)

    def _take(self, name: str, verdict: Verdict) -> None:
        seconds = time.monotonic() - self._started
        match verdict:
            case Proved():
                self._take_proof(name, verdict, seconds)
            case Refuted():
                replayed = self._notary.replay(self._meaning, verdict.choices, verdict.engine)
                if replayed is not None and name in replayed.violated:
                    self._note_failure(name, replayed, seconds)
                else:
                    self._note_unknown(name, "the counterexample could not be replayed", 0)
            case _:
                self._note_unknown(name, verdict.reason, verdict.depth)

    def _take_answer(self, name: str, answer: temporal.Answer) -> None:
        """Note what diagrams found; invariants they leave open are for engines again."""
        seconds = time.monotonic() - self._started
        if answer.invariant is not None:
            # It was decided once only, so without its certificate it stays open for engines.
            certificate = Certificate(1, (answer.invariant,), (name,))
            if self._notary.check(self._system, certificate, self._budget).ok:
                proved = Proved(certificate, None, DIAGRAMS, 1, seconds)
                self._take_proof(name, proved, seconds)
            return
        match answer.evidence:
            case Holds() as holds:
                self._take_fixed_point(name, holds, answer, seconds)
            case Fails() as fails:
                # Its execution may leave out what the property does not depend on.
                self._memory.failures[name] = bounded(fails, self._system, name)
                self._memory.shown[name] = answer.shown
                self._note_failed(name, fails, answer.shown, seconds)
            case None if answer.number is not None:
                self._note_number(name, answer.number, seconds)
            case None if self._system.property(name).kind is not PropertyKind.INVARIANT:
                self._note_unknown(name, answer.reason, 0)

    def _take_fixed_point(
        self, name: str, holds: Holds, answer: temporal.Answer, seconds: float
    ) -> None:
        core = answer.core
        if core is None:
            core = frozenset(o for o in self._system.by_owner if o is not None)
        self._memory.shown[name] = answer.shown
        empty, self._vacuity = self._vacuity, self._vacuity or answer.vacuity
        self._note_proof(name, holds, core, holds.how, seconds, answer.shown)
        self._vacuity = empty

    def _take_proof(self, name: str, verdict: Proved, seconds: float) -> None:
        certificate, core = verdict.certificate, verdict.core
        if core is None or len(certificate.goals) > 1:
            certificate, core = self._alone(name, certificate) or (certificate, core)
        holds = self._notary.proved(
            self._system, replace(verdict, certificate=certificate, core=core), self._budget
        )
        if holds is None:
            self._note_unknown(name, "the proof could not be checked again", 0)
            return
        if core is None:
            core = frozenset(o for o in self._system.by_owner if o is not None)
        self._note_proof(name, holds, core, verdict.engine, seconds)

    def _alone(
        self, name: str, certificate: Certificate
    ) -> tuple[Certificate, frozenset[ElementId]] | None:
        """Return the part of a proof that a property needs, checked, and its core; None: none."""
        if self._shares is None:
            workshop = Workshop(self._means.check_cancelled)
            self._shares = Shares(self._system, self._budget, workshop, self._notary.check)
        for proof in self._shares.divided(certificate, (name,)):
            return proof.certificate, proof.owners
        return None

    # --- findings ---------------------------------------------------------------------------

    def _emit(self, finding: PropertyFinding) -> None:
        self._findings[finding.name] = finding
        self._emit_finding(finding)

    def _note_proof(
        self,
        name: str,
        holds: Holds,
        core: frozenset[ElementId],
        engine: str,
        seconds: float,
        witness: Trace | None = None,
    ) -> None:
        found = self._audit.of_model((name,))
        if found is not None:
            self._memory.proofs.pop(name, None)
            self._memory.earlier.pop(name, None)
            self._note_unknown(name, "", found.step, Defect.PROOF)
            return
        if not self._vacuity:
            self._holds[name] = holds
            self._cores[name] = core
        if not self._vacuity or holds.certificate is not UNCERTIFIED:
            self._memory.proofs[name] = (holds, core)
            self._memory.keep({name: holds}, self._system)
        self._memory.failures.pop(name, None)
        for goal in holds.certificate.goals:
            self._memory.terms[goal] = self._system.property(goal).digest
        self._memory.terms[name] = self._system.property(name).digest
        component, declared = self._declared[name]
        shown = holds.how if engine == "kept" else engine
        self._emit(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.PROVED,
                holds.certificate.k or None,
                shown,
                seconds,
                trace=witness,
                vacuity=self._vacuity,
            )
        )

    def _note_failure(self, name: str, replayed: Replayed, seconds: float) -> None:
        failure = self._memory.failures[name] = replayed.violated[name]
        self._note_failed(name, failure, replayed.execution.trace, seconds, failure.step + 1)

    def _note_failed(
        self,
        name: str,
        failure: Fails,
        shown: Trace | None,
        seconds: float,
        steps: int | None = None,
    ) -> None:
        self._memory.proofs.pop(name, None)
        self._memory.terms[name] = self._system.property(name).digest
        component, declared = self._declared[name]
        self._emit(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.FALSIFIED,
                shown.length if steps is None and shown is not None else steps,
                failure.how,
                seconds,
                trace=shown,
            )
        )

    def _note_number(self, name: str, found: Computed, seconds: float) -> None:
        component, declared = self._declared[name]
        infinite = "undefined" if found.undefined else "infinity"
        reason = infinite if found.steps is None else ""
        verdict = PropertyVerdict.COMPUTED
        self._emit(
            PropertyFinding(
                name, component, declared, verdict, found.steps, DIAGRAMS, seconds, reason
            )
        )

    def _note_unknown(
        self, name: str, reason: str, depth: int, defect: Defect | None = None
    ) -> None:
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
                reason=reason if defect is None else defect.reason(f"{name} fails", depth),
                depth=depth,
                defect=defect,
            )
        )
