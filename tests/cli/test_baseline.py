"""`--baseline`: accepted gaps do not fail, new ones do, and what ends an acceptance is said."""

from __future__ import annotations

import json
import shutil
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from process import EXAMPLES, Ended, mutproof
from test_formats import as_issues, as_rows, as_sarif, as_suites
from test_reports import SCHEMA

from mutproof.cli.baseline import AcceptedGap, read, written

ON_MONDAY = "1792972800"  # 2026-10-26
ONE_YEAR_LATER = "1824508800"


@pytest.fixture(name="place")
def _place(tmp_path: Path) -> Path:
    """Return a folder with a model whose gaps are all accepted."""
    shutil.copy(EXAMPLES / "demo2.lus", tmp_path / "demo2.lus")
    ended = run(tmp_path, "--update-baseline", "--reason", "seen by R", "--expires", "2027-01-31")
    assert (0, "17 gaps added to b.json, 0 renewed, 0 removed") == (ended.code, ended.err.strip())
    return tmp_path


def run(place: Path, *words: str, epoch: str = ON_MONDAY) -> Ended:
    return mutproof("mutate", "demo2.lus", "--level", "paper", "--baseline", "b.json", *words,
                    "--no-timings", cwd=place, SOURCE_DATE_EPOCH=epoch)  # fmt: skip


def listed(place: Path) -> list[dict[str, str]]:
    found: Any = json.loads((place / "b.json").read_text(encoding="utf-8"))
    assert found["version"] == 1
    accepted: list[dict[str, str]] = found["accepted"]
    return accepted


def rewrite(place: Path, accepted: list[dict[str, str]]) -> None:
    (place / "b.json").write_text(json.dumps({"version": 1, "accepted": accepted}))


def edit(place: Path, old: str, new: str) -> None:
    path = place / "demo2.lus"
    text = path.read_text(encoding="utf-8")
    assert old in text
    path.write_text(text.replace(old, new), encoding="utf-8")


def test_accepted_gaps_are_reported_and_do_not_fail(place: Path) -> None:
    ended = run(place)

    assert (0, "") == (ended.code, ended.err)
    assert "[accepted until 2027-01-31: seen by R]" in ended.out
    assert "accepted by the baseline: 17 survivors" in ended.out
    assert "not accepted" not in ended.out
    assert "22 mutants: 5 killed, 17 survived" in ended.out
    assert "score 5/22" in ended.out
    assert 2 == run(place, "--fail-on", "survived").code


def test_a_new_gap_fails(place: Path) -> None:
    gaps = listed(place)
    (chosen,) = [gap for gap in gaps if gap["operator"] == "g2ge"]
    rewrite(place, [gap for gap in gaps if gap is not chosen])
    ended = run(place)

    assert 2 == ended.code
    assert (
        "accepted by the baseline: 16 survivors\nnot accepted: 1 survivor, at 6:11\n" in ended.out
    )
    lines = [line for line in ended.out.splitlines() if line.startswith("SURVIVED")]
    assert [line for line in lines if "accepted" not in line] == [
        "SURVIVED at 6:11 g2ge `>` → `>=`"
    ]


def test_an_accepted_gap_hides_no_new_one(place: Path) -> None:
    before = run(place, "--equivalence").out
    shown = {line.split()[3] for line in before.splitlines() if line.startswith("SURVIVED")}
    hidden = next(gap for gap in listed(place) if gap["operator"] not in shown)
    rewrite(place, [gap for gap in listed(place) if gap != hidden])
    ended = run(place, "--equivalence")

    assert 2 == ended.code
    assert f" {hidden['operator']} {hidden['change']}" in ended.out


def test_an_acceptance_lasts_while_text_moves(place: Path) -> None:
    edit(place, "node demo2", "-- what follows is moved\n\nnode   demo2")

    assert 0 == run(place).code


def test_an_acceptance_ends_where_the_element_changes(place: Path) -> None:
    edit(place, "a1 > 0", "a1 > 1")
    ended = run(place)

    assert 2 == ended.code
    assert "baseline: 8 accepted gaps are stale (--update-baseline)" in ended.err
    assert "no such mutant of d any more: its text changed, or a constant or" in ended.err
    assert "closed since the baseline: 8 whose element changed" in ended.out
    ended = run(place, "--update-baseline", "--reason", "seen again")
    said = "8 gaps added to b.json, 0 renewed, 8 removed, 9 left as they were"
    assert (0, said) == (ended.code, ended.err.strip())
    assert {"seen by R", "seen again"} == {gap["reason"] for gap in listed(place)}


