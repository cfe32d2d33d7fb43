"""Compare the main components of two programs: do the same inputs give the same outputs?

Both are copied whole. Which of their variables carry the same values is found by random
executions, whatever they are called.

Source: Donaldson, He, Kroening and Rümmer, FMICS 2011, sections 2.2 and 4.2.
"""

from __future__ import annotations

import random
import time
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import replace
from itertools import islice

from mutproof.analyses.checking.notary import Notary
from mutproof.analyses.checking.replay import Difference
from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.observation import Observation, Observed, Scope, observation
from mutproof.analyses.claims.verdict import FOLLOWED, MADE_UP, Gap, Undetermined
from mutproof.analyses.equivalence.decide import Comparison, decide
from mutproof.analyses.equivalence.first_memories import differing, may_follow, tell_apart
from mutproof.analyses.equivalence.limits import ComparisonLimits
from mutproof.analyses.equivalence.product import NoProductError, product, unprimed
from mutproof.analyses.equivalence.report import to_finding
from mutproof.analyses.proving import solutions
from mutproof.base.budget import Budget
from mutproof.model import sorts
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.lower import Lowering
from mutproof.model.program import Program, VariableKind
from mutproof.model.sampling import random_choices
from mutproof.model.simulate import CyclicDefinitions, Simulator
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices
from mutproof.model.traits import Semantics

RUNS = 24
STEPS = 12

ALL_OF_BOTH = "all variables that both models have"

AGAIN = 8
"""In how many of them a difference is sought that no first memories make up for."""


def mismatch(one: Program, other: Program) -> str:
    """Return why the main components cannot be compared; empty if they can."""
    for program in (one, other):
        if program.traits.semantics is not Semantics.FORWARD:
            return f"{program.traits.title} models are not compared"
    functions = {function.name: function for function in one.functions}
    for function in other.functions:
        if functions.get(function.name, function) != function:
            return f"the function `{function.name}` has different types"
    for kind in (VariableKind.INPUT, VariableKind.OUTPUT):
        here, there = (
            {v.name: v.sort for v in program.component(program.main).of_kind(kind)}
            for program in (one, other)
        )
        for name in sorted(here.keys() ^ there.keys()):
            return f"only one of the models has the {kind.value} `{name}`"
        for name, sort in here.items():
            if sort != there[name]:
                return f"the {kind.value} `{name}` has different types"
    return ""


def compare(one: Program, other: Program, scope: Scope, budget: Budget) -> Equivalence:
    """Return whether two programs that `mismatch` accepts can be told apart."""
    started = time.monotonic()
    lowering, changed = Lowering(one), Lowering(other)
    here, there = lowering.system(), changed.system()
    looked_at = _looked_at(lowering, scope)
    has_same = {*looked_at.variables} == {*_looked_at(changed, scope).variables}
    said = scope.value if has_same else ALL_OF_BOTH
    try:
        whole = product(here, there, looked_at, sharing=False)
    except NoProductError as error:
        status = EquivalenceStatus.UNDETERMINED
        return Equivalence(status, said, reason=str(error), depth=0)
    model, mutant = Evaluator(one), Evaluator(other)

    notary = Notary()
    seen: list[tuple[Gap, Difference]] = []

    def confirm(choices: Choices, how: str) -> Gap | None:
        try:
            found = notary.gap(model.run, mutant.run, whole.compared, choices, how=how)
        except InstantaneousLoop:
            return None
        seen.extend(() if found is None else [found])
        return None if found is None else found[0]

    runs = (confirm(run, "simulation") for run in _random(whole.system))
    sighted = next((gap for gap in runs if gap is not None), None)
    limits = ComparisonLimits(budget, notary=notary)
    verdict = decide(Comparison(whole, confirm, sighted=sighted, renamed=True), limits)
    found = next(
        (
            shown
            for gap, shown in seen
            if isinstance(verdict, Gap) and (gap.choices is verdict.choices)
        ),
        None,
    )
    if found is not None and (solutions.open_values(here) or solutions.open_values(there)):
        verdict, found = Undetermined(MADE_UP, 0), None
    if found is not None and found.allowed:
        blocked = there if found.allowed == "model" else here
        if may_follow(blocked, found, whole.compared):
            choices = differing(product(here, there, looked_at, sharing=False, valued=True))
            again = None if choices is None or confirm(choices, "bmc") is None else seen[-1]
            if again is None or again[1].allowed:
                verdict, found = Undetermined(FOLLOWED, 0), None
            else:
                verdict, found = again
    if found is not None and not found.allowed:
        tried = (found.choices, _longer(found.choices), *islice(_random(whole.system), AGAIN))
        if not tell_apart(here, there, _pairs(model, mutant, tried), whole.compared):
            verdict, found = Undetermined(FOLLOWED, 0), None
    result = to_finding(verdict, found, looked_at, time.monotonic() - started)
    return replace(result, observation=said)


def _longer(choices: Choices) -> Choices:
    """Return choices that go on as they end."""
    return replace(choices, steps=choices.steps + choices.steps[-1:] * STEPS)


def _pairs(
    one: Evaluator, other: Evaluator, runs: Iterable[Choices]
) -> Iterator[tuple[Execution, Execution]]:
    for choices in runs:
        with suppress(InstantaneousLoop):
            yield one.run(choices), other.run(choices)


def _looked_at(lowering: Lowering, scope: Scope) -> Observation:
    if scope is Scope.ALL:
        return observation(lowering, scope)
    main = lowering.program.component(lowering.program.main)
    names = (
        Observed(variable.name + suffix)
        for variable in main.of_kind(VariableKind.OUTPUT)
        for suffix, _ in sorts.leaves(variable.sort)
    )
    return Observation(Scope.OUTPUTS, tuple(names))


def _random(system: TransitionSystem) -> Iterator[Choices]:
    """Yield choices for random executions of both sides; none if definitions are cyclic."""
    try:
        simulator = Simulator(system)
    except CyclicDefinitions:
        return
    source = random.Random(0)
    for number in range(RUNS):
        yield unprimed(random_choices(simulator, source, STEPS, (0.0, 0.5, 0.9)[number % 3]))
