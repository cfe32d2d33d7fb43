"""Compare the product with the evaluator of trees on random NuSMV texts, mutants included."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import pairwise

from mutproof.analyses.claims.finding import IDLE, MutantStatus, PropertyFinding, PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import Severity
from mutproof.languages.nusmv.syntax import SpecificationKind
from mutproof.model.trace import Trace
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support import tree_nusmv
from support.nusmv_mutants import elaborated, mutated_text
from support.nusmv_random import random_text
from support.tree_nusmv import Explicit, State, TooLargeError
from support.tree_nusmv_space import Space, endless
from support.tree_nusmv_temporal import Verdict, verdict
from support.tree_nusmv_values import UndefinedError

MUTANTS = 12
EVERY = 3

MOST_PAIRS = 200_000
"""How many steps may fit a trace that leaves out values for it to be looked at."""


def differences(seed: int, *, every: int = EVERY) -> list[str]:
    """Return the differences on the random text of a seed."""
    text = random_text(random.Random(f"nusmv {seed}"))
    return [f"{found}\n{text}" for found in compare(text, mutate=seed % every == 0)]


def compare(text: str, *, mutate: bool) -> Iterator[str]:
    """Yield the differences on a text."""
    found = elaborated(text)
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    if errors:
        yield f"refused: {errors[0].code}: {errors[0].message}"
        return
    model = tree_nusmv.read(text)
    try:
        wanted = verdicts(model)
    except TooLargeError:
        return
    budget = Budget(rlimit=3_000_000, timeout_s=2.0)
    options = Options(
        level="all", cores=False, mutate=mutate, budget=budget, most_mutants=MUTANTS, timeout_s=20.0
    )
    report = analyse(found, options, Memory(), lambda _: None, cancelled=lambda: False)
    numbers = {finding.name: number for number, finding in enumerate(report.properties)}
    for number, finding in enumerate(report.properties):
        if finding.verdict is PropertyVerdict.UNKNOWN:
            if finding.defect is not None:
                yield f"defect: {finding.name}: {finding.defect}"
            continue
        if shown(finding) != wanted[number]:
            yield f"verdict: {finding.name} is {shown(finding)}, not {wanted[number]}"
        if finding.verdict is PropertyVerdict.FALSIFIED and finding.trace is not None:
            yield from replayed(model, finding.trace, [number])
    # What holds since no path is endless and fair takes no part, and is said to hold vacuously.
    proved = [
        number
        for number, (finding, stated) in enumerate(
            zip(report.properties, model.properties, strict=True)
        )
        if finding.verdict is PropertyVerdict.PROVED
        and (finding.vacuity in {"", IDLE} or stated.kind is SpecificationKind.INVARIANT)
    ]
    mutants = {mutant.id: mutant for mutant in enumerate_mutants(found, options)} if mutate else {}
    for decided in report.mutants if mutate else ():
        if decided.is_withdrawn:
            yield f"defect: {decided.mutant}: {decided.defect}"
        if decided.status not in {MutantStatus.KILLED, MutantStatus.SURVIVED}:
            continue
        changed = mutated_text(found, mutants[decided.mutant])
        told = f"{decided.mutant}\n-- mutant\n{changed}\n-- of"
        try:
            mutant = tree_nusmv.read(changed)
            failing = [number for number, holds in enumerate(verdicts(mutant)) if not holds]
        except TooLargeError:
            continue
        except UndefinedError:
            yield f"undefined: {decided.status.value}, but NuSMV rejects it: {told}"
            continue
        killers = [numbers[name] for name in decided.killed_by]
        if decided.status is MutantStatus.KILLED:
            assert decided.trace is not None
            for problem in replayed(mutant, decided.trace, killers):
                yield f"killed: {problem} of {told}"
        needed = [number for number in failing if number in proved]
        undecided = {numbers[name] for name in decided.undecided}
        if sorted({*killers} | undecided) != sorted({*needed} | undecided):
            yield f"mutant: {decided.status.value} by {killers}, not {needed}: {told}"


def verdicts(model: Explicit) -> list[Verdict]:
    """Return for each property whether it holds, or what it computes."""
    space = Space(model)
    return [verdict(space, stated) for stated in model.properties]


def shown(finding: PropertyFinding) -> Verdict:
    """Return what the product says of a property, as the evaluator of trees would."""
    if finding.verdict is PropertyVerdict.COMPUTED:
        return finding.reason or str(finding.k)
    return finding.verdict is PropertyVerdict.PROVED


def continued(path: Space, last: Sequence[int]) -> Space:
    """Return a finite path and all that may follow its last states.

    Raises:
        TooLargeError: too many states may follow.
    """
    model, whole, count = path.model, Space(path.model), len(path.states)
    after = {count + n: [count + other for other in others] for n, others in whole.after.items()}
    ends = {
        n: [count + m for m, s in enumerate(whole.states) if model.is_step(path.states[n], s)]
        for n in last
    }
    states = [*path.states, *whole.states]
    return Space.of_path(model, states, len(path.first), {**path.after, **after, **ends})


def replayed(model: Explicit, trace: Trace, killers: Sequence[int]) -> Iterator[str]:
    """Yield what is wrong with an execution that shall violate one of some properties.

    A trace leaves out what the property does not need: some values of it must fit. What is of
    branching time has no single execution that refutes it: that it is one must do.
    """
    try:
        rows = [[*tree_nusmv.states_of(model, row)] for row in trace.steps]
    except TooLargeError:
        return
    rows = [[state for state in row if model.is_state(state)] for row in rows]
    sizes = [len(row) for row in rows]
    if sum(one * other for one, other in pairwise([*sizes, sizes[0]])) > MOST_PAIRS:
        return
    again = (
        [] if trace.loop is None else rows[trace.loop :]
    )  # with other values of what is left out
    rows[0] = [state for state in rows[0] if model.is_first(state)]
    after: dict[int, list[int]] = {}
    states: list[State] = []
    layers: list[list[int]] = []
    for row in [*rows, *again]:
        layers.append([*range(len(states), len(states) + len(row))])
        states += row
    for layer, others in zip(layers, [*layers[1:], layers[-1][:0]], strict=True):
        for number in layer:
            one = states[number]
            after[number] = [other for other in others if model.is_step(one, states[other])]
    if again:
        for number in layers[-1]:
            one, first = states[number], layers[len(rows)]
            after[number] = [other for other in first if model.is_step(one, states[other])]
    space = Space.of_path(model, states, len(layers[0]), after)
    current = {*layers[0]}
    for layer in layers[1:]:
        current = {other for number in current for other in after[number]} & {*layer}
    if not current or (again and endless(after, [], []).isdisjoint(layers[0])):
        yield f"trace: this is no execution: {trace.steps}, back to {trace.loop}"
        return
    judged = [n for n in killers if model.properties[n].kind is not SpecificationKind.CTL]
    timed = [n for n in judged if model.properties[n].kind is not SpecificationKind.INVARIANT]
    try:
        longer = continued(space, layers[-1]) if timed and not again else space
        hold = all(
            verdict(longer if number in timed else space, model.properties[number])
            for number in judged
        )
    except TooLargeError:
        return
    if judged == [*killers] and hold:
        yield f"trace: {judged} hold on {trace.steps}, back to {trace.loop}"
