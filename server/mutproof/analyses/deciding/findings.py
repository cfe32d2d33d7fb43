"""Findings of claims: the verdict, with the execution that kills or the proof of survival."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection
from dataclasses import replace
from zlib import crc32

from mutproof.analyses.checking.audit import Audit, Violation
from mutproof.analyses.checking.baseline import HOW as INHERITED
from mutproof.analyses.checking.baseline import SAME_STEPS
from mutproof.analyses.checking.core_audit import CoreAudit
from mutproof.analyses.claims.claim import Claim, Variant
from mutproof.analyses.claims.defect import Defect
from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.claims.kills import Ran, unchanged
from mutproof.analyses.claims.variant import stating
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.following import MAY_END
from mutproof.base.digest import Digest
from mutproof.base.identity import ByIdentity
from mutproof.base.lazy import cached_property
from mutproof.base.rows import width
from mutproof.model.edited_run import exchanged
from mutproof.model.operators import Op
from mutproof.model.program import ElementId, PropertyKind
from mutproof.model.relational import speaks_of_steps
from mutproof.model.trace import Trace
from mutproof.solving.formulas import invariant_of

SAMPLE = 64
"""One in so many kept survivors is audited again after an edit."""

ENOUGH = 3
"""How many mutants of an element that decides nothing are audited if none of them fails."""

_AS_THE_MODEL = frozenset({INHERITED, SAME_STEPS})
"""Values of `how` by which mutants of an element are alike."""

_SEARCHED = frozenset({"bmc", "exploration"})
"""Values of `how` that search all shorter executions first, so that what they find is shortest."""


class Findings:
    """Make findings of claims; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        # Taken when claims are made: proofs found later are of the same properties.
        self._baseline = context.baseline
        self._shared: ByIdentity[tuple[str, int | None]] = ByIdentity()
        self._resting: ByIdentity[frozenset[ElementId]] = ByIdentity()
        self._passed: Counter[tuple[ElementId, frozenset[str]]] = Counter()

    def of(
        self, claim: Claim, origin: Origin, seconds: float, *, shortest: bool = False
    ) -> MutantFinding:
        """Return what is known of a claim; what kills it is kept for later versions."""
        killed_by = self._in_order(claim.fails) if claim.fails else ()
        undecided = self._in_order(claim.open) if claim.open else ()
        status = MutantStatus.KILLED if killed_by else MutantStatus.SURVIVED
        if undecided and not killed_by:
            status = MutantStatus.UNKNOWN
        how, k = self._proved_by(claim)
        killer = min(killed_by, key=lambda p: claim.fails[p].step, default="")
        first = claim.fails[killer] if killer else None
        trace = None if first is None else self._shown(claim.variant, first, killer)
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
            self._keep(claim, killer, trace),
            seconds,
            origin,
            shortest=shortest or is_shortest(self._context, claim),
        )

    def _keep(self, claim: Claim, killer: str, shown: Trace | None) -> Trace | None:
        """Keep the executions that kill a mutant, with what their outcome depends on.

        Return the one that is shown, as it is kept if it is as a whole.
        """
        kills, outcomes = self._context.records.kills, self._baseline.meaning.outcomes
        bodies = self._context.mutants.bodies[claim.name]
        replayed = {goal: failure for goal, failure in claim.fails.items() if not failure.support}
        for goal, failure in replayed.items():
            kills.note(claim.name, goal, failure, outcomes.of(goal, bodies))
        killing = replayed.get(killer)
        if killing is None or shown is None:
            return shown
        ran = Ran(self._baseline.program, exchanged(bodies))
        if not kills.shows(claim.name, killing, ran):
            wanted = outcomes.shown(killer, bodies)
            kills.show(claim.name, killing, shown, ran=ran, wanted=wanted)
        kept = kills.shown(claim.name, killing)
        if kept is None or kept.steps is shown.steps:
            return shown
        return shown if width(kept.steps) < width(shown.steps) else kept

    def contradicted(self, claim: Claim, *, kept: bool = False) -> MutantFinding | None:
        """Return a withdrawn verdict if an execution violates a proof of survival, else None.

        Of a survivor that was audited before, only proofs are audited that it did not have then:
        those that it had say the same of the same constraints. Some survivors are audited again
        whenever the content has changed, in case that what a proof rests on is not all.
        """
        records, content = self._context.records, self._context.content
        known = records.audited(claim.name)
        names: Collection[str] = claim.holds.keys()
        if all(before != content for before, _ in known) and _is_sample(claim.name, content):
            known = ()
        for _, before in known:
            if before is claim.holds:
                names = ()
                break
            names = [name for name in names if not _same(claim.holds[name], before.get(name))]
        found = self._violation(claim, names, kept=kept) if names else None
        if found is None:
            records.audit(claim.name, content, claim.holds)
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

    def _violation(self, claim: Claim, names: Collection[str], *, kept: bool) -> Violation | None:
        mutants, audit = self._context.mutants, self._audit
        own = dict.fromkeys(n for n in names if claim.holds[n].how not in _AS_THE_MODEL)
        changes, bodies = mutants.by_name[claim.name].changes, mutants.bodies[claim.name]
        if self._context.relational or len(changes) > 1:
            # Where no proof rests on an element, some of its mutants stand for the others.
            alike = changes[0].element, frozenset(names)
            stands_for_others = not own and len(changes) == 1
            if stands_for_others and self._passed[alike] >= ENOUGH:
                return None
            found = audit.of_mutant(claim.name, names, bodies, briefly=kept)
            if stands_for_others and found is None:
                self._passed[alike] += 1
            return found
        if own and (found := audit.of_mutant(claim.name, own, bodies, briefly=kept)) is not None:
            return found
        # No other proof rests on the element, so one execution serves for all of its mutants, or
        # even for all elements that the proof does not rest on.
        left: list[str] = []
        for name in names:
            if name in own:
                continue
            holds = claim.holds[name]
            if not self._cores.is_flat or holds.certificate is UNCERTIFIED:
                left.append(name)
                continue
            found = self._cores.of(self._owners(holds), name)
            if found is not None:
                return found
        return audit.of_element(changes[0].element, left) if left else None

    def _owners(self, holds: Holds) -> frozenset[ElementId]:
        return self._resting.of(lambda: stating(self._baseline.system, holds.support), holds)

    @cached_property
    def _cores(self) -> CoreAudit:
        about = self._baseline.meaning, self._baseline.system, self._audit.executions
        return CoreAudit(*about, passed=self._context.records.resting.passed)

    @cached_property
    def _audit(self) -> Audit:
        witnesses = self._context.records.witnesses[:1]
        return Audit(self._baseline.meaning, self._baseline.system, witnesses)

    def _covered_by(self, claim: Claim) -> tuple[str, ...]:
        return self._context.mutants.covered_by(claim.name)

    def _shown(self, variant: Variant, failure: Fails, goal: str) -> Trace | None:
        """Return the execution that violates a property, cut after the violation, or None."""
        kept = self._context.records.kills.shown(variant.name, failure)
        if kept is not None:
            return kept
        trace = self._context.replayer.trace(variant, failure, goal)
        stated = self._baseline.system.property(goal)
        steps = failure.step + (2 if speaks_of_steps(stated) else 1)
        if trace is None or trace.choices.loop is not None or len(trace.choices.steps) <= steps:
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


