"""Replay executions of mutants on their text, edited as a user would and read anew.

Analyses make mutants of terms. Here the text is edited, parsed and elaborated again, so that
places, names and replacements take part in what is checked.
"""

from __future__ import annotations

from dataclasses import replace
from enum import Enum

from mutproof.base.text import SourceText
from mutproof.model import linear
from mutproof.model.editing import TextEdit, edited
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.interpretation import Interpretation, interpretation
from mutproof.model.language import Language
from mutproof.model.program import Program, PropertyKind
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices

MOST_STEPS = 300
"""In how many states of an execution a loop of the whole program is looked for, at least."""


class WrittenKill(Enum):
    """Hold the outcome of replaying the killing execution on the text of a mutant."""

    CONFIRMED = "confirmed"  # it violates a property that is said to kill it
    REFUSED = "the language refuses the text"  # such as a node without an equation
    CONTRADICTED = "contradicted"


def shown_by_executions(program: Program) -> frozenset[str]:
    """Return the properties that a single execution can refute, unlike `EF p`."""
    stated = interpretation(program).system().properties
    return frozenset(
        one.name
        for one in stated
        if one.kind is PropertyKind.INVARIANT or linear.is_linear(one.term)
    )


def replayed(
    language: Language,
    source: SourceText,
    edit: TextEdit,
    choices: Choices,
    *,
    killed_by: tuple[str, ...],
) -> WrittenKill | None:
    """Replay choices in the evaluator on the mutant that an edit of the text makes.

    None where they loop, and no loop of the whole program is found.
    """
    text = SourceText(source.name, edited(source.content, (edit,)))
    program = language.elaborate(language.parse(text)).program
    if program is None:
        return WrittenKill.REFUSED
    meaning = interpretation(program)
    try:
        found = meaning.run(choices)
        if choices.loop is not None and (found is None or not found.assumed):
            closed = _closed(meaning, choices)
            if closed is None:
                return None
            found = meaning.run(closed)
    except InstantaneousLoop:
        return WrittenKill.CONTRADICTED
    if found is not None and found.assumed and not found.violated.keys().isdisjoint(killed_by):
        return WrittenKill.CONFIRMED
    return WrittenKill.CONTRADICTED


def _closed(meaning: Interpretation, choices: Choices) -> Choices | None:
    """Return choices of the same execution whose loop is one of the whole program, if it is found.

    Choices are those of what a property depends on. What else the program has may take other
    values when their loop begins than in it, or longer to come back to the same.
    """
    assert choices.loop is not None
    repeated = choices.steps[choices.loop :]
    times = max(1, (MOST_STEPS - len(choices.steps)) // len(repeated))
    unrolled = replace(choices, steps=choices.steps + times * repeated, loop=None)
    found = meaning.run(unrolled)
    if found is None or not found.assumed:
        return choices
    seen: dict[tuple[Value, ...], int] = {}
    for number in range(choices.loop, len(found.trace.steps), len(repeated)):
        first = seen.setdefault(tuple(found.trace.steps[number].values()), number)
        if first < number:
            return replace(choices, steps=unrolled.steps[:number], loop=first)
    return None
