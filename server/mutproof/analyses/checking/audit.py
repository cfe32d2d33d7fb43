"""Try every verdict that something holds on a few random executions before it is reported.

Proofs are checked by solvers; this looks from the other side, in the evaluator, and costs a few
milliseconds. An execution that violates what something has accepted is a defect of mutproof: the
verdict is withdrawn and says so. Nothing here proves anything.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Iterable, Iterator, Sequence
from dataclasses import replace
from zlib import crc32

from mutproof.analyses.checking import replay
from mutproof.analyses.checking.inclusion import impossible
from mutproof.analyses.claims.observation import Observed
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.execution import Execution
from mutproof.model.infection import Infected, Infection, Shown, is_same, shown
from mutproof.model.interpretation import Interpretation
from mutproof.model.program import Bodies, Element, ElementId, ElementKind, Program, VariableKind
from mutproof.model.purpose import AFFECTED
from mutproof.model.sampling import interesting_values, random_choices, random_value
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.simulate import CyclicDefinitions, Simulator, simulator
from mutproof.model.sorts import Sort, Value
from mutproof.model.steering import Steering
from mutproof.model.system import TransitionSystem
from mutproof.model.trace import Choices, FunctionTable

STEPS = 6
STAY = (0.0, 0.5, 0.9)
"""The probability that an input keeps its value in a step, for each execution in turn."""
SEED = 20_251_123
_ASSIGNED = {ElementKind.NEXT_ASSIGN, ElementKind.CURRENT_ASSIGN}


@dataclass(frozen=True, slots=True)
class Violation:
    """Say that a property is false at a 0-based step of an execution."""

    name: str
    step: int


class Audit:
    """Try verdicts on one program and its mutants; caches only, one thread.

    The executions are the same for all verdicts. Those that are `given`, which an earlier search
    found, are tried first. With `all_outputs`, differences are looked for in every output, whatever
    else is compared.
    """

    def __init__(
        self,
        meaning: Interpretation,
        system: TransitionSystem,
        given: Iterable[Choices] = (),
        *,
        all_outputs: bool = True,
    ) -> None:
        self._meaning = meaning
        self._system = system
        self._given = tuple(given)
        self._all_outputs = all_outputs
        self._violated: dict[ElementId, dict[str, int]] = {}
        self._passed: dict[tuple[int, Shown], set[str]] = {}

    @cached_property
    def executions(self) -> tuple[Choices, ...]:
        """Return executions of the program that its assumptions allow, perhaps none."""
        return tuple(choices for choices, _ in self._runs)

    @cached_property
    def _runs(self) -> tuple[tuple[Choices, Execution], ...]:
        found = []
        for choices in (*self._given, *self._random()):
            execution = allowed(self._meaning, choices)
            if execution is not None:
                found.append((execution.trace.choices, execution))
        return tuple(found)

    def of_model(self, names: Collection[str]) -> Violation | None:
        """Return what an execution of the program violates of some properties, if any does."""
        for _, execution in self._runs:
            for name in names:
                if name in execution.violated:
                    return Violation(name, execution.violated[name])
        return None

    def of_mutant(
        self, mutant: str, names: Collection[str], bodies: Bodies, *, briefly: bool = False
    ) -> Violation | None:
        """Return what an execution with other bodies violates of some properties, if any does.

        Only one is tried, if possible one on which the change shows: of many mutants, each
        execution covers some. Of mutants that give their element the same values there, one is
        tried, and the others if it fails. `briefly`: if the first execution looked at does not
        show the change, no other is looked for.
        """
        runs, number = self._runs, crc32(mutant.encode())
        infected = self._infected(bodies)
        for turn in range(min(len(runs), 1) if briefly else len(runs)):
            position = (number + turn) % len(runs)
            choices, _ = runs[position]
            if infected is None:
                return self._violation(choices, names, bodies)
            if is_same(infected, position):
                continue
            values = shown(infected, position)
            passed = set() if values is None else self._passed.setdefault((position, values), set())
            untried = [name for name in names if name not in passed]
            found = self._violation(choices, untried, bodies) if untried else None
            if found is None:
                passed.update(untried)
            return found
        return None

    def _infected(self, bodies: Bodies) -> Infected | None:
        """Return what other bodies change in the executions of the model, None if unknown."""
        return None if self._infection is None else self._infection.of(bodies)

    @cached_property
    def _infection(self) -> Infection | None:
        return self._meaning.infection([execution for _, execution in self._runs])

    def _violation(
        self, choices: Choices, names: Collection[str], bodies: Bodies
    ) -> Violation | None:
        execution = self._meaning.rerun(choices, bodies, frozenset(names))
        for name in () if execution is None else names:
            assert execution is not None
            step = execution.violated.get(name)
            if step is None:
                continue
            found = Violation(name, step)
            if execution.assumed or _is_allowed(self._meaning, choices, bodies, found):
                return found
        return None

    def of_element(self, element: ElementId, names: Collection[str]) -> Violation | None:
        """Return what an execution violates if an element may give any values, None if none does.

        Where no proof rests on the element, that stands for all of its mutants.
        """
        if element not in self._violated:
            self._violated[element] = dict(self._without(element))
        found = self._violated[element]
        return next((Violation(name, found[name]) for name in names if name in found), None)

    def _without(self, element: ElementId) -> Iterator[tuple[str, int]]:
        """Yield the properties violated, with the step, where an element gives random values."""
        source = random.Random(crc32(repr(element).encode()))
        interesting = interesting_values(self._system)
        defined = [c.defines for c in self._system.by_owner.get(element, ()) if c.defines]
        freed = {name: self._system.variables[name].sort for name in defined}
        bodies: Bodies = dict.fromkeys(self._meaning.program.by_id[element])
        for choices in self.executions[:1]:
            steps = [
                {**step, **{n: random_value(s, source, interesting) for n, s in freed.items()}}
                for step in choices.steps
            ]
            tried = replace(choices, steps=tuple(steps))
            execution = self._meaning.run(tried, bodies, AFFECTED)
            for name, step in () if execution is None else execution.violated.items():
                if _is_allowed(self._meaning, tried, bodies, Violation(name, step)):
                    yield name, step

    def difference(
        self, bodies: Bodies, compared: Collection[Observed]
    ) -> replay.Difference | None:
        """Return where executions with other bodies show a difference, if any does.

        Compared are `compared` and, with `all_outputs`, all outputs of the main component.
        """
        looked_at = tuple(dict.fromkeys((*self._outputs, *compared)))
        same: Bodies | None = {element: element.body for element in bodies}
        if self._system.relational:
            same = None

        def model(choices: Choices) -> Execution | None:
            return self._meaning.run(choices, same)

        def mutant(choices: Choices) -> Execution | None:
            return self._meaning.run(choices, bodies)

        runs = self._runs
        if self._system.relational:
            runs = tuple(zip(self._whole, [execution for _, execution in runs], strict=True))
        infected = self._infected(bodies)
        for number, (choices, _) in enumerate(runs):
            if infected is not None and is_same(infected, number):
                continue
            found = replay.difference(
                model, mutant, looked_at, choices, valued=self._system.relational
            )
            if found is not None:
                return found
        return None

    def shown_by_mutant(self, bodies: Bodies, names: Sequence[str]) -> Violation | None:
        """Return a step at which names were seen with values that only other bodies allow, if any.

        For relational programs: what is left open may be chosen differently on the two sides.
        """
        source = random.Random(SEED)
        gone = [element for element, body in bodies.items() if body is None]
        for stay in STAY:
            drawn = of_relations(self._meaning.program, self._system, source, stay, gone=gone)
            found = allowed(self._meaning, drawn, bodies)
            if found is None:
                continue
            steps = found.trace.steps
            again = self._meaning.run(replace(drawn, steps=tuple(map(dict, steps))))
            if again is not None and again.assumed and steps == again.trace.steps:
                continue
            step = impossible(self._system, steps, names)
            if step is not None:
                return Violation(", ".join(names), step)
        return None

    @cached_property
    def _outputs(self) -> tuple[Observed, ...]:
        return output_leaves(self._meaning.program) if self._all_outputs else ()

    @cached_property
    def _whole(self) -> tuple[Choices, ...]:
        """Return executions of the model as choices of all variables, to be run on mutants."""
        names = {
            variable.name + suffix
            for variable in self._meaning.program.component(self._meaning.program.main).variables
            if variable.kind is not VariableKind.DEFINE
            for suffix, _ in sorts.leaves(variable.sort)
        }
        return tuple(
            replace(
                choices,
                steps=tuple(
                    {name: value for name, value in step.items() if name in names}
                    for step in execution.trace.steps
                ),
            )
            for choices, execution in self._runs
        )

    # --- executions -----------------------------------------------------------------------

    def _random(self) -> Iterator[Choices]:
        source = random.Random(SEED)
        if self._system.relational:
            for stay in STAY:
                yield of_relations(self._meaning.program, self._system, source, stay)
            return
        try:
            runs = simulator(self._system)
        except CyclicDefinitions:
            return
        restricted = bool(runs.checks)
        steering = Steering(runs) if restricted else None
        for stay in STAY:
            if steering is None:
                choices = random_choices(runs, source, STEPS, stay)
            else:
                try:
                    choices, rows = steering.execution(source, STEPS)
                except NumberTooLarge:
                    continue
                kept = next((n for n, row in enumerate(rows) if not runs.assumed(row, {})), STEPS)
                if not kept:
                    continue
                choices = _first(choices, kept)
            yield replace(choices, functions=_functions(self._meaning.program, runs, source))


def allowed(
    meaning: Interpretation, choices: Choices, bodies: Bodies | None = None
) -> Execution | None:
    """Return an execution on a prefix of the choices that the assumptions allow, or None."""
    execution = meaning.run(choices, bodies)
    while execution is not None and not execution.assumed and len(choices.steps) > 1:
        choices = _first(choices, len(choices.steps) // 2)
        execution = meaning.run(choices, bodies)
    return execution if execution is not None and execution.assumed else None


def output_leaves(program: Program) -> tuple[Observed, ...]:
    """Return the scalar parts of all outputs of the main component."""
    return tuple(
        Observed(variable.name + suffix)
        for variable in program.component(program.main).of_kind(VariableKind.OUTPUT)
        for suffix, _ in sorts.leaves(variable.sort)
    )


def _is_allowed(
    meaning: Interpretation, choices: Choices, bodies: Bodies, found: Violation
) -> bool:
    """Tell whether the assumptions hold as far as a violated property reads.

    A property of transitions reads the step after its own too.
    """
    for length in (found.step + 1, found.step + 2):
        begun = meaning.run(_first(choices, length), bodies, AFFECTED)
        if begun is None or not begun.assumed:
            return False
        if found.name in begun.violated:
            return True
    return False


def _first(choices: Choices, steps: int) -> Choices:
    return replace(choices, steps=choices.steps[:steps], loop=None)


def _functions(
    program: Program, runs: Simulator, source: random.Random
) -> dict[tuple[str, int], FunctionTable]:
    interesting = interesting_values(runs.system)
    return {
        (function.name, position): FunctionTable({}, random_value(sort, source, interesting))
        for function in program.functions
        for position, sort in enumerate(function.outputs)
        if sorts.is_scalar(sort)
    }


def of_relations(
    program: Program,
    system: TransitionSystem,
    source: random.Random,
    stay: float,
    *,
    gone: Collection[Element] = (),
    steps: int = STEPS,
) -> Choices:
    """Return random choices of the variables that no assignment defines; a run computes others."""
    component = program.component(program.main)
    kinds: dict[str, set[ElementKind]] = {}
    for element in component.elements:
        for target in () if element in gone else element.targets:
            kinds.setdefault(target, set()).add(element.kind)
    leaves: list[tuple[str, Sort, VariableKind]] = [
        (variable.name + suffix, sort, variable.kind)
        for variable in component.variables
        if variable.kind is not VariableKind.DEFINE
        for suffix, sort in sorts.leaves(variable.sort)
    ]
    interesting = interesting_values(system)
    found: list[dict[str, Value]] = []
    for number in range(steps):
        chosen: dict[str, Value] = {}
        for name, sort, kind in leaves:
            assigned = kinds.get(name, set())
            first = ElementKind.INIT_ASSIGN in assigned or ElementKind.CURRENT_ASSIGN in assigned
            if first if not number else kind is VariableKind.FROZEN or assigned & _ASSIGNED:
                continue
            if number and name in found[-1] and source.random() < stay:
                chosen[name] = found[-1][name]
            else:
                chosen[name] = random_value(sort, source, interesting)
        found.append(chosen)
    return Choices(tuple(found))
