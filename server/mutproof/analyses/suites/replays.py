"""Run tests on a model and its mutants: compiled code searches, the evaluator confirms."""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol, TypeAlias

from mutproof.analyses.bench.executions import variation
from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.claims.variant import applied
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.suites.determined import Determinacy, Unsaid
from mutproof.analyses.suites.suite import TestKill
from mutproof.model import sorts
from mutproof.model.execution import Execution
from mutproof.model.program import ElementKind
from mutproof.model.sampling import interesting_values, random_choices, uneven_steps
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Simulator, definition
from mutproof.model.sorts import Value
from mutproof.model.system import ConstraintKind
from mutproof.model.terms import Term
from mutproof.model.trace import Choices
from mutproof.model.variation import Variation

Inputs: TypeAlias = tuple[Mapping[str, Value], ...]
Row: TypeAlias = Mapping[str, Value]
Rows: TypeAlias = tuple[Row, ...]
"""Outputs by step, as far as they are known."""


Confirmed: TypeAlias = tuple[TestKill | None, frozenset[str]]
"""How a test kills a mutant, if it does, and which properties the mutant breaks on it."""


class TriedTest:
    """Hold inputs that the model accepts, and the rows of its execution on them."""

    def __init__(self, inputs: Inputs, rows: list[Any], origin: str) -> None:
        self.inputs = inputs
        self.rows = rows
        self.origin = origin
        self.choices = Choices(inputs)


class Replays(Protocol):
    """Run inputs on a model and its mutants.

    From `many` mutants on, tests are not run on all of them. `runs` is the number of random
    tests, `long_runs` that of tests of `long_steps` steps for mutants that no other shows; a
    tester sets `inputs` and sees `outputs`.
    """

    many: int
    runs: int
    long_runs: int
    long_steps: int
    inputs: tuple[str, ...]
    outputs: tuple[str, ...]

    def random(
        self, source: random.Random, steps: int, stay: float | None
    ) -> Sequence[Mapping[str, Value]]:
        """Return random inputs; one stays as it was with probability `stay`.

        None: each input has a probability of its own, also to be true.
        """

    def accepted(self, steps: Sequence[Mapping[str, Value]], origin: str) -> TriedTest | None:
        """Return the inputs of the longest prefix of some choices that the model accepts."""

    def only_assumes(self, mutant: str) -> bool:
        """Tell whether a mutant only changes which inputs are allowed."""

    def may_kill(self, mutant: str) -> bool:
        """Tell whether a kill of a mutant can be claimed at all."""

    def only_frees(self, mutant: str) -> bool:
        """Tell whether a mutant only removes restrictions: it can do all that the model does."""

    def differs(self, mutant: str, test: TriedTest) -> int | None:
        """Return the first step at which outputs differ, or None; not yet confirmed."""

    def is_causal(self, mutant: str) -> bool:
        """Tell whether no value of a mutant depends on itself within a step, as far as known."""

    def alters(self, mutant: str, test: TriedTest) -> bool:
        """Tell whether what a mutant changes may have another value in a test than in the model."""

    def strays(self, mutant: str, test: TriedTest) -> int | None:
        """Return the last step after which memories of a mutant differ, or None."""

    def remembered(
        self, mutant: str, test: TriedTest, memories: Sequence[str]
    ) -> tuple[Row, Row] | None:
        """Return what model and mutant remember when the last step of a test begins, by name."""

    def reached(self, test: TriedTest) -> frozenset[tuple[int, Value]]:
        """Return the values that variables of the model take in a test, with their indices."""

    def expected(self, inputs: Inputs) -> Rows | None:
        """Return the outputs of the model that inputs determine; None if it rejects them."""

    def kill(self, mutant: str, inputs: Inputs) -> TestKill | None:
        """Return how a test kills a mutant whatever open values are; None if it does not."""

    def confirmed(
        self, mutant: str, inputs: Inputs, expected: Rows, *, step: int | None = None
    ) -> Confirmed:
        """Return the kill, given the model's outputs, and the properties that the mutant breaks.

        Differences later than `step` are not sought, if one is given.
        """

    def in_order(self, properties: Iterable[str]) -> tuple[str, ...]:
        """Return names of properties in the order of the model."""


