"""All minimal inductive validity cores of a property, MUST and MAY.

Source: Ghassabani, Whalen and Gacek, FMCAD 2017 and ASE 2018 (All_IVCs); the exploration of
subsets: Liffiton, Previti, Malik and Marques-Silva, Constraints 21(2), 2016 (MARCO).

What is explored is kept small by monotonicity: a proof rests on few elements and shows every
larger set; an execution that breaks few elements shows every set that misses them. MUST is
found first, because each of its elements is decided once and is then in all sets that follow.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence

from mutproof.analyses.claims.evidence import UNCERTIFIED, Fails, Holds
from mutproof.analyses.claims.finding import ENOUGH, SEARCHED_ON, CoresFinding
from mutproof.analyses.cores.map_solver import Map, MapUnknownError
from mutproof.analyses.cores.reductions import Reductions
from mutproof.base.record import dataclass
from mutproof.model.program import ElementId


@dataclass(frozen=True, slots=True)
class CoreLimits:
    """Say when to stop looking for more cores of a property.

    `cores` is the most to be found (0: no limit), `seconds` are wall clock for one property.
    `smallest`: stop when no smaller core than the smallest found can exist. `engine_units` are what
    engines may spend on all properties together (None: no limit).
    """

    cores: int = 0
    seconds: float = float("inf")
    smallest: bool = False
    engine_units: int | None = None

    @property
    def all_wanted(self) -> bool:
        """Tell whether all are sought: those are the same in whatever order they are found."""
        return not self.cores and not self.smallest


@dataclass(frozen=True, slots=True)
class CoreProof:
    """Hold a proved property, and elements that suffice for its proof."""

    name: str
    holds: Holds
    rests_on: frozenset[ElementId]


class Exploration:
    """Look for the minimal cores of one proved property; used once.

    `start` are elements that suffice for a proof; `trim` makes them fewer, once, before `run`.
    """

    def __init__(self, reductions: Reductions, proof: CoreProof, limits: CoreLimits) -> None:
        self._reductions = reductions
        self._proof = proof
        self._limits = limits
        self._all = frozenset(reductions.universe)
        self._on_core: Callable[[CoresFinding], None] = lambda _: None
        self._deadline = float("inf")
        self._cores: list[frozenset[ElementId]] = []
        self._corrections: list[frozenset[ElementId]] = []
        self._must: frozenset[ElementId] = frozenset()
        self._reasons: list[str] = []
        self._minimal = True
        reductions.learn(proof.name, proof.holds)
        known = reductions.owners(proof.holds, self._all)
        self.start = min(known, proof.rests_on & self._all, key=len)

    def trim(self) -> None:
        """Leave out what a certificate does without, unless all of it is known to be needed."""
        name, holds, reductions = self._proof.name, self._proof.holds, self._reductions
        if holds.certificate is UNCERTIFIED:
            return
        alone = (reductions.without(name, element) for element in self.start)
        if holds.support <= reductions.cone.content and all(isinstance(a, Fails) for a in alone):
            return
        gone = self._all - self.start
        found = reductions.decide(name, gone, in_passing=self._limits.all_wanted)
        if isinstance(found, Holds):
            self.start = reductions.owners(found, self.start)
        elif found is not None:
            self.start = self._all

    def run(self, on_core: Callable[[CoresFinding], None] = lambda _: None) -> CoresFinding:
        """Return the cores; `on_core` is called with what is known after each new core."""
        self._on_core = on_core
        self._deadline = time.monotonic() + self._limits.seconds
        if self._proof.holds.certificate is UNCERTIFIED:
            # Its support is all elements, most of which can be left out at once.
            self.start = self._shrunk(self.start)
        known = self._find_must(self.start)
        if known is None:
            return self._found(complete=True)
        self._explore(known)
        return self._found(complete=not self._reasons)

    def _find_must(self, start: frozenset[ElementId]) -> frozenset[ElementId] | None:
        """Find MUST; return elements that suffice for a proof, None if MUST is the only core."""
        must: list[ElementId] = []
        not_needed: set[ElementId] = set()
        smallest = start
        for element in self._reductions.universe:
            gone = frozenset({element})
            if gone in self._corrections:
                must.append(element)
                continue
            if element not in start or element in not_needed:
                continue
            if self._late():
                break
            found = self._reductions.decide(self._proof.name, gone, in_passing=True)
            if isinstance(found, Holds):
                rest = self._reductions.owners(found, self._all - gone)
                not_needed |= start - rest
                if len(rest) < len(smallest):
                    smallest = rest
            elif found is None:
                self._open(f"whether it holds without {self._reductions.shown(element)}")
            else:
                must.append(element)
        self._must = frozenset(must)
        enough = smallest == self._must
        if not enough and not self._late():
            found = self._reductions.decide(
                self._proof.name, self._all - self._must, in_passing=True
            )
            enough = isinstance(found, Holds)
            if isinstance(found, Fails):
                self._correct(found, self._must, None)
        if enough:
            # Every core contains MUST, so no other one is minimal.
            self._cores.append(self._must)
            return None
        return start

    def _explore(self, known: frozenset[ElementId]) -> None:
        """Find the cores one by one, from the largest unexplored subsets of the map."""
        chart = Map([e for e in self._reductions.universe if e not in self._must])
        for correction in self._corrections:
            if correction.isdisjoint(self._must):
                chart.block_without(correction)
        self._add(chart, self._shrunk(known, chart))
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
            kept = seed | self._must
            gone = self._all - kept
            found = self._reductions.decide(
                self._proof.name, gone, in_passing=self._limits.all_wanted
            )
            if isinstance(found, Holds):
                self._add(chart, self._shrunk(self._reductions.owners(found, kept), chart))
                continue
            if found is None:
                self._open("whether it holds without " + ", ".join(self._names(gone)))
                chart.block_without(gone)  # no correction: undecided, not known to break the proof
                continue
            self._correct(found, kept, chart)

    def _shrunk(
        self, enough: frozenset[ElementId], chart: Map | None = None
    ) -> frozenset[ElementId]:
        """Return a minimal core among sufficient elements; corrections found go to the map.

        Large pieces are left out first: one question settles a piece of which nothing is needed.
        """
        core = enough | self._must
        pieces: list[Sequence[ElementId]] = [self._ordered(core - self._must)]
        while pieces:
            piece = [element for element in pieces.pop() if element in core]
            rest = core.difference(piece)
            if not piece:
                continue
            if any(correction.isdisjoint(rest) for correction in self._corrections):
                pieces += _halves(piece)
                continue
            if self._late():
                self._minimal = False
                break
            found = self._reductions.decide(
                self._proof.name, self._all - rest, in_passing=self._limits.all_wanted
            )
            if isinstance(found, Holds):
                core = self._reductions.owners(found, rest) | self._must
                continue
            if isinstance(found, Fails):
                self._correct(found, rest, chart)
            pieces += _halves(piece)
            if found is None and len(piece) == 1:
                self._open(f"whether {self._reductions.shown(piece[0])} is needed in a core")
                self._minimal = False
        return core

    # --- bookkeeping --------------------------------------------------------------------------

    def _add(self, chart: Map, core: frozenset[ElementId]) -> None:
        self._cores.append(core)
        chart.block_supersets(core - self._must)
        self._on_core(self._found(complete=False))

    def _correct(self, fails: Fails, kept: frozenset[ElementId], chart: Map | None) -> None:
        """Note removed elements without which the property fails.

        They are as few as its failure shows where that saves questions: not for a single core,
        as MUST is found first.
        """
        gone = self._all - kept
        if self._limits.cores != 1:
            removed = self._ordered(gone)
            gone = frozenset(self._reductions.broken(self._proof.name, fails, removed))
        self._corrections.append(gone)
        if chart is not None:
            chart.block_without(gone)

    def _open(self, question: str) -> None:
        self._reasons.append(question)

    def _late(self) -> bool:
        late = time.monotonic() > self._deadline
        if late and "out of time" not in self._reasons:
            self._open("out of time")
        return late

    def _enough(self) -> bool:
        if 0 < self._limits.cores <= len(self._cores):
            self._open(ENOUGH)
            return True
        if self._limits.smallest and self._smallest():
            self._open("a smallest core is found")
            return True
        return False

    def _smallest(self) -> bool:
        """Tell whether a core found is as small as MUST and disjoint corrections allow."""
        disjoint: list[frozenset[ElementId]] = []
        others = [
            correction for correction in self._corrections if correction.isdisjoint(self._must)
        ]
        for correction in sorted(others, key=lambda c: (len(c), self._ordered(c))):
            if all(correction.isdisjoint(other) for other in disjoint):
                disjoint.append(correction)
        return min(map(len, self._cores)) <= len(self._must) + len(disjoint)

    def _ordered(self, elements: frozenset[ElementId]) -> tuple[ElementId, ...]:
        return tuple(e for e in self._reductions.universe if e in elements)

    def _names(self, elements: frozenset[ElementId]) -> list[str]:
        return [self._reductions.shown(element) for element in self._ordered(elements)]

    def _found(self, *, complete: bool) -> CoresFinding:
        position = {element: number for number, element in enumerate(self._reductions.universe)}
        cores = sorted(
            (tuple(sorted(core, key=position.__getitem__)) for core in self._cores),
            key=lambda core: (len(core), [position[e] for e in core]),
        )
        union = frozenset().union(*self._cores)
        return CoresFinding(
            tuple(cores),
            self._ordered(self._must),
            self._ordered(union - self._must),
            complete,
            self._minimal,
            complete or self._smallest(),
            "" if complete else "; ".join(dict.fromkeys(self._reasons)) or SEARCHED_ON,
        )


def _halves(elements: Sequence[ElementId]) -> list[Sequence[ElementId]]:
    """Return the halves of some elements; nothing for a single one, which was tried."""
    middle = len(elements) // 2
    return [elements[:middle], elements[middle:]] if middle else []
