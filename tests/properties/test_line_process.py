"""A child that speaks lines answers in time, or is gone."""

from __future__ import annotations

import sys
from pathlib import Path

import psutil
import pytest

from mutproof.analyses.claims.finding import Confirmation
from mutproof.runtime.script_checker import ScriptChecker
from mutproof.solving.line_process import LineProcess

ECHO = "import sys\nfor line in sys.stdin: print(line.upper(), end='', flush=True)"


def child(program: str) -> LineProcess:
    process = LineProcess((sys.executable, "-c", program))
    process.start()
    return process


def check_gone(process: LineProcess, identity: int | None) -> None:
    assert identity is not None
    assert not process.runs
    assert process.process_id is None
    assert not psutil.pid_exists(identity)


def test_a_child_answers_line_by_line_until_it_is_closed() -> None:
    process = child(ECHO)
    identity = process.process_id

    assert ["ONE\n", "TWO\n"] == [process.ask(line, 30) for line in ("one", "two")]
    assert process.runs

    process.close()
    check_gone(process, identity)


def test_a_late_child_is_killed() -> None:
    process = child("import sys; sys.stdin.read()")
    identity = process.process_id

    with pytest.raises(TimeoutError):
        process.ask("one", 0.1)

    check_gone(process, identity)


@pytest.mark.parametrize("program", ["", "import sys; sys.stdin.readline()"])
def test_a_child_that_ends_gives_no_answer(program: str) -> None:
    process = child(program)
    identity = process.process_id

    with pytest.raises(ChildProcessError):
        process.ask("one", 30)

    check_gone(process, identity)
    with pytest.raises(ChildProcessError):
        process.ask("two", 30)


def test_a_script_is_found_from_the_folder_of_the_caller(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "false.smt2").write_text("(assert false)\n(check-sat)\n")
    monkeypatch.chdir(tmp_path)
    checker = ScriptChecker("z3")
    try:
        assert Confirmation.CONFIRMED is checker.check(Path("false.smt2"), 1).confirmation
    finally:
        checker.close()
