"""What a user can set, read from whatever a client sends; wrong values keep the default."""

from __future__ import annotations

import math
import os
from dataclasses import field, replace
from typing import Final, TypeGuard

from mutproof.analyses.equivalence.observation import Scope
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.runtime import memory
from mutproof.workspace.options import LEVELS, Options

RUNS: Final = ("onSave", "onOpenAndSave", "manual")
EQUIVALENCE: Final = {"on": True, "off": False}
CORES: Final = {"one": False, "all": True}
CORE_LIMIT: Final = 200
CORE_SECONDS: Final = 20.0
"""Limits of the search for all cores of one property: an editor cannot show more of them."""

MOST_SECONDS: Final = 1e8
MOST_WORK: Final = 2**32 - 1
MOST_JOBS: Final = 1024
"""What is set higher counts as so much."""


def default_jobs() -> int:
    """Return how many solver processes work at a time, at low priority.

    One processor is left to the editor where there are more than two.
    """
    count = os.cpu_count() or 2
    return min(count, max(2, count - 1))


@dataclass(frozen=True, slots=True)
class Settings:
    """Hold the settings of section `mutproof`.

    `most_mutants`: no more are decided of a file (0: all). `memory_mb`: mebibytes of a
    worker (0: a share of the machine). `equivalence`: survivors are told
    apart, equivalent ones from gaps. `all_cores`: all minimal cores of every property are looked
    for.
    """

    level: str = "default"
    most_mutants: int = 0
    run: str = "onOpenAndSave"
    budget: Budget = field(default_factory=Budget)
    equivalence: bool = True
    all_cores: bool = False
    jobs: int = field(default_factory=default_jobs)
    memory_mb: int = 0
    code_lens: bool = True
    inlay_hints: bool = False

    @property
    def options(self) -> Options:
        """Return what is asked of the analysis."""
        asked = Options(
            level=self.level,
            most_mutants=self.most_mutants,
            budget=self.budget,
            equivalence=Scope.OUTPUTS.value if self.equivalence else "",
        )
        if not self.all_cores:
            return asked
        return replace(asked, core_search="all", core_limit=CORE_LIMIT, core_seconds=CORE_SECONDS)

    @property
    def most_bytes(self) -> int | None:
        """Return how much memory a worker may use, None for any amount."""
        if self.memory_mb:
            return self.memory_mb * memory.MEBIBYTE
        return memory.default_bytes(self.jobs)

    @property
    def runs_on_open(self) -> bool:
        """Tell whether opening a file starts a run."""
        return self.run == "onOpenAndSave"

    @property
    def runs_on_save(self) -> bool:
        """Tell whether saving a file starts a run."""
        return self.run != "manual"


def read(value: object) -> Settings:
    """Return the settings in a value of section `mutproof`, nested or with dotted names."""
    found = Settings()
    level, run = _get(value, "level"), _get(value, "run")
    if level in LEVELS:
        found = replace(found, level=str(level))
    if run in RUNS:
        found = replace(found, run=str(run))
    equivalence, cores = _get(value, "equivalence"), _get(value, "cores")
    if isinstance(equivalence, str) and equivalence in EQUIVALENCE:
        found = replace(found, equivalence=EQUIVALENCE[equivalence])
    if isinstance(cores, str) and cores in CORES:
        found = replace(found, all_cores=CORES[cores])
    budget = found.budget
    rlimit, timeout = _get(value, "budget", "rlimit"), _get(value, "budget", "timeoutSeconds")
    if _is_number(rlimit):
        budget = Budget(min(MOST_WORK, max(1, int(rlimit))), budget.timeout_s)
    if _is_number(timeout):
        budget = Budget(budget.rlimit, min(MOST_SECONDS, max(0.001, float(timeout))))
    megabytes = _get(value, "memoryMegabytes")
    jobs, most = _get(value, "jobs"), _get(value, "mostMutants")
    lens, hints = _get(value, "codeLens", "enable"), _get(value, "inlayHints", "enable")
    return replace(
        found,
        budget=budget,
        most_mutants=max(0, int(most)) if _is_number(most) else found.most_mutants,
        memory_mb=max(0, int(megabytes)) if _is_number(megabytes) else found.memory_mb,
        jobs=min(MOST_JOBS, max(1, int(jobs))) if _is_number(jobs) else found.jobs,
        code_lens=lens if isinstance(lens, bool) else found.code_lens,
        inlay_hints=hints if isinstance(hints, bool) else found.inlay_hints,
    )


def plain(value: object) -> object:
    """Return a value of the protocol library as dictionaries and lists."""
    if isinstance(value, dict):
        return {key: plain(part) for key, part in value.items()}
    if hasattr(value, "_asdict"):
        return plain(value._asdict())
    return value


def _is_number(value: object) -> TypeGuard[int | float]:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return False
    return math.isfinite(value)


def _get(value: object, *path: str) -> object:
    if isinstance(value, dict) and ".".join(path) in value:
        return value[".".join(path)]
    for part in path:
        if not isinstance(value, dict) or part not in value:
            return None
        value = value[part]
    return value
