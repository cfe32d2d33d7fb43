"""The second evaluator of NuSMV agrees with NuSMV on small models of every construct, as we do."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from test_smv_corpus import EXPLAINED, Difference

from mutproof.languages.nusmv.syntax import SpecificationKind
from support import tree_nusmv
from support.nusmv_difference import compare
from support.tree_nusmv_space import Space
from support.tree_nusmv_temporal import Verdict, verdict

ANSWER = re.compile(
    r"^-- (specification|invariant) (?:.|\n)*? is (true|false)$|^-- the result of .* is (\w+)$",
    re.MULTILINE,
)
"""NuSMV prints formulas in its own way, those of one kind together, and COMPUTE as a number."""

CANNOT_RUN = {"case_1_old.smv"}
"""Its types are wrong without the option `-old`, which the product does not have."""


def accepted(corpus: Path) -> Iterator[tuple[str, str, str]]:
    """Yield the probes that NuSMV accepts: name, text, and what it prints."""
    expected: dict[str, Any] = json.loads((corpus / "smv-probes/expected.json").read_text())
    for name, answer in expected.items():
        if answer["exit"] == 0 and name not in CANNOT_RUN:
            text = (corpus / "smv-probes" / name).read_text("latin-1")
            yield name, text, "\n".join(answer["output"])


def printed(output: str) -> dict[str, list[Verdict]]:
    """Return what NuSMV says, by kind, in no order."""
    found: dict[str, list[Verdict]] = {"specification": [], "invariant": [], "number": []}
    for kind, truth, number in ANSWER.findall(output):
        found[kind or "number"].append(number or truth == "true")
    return {kind: sorted(verdicts) for kind, verdicts in found.items()}


def evaluated(text: str) -> dict[str, list[Verdict]]:
    """Return what the second evaluator says, by kind, in no order."""
    model = tree_nusmv.read(text)
    space = Space(model)
    found: dict[str, list[Verdict]] = {"specification": [], "invariant": [], "number": []}
    for stated in model.properties:
        value = verdict(space, stated)
        state = stated.kind is SpecificationKind.INVARIANT
        kind = "number" if isinstance(value, str) else "invariant" if state else "specification"
        found[kind].append(value)
    return {kind: sorted(verdicts) for kind, verdicts in found.items()}


def test_the_second_evaluator_has_the_verdicts_of_nusmv(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so; test_differential_nusmv.py has a model of our own
    differing = {
        name: (said, found)
        for name, text, output in accepted(corpus)
        if (said := printed(output)) != (found := evaluated(text))
    }

    other = {name for name, kind in EXPLAINED.items() if kind is Difference.VERDICT}
    assert other == {f"probe {name}" for name in differing}, differing


@pytest.mark.parametrize("mutate", [False, True], ids=["verdicts", "mutants"])
def test_probes_mean_the_same_to_the_product(corpus: Path | None, *, mutate: bool) -> None:
    if corpus is None:
        return
    differing = {
        name: found
        for name, text, _ in accepted(corpus)
        if (found := [*compare(text, mutate=mutate)])
    }

    assert {} == differing
