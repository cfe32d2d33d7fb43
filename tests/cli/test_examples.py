"""The examples of the first paper: its figures, in the formats a user sees."""

from __future__ import annotations

import json
import re
from collections import Counter
from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

DEMO2 = (EXAMPLES / "demo2.lus").read_text()
PLACES = {
    "6:3": 5,
    "6:11": 2,
    "6:13": 1,
    "7:3": 5,
    "7:7": 3,
    "7:12": 3,
    "7:19": 2,
    "7:21": 1,
}
MORE = (
    "Prop2 = (a1 > 0) => (b = a1);",
    "Prop3 = (a2 < 0) => (b = a1);",
    "Prop4 = ((a1 <= 0) and (a2 >= 0)) => (b = a2);",
)
FIGURE_5 = """\
SURVIVED at 6:3 equal_true
KILLED at 6:3 equal_false by [Prop2]
KILLED at 6:3 equation_remove by [Prop2]
SURVIVED at 6:3 init_true
KILLED at 6:3 init_false by [Prop2]
SURVIVED at 6:11 g2ge
KILLED at 6:11 g2l by [Prop2]
KILLED at 6:13 constant by [Prop2]
KILLED at 7:3 init_-1 by [Prop1, Prop2]
KILLED at 7:3 equal_5 by [Prop1, Prop2]
KILLED at 7:3 equal_-2 by [Prop1, Prop2]
KILLED at 7:3 equation_remove by [Prop1, Prop2]
KILLED at 7:3 init_5 by [Prop1, Prop2]
SURVIVED at 7:7 ifthen
KILLED at 7:7 ifelsethen by [Prop2]
KILLED at 7:7 ifelse by [Prop2]
SURVIVED at 7:12 or2left
KILLED at 7:12 or2right by [Prop2]
KILLED at 7:12 or2xor by [Prop2]
SURVIVED at 7:19 l2g
SURVIVED at 7:19 l2le
SURVIVED at 7:21 constant
"""


def demo2(folder: Path, properties: int) -> Path:
    """Write demo2 with its first properties; the places of the design stay where they are."""
    names = ", ".join(f"Prop{number}" for number in range(1, properties + 1))
    text = DEMO2.replace("(Prop1 : bool;", f"({names} : bool;")
    lines = "".join(f"  {line}\n" for line in MORE[: properties - 1])
    lines += "".join(f"  --%PROPERTY Prop{n};\n" for n in range(2, properties + 1))
    path = folder / "demo2.lus"
    path.write_text(text.replace("tel;", f"{lines}tel;"))
    return path


def mutant_lines(out: str) -> list[str]:
    """Return the lines on mutants as far as Figure 5 has them."""
    pattern = r"^((?:KILLED|SURVIVED|UNKNOWN|STILLBORN|IGNORED) at \d+:\d+ \S+(?: by \[[^]]*\])?)"
    return re.findall(pattern, out, re.M)


@pytest.mark.parametrize(("properties", "killed"), [(1, 5), (2, 14), (3, 16), (4, 22)])
def test_demo2_has_the_mutants_and_kills_of_the_paper(
    tmp_path: Path, properties: int, killed: int
) -> None:
    path = demo2(tmp_path, properties)
    ended = mutproof("mutate", path, "--level", "paper")

    lines = mutant_lines(ended.out)
    assert Counter(PLACES) == Counter(line.split()[2] for line in lines)
    verdicts = Counter(line.split()[0] for line in lines)
    assert Counter({"KILLED": killed, "SURVIVED": 22 - killed}) == +verdicts
    assert f"22 mutants: {killed} killed, {22 - killed} survived, 0 unknown" in ended.out
    assert ended.code == (2 if killed < 22 else 0)


def test_demo2_with_two_properties_gives_figure_5(tmp_path: Path) -> None:
    ended = mutproof("mutate", demo2(tmp_path, 2), "--level", "paper")

    assert sorted(FIGURE_5.splitlines()) == sorted(mutant_lines(ended.out))


def test_the_demo_itself_has_22_mutants_of_which_5_are_killed() -> None:
    ended = mutproof("mutate", EXAMPLES / "demo2.lus", "--level", "paper", "--stats")

    assert ended.code == 2
    assert "22 mutants: 5 killed, 17 survived, 0 unknown, 0 stillborn, 0 ignored" in ended.out
    assert "score 5/22 = 22.7 %" in ended.out
    assert re.search(r"^solver calls +\d+$", ended.out, re.M)
    assert re.search(r"^refused by checks +0$", ended.out, re.M)


def test_mutants_stand_below_their_elements_survivors_first(tmp_path: Path) -> None:
    ended = mutproof("mutate", demo2(tmp_path, 2), "--level", "paper")
    (_, *d), (_, *b) = (
        [line.split()[:3] for line in part.splitlines()]
        for part in re.split(r"^(?=[db] at )", ended.out, flags=re.M)[1:]
    )
    of_d, of_b = mutants_in(d), mutants_in(b)

    assert "\nd at 6:3, 5 of 8 killed\nSURVIVED at " in ended.out
    assert "\nb at 7:3, 9 of 14 killed\nSURVIVED at " in ended.out
    assert (8, 14) == (len(of_d), len(of_b))
    for mutants in (of_d, of_b):
        assert mutants == sorted(mutants, key=lambda one: (one[0] == "KILLED", one[1:]))


