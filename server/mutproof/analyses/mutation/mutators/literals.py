"""Operators of the NuSMV study on values: enumeration constants and numbers."""

from __future__ import annotations

from collections.abc import Iterator

from mutproof.analyses.mutation import spelling
from mutproof.analyses.mutation.mutator import Change, Level, Mutator, Occurrence
from mutproof.analyses.mutation.mutators.structure import BOTH, SECTION_4
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.sorts import EnumSort, IntSort, RealSort, Value, WordSort
from mutproof.model.traits import Semantics

_SOME = frozenset({Level.PAPER, Level.ALL})


def _changed(occurrence: Occurrence, value: Value) -> Change:
    term = occurrence.term
    replacement = terms.const(value, term.sort)
    before = spelling.constant(occurrence, term)
    after = spelling.constant(occurrence, replacement)
    return Change(occurrence.path, replacement, f"`{before}` → `{after}`")


def _enumeration(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is Op.CONST and isinstance(term.sort, EnumSort | IntSort):
        body, path = occurrence.element.body, occurrence.path
        for value in occurrence.domains.around(body, path, occurrence.target):
            # Only a value of the same kind is sure to be of the same type.
            if isinstance(value, str) == isinstance(term.payload, str) and value != term.payload:
                yield _changed(occurrence, value)


def _number(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is not Op.CONST or not isinstance(term.sort, IntSort | RealSort | WordSort):
        return
    for step in (1, -1):
        value = term.payload + step  # type: ignore[operator]
        if sorts.contains(term.sort, value):
            yield _changed(occurrence, value)


def _digits(occurrence: Occurrence) -> Iterator[Change]:
    term = occurrence.term
    if term.op is not Op.CONST or not isinstance(term.sort, IntSort):
        return
    assert isinstance(term.payload, int)
    shown = str(abs(term.payload))
    for position, old in enumerate(shown):
        for digit in "0123456789":
            if digit != old:
                number = int(shown[:position] + digit + shown[position + 1 :])
                yield _changed(occurrence, -number if term.payload < 0 else number)


MUTATORS = (
    Mutator(
        "ER",
        "constant",
        "an enumeration constant becomes another one of its domain",
        SECTION_4,
        BOTH,
        _enumeration,
        frozenset({Op.CONST}),
    ),
    Mutator(
        "NR",
        "constant",
        "a number n becomes n + 1 or n - 1",
        SECTION_4,
        BOTH,
        _number,
        frozenset({Op.CONST}),
    ),
    Mutator(
        "DR",
        "constant",
        "a digit of a number becomes another one",
        SECTION_4,
        {Semantics.RELATIONAL: _SOME, Semantics.FORWARD: frozenset({Level.ALL})},
        _digits,
        frozenset({Op.CONST}),
    ),
)
