"""From terms to text that parses back to them, with as few parentheses as that takes."""

from __future__ import annotations

from mutproof.model.program import Element
from mutproof.model.terms import Path, Term


def print_term(term: Term) -> str:
    """Return a term as source text."""
    raise NotImplementedError


def print_replacement(element: Element, path: Path, term: Term) -> str:
    """Return text for the place at a path of an element's body."""
    raise NotImplementedError
