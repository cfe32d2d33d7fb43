"""Reading keeps to the time of a file, ends with the user's patience, and waits for nobody."""

from __future__ import annotations

import asyncio
import json
import os
import signal
import socket
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from process import EXAMPLES, ROOT, environment, mutproof

from mutproof.base import giving_way
from mutproof.cli import inputs
from mutproof.model.sorts import EnumSort
from mutproof.runtime import aside, files

DEMO = EXAMPLES / "demo.lus"
NEVER = """
import sys, threading
from mutproof.cli import inputs
def understood(_):
    sys.stderr.write("reading\\n")
    sys.stderr.flush()
    threading.Event().wait()
inputs.understood = understood
"""
posix = pytest.mark.skipif(sys.platform == "win32", reason="POSIX files and signals")


@pytest.mark.parametrize("kind", ["prove", "core", "mutate", "equivalent"])
def test_a_file_that_is_not_read_in_time_is_said_to_be_unknown(kind: str):
    ended = mutproof(kind, DEMO, "--file-timeout", "0.1", "--no-cache", before=NEVER)
    assert 30 == ended.code
    assert "error[out-of-time]: not read within 0.1 seconds" in ended.err
    assert "Traceback" not in ended.err


def test_a_report_has_the_file_that_is_not_read_in_time():
    ended = mutproof(
        "prove", DEMO, "--file-timeout", "0.1", "--format", "json", "--no-cache", before=NEVER
    )
    found = json.loads(ended.out)
    assert "out-of-time" in json.dumps(found)
    assert 30 == ended.code


def test_a_comparison_ends_where_a_model_is_not_read_in_time():
    never = NEVER + "inputs.read = understood\n"
    ended = mutproof("equivalent", DEMO, DEMO, "--file-timeout", "0.1", before=never)
    assert 3 == ended.code
    assert "error[out-of-time]" in ended.err


def test_a_comparison_keeps_to_the_time_of_a_file():
    never = "from mutproof.analyses.equivalence import comparison\nimport threading\n"
    never += "comparison.compare = lambda *_: threading.Event().wait()\n"
    ended = mutproof("equivalent", DEMO, DEMO, "--file-timeout", "3", before=never)
    assert 3 == ended.code
    assert "out of time (3 s)" in ended.out


def signalled(before: str, number: int, *words: str, within: int) -> tuple[int, str]:
    """Return how a command ends, and its errors, that gets a signal once it says it reads.

    It must end `within` some seconds.
    """
    program = f"{before}\nfrom mutproof.cli.main import run\nrun()"
    with subprocess.Popen(
        [sys.executable, "-c", program, *words, "--no-cache"],
        cwd=ROOT,
        env=environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        encoding="utf-8",
    ) as process:
        assert process.stderr is not None
        try:
            while "reading" not in process.stderr.readline():
                pass
            process.send_signal(number)
            _, errors = process.communicate(timeout=within)
        finally:
            process.kill()
    return process.returncode, errors


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_a_command_that_reads(number: int, code: int):
    ended, errors = signalled(NEVER, number, "prove", str(DEMO), within=30)
    assert code == ended
    assert "Traceback" not in errors


LONG = "MODULE main\nVAR x : boolean;\n" + "INVAR x | !x;\n" * 100_000 + "INVARSPEC x | !x;\n"
TELLING = """
import sys
from mutproof.cli import inputs
real = inputs.understood
def understood(opened):
    sys.stderr.write("reading\\n")
    sys.stderr.flush()
    return real(opened)
inputs.understood = understood
"""


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize("kind", ["prove", "mutate", "equivalent"])
def test_a_signal_ends_the_reading_of_a_long_text(
    tmp_path: Path, kind: str, number: int, code: int
):
    (tmp_path / "long.smv").write_text(LONG)
    ended, errors = signalled(TELLING, number, kind, str(tmp_path / "long.smv"), within=60)
    assert code == ended
    assert "Traceback" not in errors


SOLVING = """
import atexit, sys, time
from mutproof.runtime import jobs
class Stubborn:
    keys = []
    def __init__(self, **_): self.ended = []
    def __getattr__(self, name): return lambda *_: None
    async def expect(self, job): pass
    async def close(self): pass
    async def run(self, job, listener):
        import asyncio
        ended = asyncio.Event()
        self.ended.append(ended)
        sys.stderr.write("reading\\n")
        sys.stderr.flush()
        await ended.wait()
        return jobs.Ending(jobs.JobOutcome.CANCELLED)
    def forget(self, key): [one.set() for one in self.ended]
from mutproof.cli import workforce
workforce.Pool = Stubborn
workforce.Team = lambda pool, *_, **__: pool
atexit.register(time.sleep, 1000)  # as much memory that is given back piece by piece
"""


