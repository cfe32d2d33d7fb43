"""Jobs for workers, and how they can end."""

from __future__ import annotations

from enum import Enum

from mutproof.base.record import dataclass
from mutproof.model.program import ElementId
from mutproof.workspace.options import Options


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


CRASH_REASON = "the solver process crashed"
FAILURE_REASON = "an internal error"
