"""What commands on files share: analyse the files, report problems, write the report."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Literal

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.text import SourceText, visible
from mutproof.cli import alone, excerpt, inputs, surroundings, verdicts
from mutproof.cli.alone import Alone
from mutproof.cli.console import Console, open_folder
from mutproof.cli.exit_codes import ExitCode, most_serious
from mutproof.cli.launch import Launched
from mutproof.cli.progress import Bars
from mutproof.cli.result import EndedRun, Result
from mutproof.reporters import REPORTERS
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.reproducible import reproducible
from mutproof.runtime import memory
from mutproof.runtime.jobs import JobOutcome, default_jobs
from mutproof.workspace.options import Options

if TYPE_CHECKING:
    from mutproof.cli.baseline import AcceptedGaps
    from mutproof.cli.certification import Certification

_NAMED = 3

Kind = Literal["prove", "core", "mutate", "equivalent", "suggest", "advise", "tests"]


def report(
    arguments: Namespace,
    kind: Kind,
    options: Options,
    judge: Callable[[ReportedFile], ExitCode],
    *,
    launched: Launched,
    overall: Callable[[tuple[ReportedFile, ...]], tuple[ExitCode, str]] | None = None,
    then: Callable[[tuple[ReportedFile, ...], Console], ExitCode | None] | None = None,
    keeps: bool = False,
) -> ExitCode:
    """Analyse the files of the arguments, write one report on all, return the exit code.

    `judge` returns the exit code for one file, `overall` that for all files, with a message.
    `launched` is the first worker. `then` is done with the files once the report is written, and
    may have an exit code of its own; if it `keeps` what was found, also where the run was stopped.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    expanded = inputs.expanded(arguments.files)
    console = Console.of(arguments, expanded.files)
    if getattr(arguments, "traces", None) is not None:
        open_folder(Path(arguments.traces), "traces", "name another folder with --traces")
    for problem in expanded.wrong:
        say_problems(console, problem.source, problem.diagnostics)
    certification = _certification(arguments)
    baseline = accepted_gaps(arguments)
    results, stopped = _analysed(
        expanded.files, options, arguments, launched, console=console, certification=certification
    )
    if certification is not None:
        results = certification.concluded(results, console, stopped=stopped is not None)
    ended = EndedRun(results, stopped, expanded, partial(of_file, options, arguments))
    return told(
        arguments,
        kind,
        options,
        judge,
        console=console,
        ended=ended,
        baseline=baseline,
        overall=overall,
        then=then,
        keeps=keeps,
    )


def of_file(options: Options, arguments: Namespace, name: str) -> Options:
    """Return the options for a file by those of a run."""
    own: Options = arguments.chosen.options(name, options=options, of_run=arguments)
    earlier = getattr(arguments, "earlier_texts", None)
    return own if earlier is None else replace(own, since=earlier(name))


