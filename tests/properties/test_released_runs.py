"""A run that has ended is let go at once: nothing of it waits for the cycle collector."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from mutproof.analyses.claims.claim import Claim
from mutproof.analyses.deciding.context import Context
from mutproof.solving.z3_context import Z3Context
from mutproof.workspace.analysis import Memory
from mutproof.workspace.options import Options
from support import nusmv_mutants
from support.lustre_models import accepted
from support.lustre_mutants import BUDGET, options, report
from support.nusmv_rows import row
from support.reading import analysed

COUNTERS = """
node top(a, b: bool) returns (n, m: int);
let
  n = 0 -> if a and pre n < 3 then pre n + 1 else pre n;
  m = 0 -> if b and pre m < n then pre m + 1 else pre m;
  --%PROPERTY small;
  small = n <= 3 and m <= 3;
tel;
""".replace("returns (n, m: int);", "returns (n, m: int);\nvar small: bool;")


@pytest.fixture
def uncollected() -> Iterator[None]:
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()


@pytest.mark.usefixtures("uncollected")
def test_runs_on_two_versions_leave_no_claims_behind() -> None:
    kinds = (Claim, Context)
    before = [sum(issubclass(type(one), kind) for one in gc.get_objects()) for kind in kinds]
    memory = Memory()
    for text in (COUNTERS, COUNTERS.replace("pre n < 3", "pre n <= 2")):
        report(accepted(text), options("default", cores=True), memory)

    after = [sum(issubclass(type(one), kind) for one in gc.get_objects()) for kind in kinds]
    assert before == after


@pytest.mark.usefixtures("uncollected")
@pytest.mark.parametrize("search", ["one", "all"])
def test_cores_of_many_cones_leave_no_solver_behind(search: str) -> None:
    model = nusmv_mutants.accepted(row(4, "INVARSPEC n <= 5;\nLTLSPEC G (on -> n <= 5);\n"))
    before = sum(issubclass(type(one), Z3Context) for one in gc.get_objects())
    analysed(model, Options(mutate=False, budget=BUDGET, core_search=search))

    after = sum(issubclass(type(one), Z3Context) for one in gc.get_objects())
    assert before == after
