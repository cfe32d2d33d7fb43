"""Cores of NuSMV models name the DEFINEs that are copied to where they are read."""

from __future__ import annotations

from typing import Any

import pytest

from mutproof.analyses.bench.bench import Bench
from mutproof.analyses.checking.benches import Benches
from mutproof.analyses.checking.means import Means
from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.claims.proof_memory import ProofMemory
from mutproof.analyses.proving import proofs
from mutproof.base.budget import Budget
from mutproof.model.interpretation import interpretation
from mutproof.solving import portfolio
from mutproof.solving.spacer_process import SpacerProcess
from mutproof.workspace.core_search import COPIED
from mutproof.workspace.options import Options
from support.lustre_mutants import BUDGET
from support.nusmv_mutants import accepted, program_of
from support.reading import analysed

COUNTER = "ASSIGN init(a) := FALSE; next(a) := FALSE; next(b) := d;\nDEFINE d := a & a;\n"


@pytest.mark.parametrize("search", ["brief", "one", "all"])
@pytest.mark.parametrize(
    ("text", "core", "must", "is_copied"),
    [
        (COUNTER + "INVARSPEC !d", ["a", "a", "d"], ["a", "a", "d"], False),
        (COUNTER + "INVARSPEC !next(d)", ["a", "d"], ["a"], True),
        (COUNTER + "LTLSPEC G !d", ["a", "a", "d"], ["a", "a", "d"], False),
        (COUNTER + "LTLSPEC G (a -> X !b)", ["a", "a"], ["a", "a"], False),
        (COUNTER + "LTLSPEC G (d -> X b)", ["b"], [], False),
        (COUNTER + "CTLSPEC AG (!b -> AX !d)", ["a", "d"], ["a", "d"], False),
        (
            "DEFINE d := {FALSE}; e := b;\nASSIGN init(a) := d; next(a) := a;\nINVARSPEC !a",
            ["d", "a", "a"],
            ["a", "a"],
            True,
        ),
    ],
)
def test_what_a_proof_reads_is_in_its_core(
    text: str, core: list[str], must: list[str], is_copied: bool, search: str
) -> None:
    model = accepted(f"MODULE main\nVAR a : boolean; b : boolean;\n{text};\n")
    options = Options(mutate=False, core_search=search)
    report = analysed(model, options)
    (found,) = report.properties

    assert core == [element.name for element in found.core or ()]
    assert must == [element.name for element in found.must or ()]
    assert is_copied is (found.cores is not None and found.cores.reason == COPIED)


@pytest.mark.parametrize("kept", [False, True])
def test_a_proof_of_diagrams_rests_on_what_its_property_depends_on(kept: bool) -> None:
    text = "ASSIGN init({0}) := FALSE; next({0}) := !{0};\nSPEC AG (EF {0});\n"
    model = accepted(
        f"MODULE main\nVAR a : boolean; b : boolean;\n{''.join(map(text.format, 'ab'))}"
    )
    meaning, memory = interpretation(program_of(model)), ProofMemory()
    means = Means(BUDGET, SpacerProcess(), Benches(), lambda: None)
    for _ in range(1 + kept):
        found = proofs.prove(meaning, meaning.system(), memory, means, emit=lambda _: None)
    means.spacer.close()

    first, second = found.cores.values()
    assert ({"a"}, {"b"}) == ({one.name for one in first}, {one.name for one in second})


def test_what_reads_few_states_is_left_to_diagrams_soon(monkeypatch: pytest.MonkeyPatch) -> None:
    text = """MODULE main
IVAR push : boolean; pop : boolean;
VAR head : 0..3; tail : 0..3; size : 0..4;
ASSIGN
  init(head) := 0; init(tail) := 0; init(size) := 0;
  next(tail) := push & size < 4 ? (tail + 1) mod 4 : tail;
  next(head) := pop & size > 0 ? (head + 1) mod 4 : head;
  next(size) := case
    push & size < 4 & !(pop & size > 0) : size + 1;
    pop & size > 0 & !(push & size < 4) : size - 1;
    TRUE : size;
  esac;
INVARSPEC (tail - head + 4) mod 4 = size mod 4
"""
    asked: list[Budget] = []
    prove = portfolio.prove

    def noted(system: Any, budget: Budget, *others: Any, **more: Any) -> Any:
        asked.append(budget)
        return prove(system, budget, *others, **more)

    monkeypatch.setattr(portfolio, "prove", noted)
    model, options = accepted(text), Options(mutate=False, cores=False)
    report = analysed(model, options)

    assert [found.verdict for found in report.properties] == [PropertyVerdict.PROVED]
    assert {budget.rlimit for budget in asked} == {proofs.BRIEF.rlimit}


def test_what_mutants_show_of_several_cones_serves_each() -> None:
    text = """MODULE main
VAR f : 1..3; g : boolean; x : 0..3;
INIT g
ASSIGN
  init(f) := g ? 1 : {2, 3}; next(f) := f; next(g) := g;
  init(x) := 0; next(x) := x + f > 3 ? x : x + f;
INVARSPEC NAME one := f = 1
INVARSPEC NAME all := x >= 0
INVARSPEC NAME given := g
LTLSPEC NAME last := F G x = 3
"""
    options = Options(budget=BUDGET)
    report = analysed(accepted(text), options)
    cores = {found.name: [one.name for one in found.core or ()] for found in report.properties}

    assert ["f", "f"] == [name for name in cores["one"] if not name.startswith("INIT")]
    assert [] == cores["all"]


@pytest.mark.parametrize("search", ["one", "all"])
def test_diagrams_decide_what_a_table_needs_where_they_proved_it(
    search: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Solvers take long for such terms: only what no diagram can say is left to engines."""
    size = 46
    rows = [f"[{', '.join(str(9 if i > 40 else j % 5) for j in range(size))}]" for i in range(size)]
    text = f"""MODULE main
VAR i : 0..{size - 1}; j : 0..{size - 1}; k : boolean;
DEFINE rows := [{", ".join(rows)}];
ASSIGN
  init(i) := 0; next(i) := i < 40 ? i + 1 : 0;
  init(j) := 0; next(j) := k ? j : 0;
INVARSPEC rows[i][j] <= 4
"""
    monkeypatch.setattr(Bench, "search", lambda *_, **__: pytest.fail("solvers were asked"))
    report = analysed(accepted(text), Options(mutate=False, core_search=search))
    (found,) = report.properties

    assert ["rows", "i", "i"] == [element.name for element in found.core or ()]
    assert found.core == found.must
