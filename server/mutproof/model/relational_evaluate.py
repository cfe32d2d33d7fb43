"""The oracle of NuSMV: judge given states straight from the meaning of the program.

It knows nothing of transition systems and of how programs are lowered to them: terms keep their
sets, cases, arrays and next values, a DEFINE is a macro, and every use of a set chooses anew. Every
counterexample of a NuSMV model is replayed here before it is reported.
Source: NuSMV 2.6 user manual §2.3, §2.4; what the 2.6.0 binary does where it differs.
"""

from __future__ import annotations

from collections.abc import Container

from mutproof.base.lazy import cached_property
from mutproof.model import (
    sorts,
)
from mutproof.model.execution import Execution
from mutproof.model.program import (
    Bodies,
    ElementKind,
    Program,
)
from mutproof.model.relational_code import CodedProgram
from mutproof.model.relational_course import course
from mutproof.model.relational_rerun import Reruns
from mutproof.model.relational_scene import Scene
from mutproof.model.sorts import BoolSort
from mutproof.model.trace import Choices

MOST_RECENT = 64
"""The number of choices whose states are cached."""


class RelationalEvaluator(CodedProgram):
    """Judge states of one program many times, also with other bodies for some elements.

    Raises:
        InstantaneousLoop: a DEFINE depends on itself within one step.
    """

    def __init__(self, program: Program) -> None:
        super().__init__(program)
        self._boolean = {
            variable.name + suffix: isinstance(sort, BoolSort)
            for variable in self.component.variables
            for suffix, sort in sorts.leaves(variable.sort)
        }
        self._looked_at: list[tuple[Choices, bool]] = []
        self._recent: list[Scene] = []

    def is_typed(self, choices: Choices) -> bool:
        """Tell whether just the variables of truth values have such, so that none is 1 or 0.

        Those of an earlier version of the program may have others.
        """
        for known, typed in self._looked_at:
            if known is choices:
                return typed
        boolean = self._boolean
        typed = all(
            boolean.get(name, type(value) is bool) is (type(value) is bool)
            for step in choices.steps
            for name, value in step.items()
        )
        self._looked_at = [(choices, typed), *self._looked_at[: MOST_RECENT - 1]]
        return typed

    def run(
        self,
        choices: Choices,
        bodies: Bodies | None = None,
        goals: Container[str] | None = None,
    ) -> Execution:
        """Judge the states of `choices`; None as a body removes an element of the program.

        What the choices leave out is computed from assignments, as `relational_states.states`
        says; a DEFINE without a body has the values that the choices give it. Temporal
        properties are judged on fair lassos, where a violated one has the last step, and on
        finite executions that go on in any case. With `goals`, only these properties are judged.

        Raises:
            InstantaneousLoop: a DEFINE depends on itself within one step.
            KeyError: an element is not one of the program.
            ValueError: the loop returns to a step that does not exist.
        """
        if choices.loop is not None and not 0 <= choices.loop < len(choices.steps):
            message = f"no step {choices.loop} among {len(choices.steps)}"
            raise ValueError(message)
        if not bodies:
            followed = None if goals is None else course(self, self.rules, choices, goals)
            return followed or self._scene(choices).execution(self.rules, goals)
        rules = self.rules_with(bodies)
        redefined = any(element.kind is ElementKind.DEFINE for element in bodies)
        if not redefined and not _leave_out(choices, bodies):
            scene = self._scene(choices)
            if not any(scene.computed.intersection(element.targets) for element in bodies):
                return scene.execution(rules, goals)
        followed = course(self, rules, choices, goals)
        if followed is not None:
            return followed
        return Scene(self, rules, choices, is_own=not redefined).execution(rules, goals)

    def rerun(self, choices: Choices, bodies: Bodies) -> Execution:
        """Judge what other bodies change in an execution of the program; see `run`.

        The trace has only what they may change, unless the execution was judged as a whole.

        Raises: as `run` does.
        """
        scene, reruns = self._scene(choices), self._reruns
        return reruns.alike(
            scene, bodies, lambda: reruns.of(scene, bodies) or self.run(choices, bodies)
        )

    @cached_property
    def _reruns(self) -> Reruns:
        return Reruns(self)

    def _scene(self, choices: Choices) -> Scene:
        """Return the states of the unchanged program; cache those of recent choices."""
        for scene in self._recent:
            if scene.choices is choices:
                return scene
        scene = Scene(self, self.rules, choices, is_own=True)
        self._recent = [scene, *self._recent[: MOST_RECENT - 1]]
        return scene


def _leave_out(choices: Choices, bodies: Bodies) -> bool:
    """Tell whether choices leave out variables that elements assign, which are computed then."""
    targets = {target for element in bodies for target in element.targets}
    return any(not targets <= step.keys() for step in (*choices.steps[:1], *choices.steps[-1:]))
