"""All minimal cores are JKind's published ones, without the equation of the property itself."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from mutproof.analyses.claims.claim import Variant
from mutproof.analyses.claims.variant import applied
from mutproof.model.language import Elaborated
from mutproof.model.lower import lower
from mutproof.model.program import Program
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted
from support.lustre_corpus import expected, options, read
from support.lustre_models import accepted
from support.lustre_mutants import program_of, report
from support.lustre_published import (
    all_cores_of,
    least,
    our_names,
    published_form,
    their_names,
)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SECONDS = 120.0
QUICK = ("car_2", "durationThm", "ex3", "metros_1_e1", "Mode_Control", "SYNAPSE", "traffic")
INCOMPLETE = {
    "ivc/DRAGON_11_e2_5396_e3_282.lus",
    "ivc/DRAGON_8_e3_786.lus",
    "ivc/DRAGON_all2_e3_4612_e5_3642.lus",
    "ivc/FIREFLY_u1_e2_3403_e2_957.lus",
}
"""Files whose table row in README.md says what stays open."""


def holds_without(program: Program, stated: str, gone: frozenset[str]) -> bool | None:
    """Prove a property without some equations, in a run of its own; None: not decided."""
    system = lower(program)
    removed = frozenset(o for o in system.by_owner if o is not None and o.name in gone)
    outcome = portfolio.prove(applied(system, Variant("reduced", removed)), goals=[stated])
    match outcome.verdicts[stated]:
        case Proved():
            return True
        case Refuted():
            return False
        case _:
            return None


def check_file(name: str, found: Elaborated, reference: list[dict[str, Any]]) -> bool:
    """Compare the cores of a file with the published ones; tell whether all are complete."""
    program = program_of(found)
    if len(program.components) > 1:
        program = published_form(program)
    complete = True
    for one in reference:
        stated = one["name"]
        theirs = least(their_names(core, stated) for core in one["all"] or ())
        must = their_names(one["must"], stated)
        must = frozenset.intersection(*theirs) if theirs else must
        cores = all_cores_of(program, stated, SECONDS)
        complete = complete and cores is not None and cores.complete
        if cores is None:
            continue
        ours = least(our_names(core) for core in cores.cores)
        if cores.complete:
            assert must == our_names(cores.must), name
            assert not theirs or theirs == ours, name
        assert our_names(cores.must) <= must, name
        assert not theirs or all(any(core <= our for core in theirs) for our in ours), name
    return complete


def test_all_cores_are_the_published_ones(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples below stand in for it
    full = bool(os.environ.get("MUTPROOF_CORPUS_FULL"))
    compared = 0
    for name, entry in expected(corpus).items():
        quick = name.startswith(tuple(f"ivc/{start}" for start in QUICK))
        if "ivc" in entry and (full or quick):
            reference = entry["ivc"]["properties"]
            compared += 1
            assert check_file(name, read(corpus, name), reference) or name in INCOMPLETE, name
    assert compared >= 20


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus"])
def test_every_element_of_must_is_needed_by_an_example(name: str) -> None:
    found = accepted((EXAMPLES / name).read_text("utf-8"))
    for stated in report(found, options(mutate=False)).properties:
        for element in our_names(stated.must or ()):
            assert holds_without(program_of(found), stated.name, frozenset({element})) is False
