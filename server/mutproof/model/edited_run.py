"""Run a variant of a program from the execution that it had before the program was edited.

Choices and equations determine an execution. So one of an earlier version is that of today's, but
for the values of the equations that an edit changed, of those that the variant changes, and of what
reads them: only these are computed (`rerun`). That is told where programs have no called nodes
and define the same variables, and where the values are known of all that decides the properties
today; else a whole run tells.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from operator import is_not
from typing import Any, TypeAlias

from mutproof.base.digest import Digest
from mutproof.base.identity import ByIdentity
from mutproof.base.lazy import cached_property
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.base.rows import Row, RowTable
from mutproof.model import sorts, walk
from mutproof.model.code import Code
from mutproof.model.evaluator import Evaluator
from mutproof.model.execution import Execution, InstantaneousLoop, execution_of
from mutproof.model.instances import calls
from mutproof.model.layout import ProgramLayout
from mutproof.model.program import Bodies, Element, ElementId, Program
from mutproof.model.relevance import Relevant
from mutproof.model.rerun import rerun
from mutproof.model.semantics import NumberTooLarge
from mutproof.model.spot import Spot
from mutproof.model.step_values import MISSING, ShownStep, StepValues, Undefined, WholeStep
from mutproof.model.terms import Term
from mutproof.model.trace import Choices, Trace
from mutproof.model.unedited_values import UneditedValues

_ACTIVE = frozenset(("",))
_STRUCTURED = sorts.ArraySort | sorts.RecordSort | sorts.TupleSort

MOST_KEPT = 256
"""How many kinds of rows are kept ready."""

MOST_CHANGED, LEAST_COMPARED = 1 / 16, 50_000
"""The part of the values, once so many were compared, that an edit may change: where it changes
more, today's program itself is run instead, once for all variants that are run on the same choices.

