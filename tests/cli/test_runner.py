"""What becomes of a run whose workers die, fail or are given up; no solver needed."""

from __future__ import annotations

import asyncio
import sys
from dataclasses import replace
from pathlib import Path

import pytest
import toy

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyVerdict
from mutproof.base.digest import digest_parts
from mutproof.cli import option_values, runner, verdicts
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.progress import Bars
from mutproof.cli.runner import Result, Stop, Workers
from mutproof.reporters import REPORTERS
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.style import Style
from mutproof.runtime.jobs import CRASH_REASON
from mutproof.runtime.pool import Pool
from mutproof.workspace import sources
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

MODEL = "x = a > b;\ny = x > c;\nprove y;\n"
TOY = (sys.executable, toy.__file__)


@pytest.fixture(autouse=True)
def toy_language(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sources, "language_of", lambda _: toy.TOY)


def analysed(
    path: Path,
    text: str,
    command: tuple[str, ...] = TOY,
    *,
    options: Options | None = None,
    stop_after: int | None = None,
) -> Result:
    """Run one file; `stop_after` that many events the user wants no more."""
    path.write_text(text)
    stop = Stop()

    class Watching(Bars):
        events = 0

        def happened(self, path: str, event: object) -> None:
            self.events += 1
            if self.events == stop_after:
                stop.event.set()

    async def main() -> tuple[Result, ...]:
        stop.event = asyncio.Event()
        pool = Pool(command)
        try:
            bench = Workers(pool, options or Options(), 1, Watching(shown=False))
            return await runner.analysed([str(path)], bench, stop)
        finally:
            await pool.close()

    (result,) = asyncio.run(main())
    return result


@pytest.mark.parametrize(("defects", "code"), [(0, ExitCode.OK), (1, ExitCode.BUG)])
def test_a_withdrawn_verdict_is_a_defect(tmp_path: Path, defects: int, code: ExitCode) -> None:
    result = analysed(tmp_path / "a.toy", MODEL)
    report = result.reported.report
    assert report is not None
    counted = replace(report, statistics=replace(report.statistics, defects=defects))

    assert code == replace(result, reported=replace(result.reported, report=counted)).exit_code


