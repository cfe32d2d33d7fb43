"""The progress bar: a line for each file that is being analysed, on standard error."""

from __future__ import annotations

from types import TracebackType
from typing import TYPE_CHECKING, Self

from mutproof.analyses.claims.finding import MutantFinding, PropertyFinding
from mutproof.base.text import visible
from mutproof.workspace import events
from mutproof.workspace.events import Event
from mutproof.workspace.report import Listing

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

_STAGES = {
    "prove": "proving",
    "core": "cores",
    "mutate": "mutating",
    "certify": "certificates",
    "equivalence": "survivors",
}


class Bars:
    """Draw how far the analyses of files are; mutable, owned by one thread.

    Used as a context manager; draws nothing where `shown` is false.
    """

    def __init__(self, *, shown: bool) -> None:
        self._progress = _drawn() if shown else None
        self._tasks: dict[str, TaskID] = {}
        self._counts: dict[str, dict[str, int]] = {}
        self._told: dict[str, dict[str, str]] = {}  # verdicts on mutants, which are told again

    def __enter__(self) -> Self:
        if self._progress is not None:
            self._progress.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        if self._progress is not None:
            self._progress.stop()

    def started(self, path: str) -> None:
        """Draw a line for a file."""
        if self._progress is not None:
            self._counts[path], self._told[path] = {}, {}
            self._tasks[path] = self._progress.add_task(
                f"{visible(path)} reading", total=None, counts=""
            )

    def happened(self, path: str, event: Listing | Event) -> None:
        """Redraw the line of a file."""
        task = self._tasks.get(path)
        if self._progress is None or task is None:
            return
        counts = self._counts[path]
        match event:
            case Listing():
                label = f"{visible(path)} {_STAGES['prove']}"
                self._progress.update(task, description=label)
            case events.Progress(stage, done, total):
                label = f"{visible(path)} {_STAGES.get(stage, stage)}"
                self._progress.update(task, description=label, completed=done, total=total)
            case MutantFinding() if event.equivalence is not None:
                _count(counts, event.equivalence.status.value)
                self._progress.update(task, counts=_shown(counts))
            case MutantFinding():
                told, status = self._told[path], event.status.value
                if event.mutant in told:
                    counts[told[event.mutant]] -= 1
                told[event.mutant] = status
                _count(counts, status)
                self._progress.update(task, counts=_shown(counts))
            case PropertyFinding() if event.core is None:
                _count(counts, event.verdict.value)
                self._progress.update(task, counts=_shown(counts))
            case _:
                pass

    def ended(self, path: str) -> None:
        """Remove the line of a file."""
        task = self._tasks.pop(path, None)
        if self._progress is not None and task is not None:
            self._progress.remove_task(task)


def _drawn() -> Progress:
    """Return progress bars on standard error; import `rich`, which is slow, on demand."""
    from rich.console import Console as RichConsole
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn
    from rich.progress import TimeElapsedColumn as Elapsed
    from rich.progress import TimeRemainingColumn as Remaining

    return Progress(
        TextColumn("{task.description}", markup=False),
        BarColumn(bar_width=24),
        MofNCompleteColumn(),
        Elapsed(),
        TextColumn("left", style="dim"),
        Remaining(),
        TextColumn("{task.fields[counts]}", markup=False),
        console=RichConsole(stderr=True),
        transient=True,
    )


def _count(counts: dict[str, int], noun: str) -> None:
    counts[noun] = counts.get(noun, 0) + 1


def _shown(counts: dict[str, int]) -> str:
    return " · ".join(f"{count} {noun}" for noun, count in counts.items() if count)
