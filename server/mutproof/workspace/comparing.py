"""Survivors of a file compared with its model, one after the other, as a stream of events."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.attention import in_turn
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.claims.lending import latter_half
from mutproof.analyses.claims.observation import Interface, Scope
from mutproof.analyses.claims.verdict import KnownSurvivors
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.workspace.events import Progress
from mutproof.workspace.options import Options


def compared(
    options: Options,
    decided: tuple[Baseline, tuple[Mutant, ...]],
    found: Mapping[str, MutantFinding],
    means: Means,
    *,
    known: KnownSurvivors,
) -> Iterator[Progress | MutantFinding]:
    """Compare the survivors among what was `found`; half of what is left may be lent meanwhile."""
    baseline, mutants = decided
    wanted = frozenset(options.survivors)
    survived = tuple(
        mutant
        for mutant in mutants
        if mutant.id in found  # else it was lent
        and found[mutant.id].status is MutantStatus.SURVIVED
        and (not wanted or not wanted.isdisjoint((mutant.id, mutant.shown)))
    )
    interface = Interface(options.inputs, options.outputs)
    survivors = Survivors(
        baseline, survived, Scope(options.equivalence), means, interface=interface
    )
    left, done = dict.fromkeys(mutant.id for mutant in survived), 0
    turn = in_turn(survived, lambda each: (each.element,), means.attention)
    if options.suggest:  # suggestions wait for gaps
        turn = survivors.seen_first(turn, known)
    for mutant in turn:
        name = mutant.id
        if name not in left:
            continue  # it was lent
        del left[name]
        if left and means.lending.asked():
            lent = dict.fromkeys(latter_half([[name], *([other] for other in left)]))
            left = dict.fromkeys(other for other in left if other not in lent)
            means.lending.lend(tuple(lent))
        yield Progress("equivalence", done, len(survived))
        yield replace(found[name], equivalence=survivors.decide(name, known))
        done += 1
