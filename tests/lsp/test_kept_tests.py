"""The suite of tests beside a file: a lens counts it, clicks make it and add tests of mutants."""

from __future__ import annotations

import asyncio
import json
import re
from pathlib import Path
from typing import Any

import pytest
from clients import ROOT, Client, started
from lsprotocol import types
from test_traces import ask

from mutproof.lsp.server import make
from mutproof.lsp.suites import _ReadSuite
from mutproof.workspace.enumeration import enumerate_mutants
from mutproof.workspace.options import Options
from mutproof.workspace.suites.recorded import RecordedSuite, read
from mutproof.workspace.suites.replaying import TestOutcome, on_model, replayed
from support.reading import elaborated_in

DEMO2 = (ROOT / "examples" / "demo2.lus").read_text()
MODEL = "demo2.lus"
PLACES = ((5, 10), (6, 7))
ARGUMENT = re.compile(r"demo2.lus', '(\w+)'")
"""The mutant in a command, which this client reads in one of several ways."""


class Opened:
    """An open file in a folder, and the suite beside it."""

    def __init__(self, client: Client, folder: Path) -> None:
        self.client = client
        self.path = folder / MODEL
        self.uri = self.path.as_uri()
        self.kept = folder / "demo2.suite.json"
        self.path.write_text(DEMO2)

    async def analysed(self, text: str = DEMO2) -> None:
        self.client.open(self.uri, text)
        await self.client.done(self.uri)

    async def click(self, *arguments: Any) -> str:
        """Have the server make tests, and return what it says of that."""
        asked = types.ExecuteCommandParams("mutproof.makeTests", [self.uri, *arguments])
        await self.client.workspace_execute_command_async(asked)
        return self.client.messages[-1].message

    async def offers(self) -> list[str]:
        """Return the mutants in some places of which a test is offered."""
        found: dict[str, None] = {}
        for line, column in PLACES:
            for one in await self.client.actions(self.uri, line, column):
                if one.title.startswith("Add as test: "):
                    found[ARGUMENT.findall(repr(one.command))[0]] = None
        return list(found)

    async def lens(self) -> list[str]:
        return [title for _, title in await self.client.lenses(self.uri) if "suffice" in title]

    def suite(self) -> RecordedSuite:
        return read(self.kept.read_text())


@pytest.fixture
async def opened(tmp_path: Path):
    async with started(level="default") as client:
        yield Opened(client, tmp_path)


def passes(suite: RecordedSuite, text: str) -> bool:
    program = elaborated_in("lustre", text).program
    assert program is not None
    return all(r.outcome is TestOutcome.PASSED for r in replayed(suite, on_model(program)))


async def test_a_test_of_a_mutant_is_added_and_kills_it(opened: Opened) -> None:
    await opened.analysed()
    offers = await opened.offers()
    assert not await opened.lens()
    counts = []
    for offer in offers[:3]:
        said = await opened.click(offer)
        assert said.startswith("mutproof: demo2.suite.json has a test of "), said
        suite = opened.suite()
        killed = {one.id for one in suite.mutants if one.fate == "killed"}
        assert killed == {mutant for test in suite.tests for mutant in test.kills}
        counts.append(len(killed))
        assert passes(suite, DEMO2)
        assert MODEL == suite.file
    assert [1, 2, 3] == counts
    (title,) = await opened.lens()
    assert title.startswith(f"{len(opened.suite().tests)} test")


async def test_a_click_makes_the_suite_and_keeps_tests_that_kill(opened: Opened) -> None:
    await opened.analysed()
    offer = (await opened.offers())[0]
    await opened.click(offer)
    (first,) = opened.suite().tests
    said = await opened.click()
    suite = opened.suite()

    assert f"mutproof: demo2.suite.json has {len(suite.tests)} tests." == said
    assert first.name in {test.name for test in suite.tests}
    assert passes(suite, DEMO2)
    known = elaborated_in("lustre", DEMO2)
    assert len(enumerate_mutants(known, Options())) == len(suite.mutants)
    count = len(suite.tests)
    assert [f"{count} tests, {count} suffice"] == await opened.lens()
    twice = json.loads(opened.kept.read_text())
    twice["tests"].append({**twice["tests"][0], "name": "again"})
    opened.kept.write_text(json.dumps(twice))
    assert [f"{count + 1} tests, {count} suffice"] == await opened.lens()


