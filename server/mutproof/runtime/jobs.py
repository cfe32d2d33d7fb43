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
    memory of the file.
    """

    key: str
    name: str
    language: str
    text: str
    options: Options
    attention: frozenset[ElementId] = frozenset()
    evidence: bytes | None = None


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
