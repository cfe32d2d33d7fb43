"""Findings of claims: the verdict, with the execution that kills or the proof of survival."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

from mutproof.analyses.checking.audit import Audit
from mutproof.analyses.checking.baseline import HOW as INHERITED
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.evidence import Fails
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.following import MAY_END
from mutproof.base.identity import ByIdentity
from mutproof.base.lazy import cached_property
from mutproof.model.relational import speaks_of_steps
from mutproof.model.trace import Trace

_SEARCHED = frozenset({"bmc", "exploration"})
"""Values of `how` that search all shorter executions first, so that what they find is shortest."""


class Findings:
    """Make findings of claims; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # Taken when claims are made: proofs found later are of the same properties.
        self._baseline = context.baseline
        self._shared: ByIdentity[tuple[str, int | None]] = ByIdentity()

    def of(
        self, claim: Claim, origin: Origin, seconds: float, *, shortest: bool = False
    ) -> MutantFinding:
        """Return what is known of a claim."""
        killed_by = self._in_order(claim.fails) if claim.fails else ()
        undecided = self._in_order(claim.open) if claim.open else ()
        status = MutantStatus.KILLED if killed_by else MutantStatus.SURVIVED
        if undecided and not killed_by:
            status = MutantStatus.UNKNOWN
        how, k = self._proved_by(claim)
        killer = min(killed_by, key=lambda p: claim.fails[p].step, default="")
        first = claim.fails[killer] if killer else None
        return MutantFinding(
            claim.name,
            status,
            killed_by,
            {p: claim.fails[p].step for p in killed_by},
            undecided,
            self._covered_by(claim),
            how if first is None else first.how,
            k,
            claim.depth if undecided and claim.reason != MAY_END else None,
            claim.reason if undecided else "",
            None if first is None else self._shown(claim.variant, first, killer),
            seconds,
            origin,
            shortest=shortest or is_shortest(claim),
        )

    def contradicted(self, claim: Claim, *, reused: bool = False) -> MutantFinding | None:
        """Return a withdrawn verdict if an execution violates a proof of survival, else None.

        A `reused` verdict is audited again only if the content differs from that of its last audit.
        """
        mutants, records = self._context.mutants, self._context.records
        if reused and claim.name in records.audited(self._context.content):
            return None
        inherited = all(holds.how == INHERITED for holds in claim.holds.values())
        changes = mutants.by_name[claim.name].changes
        if inherited and not self._context.relational and len(changes) == 1:
            # No proof rests on the element, so one execution serves for all of its mutants.
            element = changes[0].element
            found = self._audit.of_element(element, claim.holds.keys())
        else:
            bodies = mutants.bodies[claim.name]
            found = self._audit.of_mutant(claim.name, claim.holds.keys(), bodies, briefly=reused)
        if found is None:
            records.audited(self._context.content).add(claim.name)
            return None
        return MutantFinding(
            claim.name,
            MutantStatus.UNKNOWN,
            undecided=self._in_order(claim.holds.keys()),
            covered_by=self._covered_by(claim),
            depth=found.step,
            reason=Defect.SURVIVOR.reason(f"{found.name} fails", found.step),
            defect=Defect.SURVIVOR,
        )

    @cached_property
    def _audit(self) -> Audit:
        witnesses = self._context.records.witnesses[:1]
        return Audit(self._baseline.meaning, self._baseline.system, witnesses)

    def _covered_by(self, claim: Claim) -> tuple[str, ...]:
        return self._context.mutants.covered_by(claim.name)

    def _shown(self, variant: Variant, failure: Fails, goal: str) -> Trace | None:
        """Return the execution that violates a property, cut after the violation, or None."""
        trace = self._context.replayer.trace(variant, failure, goal)
        stated = self._baseline.system.property(goal)
        steps = failure.step + (2 if speaks_of_steps(stated) else 1)
        if trace is None or trace.choices.loop is not None or trace.length <= steps:
            return trace
        cut = replace(trace.choices, steps=trace.choices.steps[:steps])
        return Trace(cut, trace.steps[:steps], trace.loop)

    def _proved_by(self, claim: Claim) -> tuple[str, int | None]:
        """Return how the properties of a claim were proved, and the depth of the deepest proof."""
        if claim.shares and not claim.open:
            return self._shared.of(lambda: _ways(claim), claim.holds)
        return _ways(claim)

    def _in_order(self, names: Collection[str]) -> tuple[str, ...]:
        """Return names of properties in the order of the system."""
        return tuple(sorted(names, key=self._positions.__getitem__))

    @cached_property
    def _positions(self) -> dict[str, int]:
        stated = self._baseline.system.properties
        return {found.name: number for number, found in enumerate(stated)}


def is_shortest(claim: Claim) -> bool:
    """Tell whether no execution of fewer steps than those that kill a mutant can do so."""
    found = claim.fails.values()
    first = min(found, key=lambda failure: failure.step, default=None)
    if first is None:
        return False
    return not first.step or all(failure.how in _SEARCHED for failure in found)


def has_shortest(context: Context, claim: Claim) -> bool:
    """Tell whether it is on record that nothing kills a mutant of this model earlier."""
    record = context.records.get(claim.name) if claim.fails else None
    return record is not None and any(
        version.shortest
        and version.content == context.content
        and min(failure.step for failure in version.fails.values())
        == min(failure.step for failure in claim.fails.values())
        for version in record.versions()
        if version.fails
    )


def _ways(claim: Claim) -> tuple[str, int | None]:
    ways = dict.fromkeys(evidence.how for evidence in claim.holds.values())
    deepest = max((h.certificate.k for h in claim.holds.values()), default=0) or None
    return ", ".join(ways) or "no property left" if not claim.open else "bmc", deepest
