"""`mutproof suggest`: properties that close gaps, and what becomes of a file that has them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from process import EXAMPLES, mutproof
from test_formats import as_sarif

COUNTER = """\
node main(x: bool; top: int) returns (n: int; full: bool; OK: bool);
let
  n = 0 -> if x and pre n < 5 then pre n + 1 else pre n;
  full = n >= 5;
  OK = n >= 0;
  --%PROPERTY OK;
tel;
"""
LIGHT = """\
MODULE main
VAR on : boolean; n : 0..3;
ASSIGN
  init(on) := FALSE;
  next(on) := n = 3;
  init(n) := 0;
  next(n) := case n < 3 : n + 1; TRUE : 0; esac;
INVARSPEC n <= 3
"""


def suggested(path: Path, *arguments: str) -> tuple[int, dict[str, Any]]:
    """Return the exit code and what is suggested."""
    ended = mutproof("suggest", path, "--format", "json", "--no-timings", *arguments)
    return ended.code, json.loads(ended.out)


def fixed(text: str, fix: dict[str, Any]) -> str:
    """Return a text with a fix of SARIF applied, places counted from 1 by characters."""
    lines = text.splitlines(keepends=True)
    starts = [sum(map(len, lines[:number])) for number in range(len(lines) + 1)]
    (change,) = fix["artifactChanges"]
    edits = []
    for replacement in change["replacements"]:
        region = replacement["deletedRegion"]
        start, end = (
            starts[region[f"{where}Line"] - 1] + region[f"{where}Column"] - 1
            for where in ("start", "end")
        )
        edits.append((start, end, replacement["insertedContent"]["text"]))
    for start, end, inserted in sorted(edits, reverse=True):
        text = text[:start] + inserted + text[end:]
    return text


def scores(path: Path) -> dict[str, int]:
    """Return how many mutants of a file have which status, equivalent ones left out."""
    ended = mutproof("mutate", path, "--equivalence", "--format", "json", "--no-timings")
    found: dict[str, int] = {}
    for file in json.loads(ended.out)["files"].values():
        for mutant in file["mutants"]:
            known = mutant.get("mutproof", {}).get("equivalence", {}).get("status")
            status = known or mutant["status"]
            found[status] = found.get(status, 0) + 1
    return found


def test_the_best_set_written_closes_all_gaps_of_demo2(tmp_path: Path) -> None:
    model = tmp_path / "demo2.lus"
    model.write_bytes((EXAMPLES / "demo2.lus").read_bytes())

    ended = mutproof("suggest", model, "--best", "--write")

    assert 0 == ended.code
    added = model.read_text().count("--%PROPERTY") - 1
    assert 1 <= added <= 2
    assert f"{added} properties added" in ended.err
    assert {"Survived", "gap", "RuntimeError"}.isdisjoint(scores(model))


@pytest.mark.parametrize(
    ("name", "text", "most_left"),
    [
        pytest.param("counter.lus", COUNTER, 0, id="Lustre, with memory"),
        pytest.param("light.smv", LIGHT, 5, id="NuSMV, with next values"),
    ],
)
def test_what_is_written_is_proved_and_kills(
    name: str, text: str, most_left: int, tmp_path: Path
) -> None:
    model = tmp_path / name
    model.write_text(text)
    _, found = suggested(model, "--restating")
    wanted = {one["name"]: {m["id"] for m in one["kills"]} for one in found["suggestions"]}
    assert wanted
    assert len(found["left"]) <= most_left

    mutproof("suggest", model, "--write", "--restating")

    proofs = json.loads(mutproof("prove", model, "--format", "json").out)["properties"]
    verdicts = {one["name"]: one["verdict"] for one in proofs}
    assert {"proved"} == {verdicts[name] for name in found["best"]}
    assert scores(model).get("gap", 0) <= most_left


@pytest.mark.parametrize(
    ("name", "text"),
    [
        pytest.param("counter.lus", COUNTER, id="Lustre"),
        pytest.param("light.smv", LIGHT, id="NuSMV"),
    ],
)
def test_what_restates_the_model_is_not_written_unless_asked_for(
    name: str, text: str, tmp_path: Path
) -> None:
    model = tmp_path / name
    model.write_text(text)
    _, found = suggested(model)
    best = [one for one in found["suggestions"] if one["name"] in found["best"]]
    closed = {mutant["id"] for one in best for mutant in one["kills"]}
    gaps = closed | {m["id"] for one in found["suggestions"] for m in one["kills"]}
    gaps |= {one["id"] for one in found["left"]}

    mutproof("suggest", model, "--write")

    proofs = json.loads(mutproof("prove", model, "--format", "json").out)["properties"]
    written = {one["name"]: one["verdict"] for one in proofs[1:]}
    assert dict.fromkeys(found["best"], "proved") == written
    assert not any(one["restates"] for one in best)
    assert len(gaps - closed) == scores(model).get("gap", 0)


def test_all_formats_say_the_same_properties(tmp_path: Path) -> None:
    model = tmp_path / "counter.lus"
    model.write_text(COUNTER)
    _, found = suggested(model)
    names = [one["name"] for one in found["suggestions"]]

    text = mutproof("suggest", model).out
    source = mutproof("suggest", model, "--format", "lustre").out
    requirements = json.loads(mutproof("suggest", model, "--format", "fret").out)

    assert all(f" {name}: " in text for name in names)
    assert names == [
        line.removeprefix("--%PROPERTY ").rstrip(";")
        for line in source.splitlines()
        if line.startswith("--%PROPERTY")
    ]
    assert names == [one["reqid"] for one in requirements]
    assert all(" shall " in one["fulltext"] for one in requirements)
    refused = mutproof("suggest", model, "--format", "smv")
    assert (1, "") == (refused.code, refused.out)
    assert "no file is in the language of --format smv" in refused.err


def test_only_gaps_of_an_element_that_is_named_are_closed(tmp_path: Path) -> None:
    model = tmp_path / "counter.lus"
    model.write_text(COUNTER)

    _, found = suggested(model, "--element", "full")

    lines = {kill["line"] for one in found["suggestions"] for kill in one["kills"]}
    assert {4} == lines | {one["line"] for one in found["left"]}


def test_gaps_that_only_restating_properties_close_are_open_unless_these_are_asked_for(
    tmp_path: Path,
) -> None:
    model = tmp_path / "counter.lus"
    model.write_text(COUNTER)

    code, found = suggested(model)
    restating_code, restating = suggested(model, "--restating")

    assert [] == found["left"] == restating["left"]
    assert found["restating"]
    assert (2, 0) == (code, restating_code)


def test_line_ends_of_a_file_stay_as_they_are(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    text = COUNTER.replace("\n", "\r\n").encode()
    model.write_bytes(text)

    mutproof("suggest", model, "--write", "--restating")

    written = model.read_bytes()
    assert 1 < written.count(b"--%PROPERTY")
    assert set(text.splitlines(keepends=True)) <= set(written.splitlines(keepends=True))
    assert written.count(b"\n") == written.count(b"\r\n")


@pytest.mark.parametrize(
    ("name", "text", "before", "after"),
    [
        pytest.param("counter.lus", COUNTER, b"\xef\xbb\xbf", b"", id="a byte order mark"),
        pytest.param("light.smv", LIGHT, b"-- na\xefve\r\n", b"-- \x93ok\x94\n", id="Latin-1"),
    ],
)
def test_bytes_of_a_file_stay_as_they_are(
    name: str, text: str, before: bytes, after: bytes, tmp_path: Path
) -> None:
    model = tmp_path / name
    model.write_bytes(before + text.encode() + after)

    ended = mutproof("suggest", model, "--write", "--restating")

    assert "added" in ended.err
    written = model.read_bytes()
    assert written.startswith(before + text.encode()[:20])
    assert after in written
    assert 0 == mutproof("prove", model).code


def test_a_file_that_changed_meanwhile_is_left_and_that_is_no_success(tmp_path: Path) -> None:
    model = tmp_path / "counter.lus"
    model.write_text(COUNTER)
    late = """
