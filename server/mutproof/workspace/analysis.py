"""The analysis of one file: proofs, cores, mutants, as a stream of events.

`analyse` is what a worker process, the command line and the tests run; it does no input or
output. What can be kept between two versions of a file lives in `Memory`.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import field
from functools import partial
from typing import TYPE_CHECKING, Final, TypeAlias

from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.attention import Attention, nowhere
from mutproof.analyses.claims.finding import (
    CoresFinding,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
)
from mutproof.analyses.claims.ledger import Ledger
from mutproof.analyses.claims.lending import Lending
from mutproof.analyses.cores.removals import removals as removed
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving import loop_checks, vacuity
from mutproof.analyses.proving import proofs as proving
from mutproof.analyses.proving.proofs import Proofs
from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.budget import Deadline
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.interpretation import Interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.model.system import TransitionSystem
from mutproof.solving.account import ACCOUNT
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace import core_search, foremost
from mutproof.workspace.counts import counted
from mutproof.workspace.events import Attempted, Event, Lent, Progress, Removed
from mutproof.workspace.findings import Report, not_looked_at
from mutproof.workspace.meaning import meaning_of
from mutproof.workspace.model_run import ModelRun
from mutproof.workspace.options import Options

if TYPE_CHECKING:
    from mutproof.analyses.checking.baseline import Baseline
    from mutproof.workspace.certifying import Certifying


PROVING: Final = 0.5
"""The share of a file's time after which mutants wait no longer for properties that stay open."""

PATIENCE_S: Final = 20.0
"""After how many seconds of deciding mutants, and then survivors, suggestions come first."""


class _PausedError(Exception):
    """Say that a phase was paused for another one; what it found until then stays."""


class Cancelled(Exception):  # noqa: N818 - an outcome, not an error
    """Say that an analysis was given up because its asker no longer wants it."""


Decided: TypeAlias = "tuple[Baseline, tuple[Mutant, ...]]"
"""The baseline that mutants are decided against, and the mutants."""


@dataclass
class Memory(Ledger):
    """Keep what later versions of the same file can reuse: a ledger, and solvers."""

    benches: Benches = field(default_factory=Benches)


def analyse(
    elaborated: Elaborated,
    options: Options,
    memory: Memory,
    emit: Callable[[Event], None],
    *,
    cancelled: Callable[[], bool],
    attention: Attention = nowhere,
    asked: Callable[[], bool] = lambda: False,
) -> Report:
    """Prove the properties, find their cores and decide the mutants; emit each as it is found.

    Mutants of elements that `attention` names come first. If `asked` returns true, some of the open
    mutants may be handed over to other workers; an event names them.

    Raises:
        Cancelled: `cancelled` returned true; what was emitted until then stands.
        ValueError: the text has no program (its diagnostics say why).
        KeyError: there is no such operator or strategy.
        NumberTooLarge: a number would be too long to be computed.
    """
    if elaborated.program is None:
        message = f"{elaborated.parsed.source.name} has no program"
        raise ValueError(message)
    wishes = attention, Lending(asked, lambda names: emit(Lent(names)))
    run = _Analysis(
        elaborated,
        elaborated.program,
        options,
        memory,
        emit=emit,
        cancelled=cancelled,
        wishes=wishes,
    )
    return run.run()


