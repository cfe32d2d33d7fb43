"""The search for cores as options choose it, and its outcome in findings."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import ENOUGH, CoresFinding, PropertyFinding, no_cores
from mutproof.analyses.claims.records import Records
from mutproof.analyses.claims.reduction import KnownReductions
from mutproof.analyses.cores.cores import CoreLimits, CoreProof, Cores
from mutproof.analyses.cores.refinement import Refinement
from mutproof.analyses.cores.removals import Removals
from mutproof.analyses.cores.restated import restated
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving.proofs import Proofs
from mutproof.base.record import dataclass
from mutproof.model.interpretation import Interpretation
from mutproof.model.linear import is_linear
from mutproof.model.program import ElementId
from mutproof.model.system import TransitionSystem
from mutproof.workspace.options import Options

MUTANTS_SHARE = 0.3
"""The part of the effort of proofs and mutants that engines spend on cores after them."""

LEAST_ENGINE_UNITS = 2_000_000
"""What they may spend in any case (some seconds)."""


COPIED = "a DEFINE that is copied to where it is read is not left out alone"
"""The reason why it is not known of all elements of a core whether the proof needs them."""


@dataclass
class CoreSearch:
    """Look for cores of proved properties.

    `proved_for` is what the proofs took, in solver units, `engine_units` what engines may spend on
    single elements where mutants were decided. Mutable: it counts what it asks of solvers.
    """

    meaning: Interpretation
    system: TransitionSystem
    means: Means
    evidence: KnownReductions
    removals: Removals
    proved_for: int
    engine_units: int
    solver_calls: int = 0

    def of(
        self,
        proofs: Proofs,
        options: Options,
        told: Callable[[str, CoresFinding], None],
    ) -> Iterator[tuple[str, CoresFinding]]:
        """Yield cores of this worker's share; `told` is called with partial results."""
        linear = []
        for name in own_part(tuple(proofs.holds), options):
            if is_linear(self.system.property(name).term):
                linear.append(CoreProof(name, proofs.holds[name], proofs.cores[name]))
            else:  # fewer constraints may break a property that asks for a path
                yield name, no_cores("it asks for a path")
        system, asked = restated(self.system, linear, self.means)
        about = self.meaning, system, self.means, self.evidence
        search: Refinement | Cores
        if options.core_search == "brief":
            search = Refinement(*about, proved_for=self.proved_for)
            found = search.of(asked)
        else:

            def tell(name: str, found: CoresFinding) -> None:
                told(name, self._with_copied(name, found))

            # A search for one core has no partial results.
            partial = tell if options.core_search != "one" else None
            search = Cores(*about, removals=self.removals)
            found = search.of(asked, limits(options, self.engine_units), partial)
        for name, cores in found:
            yield name, self._with_copied(name, cores)
        self.solver_calls += search.solver_calls

    def _with_copied(self, name: str, found: CoresFinding) -> CoresFinding:
        """Return cores with the definitions whose copies are in their elements or the property.

        It is not known which of these the proof needs.
        """
        copied = [self.meaning.merged(frozenset(core), name) for core in found.cores]
        every = frozenset[ElementId]().union(*copied)
        if not every:
            return found
        order = dict.fromkeys(e.id for e in self.meaning.program.elements())
        cores = [
            tuple(e for e in order if e in known or e in core)
            for core, known in zip(found.cores, copied, strict=True)
        ]
        may = tuple(e for e in order if e in every or e in found.may)
        return replace(
            found,
            cores=tuple(cores),
            may=may,
            complete=False,
            minimal=False,
            smallest=False,
            reason=found.reason if found.reason and found.reason != ENOUGH else COPIED,
        )


def waits(options: Options, *, has_lent: bool) -> bool:
    """Tell whether cores wait for what other workers find out about their mutants."""
    if options.stage not in {"mutants", "soon"} or not options.cores or options.mutants:
        return False
    return has_lent or options.share[1] > 1


def without_elements(mutants: Iterable[Mutant], known: Records) -> tuple[str, ...]:
    """Return the mutants without an element of which something is known."""
    return tuple(m.id for m in mutants if m.replacement is None and m.id in known)


def own_part(names: tuple[str, ...], options: Options) -> tuple[str, ...]:
    """Return the properties of a worker's share and shard, whose cores it looks for."""
    (share, shares), (shard, shards) = options.share, options.shard
    return names[share + shares * shard :: shares * shards]


def beside_mutants(spent: int) -> int:
    """Return what engines may spend on cores after so many solver units for all else."""
    return max(LEAST_ENGINE_UNITS, int(MUTANTS_SHARE * spent))


def limits(options: Options, engine_units: int) -> CoreLimits:
    """Return when to stop looking for cores of a property.

    Beside mutants, one core of each is found for a part of their effort.
    """
    if options.core_search == "one":
        return CoreLimits(cores=1, engine_units=engine_units if options.mutate else None)
    return CoreLimits(options.core_limit, options.core_seconds, options.core_search == "smallest")


def joined(finding: PropertyFinding, found: CoresFinding, options: Options) -> PropertyFinding:
    """Return a finding with cores.

    If only one core was asked for, only that is shown, unless something about it is open.
    """
    whole = found.complete or found.reason == ENOUGH
    shown = None if whole and options.core_search in {"brief", "one"} else found
    if not found.cores:
        return replace(finding, cores=found)
    return replace(finding, core=found.cores[0], must=found.must, cores=shown)
