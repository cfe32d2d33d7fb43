"""Survivors that are told before all properties are proved: few properties depend on them.

What a property does not depend on it cannot notice. So a mutant survives as soon as all properties
that depend on its element are decided, and no proof of them rests on it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.proving.proofs import Foremost, Proofs
from mutproof.model.instances import calls
from mutproof.model.interpretation import Interpretation
from mutproof.model.language import Elaborated
from mutproof.model.program import ElementId
from mutproof.model.slice import Slicer
from mutproof.workspace.options import Options

LEAST_GOALS = 24
"""Fewer properties are proved before anybody waits."""

MOST_LOOKED_AT = 1_000_000
"""Where there are more pairs of a property and a constraint, it takes too long to find cones."""

MOST_FIRST = 8
"""How many properties are proved first."""


def of(
    elaborated: Elaborated,
    meaning: Interpretation,
    options: Options,
    means: Means,
    *,
    mutants: Callable[[], Iterable[Mutant]],
    emit: Callable[[MutantFinding], None],
) -> Foremost | None:
    """Return which properties to prove first, and what then tells of some survivors.

    None if few are asked about, or if a mutant may concern what does not depend on it: where called
    nodes have memories in common, or executions may end.
    """
    if not options.mutate or options.mutants or options.properties:
        return None
    system = meaning.system()
    goals, size = len(system.properties), len(system.constraints)
    if system.relational or goals < LEAST_GOALS or goals * size > MOST_LOOKED_AT:
        return None
    if any(constraint.defines is None for constraint in system.constraints):
        return None
    if any(True for element in meaning.program.elements() for _ in calls(element.body)):
        return None
    slicer = Slicer(system)
    cones = {stated.name: slicer.influencing(stated.name) for stated in system.properties}

    def survived(finding: MutantFinding) -> None:
        if finding.status is MutantStatus.SURVIVED:  # what else there is to say comes later
            emit(finding)

    def told(proofs: Proofs) -> None:
        from mutproof.analyses.checking.baseline import Baseline
        from mutproof.analyses.claims.records import Records
        from mutproof.analyses.deciding.ladder import Ladder
        from mutproof.analyses.deciding.rung import Cost
        from mutproof.analyses.mutation.suppress import ignored_mutants
        from mutproof.analyses.strategies import STRATEGIES

        rungs = [r for r in STRATEGIES[options.strategy].rungs if r.cost is Cost.LOOKUP]
        undecided = (cone for name, cone in cones.items() if name not in proofs.findings)
        not_yet = frozenset[ElementId]().union(*undecided, *proofs.cores.values())
        early = [one for one in mutants() if not one.parts and one.element not in not_yet]
        ignored = ignored_mutants(elaborated.parsed.source, elaborated.provenance, early)
        early = [mutant for mutant in early if mutant.id not in ignored]
        if early and proofs.holds:
            baseline = Baseline(meaning, system, proofs.holds, proofs.cores)
            Ladder(rungs, baseline, early, Records(), means=means, emit=survived).run()

    # On what few properties depend, most likely those depend that depend on most.
    largest = sorted(cones, key=lambda name: -len(cones[name]))
    return Foremost(frozenset(largest[:MOST_FIRST]), told)
