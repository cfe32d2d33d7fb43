"""Workers: what they answer, how they are given up, what happens when they die."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyFinding
from mutproof.model.program import ElementId
from mutproof.runtime import messages
from mutproof.runtime.jobs import Job, JobOutcome
from mutproof.runtime.messages import Ended
from mutproof.runtime.output import Output
from mutproof.runtime.pool import AHEAD_CHARACTERS, Pool
from mutproof.runtime.process import start
from mutproof.workspace.events import Progress
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

TOY = str(Path(__file__).with_name("toy.py"))
MODEL = "x = a > b;\ny = x > c;\nprove y;\n"


@pytest.fixture
async def pool():
    made = Pool((sys.executable, TOY))
    yield made
    processes = made.processes
    await made.close()
    assert not any(psutil.pid_exists(process) for process in processes)


def job(text: str, key: str = "file") -> Job:
    return Job(key, key, "toy", text, Options())


class Heard(list):
    """Collects what a run reports and lets a test wait for the first of a kind."""

    def __init__(self) -> None:
        super().__init__()
        self.news = asyncio.Condition()
        self.waiting: list[tuple[type, asyncio.Event]] = []

    def __call__(self, message: object) -> None:
        self.append(message)
        for kind, event in self.waiting:
            if isinstance(message, kind):
                event.set()

    async def first(self, kind: type) -> None:
        event = asyncio.Event()
        self.waiting.append((kind, event))
        if not any(isinstance(message, kind) for message in self):
            await asyncio.wait_for(event.wait(), 20)

    async def count(self, kind: type, number: int) -> None:
        while len(self.all(kind)) < number:
            await asyncio.sleep(0.01)

    def all(self, kind: type) -> list:
        return [message for message in self if isinstance(message, kind)]


async def test_a_job_gives_its_listing_first_and_then_every_verdict(pool):
    heard = Heard()
    ending = await pool.run(job(MODEL), heard)
    assert ending.outcome is JobOutcome.DONE
    assert isinstance(heard[0], Listing)
    assert len(heard.all(PropertyFinding)) == 1
    assert len(heard.all(MutantFinding)) == 4


async def test_a_file_keeps_its_worker(pool):
    await pool.run(job(MODEL), Heard())
    before = pool.processes
    await pool.run(job(MODEL + "\n"), Heard())
    assert before == pool.processes


async def test_a_text_with_errors_has_no_program(pool):
    ending = await pool.run(job("what is this?"), Heard())
    assert ending.outcome is JobOutcome.NO_PROGRAM


async def test_a_cancelled_job_ends_and_its_worker_lives(pool):
    heard = Heard()
    running = asyncio.create_task(pool.run(job("-- slow\n" + MODEL), heard))
    await heard.first(PropertyFinding)
    (process,) = pool.processes
    assert pool.cancel("file")
    ending = await asyncio.wait_for(running, 5)
    assert ending.outcome is JobOutcome.CANCELLED
    assert pool.processes == (process,)


async def test_what_is_looked_at_is_decided_first(pool):
    heard = Heard()
    y, x = (frozenset({ElementId("main", "equation", name)}) for name in "yx")
    asked = replace(job("-- attend\n" + MODEL), attention=y)
    running = asyncio.create_task(pool.run(asked, heard))
    await heard.count(MutantFinding, 2)
    assert [name[0] for name in decided(heard)] == ["y", "y"]

    pool.attend("file", x)

    ending = await asyncio.wait_for(running, 20)
    assert ending.outcome is JobOutcome.DONE
    assert [name[0] for name in decided(heard)] == ["y", "y", "x", "x"]


async def test_a_worker_that_is_started_again_knows_what_is_looked_at(pool):
    heard = Heard()
    running = asyncio.create_task(pool.run(job("-- attend\n" + MODEL), heard))
    await heard.first(PropertyFinding)
    pool.attend("file", frozenset({ElementId("main", "equation", "y")}))
    await heard.count(MutantFinding, 2)
    (process,) = pool.processes

    os.kill(process, signal.SIGKILL)

    await heard.count(MutantFinding, 4)
    assert [name[0] for name in decided(heard)] == ["y"] * 4
    pool.cancel("file")
    await asyncio.wait_for(running, 5)


async def test_to_look_at_what_is_not_analysed_changes_nothing(pool):
    pool.attend("file", frozenset({ElementId("main", "equation", "y")}))
    ending = await pool.run(job(MODEL), Heard())
    assert ending.outcome is JobOutcome.DONE


async def test_a_worker_that_comes_after_its_file_was_forgotten_ends(pool):
    running = asyncio.create_task(pool.run(job(MODEL), Heard()))
    await asyncio.sleep(0)  # its worker is being started
    pool.forget("file")
    assert JobOutcome.CANCELLED is (await running).outcome
    async with asyncio.timeout(20):
        while pool.processes:
            await asyncio.sleep(0.01)


async def test_what_was_found_out_is_kept_when_all_is_said(pool, tmp_path):
    kept = tmp_path / "kept"
    ending = await pool.run(job(f"-- keep {kept}\n" + MODEL), Heard())
    assert ending.outcome is JobOutcome.DONE
    assert not kept.exists()
    await pool.close()
    assert kept.exists()
    assert not pool.processes


async def test_who_opens_a_file_again_finds_what_was_kept(pool, tmp_path):
    kept = tmp_path / "kept"
    await pool.run(job(f"-- keep {kept}\n" + MODEL), Heard())
    pool.forget("file")
    heard = Heard()
    running = asyncio.create_task(pool.run(job(MODEL), heard))
    await heard.first(Listing)
    assert kept.exists()
    await running


async def test_a_worker_that_does_not_end_is_killed_with_all_others(pool):
    await pool.run(job(MODEL), Heard())
    (process,) = pool.processes
    os.kill(process, signal.SIGSTOP)
    closing = asyncio.create_task(pool.close())
    await asyncio.sleep(0.1)
    assert psutil.pid_exists(process)
    pool.kill_all()
    await asyncio.wait_for(closing, 5)
    assert not psutil.pid_exists(process)


async def test_no_worker_is_started_for_who_waits_when_all_ends(pool, tmp_path):
    kept = tmp_path / "kept"
    await pool.run(job(f"-- keep {kept}\n" + MODEL), Heard())
    pool.forget("file")
    again = asyncio.create_task(pool.run(job(MODEL), Heard()))
    await asyncio.sleep(0)
    await pool.close()
    assert (await again).outcome is JobOutcome.CANCELLED
    assert not pool.processes


def test_how_far_a_stage_is_is_said_now_and_then():
    source, sink = os.pipe()
    with os.fdopen(source, "rb") as reader, os.fdopen(sink, "wb", buffering=0) as writer:
        output = Output(writer)
        said = [MutantFinding(str(n), MutantStatus.KILLED, ("p",), {"p": 0}) for n in range(40)]
        output.tell(1, Progress("prove", 0, 2))
        output.tell(1, Progress("prove", 1, 2))
        output.tell(1, Progress("prove", 2, 2))
        for number, finding in enumerate(said):
            output.tell(1, finding)
            output.tell(1, Progress("mutate", number + 1, len(said)))
        output.tell(2, Progress("mutate", 0, 2))
        output.send(Ended(2, "done"))
        heard = []
        while not heard or not isinstance(heard[-1], Ended):
            length = messages.body_length(reader.read(messages.LENGTH_BYTES))
            heard.append(messages.unframe(reader.read(length)))
    events = [(message.request, message.event) for message in heard[:-1]]
    progress = [(r, event) for r, event in events if isinstance(event, Progress)]
    assert [event for _, event in events if isinstance(event, MutantFinding)] == said
    assert progress[0] == (1, Progress("prove", 0, 2))
    assert (1, Progress("prove", 2, 2)) in progress
    assert (1, Progress("mutate", len(said), len(said))) in progress
    assert progress[-1] == (2, Progress("mutate", 0, 2))
    assert len(progress) < len(said)


def decided(heard: Heard) -> list[str]:
    return [finding.mutant for finding in heard.all(MutantFinding)]


async def test_a_worker_that_ignores_cancellation_is_killed_within_a_second(pool):
    heard = Heard()
    running = asyncio.create_task(pool.run(job("-- deaf\n" + MODEL), heard))
    await heard.first(PropertyFinding)
    (process,) = pool.processes
    pool.cancel("file")
    ending = await asyncio.wait_for(running, 1.5)
    assert ending.outcome is JobOutcome.CANCELLED
    assert not psutil.pid_exists(process)
    again = await pool.run(job(MODEL), Heard())
    assert again.outcome is JobOutcome.DONE


async def test_a_worker_that_dies_once_costs_a_retry(pool, tmp_path):
    heard = Heard()
    flag = tmp_path / "crashed"
    ending = await pool.run(job(f"-- crash once {flag}\n" + MODEL), heard)
    assert ending.outcome is JobOutcome.DONE
    assert len(heard.all(Listing)) == 2


async def test_a_worker_that_always_dies_is_given_up(pool):
    heard = Heard()
    ending = await pool.run(job("-- crash\n" + MODEL), heard)
    assert ending.outcome is JobOutcome.CRASHED
    assert (await pool.run(job(MODEL), Heard())).outcome is JobOutcome.DONE


async def test_a_worker_that_dies_of_what_it_recalls_is_followed_by_one_that_recalls_nothing(
    tmp_path, monkeypatch
):
    script = tmp_path / "mortal.py"
    script.write_text(
        "import os, runpy\n"
        "if os.environ['MUTPROOF_CACHE_DIR']:\n    os._exit(1)\n"
        f"runpy.run_path({TOY!r}, run_name='__main__')\n"
    )
    monkeypatch.setenv("MUTPROOF_CACHE_DIR", str(tmp_path / "kept"))
    pool = Pool((sys.executable, str(script)))
    try:
        assert (await pool.run(job(MODEL), Heard())).outcome is JobOutcome.DONE
    finally:
        await pool.close()


async def test_a_worker_killed_from_outside_is_replaced(pool):
    heard = Heard()
    running = asyncio.create_task(pool.run(job("-- slow\n" + MODEL), heard))
    await heard.first(PropertyFinding)
    heard.clear()
    os.kill(pool.processes[0], signal.SIGKILL)
    await heard.first(PropertyFinding)
    pool.cancel("file")
    assert (await running).outcome is JobOutcome.CANCELLED


async def test_workers_beyond_the_limit_replace_the_ones_unused_longest():
    pool = Pool((sys.executable, TOY), max_alive=2)
    for key in "abc":
        await pool.run(job(MODEL, key), Heard())
    assert len(pool.processes) == 2
    await pool.close()


async def test_a_worker_that_was_prepared_serves_the_first_file(pool):
    pool.prepare()
    pool.prepare()
    while not pool.processes:
        await asyncio.sleep(0.01)
    prepared = pool.processes

    await pool.run(job(MODEL), Heard())

    assert len(prepared) == 1
    assert pool.processes == prepared
    await pool.run(job(MODEL, "other"), Heard())
    assert len(pool.processes) == 2


async def test_a_worker_that_was_started_already_serves_the_first_file():
    spare = await start((sys.executable, TOY))
    pool = Pool((sys.executable, TOY), spare=spare)
    try:
        await pool.run(job(MODEL), Heard())
        assert pool.processes == (spare.pid,)
    finally:
        await pool.close()


async def test_a_text_that_was_expected_is_analysed_by_the_same_worker(pool):
    await pool.expect(job(MODEL))
    expecting = pool.processes
    heard = Heard()

    ending = await pool.run(job(MODEL), heard)

    assert ending.outcome is JobOutcome.DONE
    assert len(heard.all(MutantFinding)) == 4
    assert pool.processes == expecting


async def test_what_cannot_be_read_in_advance_is_told_when_it_is_asked_for(pool):
    await pool.expect(job("what is this?"))
    assert (await pool.run(job("what is this?"), Heard())).outcome is JobOutcome.NO_PROGRAM


async def test_nothing_long_is_read_in_advance(pool):
    await pool.expect(job("-" * (AHEAD_CHARACTERS + 1)))
    assert pool.processes == ()


async def test_a_worker_that_nobody_needed_ends_with_the_pool():
    pool = Pool((sys.executable, TOY))
    pool.prepare()
    await pool.close()
    assert pool.processes == ()
    made = [child for child in psutil.Process().children() if TOY in child.cmdline()]
    assert made == []


async def test_a_prepared_worker_that_died_is_replaced(pool):
    pool.prepare()
    while not pool.processes:
        await asyncio.sleep(0.01)
    psutil.Process(pool.processes[0]).kill()

    ending = await pool.run(job(MODEL), Heard())

    assert ending.outcome is JobOutcome.DONE


@pytest.mark.skipif(sys.platform != "linux", reason="Linux says how much memory a process has")
async def test_a_worker_that_takes_too_much_memory_is_ended_and_replaced(tmp_path):
    script = tmp_path / "greedy.py"
    script.write_text(
        f"import runpy\nheld = b'x' * (400 << 20)\nrunpy.run_path({TOY!r}, run_name='__main__')\n"
    )
    pool = Pool((sys.executable, str(script)), most_bytes=300 << 20)
    try:
        ending = await pool.run(job("-- slow\n" + MODEL), Heard())
        assert (JobOutcome.EXHAUSTED, "out of memory: more than 300 MiB") == (
            ending.outcome, ending.message
        )  # fmt: skip
        pool.most_bytes = 1 << 40
        assert (await pool.run(job(MODEL), Heard())).outcome is JobOutcome.DONE
    finally:
        await pool.close()
