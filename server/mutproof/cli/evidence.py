"""`mutproof report --evidence`: a folder for assessors; only its certificates may vary."""

from __future__ import annotations

import hashlib
import shlex
import sys
from argparse import Namespace
from collections.abc import Mapping
from pathlib import Path
from typing import Final

import mutproof
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.mutation.enumerate import chosen_mutators
from mutproof.base.text import counted, visible
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.model.editing import TextEdit
from mutproof.reporters import encoding, evidence
from mutproof.reporters.pages import evidence as pages
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.runtime import files
from mutproof.workspace import written_mutants
from mutproof.workspace.options import Options
from mutproof.workspace.written_mutants import WrittenKill

CERTIFICATES: Final = "certificates"
DOCUMENT: Final = "evidence.json"
PAGE: Final = "evidence.html"
SUMS: Final = "SHA256SUMS"
_OWN: Final = frozenset({CERTIFICATES, DOCUMENT, PAGE, SUMS})


def prepare(folder: Path) -> None:
    """Make the folder, or make sure that it holds nothing but earlier evidence.

    Raises:
        UserError: it holds something else, or cannot be made.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True)
        other = sorted(one.name for one in folder.iterdir() if one.name not in _OWN)
    except OSError as error:
        raise _unwritable(folder, error) from error
    if other:
        message = f"{visible(str(folder))} holds other files, such as {visible(other[0])}"
        raise UserError("evidence-folder", message, way_out="name a new folder with --evidence")


class EvidenceFolder:
    """Write the evidence of a run; `solvers` are the versions of the certificates' checkers.

    `contradicted` counts kills that the texts of the mutants do not show; mutable.
    """

    def __init__(self, arguments: Namespace, options: Options, solvers: Mapping[str, str]) -> None:
        self._arguments = arguments
        self._options = options
        self._solvers = solvers
        self._folder = Path(arguments.evidence)
        self.contradicted = 0

    def write(self, files: tuple[ReportedFile, ...], console: Console) -> None:
        """Replay every kill from its text and write document, page and sums.

        Raises:
            UserError: a file cannot be written, or a model changed meanwhile.
        """
        replays = {
            (file.path, name): kill for file in files for name, kill in replayed(file).items()
        }
        self.contradicted = sum(one is WrittenKill.CONTRADICTED for one in replays.values())
        identification = evidence.Identification(
            {"mutproof": mutproof.__version__, "python": sys.version.split()[0], **self._solvers},
            self._configuration(),
            self._operators(files),
            {file.path: digest for file in files if (digest := _digest(file))},
            self._command(),
            self._arguments.date or "",
        )
        presentation = Presentation(timings=False, all_mutants=True)
        found = evidence.document(files, identification, replays, presentation)
        try:
            text = encoding.dumped(found)
            (self._folder / DOCUMENT).write_bytes(text.encode())
            (self._folder / PAGE).write_bytes(pages.page(found).encode())
            (self._folder / SUMS).write_bytes(_sums(self._folder).encode())
        except OSError as error:
            raise _unwritable(self._folder, error) from error
        told = [counted(evidence.open_points(found), "open point")]
        if left := sum(file.report is None for file in files):
            told.append(f"{counted(left, 'file')} not analysed")
        console.message(f"{', '.join(told)}; the evidence is in {self._folder}")

    def judged(self, _: tuple[ReportedFile, ...]) -> tuple[ExitCode, str]:
        """Return the exit code, with a sentence if something is wrong."""
        if not self.contradicted:
            return ExitCode.OK, ""
        kills = counted(self.contradicted, "kill")
        return ExitCode.BUG, f"{kills} not seen in the text of the mutant: please report this"

    def _configuration(self) -> Mapping[str, object]:
        chosen = self._options
        return {
            "level": chosen.level,
            "operators": list(chosen.operators),
            "properties": list(chosen.properties),
            "strategy": chosen.strategy,
            "rlimit": chosen.budget.rlimit,
            "timeout": chosen.budget.timeout_s,
            "compared": chosen.equivalence,
            "mostMutants": chosen.most_mutants,
        }

    def _operators(self, files: tuple[ReportedFile, ...]) -> Mapping[str, str]:
        """Return the summaries of the mutation operators that were applied, by name."""
        found: dict[str, str] = {}
        for file in files:
            program = None if file.elaborated is None else file.elaborated.program
            if program is not None:
                semantics = program.traits.semantics
                for one in chosen_mutators(self._options.level, self._options.operators, semantics):
                    found[one.name] = one.summary
        return found

    def _command(self) -> str:
        """Return the command line, without the name of the output folder."""
        option, folder = "--evidence=", self._arguments.evidence
        shown = {folder: "DIR", option + folder: option + "DIR"}
        words = [shown.get(word, word) for word in sys.argv[1:]]
        return shlex.join(["mutproof", *words])


def replayed(file: ReportedFile) -> Mapping[str, WrittenKill | None]:
    """Replay kills on the texts of mutants; None for kills that no execution shows."""
    program = None if file.elaborated is None else file.elaborated.program
    if program is None or file.language is None:
        return {}
    refutable = written_mutants.shown_by_executions(program)
    found: dict[str, WrittenKill | None] = {}
    for placed in file.placed:
        if placed.finding.status is not MutantStatus.KILLED:
            continue
        trace, names = placed.finding.trace, placed.finding.killed_by
        kill = None
        if trace is not None and not refutable.isdisjoint(names):
            edit = TextEdit(placed.edit.span, placed.edit.text)
            kill = written_mutants.replayed(
                file.language, file.source, edit, trace.choices, killed_by=names
            )
        if kill is WrittenKill.CONTRADICTED and not refutable.issuperset(names):
            kill = None  # one execution may not suffice to refute such a property
        found[placed.mutant.mutant] = kill
    return found


def _digest(file: ReportedFile) -> str:
    """Return the SHA-256 of a model's file, empty if it could not be read in the first place.

    Raises:
        UserError: the file is not the text that was analysed.
    """
    try:
        raw = Path(file.path).read_bytes()
    except OSError as error:
        if file.elaborated is None:
            return ""
        message = f"{visible(file.path)}: {error.strerror}"
        raise UserError("file-unreadable", message) from error
    if file.elaborated is not None and files.readable(raw, file.path) != file.source.content:
        message = f"{visible(file.path)}: changed while it was analysed"
        raise UserError("changed-meanwhile", message, way_out="run the command again")
    return hashlib.sha256(raw).hexdigest()


def _sums(folder: Path) -> str:
    """Return the digests of all files of a folder, as `sha256sum --check` reads them."""
    paths = sorted(one for one in folder.rglob("*") if one.is_file() and one.name != SUMS)
    return "".join(
        f"{hashlib.sha256(one.read_bytes()).hexdigest()}  {one.relative_to(folder).as_posix()}\n"
        for one in paths
    )


def _unwritable(folder: Path, error: OSError) -> UserError:
    return UserError(
        "evidence-folder", f"cannot write into {visible(str(folder))}: {error.strerror}"
    )
