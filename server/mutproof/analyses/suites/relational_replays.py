"""Run tests on a relational model in which assignments determine all but the inputs.

Inputs are what the model declares as such, and variables that nothing is assigned to. Every
other variable has an assignment in the first and in later steps, and no assignment chooses from
a set. Constraints then say which inputs there are, and nothing else.

Source: Fellner, Tabaei Befrouei and Weissenbacher, SEFM 2019, section 2: symbolic transition
systems that are deterministic.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from typing import Final

from mutproof.analyses.checking.baseline import Baseline
from mutproof.analyses.deciding.mutants import Mutants
from mutproof.analyses.suites.replays import Evaluated, Inputs, TriedTest
from mutproof.model import sorts
from mutproof.model.evaluate import Execution
from mutproof.model.operators import Op
from mutproof.model.program import Component, Element, ElementKind, Program, VariableKind
from mutproof.model.sampling import interesting_values, random_steps, uneven_steps
from mutproof.model.sorts import SetSort, Sort, Value
from mutproof.model.terms import Term
from mutproof.model.trace import Choices

_ASSIGNED: Final = frozenset(
    {ElementKind.INIT_ASSIGN, ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}
)
_CONSTRAINTS: Final = frozenset({ElementKind.INIT, ElementKind.TRANS, ElementKind.INVAR})
WAY_OUT: Final = "`mutproof control` makes inputs of what is open"


def inputs_of(program: Program) -> tuple[tuple[str, Sort], ...]:
    """Return the scalar inputs of a model with their sorts, frozen ones too."""
    component = program.component(program.main)
    assigned = {t for e in component.elements if e.kind in _ASSIGNED for t in e.targets}
    return tuple(
        (variable.name + suffix, sort)
        for variable in component.variables
        if variable.kind is not VariableKind.DEFINE
        for suffix, sort in sorts.leaves(variable.sort)
        if variable.kind is VariableKind.INPUT
        or assigned.isdisjoint((variable.name, variable.name + suffix))
    )


def outputs_of(program: Program) -> tuple[str, ...]:
    """Return the scalar variables that are assigned to."""
    component = program.component(program.main)
    inputs = {name for name, _ in inputs_of(program)}
    return tuple(
        variable.name + suffix
        for variable in component.variables
        if variable.kind is not VariableKind.DEFINE
        for suffix, _ in sorts.leaves(variable.sort)
        if variable.name + suffix not in inputs
    )


def undetermined(program: Program) -> str:
    """Return why inputs do not determine all that a model does; empty if they do."""
    component = program.component(program.main)
    for element in component.elements:
        target = ", ".join(element.targets)
        if element.guard is not None:
            return f"which process runs is open; {WAY_OUT}"
        if element.kind in _CONSTRAINTS:
            continue
        if _chooses(element.body):
            what = f"{element.kind.value}({target})" if target else element.kind.value
            return f"the value of {what} is chosen from a set; {WAY_OUT}"
    return _unassigned(component, {name for name, _ in inputs_of(program)})


def _unassigned(component: Component, inputs: set[str]) -> str:
    """Return a message about a variable not assigned in some step; empty if there is none."""
    begun, followed = (
        {t for e in component.elements if e.kind in kinds for t in e.targets}
        for kinds in (
            {ElementKind.INIT_ASSIGN, ElementKind.CURRENT_ASSIGN},
            {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN},
        )
    )
    for variable in component.variables:
        if variable.kind is VariableKind.DEFINE:
            continue
        for suffix, _ in sorts.leaves(variable.sort):
            name = variable.name + suffix
            if name in inputs:
                continue
            if begun.isdisjoint((variable.name, name)):
                return f"the first value of {name} is open; {WAY_OUT}"
            if (
                followed.isdisjoint((variable.name, name))
                and variable.kind is not VariableKind.FROZEN
            ):
                return f"the next value of {name} is open; {WAY_OUT}"
    return ""


def _chooses(root: Term) -> bool:
    """Tell whether a term chooses from a set, other than to test membership."""
    stack = [(root, False)]
    while stack:
        term, is_asked = stack.pop()
        if isinstance(term.sort, SetSort):
            if not is_asked and not (term.op is Op.SET and len(term.args) == 1):
                return True
            stack.extend((arg, is_asked) for arg in term.args)
        else:
            member = term.op is Op.IN
            stack.extend((arg, member and n == 1) for n, arg in enumerate(term.args))
    return False


class RelationalReplays(Evaluated):
    """Run inputs on a model and its mutants by the evaluator; caches, one thread."""

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
        return kind in {constraint.value for constraint in _CONSTRAINTS}

    def differs(self, mutant: str, test: TriedTest) -> int | None:
        """Return the first step at which outputs differ, None for none."""
        kill = self.kill(mutant, test.inputs)
        return None if kill is None else kill.step

    def _changed(self, mutant: str, inputs: Inputs) -> Execution | None:
        execution = super()._changed(mutant, inputs) if self.may_kill(mutant) else None
        return execution if execution is not None and execution.assumed else None

    def strays(self, mutant: str, test: TriedTest) -> int | None:
        """Return None: memories of relational systems are not compared."""
        del mutant, test
        return None

    def reached(self, test: TriedTest) -> frozenset[tuple[int, Value]]:
        """Return no values, so that no tests are extended: running one takes long."""
        del test
        return frozenset()

    def may_kill(self, mutant: str) -> bool:
        """Tell whether inputs determine what a mutant does, so that a kill can be claimed."""
        if mutant not in self._determined:
            bodies: Mapping[Element, Term | None] = self._mutants.bodies[mutant]
            self._determined[mutant] = all(_determines(e, body) for e, body in bodies.items())
        return self._determined[mutant]


def _determines(element: Element, body: Term | None) -> bool:
    if body is None:
        return element.kind in _CONSTRAINTS
    return element.kind in _CONSTRAINTS or not _chooses(body)
