"""Verdicts come many times a second: what did not change is not made again, and nothing differs."""

from __future__ import annotations

import asyncio
import json
import random
from dataclasses import replace

import pytest
from hypothesis import given
from lsprotocol import types

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import code_lenses, problems
from mutproof.ide.placed import ShownMutant, tally
from mutproof.ide.verdicts import Verdicts
from mutproof.lsp import documents as documents_module
from mutproof.lsp import publish
from mutproof.lsp import session as session_module
from mutproof.lsp.documents import Document
from mutproof.lsp.requests import code_lens
from mutproof.lsp.session import Session
from mutproof.lsp.settings import Settings
from mutproof.lsp.view import View
from mutproof.runtime.jobs import Job, JobOutcome
from mutproof.runtime.pool import Ending, Listener
from mutproof.workspace import report as reports
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import FileReport
from mutproof.workspace.snapshot import Snapshot
from support.lustre_models import sources
from support.profiles import profile

TEXT = """\
node gate(a, b: bool) returns (y: bool);
let
  y = a and (b or false -> pre y);
tel;

node main(a, b: bool; n: int) returns (ok, fine: bool);
var x, y: bool;
let
  x = gate(a, b);
  y = n > 3 and not b; -- mutproof disable next-line rm_not: seen elsewhere
  ok = x => a and not b or b;
  fine = y => n >= 4;
  --%PROPERTY ok;
  --%PROPERTY fine;
tel;
"""
QUERIES = Queries()
OPTIONS = Options(level="paper")
ELABORATED = QUERIES.elaborated("lustre", SourceText("m.lus", TEXT))
LISTING = QUERIES.listing("lustre", ELABORATED, OPTIONS)
MUTANTS = tuple(place.mutant for place in LISTING.mutants)


def opened() -> Document:
    """Return a document whose run has begun."""
    language = QUERIES.languages["lustre"]
    snapshot = Snapshot("file:///m.lus", 1, ELABORATED.parsed.source, language, OPTIONS)
    snapshot = snapshot.with_elaborated(ELABORATED)
    report = reports.started(FileReport(), reports.basis(ELABORATED.program, OPTIONS))
    return Document(snapshot.with_report(reports.listed(report, LISTING)))


def told(source: random.Random, count: int) -> list[object]:
    """Return findings as a worker sends them."""
    found: list[object] = []
    for _ in range(count):
        status = source.choice(list(MutantStatus))
        killers = tuple(source.sample(["ok", "fine"], source.choice([1, 2])))
        killed_by = killers if status is MutantStatus.KILLED else ()
        found.append(MutantFinding(source.choice(MUTANTS), status, killed_by))
    name = source.choice(["ok", "fine"])
    core = tuple(source.sample(list(LISTING.design), 2))
    proved = PropertyVerdict.PROVED
    found.append(
        PropertyFinding(name, "main", name, proved, 1, "bmc", 0.1, core=core, must=core[:1])
    )
    return found


def hear(document: Document, events: list[object]) -> None:
    document.snapshot = document.snapshot.with_report(
        reports.merged(document.snapshot.report, events)
    )


def said(verdicts: Verdicts) -> tuple[object, ...]:
    lenses = code_lenses.lenses(verdicts)
    return (
        verdicts.mutants,
        dict(verdicts.by_element),
        dict(verdicts.tallies),
        verdicts.counted,
        [(lens.span, lens.key, lens.title, lens.shown) for lens in lenses],
        problems.shown((), verdicts),
    )


@profile(20)
@given(sources())
def test_verdicts_after_others_are_those_made_alone(source: random.Random) -> None:
    document = opened()
    for _ in range(6):
        hear(document, told(source, source.randrange(8)))
        if source.random() < 0.2:
            document.snapshot = replace(
                document.snapshot, options=Options(level=source.choice(["paper", "all"]))
            )
        if source.random() < 0.2:
            listed = replace(LISTING, mutants=LISTING.mutants[source.randrange(4) :])
            report = reports.listed(document.snapshot.report, listed)
            document.snapshot = document.snapshot.with_report(report)
        found = document.verdicts
        alone = Verdicts(document.snapshot.analysed)
        assert said(alone) == said(found)
        assert tally(found.mutants) == found.counted


