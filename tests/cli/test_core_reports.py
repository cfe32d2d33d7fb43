"""The command `core` as a user runs it: cores, MUST and MAY as text, JSON and HTML."""

from __future__ import annotations

import json
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import pytest
from process import Ended, mutproof

from support.lustre_texts import HOLD

LIMITED = """\
node inner(x : int) returns (y : int);
let
  y = x;
tel;
node main(a : int; b : bool) returns (y, z : int; low, same : bool);
var limit : int;
let
  limit = 3;
  y = inner(if b then a else 0);
  z = inner(a);
  low = y <= limit or a > 3;
  same = y = a or y = 0;
  --%PROPERTY low;
  --%PROPERTY same;
  --%MAIN;
tel;
"""


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "two_ways.lus"
    path.write_text(HOLD)
    return path


def core(model: Path, *arguments: str) -> Ended:
    ended = mutproof("core", *arguments, "--no-timings", "--no-progress", model.name,
                     cwd=model.parent)  # fmt: skip
    assert ended.code == 0
    return ended


def as_json(model: Path, *arguments: str) -> Any:
    return json.loads(core(model, "--format", "json", *arguments).out)


def places(elements: list[dict[str, Any]]) -> list[str]:
    return [f"{e['name'].split('#')[0]} {e['line']}:{e['column']}" for e in elements]


def test_the_matrix_says_what_must_and_what_may_be(model: Path) -> None:
    lines = core(model, "--all").out.splitlines()

    assert "  2 minimal cores, complete" in lines
    assert "  CORE 1 (3): hold.y, u, w" in lines
    assert "  MUST: hold.y, w" in lines
    rows = [line.split() for line in lines if line[:1].isdigit()]
    assert [
        ["3:3", "hold.y", "MUST", "-"],
        ["9:3", "u", "MAY", "-"],
        ["10:3", "v", "MAY", "-"],
        ["11:3", "w", "MUST", "MUST"],
    ] == rows[:4]
    assert ["MAY", "-"] == rows[4][2:]
    assert lines[-1] == "MUST: in every core; MAY: in some core; -: in no core"


def test_the_two_halves_of_an_assignment_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "stays.smv"
    path.write_text(
        "MODULE main\nVAR a : boolean;\nASSIGN init(a) := TRUE; next(a) := a;\nINVARSPEC a;\n"
    )

    assert "  MUST: init(a), next(a)" in core(path, "--all").out.splitlines()


def test_json_holds_all_cores_with_places(model: Path) -> None:
    found = as_json(model, "--all")
    first, second = found["properties"]

    cores = first["cores"]
    assert {"complete", "minimal", "smallest", "reason", "must", "may", "cores"} == set(cores)
    assert [
        ["hold.y 3:3", "u 9:3", "w 11:3"],
        ["hold.y 3:3", "v 10:3", "w 11:3", "assert 14:3"],
    ] == [places(one) for one in cores["cores"]]
    assert cores["complete"]
    assert ["w 11:3"] == places(second["cores"]["must"])
    by_name = {row["name"]: row for row in found["elements"]}
    assert ["p", "q"] == by_name["w"]["must"]
    assert ["p"] == by_name["u"]["may"]


def test_a_core_that_is_not_known_is_not_an_empty_one(tmp_path: Path) -> None:
    path = tmp_path / "paths.smv"
    path.write_text(
        "MODULE main\nVAR a : boolean; c : 0..3;\n"
        "ASSIGN init(c) := 0; next(c) := (c + 1) mod 4;\n"
        "SPEC EF a;\nINVARSPEC c <= 3;\nINVARSPEC c < 3;\n"
    )
    ended = mutproof("prove", "--format", "json", str(path))
    exists, bounded, fails = json.loads(ended.out)["properties"]

    assert [None, [], None] == [found["ivc"] for found in (exists, bounded, fails)]
    assert [None, [], None] == [found["must"] for found in (exists, bounded, fails)]


def test_what_a_limit_leaves_open_is_said(model: Path) -> None:
    cores = as_json(model, "--all", "--limit", "1")["properties"][0]["cores"]

    assert not cores["complete"]
    assert cores["reason"] == "as many cores as asked for"
    assert len(cores["cores"]) == 1


def test_a_smallest_core_need_not_be_the_only_one(model: Path) -> None:
    cores = as_json(model, "--minimum")["properties"][0]["cores"]

    assert cores["smallest"]
    assert ["hold.y 3:3", "u 9:3", "w 11:3"] == places(cores["cores"][0])


def test_by_instances_arguments_are_where_the_call_is(model: Path) -> None:
    cores = as_json(model, "--all", "--granularity", "instance")["properties"][0]["cores"]

    assert ["hold@w.y 3:3", "w 11:3", "hold@w.x 11:3"] == sorted(
        places(cores["must"]), key=lambda place: (place.split()[1] != "3:3", len(place))
    )


MODULES = """\
MODULE counter(step, limit)
VAR n : 0..7;
DEFINE full := n = limit;
ASSIGN
  init(n) := 0;
  next(n) := full | !step | n = 7 ? n : n + 1;
MODULE main
VAR
  go : boolean;
  first : counter(go, 3);
  second : counter(first.full, 5);
  third : counter(go, 6);
INVARSPEC NAME order := second.n > 0 -> first.full;
"""