SOLVING_ALONE = """
import sys, time
from mutproof.runtime import child, sole
child.main = lambda *_: time.sleep(1000)
solve = sole.Sole.run
def told(*arguments):
    sys.stderr.write("reading\\n")
    sys.stderr.flush()
    return solve(*arguments)
sole.Sole.run = told
"""


@posix
@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
@pytest.mark.parametrize(
    ("solving", "files"), [(SOLVING_ALONE, [DEMO]), (SOLVING, [DEMO, EXAMPLES / "demo2.lus"])]
)
def test_a_signal_ends_a_command_whose_worker_does_not_obey(
    solving: str, files: list[Path], number: int, code: int
):
    ended, errors = signalled(solving, number, "prove", *map(str, files), within=30)
    assert code == ended
    assert "Traceback" not in errors


def test_a_command_does_not_wait_for_what_it_has_given_up():
    stubborn = "from mutproof.cli import inputs\nimport atexit, time\n"
    stubborn += "def understood(_):\n"
    stubborn += "    atexit.register(time.sleep, 1000)\n"  # as a thread that keeps the interpreter
    stubborn += "    [None for _ in iter(int, 1)]\n"
    stubborn += "inputs.understood = understood\n"
    ended = mutproof("prove", DEMO, "--file-timeout", "0.1", "--no-cache", before=stubborn)
    assert 30 == ended.code
    assert "error[out-of-time]" in ended.err


@posix
def test_a_second_attempt_has_what_is_left_of_the_time_of_its_file():
    dying = "from mutproof.base.budget import Deadline\nfrom mutproof.cli import alone\n"
    dying += "def died(*_):\n"
    dying += "    raise alone.CrashedError(Deadline.after(0.0), 'killed')\n"
    dying += "alone.analysed = died\n"
    dying += "import time\nfrom mutproof.cli import inputs\nunderstood = inputs.understood\n"
    dying += "def slowly(opened):\n"
    dying += "    time.sleep(3)\n"  # a file that is read at once is read with no time left, too
    dying += "    return understood(opened)\n"
    dying += "inputs.understood = slowly\n"
    ended = mutproof("prove", DEMO, "--file-timeout", "60", "--no-cache", before=dying)
    assert 30 == ended.code
    assert "error[out-of-time]: not read within 60 seconds" in ended.err


def test_integers_of_constant_definitions_do_not_grow_without_bound(tmp_path: Path):
    squares = "".join(f"DEFINE d{i} := d{i - 1} * d{i - 1};\n" for i in range(1, 80))
    model = tmp_path / "squares.smv"
    model.write_text(
        f"MODULE main\nVAR x : boolean;\nDEFINE d0 := 10;\n{squares}INVARSPEC x = x;\n"
    )
    assert inputs.read(str(model)).is_usable


@posix
def test_what_is_no_file_is_refused_and_not_opened(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.lus")
    with socket.socket(socket.AF_UNIX) as listening:
        listening.bind(str(tmp_path / "socket.lus"))
        (tmp_path / "folder.lus").mkdir()
        for name, kind in {
            "pipe.lus": "a pipe",
            "socket.lus": "a socket",
            "folder.lus": "a folder",
        }.items():
            source, (problem,) = files.read(tmp_path / name)
            assert source is None
            assert f"{kind}, not a file: {tmp_path / name}" == problem.message
    source, (problem,) = files.read(Path("/dev/zero"))
    assert "a device, not a file: /dev/zero" == problem.message


def test_watch_ends_where_there_is_nothing_to_watch(tmp_path: Path):
    ended = mutproof("watch", tmp_path / "none.lus")
    assert 1 == ended.code
    assert "error[file-not-found]: nothing to watch" in ended.err


def test_work_that_is_given_up_ends_where_it_gives_way():
    ended = threading.Event()

    def work() -> None:
        try:
            while True:
                giving_way.give_way()
        finally:
            ended.set()

    async def main() -> None:
        with pytest.raises(aside.OutOfTimeError):
            await aside.run(work, asyncio.Event(), 0.0)
        stop = asyncio.Event()
        stop.set()
        with pytest.raises(aside.GivenUpError):
            await aside.run(work, stop, 60.0)

    asyncio.run(main())
    assert ended.wait(60)


def test_what_work_raises_is_raised_and_what_it_returns_returned():
    def fail() -> None:
        raise KeyError("x")

    async def main() -> None:
        assert 5 == await aside.run(lambda: 5, asyncio.Event(), 60.0)
        with pytest.raises(KeyError):
            await aside.run(fail, asyncio.Event(), float("inf"))

    asyncio.run(main())


def test_to_look_up_a_value_does_not_look_at_all_values_of_its_type():
    looked_at = []

    class Name(str):
        def __hash__(self) -> int:
            looked_at.append(str(self))
            return super().__hash__()

        __eq__ = str.__eq__

    sort = EnumSort("t", (Name("a"), Name("b")))
    for _ in range(3):
        hash((sort, "a"))
    assert ["a", "b"] == looked_at