def test_an_acceptance_ends_where_a_constant_of_the_element_changes(place: Path) -> None:
    edit(place, "node demo2", "const LEAST = 0;\nnode demo2")
    edit(place, "a1 > 0", "a1 > LEAST")
    run(place, "--update-baseline", "--reason", "of 0")
    assert 0 == run(place).code
    edit(place, "const LEAST = 0", "const LEAST = 1")
    ended = run(place)

    assert 2 == ended.code
    assert "no such mutant of d any more: its text changed, or a constant or type that" in ended.err
    assert "not accepted: 8 survivors, at 7:3, 7:11, 7:" in ended.out


def test_what_a_property_kills_is_accepted_no_more(place: Path) -> None:
    edit(place, "tel", "  P2 = d = (a1 > 0);\n  --%PROPERTY P2;\ntel")
    edit(place, "Prop1 : bool", "Prop1, P2 : bool")
    ended = run(place)

    assert "are stale" in ended.err
    assert ": killed by P2" in ended.err
    closed = json.loads(run(place, "--format", "json").out)["mutproof"]["closed"]["demo2.lus"]
    assert {("property", "killed by P2")} == {(one["way"], one["how"]) for one in closed}
    assert f"closed since the baseline: {len(closed)} killed by a property" in ended.out
    stale = listed(place)
    run(place, "--update-baseline")
    left = listed(place)
    assert 0 < len(left) < len(stale)
    assert 0 == run(place).code


def test_what_is_removed_from_the_model_is_closed_that_way(place: Path) -> None:
    gap = listed(place)[0]
    rewrite(place, [{**gap, "element": "gone", "mutant": "0" * len(gap["mutant"])}])
    ended = run(place)

    assert ": no gone in the model any more" in ended.err
    assert "closed since the baseline: 1 whose element is gone" in ended.out


def test_what_is_to_be_done_about_a_gap_is_carried(place: Path) -> None:
    gaps = listed(place)
    gaps[0]["disposition"] = "model"
    rewrite(place, gaps)
    ended = run(place)
    found = json.loads(run(place, "--format", "json").out)["files"]["demo2.lus"]["mutants"]
    said = [m["mutproof"]["accepted"] for m in found if "accepted" in m["mutproof"]]

    assert 0 == ended.code
    assert 1 == ended.out.count("[accepted until 2027-01-31 to fix the model: seen by R]")
    assert ["justify"] * 16 + ["model"] == sorted(one["disposition"] for one in said)
    again = ("--update-baseline", "--disposition", "property")
    ended = run(place, *again, epoch=ONE_YEAR_LATER)
    assert "17 renewed" in ended.err
    assert {("seen by R", "property")} == {(g["reason"], g["disposition"]) for g in listed(place)}


def test_a_day_that_has_passed_accepts_nothing(place: Path) -> None:
    before = (place / "b.json").read_bytes()
    asked = ("--update-baseline", "--expires", "2027-10-25")
    ended = run(place, *asked, epoch=ONE_YEAR_LATER)
    assert 1 == ended.code
    assert "error[usage]: --expires 2027-10-25 has passed" in ended.err
    assert before == (place / "b.json").read_bytes()
    assert 0 == run(place, "--expires", "2027-10-25").code


def test_an_acceptance_expires(place: Path) -> None:
    assert 0 == run(place, epoch="1801396800").code  # the last day, 2027-01-31
    ended = run(place, epoch=ONE_YEAR_LATER)

    assert 2 == ended.code
    assert "baseline: 17 accepted gaps are expired (--update-baseline)" in ended.err
    ended = run(place, "--update-baseline", epoch=ONE_YEAR_LATER)
    assert (0, "0 gaps added to b.json, 17 renewed, 0 removed") == (ended.code, ended.err.strip())
    assert {("seen by R", "2027-10-26")} == {(g["reason"], g["date"]) for g in listed(place)}


def test_gaps_that_are_accepted_without_a_reason_are_told(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "demo2.lus", tmp_path / "demo2.lus")
    said = "baseline: it does not say why they are accepted (--reason)"
    ended = run(tmp_path, "--update-baseline")
    assert (0, True) == (ended.code, said in ended.err)
    assert {None} == {gap.get("reason") for gap in listed(tmp_path)}
    assert said not in run(tmp_path, "--update-baseline").err


def test_what_a_run_does_not_look_at_is_kept(place: Path) -> None:
    before = (place / "b.json").read_bytes()
    for words in (("--operators", "g2ge"), ("--most-mutants", "2")):
        ended = run(place, *words, "--update-baseline")
        assert (0, "0 gaps added to b.json, 0 renewed, 0 removed, 17 left as they were") == (
            ended.code,
            ended.err.strip(),
        )
        assert before == (place / "b.json").read_bytes()
    (place / "other.lus").write_text((place / "demo2.lus").read_text(encoding="utf-8"))
    ended = mutproof("mutate", "other.lus", "--baseline", "b.json", cwd=place)
    assert (2, "") == (ended.code, ended.err)