async def test_a_suite_of_another_text_is_stale_and_not_added_to(opened: Opened) -> None:
    await opened.analysed()
    offer = (await opened.offers())[0]
    await opened.click(offer)
    before = opened.kept.read_text()
    opened.client.replace(opened.uri, DEMO2 + "-- more\n")
    opened.client.save(opened.uri)
    await opened.client.done(opened.uri)

    assert "is of another text of the model" in await opened.click(offer)
    assert before == opened.kept.read_text()
    assert ["stale: 1 test, 1 suffices"] == await opened.lens()


async def test_making_tests_can_be_cancelled_and_writes_nothing_then(opened: Opened) -> None:
    await opened.analysed()
    reports = opened.client.progress_reports
    clicked = asyncio.ensure_future(opened.click())

    def token() -> str | int | None:
        begun = ((t, r[0]) for t, r in reports.items() if r and r[-1]["kind"] != "end")
        return next((t for t, r in begun if "tests of" in r.get("title", "")), None)

    found = await opened.client.until(token)
    opened.client.window_work_done_progress_cancel(types.WorkDoneProgressCancelParams(found))

    assert "mutproof: no tests are made: that was cancelled." == await clicked
    assert not opened.kept.exists()


@pytest.mark.parametrize("text", ["{}", "[1", '{"suite": 99}'])
async def test_what_is_no_suite_stays_as_it_is(opened: Opened, text: str) -> None:
    opened.kept.write_text(text)
    await opened.analysed()

    assert "is no suite of tests" in await opened.click()
    assert text == opened.kept.read_text()
    assert [] == await opened.lens()


async def test_the_tests_beside_a_file_are_run_on_its_text(opened: Opened) -> None:
    await opened.analysed()
    assert await ask(opened.client, "mutproof/tests", opened.uri) is None
    await opened.click()
    found = await ask(opened.client, "mutproof/tests", opened.uri)

    suite, lines = opened.suite(), opened.kept.read_text().splitlines()
    assert opened.kept.as_uri() == found["uri"]
    assert [one.name for one in suite.tests] == [one["name"] for one in found["tests"]]
    assert {"passed"} == {one["outcome"] for one in found["tests"]}
    for one, test in zip(found["tests"], suite.tests, strict=True):
        assert f'"{test.name}"' in lines[one["line"]]
        steps, kills = len(test.steps), len(test.kills)
        assert (
            f"{steps} step{'s'[: steps > 1]} · kills {kills} mutant{'s'[: kills > 1]}"
            in one["said"]
        )

    changed = DEMO2.replace("a1 > 0", "a1 < 0")
    assert changed != DEMO2
    opened.client.replace(opened.uri, changed)
    found = await ask(opened.client, "mutproof/tests", opened.uri)
    program = elaborated_in("lustre", changed).program
    assert program is not None
    results = replayed(suite, on_model(program))
    assert [one.outcome.value for one in results] == [one["outcome"] for one in found["tests"]]
    failed = [one for one in found["tests"] if one["outcome"] == "failed"]
    assert failed
    for one in failed:
        names = [row.partition(" = ")[0] for row in one["expected"].splitlines()]
        assert names == [row.partition(" = ")[0] for row in one["actual"].splitlines()]
        assert names
        assert all(f"{name} is " in one["message"] for name in names)

    opened.client.replace(opened.uri, DEMO2.replace("a1", "renamed"))
    found = await ask(opened.client, "mutproof/tests", opened.uri)
    assert {"inconclusive"} == {one["outcome"] for one in found["tests"]}
    assert {"the model has no input `a1`"} == {one["message"] for one in found["tests"]}


def test_what_was_read_is_dropped_where_a_file_is_closed() -> None:
    server = make()
    kept = server.suites
    kept._read["file:///a.lus"], kept._read["file:///b.lus"] = (_ReadSuite(),) * 2
    server.protocol.fm.features[types.TEXT_DOCUMENT_DID_CLOSE](
        types.DidCloseTextDocumentParams(types.TextDocumentIdentifier("file:///a.lus"))
    )

    assert ["file:///b.lus"] == list(kept._read)
