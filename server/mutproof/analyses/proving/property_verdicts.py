"""What is known of the properties of a model: each verdict becomes a finding and is remembered.

Properties that hold are audited on random executions first; a violation makes them UNKNOWN.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence

from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.notary import DIAGRAMS, Replayed
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import Origin, PropertyFinding, PropertyVerdict
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Trace
from mutproof.solving.bdd.verdict import Computed


class PropertyVerdicts:
    """Collect the verdicts on the properties of one model; mutable.

    `vacuity` says why no property could fail, empty if one could; properties that hold then count
    for no core and no mutant. `emit` is called with each finding.
    """

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        memory: ProofMemory,
        emit: Callable[[PropertyFinding], None],
        *,
        vacuity: str,
    ) -> None:
        self.findings: dict[str, PropertyFinding] = {}
        self.holds: dict[str, Holds] = {}
        self.cores: dict[str, frozenset[ElementId]] = {}
        self.vacuity = vacuity
        self._system = system
        self._memory = memory
        self._emit = emit
        self._declared = meaning.declared()
        self._started = time.monotonic()
        self._audit = Audit(meaning, system, memory.fulfilling.values())

    def named(self, only: Sequence[str]) -> list[str]:
        """Return the properties that are named, in the system or as declared; empty means all."""
        return [
            p.name
            for p in self._system.properties
            if not only or p.name in only or self._declared[p.name][1] in only
        ]

    def left(self, goals: Iterable[str]) -> list[str]:
        """Return the properties that have no finding yet."""
        return [name for name in goals if name not in self.findings]

    def elapsed(self) -> float:
        """Return the seconds since this was made."""
        return time.monotonic() - self._started

    def tell(self, finding: PropertyFinding) -> None:
        """Record and emit a finding."""
        self.findings[finding.name] = finding
        self._emit(finding)

    def proved(
        self,
        name: str,
        holds: Holds,
        core: frozenset[ElementId],
        engine: str,
        *,
        seconds: float = 0.0,
        witness: Trace | None = None,
        vacuity: str = "",
        origin: Origin = Origin.DECIDED,
    ) -> None:
        """Record the engine's proof of a property; `vacuity` says why it could not fail, if so."""
        why = self.vacuity or vacuity
        found = self._audit.of_model((name,))
        if found is not None:
            self._memory.proofs.pop(name, None)
            self._memory.earlier.pop(name, None)
            self.undecided(name, "", found.step, Defect.PROOF)
            return
        if not why:
            self.holds[name] = holds
            self.cores[name] = core
        if not why or holds.certificate is not UNCERTIFIED:
            self._memory.proofs[name] = (holds, core)
            self._memory.keep({name: holds}, self._system)
        self._memory.failures.pop(name, None)
        for goal in holds.certificate.goals:
            self._memory.terms[goal] = self._system.property(goal).digest
        self._memory.terms[name] = self._system.property(name).digest
        component, declared = self._declared[name]
        self.tell(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.PROVED,
                holds.certificate.k or None,
                engine,
                seconds,
                trace=witness,
                vacuity=why,
                origin=origin,
            )
        )

    def failed(
        self,
        name: str,
        replayed: Replayed,
        seconds: float = 0.0,
        *,
        origin: Origin = Origin.DECIDED,
    ) -> None:
        """Record that a replayed execution violates a property."""
        failure = self._memory.failures[name] = replayed.violated[name]
        trace, steps = replayed.execution.trace, failure.step + 1
        if failure.support:  # it stands without being replayed
            self._memory.shown[name] = trace
        self.shown_to_fail(name, failure, trace, seconds, steps=steps, origin=origin)

    def shown_to_fail(
        self,
        name: str,
        failure: Fails,
        shown: Trace | None,
        seconds: float = 0.0,
        *,
        steps: int | None = None,
        origin: Origin = Origin.DECIDED,
    ) -> None:
        """Record that a property fails; `shown` is the trace that users see."""
        self._memory.proofs.pop(name, None)
        self._memory.terms[name] = self._system.property(name).digest
        component, declared = self._declared[name]
        self.tell(
            PropertyFinding(
                name,
                component,
                declared,
                PropertyVerdict.FALSIFIED,
                shown.length if steps is None and shown is not None else steps,
                failure.how,
                seconds,
                trace=shown,
                origin=origin,
            )
        )

    def computed(self, name: str, found: Computed, seconds: float) -> None:
        """Record the number that a property asks for."""
        component, declared = self._declared[name]
        infinite = "undefined" if found.undefined else "infinity"
        reason = infinite if found.steps is None else ""
        verdict = PropertyVerdict.COMPUTED
        self.tell(
            PropertyFinding(
                name, component, declared, verdict, found.steps, DIAGRAMS, seconds, reason
            )
        )

    def undecided(self, name: str, reason: str, depth: int, defect: Defect | None = None) -> None:
        """Record that nothing is known of a property, and why."""
        component, declared = self._declared[name]
        seconds = self.elapsed()
        self.tell(
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
