"""All minimal inductive validity cores of a property, MUST and MAY.

Source: Ghassabani, Whalen and Gacek, FMCAD 2017 and ASE 2018 (All_IVCs); the exploration of
subsets: Liffiton, Previti, Malik and Marques-Silva, Constraints 21(2), 2016 (MARCO).

What is explored is kept small by monotonicity: a proof rests on few elements and shows every
larger set; an execution that breaks few elements shows every set that misses them. MUST is
found first, because each of its elements is decided once and is then in all sets that follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass, field

from mutproof.analyses.deciding.evidence import Fails, Holds
from mutproof.analyses.finding import SEARCHED_ON, CoresFinding
from mutproof.analyses.map_solver import Map, MapUnknownError
from mutproof.analyses.reductions import Reductions
from mutproof.model.program import ElementId


@dataclass(frozen=True, slots=True)
class Limits:
    """Say when to stop looking for more cores of a property.

    `cores` is the most to be found (0: no limit), `seconds` are wall clock for one property.
    `smallest`: stop when no smaller core than the smallest found can exist.
    """

    cores: int = 0
    seconds: float = float("inf")
    smallest: bool = False


def all_cores(
    reductions: Reductions,
    name: str,
    holds: Holds,
    rests_on: frozenset[ElementId],
    limits: Limits,
    on_core: Callable[[CoresFinding], None] = lambda _: None,
) -> CoresFinding:
    """Return the minimal cores of a proved property; `rests_on` are elements that suffice.

    `on_core` hears of what is known whenever there is one core more and the search goes on.
    """
    return _Exploration(reductions, name, holds, rests_on, limits, on_core).run()


@dataclass
class _Exploration:
    reductions: Reductions
    name: str
    holds: Holds
    rests_on: frozenset[ElementId]
    limits: Limits
    on_core: Callable[[CoresFinding], None]
    cores: list[frozenset[ElementId]] = field(default_factory=list)
    corrections: list[frozenset[ElementId]] = field(default_factory=list)
    must: frozenset[ElementId] = frozenset()
    reasons: list[str] = field(default_factory=list)
    minimal: bool = True

    def __post_init__(self) -> None:
        self.universe = self.reductions.universe(self.name)
        self.all = frozenset(self.universe)
        self.given = self.reductions.given(self.name)
        self.deadline = time.monotonic() + self.limits.seconds
        self.reductions.learn(self.name, self.holds)

    def run(self) -> CoresFinding:
        start = min(self.reductions.owners(self.holds, self.all), self.rests_on & self.all, key=len)
        start = self._without_surplus(start)
        known = self._find_must(start)
        if known is None:
            return self._found(complete=True)
        self._explore(known)
        return self._found(complete=not self.reasons)

    def _find_must(self, start: frozenset[ElementId]) -> frozenset[ElementId] | None:
        """Find MUST; return a set that suffices, None where MUST is the only core."""
        must: list[ElementId] = []
        not_needed: set[ElementId] = set()
        smallest = start
        for element in self.universe:
            if element not in start or element in not_needed:
                continue
            if self._late():
                break
            gone = frozenset({element})
            found = self._decide(self.all - gone, in_passing=True)
            if isinstance(found, Holds):
                rest = self.reductions.owners(found, self.all - gone)
                not_needed |= start - rest
                if len(rest) < len(smallest):
                    smallest = rest
            elif found is None:
                self._open(f"whether it holds without {self.reductions.shown(element)}")
            else:
                must.append(element)
        self.must = frozenset(must)
        if smallest == self.must or (
            not self._late() and isinstance(self._decide(self.must, in_passing=True), Holds)
        ):
            # Every core has all of MUST, so no other can be minimal.
            self.cores.append(self.must)
            return None
        return start

    def _explore(self, known: frozenset[ElementId]) -> None:
        """Find the cores one by one: in what the map has left, largest sets first."""
        chart = Map([e for e in self.universe if e not in self.must])
        self._add(chart, self._shrunk(chart, known))
        while not self._enough():
            if self._late():
                return
            try:
                seed = chart.largest()
            except MapUnknownError as error:
                self._open(str(error))
                return
            if seed is None:
                return
            kept = seed | self.must
            found = self._decide(kept)
            if isinstance(found, Holds):
                self._add(chart, self._shrunk(chart, self.reductions.owners(found, kept)))
                continue
            gone = self.all - kept
            if found is None:
                self._open("whether it holds without " + ", ".join(self._names(gone)))
                chart.block_without(gone)  # no correction: it is not known to break the proof
                continue
            fewer = self.reductions.broken(self.name, found, self._ordered(gone))
            self._correct(chart, frozenset(fewer))

    def _shrunk(self, chart: Map, enough: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return a minimal core inside a set that suffices; what breaks proofs goes to the map."""
        core = enough | self.must
        for element in reversed(self._ordered(core - self.must)):
            if element not in core:
                continue
            rest = core - {element}
            if any(correction.isdisjoint(rest) for correction in self.corrections):
                continue
            if self._late():
                self.minimal = False
                break
            found = self._decide(rest)
            if isinstance(found, Holds):
                core = self.reductions.owners(found, rest) | self.must
            elif found is None:
                self._open(f"whether {self.reductions.shown(element)} is needed in a core")
                self.minimal = False
            else:
                gone = self._ordered(self.all - rest)
                fewer = self.reductions.broken(self.name, found, gone)
                self._correct(chart, frozenset(fewer))
        return core

    def _without_surplus(self, enough: frozenset[ElementId]) -> frozenset[ElementId]:
        """Return what a proof from few elements rests on, where there is such a proof."""
        found = self._decide(enough)
        if isinstance(found, Holds):
            return self.reductions.owners(found, enough)
        return enough if found is None else self.all

    # --- bookkeeping --------------------------------------------------------------------------

    def _decide(
        self, kept: frozenset[ElementId], *, in_passing: bool = False
    ) -> Holds | Fails | None:
        gone, everything = self.all - kept, kept | self.given
        if len(gone) == 1 and in_passing:
            # What one removal does is remembered also where other elements come and go.
            question = self.name, "removed", gone
        else:
            question = self.name, "kept", everything
        return self.reductions.decide(question, everything, in_passing=in_passing)

    def _add(self, chart: Map, core: frozenset[ElementId]) -> None:
        self.cores.append(core)
        chart.block_supersets(core - self.must)
        self.on_core(self._found(complete=False))

    def _correct(self, chart: Map, gone: frozenset[ElementId]) -> None:
        self.corrections.append(gone)
        chart.block_without(gone)

    def _open(self, question: str) -> None:
        self.reasons.append(question)

    def _late(self) -> bool:
        late = time.monotonic() > self.deadline
        if late and "out of time" not in self.reasons:
            self._open("out of time")
        return late

    def _enough(self) -> bool:
        if 0 < self.limits.cores <= len(self.cores):
            self._open("as many cores as asked for")
            return True
        if self.limits.smallest and self._smallest():
            self._open("a smallest core is found")
            return True
        return False

    def _smallest(self) -> bool:
        """Tell whether no core can be smaller: each has MUST and something of each correction."""
        disjoint: list[frozenset[ElementId]] = []
        for correction in sorted(self.corrections, key=lambda c: (len(c), self._ordered(c))):
            if all(correction.isdisjoint(other) for other in disjoint):
                disjoint.append(correction)
        return min(map(len, self.cores)) <= len(self.must) + len(disjoint)

    def _ordered(self, elements: frozenset[ElementId]) -> tuple[ElementId, ...]:
        return tuple(e for e in self.universe if e in elements)

    def _names(self, elements: frozenset[ElementId]) -> list[str]:
        return [self.reductions.shown(element) for element in self._ordered(elements)]

    def _found(self, *, complete: bool) -> CoresFinding:
        position = {element: number for number, element in enumerate(self.universe)}
        cores = sorted(
            (tuple(sorted(core, key=position.__getitem__)) for core in self.cores),
            key=lambda core: (len(core), [position[e] for e in core]),
        )
        union = frozenset().union(*self.cores)
        return CoresFinding(
            tuple(cores),
            self._ordered(self.must),
            self._ordered(union - self.must),
            complete,
            self.minimal,
            complete or self._smallest(),
            "" if complete else "; ".join(dict.fromkeys(self.reasons)) or SEARCHED_ON,
        )
