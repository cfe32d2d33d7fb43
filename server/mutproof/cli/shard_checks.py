"""Check reports of shards, against each other and by the evaluator."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from mutproof.analyses.claims.finding import MutantFinding, MutantStatus, PropertyVerdict
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.result import Result
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.shard_document import Shard, ShardedFile
from mutproof.workspace.options import Options

if TYPE_CHECKING:
    from mutproof.workspace.written_mutants import WrittenKill

_PROPERTIES: Final = frozenset({PropertyVerdict.PROVED, PropertyVerdict.FALSIFIED})
_MUTANTS: Final = frozenset({MutantStatus.KILLED, MutantStatus.SURVIVED, MutantStatus.STILLBORN})

_UNSHOWN: Final = "a report says that it is killed, and no execution can show that"
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
    """Yield a key and the verdict of all that was decided; a mutant's key names its judges."""
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


def replay(
    shards: Sequence[Shard], results: Sequence[Result]
) -> tuple[tuple[Result, ...], int, int]:
    """Replay kills; return the results, with kills that no execution shows as UNKNOWN, and counts.

    The counts are of replayed kills, and of those that became UNKNOWN (by properties of branching
    time).

    Raises:
        UserError: the evaluator contradicts one of them.
    """
    from mutproof.cli import evidence
    from mutproof.workspace.written_mutants import WrittenKill

    seen = 0
    unseen: set[tuple[str, str]] = set()
    for result in results:
        file = result.reported
        kills: Mapping[str, WrittenKill | None] = evidence.replayed(file)
        findings = {} if file.report is None else {f.mutant: f for f in file.report.mutants}
        model: _MutatedModel | None = None
        for mutant, in_text in kills.items():
            kill = in_text
            if kill is not WrittenKill.CONFIRMED and kill is not WrittenKill.CONTRADICTED:
                model = model or _MutatedModel(file, _asked(shards, file.path))
                kill = model.replayed(findings[mutant])
            if kill is WrittenKill.CONTRADICTED:
                source = _source(shards, file.path, mutant)
                message = f"{file.path}: no execution shows that mutant {mutant} is killed"
                way_out = f"do not believe {source}; run that shard again"
                raise _defect("shard-refuted", message, way_out)
            seen += kill is WrittenKill.CONFIRMED
            if kill is not WrittenKill.CONFIRMED:
                unseen.add((file.path, mutant))
    return tuple(_without(result, unseen) for result in results), seen, len(unseen)


class _MutatedModel:
    """Replay kills in mutated models, for mutants whose texts the language rejects."""

    def __init__(self, file: ReportedFile, options: Options) -> None:
        from mutproof.model.interpretation import interpretation
        from mutproof.workspace import written_mutants
        from mutproof.workspace.enumeration import enumerate_mutants

        assert file.elaborated is not None
        assert file.elaborated.program is not None
        self._program = file.elaborated.program
        self._meaning = interpretation(self._program)
        self._mutants = {one.id: one for one in enumerate_mutants(file.elaborated, options)}
        self._refutable = written_mutants.shown_by_executions(self._program)

    def replayed(self, finding: MutantFinding) -> WrittenKill | None:
        """Return what the mutated model does; None where no execution need show the kill."""
        from mutproof.analyses.checking.notary import Notary
        from mutproof.analyses.mutation.enumerate import mutated_bodies
        from mutproof.workspace.written_mutants import WrittenKill

        names = frozenset(finding.killed_by)
        is_shown = names <= self._refutable
        if finding.trace is None:
            is_shown = is_shown or not names.isdisjoint(self._refutable)
        else:
            bodies = mutated_bodies(self._program, self._mutants[finding.mutant])
            found = Notary().replay(self._meaning, finding.trace.choices, "replay", bodies)
            if found is not None and not names.isdisjoint(found.violated):
                return WrittenKill.CONFIRMED
        return WrittenKill.CONTRADICTED if is_shown else None


def _asked(shards: Sequence[Shard], path: str) -> Options:
    return next(file.options for shard in shards for file in shard.files if file.path == path)


def _without(result: Result, unseen: Collection[tuple[str, str]]) -> Result:
    """Return a result with UNKNOWN for the kills in `unseen`."""
    file = result.reported
    if file.report is None or not any(path == file.path for path, _ in unseen):
        return result
    mutants = tuple(
        replace(found, status=MutantStatus.UNKNOWN, killed_by=(), trace=None, reason=_UNSHOWN)
        if (file.path, found.mutant) in unseen
        else found
        for found in file.report.mutants
    )
    return replace(result, reported=replace(file, report=replace(file.report, mutants=mutants)))


def _source(shards: Sequence[Shard], path: str, mutant: str) -> str:
    for shard in shards:
        for file in shard.files:
            mutants = () if file.path != path or file.report is None else file.report.mutants
            if any(found.mutant == mutant for found in mutants):
                return f"shard {shard.number + 1}/{shard.of}"
    return "its shard"


def _defect(code: str, message: str, way_out: str) -> UserError:
    return UserError(code, message, way_out=way_out, exit_code=ExitCode.BUG)
