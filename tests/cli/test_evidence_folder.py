"""`report --evidence`: a folder that says what was found, and how that was checked."""

from __future__ import annotations

import hashlib
import json
import re
from pathlib import Path
from typing import Any

import pytest
from process import EXAMPLES, Ended, mutproof

from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.editing import TextEdit
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices
from mutproof.workspace.requirement_tags import tagged
from mutproof.workspace.written_mutants import WrittenKill, replayed, shown_by_executions

MODEL = """\
node main(x: int) returns (y: int; Positive, Big: bool);
let
  y = if x > 0 then x else 1;
  -- @req SYS-1, SYS-2
  Positive = y > 0;
  --%PROPERTY Positive;
  Big = y >= x;  -- @req SYS-3.
  --%PROPERTY Big;
tel;
-- @req SYS-9
"""

COUNT = """\
node main(a: bool) returns (x, y, z: int);
var p: bool;
let
  x = 0 -> pre x + 1;
  y = if a then x else 1;
  z = y;
  p = y >= 0;
  --%PROPERTY p;
tel;
"""

ALWAYS = """\
node main(x: int) returns (y: int);
var p: bool;
let
  y = x + 1;
  p = y >= 0 or y < 0;
  --%PROPERTY p;
tel;
"""


def report(folder: Path, *more: str | Path) -> Ended:
    return mutproof("report", "--evidence", folder, "--unconfirmed", *more)


def read(folder: Path) -> Any:
    return json.loads((folder / "evidence.json").read_text(encoding="utf-8"))


def test_the_folder_is_the_same_when_it_is_made_again(tmp_path: Path) -> None:
    made = [tmp_path / "one", tmp_path / "other"]
    for folder in made:
        assert report(folder, EXAMPLES / "demo2.lus").code == 2

    names = sorted(one.name for one in made[0].iterdir())
    assert names == ["SHA256SUMS", "evidence.html", "evidence.json"]
    for name in names:
        assert (made[0] / name).read_bytes() == (made[1] / name).read_bytes()
    for line in (made[0] / "SHA256SUMS").read_text(encoding="utf-8").splitlines():
        digest, name = line.split("  ")
        assert hashlib.sha256((made[0] / name).read_bytes()).hexdigest() == digest
    assert report(made[0], EXAMPLES / "demo2.lus").code == 2  # over what it wrote itself


def test_nothing_is_called_complete(tmp_path: Path) -> None:
    report(tmp_path / "evidence", EXAMPLES / "demo2.lus", EXAMPLES / "mutex.smv")

    for name in ("evidence.json", "evidence.html"):
        text = (tmp_path / "evidence" / name).read_text(encoding="utf-8")
        assert "complete" not in text.lower()


