"""Make a suite: collect tests that tell mutants from the model, choose few, and shorten them.

1. Collected are the inputs of executions that kill mutants or are known to tell survivors from
   the model, random ones, and for each mutant that none of these shows, those of a difference in
   the outputs that is looked for; where there is none, that is proved.
2. Every collected test is run on every mutant.
3. A smallest part of the tests is chosen that kills all that any of them kills.
4. Steps are left out without which a test still kills what no other test kills.

Reported kills are those that the evaluator confirms, not those that the search saw.

Source: Fellner, Tabaei Befrouei and Weissenbacher, Mutation testing with hyperproperties, SEFM
2019.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Final

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.analyses.claims.observation import Interface, Scope
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.deciding.refusals import Refusals
from mutproof.analyses.equivalence.agreement import Agreement
from mutproof.analyses.equivalence.survivors import Survivors
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.suites.choosing import Tried, choose
from mutproof.analyses.suites.collecting import Collection
from mutproof.analyses.suites.cover import Cover
from mutproof.analyses.suites.interim import Interim
from mutproof.analyses.suites.relational_inputs import inputs_of, outputs_of, undetermined
from mutproof.analyses.suites.relational_replays import RelationalReplays
from mutproof.analyses.suites.replays import ForwardReplays, Inputs, Replays
from mutproof.analyses.suites.suite import SuiteFinding, SuiteTest, finding
from mutproof.base.budget import Deadline
from mutproof.model.program import Program, VariableKind
from mutproof.model.sorts import SetSort
from mutproof.model.traits import Semantics

BRIEF: Final = 0.03
"""The share of the effort per mutant that is spent on each before more is spent on any."""

COLLECTING: Final = 0.5
SHORTENING: Final = 0.58
CLAIMING: Final = 0.9
"""The shares of the time after which collecting, shortening and confirming end."""

CHOOSING: Final = 0.6
"""How long choosing tests again may take, as a share of how long it took before: most is known."""


def make(
    baseline: Baseline,
    mutants: Sequence[Mutant],
    findings: Mapping[str, MutantFinding],
    means: Means,
    *,
    outputs: Sequence[str] = (),
    earlier: Sequence[Inputs] = (),
    seconds: float = math.inf,
    tell: Callable[[SuiteFinding], None] = lambda _: None,
) -> SuiteFinding:
    """Return a suite for the mutants that are models; `outputs`: those seen, all by default.

    Tests of an `earlier` suite that kill are kept as they are. Takes about `seconds`; what is
    undecided then is reported as unknown. `tell` is called with what there is meanwhile.
    """
    started = time.monotonic()
    ends = [Deadline.after(seconds * part) for part in (COLLECTING, SHORTENING, CLAIMING)]
    chosen = tuple(_models(baseline, mutants, findings, means))
    interface, refused = interface_of(baseline.program, outputs)
    if refused is not None:
        return replace(refused, seconds=time.monotonic() - started)
    found = _chosen(
        (baseline, chosen, findings, means),
        interface=interface,
        earlier=earlier,
        until=ends,
        tell=lambda so_far: tell(replace(so_far, seconds=time.monotonic() - started)),
    )
    return replace(found, seconds=time.monotonic() - started)


def interface_of(program: Program, outputs: Sequence[str]) -> tuple[Interface, SuiteFinding | None]:
    """Return what tests set and see, and a finding that says why there are none, if so.

    Only the text of the program decides that.
    """
    component = program.component(program.main)
    if program.traits.semantics is Semantics.FORWARD:
        inputs = component.scalars(VariableKind.INPUT)
        seen = component.scalars(VariableKind.OUTPUT)
    else:
        if reason := undetermined(program):
            return Interface(), SuiteFinding(refused=reason)
        inputs = tuple(name for name, _ in inputs_of(program))
        seen = outputs_of(program)
    # Macros are outputs only if named, those that are sets are none.
    sets = {v.name for v in component.variables if isinstance(v.sort, SetSort)}
    known = (*seen, *(n for n in component.scalars(VariableKind.DEFINE) if n not in sets))
    missing = [name for name in outputs if name not in known]
    if missing:
        what = "an input, which a test sets" if missing[0] in inputs else "no output"
        shown = f"a test sees only what leaves the model: {', '.join(known) or 'nothing'}"
        reason = f"{missing[0]} is {what}; {shown}"
        return Interface(inputs, seen), SuiteFinding(inputs, seen, refused=reason)
    seen = tuple(outputs) or seen
    refused = None if seen else SuiteFinding(inputs, refused="the model has no outputs")
    return Interface(inputs, seen), refused


def _models(
    baseline: Baseline,
    mutants: Sequence[Mutant],
    findings: Mapping[str, MutantFinding],
    means: Means,
) -> Iterator[Mutant]:
    """Yield the mutants that are models and that no comment suppresses.

    Where no property is proved, none of them has been decided.
    """
    skipped = {MutantStatus.STILLBORN, MutantStatus.IGNORED}
    program, refusals = baseline.program, Refusals(baseline.program, {}, means)
    for mutant in mutants:
        known = findings.get(mutant.id)
        if known is None:
            means.check_cancelled()
            refused = refusals.of(mutated_bodies(program, mutant)).reason
        if not refused if known is None else known.status not in skipped:
            yield mutant


def _chosen(
    known: tuple[Baseline, tuple[Mutant, ...], Mapping[str, MutantFinding], Means],
    *,
    interface: Interface,
    earlier: Sequence[Inputs],
    until: Sequence[Deadline],
    tell: Callable[[SuiteFinding], None],
) -> SuiteFinding:
    baseline, mutants, findings, means = known
    names = tuple(mutant.id for mutant in mutants)
    lowered = Mutants(baseline, mutants).lowered(means.check_cancelled)
    relational = baseline.system.relational
    kind = RelationalReplays if relational else ForwardReplays
    replays: Replays = kind(baseline, lowered, interface.inputs, interface.outputs)
    # For relational systems, ask also what a tester sees who sets the inputs.
    compared = interface if relational else Interface(outputs=interface.outputs)
    asked = [compared] if not relational else [Interface(), compared]

    short = replace(means, budget=means.budget.scaled(BRIEF))

    def asking(live: frozenset[str], brief: bool) -> list[Survivors]:
        if brief and relational:
            return []  # they take little time or all of it
        left, given = tuple(m for m in mutants if m.id in live), short if brief else means
        return [Survivors(baseline, left, Scope.OUTPUTS, given, interface=one) for one in asked]

    agreement = None if relational else Agreement(baseline, lowered, means, compared)
    tried = Tried()
    interim = Interim(interface, tried, tell)
    collection = Collection(
        replays, asking, names, means, agreement=agreement, noting=interim.consider
    )
    collection.fill(findings, earlier, until=until[0])
    tests, found = _best(collection, tried, *until[1:])
    fates = [collection.fate(name) for name in names]
    whole = finding(interface, tests, fates, len(collection.matrix.tests))
    return replace(whole, at_least=found.at_least, minimal=found.minimal)


def _best(
    collection: Collection, tried: Tried, shortening: Deadline, until: Deadline
) -> tuple[tuple[SuiteTest, ...], Cover]:
    """Choose tests; while time is left, seek more of them for what was out of time, and choose."""
    best: tuple[tuple[SuiteTest, ...], Cover] | None = None
    while True:
        before_s = until.remaining_s()
        chosen = choose(collection, shortening, until, tried)
        if best is None or len(_killed(chosen[0])) >= len(_killed(best[0])):
            best = chosen
        left_s = until.remaining_s()
        spare_s = left_s - CHOOSING * (before_s - left_s)  # the rest is for choosing again
        if not collection.late or not spare_s > 0:
            return best
        collection.seek(until=Deadline.after(spare_s))
        shortening = Deadline.after((left_s - spare_s) / 2)


def _killed(tests: Sequence[SuiteTest]) -> set[str]:
    return {kill.mutant for test in tests for kill in test.kills}
