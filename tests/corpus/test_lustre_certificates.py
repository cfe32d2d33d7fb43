"""cvc5 confirms the certificate of every proof, of models and of surviving mutants."""

from __future__ import annotations

import os
from collections import Counter
from pathlib import Path

import pytest

from mutproof.analyses.claims.finding import (
    CertificateFinding,
    Confirmation,
    MutantStatus,
    PropertyVerdict,
)
from mutproof.runtime import script_child
from mutproof.runtime.script_checker import judged
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from support.reading import elaborated_in

EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
SMALL = 7
"""How many files of the corpus are looked at by default: the smallest."""

SECONDS = 60.0


def confirmations(path: Path) -> Counter[Confirmation]:
    """Return what cvc5 makes of the proofs of a file, each of which has a certificate or none."""
    elaborated = elaborated_in(
        "nusmv" if path.suffix == ".smv" else "lustre", path.read_text("utf-8")
    )
    events: list[Event] = []
    options = Options(cores=False, certify=True)
    report = analyse(elaborated, options, Memory(), events.append, cancelled=lambda: False)

    found = [event for event in events if isinstance(event, CertificateFinding)]
    proved = {p.name for p in report.properties if p.verdict is PropertyVerdict.PROVED}
    survived = {m.mutant for m in report.mutants if m.status is MutantStatus.SURVIVED}
    assert {("", name) for name in proved} <= {(one.mutant, one.property) for one in found}
    assert survived == {one.mutant for one in found} - {""}
    _, run = script_child.cvc5_run(SECONDS)
    answers = {one.file: judged(run(one.text), one.checks)[0] for one in found if one.text}
    return Counter(answers[one.file] if one.file else Confirmation.NONE for one in found)


def test_every_certificate_of_the_mutated_models_is_confirmed(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples below stand in for it
    paths = sorted((corpus / "lustre" / "mutate").glob("*.lus"), key=lambda p: p.stat().st_size)
    full = bool(os.environ.get("MUTPROOF_CORPUS_FULL"))
    counted: Counter[Confirmation] = Counter()
    for path in paths if full else paths[:SMALL]:
        counted += confirmations(path)
    print(dict(counted))
    assert {Confirmation.CONFIRMED} == counted.keys()


@pytest.mark.parametrize("name", ["demo.lus", "demo2.lus", "beverage.smv", "traffic_light.smv"])
def test_every_certificate_of_an_example_is_confirmed(name: str) -> None:
    counted = confirmations(EXAMPLES / name)
    assert counted[Confirmation.CONFIRMED]
    assert counted.keys() <= {Confirmation.CONFIRMED, Confirmation.NONE}
