"""What users ask of the search for cores, how it is answered, and what they see of its outcome."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from mutproof.analyses.cores import CoreLimits, CoreProof, Cores, Evidence
from mutproof.analyses.finding import ENOUGH, CoresFinding, PropertyFinding
from mutproof.analyses.means import Means
from mutproof.analyses.reductions import Removals
from mutproof.analyses.refinement import Refinement
from mutproof.base.record import dataclass
from mutproof.model.interpretation import Interpretation
from mutproof.model.system import TransitionSystem
from mutproof.workspace.options import Options


@dataclass
class CoreSearch:
    """Look for cores of what is proved; `proved_for` are the units that the proofs took.

    Mutable: it counts what it asks of solvers.
    """

    meaning: Interpretation
    system: TransitionSystem
    means: Means
    evidence: Evidence
    removals: Removals
    proved_for: int
    solver_calls: int = 0

    def of(
        self,
        proofs: Sequence[CoreProof],
        options: Options,
        told: Callable[[str, CoresFinding], None],
    ) -> Iterator[tuple[str, CoresFinding]]:
        """Yield cores of proved properties; `told` hears of each, where all are looked for."""
        about = self.meaning, self.system, self.means, self.evidence
        search: Refinement | Cores
        if options.core_search == "brief":
            search = Refinement(*about, proved_for=self.proved_for)
            yield from search.of(proofs)
        else:
            # A search for one core ends with the first.
            tell = told if options.core_search != "one" else None
            search = Cores(*about, self.removals)
            yield from search.of(proofs, limits(options), tell)
        self.solver_calls += search.solver_calls


def limits(options: Options) -> CoreLimits:
    """Return when to stop looking for cores of a property."""
    if options.core_search == "one":
        return CoreLimits(cores=1)
    return CoreLimits(options.core_limit, options.core_seconds, options.core_search == "smallest")


def joined(finding: PropertyFinding, found: CoresFinding, options: Options) -> PropertyFinding:
    """Return a finding with cores.

    Where one was asked for, it is all that is shown, unless something about it is open.
    """
    whole = found.complete or found.reason == ENOUGH
    shown = None if whole and options.core_search in {"brief", "one"} else found
    return replace(finding, core=found.cores[0], must=found.must, cores=shown)
