"""Run tests on a relational model in which assignments determine all but the inputs.

Source: Fellner, Tabaei Befrouei and Weissenbacher, SEFM 2019, section 2: symbolic transition
systems that are deterministic.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.suites.relational_inputs import CONSTRAINTS, inputs_of, leaves_open
from mutproof.analyses.suites.replays import Evaluated, Inputs, TriedTest
from mutproof.model import sorts
from mutproof.model.execution import Execution
from mutproof.model.program import Bodies, Element, VariableKind
from mutproof.model.sampling import interesting_values, random_steps, uneven_steps
from mutproof.model.sorts import Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices


class RelationalReplays(Evaluated):
    """Run inputs on a model and its mutants by the evaluator; caches, one thread."""

    many = 300
    runs = 24
    long_runs = 8
    long_steps = 48

    def __init__(
        self, baseline: Baseline, mutants: Mutants, inputs: Sequence[str], outputs: Sequence[str]
    ) -> None:
        super().__init__(baseline, mutants, inputs, outputs)
        program = baseline.program
        known = dict(inputs_of(program))
        self._sorts = {name: known[name] for name in inputs}
        component = program.component(program.main)
        frozen = component.scalars(VariableKind.FROZEN)
        self._frozen = frozenset(inputs).intersection(frozen)
        self._interesting = interesting_values(baseline.system)
        self._determined: dict[str, bool] = {}

    def random(
        self, source: random.Random, steps: int, stay: float | None
    ) -> Sequence[Mapping[str, Value]]:
        """Return random inputs."""
        if stay is None:
            return uneven_steps(self._sorts, source, self._interesting, steps=steps)
        return random_steps(self._sorts, source, self._interesting, steps=steps, stay=stay)

    def accepted(self, steps: Sequence[Mapping[str, Value]], origin: str) -> TriedTest | None:
        """Return the inputs of the longest prefix of some choices that the model accepts."""
        inputs = self._given(steps)
        length = len(inputs)
        while length:
            execution = self._baseline.meaning.run(Choices(inputs[:length]))
            if execution is not None and execution.assumed:
                return TriedTest(inputs[:length], [], origin)
            length -= 1
        return None

    def _given(self, steps: Sequence[Mapping[str, Value]]) -> Inputs:
        """Return the inputs of steps; frozen variables are given in the first one only."""
        return tuple(
            {
                name: step.get(name, sorts.default_value(sort))
                for name, sort in self._sorts.items()
                if not number or name not in self._frozen
            }
            for number, step in enumerate(steps)
        )

    def only_assumes(self, mutant: str) -> bool:
        """Tell whether a mutant changes a constraint, which only restricts the inputs."""
        kind = self._mutants.by_name[mutant].element.kind
        return kind in {constraint.value for constraint in CONSTRAINTS}

    def differs(self, mutant: str, test: TriedTest) -> int | None:
        """Return the first step at which outputs differ, None for none."""
        kill = self.kill(mutant, test.inputs)
        return None if kill is None else kill.step

    def _changed(self, mutant: str, inputs: Inputs) -> Execution | None:
        execution = super()._changed(mutant, inputs) if self.may_kill(mutant) else None
        return execution if execution is not None and execution.assumed else None

    def is_causal(self, mutant: str) -> bool:
        """Return true: constraints relate states."""
        del mutant
        return True

    def alters(self, mutant: str, test: TriedTest) -> bool:
        """Return true: it is not known."""
        del mutant, test
        return True

    def strays(self, mutant: str, test: TriedTest) -> int | None:
        """Return None: memories of relational systems are not compared."""
        del mutant, test
        return None

    def remembered(self, mutant: str, test: TriedTest, memories: Sequence[str]) -> None:
        """Return None: memories of relational systems are not compared."""
        del mutant, test, memories

    def reached(self, test: TriedTest) -> frozenset[tuple[int, Value]]:
        """Return no values, so that no tests are extended: running one takes long."""
        del test
        return frozenset()

    def may_kill(self, mutant: str) -> bool:
        """Tell whether inputs determine what a mutant does, so that a kill can be claimed."""
        if mutant not in self._determined:
            bodies: Bodies = self._mutants.bodies[mutant]
            self._determined[mutant] = all(_determines(e, body) for e, body in bodies.items())
        return self._determined[mutant]


def _determines(element: Element, body: Term | None) -> bool:
    if body is None:
        return element.kind in CONSTRAINTS
    return not leaves_open(element, body)
