"""Mutants that are the same function, in reports: how many, and the score without them.

Source: Papadakis, Jia, Harman and Le Traon, Trivial compiler equivalence, ICSE 2015, for what is
counted: a mutant that is another one is *duplicated*, one that is the model is equivalent. What
is not known to be the same counts as different, so the numbers are bounds.
"""

from __future__ import annotations

from collections.abc import Sequence

from mutproof.base.text import counted
from mutproof.reporters.fate import MISSED, OPEN, MutantFate, Score, fate, score_of
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile


def score(file: ReportedFile) -> Score:
    """Return the score with each function counted once, the model's own not at all."""
    found = file.functions.items()
    return score_of(_fate(alike) for (_, function), alike in found if function)


def sums(file: ReportedFile) -> list[str]:
    """Return how many mutants are duplicated, and the score without them, if that was asked."""
    found = encoded_sums(file)
    if found is None:
        return []
    percent, ratio = score(file).percent, f"{found['killed']}/{found['valid']}"
    line = (
        f"{file.so_far}at most {counted(found['functions'], 'function')}: at least"
        f" {found['duplicated']} of {found['mutants']} mutants duplicate another one, at least"
        f" {found['unchanged']} the model"
    )
    scored = "" if percent is None else f"; score of functions {ratio} = {percent:.1f} %"
    return [line + scored]


def words(file: ReportedFile, mutant: str) -> str:
    """Return which earlier mutant one is, as part of its line; empty for none."""
    if mutant not in file.duplicates:
        return ""
    first = file.duplicates[mutant]
    return f", duplicates {'the model' if first is None else f'{first.place}'}"


def encoded(file: ReportedFile, mutant: str) -> dict[str, object]:
    """Return for JSON the id of the earlier mutant that one is (`duplicateOf`), if there is one.

    It is null for a mutant that is the model itself.
    """
    if mutant not in file.duplicates:
        return {}
    first = file.duplicates[mutant]
    return {"duplicateOf": None if first is None else first.mutant.shown}


def encoded_sums(file: ReportedFile) -> dict[str, int] | None:
    """Return for JSON how many mutants and functions there are, and the score of functions.

    None where that was not asked. `functions` are those of mutants, without the model's own.
    """
    if not file.functions:
        return None
    mutants = sum(len(alike) for alike in file.functions.values())
    unchanged = sum(first is None for first in file.duplicates.values())
    found = score(file)
    return {
        "mutants": mutants,
        "functions": mutants - len(file.duplicates),
        "duplicated": len(file.duplicates) - unchanged,
        "unchanged": unchanged,
        "killed": found.killed,
        "valid": found.valid,
    }


def _fate(alike: Sequence[PlacedMutant]) -> MutantFate:
    """Return the fate of a function: what is known of any of its mutants."""
    fates = [fate(placed.finding) for placed in alike]
    return next((one for one in fates if one not in OPEN | MISSED), fates[0])
