"""What a user can set, read from whatever a client sends; wrong values keep the default."""

from __future__ import annotations

import json
import math
import os
from collections.abc import Callable, Iterable, Mapping
from dataclasses import field, replace
from typing import Any, Final, TypeGuard

from mutproof.analyses.claims.observation import Scope
from mutproof.base.budget import Budget
from mutproof.base.record import dataclass
from mutproof.base.registry import Registry
from mutproof.runtime import memory
from mutproof.workspace.options import LEVELS, Options

RUNS: Final = ("onSave", "onOpenAndSave", "manual")
CORE_LIMIT: Final = 200
CORE_SECONDS: Final = 20.0
"""Limits of the search for all cores of one property: an editor cannot show more of them."""

MOST_SECONDS: Final = 1e8
MOST_WORK: Final = 2**32 - 1
MOST_JOBS: Final = 1024
"""The largest number of jobs; higher settings count as this."""


def default_jobs() -> int:
    """Return how many solver processes work at a time, at low priority.

    One processor is left to the editor where there are more than two.
    """
    count = os.cpu_count() or 2
    return min(count, max(2, count - 1))


@dataclass(frozen=True, slots=True)
class Settings:
    """Hold the settings of section `mutproof`.

    `most_mutants`: the most that are decided of a file (0: all). `memory_mb`: mebibytes of a worker
    (0: a share of the machine). `equivalence`: decide for survivors whether they are equivalent or
    gaps. `all_cores`: look for all minimal cores of every property. `suggestions`: when all is
    decided, look for properties that close gaps. `invariants`: find out which mutants break
    invariants that the engines find. `advice`: when all is decided, check meta-properties.
    `all_mutants`: show a diagnostic for each survivor, not only for the most informative ones.
    """

    level: str = "default"
    most_mutants: int = 0
    run: str = "onOpenAndSave"
    rlimit: int = field(default_factory=lambda: Budget().rlimit)
    timeout_s: float = field(default_factory=lambda: Budget().timeout_s)
    equivalence: bool = True
    all_cores: bool = False
    suggestions: bool = True
    invariants: bool = False
    advice: bool = False
    all_mutants: bool = False
    jobs: int = field(default_factory=default_jobs)
    memory_mb: int = 0
    code_lens: bool = True
    inlay_hints: bool = False

    @property
    def options(self) -> Options:
        """Return the options of the analysis."""
        asked = Options(
            level=self.level,
            most_mutants=self.most_mutants,
            budget=Budget(self.rlimit, self.timeout_s),
            equivalence=Scope.OUTPUTS.value if self.equivalence else "",
            invariants=self.invariants,
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


@dataclass(frozen=True, slots=True)
class Setting:
    """Describe a setting: `name` in section `mutproof`, `field` of `Settings`, legal values.

    `read` converts a value from a client, None if it is wrong. `schema` describes the values to
    editors.
    """

    name: str
    field: str
    read: Callable[[object], object]
    schema: Mapping[str, object]


def choice(name: str, field: str, values: Mapping[str, object]) -> Setting:
    """Return a setting that is one of some words, given the value of each."""

    def read(value: object) -> object:
        return values.get(value) if isinstance(value, str) else None

    return Setting(name, field, read, {"type": "string", "enum": list(values)})


def switch(name: str, field: str) -> Setting:
    """Return a setting that is on or off."""
    schema = {"type": "boolean"}
    return Setting(name, field, lambda value: value if isinstance(value, bool) else None, schema)


def whole(
    name: str, field: str, *, least: int = 0, most: float = math.inf, shown_least: int = 1
) -> Setting:
    """Return a setting that is a whole number, clamped to the bounds.

    Editors offer none below `shown_least`.
    """

    def read(value: object) -> object:
        return int(min(most, max(least, int(value)))) if _is_number(value) else None

    return Setting(name, field, read, {"type": ["integer", "null"], "minimum": shown_least})


def seconds(name: str, field: str) -> Setting:
    """Return a setting that is a time in seconds."""

    def read(value: object) -> object:
        return min(MOST_SECONDS, max(0.001, float(value))) if _is_number(value) else None

    return Setting(name, field, read, {"type": ["number", "null"], "exclusiveMinimum": 0})


SETTINGS: Final = Registry(
    "setting",
    (
        choice("level", "level", {level: level for level in LEVELS}),
        whole("mostMutants", "most_mutants"),
        choice("run", "run", {run: run for run in RUNS}),
        choice("equivalence", "equivalence", {"on": True, "off": False}),
        choice("cores", "all_cores", {"one": False, "all": True}),
        whole("budget.rlimit", "rlimit", least=1, most=MOST_WORK),
        seconds("budget.timeoutSeconds", "timeout_s"),
        whole("jobs", "jobs", least=1, most=MOST_JOBS),
        whole("memoryMegabytes", "memory_mb", shown_least=100),
        switch("suggestions.enable", "suggestions"),
        switch("invariants.enable", "invariants"),
        switch("advice.enable", "advice"),
        switch("diagnostics.allMutants", "all_mutants"),
        switch("codeLens.enable", "code_lens"),
        switch("inlayHints.enable", "inlay_hints"),
    ),
)
"""All settings, in the order in which editors show them."""


def read(value: object, settings: Iterable[Setting] = SETTINGS) -> Settings:
    """Return the settings in a value of section `mutproof`, nested or with dotted names."""
    found = {
        setting.field: setting.read(_get(value, *setting.name.split("."))) for setting in settings
    }
    given: dict[str, Any] = {field: one for field, one in found.items() if one is not None}
    return replace(Settings(), **given)


def refused(value: object, settings: Iterable[Setting] = SETTINGS) -> str:
    """Return which values in such a section are none of their settings; empty if all are."""
    wrong = []
    for setting in settings:
        given = _get(value, *setting.name.split("."))
        if given is not None and setting.read(given) is None:
            legal = setting.schema.get("enum") or setting.schema["type"]
            words = [str(one) for one in legal if one != "null"] if isinstance(legal, list) else []
            allowed = " or ".join(words) or str(legal)
            wrong.append(f"setting {setting.name} cannot be {json.dumps(given)}: {allowed}")
    return "; ".join(wrong)


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
