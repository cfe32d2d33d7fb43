"""Jobs for workers, and how they can end."""

from __future__ import annotations

import os
from collections.abc import Callable
from enum import Enum
from typing import Final, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.workspace.events import Event
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing

Listener: TypeAlias = Callable[["Listing | Event"], None]

SHARE_CHARACTERS: Final = 2_000
"""The characters of text for each worker that takes part from the beginning."""


@dataclass(frozen=True, slots=True)
class Job:
    """Ask for the analysis of one version of a file; `key` names the file.

    Mutants of the elements in `attention` are decided first. `evidence`, if given, replaces the
    memory of the file. `extent` is how many characters its text has, that of a module counted for
    each instance; 0 if unknown.
    """

    key: str
    name: str
    language: str
    text: str
    options: Options
    attention: frozenset[ElementId] = frozenset()
    evidence: bytes | None = None
    extent: int = 0

    @property
    def is_whole(self) -> bool:
        """Tell whether one worker does it: only one certifies, brief cores follow the proofs."""
        options = self.options
        if options.certify or options.suggest or options.suite:
            return True
        return not (options.mutate or (options.cores and options.core_search != "brief"))

    def shares(self, characters: int = SHARE_CHARACTERS) -> int:
        """Return how many workers it is worth, one for each so many characters."""
        return 1 if self.is_whole else max(1, max(len(self.text), self.extent) // characters)


class JobOutcome(Enum):
    """Say how a job ended; only DONE means that everything was decided or is UNKNOWN."""

    DONE = "done"
    CANCELLED = "cancelled"
    NO_PROGRAM = "no-program"  # the text has errors; its diagnostics say which
    FAILED = "failed"  # a bug: the worker raised and lives on
    EXHAUSTED = "exhausted"  # the worker took too much memory, and was ended
    TOO_LARGE = "too-large"  # a number had too many digits to be computed
    CRASHED = "crashed"  # the worker died, twice


@dataclass(frozen=True, slots=True)
class Ending:
    """Say how a job ended and, for a failure, why."""

    outcome: JobOutcome
    message: str = ""


def default_jobs() -> int:
    """Return how many files to analyse at a time: one for each processor this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return max(1, len(os.sched_getaffinity(0)))
    return os.cpu_count() or 1


CRASH_REASON = "the solver process crashed"
FAILURE_REASON = "an internal error"