def told(
    arguments: Namespace,
    kind: Kind,
    options: Options,
    judge: Callable[[ReportedFile], ExitCode],
    *,
    console: Console,
    ended: EndedRun,
    baseline: AcceptedGaps | None = None,
    overall: Callable[[tuple[ReportedFile, ...]], tuple[ExitCode, str]] | None = None,
    then: Callable[[tuple[ReportedFile, ...], Console], ExitCode | None] | None = None,
    keeps: bool = False,
) -> ExitCode:
    """Write one report on what a run found, as `report` does, and return the exit code.

    Raises:
        UserError: the report or a baseline cannot be written.
    """
    results, stopped, expanded = ended.results, ended.stopped, ended.expanded
    if arguments.no_timings and not arguments.stats:
        results = tuple(map(_reproducible, results))
    if baseline is not None:
        results = _accepted(baseline, results, arguments, ended.own, console=console)
    mute = left_out(console, results, expanded.in_folders)
    for result in results:
        if result.reported.path not in mute:
            say_problems(console, result.reported.source, result.reported.diagnostics)
            say_suppressions(console, result.reported, ended.own)
    files = tuple(result.reported for result in results)
    write = writer(kind, arguments.format)
    shown = presentation(arguments, console, options)
    shown = replace(shown, repository=surroundings.repository(file.path for file in files))
    if options.shard[1] > 1:
        from mutproof.cli import shards

        shown = replace(
            shown, shard=shards.document(ended, results, options, timings=shown.timings)
        )
    report_text = write(files, shown)
    console.report(report_text)
    summary = None if kind in {"suggest", "tests"} else REPORTERS[arguments.format].summary
    if summary is not None:
        surroundings.add_summary(summary(files, shown))
    for result in results:
        say_ending(console, result)
        left_alone = result.reported.left_alone
        if left_alone not in report_text:
            console.message(f"{result.reported.shown_path}: {left_alone}")
    if getattr(arguments, "traces", None) is not None:
        from mutproof.cli import trace_files

        count = trace_files.write(files, Path(arguments.traces), arguments.trace_format)
        console.message(f"{count} trace{'' if count == 1 else 's'} in {arguments.traces}")
    skips = stopped is not None and not keeps
    done = None if then is None or skips else then(files, console)
    if arguments.output is not None:
        console.message(f"the report is in {arguments.output}")
    if stopped is not None:
        nothing_more = "" if then is None or keeps else ", and nothing but it is written"
        console.problem(f"interrupted: the report holds what was found until then{nothing_more}")
        return stopped
    codes = [ExitCode.UNUSABLE] if expanded.wrong else []
    if done is not None:
        codes.append(done)
    for result in results:
        codes.append(ExitCode.OK if result.reported.path in mute else result.exit_code)
        if result.reported.report is not None:
            codes.append(judge(result.reported))
            if codes[-1] is ExitCode.BASELINE:
                console.message(verdicts.baseline_note(result.reported))
    if kind in {"mutate", "equivalent"} and arguments.format == "text":
        step = verdicts.next_step(files)
        if step:
            console.hint(step)
    if overall is not None:
        code, note = overall(files)
        codes.append(code)
        if note:
            console.message(note)
    return most_serious(codes)


def _reproducible(result: Result) -> Result:
    """Return a result without what another run may find differently."""
    file = result.reported
    if file.report is None:
        return result
    pairs = file.pairs
    if pairs is not None and pairs.found is not None and pairs.found.report is not None:
        again = reproducible(pairs.found.report)
        pairs = replace(pairs, found=replace(pairs.found, report=again))
    return replace(result, reported=replace(file, report=reproducible(file.report), pairs=pairs))


def writer(kind: Kind, name: str) -> Callable[[tuple[ReportedFile, ...], Presentation], str]:
    """Return the function that writes a report of a kind in the named format."""
    if kind == "suggest":
        from mutproof.reporters import suggestions

        return suggestions.writer(name)
    if kind == "advise":
        from mutproof.reporters import advice

        return advice.FORMATS[name]
    if kind == "tests":
        from mutproof.reporters import suites

        return suites.REPORTS[name]
    reporter = REPORTERS[name]
    return {
        "prove": reporter.prove,
        "core": reporter.core,
        "mutate": reporter.mutate,
        "equivalent": reporter.equivalent or reporter.mutate,
    }[kind]


def most_bytes(arguments: Namespace, jobs: int) -> int | None:
    """Return how much memory a worker may use."""
    if arguments.memory is None:
        return memory.default_bytes(jobs)
    return int(arguments.memory) * memory.MEBIBYTE


def presentation(arguments: Namespace, console: Console, options: Options) -> Presentation:
    """Return the presentation of the report by the arguments."""
    return Presentation(
        console.report_style,
        timings=not arguments.no_timings,
        statistics=arguments.stats,
        width=console.width,
        all_mutants=getattr(arguments, "all_mutants", False),
        mutants=frozenset(options.survivors),
        config={
            "level": options.level,
            "operators": list(options.operators),
            "properties": list(options.properties),
            "rlimit": options.budget.rlimit,
            **(
                {
                    "best": arguments.best,
                    "restating": arguments.restating,
                    "elements": list(options.elements),
                }
                if options.suggest
                else {}
            ),
            **({"advise": list(options.advise)} if options.advise else {}),
        },
    )


def left_out(
    console: Console, results: tuple[Result, ...], in_folders: frozenset[str]
) -> frozenset[str]:
    """Report the models without properties that were found in folders beside others; return them.

    They stay in the report, but are no reason to fail.
    """
    mute = [
        result.reported.path
        for result in results
        if result.reported.path in in_folders and inputs.states_nothing(result.reported)
    ]
    if not mute or len(mute) == len(results):
        return frozenset()
    noun = "model without properties is" if len(mute) == 1 else "models without properties are"
    more = f", and {len(mute) - _NAMED} more" if len(mute) > _NAMED else ""
    console.problem(f"{len(mute)} {noun} left out: {', '.join(map(visible, mute[:_NAMED]))}{more}")
    return frozenset(mute)


