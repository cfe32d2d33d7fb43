"""`mutproof watch`: only what changed is printed, and only what changed is decided again."""

from __future__ import annotations

import queue
import signal
import subprocess
import sys
import threading
from collections.abc import Iterator
from pathlib import Path

import pytest
from process import EXAMPLES, command, environment

from mutproof.cli.exit_codes import ExitCode

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="Ctrl-C is a POSIX signal here")
DEMO2 = (EXAMPLES / "demo2.lus").read_text()


class Watching:
    """Read the lines of a running `watch` as they come."""

    def __init__(self, path: Path) -> None:
        self.process = subprocess.Popen(
            command("watch", path.name, "--level", "paper", "--no-timings"),
            cwd=path.parent,
            env=environment(PYTHONUNBUFFERED="1"),
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            encoding="utf-8",
        )
        self._lines: queue.Queue[str] = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self) -> None:
        assert self.process.stdout is not None
        for line in self.process.stdout:
            self._lines.put(line.rstrip("\n"))

    def until(self, end: str) -> list[str]:
        """Return the lines up to one that begins with `end`, that one left out."""
        found: list[str] = []
        while True:
            line = self._lines.get(timeout=60)
            if line.startswith(end):
                return found
            found.append(line)

    def rounds(self) -> Iterator[list[str]]:
        """Yield what each round prints."""
        while True:
            yield self.until("watching for changes")


@pytest.fixture
def model(tmp_path: Path) -> Path:
    path = tmp_path / "demo2.lus"
    path.write_text(DEMO2)
    return path


@pytest.fixture
def watching(model: Path) -> Iterator[Watching]:
    made = Watching(model)
    yield made
    made.process.kill()
    made.process.communicate()


def test_a_save_prints_only_what_is_different(model: Path, watching: Watching) -> None:
    rounds = watching.rounds()
    first = next(rounds)
    assert "22 mutants: 5 killed, 17 survived, 0 unknown, 0 stillborn, 0 ignored" in first

    model.write_text("-- moved\n\n" + DEMO2)
    moved = next(rounds)
    assert moved[0] == "demo2.lus: no verdict changed"
    assert "0 decided" in moved[1]

    model.write_text(DEMO2.replace("Prop1 = (b = a1 or b = a2);", "Prop1 = (a1 > 0) => (b = a1);"))
    stronger = next(rounds)
    assert stronger[0] == "demo2.lus:"
    assert "  KILLED at 6:11 g2l by [Prop1]" in [line.split(" (")[0] for line in stronger]
    assert not any("6:11 g2ge" in line for line in stronger)

    model.write_text("node")
    broken = next(rounds)
    assert broken[0].startswith("demo2.lus:1:")

    watching.process.send_signal(signal.SIGINT)
    assert watching.process.wait(timeout=10) == ExitCode.INTERRUPTED


def test_files_that_are_renamed_or_vanish_are_said_and_not_reported_anew(
    tmp_path: Path, model: Path
) -> None:
    folder = tmp_path / "models"
    folder.mkdir()
    kept = model.rename(folder / "kept.lus")
    made = Watching(folder)
    try:
        rounds = made.rounds()
        assert "models/kept.lus" in next(rounds)

        renamed = kept.rename(folder / "renamed.lus")
        said = next(rounds)
        assert said[:2] == [
            "models/kept.lus: now models/renamed.lus",
            "models/renamed.lus: no verdict changed",
        ]
        assert len(said) == 3

        renamed.unlink()
        assert ["models/renamed.lus: gone"] == next(rounds)

        kept.write_text(DEMO2)
        assert "models/renamed.lus: now models/kept.lus" == next(rounds)[0]
    finally:
        made.process.kill()
        made.process.communicate()


def test_a_named_file_that_vanishes_is_said_to_be_gone(model: Path, watching: Watching) -> None:
    rounds = watching.rounds()
    next(rounds)
    model.unlink()
    assert ["demo2.lus: gone"] == next(rounds)

    model.write_text(DEMO2)
    assert "demo2.lus: no verdict changed" == next(rounds)[0]
