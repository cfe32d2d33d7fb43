"""`mutproof advise`: what users see of advice, and the exit codes."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

from support.lustre_texts import CONTRADICTING

OVERLAP = (
    "MP3 `hour >= 11` is also true where `hour < 12` is, at step 11; the first counts, and its"
    " value is another"
)
FINE = """\
MODULE main
VAR n : 0..3;
ASSIGN
  init(n) := 0;
  next(n) := (n + 1) mod 4;
INVARSPEC n < 4;
"""


def written(tmp_path: Path, text: str) -> Path:
    model = tmp_path / "model.smv"
    model.write_text(text, encoding="utf-8")
    return model


def test_advice_has_place_name_evidence_and_state() -> None:
    ended = mutproof("advise", EXAMPLES / "clock.smv", "--no-timings", cwd=EXAMPLES)
    assert 2 == ended.code
    assert [
        f"{EXAMPLES / 'clock.smv'}",
        f"{EXAMPLES / 'clock.smv'}:22:7: {OVERLAP} [trace, bdd]",
        "    step 11: hour = 11, hour12 = 11, am_pm = AM",
        "",
        "1 finding, 0 unknown",
    ] == ended.out.splitlines()


def test_a_model_without_faults_needs_no_advice(tmp_path: Path) -> None:
    ended = mutproof("advise", written(tmp_path, FINE), "--no-timings")
    assert (0, "") == (ended.code, ended.err)
    assert "no findings, 0 unknown" in ended.out


def test_a_model_needs_no_property(tmp_path: Path) -> None:
    model = written(tmp_path, FINE.replace("INVARSPEC n < 4;\n", ""))
    ended = mutproof("advise", model, "--select", "mp6", "--no-timings")
    assert (0, "") == (ended.code, ended.err)
    assert 2 == mutproof("advise", model, "--no-timings").code  # nothing reads n


def test_what_is_not_decided_is_said(tmp_path: Path) -> None:
    text = """\
MODULE main
VAR n : integer; m : integer;
ASSIGN
  next(m) := case n * n * n = 2 * m * m * m + 5 & n > 9 : 1; TRUE : m + 1; esac;
