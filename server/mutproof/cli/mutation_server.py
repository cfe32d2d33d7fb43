"""The mutation server protocol, which lists and decides mutants for editors.

Options are those of `mutproof mutate`, read anew with the files of settings for each request.
UNKNOWN is `Pending`: clients count `RuntimeError` as passed, and `Survived` would be a verdict.

Source: mutation-server-protocol 0.4 of stryker-mutator/editor-plugins.
"""

from __future__ import annotations

import asyncio
import os
import sys
from argparse import Namespace
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import field, replace
from typing import Final

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus
from mutproof.base.record import dataclass
from mutproof.base.span import Position, Span
from mutproof.cli import arguments as shared
from mutproof.cli import configuration, excerpt, inputs, json_rpc, runner, session
from mutproof.cli.command import Command
from mutproof.cli.commands import COMMANDS
from mutproof.cli.json_rpc import MethodCall, ParameterError
from mutproof.cli.launch import Launched
from mutproof.cli.parser import CommandParser
from mutproof.cli.runner import Stop, Workers
from mutproof.reporters import json as schema
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.style import Style
from mutproof.runtime.jobs import default_jobs
from mutproof.runtime.pool import Pool
from mutproof.runtime.team import Team
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.report import Listing, MutantPlace

VERSION: Final = "0.4.0"
"""The version of the protocol."""

PROGRESS: Final = "reportMutationTestProgress"


@dataclass(frozen=True, slots=True)
class _Part:
    """Hold a range of a file, `end` exclusive; None: the whole file."""

    name: str
    start: Position | None = None
    end: Position | None = None


@dataclass(frozen=True)
class _Model:
    """Hold a model with its mutants by identity, and the identities of those wanted."""

    name: str
    file: ReportedFile
    mutants: Mapping[str, MutantPlace]
    wanted: frozenset[str]

    def discovered(self) -> list[dict[str, object]]:
        """Return the mutants that are wanted, as they are listed."""
        return [self._listed(place) for name, place in self.mutants.items() if name in self.wanted]

    def result(self, finding: MutantFinding) -> dict[str, object]:
        """Return what became of a mutant."""
        found = {
            **self._listed(self.mutants[finding.mutant]),
            **schema.outcome(finding),
            "coveredBy": list(finding.covered_by),
            "killedBy": list(finding.killed_by),
            "duration": round(finding.seconds * 1000, 1),
        }
        if finding.status is MutantStatus.UNKNOWN:
            found["status"] = "Pending"
        return found

    def _listed(self, place: MutantPlace) -> dict[str, object]:
        placed = self.file.placed_with(place, MutantFinding(place.mutant, MutantStatus.UNKNOWN))
        return {"id": place.shown, **schema.change(self.file, placed)}