def test_nothing_is_called_checked_that_was_not(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    mutproof("report", f"--evidence={folder}", "--unconfirmed", EXAMPLES / "mutex.smv")

    found = read(folder)
    for stated in found["files"][0]["properties"]:
        assert stated["certificate"] == {"result": "not checked by another solver"}
    assert "No certificate was checked by another solver: cvc5 was not used." in found["limits"]
    assert "--evidence=DIR" in found["reproduce"]


def test_elements_without_mutants_are_in_cones_too(tmp_path: Path) -> None:
    model = tmp_path / "count.lus"
    model.write_text(COUNT, encoding="utf-8")
    report(tmp_path / "evidence", "--operators=plus2minus", model)

    elements = read(tmp_path / "evidence")["files"][0]["elements"]
    mutants = [(one["name"], one["mutants"], one["inConeOf"]) for one in elements]
    assert mutants == [("x", 1, ["p"]), ("y", 0, ["p"]), ("z", 0, [])]


def test_a_core_that_is_not_known_is_no_empty_core(tmp_path: Path) -> None:
    model = tmp_path / "always.lus"
    model.write_text(ALWAYS, encoding="utf-8")
    report(tmp_path / "evidence", EXAMPLES / "lift.smv", model)

    lift, always = read(tmp_path / "evidence")["files"]
    cores = {one["name"]: one.get("core") for one in (*lift["properties"], *always["properties"])}
    assert cores["can_rest"] is None
    assert cores["p"] == []
    page = (tmp_path / "evidence" / "evidence.html").read_text(encoding="utf-8")
    assert page.count(">not known<") == 1
    assert ">nothing, it holds whatever the elements say<" in page


def test_of_properties_that_are_not_proved_nothing_is_said_of_proofs(tmp_path: Path) -> None:
    report(tmp_path / "evidence", EXAMPLES / "lift.smv")

    for one in read(tmp_path / "evidence")["files"][0]["properties"]:
        assert ("certificate" in one) == ("vacuity" in one) == (one["verdict"] == "proved")


def test_certificates_are_kept_and_confirmed(tmp_path: Path) -> None:
    folder = tmp_path / "evidence"
    mutproof("report", "--evidence", folder, EXAMPLES / "demo2.lus", "--date", "2026-11-25")

    found = read(folder)
    stated = found["files"][0]["properties"][0]["certificate"]
    assert stated["result"] == "confirmed"
    assert f"certificates/{stated['file']}" in (folder / "SHA256SUMS").read_text(encoding="utf-8")
    assert found["identification"]["date"] == "2026-11-25"
    assert {"mutproof", "python", "z3", "cvc5"} == found["identification"]["versions"].keys()


def test_requirements_properties_and_elements_are_traced(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(MODEL, encoding="utf-8")
    report(tmp_path / "evidence", model)

    found = read(tmp_path / "evidence")
    (file,) = found["files"]
    assert {one["name"]: one["requirements"] for one in file["properties"]} == {
        "Positive": ["SYS-1", "SYS-2"],
        "Big": ["SYS-3"],
    }
    assert file["requirements"] == {"withoutProperty": ["SYS-9"], "propertiesWithout": []}
    open_point = {"kind": "requirement without a property", "about": "SYS-9", "place": "10:4"}
    assert open_point in file["openPoints"]
    (element,) = [one for one in file["elements"] if one["name"] == "y"]
    assert element["must"] == ["Positive", "Big"]
    assert element["killed"] == file["mutants"]["killed"]
    assert found["identification"]["files"] == {
        str(model): hashlib.sha256(model.read_bytes()).hexdigest()
    }


def test_every_kill_is_replayed_from_its_text(tmp_path: Path) -> None:
    report(tmp_path / "evidence", EXAMPLES / "demo.lus", EXAMPLES / "mutex.smv")

    for file in read(tmp_path / "evidence")["files"]:
        kills = file["kills"]
        assert kills["contradicted"] == []
        assert kills["confirmed"] > 0
        counted = kills["confirmed"] + kills["textRefused"] + kills["withoutExecution"]
        assert counted == file["mutants"]["killed"]


def test_what_is_justified_says_so(tmp_path: Path) -> None:
    model, baseline = tmp_path / "model.lus", tmp_path / "accepted.toml"
    model.write_bytes((EXAMPLES / "demo2.lus").read_bytes())
    mutproof("mutate", model, "--baseline", baseline, "--update-baseline", "--reason", "by review")
    ended = report(tmp_path / "evidence", model, "--baseline", baseline)

    points = read(tmp_path / "evidence")["files"][0]["openPoints"]
    ways = [one["disposition"] for one in points]
    assert ways
    assert all(one["way"] == "justify" and one["reason"] == "by review" for one in ways)
    assert "0 open points" in ended.err


def test_what_is_planned_and_what_was_closed_are_carried_by_id(tmp_path: Path) -> None:
    model, baseline = tmp_path / "model.lus", tmp_path / "accepted.json"
    text = (EXAMPLES / "demo2.lus").read_text(encoding="utf-8")
    model.write_text(text, encoding="utf-8")
    accept = ("--update-baseline", "--disposition", "property")
    mutproof("mutate", model, "--level", "paper", "--baseline", baseline, *accept)
    before = {one["mutant"][:10] for one in json.loads(baseline.read_text())["accepted"]}
    model.write_text(text.replace("a1 > 0", "a1 > 1"), encoding="utf-8")
    report(tmp_path / "evidence", model, "--level", "paper", "--baseline", baseline)

    (file,) = read(tmp_path / "evidence")["files"]
    ways = {one["about"]: one["disposition"]["way"] for one in file["openPoints"]}
    assert {"add a property"} == {way for name, way in ways.items() if name in before}
    assert 8 == sum(not way for way in ways.values())
    assert {"model"} == {one["way"] for one in file["closedPoints"]}
    assert before == {*ways} & before | {one["mutant"] for one in file["closedPoints"]}
    page = (tmp_path / "evidence" / "evidence.html").read_text(encoding="utf-8")
    assert "Closed since the baseline" in page


def test_a_folder_with_other_files_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "mine.txt").write_text("mine", encoding="utf-8")
    ended = report(tmp_path, EXAMPLES / "demo2.lus")

    assert ended.code == 1
    assert "error[evidence-folder]" in ended.err
    assert [one.name for one in tmp_path.iterdir()] == ["mine.txt"]


SOURCE = SourceText(
    "m.lus",
    "node main(x: int) returns (y: int; P: bool);\n"
    "let\n  y = if x > 0 then x else 1;\n  P = y > 0;\n  --%PROPERTY P;\ntel;\n",
)
AT = SOURCE.content.index("x > 0")


@pytest.mark.parametrize(
    ("text", "killed_by", "expected"),
    [
        ("true ", ("P",), WrittenKill.CONFIRMED),
        ("true ", ("Q",), WrittenKill.CONTRADICTED),
        ("x > 1", ("P",), WrittenKill.CONTRADICTED),
        ("x >> 0", ("P",), WrittenKill.REFUSED),
    ],
)
def test_a_kill_is_what_the_text_shows(
    text: str, killed_by: tuple[str, ...], expected: WrittenKill
) -> None:
    inputs: dict[str, Value] = {"x": -1}
    language = next(one for one in LANGUAGES if ".lus" in one.suffixes)
    edit = TextEdit(Span(AT, AT + 5), text)

    found = replayed(language, SOURCE, edit, Choices((inputs,)), killed_by=killed_by)
    assert found is expected


LIGHT = """\
MODULE main
VAR
  asked : 0..2;
  lit : boolean;
  shade : 0..{last};
ASSIGN
  init(asked) := 0;
  next(asked) := asked < 2 ? asked + 1 : 2;
  init(lit) := FALSE;
  next(lit) := asked = 1 ? TRUE : lit;
  init(shade) := 0;
  next(shade) := shade = {last} ? {settled} : shade + 1;
LTLSPEC NAME glows := G (asked = 2 -> X lit)
"""


@pytest.mark.parametrize(
    ("last", "settled", "expected"),
    [
        (3, 3, WrittenKill.CONFIRMED),
        (3, 0, WrittenKill.CONFIRMED),
        (60, 0, WrittenKill.CONFIRMED),
        (1000, 0, None),
    ],
)
def test_a_kill_is_seen_where_what_it_does_not_depend_on_settles_later(
    last: int, settled: int, expected: WrittenKill | None
) -> None:
    source = SourceText("light.smv", LIGHT.format(last=last, settled=settled))
    at = source.content.index("TRUE : lit")
    edit = TextEdit(Span(at, at + 4), "FALSE")
    steps = [{"asked": asked, "lit": False} for asked in (0, 1, 2)]

    language = LANGUAGES["nusmv"]
    found = replayed(language, source, edit, Choices(tuple(steps), loop=2), killed_by=("glows",))
    assert found is expected
    original = TextEdit(Span(at, at + 4), "TRUE")
    found = replayed(
        language, source, original, Choices(tuple(steps), loop=2), killed_by=("glows",)
    )
    assert found is WrittenKill.CONTRADICTED


def test_every_kill_of_the_examples_is_seen_in_its_text(tmp_path: Path) -> None:
    ended = report(tmp_path / "beverage", "--no-cache", EXAMPLES / "beverage.smv")
    assert 2 == ended.code
    (file,) = read(tmp_path / "beverage")["files"]
    assert [] == file["kills"]["contradicted"]


def test_what_one_execution_cannot_show_is_known() -> None:
    path = EXAMPLES / "mutex.smv"
    language = next(one for one in LANGUAGES if ".smv" in one.suffixes)
    text = SourceText(path.name, path.read_text(encoding="utf-8"))
    program = language.elaborate(language.parse(text)).program
    assert program is not None
    assert shown_by_executions(program) == {"exclusion", "leaves"}


TAGGED_LUSTRE = """\
type pair = struct { part : bool; rest : int };
-- @req HEAD
node main(x: int) returns (y: int; ok: bool);  -- @req SIGNATURE
var
  -- @req DECLARED
  p, q : bool;
  r : pair;
let
  -- @req MODEL
  y = if x > 0 then x else 0;
  -- @req P1, P2.
  -- which are about y, as
  (* @req P3 says *)

  p = y >= 0
    and -- @req P4
    y >= x;
  q = y > -1;  -- @req Q1
  /* @req OK1 */ ok = y + 1 > 0;
  -- @req R1
  r = pair { part = true; rest = y };
  --%PROPERTY p;
  --%PROPERTY q; /* @req OK2 */ --%PROPERTY ok; -- @req OK3
  -- @req R2
  --%PROPERTY r.part;
  -- @req P1
  --%MAIN;
tel;
"""
TAGGED_SMV = """\
MODULE cell(a)
VAR b : boolean;  -- @req DECLARED
ASSIGN init(b) := FALSE; next(b) := a;
DEFINE
  -- @req S1
  seen := b | !b;
INVARSPEC seen  -- @req S2
-- @req B1
INVARSPEC b -> TRUE
FAIRNESS TRUE -- @req FAIR
MODULE main
VAR x : 0..3; one : cell(x = 0); two : cell(x = 1);
ASSIGN init(x) := 0; next(x) := case x < 3 : x + 1; TRUE : 0; esac;
/-- @req
 @req N1 --/
INVARSPEC NAME named :=
  x <= 3  -- @req N2
LTLSPEC  -- @req L1
  G (x = 0 -> F x = 3) -- @req L2
INVARSPEC x >= 0;
-- @req LAST
"""


@pytest.mark.parametrize(
    ("suffix", "text", "bound", "unbound"),
    [
        (
            ".lus",
            TAGGED_LUSTRE,
            {
                "main.p": ("P1", "P2", "P3", "P4"),
                "main.q": ("Q1",),
                "main.ok": ("OK1", "OK2", "OK3"),
                "main.r.part": ("R1", "R2"),
            },
            ["HEAD", "SIGNATURE", "DECLARED", "MODEL", "P1"],
        ),
        (
            ".smv",
            TAGGED_SMV,
            {
                "main.named": ("N1", "N2"),
                "main.G (x = 0 -> F x = 3)": ("L1", "L2"),
                "main.seen IN one": ("S1", "S2"),
                "main.b -> TRUE IN one": ("B1",),
                "main.seen IN two": ("S1", "S2"),
                "main.b -> TRUE IN two": ("B1",),
            },
            ["DECLARED", "FAIR", "LAST"],
        ),
    ],
)
def test_tags_belong_to_the_property_at_which_they_stand(
    suffix: str, text: str, bound: dict[str, tuple[str, ...]], unbound: list[str]
) -> None:
    language = next(one for one in LANGUAGES if suffix in one.suffixes)
    elaborated = language.elaborate(language.parse(SourceText(f"m{suffix}", text)))
    assert elaborated.program is not None
    found = tagged(elaborated, language)

    assert {key: set(ids) for key, ids in bound.items()} == {
        key: set(ids) for key, ids in found.of_properties.items()
    }
    assert unbound == [name for name, _ in found.unbound]
    for name, offset in found.unbound:
        assert re.match(rf"@req {name}\b", text[offset:])
    assert [one for one in unbound if one != "P1"] == list(found.without_property)


def test_a_tag_that_counts_for_nothing_is_told_with_its_place(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(MODEL.replace("  y = if", "  -- @req SYS-3\n  y = if"), encoding="utf-8")
    report(tmp_path / "evidence", model)

    (file,) = read(tmp_path / "evidence")["files"]
    assert ["SYS-9"] == file["requirements"]["withoutProperty"]
    for note, place in zip(file["notes"], ("3:6 @req SYS-3", "11:4 @req SYS-9"), strict=True):
        assert place.replace(" ", ": ", 1) in note
    page = (tmp_path / "evidence" / "evidence.html").read_text(encoding="utf-8")
    assert "@req SYS-9 counts for no property" in page


def test_a_note_on_the_model_is_in_a_page_once(tmp_path: Path) -> None:
    note = "no dead end, proved: the assertions always let executions go on"
    model = tmp_path / "model.lus"
    model.write_text(MODEL.replace("let\n", "let\n  assert x < 100;\n"), encoding="utf-8")
    report(tmp_path / "evidence", model)
    assert 1 == (tmp_path / "evidence" / "evidence.html").read_text(encoding="utf-8").count(note)
    for command in ("prove", "core", "mutate"):
        assert 1 == mutproof(command, model, "--format", "html").out.count(f"<p>{note}")


def test_what_was_not_analysed_is_told(tmp_path: Path) -> None:
    (tmp_path / "broken.lus").write_text("node main(", encoding="utf-8")
    folder = tmp_path / "evidence"
    broken, absent = tmp_path / "broken.lus", tmp_path / "absent.lus"
    ended = report(folder, EXAMPLES / "demo2.lus", broken, absent)

    assert 1 == ended.code
    assert f"open points, 2 files not analysed; the evidence is in {folder}\n" in ended.err
    found = read(folder)
    for path in (broken, absent):
        assert f"{path}: it was not analysed, and its problems say why." in found["limits"]
    assert {str(EXAMPLES / "demo2.lus"), str(broken)} == set(found["identification"]["files"])
    page = (folder / "evidence.html").read_text(encoding="utf-8")
    assert 2 == page.count("not analysed</td>")