Edits of 500 equations that change half of the values: 0.9 s, not 9 s, for 500 variants on 118
choices; 12 %: 1.2 s, not 3.2 s; 5 %: as long; 0.5 %: 1.2 s, not 0.4 s.
"""

Exchanged: TypeAlias = frozenset[tuple[ElementId, Digest]]
"""The elements with other bodies, and the digests of these, which are empty for none."""


class _Unknown(Exception):  # noqa: N818 - control flow inside this module
    """Say that the earlier execution lacks what matters today."""


@dataclass(frozen=True, slots=True)
class EarlierRun:
    """Hold an execution of a variant of some version of a program, all assumptions hold in it.

    `exchanged` are what the variant changed; `steps` have values of some variables.
    """

    program: Program
    exchanged: Exchanged
    choices: Choices
    steps: RowTable


def exchanged(bodies: Bodies) -> Exchanged:
    """Return which elements have other bodies."""
    return frozenset([(e.id, Digest(b"") if b is None else b.digest) for e, b in bodies.items()])


def earlier_run(program: Program, bodies: Bodies, trace: Trace) -> EarlierRun | None:
    """Return an execution to go on from after edits; None if its steps show other variables."""
    try:
        steps = RowTable.of(trace.steps)
    except KeyError:
        return None
    if not steps.names or len(steps) < len(trace.choices.steps):
        return None
    return EarlierRun(program, exchanged(bodies), trace.choices, steps)


class EditedRuns:
    """Run variants of one program from executions of earlier versions; caches only."""

    def __init__(self, evaluator: Evaluator) -> None:
        self._evaluator, layout = evaluator, evaluator.layout
        self._is_flat = len(layout.instances) == 1 and not any(
            isinstance(sort, _STRUCTURED) for sort in layout.sorts.values()
        )
        self._places: Memo[dict[str, int]] = Memo(MOST_KEPT)  # by names in rows
        self._edited: ByIdentity[tuple[Element, ...] | None] = ByIdentity()
        self._compared = self._changed = 0  # values of executions from before edits

    def run(self, before: EarlierRun, bodies: Bodies, goals: frozenset[str]) -> Execution | None:
        """Run a variant as far as it decides some properties; None if only a whole run tells."""
        dependents, relevance = self._evaluator.dependents, self._evaluator.relevance
        choices, layout = before.choices, self._evaluator.layout
        if dependents is None or relevance is None or not self._is_flat:
            return None
        if choices.functions or choices.loop is not None:
            return None
        changed = exchanged(bodies)
        if {element for element, _ in changed} != {element for element, _ in before.exchanged}:
            return None
        then, today = before.program, layout.program
        edited = self._edited.of(lambda: edited_elements(then, today), then)
        if edited is None:
            return None
        names = self._places.get(before.steps.names, lambda: before.steps.places)
        if not all(map(names.__contains__, relevance.of(goals, {}, ()).shown)):
            return None  # the earlier version did not depend on it
        is_plain = len(bodies) == len(changed) == len(before.exchanged)
        same = changed & before.exchanged if is_plain else ()
        fresh = {e: None for e in edited if not e.targets or not names.keys().isdisjoint(e.targets)}
        settled: dict[Element, Term | None] = {}
        for element, body in bodies.items():
            if element in edited or exchanged({element: body}).isdisjoint(same):
                fresh[element] = None
            else:
                settled[element] = body

        def deciding(exchanged: Mapping[int, Spot], more: Iterable[str]) -> Relevant:
            found = relevance.of(goals, exchanged, more)
            if not all(map(names.__contains__, found.shown)):
                raise _Unknown
            return found

        with suppress(InstantaneousLoop, NumberTooLarge, Undefined, _Unknown):
            rows = before.steps.changeable(names)
            if len(settled) == len(bodies) and self._is_unedited(rows, fresh, settled, choices):
                read = (walk.variables(body) for body in settled.values() if body is not None)
                if [*deciding({}, frozenset[str]().union(*read)).shown] == [*before.steps.names]:
                    violated = self._unedited.violated(rows, goals)
                    return Execution(Trace(choices, before.steps), violated, assumed=True)
            if edited and self._changes_much:
                return None
            recorded = _Recalled(layout, choices, rows, settled).whole_steps(goals)
            known = dependents, recorded, choices, bodies
            count = self._count if edited else None
            steps = rerun(*known, deciding=deciding, edited=fresh, count=count)
            self._compared += len(names) * len(rows) if edited else 0
            return None if steps is None else _as_before(execution_of(choices, steps), before)
        return None

    @property
    def _changes_much(self) -> bool:
        """Tell whether edits change so much that executions from before them are of little use."""
        compared = self._compared
        return compared >= LEAST_COMPARED and self._changed > MOST_CHANGED * compared

    def _count(self, changed: int) -> None:
        self._changed += changed

    def _is_unedited(
        self, rows: Sequence[Row], fresh: Iterable[Element], settled: Bodies, choices: Choices
    ) -> bool:
        """Tell whether fresh elements give the values of rows, in an order that is certain."""
        bounded = self._evaluator.layout.bounds.bounded(settled)
        unedited = self._unedited
        return (
            not bounded.variables
            and unedited.have(rows, fresh, choices)
            and unedited.keep_order(settled)
        )

    @cached_property
    def _unedited(self) -> UneditedValues:
        assert self._evaluator.dependents is not None
        return UneditedValues(self._evaluator.layout, self._evaluator.dependents.positions)


def edited_elements(before: Program, today: Program) -> tuple[Element, ...] | None:
    """Return the elements of the main component that a program did not have before.

    None if another difference of the programs matters to executions of that component.
    """
    if before is today:
        return ()
    then, now = before.component(before.main), today.component(today.main)
    if (
        before.traits != today.traits
        or before.functions != today.functions
        or then.variables != now.variables
        or any(e.circular or e.guard or any(calls(e.body)) for c in (then, now) for e in c.elements)
        or sorted(n for e in then.elements for n in e.targets)
        != sorted(n for e in now.elements for n in e.targets)
    ):
        return None
    known = {*then.elements}
    return tuple(element for element in now.elements if element not in known)


def _as_before(found: Execution, before: EarlierRun) -> Execution:
    """Return an execution, with the steps of the one before it if they are the very same."""
    steps, known = found.trace.steps, before.steps
    if not isinstance(steps, RowTable) or steps.names != known.names:
        return found
    if len(steps) != len(known) or any(map(is_not, steps.rows, known.rows)):
        return found
    return replace(found, trace=replace(found.trace, steps=known))


class _Recalled(StepValues):
    """Give steps of an earlier execution; what bodies remember is computed when it is asked for.

    `settled` are bodies of it that are not those of today's program.
    """

    def __init__(
        self, layout: ProgramLayout, choices: Choices, rows: Sequence[Row], settled: Bodies
    ) -> None:
        super().__init__(layout.beginnings.of(layout.sharing.base), choices)
        self.remembering = {*layout.remembering}
        self._settled: dict[int, tuple[Term, Code]] = {}
        for element, body in settled.items():
            for place in layout.places.get(element, ()):
                self.remembering.discard(place)
                if body is not None and (code := layout.code_of(body)).remembered:
                    self.remembering.add(place)
                    self._settled[place] = body, code
        self._layout = layout
        self._rows = rows
        self._known: dict[int, list[list[Any]]] = {}  # by place, for the first steps

    def runs(self, prefix: str) -> bool:  # noqa: ARG002 - there is one instance
        return True

    def whole_steps(self, goals: frozenset[str]) -> list[WholeStep]:
        """Return the steps, with what is false of some properties."""
        (instance,) = self._layout.instances
        component = self._layout.program.component(instance.component)
        stated = [one for one in component.properties if one.name in goals]
        steps = []
        for number, row in enumerate(self._rows):
            self.now = row
            violated = [one.name for one in stated if not self.stated(instance, one.term)]
            outcome, values = ShownStep(row, violated, allowed=True), _Remembered(self, number)
            held: dict[str, Any] = {}
            known = outcome, row, values, values, _ACTIVE, _ACTIVE, held, frozenset[int]()
            steps.append(WholeStep(*known, whole=True))
        return steps

    def at(self, step: int, place: int) -> list[Any]:
        """Return the values that the body at a place remembers from a step, by their slots.

        Raises:
            Undefined: a variable has no value.
        """
        own = self._layout.own[place]
        body, code = self._settled.get(place) or (own.body, own.code)
        assert code is not None
        if all(name is not None for _, name in code.remembered):
            row, values = self._rows[step], [MISSING] * code.size
            for slot, name in code.remembered:
                values[slot] = row.get(own.prefix + str(name), MISSING)
                if values[slot] is MISSING:
                    raise Undefined(str(name))
            return values
        known = self._known.setdefault(place, [])
        while len(known) <= step:
            last = known[-1] if known else None
            spot = Spot(own.instance, own.element, body, code, [], last, own.outputs)
            spot.values = [MISSING] * code.size
            self.step, self.now = len(known), self._rows[len(known)]
            self.ran = _ACTIVE if known else frozenset()
            self.complete(spot)
            known.append(spot.values)
        return known[step]


class _Remembered(dict[int, list[Any]]):
    """Hold what bodies remember from a step, as it is asked for."""

    def __init__(self, recalled: _Recalled, step: int) -> None:
        super().__init__()
        self._recalled, self._step = recalled, step

    def __missing__(self, place: int) -> list[Any]:
        return self._recalled.at(self._step, place)

    def get(self, place: int, default: Any = None) -> Any:
        return self[place] if place in self._recalled.remembering else default
