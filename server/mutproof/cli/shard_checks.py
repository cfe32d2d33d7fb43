"""What reports of shards say, checked: by each other, and by the evaluator."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Final

from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.runner import Result
from mutproof.reporters.shard_document import Shard, ShardedFile

_PROPERTIES: Final = frozenset({PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED})
_MUTANTS: Final = frozenset({MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN})

_WAY_OUT: Final = "one of the two is wrong: please report this, with both files"


def agree(shards: Sequence[tuple[str, Shard]]) -> None:
    """Check that no two reports, named, decide the same property or mutant differently.

    Raises:
        UserError: they do, which is a defect of mutproof or a report that was tampered with.
    """
    said: dict[tuple[object, ...], tuple[str, str]] = {}
    for name, shard in shards:
        for file in shard.files:
            for subject, verdict in _decided(file):
                key = file.path, *subject
                other, earlier = said.setdefault(key, (name, verdict))
                if earlier != verdict:
                    what = f"{file.path}: {subject[0]} {subject[1]}"
                    message = f"{what} is {earlier} in {other} and {verdict} in {name}"
                    raise _defect("shard-contradiction", message, _WAY_OUT)


def _decided(file: ShardedFile) -> Iterator[tuple[tuple[object, ...], str]]:
    """Yield what was decided, with the verdict; mutants by the properties they are judged by."""
    report = file.report
    if report is None:
        return
    for known in report.properties:
        if known.verdict in _PROPERTIES:
            yield ("property", known.name), known.verdict.value
    judges = frozenset((known.name, known.verdict, known.vacuity) for known in report.properties)
    for found in report.mutants:
        if found.status in _MUTANTS:
            yield ("mutant", found.mutant, judges), found.status.value


def replay(shards: Sequence[Shard], results: Sequence[Result]) -> tuple[int, int]:
    """Replay kills in the texts of the mutants; return how many, and how many cannot be replayed.

    Raises:
        UserError: the evaluator does not see one of them.
    """
    from mutproof.cli import evidence
    from mutproof.workspace.written_mutants import WrittenKill

    seen = without = 0
    for result in results:
        file = result.reported
        kills: Mapping[str, WrittenKill | None] = evidence.replayed(file)
        for mutant, kill in kills.items():
            if kill is WrittenKill.CONTRADICTED:
                source = _source(shards, file.path, mutant)
                message = f"{file.path}: no execution shows that mutant {mutant} is killed"
                way_out = f"do not believe {source}; run that shard again"
                raise _defect("shard-refuted", message, way_out)
            seen += kill is WrittenKill.CONFIRMED
            without += kill is not WrittenKill.CONFIRMED
    return seen, without


def _source(shards: Sequence[Shard], path: str, mutant: str) -> str:
    for shard in shards:
        for file in shard.files:
            mutants = () if file.path != path or file.report is None else file.report.mutants
            if any(found.mutant == mutant for found in mutants):
                return f"shard {shard.number + 1}/{shard.of}"
    return "its shard"


def _defect(code: str, message: str, way_out: str) -> UserError:
    return UserError(code, message, way_out=way_out, exit_code=ExitCode.BUG)
