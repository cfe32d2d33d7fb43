"""Kept evidence: what an earlier version of the file decided, where it still stands."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from mutproof.analyses.bench.executions import Executions
from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.claims.evidence import Fails, shown_with
from mutproof.analyses.claims.finding import Origin
from mutproof.analyses.claims.records import Record
from mutproof.analyses.claims.standing import Standing
from mutproof.analyses.claims.variant import decisive
from mutproof.analyses.deciding.context import Context
from mutproof.analyses.deciding.rung import (
    Candidate,
    Cost,
    KnownTogether,
    NoModel,
    OfferedEvidence,
    OfferedExecution,
    Rung,
    Unanswered,
)
from mutproof.base.lazy import cached_property
from mutproof.model.edited_run import EarlierRun
from mutproof.model.trace import Choices

KEPT = "kept"
"""The `how` of an execution that killed a mutant of another version: it may not be shortest."""

MOST_IN_VAIN, COST_IN_VAIN = 48, 4
"""How many more executions may violate nothing any more than do before those that are left are
looked at in compiled code first: an edit may spoil nearly all of them."""


class KeptEvidence:
    """Offer what earlier versions of the file found out about mutants; caches only."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._stated = context.mutants.stated
        # On arrival the memories that only mutants have are unknown: compare with the model.
        self._on_arrival = Standing(context.baseline.system)
        self._in_vain = 0  # how many more executions violated nothing than did
        self._compiled: Executions | None = None  # what is asked first by then

    @cached_property
    def _standing(self) -> Standing:
        same = self._context.system is self._context.baseline.system
        return self._on_arrival if same else Standing(self._context.system)

    def is_known(self, claim: Claim) -> bool:
        """Tell whether a mutant has a record that does not call it stillborn."""
        record = self._context.records.get(claim.name)
        return record is not None and not record.stillborn

    def is_killed_or_open(self, claim: Claim) -> bool:
        """Tell whether the record of a mutant holds anything but proofs."""
        record = self._context.records.get(claim.name)
        return record is not None and (
            record.stillborn
            or record.undecided is not None
            or any(version.fails for version in record.versions())
        )

    def is_replayed(self, claim: Claim) -> bool:
        """Tell whether the record of a mutant holds an execution that killed it."""
        record = self._context.records.get(claim.name)
        return record is not None and any(version.fails for version in record.versions())

    # --- proofs -----------------------------------------------------------------------------

    def proofs(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield the recorded proofs that still stand on a mutant."""
        for claim in claims:
            for version in self._context.records[claim.name].versions():
                if not version.holds.keys().isdisjoint(claim.open):
                    yield from self._proofs(claim, version)

    def _proofs(self, claim: Claim, record: Record) -> Iterator[Candidate]:
        relational, is_lowered = self._context.relational, claim.variant.stated is not None
        standing = self._standing if is_lowered else self._on_arrival
        if not relational and (whole := standing.proofs(claim, record, self._stated)):
            yield KnownTogether(claim, *whole)
            return
        for name, evidence in record.proofs(self._stated) if is_lowered else ():
            if name not in claim.open:
                continue
            if standing.stands(evidence, claim.variant, name):
                yield OfferedEvidence(claim, name, evidence)

    # --- executions -------------------------------------------------------------------------

    def failures(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield recorded failures of which nothing has changed that the replay depended on."""
        for claim in claims:
            yield from self._failures(claim, self._context.records[claim.name])

    def _failures(self, claim: Claim, record: Record) -> Iterator[Candidate]:
        meaning, kills = self._context.baseline.meaning, self._context.records.kills
        if claim.variant.stated is None and claim.name not in kills.searched:
            return  # once it is lowered, a shorter one may be looked for
        bodies = self._context.mutants.bodies[claim.name]
        for version in record.versions() if not record.stillborn else ():
            for goal, failure in version.fails.items():
                if goal not in claim.open or failure.support:
                    continue
                outcome = meaning.outcomes.of(goal, bodies)
                if kills.stands(claim.name, goal, failure, outcome) and (
                    meaning.admits(failure.choices)
                ):
                    yield OfferedEvidence(claim, goal, failure)

    def executions(self, claims: Sequence[Claim]) -> Iterator[Candidate]:
        """Yield recorded executions, and recorded outcomes of attempts that would be repeated."""
        for claim in claims:
            record = self._context.records[claim.name]
            left, question = record.undecided, self._context.question
            if record.stillborn:
                if left is not None and left.question == question:
                    yield NoModel(claim, left.reason)
                continue
            yield from self._failures(claim, record)
            for version in record.versions():
                is_same = version.content == self._context.content
                for goal, failure in version.fails.items():
                    if goal not in claim.open:
                        continue
                    if is_same and not (failure.support or self._context.relational):
                        yield self._repeated(claim, version, failure)
                    if goal in claim.open:
                        how = failure.how if is_same else KEPT
                        yield from self._execution(claim, goal, failure, how)
            if claim.open and left is not None and left.question == question:
                # The same question would have the same answer.
                claim.reason, claim.depth = left.reason, left.depth
                yield Unanswered(claim)

    def _execution(self, claim: Claim, goal: str, failure: Fails, how: str) -> Iterator[Candidate]:
        context, choices = self._context, failure.choices
        if not context.relational or goal not in context.temporal:
            before = context.records.kills.earlier(claim.name, failure)
            if before is not None:
                yield from self._replayed(claim, before.choices, how, before)
            if goal in claim.open and not (before and before.choices.steps == choices.steps):
                yield from self._replayed(claim, choices, how, None)
            return
        if not choices.steps and not failure.support:
            return
        part = decisive(context.system, (goal,), (claim.variant,))
        if not failure.support:
            yield OfferedExecution(claim, choices, how, part=part, goal=goal)
        elif self._standing.stands(failure, claim.variant, goal):
            # No execution of the whole shows it: the part's execution is only for display.
            context.replayer.confirm_part(claim.variant, choices, failure.how, part=part)
            yield OfferedEvidence(claim, goal, failure)

    def _repeated(self, claim: Claim, record: Record, failure: Fails) -> OfferedExecution:
        """Return an execution with all that it violated of this very text."""
        shown = shown_with(record.fails, failure)
        violates = {goal: step for goal, step in shown.items() if goal in claim.open}
        return OfferedExecution(claim, failure.choices, failure.how, violates=violates)

    def _replayed(
        self, claim: Claim, choices: Choices, how: str, before: EarlierRun | None
    ) -> Iterator[Candidate]:
        """Yield an execution; once many were in vain, only if compiled code finds a violation."""
        violates: Mapping[str, int] = {}
        if self._compiled is not None and not choices.functions:
            if not self._context.baseline.meaning.admits(choices):
                return
            found = next(self._compiled.tried((claim,), choices), None)
            if found is None:
                return
            violates = found[2]
        left = len(claim.open)
        yield OfferedExecution(claim, choices, how, before=before, violates=violates)
        useful = len(claim.open) < left
        self._in_vain = max(0, self._in_vain - 1) if useful else self._in_vain + COST_IN_VAIN
        if self._in_vain >= MOST_IN_VAIN and self._compiled is None:
            self._compiled = self._context.executions
            if self._compiled is not None:
                self._compiled.compile(filter(self.is_replayed, self._context.open_claims()))


PROOFS = Rung(
    "kept proofs",
    Cost.LOOKUP,
    KeptEvidence,
    KeptEvidence.proofs,
    KeptEvidence.is_known,
    at_once=1,
    origin=Origin.KEPT,
)

FAILURES = Rung(
    "kept failures",
    Cost.LOOKUP,
    KeptEvidence,
    KeptEvidence.failures,
    KeptEvidence.is_replayed,
    at_once=1,
    origin=Origin.KEPT,
)

OPEN = Rung(
    "kept questions",
    Cost.VISIT,
    KeptEvidence,
    KeptEvidence.executions,
    lambda kept, claim: kept.is_killed_or_open(claim) and not kept.is_replayed(claim),
    at_once=1,
    origin=Origin.KEPT,
)

EXECUTIONS = Rung(
    "kept executions",
    Cost.VISIT,
    KeptEvidence,
    KeptEvidence.executions,
    KeptEvidence.is_replayed,
    at_once=1,
    origin=Origin.REPLAYED,
)
