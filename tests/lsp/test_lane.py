"""A text that takes long to read keeps no other one waiting, and is read while it is wanted."""

from __future__ import annotations

import asyncio
import threading
from types import SimpleNamespace

import pytest
from clients import TOY_SERVER, started
from toy import LANGUAGES, TOY

from mutproof.base import giving_way
from mutproof.base.lazy import cached_property
from mutproof.base.text import SourceText
from mutproof.lsp.documents import Document
from mutproof.lsp.lane import Lane
from mutproof.lsp.reader import TextReader
from mutproof.runtime.aside import GivenUpError, OutOfTimeError
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot

ENDLESS = "-- endless\nx = a > b;\nprove x;\n"
WRONG = "x = ;\n"
URI, OTHER = "file:///work/model.toy", "file:///work/other.toy"


@pytest.fixture
async def client():
    async with started(TOY_SERVER) as made:
        yield made


async def test_a_text_that_is_read_for_ever_delays_no_other_one(client):
    for number in range(3):
        client.open(f"file:///work/endless{number}.toy", ENDLESS, "toy")
    client.open(OTHER, WRONG, "toy")
    await client.until(lambda: client.shown(OTHER))


async def test_a_text_that_is_read_for_ever_is_given_up_when_it_is_edited(client):
    client.open(URI, ENDLESS, "toy")
    client.replace(URI, WRONG)
    await client.until(lambda: client.shown(URI))


async def test_a_run_begins_when_the_text_was_read_at_last(client):
    client.open(URI, ENDLESS, "toy")
    client.replace(URI, ENDLESS.replace("endless", "again"))
    await client.done(URI)


def endless() -> None:
    while True:
        giving_way.give_way()


def test_whoever_has_had_least_goes_first():
    async def main() -> None:
        lane, is_over = Lane(), threading.Event()
        long = asyncio.create_task(lane.run(endless, wanted=lambda _: not is_over.is_set()))
        for number in range(3):
            assert number == await lane.run(lambda number=number: number)
        another = asyncio.create_task(lane.run(endless, wanted=lambda _: not is_over.is_set()))
        assert "short" == await lane.run(lambda: "short")
        assert not long.done()
        assert not another.done()
        is_over.set()
        for task in (long, another):
            with pytest.raises(GivenUpError):
                await task
        assert "after" == await lane.run(lambda: "after")

    asyncio.run(main())


def test_what_is_computed_once_for_each_object_keeps_no_other_reading_waiting():
    class Text:
        def __init__(self, is_long: bool) -> None:
            self.is_long = is_long

        @cached_property
        def meaning(self) -> str:
            if self.is_long:
                endless()
            return "short"

    async def main() -> None:
        lane, is_over = Lane(), threading.Event()
        long = asyncio.create_task(
            lane.run(lambda: Text(True).meaning, wanted=lambda _: not is_over.is_set())
        )
        await lane.run(lambda: None)  # the long one has given way
        assert "short" == await asyncio.wait_for(lane.run(lambda: Text(False).meaning), 60)
        is_over.set()
        with pytest.raises(GivenUpError):
            await long

    asyncio.run(main())


def test_only_one_of_them_works_at_a_time():
    at_work: list[int] = []

    def work(number: int) -> int:
        for _ in range(200):
            at_work.append(number)
            assert [number] == at_work
            at_work.pop()
            giving_way.give_way()
        return number

    async def main() -> None:
        lane = Lane()
        asked = [lane.run(lambda number=number: work(number)) for number in range(5)]
        assert [0, 1, 2, 3, 4] == await asyncio.gather(*asked)

    asyncio.run(main())


def test_what_takes_too_long_or_fails_is_said_and_leaves_the_turn_to_others():
    def fail() -> None:
        raise KeyError("x")

    async def main() -> None:
        lane = Lane()
        with pytest.raises(OutOfTimeError):
            await lane.run(endless, most_s=0.001)
        with pytest.raises(GivenUpError):
            await lane.run(lambda: 5, wanted=lambda _: False)
        with pytest.raises(KeyError):
            await lane.run(fail)
        assert 5 == await lane.run(lambda: 5)
        lane.shut()
        with pytest.raises(GivenUpError):
            await lane.run(lambda: 5)

    asyncio.run(main())


def test_a_text_that_takes_too_long_has_a_diagnostic_and_is_tried_again_when_it_is_edited():
    told: list[Document] = []
    owner = SimpleNamespace(
        tell=lambda say: say(SimpleNamespace(read=told.append)),
        spawn=lambda work: asyncio.get_running_loop().create_task(work),
        was_read=lambda _: None,
    )

    async def main() -> None:
        reader = TextReader(Queries(LANGUAGES), owner, most_s=0.001)
        source = SourceText("model.toy", ENDLESS)
        document = Document(Snapshot(URI, 1, source, TOY, Options()))
        snapshot = await reader.fresh(document)
        assert ["out-of-time"] == [problem.code for problem in snapshot.broken]
        assert [document] == told

    asyncio.run(main())
