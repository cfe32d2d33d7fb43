"""The suite of tests beside a file: reading and running it, making it, adding tests to it."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterator
from dataclasses import field, replace
from functools import partial
from pathlib import Path
from typing import Any, TypeAlias
from uuid import uuid4

from lsprotocol import types
from pygls.progress import Progress as Drawn

from mutproof.analyses.claims.finding import MutantFinding, Statistics
from mutproof.analyses.suites.suite import SuiteFinding
from mutproof.base.digest import Digest
from mutproof.base.record import dataclass
from mutproof.base.text import SourceText, counted
from mutproof.ide.code_lenses import Lens, of_suite, sufficing
from mutproof.lsp.documents import Document
from mutproof.lsp.kept_tests import KeptTest, kept_tests, not_run
from mutproof.lsp.session import Session
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.suites.document import SUFFIX, digest, written
from mutproof.reporters.suites.document import document as suite_document
from mutproof.reporters.suites.merging import is_of, with_tests
from mutproof.runtime import files
from mutproof.runtime.aside import GivenUpError, OutOfTimeError
from mutproof.runtime.jobs import JobOutcome
from mutproof.workspace.events import Event, Progress
from mutproof.workspace.findings import Report
from mutproof.workspace.report import Listing, MutantPlace
from mutproof.workspace.suites.recorded import RecordedSuite, SuiteError, read

Stamp: TypeAlias = tuple[int, int] | None


@dataclass(frozen=True, slots=True)
class _ReadSuite:
    """Hold a suite as read, and how many of its tests suffice."""

    stamp: Stamp = None
    suite: RecordedSuite | None = None
    enough: int = 0
    text: str = ""


@dataclass(frozen=True, slots=True)
class KeptTests:
    """Hold how the tests in a file ended on a model, and the time stamp and digest of both."""

    path: Path
    stamp: Stamp
    digest: Digest
    tests: tuple[KeptTest, ...]


@dataclass(eq=False)
class Suites:
    """Keep the suites beside open files as they were read, and what makes them; mutable."""

    session: Session
    drawn: Drawn
    making: dict[str, str] = field(default_factory=dict)  # files by progress token
    _read: dict[str, _ReadSuite] = field(default_factory=dict)
    _ended: dict[str, KeptTests] = field(default_factory=dict)

    def lenses(self, open_file: Document) -> tuple[Lens, ...]:
        """Return what is said of the suite beside a file, nothing where there is none."""
        path, verdicts = _path(open_file), open_file.verdicts
        if path is None or verdicts is None:
            return ()
        known = self._known(open_file, path)
        if known.suite is None or not known.suite.tests:
            return ()
        is_stale = known.suite.digest != digest(open_file.snapshot.source.content)
        found = of_suite(verdicts, known.suite, known.enough, is_stale=is_stale)
        return () if found is None else (found,)

    async def tests(self, open_file: Document) -> KeptTests | None:
        """Return how the tests beside a file end on its last good version.

        None where there are none; those of an older version if the text is edited meanwhile.
        """
        path, good = _path(open_file), open_file.snapshot.good
        if path is None or good is None or good.program is None:
            return None
        known, program = self._known(open_file, path), good.program
        suite = known.suite
        if suite is None:
            return None
        ended = self._ended.get(open_file.uri)
        if ended is None or (ended.stamp, ended.digest) != (known.stamp, program.digest):
            work = partial(kept_tests, suite, known.text, program)
            try:
                tests = await self.session.reader.on_lane(open_file, work)
            except GivenUpError:
                return ended
            except OutOfTimeError:
                tests = not_run(suite, known.text, "running the tests takes too long")
            ended = KeptTests(path, known.stamp, program.digest, tests)
            self._ended[open_file.uri] = ended
        return ended

    async def made(self, open_file: Document, mutant: str, *, shows_progress: bool) -> str:
        """Make the suite beside a file, or add a test of a mutant; return what came of it."""
        path = _path(open_file)
        if path is None:
            return "tests are kept beside a file, and this is none."
        text = _text(path) or ""
        if text and _suite(text) is None:
            return f"{path.name} is no suite of tests, and stays as it is."
        with self._progress(open_file, shows=shows_progress) as token:
            if token:
                await self.drawn.create_async(token)
                title = f"mutproof: tests of {_name(open_file)}"
                self.drawn.begin(token, types.WorkDoneProgressBegin(title, cancellable=True))
            found = await self._found(open_file, text, mutant, token)
        if isinstance(found, str):
            return found
        options = open_file.snapshot.options
        config = {
            "level": options.level,
            "operators": list(options.operators),
            "properties": list(options.properties),
            "rlimit": options.budget.rlimit,
            "most_mutants": options.most_mutants,
        }
        return _kept(
            path,
            text,
            suite_document(found, Presentation(timings=False, config=config)),
            adds=bool(mutant),
        )

    def forget(self, uri: str) -> None:
        """Drop what was read of the suite beside a file, which was closed."""
        self._read.pop(uri, None)
        self._ended.pop(uri, None)

    def cancel(self, token: str) -> None:
        """Give up what is being made, if the token is that of its progress."""
        uri = self.making.pop(token, None)
        if uri is not None:
            self.session.cancel_beside(uri)

    def _known(self, open_file: Document, path: Path) -> _ReadSuite:
        """Return the suite beside a file, read anew if that has changed."""
        stamp = files.stamp(path)
        known = self._read.get(open_file.uri, _ReadSuite())
        if known.stamp != stamp:
            text = _text(path) or ""
            suite = _suite(text)
            known = _ReadSuite(stamp, suite, 0 if suite is None else sufficing(suite), text)
            self._read[open_file.uri] = known
        return known

    def _is_wanted(self, token: str) -> bool:
        return not token or token in self.making

    @contextlib.contextmanager
    def _progress(self, open_file: Document, *, shows: bool) -> Iterator[str]:
        token = str(uuid4()) if shows else ""
        if token:
            self.making[token] = open_file.uri
        try:
            yield token
        finally:
            self.making.pop(token, None)
            if token in self.drawn.tokens:
                self.drawn.end(token, types.WorkDoneProgressEnd())
                self.drawn.tokens.pop(token, None)

    async def _found(
        self, open_file: Document, text: str, mutant: str, token: str
    ) -> ReportedFile | str:
        """Return the file with a new suite, or the reason why there is none."""
        gathered = _Gathered(_drawing(self.drawn, token))
        async with self.session.beside_runs(open_file) as team:
            snapshot = await self.session.fresh(open_file)
            analysed = snapshot.analysed
            if analysed is None or not snapshot.is_understood:
                return "no tests are made, since the text has errors."
            chosen = (mutant,) if mutant else ()
            options = replace(
                snapshot.options, suite=True, cores=False, mutants=chosen, earlier=text
            )
            job = replace(open_file.job(analysed.source), options=options)
            if self._is_wanted(token) and not open_file.is_cancelled:
                ending = await team.run(job, gathered.hear)
        if not self._is_wanted(token) or open_file.is_cancelled:
            return "no tests are made: that was cancelled."
        suite = gathered.suite
        if ending.outcome is not JobOutcome.DONE or suite is None:
            return f"no tests are made: {ending.message or ending.outcome.value}."
        if suite.refused:
            return f"no tests are made: {suite.refused}."
        if mutant and not suite.tests:
            (fate,) = suite.mutants or (None,)
            why = "it is none of a model" if fate is None else fate.reason or fate.fate.value
            return f"no test is added: {why}."
        source = SourceText(_name(open_file), analysed.source.content)
        places = gathered.places or analysed.report.places
        if any(one.mutant not in places for one in suite.mutants):
            return "no tests are made, since the mutants of this text are not known yet."
        mutants = tuple(one for one in gathered.mutants.values() if one.mutant in places)
        found = Report((), mutants, Statistics(), suite=suite)
        return ReportedFile(
            source,
            analysed.language,
            analysed.elaborated,
            (),
            report=found,
            listing=Listing(analysed.program.digest, tuple(places.values()), ()),
        )


@dataclass(slots=True)
class _Gathered:
    """Gather the events of a worker about one file; mutable."""

    draw: Callable[[str], None]
    places: dict[str, MutantPlace] = field(default_factory=dict)
    mutants: dict[str, MutantFinding] = field(default_factory=dict)
    suite: SuiteFinding | None = None

    def hear(self, news: Listing | Event) -> None:
        if isinstance(news, Listing):  # again after a restart of the worker
            self.places = {one.mutant: one for one in news.mutants}
            self.mutants.clear()
        elif isinstance(news, MutantFinding):
            self.mutants[news.mutant] = news
            if self.places:
                self.draw(f"mutants {len(self.mutants)}/{len(self.places)}")
        elif isinstance(news, Progress) and news.stage == "tests":
            self.draw("looking for tests")
        elif isinstance(news, SuiteFinding):
            self.suite = news


def _drawing(drawn: Drawn, token: str) -> Callable[[str], None]:
    def draw(message: str) -> None:
        if token in drawn.tokens:
            drawn.report(token, types.WorkDoneProgressReport(cancellable=True, message=message))

    return draw


def _kept(path: Path, text: str, new: dict[str, Any], *, adds: bool) -> str:
    """Write a suite, or add to it; return a message about what was done."""
    before = _suite(text)
    if not adds or before is None:
        content = written(new)
    elif is_of(before, new):
        content = with_tests(text, new)
    else:
        return (
            f"no test is added: {path.name} is of another text of the model; make it again first,"
            " by a click on the lens that counts its tests."
        )
    try:
        if text:
            if not files.rewrite(path, text, content):
                return f"{path.name} was changed meanwhile, and stays as it is."
        else:
            path.write_text(content, encoding="utf-8")
    except OSError as error:
        return f"cannot write {path.name}: {error.strerror}."
    tests = new["tests"]
    if adds:
        return f"{path.name} has a test of {counted(len(tests[0]['steps']), 'step')} that kills it."
    return f"{path.name} has {counted(len(tests), 'test')}."


def _path(open_file: Document) -> Path | None:
    if not open_file.uri.startswith("file:"):
        return None
    path = Path(open_file.snapshot.source.name)
    return path.with_name(path.stem + SUFFIX)


def _name(open_file: Document) -> str:
    return Path(open_file.snapshot.source.name).name


def _text(path: Path) -> str | None:
    found = files.read(path)[0]
    return None if found is None else found.content


def _suite(text: str | None) -> RecordedSuite | None:
    try:
        return read(text) if text else None
    except SuiteError:
        return None
