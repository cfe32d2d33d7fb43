"""Kill mutants by executions: random ones before any solver, found ones on all the others."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from random import Random

from mutproof.analyses.bench import Confirm
from mutproof.analyses.premises import premises
from mutproof.analyses.variant import Case, Variant, freed
from mutproof.model import simulate
from mutproof.model.compile import Row
from mutproof.model.sampling import random_choices
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Simulator, definition
from mutproof.model.steering import Steering
from mutproof.model.system import ConstraintKind, TransitionSystem, in_bounds
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation, compile_all

RUNS = (1, 8)
"""How many random executions there are before proofs are tried, and after a shallow search."""
STEPS = 12
STAY = (0.0, 0.5, 0.9)
"""How likely inputs stay as they are, in random executions one after the other."""
WORTH_STEERING = 8
"""How many cases there must be for executions that are worth more and take longer."""
MOST_WITNESSES = 8
"""How many executions are kept that fulfil the assertions of some mutant."""


def variation(simulator: Simulator, system: TransitionSystem, variant: Variant) -> Variation:
    """Return the runnable form of a variant.

    Raises:
        CyclicDefinitions: the variant is not causal.
    """
    definitions = {
        constraint.defines: value
        for constraint in variant.constraints
        if constraint.kind is ConstraintKind.INVAR
        and constraint.defines is not None
        and (value := definition(constraint)) is not None
    }
    lost = frozenset(v.name for v in freed(system, variant))
    checks = None
    removed = [c for o in variant.removed for c in system.by_owner.get(o, ()) if not c.defines]
    added = [c.term for c in variant.constraints if c.defines is None]
    if removed or added:
        checks = list(simulator.check_terms)
        for constraint in removed:
            checks.remove(constraint.term)  # another element may state the same
        checks += added
    return Variation(simulator, definitions, lost, checks)


class Executions:
    """Try executions on cases; keeps the runnable form of every case. Mutable.

    Executions in which `goals` ask for something are worth more than others.
    """

    def __init__(
        self, system: TransitionSystem, confirm: Confirm, goals: Sequence[str] = ()
    ) -> None:
        self._system = system
        self._goals = goals
        self._confirm = confirm
        self._variations: dict[str, Variation] = {}

    @cached_property
    def simulator(self) -> Simulator:
        """Return the simulator of the system, which is made when something first runs."""
        return simulate.simulator(self._system)

    @cached_property
    def _steering(self) -> Steering:
        return Steering(self.simulator, [*premises(self._system, self._goals).values()])

    def prepare(self, case: Case) -> None:
        """Take up a case; what it needs is compiled when it first runs.

        Raises:
            CyclicDefinitions: the variant is not causal.
        """
        name = case.variant.name
        self._variations[name] = variation(self.simulator, self._system, case.variant)

    def variation_of(self, case: Case) -> Variation | None:
        """Return the runnable form of a case, None if it is not causal."""
        name = case.variant.name
        if name not in self._variations:
            try:
                self.prepare(case)
            except CyclicDefinitions:
                return None
        return self._variations[name]

    def compile(self, cases: Sequence[Case]) -> None:
        """Compile together what cases that were taken up need to run."""
        names = (case.variant.name for case in cases)
        compile_all(self._variations[name] for name in names if name in self._variations)

    def random(self, cases: Sequence[Case], count: int, seed: int = 0) -> None:
        """Run some random executions, the same for the same system, on all open cases.

        Of the executions that violate something, those that violate most are confirmed first.
        """
        self.compile(cases)
        runs = self._random_runs(count, Random(seed), steered=len(cases) >= WORTH_STEERING)
        for case in cases:
            found = [
                candidate
                for choices, rows in runs
                if (candidate := self._violations(case, rows, choices)) is not None
            ]
            found.sort(key=lambda candidate: (-len(candidate[0]), max(candidate[0].values())))
            for violated, exact in found:
                if case.open & set(violated):
                    self._refute(case, exact, "simulation")

    def _random_runs(
        self, count: int, source: Random, *, steered: bool
    ) -> list[tuple[Choices, list[Row]]]:
        """Return random executions; steered ones where the first strays, if that helps."""
        runs: list[tuple[Choices, list[Row]]] = []
        for number in range(count):
            with contextlib.suppress(NumberTooLarge):
                if steered and runs and self._steering.strays(runs[0][1]):
                    runs.append(self._steering.execution(source, STEPS))
                    steered = not self._steering.strays(runs[-1][1])
                    continue
                choices = random_choices(self.simulator, source, STEPS, STAY[number % len(STAY)])
                runs.append((choices, self.simulator.run(choices)))
        return runs

    def replay(self, cases: Iterable[Case], choices: Choices, how: str) -> int:
        """Run one execution's choices on all open cases; return how many properties fell."""
        left = [case for case in cases if case.open]
        self.compile(left)
        try:
            rows = self.simulator.run(choices)
        except NumberTooLarge:
            return 0
        return sum(self._on_case(case, rows, choices, how) for case in left if case.open)

    def _on_case(self, case: Case, rows: Sequence[Row], choices: Choices, how: str) -> int:
        found = self._violations(case, rows, choices)
        return 0 if found is None else self._refute(case, found[1], how)

    def _violations(
        self, case: Case, rows: Sequence[Row], choices: Choices
    ) -> tuple[dict[str, int], Choices] | None:
        """Return what an execution violates and its choices up to there; None if nothing."""
        variation = self._variations.get(case.variant.name)
        if variation is None:
            return None
        start = variation.infected(rows, choices.functions)
        if start is None:
            return None
        try:
            changed = variation.run(rows, choices, start)
            violated = variation.violations(changed, choices.functions, case.open, start)
        except NumberTooLarge:
            return None
        if not violated:
            return None
        return violated, variation.choices(changed, choices, max(violated.values()) + 1)

    def _refute(self, case: Case, choices: Choices, how: str) -> int:
        confirmed = self._confirm(case.variant, choices, how)
        before = len(case.open)
        if confirmed is not None:
            case.refute(confirmed)
        return before - len(case.open)