def test_what_is_not_decided_keeps_its_acceptance_and_gets_none(place: Path) -> None:
    before = (place / "b.json").read_bytes()
    ended = run(place, "--update-baseline", "--file-timeout", "0.000001")

    assert ended.code in {3, 4, 30}
    assert before == (place / "b.json").read_bytes()


def test_ids_may_be_as_short_as_reports_print_them(place: Path) -> None:
    rewrite(place, [{**gap, "mutant": gap["mutant"][:10]} for gap in listed(place)])

    assert 0 == run(place).code


def test_paths_are_from_the_folder_of_the_baseline(place: Path) -> None:
    (place / "deep").mkdir()
    (place / "mutproof.toml").write_text('baseline = "b.json"\nlevel = "paper"\n')

    assert 0 == mutproof("mutate", "../demo2.lus", cwd=place / "deep").code


def test_every_format_tells_accepted_gaps_apart(place: Path) -> None:
    found = json.loads(run(place, "--format", "json").out)
    jsonschema.validate(found, SCHEMA)
    mutants = found["files"]["demo2.lus"]["mutants"]
    accepted = [m["mutproof"].get("accepted") for m in mutants if m["status"] == "Survived"]
    said = {"reason": "seen by R", "date": "2026-10-26", "expires": "2027-01-31"}
    assert [{**said, "disposition": "justify"}] * 17 == accepted

    results = as_sarif(run(place, "--format", "sarif").out)["results"]
    assert {"unchanged"} == {result["baselineState"] for result in results}
    assert {"accepted"} == {s["status"] for result in results for s in result["suppressions"]}

    suites = as_suites(run(place, "--format", "junit").out)
    assert ("0", "0") == (suites.get("failures"), suites.get("skipped"))
    assert [] == as_issues(run(place, "--format", "gitlab").out)
    assert "::" not in run(place, "--format", "github").out
    rows = as_rows(run(place, "--format", "csv").out)
    assert 17 == sum(row["accepted"] != "" for row in rows)


def test_the_file_says_the_same_in_the_same_order(place: Path) -> None:
    accepted = read(place / "b.json")

    assert (place / "b.json").read_text(encoding="utf-8") == written(reversed(accepted))
    assert {"demo2.lus"} == {one.file for one in accepted}
    assert written([AcceptedGap("a.lus", "12345678")]).count('""') == 0


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("{", "is not JSON"),
        ("[]", "no baseline of version 1"),
        ('{"version": 2, "accepted": []}', "no baseline of version 1"),
        ('{"version": 1}', "a list"),
        ('{"version": 1, "accepted": [], "x": 1}', "nothing else"),
        ('{"version": 1, "accepted": [3]}', "gap 1 is not an object"),
        ('{"version": 1, "accepted": [{"file": "a"}]}', "gap 1 needs a file"),
        ('{"version": 1, "accepted": [{"file": "a", "mutant": "1"}]}', "at least 8 digits"),
        ('{"version": 1, "accepted": [{"file": "a", "mutant": "12345678", "why": ""}]}', "why"),
        (
            '{"version": 1, "accepted": [{"file": "a", "mutant": "12345678", "expires": "soon"}]}',
            "not a day",
        ),
        (
            '{"version": 1, "accepted": [{"file": "a", "mutant": "12345678", "disposition": "x"}]}',
            "gap 1: disposition is none of property, model, remove, justify",
        ),
    ],
)
def test_what_is_no_baseline_is_refused(place: Path, text: str, said: str) -> None:
    (place / "b.json").write_text(text)
    ended = run(place)

    assert (1, "") == (ended.code, ended.out)
    assert "error[baseline]" in ended.err
    assert said in ended.err


def test_a_baseline_that_is_not_there_is_an_error_unless_it_is_made(tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "demo2.lus", tmp_path / "demo2.lus")

    assert 1 == run(tmp_path).code
    ended = mutproof("mutate", "demo2.lus", "--update-baseline", cwd=tmp_path)
    assert "--update-baseline needs --baseline" in ended.err
    assert 1 == mutproof("mutate", "demo2.lus", "--baseline", "b", "--expires", "x").code


def test_what_is_said_of_accepted_gaps_stays_and_a_message_says_so(place: Path) -> None:
    before = (place / "b.json").read_bytes()
    ended = run(place, "--update-baseline", "--reason", "other", "--disposition", "model")
    assert ended.err.strip().endswith("0 renewed, 0 removed, 17 left as they were")
    assert before == (place / "b.json").read_bytes()
