"""What is told of mutants before all properties are decided: some of these may take long.

What a property does not depend on it cannot notice. So a mutant survives as soon as all properties
that depend on its element are decided. What kills a mutant does so whatever is proved later.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.claims.lending import Lending
from mutproof.analyses.claims.records import Records
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving.proofs import Proofs
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model.instances import calls
from mutproof.model.interpretation import Interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.workspace.options import Options

if TYPE_CHECKING:
    from mutproof.analyses.deciding.rung import Cost

LEAST_GOALS = 24
"""Fewer properties are proved before anybody waits."""

MOST_LOOKED_AT = 1_000_000
"""Where there are more pairs of a property and a constraint, it takes too long to find cones."""

MOST_FIRST = 8
"""How many properties are proved first."""


@dataclass(frozen=True)
class Foremost:
    """Decide mutants of a model while properties are open, and emit what is sure of them.

    Nothing is put on `records`: there an execution counts as that of another version, which may not
    be the shortest.
    """

    elaborated: Elaborated
    meaning: Interpretation
    options: Options
    means: Means
    records: Records
    mutants: Callable[[], Iterable[Mutant]]
    emit: Callable[[MutantFinding], None]

    def first(self) -> frozenset[str]:
        """Return which properties to prove first; none if few are asked about."""
        system = self.meaning.system()
        goals, size = len(system.properties), len(system.constraints)
        if self.options.properties or goals < LEAST_GOALS or goals * size > MOST_LOOKED_AT:
            return frozenset()
        if not self._is_plain:
            return frozenset()
        # On what few properties depend, most likely those depend that depend on most.
        cones = self._cones
        return frozenset(sorted(cones, key=lambda name: -len(cones[name]))[:MOST_FIRST])

    def tell(self, proofs: Proofs) -> None:
        """Tell what survives because neither a proof nor an open property rests on its element."""
        from mutproof.analyses.deciding.rung import Cost

        not_yet = self._open(proofs).union(*proofs.cores.values())
        chosen = [one for one in self.mutants() if not one.parts and one.element not in not_yet]
        self._decide(proofs, chosen, Records(), most=Cost.LOOKUP)

    def tell_meanwhile(self, proofs: Proofs) -> None:
        """Tell what is killed, and what no open property may notice, as far as that is cheap.

        Where executions may end that is not cheap: those of each mutant are looked at.
        """
        from mutproof.analyses.deciding.rung import Cost

        if not self._may_end:
            self._decide(proofs, [*self.mutants()], self.records.copied(), most=Cost.VISIT)

    def _decide(
        self, proofs: Proofs, mutants: Sequence[Mutant], records: Records, *, most: Cost
    ) -> None:
        from mutproof.analyses.checking.baseline import Baseline
        from mutproof.analyses.deciding.ladder import Ladder
        from mutproof.analyses.mutation.suppress import ignored_mutants
        from mutproof.analyses.strategies import STRATEGIES

        source, provenance = self.elaborated.parsed.source, self.elaborated.provenance
        ignored = ignored_mutants(source, provenance, mutants)
        chosen = [mutant for mutant in mutants if mutant.id not in ignored]
        if not (chosen and proofs.holds):
            return
        not_yet = self._open(proofs) if self._is_plain else frozenset(m.element for m in chosen)
        lasting = {m.id for m in chosen if not m.parts and m.element not in not_yet}

        def told(finding: MutantFinding) -> None:
            survives = finding.status is MutantStatus.SURVIVED and finding.mutant in lasting
            if survives or finding.status in {MutantStatus.KILLED, MutantStatus.STILLBORN}:
                self.emit(finding)

        baseline = Baseline(self.meaning, self.meaning.system(), proofs.holds, proofs.cores)
        rungs = [one for one in STRATEGIES[self.options.strategy].rungs if one.cost <= most]
        means = replace(self.means, lending=Lending())
        Ladder(rungs, baseline, chosen, records, means=means, emit=told).run()

    def _open(self, proofs: Proofs) -> frozenset[ElementId]:
        """Return the elements that open properties depend on."""
        cones = (cone for name, cone in self._cones.items() if name not in proofs.findings)
        return frozenset[ElementId]().union(*cones)

    @cached_property
    def _cones(self) -> Mapping[str, frozenset[ElementId]]:
        system = self.meaning.system()
        slicer = Slicer(system)
        return {stated.name: slicer.influencing(stated.name) for stated in system.properties}

    @cached_property
    def _is_plain(self) -> bool:
        """Tell whether a mutant concerns only what depends on its element.

        It may concern more where called nodes have memories in common, or executions may end.
        """
        return not self._may_end and not any(
            True for one in self.meaning.program.elements() for _ in calls(one.body)
        )

    @cached_property
    def _may_end(self) -> bool:
        system = self.meaning.system()
        return system.relational or any(one.defines is None for one in system.constraints)
