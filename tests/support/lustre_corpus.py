"""Reference verdicts on real Lustre models, in our words."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from mutproof.analyses.mutation.mutant import Mutant
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE
from mutproof.model.language import Elaborated
from mutproof.model.sorts import BoolSort
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_mutants import program_of

SECONDS = 20.0

_NAMES = {
    "eq_remove": ("equation_remove", "equation_remove"),
    "init_5_false": ("init_false", "init_5"),
    "init_-1_true": ("init_true", "init_-1"),
    "eq_5_false": ("equal_false", "equal_5"),
    "eq_-2_true": ("equal_true", "equal_-2"),
}
"""What the reference calls an operator: our names for a Boolean and for a number."""


def expected(corpus: Path) -> dict[str, Any]:
    """Return the reference data of all files."""
    return dict(json.loads((corpus / "lustre" / "expected.json").read_text("utf-8")))


def read(corpus: Path, name: str) -> Elaborated:
    """Return what a file of the corpus means."""
    text = (corpus / "lustre" / name).read_text("utf-8", errors="replace")
    return LANGUAGE.elaborate(LANGUAGE.parse(SourceText(name, text)))


def options(**changes: Any) -> Options:
    """Return the options the comparisons use."""
    return Options(level="paper", budget=Budget(timeout_s=SECONDS), **changes)


@dataclass(frozen=True)
class Place:
    """Name a mutant as both tools do: where, and by which operator."""

    at: str
    operator: str


def place_of(found: Elaborated, mutant: Mutant) -> Place:
    """Return the line and column that reports show for a mutant."""
    provenance = found.provenance
    place = None
    if mutant.place is not None:
        place = provenance.elements[mutant.element].place(mutant.place)
    start = provenance.head(mutant.element).start if place is None else place.token.start
    return Place(str(found.parsed.source.position(start)), mutant.operator)


def by_place(found: Elaborated) -> dict[Place, Mutant]:
    """Return the mutants of a file by what both tools call them."""
    return {place_of(found, m): m for m in enumerate_mutants(found, options())}


def is_boolean(found: Elaborated, mutant: Mutant) -> bool:
    """Tell whether the equation of a mutant defines a Boolean."""
    element = program_of(found).by_id[mutant.element][0]
    component = program_of(found).component(element.id.component)
    return isinstance(component.variable(element.targets[0]).sort, BoolSort)


def ours(mutants: dict[Place, Mutant], reference: dict[str, Any]) -> Mutant | None:
    """Return our mutant for one of the reference's, None where we do not make it."""
    name = reference["mutator"]
    choices = _NAMES.get(name, ("constant",) if name.startswith("(const") else (name,))
    for choice in choices:
        if Place(reference["at"], choice) in mutants:
            return mutants[Place(reference["at"], choice)]
    return None