from mutproof.cli import suggested
write = suggested.write
def late(files, console, **asked):
    with open(files[0].path, "a") as stream:
        stream.write("-- more\\n")
    return write(files, console, **asked)
suggested.write = late
"""

    ended = mutproof("suggest", model, "--write", "--restating", before=late)

    assert 1 == ended.code
    assert "counter.lus: changed meanwhile, and left as it is" in ended.err
    assert COUNTER + "-- more\n" == model.read_text()


def test_without_gaps_nothing_is_suggested(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(
        "node main(x: bool) returns (OK: bool);\nvar y: bool;\nlet\n  y = x;\n"
        "  OK = y = x;\n  --%PROPERTY OK;\ntel;\n"
    )

    ended = mutproof("suggest", model)

    assert (0, True) == (ended.code, "there is nothing to suggest" in ended.out)


def test_where_nothing_was_looked_for_that_is_said(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(COUNTER.replace("n >= 0", "n >= 1"))

    falsified = mutproof("suggest", model, "--quiet")
    model.write_text(COUNTER)
    without = mutproof("suggest", model, "--element", "OK")
    unknown = mutproof("suggest", model, "--element", "fll")

    assert (4, True) == (falsified.code, "not proved: OK" in falsified.out)
    assert "no gaps in the elements that were named" in without.out
    assert (1, True) == (unknown.code, "did you mean `full`?" in unknown.err)


BELOW = """\
node limited(raw: int) returns (kept: int);
let kept = if raw > 9 then 9 else raw; tel;
node main(raw: int) returns (low, OK: bool);
let
  low = limited(raw) < 5;
  OK = low or not low;
  --%PROPERTY OK;
  --%MAIN;