def _is_sample(name: str, content: Digest) -> bool:
    """Tell whether a survivor is audited again on a content, though its proofs are as before."""
    return crc32(content + name.encode()) % SAMPLE == 0


def _same(now: Holds, then: Holds | None) -> bool:
    return now is then or now == then


def is_shortest(context: Context, claim: Claim) -> bool:
    """Tell whether no execution of fewer steps than those that kill a mutant can do so.

    A path that returns may have fewer states than the beginning of one, where more than single
    states matter.
    """
    found = claim.fails.values()
    first = min(found, key=lambda failure: failure.step, default=None)
    if first is None:
        return False
    return not first.step or all(
        failure.how in _SEARCHED
        and (failure.choices.loop is not None or not _is_of_paths(context, name))
        for name, failure in claim.fails.items()
    )


def _is_of_paths(context: Context, name: str) -> bool:
    """Tell whether a property says more than that something holds of each single state."""
    stated = context.baseline.system.property(name)
    is_invariant = stated.kind is PropertyKind.INVARIANT
    return not is_invariant and all(invariant_of(stated.term, op) is None for op in (Op.G, Op.AG))


def has_shortest(context: Context, claim: Claim) -> bool:
    """Tell whether it is on record that nothing kills a mutant of this model earlier."""
    record = context.records.get(claim.name) if claim.fails else None
    if record is not None and any(
        version.shortest and unchanged(claim.fails, version.fails) for version in record.versions()
    ):
        return True  # what decides the properties is as it was
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
