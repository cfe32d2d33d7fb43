"""The analysis of one file: proofs, cores, mutants, as a stream of events.

`analyse` is what a worker process, the command line and the tests run; it does no input or
output. What can be kept between two versions of a file lives in `Memory`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

from mutproof.analyses.finding import MutantFinding, PropertyFinding, Statistics
from mutproof.model.language import Elaborated
from mutproof.workspace.options import Options


@dataclass(frozen=True, slots=True)
class Progress:
    """Say how far a stage is: `done` of `total` steps of `stage` (`prove`, `core`, `mutate`)."""

    stage: str
    done: int
    total: int


Event: TypeAlias = "PropertyFinding | MutantFinding | Statistics | Progress"
"""A property may be sent twice: first with its verdict, then with its core."""


@dataclass(frozen=True, slots=True)
class Report:
    """Hold all findings of a run in the order of the file."""

    properties: tuple[PropertyFinding, ...]
    mutants: tuple[MutantFinding, ...]
    statistics: Statistics


class Cancelled(Exception):  # noqa: N818 - an outcome, not an error
    """Say that an analysis was given up because its asker no longer wants it."""


class Memory:
    """Keep what later versions of the same file can reuse: verdicts, certificates, solvers.

    Mutable; owned by one worker.
    """


def analyse(
    elaborated: Elaborated,
    options: Options,
    memory: Memory,
    emit: Callable[[Event], None],
    cancelled: Callable[[], bool],
) -> Report:
    """Prove the properties, find their cores and decide the mutants; emit each as it is found.

    Raises:
        Cancelled: `cancelled` returned true; what was emitted until then stands.
        ValueError: the text has no program (its diagnostics say why).
    """
    raise NotImplementedError