class Evaluated:
    """Confirm by the evaluator what tests show; caches the latest outputs, one thread.

    Subclasses say what an execution shows for certain, and which executions of mutants count.
    """

    def __init__(
        self, baseline: Baseline, mutants: Mutants, inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        self._baseline = baseline
        self._mutants = mutants
        self.inputs = tuple(inputs)
        self.outputs = tuple(outputs)
        self._latest: tuple[Inputs, Rows | None] | None = None

    def expected(self, inputs: Inputs) -> Rows | None:
        """Return the outputs of the model that inputs determine; None if it rejects them."""
        if self._latest is None or self._latest[0] is not inputs:
            execution = self._baseline.meaning.run(Choices(inputs))
            rows = None
            if execution is not None and execution.assumed:
                rows = self._shown(execution, inputs)
            self._latest = inputs, rows
        return self._latest[1]

    def kill(self, mutant: str, inputs: Inputs) -> TestKill | None:
        """Return how a test kills a mutant whatever open values are; None if it does not."""
        expected = self.expected(inputs)
        return None if expected is None else self.confirmed(mutant, inputs, expected)[0]

    def confirmed(
        self, mutant: str, inputs: Inputs, expected: Rows, *, step: int | None = None
    ) -> Confirmed:
        """Return the kill, given the model's outputs, and the properties that the mutant breaks.

        These are properties that the model has, and that are false in the mutant's execution, no
        later than the first difference. Steps after a given `step` are not run.
        """
        steps = len(inputs) if step is None else step + 1
        return self._compared(mutant, inputs[:steps], expected[:steps])

    def _compared(self, mutant: str, inputs: Inputs, expected: Rows) -> Confirmed:
        """Return the first difference of a mutant on inputs, and what it violates by then."""
        execution = self._changed(mutant, inputs)
        if execution is None:
            return None, frozenset()
        shown = self._shown(execution, inputs, mutant)
        for step, (wanted, seen) in enumerate(zip(expected, shown, strict=True)):
            names = tuple(n for n in self.outputs if n in wanted and n in seen)
            differing = tuple(n for n in names if wanted[n] != seen[n])
            if differing:
                proved = self._baseline.proofs
                broken = (n for n, at in execution.violated.items() if at <= step and n in proved)
                return TestKill(mutant, step, differing), frozenset(broken)
        return None, frozenset()

    def only_frees(self, mutant: str) -> bool:
        """Tell whether a mutant only removes restrictions: it can do all that the model does."""
        bodies = self._mutants.bodies[mutant].values()
        return bool(bodies) and all(body is None for body in bodies)

    def in_order(self, properties: Iterable[str]) -> tuple[str, ...]:
        """Return names of properties in the order of the model."""
        wanted = frozenset(properties)
        stated = self._baseline.system.properties
        return tuple(one.name for one in stated if one.name in wanted)

    def _changed(self, mutant: str, inputs: Inputs) -> Execution | None:
        """Return the execution of a mutant, None if no kill can be claimed by it."""
        return self._baseline.meaning.run(Choices(inputs), self._mutants.bodies[mutant])

    def _shown(self, execution: Execution, inputs: Inputs, mutant: str = "") -> Rows:
        """Return the outputs, of the model or of a mutant, that the inputs determine."""
        del inputs, mutant
        rows = execution.trace.steps
        return tuple({n: row[n] for n in self.outputs if n in row} for row in rows)


class ForwardReplays(Evaluated):
    """Run inputs on a model and its mutants; caches, one thread."""

    many = 1000
    runs = 64
    long_runs = 96
    long_steps = 96

    def __init__(
        self, baseline: Baseline, mutants: Mutants, inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        super().__init__(baseline, mutants, inputs, outputs)
        self.system = mutants.system
        self._simulator = Simulator(self.system)
        self._indices = [self._simulator.index[name] for name in outputs]
        self._variations: dict[str, Variation | None] = {}
        self._open: dict[str, Determinacy | None] = {}
        self._own = Determinacy(self.system)
        self._interesting = interesting_values(self.system)

    def random(
        self, source: random.Random, steps: int, stay: float | None
    ) -> Sequence[Mapping[str, Value]]:
        """Return random inputs, beside values of what else is free."""
        if stay is None:
            sorts_ = {name: self.system.variables[name].sort for name in self.inputs}
            return uneven_steps(sorts_, source, self._interesting, steps=steps)
        return random_choices(self._simulator, source, steps, stay).steps

    def accepted(self, steps: Sequence[Mapping[str, Value]], origin: str) -> TriedTest | None:
        """Return the inputs of the longest prefix of some choices that the model accepts."""
        variables = self.system.variables
        inputs = tuple(
            {n: step.get(n, sorts.default_value(variables[n].sort)) for n in self.inputs}
            for step in steps
        )
        choices = Choices(inputs)
        try:
            rows = self._simulator.run(choices)
            ends = (
                number
                for number, row in enumerate(rows)
                if not self._simulator.assumed(row, choices.functions)
                or not all(
                    sorts.contains(variables[n].sort, row[self._simulator.index[n]])
                    for n in self.inputs
                )
            )
            length = next(ends, len(rows))
        except NumberTooLarge:
            return None
        return TriedTest(inputs[:length], rows[:length], origin) if length else None

    def only_assumes(self, mutant: str) -> bool:
        """Tell whether a mutant changes an assertion, which only restricts the inputs."""
        return self._mutants.by_name[mutant].element.kind == ElementKind.ASSERT.value

    def may_kill(self, mutant: str) -> bool:  # noqa: ARG002 - that is known of each test alone
        """Return true: even undefined variables may have no effect on outputs."""
        return True

    def differs(self, mutant: str, test: TriedTest) -> int | None:
        """Return the first step at which outputs differ, or None; not yet confirmed."""
        changed = self._variation(mutant)
        if changed is None:
            kill = self.kill(mutant, test.inputs)
            return None if kill is None else kill.step
        try:
            return changed.differs(test.rows, test.choices, self._indices)
        except NumberTooLarge:
            return None

    def is_causal(self, mutant: str) -> bool:
        """Tell whether no value of a mutant depends on itself within a step, as far as known."""
        whole = self._mutants.claims[mutant].variant.system
        return whole is not None or self._variation(mutant) is not None

    def alters(self, mutant: str, test: TriedTest) -> bool:
        """Tell whether what a mutant changes may have another value in a test than in the model."""
        changed = self._variation(mutant)
        try:
            return changed is None or (
                changed.infected(test.rows, test.choices.functions) is not None
            )
        except NumberTooLarge:
            return True

    def strays(self, mutant: str, test: TriedTest) -> int | None:
        """Return the last step after which memories of a mutant differ, or None."""
        changed = self._variation(mutant)
        try:
            return None if changed is None else changed.strays(test.rows, test.choices)
        except NumberTooLarge:
            return None

    def remembered(
        self, mutant: str, test: TriedTest, memories: Sequence[str]
    ) -> tuple[Row, Row] | None:
        """Return what model and mutant remember when the last step of a test begins, by name."""
        changed, index = self._variation(mutant), self._simulator.index
        try:
            rows = None if changed is None else changed.run(test.rows, test.choices)
        except NumberTooLarge:
            return None
        if rows is None:
            return None
        here, there = ({n: row[index[n]] for n in memories} for row in (test.rows[-1], rows[-1]))
        return here, there

    def reached(self, test: TriedTest) -> frozenset[tuple[int, Value]]:
        """Return the values that variables of the model take in a test, with their indices."""
        return frozenset(item for row in test.rows for item in enumerate(row))

    def _variation(self, mutant: str) -> Variation | None:
        if mutant not in self._variations:
            variant = self._mutants.claims[mutant].variant
            found = None
            if variant.system is None:
                try:
                    found = variation(self._simulator, self.system, variant)
                except CyclicDefinitions:
                    found = None
            self._variations[mutant] = found
        return self._variations[mutant]

    def _determinacy(self, mutant: str) -> Determinacy | None:
        """Return what is open in a mutant; None if no more than in the model, and no output."""
        if mutant not in self._open:
            variant = self._mutants.claims[mutant].variant
            determined = self._own.always_open.isdisjoint(self.outputs)
            closed = determined and self._stays(mutant)
            self._open[mutant] = None if closed else Determinacy(applied(self.system, variant))
        return self._open[mutant]

    def _stays(self, mutant: str) -> bool:
        """Tell whether a mutant only redefines variables, and leaves no more values open."""
        variation, variant = self._variation(mutant), self._mutants.claims[mutant].variant
        if variation is None or variation.freed:
            return False
        before = (c for o in variant.removed for c in self.system.by_owner.get(o, ()))
        known, others = (
            {(c.kind, c.defines): definition(c) for c in constraints if c.defines}
            for constraints in (before, variant.constraints)
        )
        changed: dict[ConstraintKind, dict[str, Term]] = {}
        for (kind, name), term in others.items():
            if term is None or name is None:
                return False
            if term is not known.get((kind, name)):
                changed.setdefault(kind, {})[name] = term
        return known.keys() == others.keys() and self._own.stays(changed)

    def _shown(self, execution: Execution, inputs: Inputs, mutant: str = "") -> Rows:
        shown = super()._shown(execution, inputs, mutant)
        system = self._determinacy(mutant) if mutant else self._own
        loose = frozenset() if system is None else system.always_open.intersection(self.outputs)
        if system is None or not loose:
            return shown
        known = system.steps(inputs)
        return tuple(
            {n: v for n, v in row.items() if n not in loose or values.get(n) is not Unsaid.OPEN}
            for row, values in zip(shown, known, strict=True)
        )
