"""A second run of the command decides nothing anew, and says what the first one said."""

from __future__ import annotations

import re
import shutil
import subprocess
from pathlib import Path

import pytest
from process import EXAMPLES, Ended, command, environment, mutproof

SUFFIX = ".mutproof"
PLAIN = ("--stats", "--no-timings", "--no-progress")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "kept"


def mutate(folder: Path, *arguments: str | Path) -> Ended:
    return mutproof("mutate", *arguments, *PLAIN, MUTPROOF_CACHE_DIR=str(folder))


def count(ended: Ended, what: str) -> int:
    """Return a number of the statistics."""
    found = re.search(rf"^{what} +(\d+)$", ended.out, re.MULTILINE)
    assert found is not None, ended.out
    return int(found[1])


def verdicts(ended: Ended) -> tuple[int, str]:
    """Return the exit code and the report without what tells where verdicts come from."""
    return ended.code, re.split(r"^(?=verdicts +count)", ended.out, flags=re.MULTILINE)[0]


def check_warm(folder: Path, cold: Ended, *arguments: str | Path) -> None:
    warm = mutate(folder, *arguments)
    assert verdicts(cold) == verdicts(warm)
    assert 0 == count(warm, "decided")
    assert 0 < count(warm, "kept") + count(warm, "replayed")


@pytest.fixture(scope="module")
def first(tmp_path_factory: pytest.TempPathFactory) -> tuple[Path, Ended]:
    """A first run, and the folder it leaves, which tests copy."""
    folder = tmp_path_factory.mktemp("first") / "kept"
    cold = mutate(folder, EXAMPLES / "demo2.lus")
    assert 0 < count(cold, "solver calls")
    return folder, cold


@pytest.fixture
def cold(first: tuple[Path, Ended], folder: Path) -> Ended:
    shutil.copytree(first[0], folder)
    return first[1]


def test_a_second_process_decides_nothing_anew_wherever_the_file_is(
    cold: Ended, folder: Path, tmp_path: Path
) -> None:
    check_warm(folder, cold, EXAMPLES / "demo2.lus")
    text = (EXAMPLES / "demo2.lus").read_text()
    moved = tmp_path / "elsewhere.lus"
    moved.write_text("-- a comment before it all\n" + text)
    warm = mutate(folder, moved)
    assert cold.code == warm.code
    assert 0 == count(warm, "decided")


def test_a_nusmv_model_is_recalled_too(folder: Path) -> None:
    cold = mutate(folder, EXAMPLES / "clock.smv")
    check_warm(folder, cold, EXAMPLES / "clock.smv")


def test_a_damaged_store_changes_nothing_but_the_effort(cold: Ended, folder: Path) -> None:
    entries = list(folder.rglob(f"*{SUFFIX}"))
    assert entries
    for number, entry in enumerate(sorted(entries)):
        data = bytearray(entry.read_bytes())
        data[len(data) // 2] ^= 255
        entry.write_bytes(bytes(data) if number else b"")
    again = mutate(folder, EXAMPLES / "demo2.lus")
    assert verdicts(cold) == verdicts(again)
    assert count(cold, "solver calls") == count(again, "solver calls")


def test_what_is_kept_is_said_to_be_instead_of_having_taken_no_time(folder: Path) -> None:
    words = ("prove", EXAMPLES / "lift.smv", "--property", "served", "--property", "visits")
    cold, warm = (mutproof(*words, MUTPROOF_CACHE_DIR=str(folder)) for _ in range(2))
    times = re.compile(r"^(?:PROVED|FALSIFIED) .*?, ([0-9.]+ s|kept)\b", re.MULTILINE)
    assert ["s", "s"] == [found[-1] for found in times.findall(cold.out)]
    assert ["kept", "kept"] == times.findall(warm.out)


def test_without_a_cache_nothing_is_read_or_written(folder: Path) -> None:
    mutate(folder, EXAMPLES / "demo2.lus", "--no-cache")
    assert not folder.exists()


def test_a_place_that_cannot_be_written_is_no_failure(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("not a folder")
    found = mutate(tmp_path / "file" / "kept", EXAMPLES / "demo2.lus")
    assert 0 < count(found, "solver calls")
    assert "" == found.err


def test_processes_at_the_same_time_say_the_same(folder: Path, tmp_path: Path) -> None:
    shutil.copy(EXAMPLES / "demo2.lus", tmp_path / "model.lus")
    line = command("mutate", tmp_path / "model.lus", "--no-timings", "--no-progress")
    running = [
        subprocess.Popen(
            line,
            env=environment(MUTPROOF_CACHE_DIR=str(folder)),
            stdout=subprocess.PIPE,
            encoding="utf-8",
        )
        for _ in range(2)
    ]
    outputs = {process.communicate(timeout=120)[0] for process in running}
    assert 1 == len(outputs)
    assert 1 == len({process.returncode for process in running})


@pytest.mark.usefixtures("cold")
def test_the_cache_can_be_shown_and_cleared(folder: Path) -> None:
    shown = mutproof("cache", MUTPROOF_CACHE_DIR=str(folder))
    assert str(folder) in shown.out
    assert "kept: 3 entries" in shown.out  # one: digest of sources
    assert 0 == mutproof("cache", "--clear", MUTPROOF_CACHE_DIR=str(folder)).code
    assert not list(folder.rglob(f"*{SUFFIX}"))
    assert "nothing is kept" in mutproof("cache", MUTPROOF_CACHE_DIR="").out