def say_problems(console: Console, source: SourceText, diagnostics: tuple[Diagnostic, ...]) -> None:
    """Write the diagnostics of a file; `--quiet` leaves errors only."""
    # Hints are in the report.
    diagnostics = tuple(d for d in diagnostics if d.severity is not Severity.HINT)
    if console.quiet:
        diagnostics = tuple(d for d in diagnostics if d.severity is Severity.ERROR)
    if diagnostics:
        console.problem(excerpt.rendered(source, diagnostics, console.message_style))


def say_suppressions(console: Console, file: ReportedFile, own: Callable[[str], Options]) -> None:
    """Write what is wrong with comments of a file that suppress mutants."""
    if file.report is not None and file.report.mutants:
        from mutproof.cli import suppressions

        say_problems(console, file.source, suppressions.warnings(file, own(file.path)))


def say_ending(console: Console, result: Result) -> None:
    """Write how the analysis of a file ended, unless it ended well."""
    ending, path = result.ending, result.reported.shown_path
    label = console.message_style.paint("bad", "error")
    match None if ending is None else ending.outcome:
        case JobOutcome.FAILED:
            assert ending is not None
            console.problem(f"{path}: {label}[internal-error]: {ending.message}")
            console.problem("  = help: this is a defect of mutproof; please report it")
        case JobOutcome.EXHAUSTED:
            assert ending is not None
            console.problem(f"{path}: {label}[out-of-memory]: {ending.message}")
            console.problem("  = help: give workers more with --memory; the rest is unknown")
        case JobOutcome.TOO_LARGE:
            assert ending is not None
            console.problem(f"{path}: {label}[number-too-large]: {ending.message}")
            console.problem("  = help: what was not decided is reported as unknown")
        case JobOutcome.CRASHED:
            assert ending is not None
            console.problem(f"{path}: {label}[solver-crash]: {ending.message}")
            console.problem("  = help: what was not decided is reported as unknown")
        case _:
            pass


def accepted_gaps(arguments: Namespace) -> AcceptedGaps | None:
    """Return the gaps that the baseline of the arguments accepts, None where there is none.

    Raises:
        UserError: it cannot be read.
    """
    if not hasattr(arguments, "baseline"):
        return None
    from mutproof.cli.baseline import AcceptedGaps

    return AcceptedGaps.of(arguments)


def _accepted(
    baseline: AcceptedGaps,
    results: tuple[Result, ...],
    arguments: Namespace,
    own: Callable[[str], Options],
    *,
    console: Console,
) -> tuple[Result, ...]:
    """Return the results with the gaps that a baseline accepts; update it if asked."""
    results = baseline.applied(results, own)
    if not arguments.update_baseline:
        baseline.conclude(console)
        return results
    if not all(result.reported.finished for result in results):
        console.problem("the baseline stays as it was: the run did not reach its end")
        return results
    return baseline.updated(
        results,
        console,
        reason=arguments.reason,
        expires=arguments.expires or "",
        disposition=arguments.disposition or "",
    )


def _certification(arguments: Namespace) -> Certification | None:
    if getattr(arguments, "certify", None) is None:
        return None
    from mutproof.cli.certification import Certification

    return Certification.of(arguments)


def _analysed(
    names: tuple[str, ...],
    options: Options,
    arguments: Namespace,
    launched: Launched,
    *,
    console: Console,
    certification: Certification | None,
) -> tuple[tuple[Result, ...], ExitCode | None]:
    keep = None if certification is None else certification.keep
    own = partial(of_file, options, arguments)
    jobs = arguments.jobs or default_jobs()
    limit = most_bytes(arguments, jobs)
    fork, first = launched.fork, names[0] if len(names) == 1 else None
    deadline = None
    with Bars(shown=console.progress) as bars:
        if fork is not None and first is not None and keep is None:
            bench = Alone(fork, options, own(first), bars, limit, jobs)
            if alone.suffices(first, bench.options):
                try:
                    return alone.analysed(first, bench)
                except alone.OthersNeededError as error:
                    deadline = error.deadline
        from mutproof.cli import workforce  # slow to import

        workers = workforce.RunOfFiles(
            options, arguments, console, bars, keep, own, limit, deadline
        )
        return workforce.analysed(names, workers, launched)