class _Analysis(ModelRun):
    def __init__(
        self,
        elaborated: Elaborated,
        program: Program,
        options: Options,
        memory: Memory,
        *,
        emit: Callable[[Event], None],
        cancelled: Callable[[], bool],
        wishes: tuple[Attention, Lending],
    ) -> None:
        means = Means(
            options.budget, SpacerProcess(), memory.benches, self._check_cancelled, *wishes
        )
        super().__init__(elaborated, options, memory, means, program=program, emit=emit)
        self._cancelled = cancelled
        self._started = time.monotonic()
        self._spent_before = ACCOUNT.spent
        self._mutant_findings: dict[str, MutantFinding] = {}
        self._calls = 0
        self._certifying: Certifying | None = None
        self._until = Deadline.never()

    def _run(self) -> Report:
        meaning = meaning_of(self._elaborated, self._program, self._options)
        system = meaning.system()
        blocked, empty = self._checked(meaning, system)
        if ended := self._undecided(blocked) if blocked else self._refused(meaning.program):
            return ended
        if not empty:
            for fault in loop_checks.faults(system, meaning, self._means, self._memory.proofs):
                self._fault(fault)
        about = self._elaborated, meaning, self._options, self._means, self._memory.records
        waits = self._decides and not (self._options.mutants or empty)
        early = foremost.Foremost(*about, lambda: self._mutants, self._emit) if waits else None
        before = ACCOUNT.spent
        proofs = proving.prove(
            meaning,
            system,
            self._memory.proofs,
            self._means,
            emit=self._property,
            only=self._options.properties,
            empty=empty,
            suggestions=self._memory.records.suggestions(self._program),
            early=early,
            waiting_until=self._waiting_until(),
            leaves=self._options.stage == "soon",
        )
        proved_for = ACCOUNT.spent - before
        self._calls += proofs.solver_calls
        self._check_cancelled()
        properties = dict(proofs.findings)
        part, parts = self._options.share
        if self._options.stage == "mutants" and part == 0 < parts - 1:
            self._emit(Attempted())
        steps = max((found.k or 0 for found in properties.values()), default=0)
        if end := vacuity.deeper(system, self._means, self._faults, meaning.run, steps=steps):
            self._fault(end)
        elif not empty:
            self._find_traps(meaning, system, properties.values())
        if self._options.certify:
            from mutproof.workspace.certifying import Certifying

            self._certifying = Certifying(self._elaborated, system, proofs)
            self._tell(self._certifying.of_model())
        if self._options.mutate and not self._everything:
            from mutproof.workspace.enumeration import nothing_of

            for fault in nothing_of(self._elaborated, self._program, self._options):
                self._fault(fault)
        if self._options.mutate or self._options.suite:
            from mutproof.analyses.proving.always_proved import as_invariants

            meaning, system, proofs = as_invariants(meaning, system, proofs, self._means)
        considered: Decided | None = None
        if self._decides or self._options.suite:
            considered = self._considered(meaning, system, proofs)
        decided = considered if self._decides and proofs.holds else None
        suggestions = self._decide_and_suggest(decided) if self._options.suggest else None
        suite: SuiteFinding | None = None
        if suggestions is None:
            if decided is not None:
                self._mutate(*decided)
            if core_search.waits(self._options, has_lent=self._means.lending.has_lent):
                told = core_search.without_elements(self._mutants, self._memory.records)
                self._emit(Removed(told))
            elif self._options.cores and not self._options.mutants:
                self._find_cores(meaning, system, proofs, properties, proved_for=proved_for)
            if self._options.equivalence and decided is not None:
                self._decide_survivors(*decided)  # last: it can take longest
            if self._options.suite and considered is not None:
                suite = self._make_suite(*considered)
            if (self._options.invariants or self._options.duplicates) and decided is not None:
                from mutproof.workspace.noticing import described

                known = self._mutant_findings, self._means
                self._tell(described(self._options, decided, *known))
        statistics = counted(
            properties.values(),
            self._mutant_findings.values(),
            calls=self._calls,
            seconds=time.monotonic() - self._started,
            refused=self._means.notary.refused.total(),
        )
        self._emit(statistics)
        kept = self._mutant_findings
        found = tuple(kept[m.id] for m in self._mutants if m.id in kept) if kept else ()
        named = tuple(properties.values())
        return Report(named, found, statistics, tuple(self._faults), suggestions, suite=suite)

    def _waiting_until(self) -> Deadline:
        """Return when mutants that are new wait no longer for properties that stay open."""
        if self._options.mutants or self._options.stage == "cores":  # others have given those up
            return Deadline.after(0.0)
        known, left_s = self._memory.records, self._left_s
        is_new = left_s < float("inf") and any(mutant.id not in known for mutant in self._mutants)
        return Deadline.after(left_s * PROVING) if is_new else Deadline.never()

    def _undecided(self, reason: str) -> Report:
        """Report as UNKNOWN all properties, and mutants that no comment suppresses.

        The text may be no model.
        """
        found = not_looked_at(self._program, reason)
        for finding in found:
            self._emit(finding)
        for mutant in self._unsuppressed():
            self._mutant(MutantFinding(mutant.id, MutantStatus.UNKNOWN, reason=reason))
        mutants = tuple(self._mutant_findings.values())
        statistics = counted(found, mutants)
        self._emit(statistics)
        return Report(tuple(found), mutants, statistics, tuple(self._faults))

    @cached_property
    def _mutants(self) -> tuple[Mutant, ...]:
        """Return the mutants of this share, which are those of some of the elements."""
        everything, wanted = self._everything, frozenset(self._options.mutants)
        if wanted:
            return tuple(mutant for mutant in everything if mutant.id in wanted)
        if not everything or self._options.share == (0, 1):
            return everything
        from mutproof.analyses.mutation.sample import of_share

        return of_share(everything, self._options.share)

    @property
    def _everything(self) -> tuple[Mutant, ...]:
        if not self._options.mutate:
            return ()
        from mutproof.workspace.enumeration import enumerate_mutants

        return enumerate_mutants(self._elaborated, self._options)

    @property
    def _decides(self) -> bool:
        """Tell whether mutants are decided in this run."""
        return self._options.mutate and self._options.stage != "cores"

    def _check_cancelled(self) -> None:
        if self._cancelled():
            raise Cancelled
        if self._until.passed():
            raise _PausedError

    def _property(self, finding: PropertyFinding) -> None:
        self._emit(finding)
        self._check_cancelled()

    def _mutant(self, finding: MutantFinding) -> None:
        self._mutant_findings[finding.mutant] = finding
        self._emit(finding)
        self._emit(Progress("mutate", len(self._mutant_findings), self._total))
        self._check_cancelled()

    def _considered(
        self, meaning: Interpretation, system: TransitionSystem, proofs: Proofs
    ) -> Decided:
        """Return the baseline and the mutants that no comment suppresses; report the others."""
        # Here and below, modules that proofs do not need are imported late.
        from mutproof.analyses.checking.baseline import Baseline

        chosen, lasts = self._unsuppressed(), vacuity.lasting(self._faults)
        return Baseline(meaning, system, proofs.holds, proofs.cores, lasts), chosen

    def _unsuppressed(self) -> tuple[Mutant, ...]:
        """Return the mutants that no comment suppresses; report the others."""
        from mutproof.analyses.mutation.suppress import ignored_mutants

        everything = self._mutants
        self._total = len(self._everything)
        source = self._elaborated.parsed.source
        reasons = ignored_mutants(source, self._elaborated.provenance, everything)
        for name, reason in reasons.items():
            self._mutant(MutantFinding(name, MutantStatus.IGNORED, reason=reason))
        return tuple(mutant for mutant in everything if mutant.id not in reasons)

    def _mutate(self, baseline: Baseline, chosen: tuple[Mutant, ...]) -> None:
        """Decide the mutants."""
        from mutproof.analyses.deciding.ladder import Ladder
        from mutproof.analyses.strategies import STRATEGIES

        ladder = Ladder(
            STRATEGIES[self._options.strategy].rungs,
            baseline,
            chosen,
            self._memory.records,
            means=self._means,
            emit=self._mutant,
        )
        try:
            ladder.run()
        finally:
            self._calls += ladder.context.solver_calls
        system = baseline.system
        self._memory.proofs.keep(ladder.context.baseline.proofs, system)  # perhaps new ones
        if short := ladder.context.following.short:
            self._fault(vacuity.not_followed(system, len(short)))
        if self._certifying is not None:
            found = self._mutant_findings
            self._tell(self._certifying.of_survivors(ladder.mutants, chosen, found))

    def _tell(self, events: Iterable[Event]) -> None:
        for event in events:
            if isinstance(event, MutantFinding):
                self._mutant(event)
            else:
                self._emit(event)
            self._check_cancelled()

    def _decide_survivors(self, baseline: Baseline, decided: tuple[Mutant, ...]) -> None:
        from mutproof.workspace.comparing import compared

        known = self._memory.survivors
        found = self._mutant_findings
        for event in compared(self._options, (baseline, decided), found, self._means, known=known):
            self._emit(event)
            if isinstance(event, MutantFinding):
                found[event.mutant] = event
                self._check_cancelled()

    def _make_suite(self, baseline: Baseline, decided: tuple[Mutant, ...]) -> SuiteFinding:
        from mutproof.analyses.suites.make import make
        from mutproof.workspace.suites.keeping import earlier_inputs

        self._emit(Progress("tests", 0, 1))
        options, known = self._options, (baseline, decided, self._mutant_findings, self._means)
        earlier = earlier_inputs(options.earlier, baseline)
        seen, left_s = options.outputs, self._left_s
        found = make(*known, outputs=seen, earlier=earlier, seconds=left_s, tell=self._emit)
        self._emit(found)
        return found

    def _decide_and_suggest(self, decided: Decided | None) -> SuggestionsFinding:
        """Decide mutants and survivors; suggest properties after a while, and again at the end."""
        if decided is None:
            return self._suggest(None, SuggestionsFinding())
        compared = (self._decide_survivors,) if self._options.equivalence else ()
        phases = [partial(work, *decided) for work in (self._mutate, *compared)]
        undone = self._undone(phases, min(PATIENCE_S, self._left_s / 3))
        found = self._suggest(decided, SuggestionsFinding())
        while undone:  # early suggestions are better than none when time is short
            most_s = self._left_s / 2 if self._left_s > PATIENCE_S else self._options.timeout_s
            undone = self._undone(undone, most_s)
            found = self._suggest(decided, found)
        return found

    def _undone(self, phases: list[partial[None]], most_s: float) -> list[partial[None]]:
        """Run each phase for at most `most_s`; return the phases from the first paused one on."""
        undone = []
        for phase in phases:
            self._until = Deadline.after(most_s)
            try:
                phase()
            except _PausedError:
                undone.append(phase)
            finally:
                self._until = Deadline.never()
        return phases[phases.index(undone[0]) :] if undone else []

    @property
    def _left_s(self) -> float:
        """Return the seconds that are left for the file."""
        return self._options.timeout_s - (time.monotonic() - self._started)

    def _suggest(self, decided: Decided | None, earlier: SuggestionsFinding) -> SuggestionsFinding:
        """Look for properties that kill the gaps; emit them, or earlier ones if these kill more."""
        found = earlier
        if decided is not None:
            from mutproof.workspace.suggesting import Suggester

            self._emit(Progress("suggest", 0, 1))
            suggester = Suggester(
                *(self._elaborated, self._options, decided[0], self._means),
                lambda t, o, emit, ends: analyse(t, o, Memory(), emit, cancelled=ends),
                Deadline.after(self._left_s),
                self._emit,
            )
            found = suggester.found(decided[1], self._mutant_findings, earlier)
        self._emit(found)
        return found

    def _find_cores(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        proofs: Proofs,
        properties: dict[str, PropertyFinding],
        *,
        proved_for: int,
    ) -> None:
        """Find cores of the proved properties; the proofs took `proved_for` solver units."""
        records, notary = self._memory.records, self._means.notary
        removals = removed(records, self._everything, meaning, system, notary=notary)
        known = self._memory.cores, removals
        effort = proved_for, core_search.beside_mutants(ACCOUNT.spent - self._spent_before)
        search = core_search.CoreSearch(meaning, system, self._means, *known, *effort)

        def note(name: str, found: CoresFinding) -> None:
            properties[name] = core_search.joined(properties[name], found, self._options)
            self._property(properties[name])

        total = len(core_search.own_part(tuple(proofs.holds), self._options))
        self._emit(Progress("core", 0, total))
        for done, (name, found) in enumerate(search.of(proofs, self._options, note), 1):
            note(name, found)
            self._emit(Progress("core", done, total))
        self._calls += search.solver_calls
