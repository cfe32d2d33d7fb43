"""How claims leave the ladder: each once, with a finding, when no rung will add anything to it.

Survivors that contradict the assertions of the model are told from others here, and what was
found is put on record for later versions of the file.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Mapping
from dataclasses import replace

from mutproof.analyses.claims.claim import UNCHANGED, Claim
from mutproof.analyses.claims.evidence import Holds
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, Origin
from mutproof.analyses.claims.lending import latter_half
from mutproof.analyses.claims.records import BEGUN, LeftOpen, Record
from mutproof.analyses.deciding.context import Context, left_open
from mutproof.analyses.deciding.findings import Findings, has_shortest
from mutproof.analyses.deciding.order import groups
from mutproof.analyses.proving import vacuity
from mutproof.base.identity import ByIdentity


class Seconds:
    """Charge the time of a run to mutants; all of it adds up to the whole. Mutable."""

    def __init__(self) -> None:
        self.told: dict[str, float] = {}  # by mutant with a verdict
        self._charged = time.monotonic()
        self._share = 0.0

    def charge(self, name: str) -> float:
        """Return the seconds spent on a mutant so far, the time since the last charge included."""
        self.told[name] = self.told.get(name, 0.0) + self._since() + self._share
        return self.told[name]

    def divide(self, parts: int) -> None:
        """Divide the time until now equally among the next `parts` mutants charged."""
        self._share = self._since() / parts if parts else 0.0

    def _since(self) -> float:
        now = time.monotonic()
        own, self._charged = now - self._charged, now
        return own


class Closing:
    """Take finished claims off the ladder and `emit` a finding for each; mutable."""

    def __init__(self, context: Context, emit: Callable[[MutantFinding], None]) -> None:
        self.seconds = Seconds()
        self._shortest: set[str] = set()  # killed mutants that no shorter execution kills
        self._settled: dict[str, frozenset[str]] = {}  # by mutant: properties that fail no earlier
        self._context = context
        self._emit = emit
        self._findings = Findings(context)
        self._present: dict[str, Claim] = {}
        self._no_models: set[str] = set()
        self._killed: set[str] = set()  # told to be killed while they stay
        self._origins: dict[str, Origin] = {}
        self._pending: list[Claim] = []
        self._proofs: ByIdentity[dict[str, Holds]] = ByIdentity()

    def __contains__(self, claim: Claim) -> bool:
        """Tell whether a claim is still on the ladder."""
        return claim.name in self._present

    def admit(self, claim: Claim) -> None:
        """Take in a claim."""
        self._present[claim.name] = claim

    def open(self) -> list[Claim]:
        """Return the claims with an open property."""
        return [claim for claim in self._present.values() if claim.open]

    def refuse(self, claim: Claim, reason: str, origin: Origin | None = None) -> None:
        """Report that a claim is stillborn, and take it off the ladder.

        Without an `origin` it was found just now, and is put on record.
        """
        if origin is None:  # recorded with its question, so as not to ask again
            left = left_open(self._context, claim.name, reason, 0)
            self._context.records[claim.name] = Record({}, {}, stillborn=True, undecided=left)
            origin = Origin.DECIDED
        self._present.pop(claim.name, None)
        self._no_models.add(claim.name)
        seconds = self.seconds.charge(claim.name)
        status = MutantStatus.STILLBORN
        self._emit(MutantFinding(claim.name, status, reason=reason, seconds=seconds, origin=origin))

    def doubt(self, claim: Claim, reason: str) -> None:
        """Take off the ladder a claim that may not be a model, and report the doubt."""
        del self._present[claim.name]
        claim.reason = reason
        self.tell(claim)

    def leave(self, claim: Claim, origin: Origin | None = None) -> None:
        """Take a claim off the ladder and report what is known of it."""
        if self._present.pop(claim.name, None) is None:
            return
        if self._context.relational and not (claim.open or claim.fails) and claim.vacuity:
            self.refuse(claim, claim.vacuity)  # no property could be violated
            return
        if origin is not None:
            self._origins[claim.name] = origin
        unseen = claim.variant.system is not None  # by the rungs that examine dead ends
        if (claim.fails and not unseen) or not self._context.may_block(claim):
            self.tell(claim)
            return
        self._context.mutants.lower(claim)
        self._pending.append(claim)

    def leave_decided(
        self, among: Iterable[Claim] | None = None, origin: Origin | None = None
    ) -> None:
        """Report, and take off the ladder, the claims that have no open property; all by default.

        They share equally the time spent since claims last left.
        """
        claims = self._present.values() if among is None else among
        decided = [claim for claim in claims if not claim.open and claim in self]
        self.seconds.divide(len(decided))
        for claim in decided:
            self.leave(claim, origin)
        self.seconds.divide(0)

    def close(self) -> None:
        """Report all remaining claims, and take them off the ladder."""
        left = list(self._present.values())
        self.seconds.divide(len(left))
        for claim in left:
            self.leave(claim)
        self.report()

    def report(self) -> None:
        """Tell survivors from mutants that contradict the assertions of the model."""
        pending, self._pending = self._pending, []
        if not pending:
            return
        assumptions = self._context.assumptions
        whole = Claim(UNCHANGED, set())
        assumptions.dead_ends([whole])
        # If executions of the model itself end, those of a mutant may end as well.
        if assumptions.longest(whole) is None:
            known: list[Claim] = []
            relational, following = self._context.relational, self._context.following
            asked = [c for c in pending if not (relational and following.lasts(c))]
            for group in groups(asked):
                self._context.means.check_cancelled()
                known += assumptions.dead_ends(group)
            assumptions.deep_ends([whole])
            if assumptions.longest(whole) is None:
                assumptions.deep_ends(asked)
            known_names = {claim.name for claim in known}
            for group in groups(asked):
                for claim in group:
                    if assumptions.longest(claim) is not None:
                        kept = claim.name in known_names
                        origin = Origin.KEPT if kept else Origin.DECIDED
                        self._context.records[claim.name] = self._record(claim)
                        self.refuse(claim, _contradiction(self._context, claim), origin)
        for claim in pending:
            if self._context.relational and claim.name not in self._no_models:
                ends = self._context.following.end(claim)
                if ends:
                    self.refuse(claim, ends)
            self.tell(claim)

    def tell_killed(self, claims: Iterable[Claim]) -> None:
        """Tell once what is known to kill claims that stay: what else does may take long to find.

        Nothing of that is put on record, as they are told again when they leave. Why properties are
        open is not told: what was tried by now does not say that.
        """
        relational, following = self._context.relational, self._context.following
        for claim in claims:
            if not (claim.fails and claim in self) or claim.name in self._killed:
                continue
            if relational and self._context.may_block(claim) and not following.lasts(claim):
                continue  # diagrams may still find that there is no model
            if claim.open:
                self._killed.add(claim.name)
                seconds = self.seconds.told.get(claim.name, 0.0)
                found = self._findings.of(claim, Origin.DECIDED, seconds)
                self._emit(replace(found, reason=""))

    def tell(self, claim: Claim, settled: frozenset[str] = frozenset()) -> None:
        """Tell what is known of a claim, and put it on record; more may be told later.

        The `settled` properties are known to fail no earlier.
        """
        if claim.name in self._no_models:
            return
        settled = self._settled[claim.name] = self._settled.get(claim.name, frozenset()) | settled
        name, records = claim.name, self._context.records
        usual = Origin.REPROVED if name in self._context.known else Origin.DECIDED
        origin = self._origins.get(name, usual)
        if not claim.fails and not claim.open:
            withdrawn = self._findings.contradicted(claim, kept=origin is Origin.KEPT)
            if withdrawn is not None:
                records.forget(name)
                self._emit(replace(withdrawn, seconds=self.seconds.charge(name)))
                return
        if claim.fails and (settled >= claim.fails.keys() or has_shortest(self._context, claim)):
            self._shortest.add(name)
        records[name] = self._record(claim)
        seconds = self.seconds.charge(name)
        shortest = name in self._shortest
        self._emit(self._findings.of(claim, origin, seconds, shortest=shortest))

    def told(self) -> list[Claim]:
        """Return the claims that have left with a verdict in this run."""
        claims = self._context.mutants.claims
        return [claims[name] for name in self.seconds.told if name not in self._no_models]

    def lend(self) -> None:
        """Hand the open claims of about half of the elements to a worker that asks for work.

        What is known of them is put on record first.
        """
        means = self._context.means
        if not means.lending.asked():
            return
        looked_at = means.attention()
        # Elements that the user looks at stay here, to be decided next.
        open_groups = sorted(
            groups(self.open()), key=lambda group: looked_at.isdisjoint(group[0].variant.removed)
        )
        given = latter_half(open_groups)
        for claim in given:
            del self._present[claim.name]
            if claim.holds or claim.fails:
                known = claim.name in self._context.known
                begun = None if known else LeftOpen(BEGUN, "", claim.depth)
                record = replace(self._record(claim), undecided=begun)
                self._context.records[claim.name] = record
        if given:
            means.lending.lend(tuple(claim.name for claim in given))

    # --- private --------------------------------------------------------------------------

    def _record(self, claim: Claim) -> Record:
        left = None
        if claim.open:
            left = left_open(self._context, claim.name, claim.reason, claim.depth)
        # The proofs of a closed claim do not change any more. Many claims have the same ones, for
        # which later versions find out only once whether they stand.
        before = self._context.records.get(claim.name)
        holds: Mapping[str, Holds]
        if claim.shares and before is not None and before.holds is claim.holds:
            holds = before.holds
        else:
            own = dict(claim.holds) if claim.open else claim.holds
            parts = (own,) if claim.shares and not claim.open else (*own, *own.values())
            holds = self._proofs.of(lambda: own, *parts)
        stated = self._context.mutants.stated
        found = Record(
            holds,
            dict(claim.fails),
            undecided=left,
            stated=stated,
            content=self._context.content,
            shortest=claim.name in self._shortest,
        )
        return found.after(before)


def _contradiction(context: Context, claim: Claim) -> str:
    """Return why a survivor is stillborn: the assertions leave it no longer executions."""
    system = context.baseline.system
    length = context.assumptions.longest(claim)
    assert length is not None
    ends = vacuity.too_short(system, length)
    return f"contradicts the {vacuity.restrictions(system)}: {ends}"
