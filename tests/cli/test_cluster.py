"""Runs on the agents of a Dask scheduler: the report of a run on one machine, whatever dies."""

from __future__ import annotations

import asyncio
import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import threading
import time
from argparse import Namespace
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import psutil
import pytest
from process import EXAMPLES, command, environment, mutproof

from mutproof.cli.clusters import INSTALL, joined
from mutproof.cli.commands.agent import run as serve
from mutproof.cli.failure import UserError
from mutproof.cli.runner import Stop

QUIET = ("--no-progress", "--no-timings", "--no-cache", "--format", "json")
ALL = (EXAMPLES / "demo2.lus", EXAMPLES / "clock.smv", EXAMPLES / "demo.lus", "--level", "all")
START_S = 60
LIVES_S = 2.5
KILLED = 6
"""How many agents are killed: Dask gives a job up that four have died of, and we begin it anew."""

SCHEDULER = """
import asyncio, sys
from distributed import Scheduler

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""


def test_without_dask_it_is_said_how_to_install_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "distributed", None)
    address = "tcp://127.0.0.1:1"
    unused: Any = None

    async def joining() -> None:
        async with joined(address, Stop(), unused, cache=False):
            pass

    def serving() -> None:
        serve(Namespace(address=address, jobs=1, memory=None))

    for asks in (serving, lambda: asyncio.run(joining())):
        with pytest.raises(UserError, match="Dask is not installed") as raised:
            asks()
        assert ("no-cluster", True) == (raised.value.code, INSTALL in raised.value.way_out)


def text_of(process: subprocess.Popen[str], pattern: str) -> str:
    """Return what a line of a process says that comes soon."""
    stream = process.stderr or process.stdout
    assert stream is not None
    for line in stream:
        if found := re.search(pattern, line):
            return found[1]
    pytest.fail(f"no {pattern} in what it says")


@contextlib.contextmanager
def started_scheduler() -> Iterator[tuple[str, subprocess.Popen[str]]]:
    """Start a scheduler that nobody serves yet; return its address too."""
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    ) as process:
        yield text_of(process, r"(tcp://\S+)"), process
        process.kill()


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """Return the address of a scheduler for all tests."""
    with started_scheduler() as (address, _):
        yield address


def agent(scheduler: str, folder: Path) -> subprocess.Popen[str]:
    """Start an agent with one worker."""
    return subprocess.Popen(
        command("agent", scheduler, "--jobs", "1"),
        env=environment(MUTPROOF_CACHE_DIR=str(folder)),
        stderr=subprocess.PIPE,
        text=True,
    )


def descendants(process: subprocess.Popen[str]) -> list[psutil.Process]:
    """Return the processes that a process has started."""
    with contextlib.suppress(psutil.NoSuchProcess):
        return psutil.Process(process.pid).children(recursive=True)
    return []


@contextlib.contextmanager
def agents(scheduler: str, folder: Path, count: int) -> Iterator[list[subprocess.Popen[str]]]:
    """Start agents; at the end nothing of them is left."""
    started = [agent(scheduler, folder) for _ in range(count)]
    try:
        for each in started:
            assert text_of(each, "with (1 worker) at")
        yield started
    finally:
        children = [child for each in started for child in descendants(each)]
        for each in started:
            each.terminate()
        for each in started:
            assert each.wait(START_S) in {143, -signal.SIGKILL}
            assert each.stderr is not None
            each.stderr.close()
        _, alive = psutil.wait_procs(children, timeout=START_S)
        assert alive == []


def test_agents_report_what_one_machine_reports(scheduler: str, tmp_path: Path) -> None:
    with agents(scheduler, tmp_path, 2):
        far = mutproof("mutate", *ALL, *QUIET, "--cluster", scheduler)
        again = mutproof("mutate", *ALL, *QUIET[:-1], "concise", "--cluster", scheduler)
    near = mutproof("mutate", *ALL, *QUIET, "--jobs", "1")
    assert (near.code, near.out) == (far.code, far.out)
    assert again.out == mutproof("mutate", *ALL, *QUIET[:-1], "concise").out


def test_the_report_is_the_same_when_agents_are_killed(scheduler: str, tmp_path: Path) -> None:
    near = mutproof("mutate", *ALL, *QUIET, "--jobs", "1")
    dead: list[int] = []

    def kill(alive: list[subprocess.Popen[str]]) -> None:
        for number in range(KILLED):
            time.sleep(LIVES_S)
            victim = alive[number % len(alive)]
            children = descendants(victim)
            os.kill(victim.pid, signal.SIGKILL)
            dead.append(victim.wait())
            assert victim.stderr is not None
            victim.stderr.close()
            alive[number % len(alive)] = agent(scheduler, tmp_path)
            _, left = psutil.wait_procs(children, timeout=START_S)
            assert left == []

    with agents(scheduler, tmp_path, 2) as alive:
        killer = threading.Thread(target=kill, args=(alive,))
        killer.start()
        far = []
        while killer.is_alive():
            far.append(mutproof("mutate", *ALL, *QUIET, "--cluster", scheduler))
        killer.join()
    assert [(near.code, near.out)] * len(far) == [(each.code, each.out) for each in far]
    assert [-signal.SIGKILL] * KILLED == dead


def test_a_run_waits_for_agents_and_is_interrupted(scheduler: str) -> None:
    asked = command("mutate", *ALL, *QUIET, "--cluster", scheduler)
    with subprocess.Popen(
        asked, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    ) as run:
        assert text_of(run, "(waiting for agents at)")
        run.send_signal(signal.SIGINT)
        assert 130 == run.wait(START_S)


def test_a_run_whose_scheduler_is_lost_reports_the_rest_as_unknown(tmp_path: Path) -> None:
    # More files than agents take at a time, and one of them takes longer than anybody waits.
    slow = tmp_path / "slow.lus"
    slow.write_text(
        "node main(x, y, z: int) returns (OK: bool);\n"
        "let OK = x <= 0 or y <= 0 or z <= 0 or x * x * x + y * y * y <> z * z * z;\n"
        "  --%PROPERTY OK;\ntel;\n"
    )
    models = [slow, *ALL[:3]]
    with started_scheduler() as (address, process):
        served = agent(address, tmp_path / "kept")
        assert text_of(served, "with (1 worker) at")
        asked = command("mutate", *models, *QUIET[:3], "--format", "json", "--level", "all",
                        "--cluster", address)  # fmt: skip
        with subprocess.Popen(
            asked, env=environment(), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
        ) as run:
            while len(descendants(served)) < 1:
                time.sleep(0.1)
            time.sleep(1.0)
            process.kill()
            out, err = run.communicate(timeout=START_S)
        assert 1 == served.wait(START_S)
        assert served.stderr is not None
        assert "is gone" in served.stderr.read()
        served.stderr.close()
    assert "Traceback" not in err
    assert "ERROR" not in err
    assert f"{slow}: error[solver-crash]: the scheduler of the cluster is gone" in err
    assert run.returncode in {3, 4}  # unknown, or nothing is proved any more
    files = json.loads(out)["files"]
    assert len(models) == len(files)


@pytest.mark.parametrize("address", ["tcp://127.0.0.1:9", "tls://127.0.0.1:9", "nonsense"])
def test_without_a_scheduler_it_says_how_to_start_one(address: str) -> None:
    for asked in (("mutate", *ALL, "--cluster", address), ("agent", address)):
        ended = mutproof(*asked)
        assert (1, "") == (ended.code, ended.out)
        assert "error[no-cluster]" in ended.err
        assert "dask scheduler" in ended.err


@pytest.mark.parametrize("more", [("--certify", "x"), ("--jobs", "2"), ("--memory", "900")])
def test_what_is_not_for_a_cluster_is_said(more: tuple[str, str]) -> None:
    ended = mutproof("mutate", *ALL, "--cluster", "tcp://127.0.0.1:9", *more)
    assert f"{more[0]} is not for a cluster" in ended.err
