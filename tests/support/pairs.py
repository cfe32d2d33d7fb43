"""Pairs of mutants in the forms tests compare: those of a text, and their own texts."""

from __future__ import annotations

import random
from dataclasses import replace

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.analyses.mutation.pairs import pair
from mutproof.languages import LANGUAGES
from mutproof.model.editing import TextEdit, edited
from mutproof.model.language import Elaborated
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from mutproof.workspace.pairing import are_apart
from mutproof.workspace.queries import Queries


def some_pairs(
    found: Elaborated, options: Options, source: random.Random, most: int
) -> list[Mutant]:
    """Return random pairs of mutants that can be made, half of them of one element or of two."""
    mutants = enumerate_mutants(found, options)
    pairs: dict[str, Mutant] = {}
    for turn in range(4 * most if len(mutants) > 1 else 0):
        one, other = source.sample(mutants, 2)
        if turn % 2 and one.element != other.element:
            alike = [m for m in mutants if m.element == one.element and m is not one]
            other = source.choice(alike) if alike else other
        if len(pairs) < most and are_apart(found.provenance, one, other):
            both = pair(one, other)
            pairs[both.id] = both
    return list(pairs.values())


def deciding(options: Options, pairs: list[Mutant]) -> Options:
    """Return the options by which these pairs are decided."""
    names = tuple((one.parts[0].id, one.parts[1].id) for one in pairs)
    return replace(options, pairs=names)


def pair_texts(found: Elaborated, options: Options) -> dict[str, str]:
    """Return the text of each pair of the options, with both edits that reports show."""
    program, provenance = found.program, found.provenance
    assert program is not None
    assert program.language in LANGUAGES.names()
    texts = {}
    for place in Queries().listing(program.language, found, options).mutants:
        edits = [
            TextEdit(provenance.whole(part.element), "")
            if part.replacement is None
            else TextEdit(provenance.text(part.element, part.path), part.replacement)
            for part in place.parts
        ]
        texts[place.mutant] = edited(found.parsed.source.content, edits)
    return texts
