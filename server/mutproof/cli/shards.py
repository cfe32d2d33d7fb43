"""Shards: runs on parts of the mutants, whose reports are merged into one."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mutproof.cli.failure import UserError

if TYPE_CHECKING:
    from mutproof.cli.result import EndedRun, Result
    from mutproof.reporters.shard_document import Shard, ShardedFile
    from mutproof.workspace.options import Options

_MOST: Final = 100_000
_WHOLE: Final = (0, 1)


def add_shard(parser: ArgumentParser) -> None:
    """Add which part of the mutants a run is about."""
    group = parser.add_argument_group("many machines")
    group.add_argument(
        "--shard",
        type=_shard,
        default=_WHOLE,
        metavar="K/N",
        help="decide only the K-th of N parts of the mutants, 1 to N, and write a JSON report for"
        " `mutproof merge`; the exit code says only whether the run went well",
    )
    group.add_argument(
        "--cluster",
        metavar="ADDRESS",
        help="decide them on the agents of a Dask scheduler (see `mutproof agent`), not here",
    )


def _shard(text: str) -> tuple[int, int]:
    number, _, count = text.partition("/")
    if not (number.isascii() and number.isdecimal() and count.isascii() and count.isdecimal()):
        message = f"not a shard such as 1/4: {text!r}"
        raise ArgumentTypeError(message)
    if len(count) > len(str(_MOST)) or not 1 <= int(number) <= int(count) <= _MOST:
        message = (
            f"not one of the shards 1/{count} to {count}/{count}, of {_MOST} at most: {text!r}"
        )
        raise ArgumentTypeError(message)
    return int(number) - 1, int(count)


def check(arguments: Namespace) -> None:
    """Check that the options can be used with a shard.

    Raises:
        UserError: they cannot.
    """
    if arguments.format != "json":
        raise UserError("usage", "--shard writes JSON", way_out="add --format json --output PATH")
    for name, given in (
        ("--certify", arguments.certify is not None),
        ("--update-baseline", arguments.update_baseline),
        ("--order 2", arguments.order > 1),
    ):
        if given:
            way_out = "run it on the whole, without --shard"
            raise UserError("usage", f"{name} is not for a shard", way_out=way_out)


def check_cluster(arguments: Namespace) -> None:
    """Check that the options can be used with a cluster.

    Raises:
        UserError: they cannot.
    """
    if arguments.certify is not None:
        way_out = "run it without --cluster"
        raise UserError("usage", "--certify is not for a cluster", way_out=way_out)
    for name, given in (("--jobs", arguments.jobs), ("--memory", arguments.memory)):
        if given is not None:
            way_out = "give it to `mutproof agent`, which starts workers"
            raise UserError("usage", f"{name} is not for a cluster", way_out=way_out)


def document(
    ended: EndedRun, results: Sequence[Result], options: Options, *, timings: bool
) -> dict[str, object]:
    """Return the part of a shard's report by which it can be merged."""
    from mutproof.reporters.shard_document import Shard, ShardedFile, encoded

    files = tuple(
        ShardedFile(
            result.reported.path,
            result.reported.source.content,
            replace(ended.own(result.reported.path), shard=_WHOLE),
            result.reported.report,
            () if result.reported.report is not None else result.reported.diagnostics,
            int(result.exit_code),
            result.reported.finished,
            result.reported.path not in ended.expanded.in_folders,
        )
        for result in results
    )
    number, count = options.shard
    return encoded(Shard(number, count, timings, replace(options, shard=_WHOLE), files))


