"""A worker that is a copy of the command's process."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import psutil
import pytest

from mutproof.base import bootstrap
from mutproof.base.budget import Deadline

ROOT = Path(__file__).resolve().parents[2]
DEMO = ROOT / "examples" / "demo.lus"

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="only Linux copies processes")

CONNECTED = """
import asyncio, os, signal, sys, threading
from mutproof.runtime import forked, lifeline
others = {os.readlink(f"/proc/self/fd/{n}") for n in (0, 1, 2)}
os.dup2(0, 100)
fork = forked.Fork(cache=False)
async def main():
    await fork.connect()
"""
"""The start of a program that has a copy of itself as a worker."""


def said_by(program: str) -> str:
    """Return what a program writes that goes on after `CONNECTED`."""
    done = subprocess.run(
        [sys.executable, "-c", f"{CONNECTED}{program}\nasyncio.run(main())"],
        capture_output=True,
        encoding="utf-8",
        timeout=120,
        check=False,
        env={**os.environ, "PYTHONPATH": str(ROOT / "server")},
    )
    assert "" == done.stderr
    return done.stdout


def test_a_copy_analyses_as_any_other_worker() -> None:
    text = f"""
    from mutproof.analyses.claims.finding import PropertyFinding
    from mutproof.runtime.jobs import Job
    from mutproof.runtime.pool import Pool
    from mutproof.workspace.options import Options
    pool, found = Pool(spare=fork, cache=False), []
    job = Job("demo", "demo", "lustre", open({str(DEMO)!r}).read(), Options(mutate=False))
    ending = await pool.run(job, found.append)
    print(ending.outcome.name, pool.processes == (fork.pid,))
    print(*[one.verdict.name for one in found if isinstance(one, PropertyFinding)])
    await pool.close()
    print(fork.returncode)
    print(*[one for one in sys.modules if one == "z3"])
"""
    assert ["DONE True", "PROVED PROVED", "-9", ""] == said_by(text).splitlines()


def test_a_copy_leads_a_group_and_has_only_streams_of_its_own() -> None:
    text = """
    print(os.getpgid(fork.pid) == fork.pid, fork.returncode)
    while "State:\\tS" not in open(f"/proc/{fork.pid}/status").read():
        await asyncio.sleep(0.01)
    print(open(f"/proc/{fork.pid}/status").read().count("SigBlk:\\t0000000000000000"))
    files = {os.readlink(f"/proc/{fork.pid}/fd/{n}") for n in (0, 1, 2)}
    print(*{name.split(":")[0] for name in files}, len(files & others))
    print(os.path.exists(f"/proc/{fork.pid}/fd/100"))
    lifeline.kill_group(fork.pid)
    print(await fork.wait(), await fork.wait(), fork.returncode)
"""
    assert ["True None", "1", "pipe 0", "False", "-9 -9 -9"] == said_by(text).splitlines()


def test_a_copy_ends_with_its_input() -> None:
    text = """
    fork.stdin.close()
    print(await fork.wait() != 0, await fork.stdout.read(), await fork.stderr.read())
"""
    assert "True b'' b''\n" == said_by(text)


def test_a_process_with_threads_is_not_copied() -> None:
    text = """
    print(forked.is_possible())
    over = threading.Event()
    threading.Thread(target=over.wait).start()
    print(forked.is_possible())
    over.set()
    lifeline.kill_group(fork.pid)
    await fork.wait()
"""
    assert ["True", "False"] == said_by(text).splitlines()


def test_a_copy_does_not_outlive_a_killed_command(tmp_path: Path) -> None:
    command = [sys.executable, "-m", "mutproof", "watch", "--no-cache", str(tmp_path)]
    environment = {**os.environ, "PYTHONPATH": str(ROOT / "server")}
    (tmp_path / "demo.lus").write_bytes(DEMO.read_bytes())
    with subprocess.Popen(
        command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as process:
        deadline, workers = Deadline.after(60), list[psutil.Process]()
        while not workers:
            assert not deadline.passed()
            workers = psutil.Process(process.pid).children()
        line = workers[0].cmdline()
        process.kill()
        _, left = psutil.wait_procs(workers, timeout=20)
    assert [] == left
    assert command == line
    assert bootstrap.command("mutproof.runtime.child")[-1] not in line