@dataclass
class MutationServer:
    """Answer the requests of the protocol; mutable, owned by the event loop's thread.

    `words` are options of `mutproof mutate` that hold whatever is configured.
    """

    words: Sequence[str]
    team: Team
    _config: str | None = None
    _queries: Queries = field(default_factory=Queries)
    _turn: asyncio.Lock = field(default_factory=asyncio.Lock)  # a worker does one job at a time

    @property
    def methods(self) -> Mapping[str, json_rpc.Method]:
        """Return the methods by their names."""
        return {
            "configure": self._configure,
            "discover": self._discover,
            "mutationTest": self._mutation_test,
        }

    async def _configure(self, request: MethodCall) -> object:
        path = request.parameters.get("configFilePath")
        if path is not None and not isinstance(path, str):
            raise ParameterError("configFilePath is text")
        arguments(self.words, path)
        self._config = path
        return {"version": VERSION}

    async def _discover(self, request: MethodCall) -> object:
        models = await self._models(request)
        return {"files": {model.name: {"mutants": model.discovered()} for model in models}}

    async def _mutation_test(self, request: MethodCall) -> object:
        async with self._turn:
            models = {model.name: model for model in await self._models(request)}
            models = {name: model for name, model in models.items() if model.wanted}
            if request.unwanted.is_set() or not models:
                return {"files": {}}
            chosen = arguments(self.words, self._config)
            options = _options(chosen)

            def own(name: str) -> Options:
                model = models[name]
                several = len(model.wanted) < len(model.mutants)
                some = tuple(each for each in model.mutants if each in model.wanted)
                found = _of_file(chosen, options, name)
                return replace(found, only=some) if several else found

            told = _MutantWatcher(models, request.tell)
            workers = Workers(self.team, options, self.team.jobs, told, own=own)
            results = await runner.analysed(tuple(models), workers, Stop(request.unwanted))
        files = {}
        for result in results:
            model = models[result.reported.path]
            found = () if result.reported.report is None else result.reported.report.mutants
            mine = [each for each in found if each.mutant in model.wanted]
            files[model.name] = {"mutants": [model.result(finding) for finding in mine]}
        return {"files": files}

    async def _models(self, request: MethodCall) -> list[_Model]:
        """Return the models of a request, each with the mutants wanted."""
        chosen = arguments(self.words, self._config)
        options = _options(chosen)
        some = request.parameters.get("mutants")
        parts = (
            _parts(request.parameters.get("files")) if some is None else [*map(_Part, _named(some))]
        )
        wanted: dict[str, list[_Part]] = {}
        for part in parts:
            wanted.setdefault(part.name, []).append(part)
        found = []
        for name, places in wanted.items():
            own = _of_file(chosen, options, name)
            model = await asyncio.to_thread(self._model, name, own)
            if request.unwanted.is_set():
                break
            if model is not None:
                ids = None if some is None else frozenset(_ids(some[name]))
                found.append(_narrowed(model, places, ids))
        return found

    def _model(self, name: str, options: Options) -> _Model | None:
        """Return a model with all its mutants; None if the file cannot be mutated."""
        read = inputs.read(name)
        if not read.is_usable or read.language is None or read.elaborated is None:
            if read.diagnostics:
                said = excerpt.rendered(read.source, read.diagnostics, Style())
                sys.stderr.write(said + "\n")
            return None
        listing = self._queries.listing(read.language.name, read.elaborated, options)
        file = ReportedFile(read.source, read.language, read.elaborated, (), listing=listing)
        mutants = {place.mutant: place for place in listing.mutants}
        return _Model(name, file, mutants, frozenset(mutants))


@dataclass(frozen=True)
class _MutantWatcher:
    """Tell the client of each mutant once it is decided; a `runner.Watcher`."""

    models: Mapping[str, _Model]
    tell: Callable[[str, object], None]

    def started(self, path: str) -> None:
        """Tell nothing: clients regard all requested mutants as begun."""

    def happened(self, path: str, event: Listing | Event) -> None:
        """Tell of a verdict on a mutant."""
        model = self.models[path]
        if isinstance(event, MutantFinding) and event.mutant in model.wanted:
            self.tell(PROGRESS, {"files": {path: {"mutants": [model.result(event)]}}})

    def ended(self, path: str) -> None:
        """Tell nothing: the answer says so."""


def _narrowed(model: _Model, places: Iterable[_Part], ids: frozenset[str] | None) -> _Model:
    """Return a model with the mutants wanted: those with some ids, or else in some ranges."""
    if ids is not None:
        chosen = (name for name, place in model.mutants.items() if place.shown in ids)
        return replace(model, wanted=frozenset(chosen))
    spans = [_span(model.file, part) for part in places]
    regions = {
        name: model.file.placed_with(place, MutantFinding(name, MutantStatus.UNKNOWN)).region
        for name, place in model.mutants.items()
    }
    inside = (
        name
        for name, at in regions.items()
        if any(at.start < span.end and span.start < max(at.end, at.start + 1) for span in spans)
    )
    return replace(model, wanted=frozenset(inside))


def _span(file: ReportedFile, part: _Part) -> Span:
    source = file.source
    if part.start is None or part.end is None:
        return Span(0, len(source.content) + 1)
    return Span(source.offset(part.start), source.offset(part.end))


def _parts(files: object) -> list[_Part]:
    """Return the ranges that `files` name; if None, all models of this folder.

    Raises:
        ParameterError: they are no file ranges.
    """
    if files is None:
        return [_Part(_shown(name)) for name in inputs.expanded(["."]).files]
    if not isinstance(files, list):
        raise ParameterError("files are a list")
    return [part for file in files for part in _of_range(file)]


