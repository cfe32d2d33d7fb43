"""Shards of a run, merged, are the run: byte for byte, and nothing else is merged."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest
from process import EXAMPLES, Ended, mutproof

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyVerdict
from mutproof.cli.topics import CODES
from mutproof.reporters import shard_document
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from support.reading import elaborated_in

QUIET = ("--no-progress", "--no-timings", "--no-cache", "--jobs", "1")
DEMO = EXAMPLES / "demo.lus"
DEMO2 = EXAMPLES / "demo2.lus"
CLOCK = EXAMPLES / "clock.smv"
LIGHT = EXAMPLES / "traffic_light.smv"

GOES_ON = """
node main (a, b : bool) returns (x : int);
var ok : bool;
let
  assert a or b;
  assert not a => b;
  x = if a then 1 else 2;
  ok = x > 0;
  --%PROPERTY ok;
tel;
"""


def shards(folder: Path, count: int, *arguments: str | Path) -> list[Path]:
    """Run all shards and return their reports."""
    reports = []
    for number in range(1, count + 1):
        reports.append(folder / f"{number}-of-{count}.json")
        asked = ("--shard", f"{number}/{count}", "--format", "json", "--output", reports[-1])
        ended = mutproof("mutate", *arguments, *QUIET, *asked)
        assert 0 == ended.code, ended.err
    return reports


@cache
def whole_run(form: str, *arguments: str | Path) -> Ended:
    return mutproof("mutate", *arguments, *QUIET, "--format", form)


def refused(code: str, *reports: Path) -> None:
    """Check that reports are not merged, under a code that can be explained."""
    ended = mutproof("merge", *reports)
    assert (1, "") == (ended.code, ended.out)
    assert f"error[{code}]" in ended.err
    assert code in CODES


@pytest.mark.parametrize("count", [2, 3])
@pytest.mark.parametrize(
    "arguments",
    [
        (DEMO, DEMO2, "--equivalence"),
        (CLOCK, "--level", "all", "--most-mutants", "30"),
        (LIGHT, DEMO2, "--most-mutants", "12", "--equivalence"),
    ],
    ids=["lustre", "nusmv", "both"],
)
def test_merged_shards_are_one_run(
    count: int, arguments: tuple[str | Path, ...], tmp_path: Path
) -> None:
    reports = shards(tmp_path, count, *arguments)
    for form in ("json", "text"):
        whole = whole_run(form, *arguments)
        merged = mutproof("merge", *reversed(reports), "--format", form)
        assert whole.out == merged.out
        assert whole.code == merged.code


def test_what_is_said_of_survivors_counts_those_of_all_shards(tmp_path: Path) -> None:
    model = tmp_path / "goes_on.lus"
    model.write_text(GOES_ON)
    whole = mutproof("mutate", model, *QUIET, "--format", "json", "--level", "all")
    reports = shards(tmp_path, 3, model, "--level", "all")
    assert whole.out == mutproof("merge", *reports, "--format", "json").out


def test_each_mutant_is_in_one_shard_wherever_it_stands() -> None:

    def ids(text: str, shard: tuple[int, int]) -> list[str]:
        found = elaborated_in("lustre", text)
        return [mutant.id for mutant in enumerate_mutants(found, Options(shard=shard))]

    text = DEMO2.read_text()
    parts = [ids(text, (number, 3)) for number in range(3)]
    assert sorted(ids(text, (0, 1))) == sorted(name for part in parts for name in part)
    assert parts == [ids("-- moved\n\n" + text, (number, 3)) for number in range(3)]


def test_other_shards_are_refused(tmp_path: Path) -> None:
    first, second, third = shards(tmp_path, 3, DEMO)
    refused("shard-missing", first, third)
    refused("shard-overlap", first, second, second, third)
    (tmp_path / "two").mkdir()
    refused("shard-count", first, second, *shards(tmp_path / "two", 2, DEMO)[1:])
    (tmp_path / "options").mkdir()
    refused("shard-options", first, shards(tmp_path / "options", 3, DEMO, "--level", "all")[1])
    (tmp_path / "content").mkdir()
    refused("shard-content", first, shards(tmp_path / "content", 3, DEMO2)[1])
    refused("not-a-shard", tmp_path / "nothing.json")

    report = json.loads(second.read_text())
    changed = tmp_path / "changed.json"
    shard = report["mutproof"]["shard"]
    changed.write_text(json.dumps(report | {"mutproof": {"shard": shard | {"maker": "00"}}}))
    refused("shard-version", first, changed, third)
    changed.write_text(json.dumps(report | {"mutproof": {"shard": shard | {"findings": []}}}))
    refused("not-a-shard", first, changed, third)
    changed.write_text(json.dumps(report | {"mutproof": {}}))
    refused("not-a-shard", first, changed, third)


def usage(*arguments: str | Path) -> Ended:
    ended = mutproof("mutate", DEMO, *QUIET, *arguments)
    assert 1 == ended.code
    return ended


def test_a_shard_is_one_of_several_and_is_written_as_json(tmp_path: Path) -> None:
    for wrong in ("0/3", "4/3", "1", "1/", "a/b", "1/1000000"):
        assert "not " in usage("--shard", wrong, "--format", "json").err
    assert "--format json" in usage("--shard", "1/2").err
    way = ("--shard", "1/2", "--format", "json", "--baseline", tmp_path / "b.json")
    assert "--update-baseline" in usage(*way, "--update-baseline").err


def test_the_merged_report_decides_about_thresholds(tmp_path: Path) -> None:
    reports = shards(tmp_path, 2, DEMO2, "--threshold", "90", "--fail-on", "new")
    assert 5 == mutproof("merge", *reports, "--threshold", "90").code
    assert 2 == mutproof("merge", *reports).code
    assert 0 == mutproof("merge", *reports, "--fail-on", "never").code


def forged(report: Path, change: Callable[[Report], Report]) -> Path:
    """Return a report with other findings under a right digest."""
    written = json.loads(report.read_text())
    _, shard = shard_document.decoded(report.read_text())
    assert shard is not None
    (file,) = shard.files
    assert file.report is not None
    changed = replace(shard, files=(replace(file, report=change(file.report)),))
    written["mutproof"]["shard"] = shard_document.encoded(changed)
    other = report.with_name(f"forged-{report.name}")
    other.write_text(json.dumps(written))
    return other


def first_as(status: MutantStatus, other: MutantStatus) -> Callable[[Report], Report]:
    """Return what says of the first mutant of a status that it has another one."""

    def change(report: Report) -> Report:
        name = next(found.mutant for found in report.mutants if found.status is status)
        return replace(report, mutants=tuple(changed(f, name) for f in report.mutants))

    def changed(found: MutantFinding, name: str) -> MutantFinding:
        return replace(found, status=other) if found.mutant == name else found

    return change


def defect(code: str, *arguments: Path | str) -> str:
    ended = mutproof("merge", *arguments)
    assert (70, "") == (ended.code, ended.out), ended.err
    assert f"error[{code}]" in ended.err
    assert code in CODES
    return ended.err


def test_reports_that_contradict_each_other_are_a_defect(tmp_path: Path) -> None:
    first, second = shards(tmp_path, 2, DEMO)
    survivor = first_as(MutantStatus.KILLED, MutantStatus.SURVIVED)
    said = defect("shard-contradiction", first, second, forged(second, survivor))
    assert f"killed in {second}" in " ".join(said.split())
    assert "survived in" in " ".join(said.split())
    unknown = first_as(MutantStatus.KILLED, MutantStatus.UNKNOWN)
    refused("shard-overlap", first, second, forged(second, unknown))

    def falsified(report: Report) -> Report:
        one, *others = report.properties
        wrong = replace(one, verdict=PropertyVerdict.FALSIFIED)
        return replace(report, properties=(wrong, *others))

    defect("shard-contradiction", first, forged(second, falsified))


def test_kills_are_replayed_where_reports_are_not_believed(tmp_path: Path) -> None:
    first, second = shards(tmp_path, 2, DEMO)
    whole = mutproof("merge", first, second)
    checked = mutproof("merge", first, second, "--recheck")
    assert (whole.code, whole.out) == (checked.code, checked.out)
    assert "2 kills replayed, 0 unknown" in checked.err

    def exchanged(report: Report) -> Report:
        killed = next(f for f in report.mutants if f.status is MutantStatus.KILLED and f.trace)
        lived = MutantStatus.SURVIVED
        mutants = tuple(
            replace(killed, mutant=f.mutant) if f.status is lived else f for f in report.mutants
        )
        return replace(report, mutants=mutants)

    assert "2/2" in defect("shard-refuted", first, forged(second, exchanged), "--recheck")

    def unshown(report: Report) -> Report:
        lived = next(f for f in report.mutants if f.status is MutantStatus.SURVIVED)
        lie = replace(lived, status=MutantStatus.KILLED, killed_by=("Prop1",), equivalence=None)
        return replace(report, mutants=tuple(lie if f is lived else f for f in report.mutants))

    defect("shard-refuted", first, forged(second, unshown), "--recheck")


def test_kills_that_no_execution_shows_are_unknown_where_reports_are_not_believed(
    tmp_path: Path,
) -> None:
    model = tmp_path / "may.smv"
    model.write_text(
        "MODULE main\nVAR a : boolean;\nASSIGN init(a) := FALSE; next(a) := {TRUE, FALSE};\n"
        "CTLSPEC EF a\n"
    )
    first, second = shards(tmp_path, 2, model)
    whole = mutproof("merge", first, second, "--fail-on", "never")
    checked = mutproof("merge", first, second, "--recheck", "--fail-on", "never")
    assert " 0 unknown" in whole.out
    assert " 0 killed" not in whole.out
    assert " 0 killed" in checked.out
    assert "unknown: nothing shows them" in checked.err


def test_another_text_is_no_contradiction(tmp_path: Path) -> None:
    refused("shard-content", shards(tmp_path, 2, DEMO)[0], shards(tmp_path, 3, DEMO2)[1])
