"""Cores agree with JKind's published ones, without the equation of the property itself."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from mutproof.analyses.finding import PropertyVerdict
from mutproof.analyses.variant import Variant, applied
from mutproof.model.language import Elaborated
from mutproof.model.lower import lower
from mutproof.model.program import ElementId
from mutproof.solving import portfolio
from mutproof.solving.verdict import Proved, Refuted
from support.lustre_corpus import expected, options, read
from support.lustre_models import accepted
from support.lustre_mutants import program_of, report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL_BYTES = 1_100


def names(elements: tuple[ElementId, ...] | None) -> set[str]:
    """Return left-hand sides; assertions are no elements of the reference."""
    return {e.name for e in elements or () if e.kind == "equation"}


def holds_without(found: Elaborated, stated: str, gone: set[str]) -> bool | None:
    """Prove a property without some equations, in a run of its own; None: not decided."""
    system = lower(program_of(found))
    removed = frozenset(o for o in system.by_owner if o is not None and o.name in gone)
    outcome = portfolio.prove(applied(system, Variant("reduced", removed)), goals=[stated])
    match outcome.verdicts[stated]:
        case Proved():
            return True
        case Refuted():
            return False
        case _:
            return None


def check_file(found: Elaborated, reference: list[dict], counted: Counter[str]) -> None:
    ours = {p.name: p for p in report(found, options(mutate=False)).properties}
    for one in reference:
        stated = ours[one["name"]]
        if one["verdict"] != "valid" or stated.verdict is not PropertyVerdict.PROVED:
            continue
        own = {one["name"]}
        must = names(stated.must)
        theirs = set(one["must"]) - own
        counted["same" if must == theirs else "different"] += 1
        for name in must - theirs:
            assert holds_without(found, one["name"], {name}) is False, name
        for name in theirs - must:
            assert holds_without(found, one["name"], {name}) is not False, name
        if one["all"] and not any(e.kind != "equation" for e in stated.core or ()):
            smallest = [set(core) - own for core in one["all"]]
            counted["known core" if names(stated.core) in smallest else "other core"] += 1


def test_must_is_the_published_one_or_checked_by_removal(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples below stand in for it
    full = bool(os.environ.get("MUTPROOF_CORPUS_FULL"))
    counted: Counter[str] = Counter()
    for name, entry in expected(corpus).items():
        size = (corpus / "lustre" / name).stat().st_size
        if "ivc" in entry and (full or size < SMALL_BYTES):
            check_file(read(corpus, name), entry["ivc"]["properties"], counted)
    print(dict(counted))
    assert counted["same"] >= 9 * counted["different"]


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus"])
def test_every_element_of_must_is_needed_by_an_example(name: str) -> None:
    found = accepted((EXAMPLES / name).read_text("utf-8"))
    for stated in report(found, options(mutate=False)).properties:
        for element in names(stated.must):
            assert holds_without(found, stated.name, {element}) is False
