"""The evaluation of advice: tables from rows alone, and rows that no sound evaluation lacks."""

from __future__ import annotations

import sys
from importlib import import_module
from pathlib import Path
from typing import Any

import pytest

from mutproof.analyses.claims.equivalence import EquivalenceStatus
from mutproof.analyses.mutation.enumerate import mutated_bodies
from mutproof.model.interpretation import interpretation
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from support.nusmv_mutants import elaborated
from support.reading import analysed

ROOT = Path(__file__).parents[2]
CLOCK = (ROOT / "examples" / "clock.smv").read_text(encoding="utf-8")
MODEL = ("operational", 2, 5)
QUEUE = """\
MODULE main
VAR n : 0..3; full : boolean; push : boolean; mode : {idle, busy, off};
ASSIGN
  init(n) := 0;
  next(n) := case push & n < 3 : n + 1; !push & n > 0 : n - 1; TRUE : n; esac;
  full := n >= 3 & n < 4;
  mode := case n = 0 : idle; n > 0 : busy; TRUE : off; esac;
INVARSPEC NAME bounded := full -> n = 3;
CTLSPEC NAME fills := EF full;
"""


@pytest.fixture(name="advisor")
def _advisor(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(str(ROOT / "benchmarks"))
    for name in ("models", "advisor_tables", "advisor_diagrams"):
        monkeypatch.setitem(sys.modules, name, import_module(name))
    return import_module("advisor")


def row(tables: Any, operator: str, kind: str, *more: str) -> Any:
    """Return a row in which some meta-properties are violated once more than before."""
    after = tuple(2 if name in more else 1 for name in tables.NAMES)
    return tables.Row(tables.Stratum("m.smv", *MODEL), operator, "id", kind, (1,) * 10, after)


def test_tables_follow_the_formulas_of_the_study(advisor: Any) -> None:
    tables = advisor.tables
    rows = [
        *[row(tables, "ER", "different", "MP1")] * 3,
        *[row(tables, "ER", "different")] * 2,
        *[row(tables, "ER", "equivalent", "MP3")] * 1,
        *[row(tables, "ER", "equivalent")] * 4,
        row(tables, "ER", "stillborn", "MP9"),
        row(tables, "ER", "rejected"),
        row(tables, "SB", "unknown"),
    ]
    found = tables.quality(rows)
    assert (1, 4, 3, 2, 1) == (found.ke, found.nke, found.kne, found.nkne, found.unsure)
    assert (60.0, 75.0, 70.0) == (found.sensitivity, found.precision, found.accuracy)
    published = tables.quality(rows, published=True)
    assert (2, 60.0) == (published.ke, published.precision)
    assert 100.0 == tables.quality(rows, ("MP7",)).precision  # none is killed
    assert "| ER | 10 | 5 | 0 | 60 | 75 | 70 | 79, 82, 68 |" in tables.tables(rows)


def test_rows_are_read_as_they_were_written(advisor: Any) -> None:
    tables = advisor.tables
    model = tables.Stratum("n.smv", tables.DECLARATIVE, 0, 7)
    unknown = tables.Row(model, "SB", "id", "unknown", (None, *[0] * 9), (3,) * 10)
    rows = [row(tables, "ER", "different", "MP1"), unknown]
    again = tables.read(",".join(tables.COLUMNS) + "\n" + tables.written(rows))
    assert rows == again
    assert tables.tables(rows) == tables.tables(again)


def test_rows_are_counted_by_kind_of_model(advisor: Any) -> None:
    tables = advisor.tables
    stated = tables.Stratum("n.smv", tables.DECLARATIVE, 0, 8)
    calm, noticed = (0,) * 10, (1, *[0] * 9)
    rows = [
        row(tables, "ER", "different", "MP1"),
        tables.Row(stated, "ER", "a", "different", calm, calm),
        tables.Row(stated, "ER", "b", "different", calm, noticed),
    ]
    shown = tables.tables(rows)
    for line in (
        "| operational | 1 | 0 | 0 | 100 | 100 | 100 | 77 |",
        "| declarative | 2 | 0 | 0 | 50 | 100 | 50 |  |",
        "| with properties | 1 | 0 | 0 | 100 | 100 | 100 | 63 |",
        "| without violations | 2 | 0 | 0 | 50 | 100 | 50 | 49 |",
        "2 models (study: 104), 1 of them operational (68)",
        "Boolean variables: 6.5 in the mean (20.4), 8 at most (156)",
        "Of those that differ, 60 % are noticed in 50 % of the models (74)",
    ):
        assert line in shown.splitlines()


def test_what_is_left_when_time_is_over_is_unknown(advisor: Any) -> None:
    text, spent = advisor.models.Text("m.smv", QUEUE), advisor.Spent()
    rows = advisor.evaluated(text, 60, spent, model_s=0.0)
    assert {"unknown", "rejected"} >= {one.kind for one in rows}
    assert [] == spent.comparisons_s
    assert 0 == advisor.tables.quality(rows).kne
    assert {(("m.smv", "operational", 2), 6)} == {
        ((one.model.file, one.model.style, one.model.properties), one.model.bits) for one in rows
    }


def test_what_equivalent_mutants_cannot_change_is_a_contradiction(advisor: Any) -> None:
    tables = advisor.tables
    wrong = [row(tables, "ER", "equivalent", "MP6"), row(tables, "SB", "equivalent", "MP1")]
    right = [row(tables, "ER", "equivalent", "MP1"), row(tables, "SB", "different", "MP6")]
    assert 2 == len(tables.contradictions([*wrong, *right]))


@pytest.mark.parametrize("text", [CLOCK, QUEUE], ids=["clock", "queue"])
def test_rows_of_models_contradict_nothing(advisor: Any, text: str) -> None:
    rows = advisor.evaluated(advisor.models.Text("m.smv", text), 60, advisor.Spent())
    assert len(rows) > 20
    assert {"equivalent", "different"} <= {one.kind for one in rows}
    assert [] == advisor.tables.contradictions(rows)
    killing = [one for one in rows if one.kind == "different" and one.kills()]
    assert len(killing) > 5


def test_mutants_of_the_clock_are_what_the_study_says(advisor: Any) -> None:
    """Another bound makes the same model; exchanged branches make another one (Models 2, 3)."""
    model = interpretation(elaborated(CLOCK).program).system()
    for old, new, expected in (
        ("hour >= 11", "hour > 11", True),
        (
            "hour < 12 : AM;\n      hour >= 11 : PM;",
            "hour >= 11 : PM;\n      hour < 12 : AM;",
            False,
        ),
    ):
        assert old in CLOCK
        other = interpretation(elaborated(CLOCK.replace(old, new)).program).system()
        assert expected == advisor.same_structure(model, other)


def test_equivalence_by_diagrams_is_what_the_product_says(advisor: Any) -> None:
    options = Options(
        level="all", operators=advisor.OPERATORS, cores=False, equivalence="all variables"
    )
    for text in (CLOCK, QUEUE):
        found = elaborated(text)
        program = found.program
        assert program is not None
        report = analysed(found, options)
        known = {one.mutant: one.equivalence for one in report.mutants if one.equivalence}
        model = interpretation(program).system()
        compared = set()
        for mutant in enumerate_mutants(found, options):
            status = known[mutant.id].status if mutant.id in known else None
            if status in {EquivalenceStatus.EQUIVALENT, EquivalenceStatus.GAP}:
                changed = program.with_bodies(mutated_bodies(program, mutant))
                same = advisor.same_structure(model, interpretation(changed).system())
                assert (status is EquivalenceStatus.EQUIVALENT) == same, mutant.summary
                compared.add(same)
        assert {True, False} == compared


def test_a_macro_that_only_a_property_reads_is_compared(advisor: Any) -> None:
    text = """\
MODULE main
VAR p : boolean; q : boolean;
DEFINE d := p | q;
ASSIGN init(p) := TRUE; next(p) := TRUE; init(q) := FALSE; next(q) := FALSE;
INVARSPEC NAME ok := d;
"""
    rows = advisor.evaluated(advisor.models.Text("m.smv", text), 60, advisor.Spent())
    assert [] == advisor.tables.contradictions(rows)
    assert any(one.kind == "different" and one.after[8] == 1 for one in rows)
