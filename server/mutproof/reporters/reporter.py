"""What a report format is: the record that every format defines once."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import field

from mutproof.base.record import dataclass
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.style import Style


@dataclass(frozen=True, slots=True)
class Presentation:
    """Choose how a report looks; the findings in it do not depend on these.

    `timings` are left out where the same input must give the same bytes; `statistics` adds how the
    verdicts were obtained; `width` is in characters; `config` are the options of the run as they
    are to be shown, in order. Of the gaps, reports for users show one for each behaviour that no
    other one implies, unless `all_mutants`; counts do not depend on it. `mutants` are the names of
    the only survivors that were asked for, empty for all of them. `shard` is the encoded part
    by which the report can be merged with those of other shards; None for a report of the whole.
    `repository` maps names of files to those relative to the root of the repository.
    """

    style: Style = field(default_factory=Style)
    timings: bool = True
    statistics: bool = False
    width: int = 100
    config: Mapping[str, object] = field(default_factory=dict)
    all_mutants: bool = False
    mutants: frozenset[str] = frozenset()
    shard: Mapping[str, object] | None = None
    repository: Mapping[str, str] = field(default_factory=dict)

    def named(self, path: str) -> str:
        """Return how a file is called in its repository, by the name the user wrote."""
        return self.repository.get(path, path)


@dataclass(frozen=True, slots=True)
class Reporter:
    """Describe a format: for each kind of run a function from the files to the report.

    A format without `equivalent` shows survivors as its `mutate` does. `summary`, if any, writes
    the summary of a CI job.
    """

    name: str
    prove: Callable[[tuple[ReportedFile, ...], Presentation], str]
    core: Callable[[tuple[ReportedFile, ...], Presentation], str]
    mutate: Callable[[tuple[ReportedFile, ...], Presentation], str]
    equivalent: Callable[[tuple[ReportedFile, ...], Presentation], str] | None = None
    summary: Callable[[tuple[ReportedFile, ...], Presentation], str] | None = None
