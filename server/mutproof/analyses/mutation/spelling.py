"""How operators and constants are written in a language: for the summaries of mutants only."""

from __future__ import annotations

from fractions import Fraction

from mutproof.analyses.mutation.mutator import Occurrence
from mutproof.model.operators import Op
from mutproof.model.sorts import WordSort
from mutproof.model.terms import Payload, Term


def operator(occurrence: Occurrence, op: Op) -> str:
    """Return an operator as the source writes it."""
    return occurrence.traits.operator(op)


def constant(occurrence: Occurrence, term: Term) -> str:
    """Return a constant as the language writes it."""
    shown = value(occurrence, term.payload)
    if isinstance(term.sort, WordSort):
        return f"0{'s' if term.sort.signed else 'u'}d{term.sort.width}_{shown}"
    return shown


def value(occurrence: Occurrence, payload: Payload) -> str:
    """Return a value as the language writes it."""
    if isinstance(payload, bool):
        return occurrence.traits.boolean(payload)
    if isinstance(payload, Fraction):
        return str(float(payload))
    return str(payload)