def test_instances_of_modules_are_told_apart_and_those_in_no_core_are_listed(
    tmp_path: Path,
) -> None:
    (tmp_path / "modules.smv").write_text(MODULES)
    whole = core(tmp_path / "modules.smv").out.splitlines()
    apart = core(tmp_path / "modules.smv", "--granularity", "instance").out.splitlines()

    assert any(line.endswith(" core 3/3") for line in whole)
    assert any(line.endswith(" core 4/9") for line in apart)
    assert [
        ["3:8", "first.full", "MUST"],
        ["3:8", "second.full", "-"],
        ["3:8", "third.full", "-"],
        ["5:3", "init(first.n)", "-"],
        ["5:3", "init(second.n)", "MUST"],
        ["5:3", "init(third.n)", "-"],
        ["6:3", "next(first.n)", "MUST"],
        ["6:3", "next(second.n)", "MUST"],
        ["6:3", "next(third.n)", "-"],
    ] == [line.split() for line in apart[-10:-1]]


class Page(HTMLParser):
    """Collect what a page refers to, and check that its elements nest."""

    EMPTY = frozenset({"meta"})

    def __init__(self) -> None:
        super().__init__()
        self.open: list[str] = []
        self.met: list[str] = []
        self.attributes: list[tuple[str, str | None]] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.met.append(tag)
        self.attributes.extend(attrs)
        if tag not in self.EMPTY:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag


def test_cores_are_parts_of_the_design_and_what_else_is_in_a_core(tmp_path: Path) -> None:
    path = tmp_path / "limited.lus"
    path.write_text(LIMITED)

    said = [line.rpartition(", ")[2] for line in core(path).out.splitlines() if " k = " in line]
    assert ["core 3/4", "core 2/4"] == said
    by_instance = core(path, "--granularity", "instance").out.splitlines()
    said = [line.rpartition(", ")[2] for line in by_instance if " k = " in line]
    assert ["core 4/7", "core 3/7"] == said


def test_the_page_needs_nothing_else_and_can_be_read_aloud(model: Path) -> None:
    text = core(model, "--all", "--format", "html").out
    page = Page()
    page.feed(text)

    assert page.open == []
    assert ("lang", "en") in page.attributes
    assert ("scope", "row") in page.attributes
    assert {"title", "h1", "main", "table", "caption", "th"} <= set(page.met)
    assert not {"script", "link", "img", "iframe"} & set(page.met)
    assert not {"src", "href"} & {name for name, _ in page.attributes}
    assert '<td class="MUST">MUST</td>' in text
    assert "2 minimal cores, complete" in text


def test_an_unknown_granularity_is_a_wrong_usage(model: Path) -> None:
    ended = mutproof("core", "--granularity", "atoms", model)

    assert ended.code == 1
    assert "--granularity" in ended.err


def test_prove_says_how_cores_become_minimal() -> None:
    lift = Path(__file__).parents[2] / "examples" / "lift.smv"
    briefly, wholly = (
        mutproof("prove", *options, "--no-cache", "--no-timings", lift.name, cwd=lift.parent).out
        for options in ([], ["--minimal-core"])
    )
    (note,) = (line for line in briefly.splitlines() if "--minimal-core" in line)
    assert "2 cores may be smaller: --minimal-core goes on until none is" == note
    assert 2 == briefly.count(", not known to be minimal\n")
    assert "minimal" not in wholly


def test_reports_say_what_an_empty_core_means(tmp_path: Path) -> None:
    (tmp_path / "either.lus").write_text(
        "node top(x: int) returns (high, either: bool);\nlet\n"
        "  high = x > 3;\n  either = high or not high;\n  --%PROPERTY either;\ntel;\n"
    )
    proved, cores, mutated = (
        mutproof(command, "--no-cache", "--no-timings", "either.lus", cwd=tmp_path).out
        for command in ("prove", "core", "mutate")
    )
    told = "it holds whatever the elements say"
    assert f"core 0/1, {told}\n" in proved
    assert f"  INDUCTIVE VALIDITY CORE: nothing, {told}\n" in cores
    assert f"INDUCTIVE VALIDITY CORE of either: nothing, {told}\n" in mutated


def test_prove_says_what_may_decide_unknown_properties(tmp_path: Path) -> None:
    (tmp_path / "cubes.lus").write_text(
        "node top(x, y: int) returns (ok: bool);\nvar a: int;\nlet\n"
        "  a = x * x * x -> pre a + y * y * y * y;\n  ok = a * a * a <> 17 * x + 3;\n"
        "  --%PROPERTY ok;\ntel;\n"
    )
    ended = mutproof("prove", "--no-cache", "--rlimit", "1000", "cubes.lus", cwd=tmp_path)
    assert "1 unknown\n" in ended.out
    assert "what is unknown may need more solver units (--rlimit), or a property" in ended.out
    (tmp_path / "far.smv").write_text(
        "MODULE main\nVAR n : integer;\nASSIGN init(n) := 0; next(n) := n + 1;\nCTLSPEC EF n = 4\n"
    )
    ended = mutproof("prove", "--no-cache", "far.smv", cwd=tmp_path)
    assert "1 unknown\n" in ended.out
    assert "what is unknown may need types with bounds, or a property" in ended.out