class Witnesses:
    """Keep executions that fulfil assertions, to try on other cases; mutable.

    `own` has the last one of each case by its name.
    """

    def __init__(
        self, executions: Executions, known: list[Choices], own: dict[str, Choices]
    ) -> None:
        self._executions = executions
        self._known = known
        self._own = own

    @cached_property
    def _rows(self) -> list[tuple[list[Row], Choices]]:
        simulator = self._executions.simulator
        variables = simulator.system.variables  # an edit may have left them fewer values
        self._known[:] = [choices for choices in self._known if in_bounds(variables, choices)]
        return [(simulator.run(choices), choices) for choices in self._known]

    def learn(self, case: Case, choices: Choices) -> None:
        """Keep an execution of some case; `known` has it from now on."""
        self._own[case.variant.name] = choices
        self._rows.insert(0, (self._executions.simulator.run(choices), choices))
        self._known.insert(0, choices)
        del self._known[MOST_WITNESSES:], self._rows[MOST_WITNESSES:]

    def prepare(self, cases: Sequence[Case]) -> None:
        """Compile together what cases need to run."""
        if self._known:
            causal = [case for case in cases if self._executions.variation_of(case) is not None]
            self._executions.compile(causal)

    def live_in(self, case: Case, steps: int) -> bool:
        """Tell whether a known execution of at least `steps` steps is one of a case too."""
        variation = self._executions.variation_of(case)
        if variation is None:
            return False
        for rows, choices in self._rows:
            if len(rows) >= steps and _runs(variation, rows, choices):
                self._own[case.variant.name] = choices
                return True
        own = self._own.get(case.variant.name)
        return own is not None and len(own.steps) >= steps and self.runs(case, own)

    def runs(self, case: Case, choices: Choices) -> bool:
        """Tell whether choices, perhaps of another version, are an execution of a case."""
        variation = self._executions.variation_of(case)
        simulator = self._executions.simulator
        if variation is None or not in_bounds(simulator.system.variables, choices):
            return False
        return _runs(variation, simulator.run(choices), choices)


def _runs(variation: Variation, rows: list[Row], choices: Choices) -> bool:
    start = variation.infected(rows, choices.functions)
    changed = rows if start is None else variation.run(rows, choices, start)
    return variation.assumed(changed, choices.functions)