@profile(20)
@given(sources())
def test_tables_answer_as_a_look_at_all_mutants_does(source: random.Random) -> None:
    document = opened()
    hear(document, told(source, 30))
    found = document.verdicts
    for wanted in (["ok"], ["fine"], ["ok", "fine"], ["none"]):
        killed = [m for m in found.killed if m.finding and set(wanted) & set(m.finding.killed_by)]
        assert killed == list(found.killed_by(wanted))
    for mutant in found.mutants:
        assert nearest(mutant, found) == found.nearest_killed(mutant)
    for start in range(0, len(TEXT), 7):
        span = Span(start, start + source.randrange(30))
        touched = [
            m for m in found.mutants if m.span.start <= span.end and span.start <= m.span.end
        ]
        assert touched == list(found.touching(span))


def nearest(mutant: ShownMutant, found: Verdicts) -> ShownMutant | None:
    killed = [m for m in found.mutants if m.status is MutantStatus.KILLED]
    siblings = [m for m in killed if m.record.element == mutant.record.element]
    distance = lambda other: abs(other.span.start - mutant.span.start)  # noqa: E731
    return min(siblings or killed, key=distance, default=None)


def test_what_did_not_change_is_not_made_again() -> None:
    document = opened()
    before = document.verdicts
    assert before is not None
    _ = before.mutants, before.by_element, before.tallies
    one = LISTING.mutants[0]
    hear(document, [MutantFinding(one.mutant, MutantStatus.SURVIVED)])
    after = document.verdicts
    assert before.layout is after.layout
    changed = [
        new for old, new in zip(before.mutants, after.mutants, strict=True) if old is not new
    ]
    assert [one.mutant] == [mutant.record.mutant for mutant in changed]
    for element, mutants in after.by_element.items():
        assert (mutants is before.by_element[element]) is (element != one.element)


def test_lenses_are_made_once_for_each_change_of_verdicts(monkeypatch) -> None:
    document = opened()
    made = []
    monkeypatch.setattr(
        documents_module.code_lenses,
        "lenses",
        lambda verdicts: made.append(verdicts) or (),
    )
    for _ in range(3):
        _ = document.lenses
    document.snapshot = document.snapshot.with_text(SourceText("m.lus", f"{TEXT}-- typed"), 2)
    _ = document.lenses
    assert 1 == len(made)
    hear(document, [MutantFinding(MUTANTS[0], MutantStatus.SURVIVED)])
    _ = document.lenses, document.lenses
    assert 2 == len(made)


def test_problems_are_worded_only_if_they_are_shown(monkeypatch) -> None:
    document = opened()
    hear(document, [MutantFinding(name, MutantStatus.SURVIVED) for name in MUTANTS])
    total = len([*problems.verdict_drafts(document.verdicts)])
    worded = []
    message = problems.survivors.message
    monkeypatch.setattr(
        problems.survivors, "message", lambda *found: worded.append(1) or message(*found)
    )
    shown = problems.shown((), document.verdicts, most=5, everything=True)
    assert 5 == len(shown)
    assert f"{total - 4} more" in shown[-1].message
    assert 4 == len(worded)


def marked(document: Document) -> list[str]:
    """Return the mutants that are underlined now."""
    found = json.loads(publish.diagnostics(document, types.PositionEncodingKind.Utf16).text)
    return [one["data"] for one in found if one.get("data") in MUTANTS]


def test_what_is_underlined_stays_until_the_run_ends() -> None:
    document = opened()
    before: list[str] = []
    for name in reversed(MUTANTS):
        hear(document, [MutantFinding(name, MutantStatus.SURVIVED)])
        now = marked(document)
        assert set(before) <= set(now)
        before = now
    hear(document, [MutantFinding(before[0], MutantStatus.KILLED, ("ok",))])
    assert before[0] not in marked(document)
    document.snapshot = document.snapshot.with_report(reports.finished(document.snapshot.report))
    told = [one.data for one in problems.shown((), document.verdicts) if one.data in MUTANTS]
    assert told == marked(document) != before


# --- what is sent ---------------------------------------------------------------------------------


class Line:
    """Stand for the connection: keep what is sent."""

    def __init__(self) -> None:
        self.sent: list[str] = []

    def tell(self, method: str, params: object) -> None:
        self.sent.append(method)

    def notify(self, method: str, params: object) -> None:
        self.sent.append(method)


class Office:
    """Stand for the server."""

    encoding = "utf-16"

    def __init__(self) -> None:
        self.protocol = Line()