def _of_range(file: object) -> Iterator[_Part]:
    path = file.get("path") if isinstance(file, dict) else None
    if not isinstance(file, dict) or not isinstance(path, str):
        raise ParameterError("a file range has a path")
    where = file.get("range")
    start = end = None
    if where is not None:
        if not isinstance(where, dict):
            raise ParameterError("a range has a start and an end")
        start, end = (_position(where.get(each)) for each in ("start", "end"))
    for name in inputs.expanded([path or "."]).files:
        if os.path.exists(name):
            yield _Part(_shown(name), start, end)


def _position(value: object) -> Position:
    found = [value.get(each) if isinstance(value, dict) else None for each in ("line", "column")]
    line, column = (one if isinstance(one, int) and one > 0 else 0 for one in found)
    if not line or not column:
        raise ParameterError("a position has a line and a column, from 1")
    return Position(line, column)


def _named(mutants: object) -> list[str]:
    if not isinstance(mutants, dict):
        raise ParameterError("mutants are an object, by files")
    return [name for name in mutants if os.path.exists(name)]


def _ids(file: object) -> list[str]:
    listed = file.get("mutants") if isinstance(file, dict) else None
    if not isinstance(listed, list):
        raise ParameterError("a file has a list of mutants")
    ids = [each.get("id") if isinstance(each, dict) else None for each in listed]
    if not all(isinstance(each, str) for each in ids):
        raise ParameterError("a mutant has an id")
    return [each for each in ids if each is not None]


def _shown(name: str) -> str:
    """Return the name of a file for clients: relative to this folder, if possible."""
    try:
        return os.path.relpath(name)
    except ValueError:  # on another drive
        return os.path.abspath(name)


def arguments(words: Sequence[str], config: str | None) -> Namespace:
    """Return the arguments of `mutproof mutate` for some options and settings.

    Raises:
        UserError: they are invalid.
    """
    allowed = CommandParser(prog="mutproof serve … --")
    configure(allowed)
    allowed.parse_args(list(words))
    every = [*words, *([] if config is None else ["--config", config])]
    command: Command = COMMANDS["mutate"]
    parser = CommandParser(prog="mutproof mutate")
    command.configure(parser)
    parsed = parser.parse_args([*every, "--", "."])
    parsed.command = command.name
    return configuration.completed(parsed, [command.name, *every, "--", "."])


def configure(parser: CommandParser) -> None:
    """Add the options of `mutproof mutate` that apply here."""
    shared.add_mutation(parser)
    shared.add_equivalence(parser, default=None)
    shared.add_questions(parser)


def _options(parsed: Namespace) -> Options:
    return shared.options(parsed, mutate=True, cores=False)


def _of_file(parsed: Namespace, options: Options, name: str) -> Options:
    found: Options = parsed.chosen.options(name, options=options, of_run=parsed)
    return found


def serve(
    words: Sequence[str], parsed: Namespace, launched: Launched, address: tuple[str, int] | None
) -> None:
    """Serve clients until they leave or a signal comes; without an address on standard streams.

    `parsed` is what `words` stand for at first, `launched` the first worker.

    Raises:
        UserError: nobody can connect to the address.
    """
    jobs = parsed.jobs or default_jobs()

    async def main(stop: Stop) -> None:
        pool = Pool(
            max_alive=jobs,
            cache=launched.cache,
            spare=launched.worker,
            most_bytes=session.most_bytes(parsed, jobs),
        )
        methods = MutationServer(words, Team(pool, jobs)).methods
        if address is None:
            answering = json_rpc.on_streams(methods)
        else:
            answering = json_rpc.on_socket(methods, *address)
        serving = asyncio.ensure_future(answering)
        stopped = asyncio.ensure_future(stop.event.wait())
        try:
            await asyncio.wait({serving, stopped}, return_when=asyncio.FIRST_COMPLETED)
            if serving.done():
                await serving
        finally:
            serving.cancel()
            stopped.cancel()
            await pool.close()

    runner.run(main, launched.loop)
