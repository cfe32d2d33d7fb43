"""Replay executions of mutants on their text, edited as a user would and read anew.

Analyses make mutants of terms. Here the text is edited, parsed and elaborated again, so that
places, names and replacements take part in what is checked.
"""

from __future__ import annotations

from enum import Enum

from mutproof.base.text import SourceText
from mutproof.model import linear
from mutproof.model.editing import TextEdit, edited
from mutproof.model.execution import InstantaneousLoop
from mutproof.model.interpretation import interpretation
from mutproof.model.language import Language
from mutproof.model.program import Program, PropertyKind
from mutproof.model.trace import Choices


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
) -> WrittenKill:
    """Replay choices in the evaluator on the mutant that an edit of the text makes."""
    text = SourceText(source.name, edited(source.content, (edit,)))
    program = language.elaborate(language.parse(text)).program
    if program is None:
        return WrittenKill.REFUSED
    try:
        found = interpretation(program).run(choices)
    except InstantaneousLoop:
        return WrittenKill.CONTRADICTED
    if found is not None and found.assumed and not found.violated.keys().isdisjoint(killed_by):
        return WrittenKill.CONFIRMED
    return WrittenKill.CONTRADICTED
