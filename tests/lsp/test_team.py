"""Several workers on one file say what one worker says, whatever becomes of one of them."""

from __future__ import annotations

import asyncio
import os
import signal
import sys
from collections.abc import AsyncIterator
from dataclasses import replace
from pathlib import Path

import psutil
import pytest

from mutproof.analyses.claims.finding import (
    LEFT,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.runtime.crew import LOST
from mutproof.runtime.gathering import Gathering
from mutproof.runtime.jobs import Job, JobOutcome
from mutproof.runtime.pool import Ending, Listener, Pool
from mutproof.runtime.team import Team
from mutproof.workspace.events import Attempted, Event, Lent, Progress
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

TOY = str(Path(__file__).with_name("toy.py"))
EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
MODEL = "-- cores\nx = a > b;\ny = x > c;\nz = a > c;\nprove y;\nprove z;\n"


class Heard(list):
    """Collects what a run reports."""

    def all(self, kind: type) -> list:
        return [message for message in self if isinstance(message, kind)]

    @property
    def properties(self) -> dict[str, PropertyFinding]:
        """What was told last of each property."""
        return {found.name: found for found in self.all(PropertyFinding)}

    @property
    def verdicts(self) -> dict[str, object]:
        return {f.mutant: (f.status, f.killed_by) for f in self.all(MutantFinding)}


class Overheard(Pool):
    """A pool that lets a test wait for what single workers say of properties."""

    def __init__(self, command: tuple[str, ...], **limits: int) -> None:
        super().__init__(command, **limits)
        self.proving: asyncio.Queue[str] = asyncio.Queue()

    async def run(self, job: Job, listener: Listener) -> Ending:
        def listen(event: Listing | Event) -> None:
            listener(event)
            if isinstance(event, PropertyFinding):
                self.proving.put_nowait(job.key)

        return await super().run(job, listen)

    async def all_proving(self, count: int) -> None:
        """Wait until that many findings on properties have come."""
        for _ in range(count):
            await asyncio.wait_for(self.proving.get(), 20)


@pytest.fixture
async def pool() -> AsyncIterator[Overheard]:
    made = Overheard((sys.executable, TOY))
    yield made
    processes = made.processes
    await made.close()
    assert not any(psutil.pid_exists(process) for process in processes)


def job(text: str, key: str = "file", language: str = "toy", **options: bool) -> Job:
    return Job(key, key, language, text, Options(**options))


def team(pool: Pool, jobs: int = 2, files: int = 1) -> Team:
    return Team(pool, jobs, files, share_characters=10)


async def by_one(pool: Pool, text: str) -> Heard:
    heard = Heard()
    await pool.run(job(text, "alone"), heard.append)
    return heard


async def by_two(pool: Pool, text: str) -> tuple[Heard, Ending]:
    heard = Heard()
    return heard, await team(pool).run(job(text), heard.append)


async def test_two_workers_say_what_one_says(pool):
    one = await by_one(pool, MODEL)
    two, ending = await by_two(pool, MODEL)
    assert JobOutcome.DONE is ending.outcome
    assert one.verdicts == two.verdicts
    assert one.properties == two.properties
    assert all(found.core is not None for found in two.properties.values())
    assert one.all(Listing) == two.all(Listing)
    assert isinstance(two[0], Listing)
    assert [6] == [found.mutants for found in two.all(Statistics)]
    assert {6} == {found.total for found in two.all(Progress) if found.stage == "mutate"}
    assert 3 == len(pool.processes)  # that of the other run, and two of which one is to spare


def test_progress_counts_what_all_have_done_and_never_goes_back():
    told: list[object] = []
    gathering = Gathering(told.append)
    first, helper = gathering.add(), gathering.add()
    for stage, done, total in [("prove", 1, 1), ("mutate", 4, 10), ("equivalence", 3, 5)]:
        gathering.hear(first, Progress(stage, done, total))
    gathering.hear(first, Statistics())
    for stage, done, total in [("prove", 0, 1), ("mutate", 6, 10), ("equivalence", 1, 5)]:
        gathering.hear(helper, Progress(stage, done, total))
    advance = [(p.stage, p.done, p.total) for p in told if isinstance(p, Progress)]
    assert [
        *[("prove", 1, 1), ("mutate", 4, 10)],
        *[("equivalence", 3, 5), ("equivalence", 4, 5)],
    ] == advance


def test_a_helper_counts_though_mutants_were_told_before_all_properties():
    heard = Heard()
    gathering = Gathering(heard.append)
    proved = [PropertyFinding(name, "main", name, PropertyVerdict.PROVED) for name in "yz"]
    first, helper = gathering.add(), gathering.add()
    gathering.hear(first, proved[0])
    gathering.hear(first, MutantFinding("early", MutantStatus.KILLED, ("y",)))
    assert {"early"} == set(heard.verdicts)
    gathering.hear(first, proved[1])

    for event in (*proved, MutantFinding("late", MutantStatus.SURVIVED), Progress("mutate", 1, 2)):
        gathering.hear(helper, event)
    assert {"early"} == set(heard.verdicts)  # the first worker may still prove something else
    gathering.hear(first, Progress("mutate", 1, 2))
    gathering.hear(helper, Statistics())

    assert {"early", "late"} == set(heard.verdicts)
    assert not gathering.astray()


def test_mutants_that_are_told_early_are_not_told_otherwise_later():
    gathering = Gathering(Heard().append)
    first = gathering.add()
    gathering.hear(first, MutantFinding("early", MutantStatus.KILLED, ("y",)))
    gathering.hear(first, PropertyFinding("y", "main", "y", PropertyVerdict.PROVED))
    gathering.hear(first, Progress("mutate", 0, 1))
    gathering.hear(first, MutantFinding("early", MutantStatus.SURVIVED))

    assert JobOutcome.FAILED is gathering.checked(Ending(JobOutcome.DONE)).outcome


async def test_instances_count_as_text(pool):
    heard = Heard()
    await Team(pool, 2, 1).run(replace(job(MODEL), extent=4_000), heard.append)
    assert [3, 1] == [
        replace(job(MODEL, mutate=on, cores=on), extent=6_500).shares() for on in (True, False)
    ]
    assert 2 == len(pool.processes)


async def test_a_text_that_is_short_has_one_worker(pool):
    heard = Heard()
    await Team(pool, 2, 1).run(job(MODEL), heard.append)
    assert 1 == len(pool.processes)
    assert 6 == len(heard.verdicts)


async def test_workers_are_divided_among_files(pool):
    shared = team(pool, jobs=2, files=2)
    heard = {name: Heard() for name in "ab"}
    await asyncio.gather(*(shared.run(job(MODEL, n), heard[n].append) for n in "ab"))
    assert 2 == len(pool.processes)
    assert heard["a"].verdicts == heard["b"].verdicts
    assert 6 == len(heard["a"].verdicts)


async def test_a_worker_that_dies_costs_its_share(pool):
    two, ending = await by_two(pool, "-- crash\n" + MODEL)
    assert JobOutcome.CRASHED is ending.outcome
    assert {"x", "z"} == {name.partition(".")[0] for name in two.verdicts}
    assert ["y", "z"] == [*two.properties]


async def test_without_the_first_worker_the_share_of_another_counts(pool):
    two, ending = await by_two(pool, "-- early crash\n-- crash\n" + MODEL)
    assert JobOutcome.CRASHED is ending.outcome
    assert {"y"} == {name.partition(".")[0] for name in two.verdicts}
    assert {"y", "z"} == {found.name for found in two.all(PropertyFinding)}
    assert [2] == [found.mutants for found in two.all(Statistics)]


async def test_a_share_judged_by_other_properties_is_done_again(pool):
    one = await by_one(pool, MODEL)
    two, ending = await by_two(pool, "-- doubt\n" + MODEL)
    assert JobOutcome.DONE is ending.outcome
    assert one.verdicts == two.verdicts
    killed = [f for f in two.all(MutantFinding) if f.status is MutantStatus.KILLED]
    survived = [f for f in two.all(MutantFinding) if f.status is MutantStatus.SURVIVED]
    assert 3 == len(killed) == len(survived)  # nothing that was doubtful was told
    assert {PropertyVerdict.PROVED} == {p.verdict for p in two.all(PropertyFinding)}


class Ordered(Overheard):
    """A pool in which one worker begins once another one knows its properties, or has ended."""

    def __init__(self, *, first: str) -> None:
        super().__init__((sys.executable, TOY))
        self.first = first
        self.known = asyncio.Event()
        self.runs: list[tuple[str, str]] = []

    async def run(self, job: Job, listener: Listener) -> Ending:
        self.runs.append((job.key, job.options.stage))
        if job.key != self.first:
            await self.known.wait()

        def listen(event: Listing | Event) -> None:
            listener(event)
            if job.key == "file" and isinstance(event, Attempted):
                self.known.set()

        ending = await super().run(job, listen)
        self.known.set()
        return ending


@pytest.mark.parametrize("first", ["file", "file\0001"])
@pytest.mark.parametrize("hasty", [True, False])
async def test_who_begins_with_too_few_properties_begins_anew(first, hasty):
    pool = Ordered(first=first)
    directive = "-- hasty\n" if hasty else ""
    two, ending = await by_two(pool, directive + MODEL)
    assert JobOutcome.DONE is ending.outcome
    one = await by_one(pool, MODEL)
    assert one.verdicts == two.verdicts
    assert one.properties == two.properties
    assert 6 == len(two.all(MutantFinding))  # nothing was told that lacks a property
    assert [6] == [found.mutants for found in two.all(Statistics)]
    begun = [stage for key, stage in pool.runs if key == "file\0001" and stage != "cores"]
    assert (["soon", "mutants"] if hasty else ["soon"]) == begun
    await pool.close()


def test_what_fails_makes_no_difference_between_workers():
    heard = Heard()
    gathering = Gathering(heard.append)
    first, helper = gathering.add(), gathering.add()
    for number, verdict in [
        (first, PropertyVerdict.FALSIFIED),
        (helper, PropertyVerdict.UNKNOWN),
    ]:
        gathering.hear(number, PropertyFinding("y", "main", "y", PropertyVerdict.PROVED))
        gathering.hear(number, PropertyFinding("z", "main", "z", verdict))
        gathering.hear(number, MutantFinding(str(number), MutantStatus.SURVIVED))
        gathering.hear(number, Statistics())
    assert {str(first), str(helper)} == set(heard.verdicts)
    assert not gathering.astray()
    assert PropertyVerdict.FALSIFIED is heard.properties["z"].verdict


@pytest.mark.parametrize("verdict", [PropertyVerdict.FALSIFIED, PropertyVerdict.PROVED])
def test_without_the_first_worker_what_it_found_to_fail_stays(verdict):
    heard = Heard()
    gathering = Gathering(heard.append)
    first, helper = gathering.add(), gathering.add()
    gathering.hear(first, PropertyFinding("z", "main", "z", verdict))
    gathering.hear(helper, PropertyFinding("y", "main", "y", PropertyVerdict.PROVED))
    gathering.hear(helper, PropertyFinding("z", "main", "z", PropertyVerdict.UNKNOWN))
    gathering.hear(helper, MutantFinding("m", MutantStatus.SURVIVED))
    gathering.hear(helper, Statistics())
    gathering.close()
    assert {"m"} == set(heard.verdicts)
    # Where it was proved, the mutant may violate it.
    fails = verdict is PropertyVerdict.FALSIFIED
    assert (verdict if fails else PropertyVerdict.UNKNOWN) is heard.properties["z"].verdict


def test_a_property_that_only_the_lost_worker_tried_is_not_said_to_be_tried_on():
    heard = Heard()
    gathering = Gathering(heard.append)
    gathering.add()
    helper = gathering.add()
    left = PropertyFinding("z", "main", "z", PropertyVerdict.UNKNOWN, reason=LEFT)
    gathering.hear(helper, PropertyFinding("y", "main", "y", PropertyVerdict.PROVED))
    gathering.hear(helper, left)
    gathering.hear(helper, Statistics())
    gathering.close()
    assert "the worker that went on with it was lost; run again" == heard.properties["z"].reason


async def test_cancelling_stops_all_workers(pool):
    shared, heard = team(pool), Heard()
    running = asyncio.create_task(shared.run(job("-- deaf\n" + MODEL), heard.append))
    await pool.all_proving(4)
    processes = pool.processes
    assert shared.cancel("file")
    ending = await asyncio.wait_for(running, 5)
    assert JobOutcome.CANCELLED is ending.outcome
    assert not any(psutil.pid_exists(process) for process in processes)
    assert not shared.cancel("file")


async def test_a_worker_killed_from_outside_is_replaced(pool):
    shared, heard = team(pool), Heard()
    running = asyncio.create_task(shared.run(job("-- slow\n" + MODEL), heard.append))
    await pool.all_proving(4)
    before = pool.processes
    os.kill(before[1], signal.SIGKILL)
    await pool.all_proving(2)
    assert before[0] == pool.processes[0] != pool.processes[1] != before[1]
    shared.cancel("file")
    assert JobOutcome.CANCELLED is (await running).outcome


def open_team(pool: Pool) -> Team:
    """Return a team of two as in an editor, where a file begins with one worker."""
    return Team(pool, 2, patience_s=0)


async def check_lending(pool: Overheard, directive: str = "") -> Heard:
    """Check that two workers of which one comes later say what one says."""
    one, two = await by_one(pool, MODEL), Heard()
    ending = await open_team(pool).run(job(f"-- lend\n{directive}\n" + MODEL), two.append)
    assert JobOutcome.DONE is ending.outcome
    assert one.verdicts == two.verdicts
    assert one.properties == two.properties
    assert all(found.core is not None for found in two.properties.values())
    assert one.all(Listing) == two.all(Listing)
    (counted,) = two.all(Statistics)
    assert (6, 3, 3) == (counted.mutants, counted.killed, counted.survived)
    assert [] == two.all(Lent)
    return two


async def test_an_idle_worker_takes_over_what_another_has_not_decided(pool):
    two = await check_lending(pool)
    assert 6 == len(two.all(MutantFinding))
    assert 3 == len(pool.processes)  # that of the other run, that of the file, one to spare


async def test_a_helper_that_dies_costs_nothing(pool):
    await check_lending(pool, "-- helper crash")


async def test_a_helper_that_dies_once_is_replaced(pool, tmp_path):
    await check_lending(pool, f"-- helper crash once {tmp_path / 'crashed'}")
    assert (tmp_path / "crashed").exists()


@pytest.mark.parametrize(
    "directive", ["-- helper crash\n-- helper hint", "-- helper crash\n-- hint"]
)
async def test_what_a_helper_that_dies_has_begun_is_done_again(pool, directive):
    two = await check_lending(pool, directive)
    last = {found.mutant: found for found in two.all(MutantFinding)}
    assert {("y", "z"), ()} == {found.killed_by for found in last.values()}
    assert {()} == {found.undecided for found in last.values()}


async def test_what_nobody_tells_in_the_end_is_unknown_with_the_reason(pool):
    two = Heard()
    text = "-- lend\n-- helper crash\n-- helper hint\n-- mute\n" + MODEL
    ending = await open_team(pool).run(job(text), two.append)
    assert JobOutcome.DONE is ending.outcome
    last = {found.mutant: found for found in two.all(MutantFinding)}
    told = {(f.status, f.undecided) for f in last.values() if f.reason == LOST}
    assert {(MutantStatus.KILLED, ("z",)), (MutantStatus.UNKNOWN, ())} == told
    assert {("y", "z"), ("y",), ()} == {f.killed_by for f in last.values()}


async def test_what_a_helper_judges_by_other_properties_is_done_again(pool):
    two = await check_lending(pool, "-- helper doubt")
    assert 6 == len(two.all(MutantFinding))  # nothing that was doubtful was told


async def test_cancelling_stops_a_helper_too(pool):
    shared, heard = open_team(pool), Heard()
    text = "-- lend\n-- helper slow\n" + MODEL
    running = asyncio.create_task(shared.run(job(text), heard.append))
    await pool.all_proving(4)
    assert shared.cancel("file")
    assert JobOutcome.CANCELLED is (await asyncio.wait_for(running, 5)).outcome
    assert 2 == len(heard.verdicts)
    again = Heard()
    assert JobOutcome.DONE is (await shared.run(job(MODEL), again.append)).outcome
    assert 6 == len(again.verdicts)


async def test_forgetting_a_file_ends_its_helpers(pool):
    shared = open_team(pool)
    text = "-- lend\n-- helper deaf\n" + MODEL
    running = asyncio.create_task(shared.run(job(text), Heard().append))
    await pool.all_proving(4)
    processes = pool.processes
    assert 2 == len(processes)
    shared.forget("file")
    assert JobOutcome.CANCELLED is (await asyncio.wait_for(running, 5)).outcome
    async with asyncio.timeout(5):
        while any(psutil.pid_exists(process) for process in processes):
            await asyncio.sleep(0.01)


class Giving(Overheard):
    """A pool whose team gives up a file as soon as its worker has handed over a part."""

    given_up = staticmethod(lambda: None)

    async def run(self, job: Job, listener: Listener) -> Ending:
        def listen(event: Listing | Event) -> None:
            listener(event)
            if isinstance(event, Lent):
                self.given_up()

        return await super().run(job, listen)


@pytest.mark.parametrize("way", ["cancel", "forget"])
async def test_a_helper_that_is_given_up_before_it_begins_never_begins(way):
    giving = Giving((sys.executable, TOY))
    try:
        shared = open_team(giving)
        giving.given_up = lambda: getattr(shared, way)("file")
        text = "-- lend\n-- helper slow\n" + MODEL
        ending = await asyncio.wait_for(shared.run(job(text), Heard().append), 20)
        assert JobOutcome.CANCELLED is ending.outcome
        again = Heard()  # a worker is idle again, so it helps another file
        await asyncio.wait_for(shared.run(job("-- lend\n" + MODEL, "other"), again.append), 20)
        assert 6 == len(again.verdicts)
    finally:
        await giving.close()


async def test_a_file_that_is_given_up_before_its_worker_begins_is_not_analysed(pool):
    shared = open_team(pool)
    running = asyncio.create_task(shared.run(job("-- slow\n" + MODEL), Heard().append))
    await asyncio.sleep(0)  # the run has begun, and its worker is about to
    shared.cancel("file")
    assert JobOutcome.CANCELLED is (await asyncio.wait_for(running, 20)).outcome
    assert () == pool.processes


@pytest.mark.parametrize(("jobs", "files"), [(1, None), (2, 1)])
async def test_nobody_is_asked_where_all_are_busy_or_files_come_once(pool, jobs, files):
    shared, heard = Team(pool, jobs, files, patience_s=0), Heard()
    running = asyncio.create_task(shared.run(job("-- lend\n" + MODEL), heard.append))
    await pool.all_proving(2)
    shared.cancel("file")
    assert JobOutcome.CANCELLED is (await running).outcome
    assert 1 == len(pool.processes)


async def test_helpers_end_no_worker_that_knows_another_file():
    pool = Overheard((sys.executable, TOY), max_alive=2)
    try:
        shared = open_team(pool)
        await shared.run(job(MODEL, "other"), Heard().append)
        before = pool.processes
        ending = await shared.run(job("-- lend\n" + MODEL), Heard().append)
        assert JobOutcome.DONE is ending.outcome
        assert before[0] in pool.processes
        assert 3 == len(pool.processes)
    finally:
        await pool.close()


@pytest.mark.parametrize("name", ["demo2.lus", "clock.smv"])
async def test_real_workers_together_give_the_verdicts_of_one(name):
    text = (EXAMPLES / name).read_text()
    language = "lustre" if name.endswith(".lus") else "nusmv"
    real = Pool(cache=False)
    try:
        one, two = Heard(), Heard()
        alone = await real.run(job(text, "alone", language), one.append)
        together = await team(real, jobs=2).run(job(text, "shared", language), two.append)
        assert JobOutcome.DONE is alone.outcome is together.outcome
        assert one.verdicts == two.verdicts
        assert one.all(Listing) == two.all(Listing)
        last = [{p.name: (p.verdict, p.must) for p in h.all(PropertyFinding)} for h in (one, two)]
        assert last[0] == last[1]
        assert one.all(Statistics)[-1].mutants == two.all(Statistics)[-1].mutants
    finally:
        await real.close()
