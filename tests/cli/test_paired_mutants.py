"""`mutate --order 2`: which pairs of mutants are decided, and how reports show them."""

from __future__ import annotations

import csv
import io
import json
from functools import cache
from pathlib import Path
from typing import Any

import pytest
from process import mutproof

LUSTRE = """\
node pairs (x : int) returns (same, apart, low, high : bool; back : int);
var
  next : int;
let
  next = x + 1;
  back = next - 1;
  low = x < 0;
  high = x > 0;
  same = back = x;
  apart = not (low and high);
  --%PROPERTY same;
  --%PROPERTY apart;
tel;
"""

NUSMV = """\
MODULE main
VAR x : 0..3; y : 0..3; p : boolean; q : boolean;
ASSIGN
  init(x) := 0; init(y) := 0; init(p) := FALSE; init(q) := FALSE;
  next(x) := x < 3 ? x + 1 : 0;
  next(y) := y < 3 ? y + 1 : 0;
  next(p) := x = 0;
  next(q) := x = 1;
INVARSPEC NAME same := x = y;
INVARSPEC NAME apart := !(p & q);
"""

FEW = ("--operators", "g2ge,l2le,plus2minus,minus2plus")
COMMON = ("--order", "2", "--equivalence", "--no-timings", "--no-cache")


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    made = tmp_path_factory.mktemp("pairs")
    (made / "pairs.lus").write_text(LUSTRE, encoding="utf-8")
    (made / "pairs.smv").write_text(NUSMV, encoding="utf-8")
    return made


@cache
def mutate(folder: Path, name: str, *words: str) -> str:
    ended = mutproof("mutate", name, *COMMON, *words, cwd=folder)
    assert ended.code in {0, 2}, ended.err
    return ended.out


def pairs(folder: Path, name: str, *words: str) -> list[dict[str, Any]]:
    report = json.loads(mutate(folder, name, *words, "--format", "json"))
    found: list[dict[str, Any]] = report["mutproof"]["pairs"][name]["mutants"]
    return found


def changes(pair: dict[str, Any]) -> tuple[str, ...]:
    return tuple(part["description"] for part in pair["parts"])


def place(edit: dict[str, Any], end: str = "start") -> tuple[int, int]:
    """Return where an edit of one line begins or ends: 0-based line and column."""
    return edit[end]["line"] - 1, edit[end]["column"] - 1


def test_two_gaps_that_only_the_combination_shows_are_killed_together(folder: Path) -> None:
    found = {changes(pair): pair for pair in pairs(folder, "pairs.lus")}

    both = found["`<` → `<=`", "`>` → `>=`"]
    assert "together" == both["outcome"]
    assert ["apart"] == both["killedBy"]
    assert [[], []] == [part["killedBy"] for part in both["parts"]]


def test_two_killed_mutants_that_undo_each_other_are_equivalent_together(folder: Path) -> None:
    found = {changes(pair): pair for pair in pairs(folder, "pairs.lus")}

    both = found["`+` → `-`", "`-` → `+`"]
    assert ("masked", "Survived") == (both["outcome"], both["status"])
    assert "equivalent" == both["equivalence"]["status"]
    assert [["same"], ["same"]] == [part["killedBy"] for part in both["parts"]]


def test_states_are_compared_likewise(folder: Path) -> None:
    found = {changes(pair): pair for pair in pairs(folder, "pairs.smv", "--level", "all")}

    masked = [both for both in found.values() if both["outcome"] == "masked"]
    together = [both for both in found.values() if both["outcome"] == "together"]
    assert any(["same"] == part["killedBy"] for both in masked for part in both["parts"])
    assert any(["apart"] == both["killedBy"] for both in together)


@pytest.mark.parametrize("name", ["pairs.lus", "pairs.smv"])
def test_mutants_and_score_are_those_without_pairs(folder: Path, name: str) -> None:
    def counted(words: tuple[str, ...]) -> dict[str, Any]:
        ended = mutproof("mutate", name, *words, "--format", "json", cwd=folder)
        report: dict[str, Any] = json.loads(ended.out)
        return {"code": ended.code, "mutants": report["files"][name]["mutants"]}

    assert counted(COMMON[2:]) == counted(COMMON)


