"""The part of a shard's report by which shards can be merged into one report.

It has all findings as records, with the texts, the options, and a digest of the tool that made
them, so that the merged report is as if one run had found everything. A digest detects a damaged
document, but not forgery: merged reports are as trustworthy as their authors.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from mutproof.base.codec import MALFORMED, Codec, MalformedError, Plain
from mutproof.base.diagnostics import Diagnostic
from mutproof.base.digest import digest_text
from mutproof.base.maker import maker
from mutproof.base.record import dataclass
from mutproof.reporters.reproducible import reproducible
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options


class ShardError(ValueError):
    """Say why something is no report of a shard."""


@dataclass(frozen=True, slots=True)
class ShardedFile:
    """Hold the findings of a shard on a file, and its options.

    `diagnostics` are those of a text that could not be analysed; `code` is the exit code that the
    way it ended calls for; it `is_finished` unless it was interrupted,
    and `is_named` unless it was found in a folder.
    """

    path: str
    content: str
    options: Options
    report: Report | None
    diagnostics: tuple[Diagnostic, ...]
    code: int
    is_finished: bool
    is_named: bool


@dataclass(frozen=True, slots=True)
class Shard:
    """Hold what the shard of a `number` (0-based) of so many found; `options` are those of the run.

    `has_timings`: it says what took how long.
    """

    number: int
    of: int
    has_timings: bool
    options: Options
    files: tuple[ShardedFile, ...]


_CODEC: Final = Codec(Shard, names={"Value": object})


def encoded(shard: Shard) -> dict[str, object]:
    """Encode a shard for its report."""
    if not shard.has_timings:
        shard = replace(shard, files=tuple(map(_reproducible, shard.files)))
    findings = _written(_CODEC.encode(shard))
    return {
        "number": shard.number + 1,
        "of": shard.of,
        "maker": maker().hex(),
        "digest": _digest(findings),
        "findings": findings,
    }


def decoded(text: str) -> tuple[str, Shard | None]:
    """Return the maker of a report, and the shard in it; None if another version made it.

    Raises:
        ShardError: it is no report of a shard, or it was changed.
    """
    try:
        said = json.loads(text)["mutproof"]["shard"]
        made_by, findings = str(said["maker"]), said["findings"]
        whole = said["digest"] == _digest(findings)
    except (*MALFORMED, RecursionError) as error:
        message = "it is no JSON report of `mutproof mutate --shard`"
        raise ShardError(message) from error
    if not whole:
        message = "it is damaged: its digest is another one"
        raise ShardError(message)
    if made_by != maker().hex():
        return made_by, None
    try:
        found = _CODEC.decode(_read(findings))
    except (MalformedError, *MALFORMED) as error:
        message = "it holds no findings"
        raise ShardError(message) from error
    if type(found) is not Shard or not 0 <= found.number < found.of:
        message = "it holds no shard"
        raise ShardError(message)
    return made_by, found


def _digest(findings: object) -> str:
    return digest_text(json.dumps(findings)).hex()


def _reproducible(file: ShardedFile) -> ShardedFile:
    report = file.report
    return file if report is None else replace(file, report=reproducible(report))


# JSON has no tuples, bytes or infinity, so these are written as objects.


def _written(plain: Plain) -> Any:
    if isinstance(plain, tuple):
        return [_written(part) for part in plain]
    if isinstance(plain, list):
        return {"list": [_written(part) for part in plain]}
    if isinstance(plain, bytes):
        return {"bytes": plain.hex()}
    return {"float": plain.hex()} if isinstance(plain, float) else plain


def _read(value: Any) -> Plain:
    if isinstance(value, list):
        return tuple([_read(part) for part in value])
    if isinstance(value, Mapping):
        ((kind, written),) = value.items()
        if kind == "list":
            return [_read(part) for part in written]
        return bytes.fromhex(written) if kind == "bytes" else float.fromhex(written)
    return value
