"""The second evaluator agrees with JKind on small models of every corner, and we agree with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_lustre_probes import listed

from support import lustre_probes
from support.lustre_difference import compare
from support.tree_lustre import NoOrderError
from support.tree_lustre_random import random_run
from support.tree_lustre_text import read

RUNS = 60
STEPS = 5
PARTS = 6
"""In how many tests probes are compared: they take long, and tests run side by side."""

pytestmark = pytest.mark.usefixtures("deep_recursion")


def accepted(corpus: Path) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Yield the probes that JKind accepts: name, text, and what it says of them."""
    for name, facts in lustre_probes.expected(corpus).items():
        if facts["accepted"]:
            yield name, (corpus / "lustre-probes" / name).read_text("utf-8"), facts


def shortest(text: str) -> dict[str, int]:
    """Return after how many steps properties fail at the earliest in random executions."""
    model = read(text)
    failing: dict[str, int] = {}
    for seed in range(RUNS):
        run = random_run(model, seed)
        try:
            for step in range(STEPS):
                if not run.admitted(step):
                    break
                for _, stated, holds in run.properties(step):
                    if not holds:
                        known = failing.get(stated.word, STEPS)
                        failing[stated.word] = min(known, step + 1)
        except NoOrderError:
            continue
    return failing


def test_the_second_evaluator_refutes_nothing_that_jkind_proves(corpus: Path | None) -> None:
    if corpus is None:
        return
    wrong = []
    for name, text, facts in accepted(corpus):
        failing = shortest(text)
        called = Counter(full.rpartition(".")[2] for full in facts["properties"])
        for full, fact in facts["properties"].items():
            last = full.removesuffix("~clocked_property").rpartition(".")[2]
            # Without slicing and inlining JKind reads as we do.
            judged = fact.get("no_slicing", fact)
            if judged["verdict"] is None:
                continue
            earliest = 99 if judged["verdict"] == "valid" else judged["k"]
            if called[last] == 1 and failing.get(last, 99) < earliest:
                wrong.append((name, full, failing[last], fact))

    assert [] == wrong


@pytest.mark.parametrize("part", range(PARTS))
def test_we_agree_with_the_second_evaluator(corpus: Path | None, part: int) -> None:
    if corpus is None:
        return
    explained = listed()
    found = [
        str(difference)
        for number, (name, text, _) in enumerate(accepted(corpus))
        if name not in explained and number % PARTS == part
        for difference in compare(text, number, mutate=True)
    ]

    assert [] == found