@pytest.mark.parametrize("name", ["pairs.lus", "pairs.smv"])
def test_the_same_bytes_come_from_any_number_of_workers(folder: Path, name: str) -> None:
    text = (folder / name).read_text(encoding="utf-8")
    comment = "--" + "x" * 5_000  # so that two workers share the file
    (folder / f"long-{name}").write_text(f"{text}{comment}\n", encoding="utf-8")

    single = mutate(folder, f"long-{name}", "--jobs", "1", "--all-mutants")

    assert single == mutate(folder, f"long-{name}", "--jobs", "2", "--all-mutants")
    assert "pairs of mutants" in single


def test_the_limit_is_kept_and_said(folder: Path) -> None:
    assert 3 == len(pairs(folder, "pairs.lus", "--most-pairs", "3"))
    assert "there are more pairs: --most-pairs" in mutate(folder, "pairs.lus", "--most-pairs", "3")
    assert "there are more pairs" not in mutate(folder, "pairs.lus")


def test_pairs_of_what_no_property_reads_together_are_left_out(folder: Path) -> None:
    for both in pairs(folder, "pairs.lus", "--most-pairs", "1000"):
        elements = {part["location"]["start"]["line"] for part in both["parts"]}
        assert elements <= {5, 6} or elements <= {7, 8}, both


def test_both_edits_make_the_text_of_the_pair(folder: Path) -> None:
    found = pairs(folder, "pairs.lus", *FEW)
    assert ["masked", "together"] == [both["outcome"] for both in found]
    for number, both in enumerate(found):
        lines = LUSTRE.split("\n")
        for edit in sorted((part["edit"] for part in both["parts"]), key=place, reverse=True):
            (line, first), (_, last) = place(edit), place(edit, "end")
            lines[line] = lines[line][:first] + edit["text"] + lines[line][last:]
        (folder / f"{number}.lus").write_text("\n".join(lines), encoding="utf-8")
        ended = mutproof("prove", f"{number}.lus", "--format", "json", cwd=folder)
        stated = json.loads(ended.out)["properties"]
        assert both["killedBy"] == [one["name"] for one in stated if one["verdict"] != "proved"]


def test_code_scanning_shows_both_places(folder: Path) -> None:
    log = json.loads(mutate(folder, "pairs.lus", *FEW, "--format", "sarif"))
    run = log["runs"][0]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert {"pair-masked", "pair-killed"} <= {*rules}
    shown = [one for one in run["results"] if one["ruleId"] == "pair-killed"]
    lines = [
        [place["physicalLocation"]["region"]["startLine"] for place in one["relatedLocations"]]
        for one in shown
    ]
    assert [[7, 8]] == lines


def test_tables_have_a_row_for_each_pair(folder: Path) -> None:
    rows = [*csv.DictReader(io.StringIO(mutate(folder, "pairs.lus", "--format", "csv")))]
    of_pairs = [row for row in rows if row["and_line"]]
    found = pairs(folder, "pairs.lus")

    assert {both["id"] for both in found} == {row["mutant"] for row in of_pairs}
    assert [""] == sorted({row["and_change"] for row in rows if row not in of_pairs})


@pytest.mark.parametrize("style", ["concise", "github", "gitlab", "html", "junit", "cobertura"])
def test_every_format_takes_pairs(folder: Path, style: str) -> None:
    out = mutate(folder, "pairs.lus", *FEW, "--format", style)
    assert out
    if style in {"concise", "github", "gitlab"}:
        assert "together with" in out
    if style == "html":
        assert "Pairs of mutants" in out


def test_a_shard_has_no_pairs(folder: Path) -> None:
    words = ("--order", "2", "--shard", "1/2", "--format", "json")
    ended = mutproof("mutate", "pairs.lus", *words, cwd=folder)

    assert 1 == ended.code
    assert "--order 2 is not for a shard" in ended.err


def test_pairs_are_recalled(folder: Path) -> None:
    words = ("pairs.lus", "--order", "2", "--no-timings")
    first = mutproof("mutate", *words, cwd=folder).out

    assert first == mutproof("mutate", *words, cwd=folder).out
