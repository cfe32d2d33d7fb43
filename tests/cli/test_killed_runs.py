"""A run that was killed goes on where it was, and reports what a run reports that was not."""

from __future__ import annotations

import random
import re
import shutil
import signal
import subprocess
import sys
import time
from functools import partial
from pathlib import Path

import psutil
import pytest
from process import EXAMPLES, command, environment, mutproof

from mutproof.analyses.claims.finding import Origin
from mutproof.base.store import SUFFIX
from mutproof.runtime import checkpoints

DEMO2 = EXAMPLES / "demo2.lus"
CLOCK = EXAMPLES / "clock.smv"

DOOMED = """
import io, os, signal, sys
from pathlib import Path
from mutproof.base import store
from mutproof.base.text import SourceText
from mutproof.runtime import checkpoints, child
from mutproof.runtime.inbox import Inbox
from mutproof.runtime.messages import Analyse
from mutproof.runtime.output import Output
from mutproof.workspace.options import Options
from mutproof.workspace import sources

checkpoints.EVERY_S, checkpoints.REST = -1.0, 0  # every finding is kept
name, point, left = sys.argv[1], sys.argv[2], int(sys.argv[3])

def step():
    global left
    left -= 1
    if left == 0:
        os.kill(os.getpid(), signal.SIGKILL)

class Doomed(Output):
    def tell(self, request, event):
        super().tell(request, event)
        if point == "finding" and type(event).__name__ == "MutantFinding":
            step()

if point == "writing":
    real = os.replace
    def replace(*places):
        step()
        real(*places)
    os.replace = replace

inbox = Inbox()
options = Options(mutate=True)
language = sources.language_of(name).name
inbox.put(Analyse(1, name, name, language, Path(name).read_text(), options))
child.solve(inbox, Doomed(io.BytesIO()), child.real_engine())
"""


def killed(model: Path, folder: Path, point: str, number: int) -> None:
    """Analyse a model until the worker kills itself, at the numbered finding or writing."""
    ended = subprocess.run(
        [sys.executable, "-c", DOOMED, str(model), point, str(number)],
        env=environment(MUTPROOF_CACHE_DIR=str(folder)),
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )
    assert -signal.SIGKILL == ended.returncode, ended.stderr
    assert "" == ended.stderr


def report(model: Path, folder: Path | None, *arguments: str) -> str:
    quiet = ("--no-progress", "--no-timings", *arguments)
    ended = mutproof("mutate", model, *quiet, MUTPROOF_CACHE_DIR=str(folder or ""))
    assert ended.code in (0, 2), ended.err
    return ended.out


def kept(model: Path, folder: Path) -> int:
    found = re.search(r"^kept +(\d+)$", report(model, folder, "--stats"), re.MULTILINE)
    assert found is not None
    return int(found[1])


@pytest.mark.parametrize("model", [DEMO2, CLOCK], ids=lambda model: model.name)
def test_a_run_killed_again_and_again_reports_the_same(model: Path, tmp_path: Path) -> None:
    whole = report(model, None, "--format", "json")
    chance = random.Random(model.name)
    for _ in range(5):
        killed(model, tmp_path / "kept", "finding", chance.randint(2, 6))
    assert [*(tmp_path / "kept").rglob(f"*{SUFFIX}")]
    shutil.copytree(tmp_path / "kept", tmp_path / "copy")
    assert 0 < kept(model, tmp_path / "copy")
    assert whole == report(model, tmp_path / "kept", "--format", "json")