"""
    model = written(tmp_path, text)
    ended = mutproof("advise", model, "--select", "MP1", "--rlimit", "1", "--no-timings")
    assert 3 == ended.code
    assert ":4:19: MP1 UNKNOWN perhaps: " in ended.out
    assert "no findings, 1 unknown" in ended.out


def test_without_first_state_that_is_the_finding_and_all_else_is_unknown(tmp_path: Path) -> None:
    model = written(tmp_path, "MODULE main\nVAR p : boolean;\nINIT p;\nINVAR !p;\n")
    ended = mutproof("advise", model, "--no-timings")
    assert 2 == ended.code
    assert f"{model}:1:8: no-initial-state no state satisfies all constraints" in ended.out
    assert "1 finding, 11 unknown" in ended.out


def test_programs_read_advice_as_json() -> None:
    ended = mutproof("advise", EXAMPLES / "clock.smv", "--format", "json", "--select", "MP3,MP1")
    found = json.loads(ended.out)
    (advice,) = found["advice"]
    assert ["MP3", "MP1"] == found["asked"]
    assert ("MP3", "advice-conditions-overlap") == (advice["meta_property"], advice["code"])
    assert (22, 7, 22, 17) == tuple(
        advice[key] for key in ("line", "column", "end_line", "end_column")
    )
    assert ("trace", 11, []) == (advice["evidence"], advice["step"], advice["instances"])
    assert [*range(12)] == advice["trace"]["values"]["hour"]
    assert ([], 0) == (found["unknown"], found["left"])
    assert not any(name.startswith("?") for name in advice["trace"]["values"])


def test_unknown_meta_properties_are_refused() -> None:
    ended = mutproof("advise", EXAMPLES / "clock.smv", "--select", "MP11")
    assert 1 == ended.code
    assert "no meta-property is called 'MP11'" in ended.err


@pytest.mark.parametrize("names", ["conditions-overlap", "advice-conditions-overlap,MP3"])
def test_meta_properties_are_selected_by_the_names_of_their_advice_too(names: str) -> None:
    words = ("advise", EXAMPLES / "clock.smv", "--no-timings", "--select")
    assert mutproof(*words, "MP3").out == mutproof(*words, names).out


def test_a_name_of_advice_that_is_spelled_wrong_is_corrected() -> None:
    ended = mutproof("advise", EXAMPLES / "clock.smv", "--select", "conditions-overlp")
    assert 1 == ended.code
    assert "did you mean `conditions-overlap`" in ended.err


def test_files_have_the_meta_properties_that_their_folders_choose(tmp_path: Path) -> None:
    for name, settings in (("a", "[advise]\nselect = ['mp3']\n"), ("b", "")):
        (tmp_path / name).mkdir()
        (tmp_path / name / "mutproof.toml").write_text(settings, encoding="utf-8")
        (tmp_path / name / "m.smv").write_text(FINE.replace("INVARSPEC n < 4;\n", ""))
    both = (tmp_path / "a" / "m.smv", tmp_path / "b" / "m.smv")
    ended = mutproof("advise", *both, "--no-timings")
    assert 2 == ended.code
    assert ["no findings, 0 unknown", "1 finding, 0 unknown"] == [
        line for line in ended.out.splitlines() if line.endswith("unknown")
    ]


def test_a_list_that_names_nothing_is_refused() -> None:
    ended = mutproof("advise", EXAMPLES / "clock.smv", "--select", ",")
    assert 1 == ended.code
    assert "no meta-property is named" in ended.err


def test_only_the_properties_that_are_asked_for_are_judged(tmp_path: Path) -> None:
    model = written(
        tmp_path, FINE.replace("n < 4;", "NAME low := n < 2;\nINVARSPEC NAME r := n < 3;")
    )
    both = mutproof("advise", model, "--select", "MP9", "--no-timings").out
    one = mutproof("advise", model, "--select", "MP9", "--property", "r", "--no-timings").out
    assert ("2 findings", "1 finding,") == (both.splitlines()[-1][:10], one.splitlines()[-1][:10])


def test_a_falsified_property_is_shown_with_the_variables_that_explain_it(tmp_path: Path) -> None:
    text = FINE.replace("n < 4;", "NAME low := n < 2;").replace("VAR n", "VAR other : boolean; n")
    shown = mutproof("advise", written(tmp_path, text), "--select", "MP9", "--no-timings").out
    assert "    step 2: n = 2" in shown.splitlines()


def test_the_documentation_shows_what_is_printed() -> None:
    ended = mutproof("advise", "examples/clock.smv", "--no-timings")
    shown = "\n".join(ended.out.splitlines()[1:3])
    assert shown in (EXAMPLES.parent / "docs" / "using.md").read_text(encoding="utf-8")


def test_a_meta_property_is_explained() -> None:
    ended = mutproof("explain", "MP1", "advice-conditions-overlap")
    assert 0 == ended.code
    assert "MP1 (meta-property)" in ended.out
    assert "Every condition of a conditional can be true" in ended.out
    assert "advice-conditions-overlap (advice)" in ended.out


def test_no_time_is_no_silence() -> None:
    ended = mutproof("advise", EXAMPLES / "lift.smv", "--file-timeout", "0.01", "--no-timings")
    assert ended.code in {3, 30}
    assert "incomplete" in ended.out or "not read within" in ended.err


def test_a_model_without_executions_is_one_finding(tmp_path: Path) -> None:
    said = "the assertions contradict each other: no execution has more than 1 step"
    model = tmp_path / "model.lus"
    model.write_text(CONTRADICTING, encoding="utf-8")
    ended = mutproof("advise", "--no-timings", model)

    finding, unknown, _, sums = ended.out.splitlines()[1:]
    assert finding == f"{model}:1:6: dead-end {said}"
    assert unknown.startswith(f"{model}:1:1: MP1, MP2, ")
    assert unknown.endswith(
        f"perhaps: the model lacks what is asked for (nothing was asked: {said})"
    )
    assert sums.startswith("1 finding, ")
    assert 2 == ended.code
