"""What a program means to analyses: the only place that depends on its semantics.

Lustre programs run forward from inputs and first memories; NuSMV programs relate states.
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Protocol, assert_never

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.passes.enumerated import NoCommonSort
from mutproof.model.program import Bodies, Element, ElementId, Program
from mutproof.model.relational import Relational
from mutproof.model.relational_changes import LocalChanges
from mutproof.model.rewritten import Rewritten, difference
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Value
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem, in_bounds
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices
from mutproof.model.traits import Semantics

if TYPE_CHECKING:
    from mutproof.model.edited_run import EarlierRun, EditedRuns
    from mutproof.model.excerpt import Excerpts
    from mutproof.model.infection import Infection
    from mutproof.model.outcome_digests import OutcomeDigests
    from mutproof.model.relational_evaluate import RelationalEvaluator
    from mutproof.model.relational_explore import RelationalExplorer

MOST_RUN_WHOLE = 100
"""Programs of at most so many elements, in all instances, are always run as a whole."""

EVALUATORS = 32

BEGINNINGS = 16
"""How many values before the first step are known to be in bounds, or not to be."""

_NO_COMMON_SORT = "an integer without bounds stands for a value of an enumeration"


class Interpretation(Protocol):
    """Give a program its transition system and run it; caches only, one thread."""

    program: Program

    def system(self) -> TransitionSystem:
        """Return the transition system of the program."""

    def rewritten(self, bodies: Bodies) -> Rewritten:
        """Return the change of the system by other bodies for all occurrences of some elements."""

    def lost(self, bodies: Bodies) -> frozenset[str] | None:
        """Return the properties no longer stated with other bodies, None if that is unclear.

        If it is not None, the bodies make a program, and change nothing but constraints.
        """

    def widened(self, system: TransitionSystem) -> TransitionSystem:
        """Return the system with the variables that `without` may mention."""

    def without(self, elements: Iterable[ElementId]) -> tuple[Constraint, ...]:
        """Return the constraints that hold in place of those of some removed elements."""

    def is_linked(self, elements: Iterable[ElementId]) -> bool:
        """Tell whether `without` may return any, here or for a part of the program."""

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:
        """Return the elements without constraints of which elements or a property are made."""

    def focused(self, elements: Iterable[ElementId]) -> Interpretation:
        """Return the meaning of elements with all that they read, where that can stand alone."""

    @property
    def frame(self) -> Digest | None:
        """Return a digest of all that `rewritten` depends on beyond bodies, None if unknown.

        What is `linked` depends on memories as well.
        """

    def declared(self) -> Mapping[str, tuple[str, str]]:
        """Return component and declared name of every property, by its name in the system."""

    def admits(self, choices: Choices) -> bool:
        """Tell whether choices, perhaps of an earlier version, are within the program's sorts."""

    @property
    def outcomes(self) -> OutcomeDigests:
        """Return the digests of all that outcomes of executions depend on."""

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        *,
        partly: bool = False,
        goals: frozenset[str] | None = None,
        before: EarlierRun | None = None,
        by: Mapping[str, int] | None = None,
    ) -> Execution | None:
        """Run the program, with other bodies for some elements; None if it is not causal.

        With `partly`, only the part of a large program may be run that these elements can affect,
        and what that depends on; the properties left out are not affected. With `goals`, only what
        decides these properties, about which alone the execution says anything then; from the run
        `before` an edit, on the same choices, where that suffices. Goals that are to fail `by` some
        steps matter up to these only; the trace may end where the first has failed.
        """

    def rerun(self, choices: Choices, bodies: Bodies) -> Execution | None:
        """Run the program with other bodies, on choices of an execution that it has itself.

        The trace may lack all that they cannot affect; a run of the whole is what shows violations.
        """

    def explorer(self, names: Container[str], bodies: Bodies) -> RelationalExplorer | None:
        """Return what explores some variables, which read no others; None if it cannot.

        `bodies` leave out what else there is.
        """

    def infection(self, executions: Sequence[Execution]) -> Infection | None:
        """Return the `Infection` of executions; None where it is not computed."""


def interpretation(program: Program) -> Interpretation:
    """Return the interpretation of a program by its semantics."""
    match program.traits.semantics:
        case Semantics.FORWARD:
            return _Running(program)
        case Semantics.RELATIONAL:
            return _Relating(program)
        case unreachable:
            assert_never(unreachable)


