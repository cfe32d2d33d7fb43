"""What a program means whose equations run forward from inputs and first memories (Lustre)."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from mutproof.base.digest import Digest, digest_parts
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution, InstantaneousLoop
from mutproof.model.instances import calls, child_prefix
from mutproof.model.lower import Lowering
from mutproof.model.program import Bodies, Element, ElementId, Program
from mutproof.model.purpose import AFFECTED, EVERYTHING, Purpose
from mutproof.model.rewritten import Rewritten
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.sorts import Value
from mutproof.model.system import Constraint, SystemVariable, TransitionSystem, in_bounds
from mutproof.model.terms import Site, Term
from mutproof.model.trace import Choices

if TYPE_CHECKING:
    from mutproof.model.edited_run import EditedRuns
    from mutproof.model.excerpt import Excerpts
    from mutproof.model.infection import Infection
    from mutproof.model.outcome_digests import OutcomeDigests

MOST_RUN_WHOLE = 100
"""Programs of at most so many elements, in all instances, are always run as a whole."""

EVALUATORS = 32

BEGINNINGS = 16
"""How many values before the first step are known to be in bounds, or not to be."""


def interpreted(program: Program) -> _Forward:
    """Return what a program means that runs forward."""
    return _Forward(program)


class _Forward:
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
        if len(self._lowering.instances) == 1:
            return False  # no calls are equal
        return self._lowering.linking.concerns(self._gone(elements))

    def _gone(self, elements: Iterable[ElementId]) -> dict[Element, Term | None]:
        return dict.fromkeys(o for element in elements for o in self.program.by_id[element])

    def merged(self, elements: frozenset[ElementId], goal: str) -> frozenset[ElementId]:  # noqa: ARG002
        return frozenset()

    def focused(self, elements: Iterable[ElementId]) -> _Forward:
        wanted = frozenset(elements)
        return self if wanted >= self.program.by_id.keys() else _Forward(self._parts.below(wanted))

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
        purpose: Purpose = EVERYTHING,
    ) -> Execution | None:
        if not self.admits(choices):
            return None
        goals, by = purpose.goals, purpose.by
        goals = goals if goals is not None and self._excerpts else None  # small ones show all
        if purpose.before is not None and goals is not None:
            found = self._edited_runs.run(purpose.before, bodies or {}, goals)
            if found is not None:
                return found
        partly = purpose.partly
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

    def rerun(
        self, choices: Choices, bodies: Bodies, goals: frozenset[str] | None = None
    ) -> Execution | None:
        return self.run(choices, bodies, replace(AFFECTED, goals=goals))

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