def opened(names: Sequence[str]) -> tuple[Shard, ...]:
    """Return the shards of some reports in their order: all of one run, each once.

    Raises:
        UserError: they are not, or contradict each other.
    """
    shards = [(name, _opened(name)) for name in names]
    from mutproof.cli import shard_checks

    first_name, first = shards[0]
    for named in shards[1:]:
        _check_alike(shards[0], named)
    shard_checks.agree(shards)
    seen: dict[int, str] = {}
    for name, shard in shards:
        if shard.of != first.of:
            message = f"{name} is one of {shard.of} shards, {first_name} one of {first.of}"
            raise UserError("shard-count", message, way_out="give all shards the same N")
        if shard.number in seen:
            message = f"{seen[shard.number]} and {name} are both shard {shard.number + 1}"
            raise UserError("shard-overlap", message, way_out="leave one of them out")
        seen[shard.number] = name
        for file in shard.files:
            if not file.is_finished:
                message = f"{name}: the run was interrupted in {file.path}"
                raise UserError("shard-unfinished", message, way_out="run this shard again")
    missing = [number + 1 for number in range(first.of) if number not in seen]
    if missing:
        message = f"of {first.of} shards there is no {', '.join(map(str, missing))}"
        raise UserError("shard-missing", message, way_out="name the reports of all shards")
    return tuple(sorted((shard for _, shard in shards), key=lambda shard: shard.number))


def _check_alike(one: tuple[str, Shard], other: tuple[str, Shard]) -> None:
    """Check that two shards have the same files and options.

    Raises:
        UserError: they have not.
    """
    (first_name, first), (name, shard) = one, other
    if _content(first) != _content(shard):
        message = f"{first_name} and {name} are of different files, or texts of files"
        raise UserError("shard-content", message, way_out="run all shards on the same files")
    asked = [(each.options, *(file.options for file in each.files)) for each in (first, shard)]
    if asked[0] != asked[1]:
        message = f"{first_name} and {name} were made with different options"
        raise UserError("shard-options", message, way_out="run all shards with the same options")


def _content(shard: Shard) -> list[tuple[str, str]]:
    return [(file.path, file.content) for file in shard.files]


def _opened(name: str) -> Shard:
    from mutproof.reporters.shard_document import ShardError, decoded

    try:
        text = Path(name).read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        message = f"{name} cannot be read: {getattr(error, 'strerror', None) or error}"
        raise UserError("not-a-shard", message) from error
    try:
        _, found = decoded(text)
    except ShardError as error:
        way_out = "`mutproof mutate … --shard 1/4 --format json` writes such reports"
        raise UserError("not-a-shard", f"{name}: {error}", way_out=way_out) from error
    if found is None:
        message = f"{name} was made by another version of mutproof, Python or a solver"
        raise UserError("shard-version", message, way_out="run all with the same as merges them")
    return found


def joined(shards: Sequence[Shard]) -> tuple[Result, ...]:
    """Return the results of shards as those of one run.

    Raises:
        UserError: not all of them proved the same properties.
    """
    return tuple(_joined(files) for files in zip(*(s.files for s in shards), strict=True))


def _joined(files: Sequence[ShardedFile]) -> Result:
    from mutproof.base.text import SourceText
    from mutproof.cli import inputs
    from mutproof.cli.exit_codes import ExitCode, most_serious
    from mutproof.cli.result import Result
    from mutproof.cli.runner import joined as joined_findings
    from mutproof.reporters.reported_file import ReportedFile
    from mutproof.workspace import sources
    from mutproof.workspace.queries import Queries

    first = files[0]
    code = most_serious(ExitCode(file.code) for file in files)
    source, language = SourceText(first.path, first.content), sources.language_of(first.path)
    read = inputs.understood(inputs.Input(source, language))
    reports = [file.report for file in files if file.report is not None]
    if language is None or read.elaborated is None or len(reports) < len(files):
        without = ReportedFile(source, language, None, first.diagnostics)
        return Result(without, code=code)
    listing = Queries().listing(language.name, read.elaborated, first.options)
    found = joined_findings(read, listing, reports, code)
    if found is None:
        message = f"{first.path}: not all shards proved the same properties"
        way_out = "give them more time: --timeout is for the slowest machine"
        raise UserError("shard-baseline", message, way_out=way_out)
    return found
