"""Which mutants a text has; imports no solver."""

from __future__ import annotations

from dataclasses import replace

from mutproof.analyses.claims.finding import ModelFinding
from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.nothing import nothing_to_mutate
from mutproof.analyses.mutation.pairs import of_names
from mutproof.analyses.mutation.sample import among, of_shard, sampled
from mutproof.base.memo import Memo
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated
from mutproof.model.program import Program
from mutproof.workspace.options import Options


def enumerate_mutants(elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
    """Return the mutants an analysis of the text decides, in the order of the source, or pairs.

    Raises:
        ValueError: there is no such level.
        KeyError: there is no such operator.
    """
    if options.pairs:
        return of_names(_everything(elaborated, options), options.pairs)
    concerned = concerned_mutants(elaborated, options)
    own = of_shard(sampled(concerned, options.most_mutants), options.shard)
    return among(own, options.only)


def concerned_mutants(elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
    """Return the mutants concerned by the change that the options name; all if they name none.

    Raises:
        ValueError: there is no such level.
        KeyError: there is no such operator.
    """
    everything = _everything(elaborated, options)
    program, source, since = elaborated.program, elaborated.parsed.source, options.since
    if since is None or program is None:
        return everything

    def found() -> tuple[Mutant, ...]:
        from mutproof.analyses.comparing.concern import Version, concerned

        language = LANGUAGES[program.language]
        text = SourceText(source.name, since.content)
        earlier = language.elaborate(language.parse(text))
        versions = Version(elaborated, everything), Version(earlier, _made(earlier, options))
        return concerned(*versions, observed=bool(options.equivalence) or options.invariants)

    key = (source.name, source.digest, options.level, options.operators, since.content)
    return _concerned.get((*key, options.equivalence, options.invariants), found)


def _everything(elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
    program, source = elaborated.program, elaborated.parsed.source
    if program is None:
        return ()
    key = source.name, source.digest, program.digest, options.level, options.operators
    return _enumerated.get(key, lambda: _made(elaborated, options))


def _made(elaborated: Elaborated, options: Options) -> tuple[Mutant, ...]:
    program = elaborated.program
    if program is None:
        return ()
    chosen = chosen_mutators(options.level, options.operators, program.traits.semantics)
    return mutants(program, elaborated.provenance, chosen, elaborated.parsed.source.content)


def nothing_of(elaborated: Elaborated, program: Program, options: Options) -> list[ModelFinding]:
    """Return why a text has no mutants to decide; empty if any shard has some."""
    if enumerate_mutants(elaborated, replace(options, since=None, shard=(0, 1), only=None)):
        return []
    chosen = chosen_mutators(options.level, options.operators, program.traits.semantics)
    return [nothing_to_mutate(program, len(chosen))]


# Workers list the mutants before they decide them.
_enumerated: Memo[tuple[Mutant, ...]] = Memo(1)
_concerned: Memo[tuple[Mutant, ...]] = Memo(1)
