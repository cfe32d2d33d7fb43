"""The ladder: open claims climb rungs, cheapest first, until each is decided or given up.

What costs little is tried on all claims. From the first search on, what may survive comes first,
then what else kills the mutants that are killed; in each step, what somebody looks at, and then
what was edited. Rungs offer candidates; only what the notary confirms counts.
"""

from __future__ import annotations

import weakref
from collections.abc import Callable, Iterator, Sequence
from itertools import groupby
from typing import Any

from mutproof.analyses.bench.bench import BATCH
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.attention import in_turn
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.finding import MutantFinding, Origin
from mutproof.analyses.claims.records import Record, Records
from mutproof.analyses.deciding.checks import check
from mutproof.analyses.deciding.closing import Closing
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.order import groups, together
from mutproof.analyses.deciding.portions import Portions
from mutproof.analyses.deciding.refusals import DOUBT, Refusals
from mutproof.analyses.deciding.rung import (
    AnyRung,
    Candidate,
    Cost,
    NoModel,
    OfferedCertificates,
    Shorter,
    Unanswered,
)
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.model.program import ElementId


class Ladder:
    """Decide the mutants of one program by some rungs; mutable, used once.

    `mutants` has the claims, and `context` the proofs of the model they were decided with.
    """

    def __init__(
        self,
        rungs: Sequence[AnyRung],
        baseline: Baseline,
        mutants: Sequence[Mutant],
        records: Records,
        *,
        means: Means,
        emit: Callable[[MutantFinding], None],
    ) -> None:
        self.mutants = Mutants(baseline, mutants)
        self.context = Context(baseline, self.mutants, records, means)
        self._rungs = rungs
        self._closing = Closing(self.context, emit)
        self._states: dict[object, Any] = {}
        self._left = Portions(self.context)
        self._edited: frozenset[ElementId] = frozenset()  # elements with new mutants
        # What refers to one another waits for the cycle collector.
        closing, ladder = weakref.proxy(self._closing), weakref.proxy(self)

        def react(claim: Claim) -> None:
            ladder.react(claim)

        self.context.open_claims = lambda: [*closing.open()]
        self.context.found = react

    def run(self) -> None:
        """Decide every mutant; emit each once, and again whenever more is known."""
        climbed = [rung for rung in self._rungs if rung.cost <= Cost.ENGINE]
        dear = [number for number, rung in enumerate(climbed) if rung.cost >= Cost.SEARCH]
        first = dear[0] if dear else len(climbed)
        self._edited = self._new()
        known = self.context.records.obligations
        refusals = Refusals(self.context.baseline.program, known, self.context.means)
        chains, waiting = [*_chains(climbed[:first])], dict[int, list[Claim]]()

        def climb(claims: Sequence[Claim], tried: int = 0) -> int:
            """Go on after some chains; return where the rest waits until all mutants arrived."""
            for number, (rung, *followers) in enumerate(chains[tried:], start=tried + 1):
                self._climb(rung, claims, followers)
                if rung.goes_ahead(self._state(rung)):
                    return number
            return len(chains)

        def wait(claims: Sequence[Claim], tried: int) -> None:
            left = [claim for claim in claims if claim in self._closing]
            waiting.setdefault(tried, []).extend(left)

        for portion in self._left.arriving(self._edited):
            arrived = self._arrive(portion, refusals)
            wait(arrived, climb(arrived))
        while (tried := min(waiting, default=len(chains))) < len(chains):
            left = waiting.pop(tried)
            wait(left, climb(left, tried))
        for killed_too in (False, True):
            for cost, rungs in groupby(climbed[first:], lambda rung: rung.cost):
                self._step(cost, [*rungs], killed_too=killed_too)
        self._closing.close()
        for rung in self._rungs:
            if rung.cost is Cost.AFTERWARDS:
                state = self._state(rung)
                told = self._closing.told()
                self._try(rung, [claim for claim in told if rung.applies(state, claim)])
        killed = (claim.name for claim in self._closing.told() if claim.fails)
        self.context.records.kills.searched.update(killed)

    # --- arrival --------------------------------------------------------------------------

    def _arrive(self, portion: Sequence[Mutant], refusals: Refusals) -> list[Claim]:
        """Take in mutants, and set aside those that the front end would refuse; return the rest.

        That precedes any verdict on properties. Rungs of `Cost.LOOKUP` try each mutant before the
        next one is made, and only those left open are lowered.
        """
        context, mutants, records = self.context, self.mutants, self.context.records
        looked_up = dict.fromkeys(rung for rung in self._rungs if rung.cost is Cost.LOOKUP)
        before = refusals.solver_calls
        doubted: list[Claim] = []
        arrived: list[Claim] = []
        for claim in mutants.arrivals(portion, context.means.check_cancelled):
            self._closing.admit(claim)
            arrived.append(claim)
            reason, is_doubtful = self._refusal(claim, refusals)
            if reason:
                record = records.get(claim.name)
                known = record is not None and record.stillborn
                records[claim.name] = Record({}, {}, stillborn=True)
                self._closing.refuse(claim, reason, Origin.KEPT if known else Origin.DECIDED)
            elif is_doubtful:
                doubted.append(claim)
            else:
                if context.relational:
                    mutants.lower(claim)  # which shows whether it may end executions
                for rung in looked_up:
                    if claim in self._closing and rung.applies(self._state(rung), claim):
                        self._try(rung, (claim,))
                        if not claim.open:
                            self._closing.leave(claim, rung.origin)
            if claim in self._closing:
                mutants.lower(claim)
        context.calls += refusals.solver_calls - before
        for claim in doubted:
            self._closing.doubt(claim, DOUBT)
        if not any(mutant.parts for mutant in mutants.by_name.values()):
            records.changes.note(context.baseline.program, mutants.bodies)
        return [claim for claim in arrived if claim in self._closing]

    def _refusal(self, claim: Claim, refusals: Refusals) -> tuple[str, bool]:
        """Return why a mutant is no model, empty if it is one, and whether that is in doubt."""
        arrival = self.mutants.arrived[claim.name]
        known = arrival.refused or arrival.refusal
        if known is not None:
            return known, False
        found = refusals.of(arrival.bodies)
        if found.local:
            arrival.refusal = found.reason
        return found.reason, found.doubt

    def _new(self) -> frozenset[ElementId]:
        """Return the elements with mutants that no earlier version had; empty if all are new."""
        records = self.context.records
        new = [m.element for name, m in self.mutants.by_name.items() if name not in records]
        return frozenset(new) if len(new) < len(self.mutants.by_name) else frozenset()

    # --- climbing -------------------------------------------------------------------------

    def _step(self, cost: Cost, rungs: Sequence[AnyRung], *, killed_too: bool) -> None:
        """Take the open claims through adjacent rungs of one cost.

        From `Cost.SEARCH` on, killed claims wait for the round with `killed_too`.
        """
        if killed_too and cost < Cost.SEARCH:
            return  # these rungs have tried all claims
        claims = self._closing.open()
        if cost >= Cost.SEARCH:
            claims = [claim for claim in claims if bool(claim.fails) is killed_too]
        if cost is not Cost.ENGINE:
            for rung in rungs:
                left = [claim for claim in claims if claim in self._closing]
                self._climb(rung, left)
            return
        self._closing.tell_killed(self._closing.open())
        for claim in in_turn(claims, _changed, self.context.means.attention, self._edited):
            self.context.means.check_cancelled()
            self._closing.lend()
            for rung in rungs:
                if self._is_for(rung, claim) and (killed_too or not claim.fails):
                    self._try(rung, (claim,))
            self._settle((claim,))
            self._closing.report()
            self._closing.tell_killed((claim,))

    def _climb(
        self,
        rung: AnyRung,
        claims: Sequence[Claim],
        followers: Sequence[AnyRung] = (),
        *,
        lends: bool = True,
    ) -> None:
        """Offer claims to a rung in portions, and take off those that it or followers decide.

        If it `lends`, other workers may get claims between portions.
        """
        for portion in self._portions(rung, claims):
            self.context.means.check_cancelled()
            if lends and _may_lend(rung, self.context) and not self._left.lend():
                self._closing.lend()
            left = [claim for claim in portion if self._is_for(rung, claim)]
            if not left:
                continue
            self._try(rung, left)
            if rung.cost >= Cost.QUESTION:
                self._settle(left)
            else:
                self._closing.leave_decided(left, rung.origin)
            if rung.at_once > 1:
                self._closing.report()  # the next ones may take long
                if rung.cost >= Cost.QUESTION or rung.tells:
                    self._closing.tell_killed(left)
            for follower in followers:
                self._climb(follower, left, lends=False)
        self._closing.report()

    def _portions(self, rung: AnyRung, claims: Sequence[Claim]) -> Iterator[Sequence[Claim]]:
        chosen = [claim for claim in claims if self._is_for(rung, claim)]
        if rung.by_element:
            attention = self.context.means.attention
            turns = in_turn(groups(chosen), lambda g: _changed(g[0]), attention, self._edited)
            yield from together(turns, BATCH, lambda group: self._is_urgent(group[0]))
            return
        size = rung.at_once or len(chosen)
        for start in range(0, len(chosen), size or 1):
            yield chosen[start : start + size]

    def _is_for(self, rung: AnyRung, claim: Claim) -> bool:
        if not claim.open or claim not in self._closing:
            return False
        return rung.applies(self._state(rung), claim)

    def _is_urgent(self, claim: Claim) -> bool:
        removed, looked_at = claim.variant.removed, self.context.means.attention()
        return not (removed.isdisjoint(self._edited) and removed.isdisjoint(looked_at))

    def _state(self, rung: AnyRung) -> Any:
        """Return what a rung keeps during this run, begun when first asked for."""
        if rung.begin not in self._states:
            self._states[rung.begin] = rung.begin(self.context)
        return self._states[rung.begin]

    # --- candidates -----------------------------------------------------------------------

    def _try(self, rung: AnyRung, claims: Sequence[Claim]) -> None:
        """Have the candidates that a rung proposes for claims checked."""
        for candidate in rung.propose(self._state(rung), claims):
            self.context.means.check_cancelled()
            self._take(candidate, rung.origin)
            if (
                isinstance(candidate, OfferedCertificates)
                and not rung.by_element
                and not rung.at_once
            ):
                self._settle(candidate.claims)

    def _take(self, candidate: Candidate, origin: Origin | None) -> None:
        match candidate:
            case NoModel(claim, reason):
                self._closing.refuse(claim, reason, origin)
            case Unanswered(claim):
                self._closing.leave(claim, origin)
            case Shorter(claim, probe, settled):
                for goal, failure in probe.fails.items():
                    if failure.step < claim.fails[goal].step:
                        claim.fails[goal] = failure
                self._closing.tell(claim, settled)
            case _:
                check(self.context, candidate)

    def _settle(self, claims: Sequence[Claim]) -> None:
        """Try what was found on the other claims, and take off all that are decided."""
        for claim in claims:
            self.react(claim)
        self._closing.leave_decided()

    def react(self, claim: Claim) -> None:
        """Try what was found out about a claim on the other ones."""
        for rung in self._rungs:
            if rung.cost is Cost.REACTION:
                self._try(rung, (claim,))


def _chains(rungs: Sequence[AnyRung]) -> Iterator[Sequence[AnyRung]]:
    """Yield rungs in order, each with those that follow it."""
    chain: list[AnyRung] = []
    for rung in rungs:
        if chain and not rung.follows:
            yield chain
            chain = []
        chain.append(rung)
    if chain:
        yield chain


def _changed(claim: Claim) -> frozenset[ElementId]:
    return claim.variant.removed


def _may_lend(rung: AnyRung, context: Context) -> bool:
    """Tell whether claims may be handed over: not those that may only need a replay.

    Replays take less than another worker to begin, and what it finds is replayed here again.
    """
    visits = rung.cost is Cost.VISIT and not context.relational
    return rung.by_element or (visits and rung.origin is None)