async def test_many_verdicts_are_published_together() -> None:
    office, document = Office(), opened()
    publisher = publish.Publisher(office, Watched())  # type: ignore[arg-type]
    for name in MUTANTS[:10]:
        hear(document, [MutantFinding(name, MutantStatus.SURVIVED)])
        publisher.reported(document)
    method = "textDocument/publishDiagnostics"
    assert 0 == office.protocol.sent.count(method)
    for _ in range(3):
        publisher._publish_now(document)
    assert 1 == office.protocol.sent.count(method)
    hear(document, [MutantFinding(MUTANTS[11], MutantStatus.SURVIVED)])
    publisher._publish_now(document)
    assert 2 == office.protocol.sent.count(method)


class Watched:
    """Stand for the session."""

    settings = Settings(all_mutants=True)

    def seen(self, uri: str) -> None:
        pass


@pytest.mark.parametrize("ahead", [0, 1_000])
async def test_lenses_say_the_same_at_once_or_on_demand(monkeypatch, ahead) -> None:
    monkeypatch.setattr(code_lens, "MAX_PLACES_AHEAD", ahead)
    document = opened()
    hear(document, [MutantFinding(name, MutantStatus.SURVIVED) for name in MUTANTS])
    view = View(Watched(), document, "utf-16")  # type: ignore[arg-type]
    found = json.loads((await code_lens.on_code_lens(view, None)).text)
    titles = []
    for lens in found:
        assert ("command" in lens) is (ahead > 0)
        title = lens.get("command", {}).get("title")
        if title is None:
            asked = types.CodeLens(lens["range"], data=lens["data"])
            title = (await code_lens.on_resolve(view, asked)).command.title
        titles.append(title)
    assert [lens.title for lens in document.lenses] == titles
    gone = await code_lens.on_resolve(
        view, types.CodeLens(found[0]["range"], data=[document.uri, "no such lens"])
    )
    assert "" == gone.command.title


# --- very many mutants ----------------------------------------------------------------------------


class Crew:
    """Stand for the workers: list the mutants and decide two at once."""

    joins = True

    def __init__(self) -> None:
        self.jobs: list[Job] = []

    async def run(self, job: Job, listener: Listener) -> Ending:
        self.jobs.append(job)
        listener(LISTING)
        for name in MUTANTS[:2]:
            listener(MutantFinding(name, MutantStatus.SURVIVED))
        return Ending(JobOutcome.DONE)

    async def expect(self, job: Job) -> None:
        pass

    def forget(self, key: str) -> None:
        pass

    async def close(self) -> None:
        pass


class Ear:
    """Stand for the client: note what is known whenever verdicts change."""

    def __init__(self) -> None:
        self.known: list[tuple[int, int]] = []
        self.over = asyncio.Event()

    def reported(self, document: Document) -> None:
        report = document.snapshot.report
        self.known.append((len(report.places), len(report.mutants)))

    def ended(self, document: Document, outcome: JobOutcome) -> None:
        self.over.set()

    def read(self, document: Document) -> None:
        pass

    drawn = began = closed = read


async def test_a_file_that_is_closed_when_it_has_just_been_read_is_not_analysed() -> None:
    crew = Crew()
    session = Session(crew, queries=Queries())  # type: ignore[arg-type]

    class Closing(Ear):
        def read(self, document: Document) -> None:
            session.close(document.uri)

    session.audience = Closing()
    session.open("file:///m.lus", "m.lus", "lustre", TEXT, version=1)
    while session.is_running("file:///m.lus"):
        await asyncio.sleep(0.01)
    assert [] == crew.jobs
    await session.shut_down()


@pytest.mark.parametrize("many", [1, 1_000])
async def test_verdicts_wait_until_very_many_mutants_are_placed(monkeypatch, many) -> None:
    monkeypatch.setattr(session_module, "VERY_MANY", many)
    ear = Ear()
    session = Session(Crew(), queries=Queries(), audience=ear)  # type: ignore[arg-type]
    session.settings = Settings(level="paper")
    session.open("file:///m.lus", "m.lus", "lustre", TEXT, version=1)
    await ear.over.wait()
    document = session.documents["file:///m.lus"]
    assert {(0, 0), (len(MUTANTS), 0), (len(MUTANTS), 2)} == set(ear.known)
    assert MutantStatus.SURVIVED is document.verdicts.by_id[MUTANTS[0]].status
    if many == 1:
        assert document.verdicts.layout is document.layout  # made on the other thread
    await session.shut_down()
