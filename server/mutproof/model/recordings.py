"""Executions of one program, kept step by step, so that others on the same choices go on there."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import field
from typing import Any

from mutproof.base.identity import each_once
from mutproof.base.lazy import cached_property
from mutproof.base.record import dataclass
from mutproof.model import sorts
from mutproof.model.layout import ProgramLayout
from mutproof.model.step_values import WholeStep
from mutproof.model.trace import Choices

MOST_RECORDED = 2_000_000
"""How many values are kept at most (some 32 bytes each), in all steps: of variables, of subterms of
bodies that remember them, and of what was chosen. With a quarter, and all subterms counted, the
replays of 500 equations after an edit forgot and repeated most steps, in three times the time."""

MOST_IN_PART = 500_000
"""How many of an excerpt: there may be many of these."""

_DEFAULT: Any = object()


@dataclass(eq=False, slots=True)
class _RecordedStep:
    """Hold a step that was asked for, and those that follow it; what it shows once it ran."""

    step: WholeStep | None = None
    after: dict[tuple[Any, ...], _RecordedStep] = field(default_factory=dict)


class RecordedPath:
    """Give the steps of one execution; `repeated`: all of them were asked for before."""

    def __init__(self, owner: Recordings, nodes: list[_RecordedStep], *, repeated: bool) -> None:
        self.repeated = repeated
        self._owner = owner
        self._nodes = nodes

    def steps(self) -> list[WholeStep]:
        """Return the first steps, as far as they were recorded."""
        found: list[WholeStep] = []
        for node in self._nodes:
            if node.step is None:
                break
            found.append(node.step)
        return found

    def record(self, step: WholeStep) -> None:
        """Record the first step that was not."""
        next(node for node in self._nodes if node.step is None).step = step
        self._owner.left -= self._owner.size


class Recordings:
    """Keep steps of the executions of a program itself; mutable, one thread.

    Executions are the same if all that the program itself reads of their choices is.
    """

    def __init__(self, layout: ProgramLayout, most: int = MOST_RECORDED) -> None:
        self.left = self._most = most
        self._layout = layout
        self._begun: dict[tuple[Any, ...], tuple[_RecordedStep, Mapping[Any, Any]]] = {}
        self._latest: tuple[_RecordedStep, list[tuple[Any, ...]], list[_RecordedStep]] | None = None

    @cached_property
    def size(self) -> int:
        """Return how many values a step has."""
        layout = self._layout
        codes = [layout.own[place].code for place in layout.remembering]
        return len(layout.sorts) + sum(code.size for code in codes if code is not None) or 1

    def path(self, choices: Choices) -> RecordedPath:
        """Return the path of an execution on choices."""
        key = tuple(choices.before.items()), id(choices.functions) if choices.functions else None
        # What is kept beside a node keeps the key alive.
        first, _ = self._begun.setdefault(key, (_RecordedStep(), choices.functions))
        chosen = self._chosen
        taken = each_once(
            lambda step: tuple([step.get(name, _DEFAULT) for name in chosen]), choices.steps
        )
        if self._latest is not None:  # many executions are the same up to a step
            begun, known, steps = self._latest
            if begun is first and known[: len(taken)] == taken:
                return RecordedPath(self, steps[: len(taken)], repeated=True)
        node, nodes, repeated = first, list[_RecordedStep](), True
        for read in taken:
            found = node.after.get(read)
            if found is None:
                repeated = False
                found = node.after[read] = _RecordedStep()
                self.left -= 1 + len(read)
            node = found
            nodes.append(node)
        if self.left < 0:
            self._begun = {key: (first, choices.functions)}
            self._forget_others(first, nodes, taken)
        self._latest = first, taken, nodes
        return RecordedPath(self, nodes, repeated=repeated)

    def _forget_others(
        self, first: _RecordedStep, nodes: list[_RecordedStep], taken: list[tuple[Any, ...]]
    ) -> None:
        """Keep one path only, however long it is: an execution is mostly asked for many times."""
        self.left = self._most
        if nodes:
            nodes[-1].after = {}
        for node, read, found in zip([first, *nodes], taken, nodes, strict=False):
            node.after = {read: found}
            self.left -= 1 + len(read) + (0 if found.step is None else self.size)
        self.left = max(0, self.left)

    @cached_property
    def _chosen(self) -> tuple[str, ...]:
        """Return the scalar parts of the variables that nothing defines."""
        layout = self._layout
        beginning = layout.beginnings.of(layout.sharing.base)
        return tuple(
            beginning.chosen_name(name) + suffix
            for name, sort in layout.sorts.items()
            if not layout.sources.defines(name)
            for suffix, _ in sorts.leaves(sort)
        )
