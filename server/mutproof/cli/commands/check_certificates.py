"""`mutproof check-certificates`: do the certificates of a folder stand up to another solver?"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING

from mutproof.base.record import dataclass
from mutproof.base.text import counted
from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode
from mutproof.reporters import encoding

if TYPE_CHECKING:
    from mutproof.reporters.style import Style
    from mutproof.runtime.certificate_folder import CertificateFolder, Index
    from mutproof.runtime.script_checker import ScriptResult

CHECKERS = ("cvc5", "z3")
_CONFIRMED, _OPEN, _EXTRA, _NONE = "confirmed", "not confirmed", "extra", "no certificate"
_MEANING = {_CONFIRMED: "good", _OPEN: "unsure", _EXTRA: "unsure", _NONE: "quiet"}
_MOST_NAMES = 2


@dataclass(frozen=True, slots=True)
class ScriptRow:
    """Hold the result of one script, or of a verdict without one; `proves` names the verdicts."""

    file: str
    result: str
    reason: str
    proves: tuple[str, ...]
    seconds: float = 0.0


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("folder", metavar="DIR", help="a folder that --certify has written")
    parser.add_argument(
        "--solver", choices=CHECKERS, default=CHECKERS[0], help="who checks (default: cvc5)"
    )
    shared.add_certify_timeout(parser)
    shared.add_jobs(parser, "certificates checked at the same time")
    shared.add_output(parser, choices=("text", "json"))


def run(arguments: Namespace) -> ExitCode:
    """Check every script that the index of the folder names, and print a table.

    Raises:
        UserError: the folder has no index, or the solver is not installed.
    """
    from pathlib import Path

    from mutproof.cli import certification
    from mutproof.cli.console import Console
    from mutproof.cli.failure import UserError
    from mutproof.runtime.certificate_folder import CertificateFolder, FolderError
    from mutproof.runtime.jobs import default_jobs

    console = Console.of(arguments)
    folder = CertificateFolder(Path(arguments.folder))
    try:
        index = folder.read()
    except FolderError as error:
        raise UserError(
            "no-certificates", str(error), way_out="write some: mutproof prove FILE --certify DIR"
        ) from error
    version = certification.ensure_solver(arguments.solver)
    wrong = {name: folder.wrong(name, script) for name, script in index.scripts.items()}
    intact = {name: script for name, script in index.scripts.items() if not wrong[name]}
    jobs = arguments.jobs or default_jobs()
    seconds = arguments.certify_timeout
    checked = certification.check_all(folder, intact, arguments.solver, seconds, jobs=jobs)
    rows = _rows(folder, index, wrong, checked)
    if arguments.format == "json":
        console.report(_json(index, version, rows, timings=not arguments.no_timings))
    else:
        console.report(
            _table(version, rows, console.report_style, timings=not arguments.no_timings)
        )
    return exit_code(rows)


def exit_code(rows: Sequence[ScriptRow]) -> ExitCode:
    """Return the exit code: scripts refuted, missing or changed count before undecided ones."""
    results = {row.result for row in rows}
    if results - _MEANING.keys():
        return ExitCode.FALSIFIED
    return ExitCode.UNKNOWN if results & {_OPEN, _EXTRA} else ExitCode.OK


def _rows(
    folder: CertificateFolder, index: Index, wrong: dict[str, str], checked: dict[str, ScriptResult]
) -> list[ScriptRow]:
    proves: dict[str, list[str]] = {}
    for verdict in index.verdicts:
        of = f" of {verdict.mutant}" if verdict.mutant else ""
        proves.setdefault(verdict.file, []).append(f"{verdict.model}: {verdict.property}{of}")
    rows = []
    for name in sorted({*index.scripts, *proves} - {""}):
        said = tuple(proves.get(name, ()))
        if name in checked:
            found = checked[name]
            rows.append(
                ScriptRow(name, found.confirmation.value, found.reason, said, found.seconds)
            )
        else:
            rows.append(ScriptRow(name, wrong.get(name) or "missing", "", said))
    reason = "the index does not name it"
    rows += [ScriptRow(name, _EXTRA, reason, ()) for name in folder.extra(index.scripts)]
    without: dict[str, list[str]] = {}
    bare = [verdict for verdict in index.verdicts if not verdict.file]
    for verdict, name in zip(bare, proves.get("", ()), strict=True):
        without.setdefault(verdict.reason, []).append(name)
    rows += [ScriptRow("", _NONE, reason, tuple(names)) for reason, names in without.items()]
    return rows


def _table(version: str, rows: Sequence[ScriptRow], style: Style, *, timings: bool) -> str:
    file_width = max((len(row.file) for row in rows), default=0)
    result_width = max((len(row.result) for row in rows), default=0)
    lines = [style.paint("strong", f"checked by {version}")]
    for row in rows:
        result = style.paint(_MEANING.get(row.result, "bad"), row.result.ljust(result_width))
        facts = [row.reason] if row.reason else []
        facts += [f"{row.seconds:.2f} s"] if timings and row.seconds else []
        facts.append(", ".join(row.proves[:_MOST_NAMES]))
        more = len(row.proves) - _MOST_NAMES
        facts += [f"and {more} more"] if more > 0 else []
        about = ", ".join(fact for fact in facts if fact)
        lines.append(f"{row.file.ljust(file_width)}  {result}  {about}".rstrip())
    counts = Counter(row.result for row in rows if row.file)
    sums = ", ".join(
        f"{counts[result]} {result}" for result in dict.fromkeys([_CONFIRMED, *counts])
    )
    without = sum(len(row.proves) for row in rows if not row.file)
    noun = "verdict rests" if without == 1 else "verdicts rest"
    rest = f"; {without} {noun} on no certificate" if without else ""
    return "\n".join(
        [*lines, "", f"{counted(sum(counts.values()), 'certificate')}: {sums}{rest}", ""]
    )


def _json(index: Index, version: str, rows: Sequence[ScriptRow], *, timings: bool) -> str:
    value = {
        "solver": version,
        "writtenBy": f"mutproof {index.version}",
        "certificates": [
            {
                "file": row.file or None,
                "result": row.result,
                **({"reason": row.reason} if row.reason else {}),
                **({"seconds": round(row.seconds, 3)} if timings else {}),
                "proves": list(row.proves),
            }
            for row in rows
        ],
    }
    return encoding.dumped(value)


COMMAND = Command(
    "check-certificates",
    "check the certificates that --certify wrote, with another solver",
    configure,
    run,
    (
        ("mutproof check-certificates certificates/", "with cvc5, from the files alone"),
        ("mutproof check-certificates certificates/ --solver z3", "with Z3"),
    ),
)
