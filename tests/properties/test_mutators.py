"""Operators say rightly which terms they may change: asked everywhere, they change no more."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from hypothesis import given

from mutproof.analyses.mutation.enumerate import chosen_mutators, mutants
from mutproof.model.language import Elaborated
from support.lustre_models import Model, accepted, models
from support.places import ROOT
from support.profiles import profile
from support.reading import elaborated_in

EXAMPLES = sorted((ROOT / "examples").glob("*.[ls][um][sv]"))


def check_everywhere(found: Elaborated) -> None:
    """Compare the mutants of a text with those of operators that are asked at every place."""
    program = found.program
    assert program is not None
    chosen = chosen_mutators("all", (), program.traits.semantics)
    asked = tuple(replace(mutator, changes=None, whole=False) for mutator in chosen)
    expected = mutants(program, found.provenance, asked)
    assert expected == mutants(program, found.provenance, chosen)


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.name)
def test_operators_change_only_what_they_say_in_examples(path: Path) -> None:
    check_everywhere(
        elaborated_in("nusmv" if path.suffix == ".smv" else "lustre", path.read_text())
    )


@profile(60)
@given(models())
def test_operators_change_only_what_they_say(model: Model) -> None:
    check_everywhere(accepted(model.text))
