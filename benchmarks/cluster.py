"""What agents of a cluster are worth: two against one, and with agents that are killed.

A command of its own: `python benchmarks/cluster.py FILE… [--kill-every 5]`. Each agent has one
worker, so that two take as much of this machine as two processors are.
"""

from __future__ import annotations

import argparse
import contextlib
import os
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

SCHEDULER = """
import asyncio, sys
from distributed import Scheduler

async def main():
    async with Scheduler(host="127.0.0.1", port=0, dashboard=False) as scheduler:
        print(scheduler.address, flush=True)
        await asyncio.to_thread(sys.stdin.read)

asyncio.run(main())
"""
COMMAND = (sys.executable, "-m", "mutproof")
REPORT = ("--no-timings", "--no-cache", "--no-progress", "--quiet", "--format", "json", "--output")


def main() -> int:
    """Run the files on one machine, one agent, two agents, and two that are killed in turn."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("files", nargs="+")
    parser.add_argument("--level", default="default")
    parser.add_argument("--kill-every", type=float, default=0.0, metavar="S")
    options = parser.parse_args()
    with tempfile.TemporaryDirectory(prefix="mutproof-cluster-") as name, scheduler() as address:
        folder = Path(name)
        asked = (*COMMAND, "mutate", *options.files, "--level", options.level, *REPORT)

        def timed(label: str, *more: str) -> float:
            begun, before = time.monotonic(), cpu()
            report = folder / f"{label}.json"
            code = subprocess.run([*asked, str(report), *more], check=False).returncode
            seconds = time.monotonic() - begun
            same = report.read_bytes() == (folder / "one machine.json").read_bytes()
            print(f"{label:20} {seconds:7.1f} s  client {cpu() - before:6.1f} s of CPU  exit code"
                  f" {code}  {'same bytes' if same else 'OTHER BYTES'}", flush=True)  # fmt: skip
            return seconds

        timed("one machine", "--jobs", "1")
        far = ("--cluster", address)
        with agents(address, folder, 1):
            one = timed("one agent", *far)
        with agents(address, folder, 2):
            two = timed("two agents", *far)
        print(f"efficiency of two agents: {one / (2 * two):.0%}")
        if options.kill_every:
            with agents(address, folder, 2, options.kill_every) as killed:
                hurt = timed("agents killed", *far)
            print(f"{len(killed)} agents killed, {hurt / two - 1:+.0%} of time")
    return 0


def cpu() -> float:
    """Return the seconds of CPU of all processes that have ended."""
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


@contextlib.contextmanager
def scheduler() -> Iterator[str]:
    """Provide a scheduler; return its address."""
    pipe = subprocess.PIPE
    with subprocess.Popen(
        [sys.executable, "-c", SCHEDULER], stdin=pipe, stdout=pipe, stderr=subprocess.DEVNULL
    ) as process:
        assert process.stdin is not None
        assert process.stdout is not None
        yield process.stdout.readline().decode().strip()
        process.stdin.close()


@contextlib.contextmanager
def agents(address: str, folder: Path, count: int, kill_s: float = 0.0) -> Iterator[list[int]]:
    """Provide agents that know nothing; return those killed, one of them each so many seconds."""
    kept = folder / "kept"
    shutil.rmtree(kept, ignore_errors=True)
    environment = {**os.environ, "MUTPROOF_CACHE_DIR": str(kept)}

    def start() -> subprocess.Popen[bytes]:
        process = subprocess.Popen(
            [*COMMAND, "agent", address, "--jobs", "1"], env=environment, stderr=subprocess.PIPE
        )
        assert process.stderr is not None
        process.stderr.readline()  # it serves
        return process

    alive = [start() for _ in range(count)]
    killed: list[int] = []
    ended = threading.Event()
    killer = threading.Thread(target=_killing, args=(alive, start, killed, ended, kill_s))
    if kill_s:
        killer.start()
    try:
        yield killed
    finally:
        ended.set()
        if kill_s:
            killer.join()
        for process in alive:
            process.terminate()
        for process in alive:
            process.wait()


def _killing(
    alive: list[subprocess.Popen[bytes]],
    start: Callable[[], subprocess.Popen[bytes]],
    killed: list[int],
    ended: threading.Event,
    kill_s: float,
) -> None:
    while not ended.wait(kill_s):
        number = len(killed) % len(alive)
        alive[number].send_signal(signal.SIGKILL)
        killed.append(alive[number].wait())
        alive[number] = start()


if __name__ == "__main__":
    sys.exit(main())
