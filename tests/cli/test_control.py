"""`mutproof control`: choices as inputs, and what tests kill that way."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from process import EXAMPLES, mutproof

FILL = "button = fill : 2;"
TEA = "TRUE : tea;"


@pytest.fixture(scope="module")
def machine(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a folder with the beverage machine under control, and its suite."""
    folder = tmp_path_factory.mktemp("machine")
    made = mutproof("control", EXAMPLES / "beverage.smv", "-o", folder / "machine.smv")
    assert 0 == made.code, made.err
    ended = mutproof(
        "tests", "machine.smv", "--outputs", "drink", "-o", ".", "--no-timings", cwd=folder
    )
    assert 0 == ended.code, ended.out + ended.err
    return folder


def run(folder: Path, old: str, new: str) -> tuple[int, list[str]]:
    """Return the exit code for a machine that was changed, and the operators that explain it."""
    text = (folder / "machine.smv").read_text()
    assert old in text
    (folder / "changed.smv").write_text(text.replace(old, new))
    words = ("tests", "run", "machine.suite.json", "--against", "changed.smv", "--format", "json")
    ended = mutproof(*words, cwd=folder)
    return ended.code, [one["summary"] for one in json.loads(ended.out)["explaining"]]


def test_the_model_is_not_replaced_by_itself_under_control(tmp_path: Path) -> None:
    model = tmp_path / "beverage.smv"
    model.write_bytes((EXAMPLES / "beverage.smv").read_bytes())
    ended = mutproof("control", model, "-o", model)

    assert (1, "") == (ended.code, ended.out)
    assert "error[output-unwritable]: cannot write " in ended.err
    assert (EXAMPLES / "beverage.smv").read_bytes() == model.read_bytes()


def test_lines_end_as_those_of_the_model(tmp_path: Path) -> None:
    model, controlled = tmp_path / "beverage.smv", tmp_path / "controlled.smv"
    model.write_bytes((EXAMPLES / "beverage.smv").read_bytes().replace(b"\n", b"\r\n"))
    assert 0 == mutproof("control", model, "-o", controlled).code

    assert b"nd_" in controlled.read_bytes()
    assert controlled.read_bytes().count(b"\n") == controlled.read_bytes().count(b"\r\n")


def test_each_choice_is_told_with_its_place(tmp_path: Path) -> None:
    ended = mutproof("control", EXAMPLES / "beverage.smv")

    assert 0 == ended.code
    assert "beverage.smv:15:27: nd_drink stands for {coffee, tea}" in ended.err
    assert "IVAR nd_drink : 0..1; -- for {coffee, tea}" in ended.out
    (tmp_path / "again.smv").write_text(ended.out)
    proved = mutproof("prove", tmp_path / "again.smv")
    assert 0 == proved.code, proved.out


def test_the_machine_passes_its_tests(machine: Path) -> None:
    assert (0, []) == run(machine, FILL, FILL)


def test_a_tank_that_is_filled_by_half_is_noticed(machine: Path) -> None:
    code, explaining = run(machine, FILL, "button = fill : 1;")

    assert 2 == code
    assert any("2" in summary for summary in explaining)


def test_always_coffee_is_noticed_with_control_alone(machine: Path) -> None:
    """Without control it does nothing that the machine cannot do (`test_equivalence_killing`)."""
    assert 2 == run(machine, TEA, "TRUE : coffee;")[0]


def test_reports_say_that_kills_need_control(machine: Path) -> None:
    ended = mutproof("tests", "machine.smv", "--no-timings", cwd=machine)

    assert "kills need control of nd_button, nd_drink" in ended.out


def test_what_is_left_is_told_and_undecided(tmp_path: Path) -> None:
    ended = mutproof("control", EXAMPLES / "mutex.smv")

    assert 3 == ended.code
    assert "left as it is: which process runs is open" in ended.err


def test_lustre_has_nothing_to_control() -> None:
    ended = mutproof("control", EXAMPLES / "demo2.lus")

    assert 1 == ended.code
    assert "error[nothing-to-control]" in ended.err
