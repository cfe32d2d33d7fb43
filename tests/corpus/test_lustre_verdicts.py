"""Verdicts on properties agree with the reference tools wherever both decide."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.workspace.options import Options
from support import lustre_corpus
from support.lustre_corpus import expected, read
from support.lustre_mutants import report

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL_BYTES = 2_000
OURS = {"valid": PropertyVerdict.PROVED, "falsifiable": PropertyVerdict.FALSIFIED}


def reference(entry: dict) -> list[tuple[str | int, PropertyVerdict]]:
    """Return name or line of every property that a reference tool decides."""
    cores = entry.get("ivc", {}).get("properties", [])
    lines = entry.get("kind2", {}).get("properties", [])
    return [
        *((p["name"], OURS[p["verdict"]]) for p in cores if p["verdict"] in OURS),
        *((p["line"], OURS[p["value"]]) for p in lines if p["value"] in OURS),
    ]


def test_conclusive_verdicts_agree_with_the_reference(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples below stand in for it
    full = bool(os.environ.get("MUTPROOF_CORPUS_FULL"))
    decided = undecided = 0
    for name, entry in expected(corpus).items():
        wanted = reference(entry)
        size = (corpus / "lustre" / name).stat().st_size
        if not wanted or "jkind" not in entry["parses"] or not (full or size < SMALL_BYTES):
            continue
        found = read(corpus, name)
        seconds = 60.0 if full else 10.0
        chosen = Options(mutate=False, cores=False, budget=Budget(timeout_s=seconds))
        outcome = report(found, chosen)
        source = found.parsed.source
        for key, verdict in wanted:
            matching = []
            for stated in outcome.properties:
                span = found.provenance.properties.get(f"{stated.component}.{stated.declared}")
                line = None if span is None else source.position(span.start).line
                if key in {stated.name, line}:
                    matching.append(stated.verdict)
            assert matching, (name, key)
            if set(matching) == {PropertyVerdict.UNKNOWN}:
                undecided += 1
            else:
                decided += 1
                assert verdict in matching, (name, key)
    print(f"{decided} decided, {undecided} not")
    assert decided >= 9 * undecided


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus"])
def test_the_properties_of_an_example_are_proved(name: str) -> None:
    from support.lustre_models import accepted

    found = accepted((EXAMPLES / name).read_text("utf-8"))
    verdicts = {p.verdict for p in report(found, lustre_corpus.options(mutate=False)).properties}
    assert {PropertyVerdict.PROVED} == verdicts
