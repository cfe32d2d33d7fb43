"""Which mutants a text has; whoever lists them needs no solver."""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.claims.finding import ModelFinding
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.nothing import nothing_to_mutate
from mutproof.analyses.mutation.sample import among, of_shard, sampled
from mutproof.base.memo import Memo
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.workspace.options import Options


def enumerate_mutants(elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
    """Return the mutants an analysis of the text decides, in the order of the source.

    Raises:
        ValueError: there is no such level.
        KeyError: there is no such operator.
    """
    program, source = elaborated.program, elaborated.parsed.source
    if program is None:
        return ()
    chosen = chosen_mutators(options.level, options.operators, program.traits.semantics)
    names = tuple(mutator.name for mutator in chosen)
    everything = _enumerated.get(
        (source.name, source.digest, program.digest, names),
        lambda: mutants(program, elaborated.provenance, chosen, source.content),
    )
    own = of_shard(sampled(everything, options.most_mutants), options.shard)
    return among(own, options.only)


def nothing_of(elaborated: Elaborated, program: Program, options: Options) -> list[ModelFinding]:
    """Return why a text has no mutant to decide; nothing where it has some, in whatever shard."""
    if enumerate_mutants(elaborated, replace(options, shard=(0, 1), only=None)):
        return []
    chosen = chosen_mutators(options.level, options.operators, program.traits.semantics)
    return [nothing_to_mutate(program, len(chosen))]


_enumerated: Memo[tuple[Mutant, ...]] = Memo(1)  # workers list the mutants, then decide them
