"""What is said of mutants beside verdicts: which facts notice them, and which are one function.

Facts are invariants that the engines found, in the model's language.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.suggesting.facts import Facts
from mutproof.languages import LANGUAGES
from mutproof.workspace.options import Options

_LOOKED_AT = {MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.UNKNOWN}


def described(
    options: Options,
    decided: tuple[Baseline, Sequence[Mutant]],
    found: Mapping[str, MutantFinding],
    means: Means,
) -> Iterator[MutantFinding]:
    """Yield the findings of mutants with what is asked of them beside verdicts."""
    if options.invariants:
        yield from with_facts(*decided, found, means)
    if options.duplicates:
        from mutproof.analyses.equivalence.duplicates import with_functions

        yield from with_functions(*decided, found, means)


def with_facts(
    baseline: Baseline,
    mutants: Sequence[Mutant],
    found: Mapping[str, MutantFinding],
    means: Means,
) -> Iterator[MutantFinding]:
    """Yield the findings of mutants with the facts that executions of them break."""
    facts = Facts(baseline, means)
    spell = LANGUAGES[baseline.program.language].print_term
    for mutant in mutants:
        means.check_cancelled()
        finding = found.get(mutant.id)
        if finding is None or finding.status not in _LOOKED_AT:
            continue
        compared = finding.equivalence
        if compared is not None and compared.status is EquivalenceStatus.EQUIVALENT:
            yield replace(finding, facts=())  # nothing observed differs
            continue
        bodies = mutated_bodies(baseline.program, mutant)
        traces = (finding.trace, None if compared is None else compared.mutant)
        shown = [trace.choices for trace in traces if trace is not None]
        broken = tuple(spell(fact) for fact in facts.broken(bodies, shown))
        yield replace(finding, facts=broken)
