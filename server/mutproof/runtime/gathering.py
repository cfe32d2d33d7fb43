"""Merge the events of several workers on one file into a single stream.

A share counts only if its worker proved the very same properties as the first one; which of the
others fail does not matter. Mutable; owned by the event loop's thread.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import field, replace
from typing import Final, TypeAlias

from mutproof.analyses.claims.finding import (
    LEFT,
    ModelFinding,
    MutantFinding,
    MutantStatus,
    Origin,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.record import dataclass
from mutproof.runtime.jobs import Ending, JobOutcome, Listener
from mutproof.workspace.counts import of_mutants
from mutproof.workspace.events import Attempted, Event, Progress
from mutproof.workspace.report import Listing

GONE: Final = "the worker that went on with it was lost; run again"
DISAGREED: Final = "two workers decide mutants differently"

Baseline: TypeAlias = tuple[tuple[str, str], ...]
"""Name and vacuity of every proved property, on which verdicts on mutants depend."""


_DECIDED: Final = frozenset({MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN})


@dataclass(slots=True)
class _Share:
    """Follow one worker; `settled` once it has tried to prove all properties."""

    properties: dict[str, PropertyFinding] = field(default_factory=dict)
    settled: Baseline | None = None
    held_back: list[Event] = field(default_factory=list)
    progress: dict[str, Progress] = field(default_factory=dict)  # the latest of each stage
    statistics: Statistics | None = None

    def settle(self) -> None:
        if self.settled is None:
            found = self.properties.values()
            proved = (p for p in found if p.verdict is PropertyVerdict.PROVED)
            self.settled = tuple(sorted((p.name, p.vacuity) for p in proved))


class Gathering:
    """Merge the streams of numbered shares; mutable."""

    def __init__(self, listener: Listener) -> None:
        self._shares: list[_Share] = []
        self._listener = listener
        self._listed = False
        self._stages: dict[str, None] = {}  # that were told, in order
        self._reference = 0  # share whose properties are passed on
        self._cores: dict[str, PropertyFinding] = {}
        self._told: dict[str, tuple[MutantStatus, Origin]] = {}
        self._begun: dict[str, MutantFinding] = {}  # killed, but not all is known of them
        self._judged: dict[str, Baseline | None] = {}  # by mutant: the properties that decided it
        self.contradicted: dict[str, None] = {}  # mutants that were decided differently

    def add(self) -> int:
        """Add a share; return its number."""
        self._shares.append(_Share())
        return len(self._shares) - 1

    def begin_again(self, number: int) -> None:
        """Drop the events of a share that were not passed on."""
        self._shares[number] = _Share()

    def hear(self, number: int, event: Listing | Event) -> None:
        """Take in an event of a worker."""
        share = self._shares[number]
        match event:
            case Listing():
                self._begin(number, event)
            case PropertyFinding():
                share.properties[event.name] = replace(event, core=None, must=None, cores=None)
                if number == self._reference:
                    self._listener(self._with_core(event))
                elif event.core is not None or event.cores is not None:
                    self._tell(number, event)
            case ModelFinding():
                if number == self._reference:
                    self._listener(event)
            case MutantFinding():
                # Some are sure before all properties are decided.
                if number == self._reference:
                    self._pass_on(event)
                else:
                    self._tell(number, event)
            case Progress(stage=stage):
                if stage != "prove":
                    share.settle()
                    self._release()
                self._advance(number, event)
            case Attempted():
                share.settle()
                self._release()
            case Statistics():
                share.settle()
                share.statistics = event
                self._release()
            case _:
                if number == self._reference:
                    self._listener(event)

    def astray(self) -> tuple[int, ...]:
        """Return the completed shares that proved other properties than the first."""
        first = self._shares[self._reference].settled
        return tuple(
            number
            for number, share in enumerate(self._shares)
            if share.statistics is not None and share.settled != first
        )

    @property
    def is_settled(self) -> bool:
        """Tell whether the first worker has tried all properties."""
        return self._shares[self._reference].settled is not None

    def is_behind(self, number: int) -> bool:
        """Tell whether a worker decides mutants with fewer properties than the first proved."""
        first, own = self._shares[self._reference].settled, self._shares[number].settled
        return first is not None and own is not None and {*own} < {*first}

    def checked(self, ending: Ending) -> Ending:
        """Return how a job ended; as failed if workers decided mutants differently."""
        if not self.contradicted:
            return ending
        named = ", ".join(self.contradicted)
        return Ending(JobOutcome.FAILED, f"{DISAGREED}: {named}")

    def untold(self, mutants: Iterable[str]) -> tuple[str, ...]:
        """Return those of the mutants without a finding passed on."""
        return tuple(name for name in mutants if name not in self._told)

    def begun(self, mutants: Iterable[str]) -> dict[str, MutantFinding]:
        """Return those of the mutants that are told to be killed, with properties left open."""
        return {name: self._begun[name] for name in mutants if name in self._begun}

    def tell(self, finding: MutantFinding) -> None:
        """Pass on a finding that no worker reports."""
        self._pass_on(finding)

    def close(self) -> None:
        """Pass on the rest; without the first worker, another one's properties count."""
        settled = [number for number, share in enumerate(self._shares) if share.settled is not None]
        if settled and self._reference not in settled:
            told = self._shares[self._reference].properties
            self._reference = settled[0]
            for finding in self._shares[self._reference].properties.values():
                is_open = finding.verdict is PropertyVerdict.UNKNOWN
                before = told.get(finding.name, finding).verdict
                if not is_open or before in {PropertyVerdict.PROVED, PropertyVerdict.UNKNOWN}:
                    gone = finding.reason == LEFT
                    # Mutants were decided without it.
                    self._listener(replace(finding, reason=GONE) if gone else finding)
        self._release()
        known = [s.statistics for s in self._shares if s.statistics is not None]
        if len(self._shares) > 1 and known:
            self._listener(self._counted(known))
        elif known:
            self._listener(known[0])

    def _begin(self, number: int, listing: Listing) -> None:
        # A worker that was started again begins anew; what was passed on stays.
        self.begin_again(number)
        if number == 0 and not self._listed:
            self._listed = True
            self._listener(listing)

    def _tell(self, number: int, event: Event) -> None:
        """Pass on what rests on proved properties, once known to agree with the first worker's."""
        self._shares[number].held_back.append(event)
        self._release()

    def _release(self) -> None:
        first = self._shares[self._reference].settled
        for share in self._shares:
            if first is not None and share.settled == first:
                held_back, share.held_back = share.held_back, []
                for event in held_back:
                    self._pass_on(event)

    def _pass_on(self, event: Event) -> None:
        if isinstance(event, MutantFinding):
            # Two workers report a mutant that was lent after it was decided.
            status, origin = self._told.get(event.mutant, (event.status, event.origin))
            judges = self._shares[self._reference].settled
            same = self._judged.setdefault(event.mutant, judges) in {judges, None}
            if same and status is not event.status and {status, event.status} <= _DECIDED:
                self.contradicted[event.mutant] = None
            self._judged[event.mutant] = judges
            self._told[event.mutant] = event.status, origin
            self._begun.pop(event.mutant, None)
            if event.killed_by and event.undecided:
                self._begun[event.mutant] = event
        if isinstance(event, PropertyFinding):
            self._cores[event.name] = event
            event = self._with_core(self._shares[self._reference].properties[event.name])
        self._listener(event)

    def _with_core(self, finding: PropertyFinding) -> PropertyFinding:
        """Return a finding with the core that another worker found, if it has none."""
        known = self._cores.get(finding.name)
        if known is None or finding.core is not None:
            return finding
        return replace(finding, core=known.core, must=known.must, cores=known.cores)

    def _advance(self, number: int, event: Progress) -> None:
        self._shares[number].progress[event.stage] = event
        if len(self._shares) == 1:
            self._stages[event.stage] = None
            self._listener(event)
            return
        first = self._shares[self._reference]
        # A helper goes through stages that were told already.
        is_behind = event.stage in [*self._stages][:-1]
        if not is_behind and (number == self._reference or first.statistics is not None):
            self._stages[event.stage] = None
            same = [s.progress[event.stage] for s in self._shares if event.stage in s.progress]
            # Every share reports the same total, and only its own work as done.
            total = max(p.total for p in same)
            done = min(total, sum(p.done for p in same))
            self._listener(Progress(event.stage, done, total))

    def _counted(self, known: Sequence[Statistics]) -> Statistics:
        """Join statistics: each mutant counts once, properties as the first worker counted them."""
        return replace(
            known[0],
            **of_mutants(self._told.values()),
            solver_calls=sum(each.solver_calls for each in known),
            defects=sum(each.defects for each in known),
            refused=sum(each.refused for each in known),
            seconds=max(each.seconds for each in known),
        )
