"""Run again when files change, and report only differences from the run before.

The workers stay alive between runs, so that only what an edit changes is decided again.
"""

from __future__ import annotations

import asyncio
from argparse import Namespace
from collections.abc import AsyncIterator, Iterator, Mapping
from dataclasses import replace
from functools import partial
from pathlib import Path

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.base.text import visible
from mutproof.cli import inputs, runner, session
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.inputs import Expanded
from mutproof.cli.launch import Launched
from mutproof.cli.progress import Bars
from mutproof.cli.result import Result
from mutproof.cli.runner import Stop, Workers
from mutproof.reporters import text
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.runtime import files
from mutproof.runtime.jobs import default_jobs
from mutproof.runtime.pool import Pool
from mutproof.runtime.team import Team
from mutproof.workspace import sources
from mutproof.workspace.options import Options


def watch(arguments: Namespace, options: Options, launched: Launched) -> ExitCode:
    """Report on the files, then on what changes, until interrupted.

    The first of the workers is `launched`.

    Raises:
        UserError: a property is asked for that none of the files has.
    """
    console = Console.of(arguments)
    presentation = session.presentation(arguments, console, options)
    jobs = arguments.jobs or default_jobs()

    if not any(Path(name).exists() for name in arguments.files):
        raise UserError(
            "file-not-found",
            f"nothing to watch: no such file or folder: {', '.join(arguments.files)}",
            way_out="name a model, or a folder of models",
        )
    expanded = inputs.expanded(arguments.files)
    for problem in expanded.wrong:
        session.say_problems(console, problem.source, problem.diagnostics)

    async def main(stop: Stop) -> None:
        # Workers stay alive, as their memory is lost when they end.
        pool = Pool(
            max_alive=max(jobs, len(expanded.files)),
            cache=launched.cache,
            spare=launched.worker,
            most_bytes=session.most_bytes(arguments, jobs),
        )
        team = Team(pool, jobs)
        before: dict[str, ReportedFile] = {}
        try:
            async for changed, vanished in _rounds(arguments.files, stop):
                with Bars(shown=console.progress) as bars:
                    own = partial(arguments.chosen.options, options=options, of_run=arguments)
                    bench = Workers(team, options, jobs, bars, own=own)
                    results = await runner.analysed(changed.files, bench, stop)
                mute = session.left_out(console, results, changed.in_folders)
                gone = dict.fromkeys(vanished)
                for result in results:
                    if result.reported.path in mute:
                        continue
                    old = _old_name(result.reported, before)
                    if old is not None:
                        gone.pop(old, None)
                        before[result.reported.path] = before.pop(old)
                        console.report(f"{visible(old)}: now {result.reported.shown_path}\n")
                    _say(console, presentation, result, before)
                for name in gone:
                    console.report(f"{visible(name)}: gone\n")
                if not stop.event.is_set():
                    console.message("watching for changes; Ctrl-C ends")
        finally:
            await pool.close()

    _, stopped = runner.run(main, launched.loop)
    return ExitCode.OK if stopped is None else stopped


async def _rounds(named: list[str], stop: Stop) -> AsyncIterator[tuple[Expanded, tuple[str, ...]]]:
    """Yield all files that the names stand for, then those that changed, until `stop`.

    The second value has the names of files that were removed. Watching begins before the first
    files are yielded, so that no save is missed.
    """
    folders = {Path(name) if Path(name).is_dir() else Path(name).parent for name in named}
    roots = sorted(folder.resolve() for folder in folders)
    saved: asyncio.Queue[frozenset[Path]] = asyncio.Queue()

    async def collect() -> None:
        async for paths in files.changes(roots, sources.suffixes(), stop.event):
            saved.put_nowait(frozenset(path.resolve() for path in paths))
        saved.put_nowait(frozenset())  # the end

    collecting = asyncio.create_task(collect())
    try:
        await asyncio.sleep(0)  # lets the watcher start
        first = inputs.expanded(named)
        present = {name: None for name in first.files if Path(name).exists()}
        yield first, ()
        while paths := await saved.get():
            wanted = inputs.expanded(named)
            there = dict.fromkeys(name for name in wanted.files if Path(name).exists())
            again = tuple(name for name in there if Path(name).resolve() in paths)
            vanished = tuple(name for name in present if name not in there)
            present = there
            if again or vanished:
                yield replace(wanted, files=again), vanished
    finally:
        collecting.cancel()


def _old_name(file: ReportedFile, before: Mapping[str, ReportedFile]) -> str | None:
    """Return the old name of a renamed file, which had the same text; None if it is not renamed."""
    if file.path in before:
        return None
    same = (name for name, known in before.items() if known.source.content == file.source.content)
    return next((name for name in same if not Path(name).exists()), None)


def _say(
    console: Console,
    presentation: Presentation,
    result: Result,
    before: dict[str, ReportedFile],
) -> None:
    """Report a file in full the first time, then only differences; remember it."""
    file = result.reported
    session.say_problems(console, file.source, file.diagnostics)
    session.say_ending(console, result)
    if file.report is None or not file.finished:
        return
    earlier = before.get(file.path)
    before[file.path] = file
    if earlier is None:
        console.report(text.mutate((file,), presentation))
        return
    lines = [f"{file.shown_path}:", *_differences(earlier, file, presentation)]
    if len(lines) == 1:
        lines = [f"{file.shown_path}: no verdict changed"]
    lines.append(_sums(file, presentation))
    console.report("\n".join(lines) + "\n")


def _differences(
    earlier: ReportedFile, file: ReportedFile, presentation: Presentation
) -> Iterator[str]:
    style = presentation.style
    verdicts = {found.name: found.verdict for found in earlier.properties}
    for found in file.properties:
        if verdicts.get(found.name) is not found.verdict:
            yield "  " + text.property_line(file, found, presentation)
    stated = {found.name for found in file.properties}
    for name in (name for name in verdicts if name not in stated):
        yield f"  gone: property {name}"
    old = {placed.mutant.mutant: placed.finding for placed in earlier.placed}
    new = {placed.mutant.mutant for placed in file.placed}
    for placed in file.placed:
        finding = old.get(placed.mutant.mutant)
        if finding is None or finding.status is not placed.finding.status:
            was = "new" if finding is None else f"was {finding.status.value}"
            yield f"  {text.mutant_line(file, placed, style)} ({was})"
        elif finding.killed_by != placed.finding.killed_by:
            by = ", ".join(finding.killed_by)
            yield f"  {text.mutant_line(file, placed, style)} (was by [{by}])"
    gone = sum(1 for mutant in old if mutant not in new)
    if gone:
        yield f"  gone: {gone} mutants"


def _sums(file: ReportedFile, presentation: Presentation) -> str:
    assert file.report is not None
    counts = ", ".join(f"{file.count(status)} {status.value}" for status in MutantStatus)
    statistics = file.report.statistics
    sums = (
        f"  {counts} · {statistics.kept} kept, {statistics.replayed} replayed,"
        f" {statistics.reproved} re-proved, {statistics.decided} decided"
    )
    return f"{sums} · {statistics.seconds:.2f} s" if presentation.timings else sums