tel;
"""


def test_a_suggestion_for_another_node_than_the_main_one_names_it(tmp_path: Path) -> None:
    model = tmp_path / "limited.lus"
    model.write_text(BELOW)
    _, found = suggested(model)
    said = mutproof("suggest", model).out
    for one in found["suggestions"]:
        where = {"limited": " in limited", "main": ""}[one["component"]]
        assert f" {one['name']}{where}: {one['text']}\n" in said
    assert {"limited", "main"} == {one["component"] for one in found["suggestions"]}
    assert " s for suggestions, " in said


def test_open_gaps_are_listed_under_the_reason_that_they_share(tmp_path: Path) -> None:
    model = tmp_path / "light.smv"
    model.write_text(
        "MODULE main\nVAR a : 0..3; b : boolean;\nINVAR a = 3 -> b;\nINVARSPEC a >= 0\n"
    )
    _, found = suggested(model)

    opened = [line for line in mutproof("suggest", model).out.splitlines() if "OPEN" in line]

    assert len({one["reason"] for one in found["left"]}) == len(opened)
    assert len(found["left"]) > len(opened)


def test_of_first_states_that_are_missing_it_is_said_that_nothing_notices(tmp_path: Path) -> None:
    model = tmp_path / "first.smv"
    model.write_text(
        "MODULE main\nVAR x : 1..3;\nASSIGN init(x) := {1, 2}; next(x) := x;\nINVARSPEC x != 3\n"
    )

    code, found = suggested(model)

    assert 2 == code
    reasons = {one["reason"] for one in found["left"]}
    assert ["it only takes first states away"] == [reason.split(",")[0] for reason in reasons]


@pytest.mark.parametrize(("name", "text"), [("counter.lus", COUNTER), ("light.smv", LIGHT)])
def test_each_fix_of_a_log_for_code_scanning_adds_a_proved_property(
    name: str, text: str, tmp_path: Path
) -> None:
    model = tmp_path / name
    model.write_text(text)
    ended = mutproof("suggest", model, "--best", "--format", "sarif", "--no-timings")
    results = as_sarif(ended.out)["results"]
    assert results
    before = json.loads(mutproof("prove", model, "--format", "json", "--no-core").out)
    for number, result in enumerate(results):
        (fix,) = result["fixes"]
        changed = tmp_path / f"{number}-{name}"
        changed.write_text(fixed(text, fix))
        proved = mutproof("prove", changed, "--format", "json", "--no-core")
        assert 0 == proved.code, proved.out
        assert len(json.loads(proved.out)["properties"]) == len(before["properties"]) + 1
