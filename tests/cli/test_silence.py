"""What could pass for success without a word is put in words, in every format."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from process import mutproof

ONLY_STATED = (
    "node main(x: bool) returns (p: bool);\nlet p = x or not x; --%PROPERTY p;\ntel;\n",
    "there is nothing to mutate: all equations state properties or are read by these only",
)
NOTHING_FITS = (
    "node main(x: bool) returns (y, p: bool);\nlet y = x; p = y or not x; --%PROPERTY p;\ntel;\n",
    "there is nothing to mutate: the operator does not fit the only element of the design",
)


@pytest.mark.parametrize(("text", "expected"), [ONLY_STATED, NOTHING_FITS])
@pytest.mark.parametrize("form", ["text", "json"])
@pytest.mark.parametrize("command", ["mutate", "equivalent"])
def test_nothing_to_mutate_is_said(
    tmp_path: Path, text: str, expected: str, form: str, command: str
) -> None:
    (tmp_path / "model.lus").write_text(text)
    options = ["--no-cache", "--quiet", "--jobs", "1", "--operators", "g2ge", "--format", form]
    ended = mutproof(command, "model.lus", *options, cwd=tmp_path)

    assert 0 == ended.code
    assert expected in ended.out


def test_a_node_that_only_a_property_calls_is_mutated(tmp_path: Path) -> None:
    (tmp_path / "model.lus").write_text(
        "node counter(x: bool) returns (n: int);\n"
        "let n = (if x then 1 else 0) + (0 -> pre n); tel;\n"
        "node main(x: bool) returns (p: bool);\n"
        "let p = counter(x) >= -1; --%PROPERTY p;\ntel;\n"
    )
    ended = mutproof(
        "mutate", "model.lus", "--no-cache", "--jobs", "1", "--format", "json", cwd=tmp_path
    )

    assert 2 == ended.code
    (file,) = json.loads(ended.out)["files"].values()
    assert {2} == {mutant["mutproof"]["place"]["line"] for mutant in file["mutants"]}


@pytest.mark.parametrize("form", ["text", "json"])
def test_a_counterexample_shows_the_values_of_functions(tmp_path: Path, form: str) -> None:
    (tmp_path / "model.lus").write_text(
        "function f(x: int; b: bool) returns (y: int);\n"
        "node main(x: int; b: bool) returns (y: int; p: bool);\n"
        "let y = f(x, b); p = y <> 10; --%PROPERTY p;\ntel;\n"
    )
    options = ["--no-cache", "--jobs", "1", "--format", form]
    ended = mutproof("prove", "model.lus", *options, cwd=tmp_path)

    assert 40 == ended.code
    if form == "json":
        (stated,) = json.loads(ended.out)["properties"]
        assert 10 in [row["value"] for row in stated["trace"]["functions"]]
    else:
        assert "f(" in ended.out


@pytest.mark.parametrize("form", ["text", "json", "html"])
def test_an_end_of_executions_is_shown(tmp_path: Path, form: str) -> None:
    (tmp_path / "model.lus").write_text(
        "node main(x: bool) returns (c: bool; p: bool);\n"
        "let c = x -> pre x; assert not (false -> c); p = c or not c; --%PROPERTY p;\ntel;\n"
    )
    options = ["--no-cache", "--jobs", "1", "--format", form]
    command = "core" if form == "html" else "prove"
    ended = mutproof(command, "model.lus", *options, cwd=tmp_path)

    assert 0 == ended.code
    assert "no input satisfies the assertions" in ended.out
    assert "warning[dead-end]" in ended.err
    if form == "json":
        (fault,) = json.loads(ended.out)["model"]
        assert fault["trace"]["length"] == len(fault["trace"]["values"]["x"])
        assert fault["trace"]["values"]["x"][-1]


@pytest.mark.parametrize("form", ["text", "json"])
def test_an_end_of_states_is_shown_by_variables_of_the_model(tmp_path: Path, form: str) -> None:
    (tmp_path / "model.smv").write_text(
        "MODULE main\nVAR x : 0..3;\nINIT x = 0\n"
        "TRANS next(x) = x + 1 | x = 0 & next(x) = 0\nINVARSPEC next(x) >= x\n"
    )
    ended = mutproof("prove", "model.smv", "--no-cache", "--format", form, cwd=tmp_path)

    assert "has no successor" in ended.out
    assert "?step" not in ended.out


TRAPS = """\
node main(x: int; g: bool) returns (y: int; p, q: bool);
var a: int[3]; n: int;
let
  a = [x, x + 1, x + 2];
  n = 0 -> if g then pre n + 1 else pre n;
  y = a[n];
  p = y >= x; --%PROPERTY p;
  q = pre x < 5 or g; --%PROPERTY q;
tel;
"""


@pytest.mark.parametrize("command", ["prove", "mutate"])
def test_traps_are_shown_with_their_places_and_executions(tmp_path: Path, command: str) -> None:
    (tmp_path / "model.lus").write_text(TRAPS)
    options = ["--no-cache", "--jobs", "1"]
    text = mutproof(command, "model.lus", *options, cwd=tmp_path)
    told = mutproof(command, "model.lus", *options, "--format", "json", cwd=tmp_path)

    assert "model.lus:6:9: warning[out-of-bounds]: an index is outside" in text.err
    assert "model.lus:8:7: warning[arbitrary-first-value]: `q` depends on" in text.err
    assert ["n", "0", "1", "2", "3"] in [line.split() for line in text.out.splitlines()]
    report = json.loads(told.out)
    model = report["model"] if command == "prove" else report["mutproof"]["model"]["model.lus"]
    assert [
        ("out-of-bounds", 6, 9, [0, 1, 2, 3]),
        ("arbitrary-first-value", 8, 7, [0]),
    ] == [
        (fault["fault"], fault["line"], fault["column"], fault["trace"]["values"]["n"])
        for fault in model
    ]