def mutants_in(words: list[list[str]]) -> list[tuple[str, int, int]]:
    """Return verdict, line and column of each mutant among lines by their first words."""
    return [
        (line[0], *map(int, line[2].split(":")))  # type: ignore[misc]
        for line in words
        if line and line[0] in {"KILLED", "SURVIVED"}
    ]


def test_prove_gives_one_object_for_one_file() -> None:
    ended = mutproof("prove", EXAMPLES / "demo.lus", "--format", "json")

    assert ended.code == 0
    report = json.loads(ended.out)
    assert report["file"] == str(EXAMPLES / "demo.lus")
    (found,) = report["properties"]
    assert (found["name"], found["line"], found["column"]) == ("Prop1", 11, 15)
    assert found["verdict"] == "proved"
    assert found["trace"] is None
    assert found["seconds"] >= 0


def test_demo_has_a_core_of_two_equations_and_one_must_element() -> None:
    report = json.loads(mutproof("core", EXAMPLES / "demo.lus", "--format", "json").out)

    (found,) = report["properties"]
    core = [element["name"] for element in found["ivc"]]
    assert core in (["L1", "L2"], ["L1", "L3"])
    assert [element["name"] for element in found["must"]] == ["L1"]
    assert found["must"] == [{"name": "L1", "line": 5, "column": 3}]


def test_core_marks_must_and_may() -> None:
    ended = mutproof("core", EXAMPLES / "demo.lus")

    assert ended.code == 0
    assert re.search(r"INDUCTIVE VALIDITY CORE: L1, L[23]$", ended.out, re.M)
    assert re.search(r"^5:3 +L1 +MUST$", ended.out, re.M)
    assert re.search(r"^8:3 +L4 +-$", ended.out, re.M)


FALSE = """\
node counter (reset : bool) returns (ok : bool);
var n : int;
let
  n = 0 -> if reset then 0 else pre n + 1;
  ok = n < 3;
  --%PROPERTY ok;
tel;
"""


def test_a_falsified_property_comes_with_its_trace(tmp_path: Path) -> None:
    path = tmp_path / "counter.lus"
    path.write_text(FALSE)
    ended = mutproof("prove", path)

    assert ended.code == 40
    assert f"FALSIFIED ok ({path}:6:15)" in ended.out
    assert re.search(r"^  step +0 +1 +2 +3$", ended.out, re.M)
    assert re.search(r"^  n +0 +1 +2 +3$", ended.out, re.M)
    report = json.loads(mutproof("prove", path, "--format", "json").out)
    (found,) = report["properties"]
    assert found["verdict"] == "falsified"
    assert found["k"] == found["trace"]["length"] == 4
    assert found["trace"]["inputs"] == ["reset"]
    assert found["trace"]["values"]["n"] == [0, 1, 2, 3]
    assert found["trace"]["values"]["ok"] == [True, True, True, False]


def test_mutate_says_which_property_is_not_proved(tmp_path: Path) -> None:
    path = tmp_path / "counter.lus"
    path.write_text(FALSE)
    ended = mutproof("mutate", path)

    assert ended.code == 4
    assert "not proved on the unmutated model, so taking no part: ok (falsified)" in ended.err


def test_several_files_give_one_report(tmp_path: Path) -> None:
    (tmp_path / "a.lus").write_text(FALSE)
    (tmp_path / "b").mkdir()
    (tmp_path / "b" / "c.lus").write_text(DEMO2)
    ended = mutproof("prove", ".", "--format", "json", cwd=tmp_path)

    assert ended.code == 40
    files = [report["file"] for report in json.loads(ended.out)]
    assert files == ["./a.lus", "./b/c.lus"]


def test_the_same_model_gives_the_same_bytes() -> None:
    arguments = ("mutate", EXAMPLES / "demo2.lus", "--format", "json", "--no-timings")

    assert mutproof(*arguments).out == mutproof(*arguments, "--jobs", "1").out


def test_steps_that_depend_on_what_was_decided_before_are_left_out_without_times() -> None:
    def killed(*words: str) -> list[tuple[bool, bool]]:
        ended = mutproof("mutate", EXAMPLES / "demo2.lus", "--format", "json", *words)
        (file,) = json.loads(ended.out)["files"].values()
        found = [mutant for mutant in file["mutants"] if mutant["killedBy"]]
        return [(bool(m["mutproof"]["steps"]), " at step " in m["statusReason"]) for m in found]

    assert {(True, True)} == set(killed()) == set(killed("--no-timings", "--stats"))
    assert {(False, False)} == set(killed("--no-timings"))


NESTED = """\
node sub (x : int) returns (y : int);
var q : bool;
let
  y = 0 -> pre y + x;
  q = y < 100;
  --%PROPERTY q;
tel;
type pair = struct { u : int; v : real };
node main (a : int[2]; w : real) returns (z : pair; ok : bool);
let
  z = pair { u = sub(a[1]); v = w };
  ok = z.v < 10.0;
  --%PROPERTY ok;
tel;
"""


def test_traces_show_parts_and_the_insides_of_calls(tmp_path: Path) -> None:
    path = tmp_path / "nested.lus"
    path.write_text(NESTED)
    ended = mutproof("prove", path)
    blocks = re.split(r"^(?=FALSIFIED)", ended.out, flags=re.M)[1:]
    names = [[line.split()[0] for line in re.findall("^  (.*)$", b, re.M)] for b in blocks]

    assert names == [
        ["step", "a[0]", "a[1]", "w", "sub@z.q", "sub@z.y", "sub@z.x"],
        ["step", "a[0]", "a[1]", "w", "ok", "z.u", "z.v"],
    ]