def test_a_good_run_finds_everything(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", MODEL)
    file = result.reported

    assert [PropertyVerdict.PROVED] == [found.verdict for found in file.properties]
    assert file.count(MutantStatus.KILLED) == file.count(MutantStatus.SURVIVED) == 2
    assert result.exit_code is ExitCode.OK
    assert verdicts.of_mutants(file) is ExitCode.SURVIVORS
    assert verdicts.of_survivors(file) is ExitCode.UNDECIDED  # none of them was compared
    killed = [p.mutant.shown for p in file.placed if p.finding.status is MutantStatus.KILLED]
    assert verdicts.of_survivors(file, killed) is ExitCode.OK
    assert file.finished


def test_a_worker_that_dies_leaves_unknowns_with_a_reason(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", MODEL + "-- crash")
    file = result.reported

    unknown = [
        placed.finding.reason
        for placed in file.placed
        if placed.finding.status is MutantStatus.UNKNOWN
    ]
    assert unknown == [CRASH_REASON] * 2
    assert len(file.placed) == 4
    assert [PropertyVerdict.PROVED] == [found.verdict for found in file.properties]
    (found,) = file.properties
    assert found.cores is not None
    assert (False, CRASH_REASON) == (found.cores.complete, found.cores.reason)
    assert verdicts.of_survivors(file) is verdicts.of_suggestions(file) is ExitCode.UNDECIDED


def test_a_worker_that_dies_leaves_open_with_a_reason_what_else_kills(tmp_path: Path) -> None:
    text = MODEL.replace("prove", "prove x;\nprove") + "-- early\n-- crash\n-- hint"
    file = analysed(tmp_path / "model.toy", text).reported

    killed = [m.finding for m in file.placed if m.finding.status is MutantStatus.KILLED]
    assert [("y",)] * 2 == [finding.undecided for finding in killed]
    assert [CRASH_REASON] * 2 == [finding.reason for finding in killed]
    for form in REPORTERS:
        if form.name in {"text", "json"}:
            assert CRASH_REASON in form.mutate((file,), Presentation())


def test_cores_that_were_not_looked_for_to_the_end_are_said_to_be_incomplete(
    tmp_path: Path,
) -> None:
    result = analysed(tmp_path / "model.toy", MODEL + "-- slow", stop_after=4)

    about_cores = [form for form in REPORTERS if form.core is not form.prove]
    assert {"text", "json", "html"} <= {form.name for form in about_cores}
    for form in about_cores:
        text = form.core((result.reported,), Presentation())
        assert "the run was given up" in text


def test_a_worker_that_never_starts_proves_nothing(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", MODEL, (sys.executable, "-c", "raise SystemExit(3)"))

    (found,) = result.reported.properties
    assert (found.verdict, found.reason) == (PropertyVerdict.UNKNOWN, CRASH_REASON)
    assert verdicts.of_properties(result.reported) is ExitCode.UNKNOWN
    assert verdicts.of_mutants(result.reported) is ExitCode.BASELINE


def test_a_run_that_is_given_up_keeps_what_it_found(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", MODEL + "-- slow", stop_after=4)

    assert not result.reported.finished
    assert [PropertyVerdict.PROVED] == [found.verdict for found in result.reported.properties]
    assert result.reported.placed == ()
    assert result.reported.report is not None
    statistics = result.reported.report.statistics
    assert statistics.properties_proved == 1
    assert statistics.seconds > 0


def test_an_analysis_that_overruns_its_time_leaves_unknowns(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", MODEL + "-- deaf", options=Options(timeout_s=3.0))
    file = result.reported

    assert file.finished
    assert {placed.finding.status for placed in file.placed} <= {MutantStatus.UNKNOWN}
    assert {placed.finding.reason for placed in file.placed} <= {"out of time"}
    assert len(file.properties) == 1
    assert verdicts.of_mutants(file) in {ExitCode.UNDECIDED, ExitCode.BASELINE}


def test_an_unknown_property_is_refused_with_the_names_there_are(tmp_path: Path) -> None:
    with pytest.raises(UserError, match="no property is called 'z'") as caught:
        analysed(tmp_path / "model.toy", MODEL, options=Options(properties=("z",)))

    assert caught.value.code == "unknown-property"
    assert caught.value.way_out == "there is y"


def test_names_with_commas_between_them_are_to_be_given_one_by_one() -> None:
    told = option_values.unknown("property", "safe,live", ["safe", "live", "fair"])
    assert told.way_out == "name each by itself: --property safe --property live"
    assert told.question == ""
    told = option_values.unknown("property", "safe,life", ["safe", "live", "fair"])
    assert told.way_out == "there are safe, live, fair"


def test_a_file_with_errors_is_not_analysed(tmp_path: Path) -> None:
    result = analysed(tmp_path / "model.toy", "what?\n")

    assert result.reported.report is None
    assert result.ending is None
    assert result.exit_code is ExitCode.UNUSABLE


def test_at_a_terminal_the_next_step_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "model.toy"
    survived = analysed(path, MODEL, options=Options(mutate=True)).reported
    found = survived.report
    assert found is not None

    def having(*mutants: MutantFinding) -> ReportedFile:
        return replace(survived, report=replace(found, mutants=mutants))

    killed = having(*(one for one in found.mutants if one.killed_by))
    assert "" == verdicts.next_step([killed])
    step = verdicts.next_step([killed, survived])
    assert "`mutproof equivalent" in step
    assert "`mutproof suggest" in step
    gaps = Equivalence(EquivalenceStatus.GAP, "outputs")
    left = [replace(one, equivalence=gaps) for one in found.mutants if not one.killed_by]
    step = verdicts.next_step([having(*left)])
    assert step.startswith("next: `mutproof suggest")

    style = Style(colour=False)
    console = Console(None, style, style, progress=False, quiet=False, width=80)
    console.hint(step)
    assert "" == capsys.readouterr().err
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    console.hint(step)
    assert f"{step}\n" == capsys.readouterr().err


def test_the_progress_bar_says_that_what_was_read_is_being_proved() -> None:
    bars = Bars(shown=True)
    bars.started("a.toy")
    assert bars._progress is not None
    (task,) = bars._progress.tasks
    assert "a.toy reading" == task.description
    bars.happened("a.toy", Listing(digest_parts("program"), (), ()))
    assert "a.toy proving" == task.description


def test_the_progress_bar_counts_a_mutant_once_however_often_it_is_told() -> None:
    bars = Bars(shown=True)
    bars.started("a.toy")
    for mutant, status in (("m", "UNKNOWN"), ("m", "KILLED"), ("m", "KILLED"), ("n", "SURVIVED")):
        bars.happened("a.toy", MutantFinding(mutant, MutantStatus[status]))
    assert bars._progress is not None
    (task,) = bars._progress.tasks
    assert "1 killed · 1 survived" == task.fields["counts"]


def test_what_a_run_gives_is_not_made_a_text() -> None:
    """Tasks are shown with their results while signals are looked at; these may be large."""

    class Shown:
        def __repr__(self) -> str:
            pytest.fail("it was shown")

    async def main(_: Stop) -> Shown:
        return Shown()

    with asyncio.Runner() as loop:
        found, code = runner.run(main, loop)
    assert isinstance(found, Shown)
    assert code is None