class _Running:
    """Interpret a program whose equations run forward."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self._lowering = Lowering(program)
        self._evaluators: Memo[Evaluator] = Memo(EVALUATORS)
        self._calling: dict[Element, tuple[Site, ...]] = {}
        self._looked_at: tuple[Choices, bool] | None = None  # cached: often asked repeatedly
        self._begun: Memo[tuple[Mapping[str, Value], bool]] = Memo(BEGINNINGS)

    def system(self) -> TransitionSystem:
        return self._whole

    @cached_property
    def _whole(self) -> TransitionSystem:
        return self._lowering.system(self.frame)

    def rewritten(self, bodies: Bodies) -> Rewritten:
        constraints: list[Constraint] = []
        variables: dict[str, SystemVariable] = {}
        for element, body in bodies.items():
            one = self._lowering.element(element, body)
            constraints.extend(one.constraints)
            variables.update((v.name, v) for v in one.variables)
        linking = self._lowering.linking
        shared = linking.under(bodies, self._whole.variables, variables.values())
        constraints.extend(shared.constraints)
        variables.update((v.name, v) for v in shared.variables)
        removed = frozenset(element.id for element in bodies)
        changed = Rewritten(removed, tuple(constraints), tuple(variables.values()))
        return replace(changed, lost=self.lost(bodies), linked=linking.concerns(bodies))

    def widened(self, system: TransitionSystem) -> TransitionSystem:
        variables = self._lowering.linking.widened(system.variables)
        return (
            replace(system, variables=variables)
            if len(variables) > len(system.variables)
            else system
        )

    def without(self, elements: Iterable[ElementId]) -> tuple[Constraint, ...]:
        bodies = self._gone(elements)
        return self._lowering.linking.under(bodies, self._whole.variables, ()).constraints

    def is_linked(self, elements: Iterable[ElementId]) -> bool:
        return self._lowering.linking.concerns(self._gone(elements))

    def _gone(self, elements: Iterable[ElementId]) -> dict[Element, Term | None]:
        return dict.fromkeys(o for element in elements for o in self.program.by_id[element])

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:  # noqa: ARG002
        return frozenset()

    def focused(self, elements: Iterable[ElementId]) -> Interpretation:
        wanted = frozenset(elements)
        return self if wanted >= self.program.by_id.keys() else _Running(self._parts.below(wanted))

    @cached_property
    def _parts(self) -> Excerpts:
        from mutproof.model.excerpt import Excerpts  # only large programs are run in parts

        return Excerpts(self.program)

    @cached_property
    def frame(self) -> Digest:
        program = self.program
        declared = [
            repr((component.name, component.variables, [p.name for p in component.properties]))
            for component in program.components
        ]
        keys = self._lowering.sharing.keys
        placed = [
            repr((instance.prefix, instance.component, instance.clocked, keys[instance.prefix]))
            for instance in self._lowering.instances
        ]
        functions = repr(program.functions)
        return digest_parts(program.main, functions, len(declared), *declared, *placed)

    def lost(self, bodies: Bodies) -> frozenset[str]:
        """Return the properties of called nodes that are called no more."""
        found: set[str] = set()
        for element, body in bodies.items() if self._inner_goals else ():
            if element not in self._calling:
                self._calling[element] = tuple(site for site, _, _ in calls(element.body))
            called = self._calling[element]
            if not called:
                continue
            kept = set() if body is None else {site for site, _, _ in calls(body)}
            lost = [site for site in called if site not in kept]
            for instance in self._lowering.instances_of(element.id.component):
                for site in lost:
                    prefix = child_prefix(instance.prefix, element, site)
                    found |= {goal for goal in self._inner_goals if goal.startswith(prefix)}
        return frozenset(found)

    @cached_property
    def _excerpts(self) -> Excerpts | None:
        """Return the excerpts of the program; None if it is small enough to run as a whole."""
        size = sum(
            len(self.program.component(instance.component).elements)
            for instance in self._lowering.instances
        )
        return self._parts if size > MOST_RUN_WHOLE else None

    @cached_property
    def _inner_goals(self) -> tuple[str, ...]:
        """Return the properties of called nodes."""
        return tuple(goal for goal in self._declared if "." in goal)

    def declared(self) -> Mapping[str, tuple[str, str]]:
        return self._declared

    @cached_property
    def _declared(self) -> Mapping[str, tuple[str, str]]:
        return {
            instance.prefix + stated.name: (instance.component, stated.name)
            for instance in self._lowering.instances
            for stated in self.program.component(instance.component).properties
        }

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        *,
        partly: bool = False,
        goals: frozenset[str] | None = None,
        before: EarlierRun | None = None,
        by: Mapping[str, int] | None = None,
    ) -> Execution | None:
        if not self.admits(choices):
            return None
        goals = goals if goals is not None and self._excerpts else None  # small ones show all
        if before is not None and goals is not None:
            found = self._edited_runs.run(before, bodies or {}, goals)
            if found is not None:
                return found
        excerpt = self._excerpts.of(bodies) if partly and bodies and self._excerpts else None
        if excerpt is not None:
            sharing = self._lowering.sharing
            evaluator = self._evaluators.get(excerpt.digest, lambda: Evaluator(excerpt, sharing))
            try:
                return evaluator.run(choices, bodies, goals=goals, by=by)
            except (InstantaneousLoop, NumberTooLarge):
                return None
            except KeyError:
                pass  # a body reads a value that the excerpt lacks
        try:
            return self._evaluator.run(choices, bodies, goals=goals, by=by)
        except (InstantaneousLoop, NumberTooLarge):
            return None

    @cached_property
    def _evaluator(self) -> Evaluator:
        return Evaluator(self.program)

    @cached_property
    def _edited_runs(self) -> EditedRuns:
        from mutproof.model.edited_run import EditedRuns  # only large programs are run so

        return EditedRuns(self._evaluator)

    def rerun(self, choices: Choices, bodies: Bodies) -> Execution | None:
        return self.run(choices, bodies, partly=True)

    def explorer(self, names: Container[str], bodies: Bodies) -> None:  # noqa: ARG002
        return None  # equations are proved by solvers

    def infection(self, executions: Sequence[Execution]) -> Infection:
        from mutproof.model.infection import Infection  # only mutants are looked at so

        return Infection(executions, self._prefixes)

    @cached_property
    def _prefixes(self) -> Mapping[str, list[str]]:
        """Return the prefixes of the instances of each component."""
        found: dict[str, list[str]] = {}
        for instance in self._lowering.instances:
            found.setdefault(instance.component, []).append(instance.prefix)
        return found

    @cached_property
    def outcomes(self) -> OutcomeDigests:
        from mutproof.model.outcome_digests import OutcomeDigests  # only mutants are kept so

        return OutcomeDigests(self.program, self.frame, small=MOST_RUN_WHOLE)

    def admits(self, choices: Choices) -> bool:
        if self._looked_at is None or self._looked_at[0] is not choices:
            variables, before = self._whole.variables, choices.before
            # Executions of many mutants begin with the same values, of all memories.
            begun = self._begun.get(
                id(before), lambda: (before, in_bounds(variables, Choices((), before)))
            )
            later = begun[1] and in_bounds(variables, Choices(choices.steps))
            self._looked_at = choices, later
        return self._looked_at[1]


class _Relating:
    """Interpret a program whose constraints relate states."""

    frame = None

    def __init__(self, program: Program) -> None:
        self.program = program
        self._relational = Relational(program)

    def system(self) -> TransitionSystem:
        return self._system

    @cached_property
    def _system(self) -> TransitionSystem:
        return self._relational.system()

    def lost(self, bodies: Bodies) -> None:  # noqa: ARG002 - it takes `rewritten` to tell
        return None

    def widened(self, system: TransitionSystem) -> TransitionSystem:
        return system

    def without(self, elements: Iterable[ElementId]) -> tuple[Constraint, ...]:  # noqa: ARG002
        return ()

    def is_linked(self, elements: Iterable[ElementId]) -> bool:  # noqa: ARG002
        return False

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:
        return self._changes.merged(elements, goal)

    def focused(self, elements: Iterable[ElementId]) -> Interpretation:  # noqa: ARG002
        return self  # a constraint may restrict any variable

    def rewritten(self, bodies: Bodies) -> Rewritten:
        removed = frozenset(element.id for element in bodies)
        try:
            local = self._changes.of(bodies)
            if local is not None:
                return local
            changed = Relational(self.program.with_bodies(bodies))
            return difference(self._system, changed.system(), removed)
        except NoCommonSort:
            return Rewritten(removed, (), refused=_NO_COMMON_SORT)

    @cached_property
    def _changes(self) -> LocalChanges:
        return LocalChanges(self._relational, self._system)

    def declared(self) -> Mapping[str, tuple[str, str]]:
        main = self.program.component(self.program.main)
        return {stated.name: (main.name, stated.name) for stated in main.properties}

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        *,
        partly: bool = False,  # noqa: ARG002 - constraints may restrict everything
        goals: frozenset[str] | None = None,  # noqa: ARG002
        before: EarlierRun | None = None,  # noqa: ARG002
        by: Mapping[str, int] | None = None,  # noqa: ARG002
    ) -> Execution | None:
        if not self.admits(choices):
            return None
        try:
            return self._evaluated.run(choices, bodies)
        except (InstantaneousLoop, NumberTooLarge):
            return None

    def rerun(self, choices: Choices, bodies: Bodies) -> Execution | None:
        if not self.admits(choices):
            return None
        try:
            return self._evaluated.rerun(choices, bodies)
        except (InstantaneousLoop, NumberTooLarge):
            return None

    def explorer(self, names: Container[str], bodies: Bodies) -> RelationalExplorer | None:
        from mutproof.model.relational_explore import explorer

        return explorer(self._evaluated, names, bodies)

    @cached_property
    def outcomes(self) -> OutcomeDigests:
        from mutproof.model.outcome_digests import OutcomeDigests

        return OutcomeDigests(self.program, None, small=0)

    def admits(self, choices: Choices) -> bool:
        return self._evaluated.is_typed(choices)

    @cached_property
    def _evaluated(self) -> RelationalEvaluator:
        from mutproof.model.relational_evaluate import RelationalEvaluator

        return RelationalEvaluator(self.program)

    def infection(self, executions: Sequence[Execution]) -> None:  # noqa: ARG002
        return None  # open values could be chosen differently
