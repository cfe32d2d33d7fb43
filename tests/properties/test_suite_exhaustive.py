"""What suites call equivalent differs on no input sequence at all, up to a length."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from typing import Any

import pytest

from mutproof.analyses.suites.suite import SuiteFate
from mutproof.base.budget import Budget
from mutproof.model.evaluator import Evaluator
from mutproof.model.program import Bodies, VariableKind
from mutproof.model.trace import Choices
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.lustre_models import elaborated
from support.lustre_mutants import bodies
from support.reading import analysed

OPTIONS = Options(suite=True, cores=False, level="all", budget=Budget(timeout_s=20))
STEPS = 4

COUNTER = (
    "node main (up, off : bool) returns (on : bool; late : int);\n"
    "var n, m : int;\n"
    "let n = 0 -> if off then 0 else if up and pre n < 2 then pre n + 1 else pre n;\n"
    "m = 0 -> pre n; on = n > 1 and not off; late = if m > 0 then m else 0;\ntel;\n"
)
LATCH = (
    "node main (set, clear : bool) returns (held : bool; times : int);\n"
    "var calm : bool;\n"
    "let held = false -> (pre held or set) and not clear;\n"
    "calm = true -> not held or pre set or pre held; times = 0 -> if held and calm and"
    " pre times < 2 then pre times + 1 else pre times;\n--%PROPERTY calm;\ntel;\n"
)
ASSERTED = (
    "node main (go, stop : bool) returns (run : int);\n"
    "var both : bool;\n"
    "let both = go and stop; assert not both;\n"
    "run = 0 -> if both then 7 else if go then 1 else if stop then 0 else pre run;\ntel;\n"
)
HIDDEN = (
    "node main (a, b : bool) returns (o : bool);\n"
    "var s, t : int;\n"
    "let s = 0 -> if a then (if pre s > 0 then 0 else 1) else pre s;\n"
    "t = 0 -> if b then pre s else if pre t > 1 then 5 else pre t; o = s + t > 1;\ntel;\n"
)


def sequences(names: list[str]) -> Iterator[Choices]:
    """Yield all sequences of values of Boolean inputs."""
    rows = [dict(zip(names, row, strict=True)) for row in product((False, True), repeat=len(names))]
    for steps in product(rows, repeat=STEPS):
        yield Choices(steps)


@pytest.mark.parametrize("text", [COUNTER, LATCH, ASSERTED, HIDDEN])
def test_equivalent_mutants_differ_on_no_inputs(text: str) -> None:
    known = elaborated(text)
    assert known.program is not None
    report = analysed(known, OPTIONS)
    found = report.suite
    assert found is not None
    mutants = {one.id: one for one in enumerate_mutants(known, OPTIONS)}
    equivalent = {m.mutant for m in found.mutants if m.fate is SuiteFate.EQUIVALENT}
    main = known.program.component(known.program.main)
    outputs = [v.name for v in main.of_kind(VariableKind.OUTPUT)]
    evaluator = Evaluator(known.program)

    def shown(choices: Choices, changed: Bodies | None = None) -> list[list[Any]] | None:
        """Return the outputs up to the first step that assertions exclude."""
        execution = evaluator.run(choices, changed)
        rows = [[row[n] for n in outputs] for row in execution.trace.steps]
        return rows if execution.assumed else None

    assert any("on the model" in m.reason for m in found.mutants)
    for choices in sequences([v.name for v in main.of_kind(VariableKind.INPUT)]):
        expected = shown(choices)
        for name in sorted(equivalent) if expected is not None else ():
            assert expected == shown(choices, bodies(known.program, mutants[name])), (name, choices)