def test_what_is_on_record_is_not_stored_again(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(checkpoints, "EVERY_S", -1.0)
    monkeypatch.setattr(checkpoints, "REST", 0)
    kept: list[Origin] = []
    run = checkpoints.Checkpoints()
    run.begin(lambda: kept.append(origin))
    for origin in (Origin.KEPT, Origin.DECIDED, Origin.KEPT):
        run.found(origin)

    assert [Origin.DECIDED] == kept


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    """Return the seconds on the clock of checkpoints, which come every 2 s and cost a twentieth."""
    found = [100.0]
    monkeypatch.setattr(checkpoints, "EVERY_S", 2.0)
    monkeypatch.setattr(checkpoints, "REST", 20)
    monkeypatch.setattr(checkpoints.time, "monotonic", lambda: found[0])
    return found


def test_the_next_run_rests_as_long_as_this_one_before_it_stores_what_it_found(
    now: list[float],
) -> None:
    kept = [0.0]

    def keep() -> None:
        kept.append(now[0])
        now[0] += 0.5

    run = checkpoints.Checkpoints()
    for _ in range(2):
        run.begin(keep)
        for _ in range(11):
            now[0] += 1.25
            run.found(Origin.DECIDED)

    assert [102.5, 113.0, 124.75] == kept[1:]


def test_what_storing_the_last_run_took_counts_in_the_next_one(
    now: list[float],
) -> None:
    kept = [0.0]

    def store(seconds: float) -> bool:
        now[0] += seconds
        return seconds > 0

    run = checkpoints.Checkpoints()
    for seconds in (0.5, 0.0):  # nothing new was found the second time
        run.store(partial(store, seconds))
    run.begin(lambda: kept.append(now[0]))
    for _ in range(11):
        now[0] += 1.0
        run.found(Origin.DECIDED)

    assert [110.5] == kept[1:]


def test_a_run_says_how_much_it_resumed(tmp_path: Path) -> None:
    kept = {"MUTPROOF_CACHE_DIR": str(tmp_path)}
    killed(DEMO2, tmp_path, "finding", 6)
    said = [mutproof("mutate", DEMO2, "--resume", **kept).err for _ in range(2)]

    first, again = (re.search(r"^resumed: (\d+) of 14 mutants recalled$", one) for one in said)
    assert first is not None
    assert again is not None
    assert 0 < int(first[1]) < int(again[1]) == 14


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (("--no-cache",), "--no-cache decides all anew"),
        (("--certify", "folder"), "--certify decides all anew"),
        ((), "nothing is kept: MUTPROOF_CACHE_DIR is empty"),
    ],
)
def test_nothing_is_resumed_where_nothing_is_kept(words: tuple[str, ...], why: str) -> None:
    ended = mutproof("mutate", DEMO2, "--resume", *words, MUTPROOF_CACHE_DIR="")

    assert (1, "") == (ended.code, ended.out)
    assert "error[usage]" in ended.err
    assert why in ended.err


def test_a_command_killed_with_all_its_workers_goes_on(tmp_path: Path) -> None:
    models = [DEMO2, CLOCK, EXAMPLES / "traffic_light.smv"]
    asked = ("mutate", *models, "--level", "all", "--no-progress", "--no-timings", "--jobs", "2")
    whole = mutproof(*asked, MUTPROOF_CACHE_DIR="")
    chance, kept = random.Random(1), environment(MUTPROOF_CACHE_DIR=str(tmp_path))
    ended = []
    for _ in range(10):
        with subprocess.Popen(
            command(*asked), env=kept, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        ) as run:
            time.sleep(chance.uniform(0.5, 3.0))
            workers = psutil.Process(run.pid).children(recursive=True)  # none, if it has ended
            run.kill()
            ended.append(run.wait())
            _, left = psutil.wait_procs(workers, timeout=20)
            assert [] == left
    assert -signal.SIGKILL in ended
    again = mutproof(*asked, MUTPROOF_CACHE_DIR=str(tmp_path))
    assert (whole.code, whole.out) == (again.code, again.out)


@pytest.mark.parametrize("number", [1, 2, 3, 6])
def test_death_while_something_is_kept_loses_only_that(number: int, tmp_path: Path) -> None:
    killed(DEMO2, tmp_path, "writing", number)
    assert report(DEMO2, None) == report(DEMO2, tmp_path)
