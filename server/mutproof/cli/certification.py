"""`--certify`: certificates are written while files are analysed, then checked by cvc5.

A refuted certificate is a defect: the verdict becomes UNKNOWN, with an error. An undecided one
leaves the verdict, and the report says that it is not confirmed.
"""

from __future__ import annotations

import threading
from argparse import Namespace
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from mutproof.analyses.claims.finding import (
    CertificateFinding,
    Confirmation,
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
)
from mutproof.cli.failure import UserError
from mutproof.reporters.reported_file import CertifiedVerdict, ReportedFile
from mutproof.runtime.certificate_folder import (
    CertificateFolder,
    Certified,
    FolderError,
    Index,
    Script,
)
from mutproof.runtime.script_checker import ScriptChecker, ScriptResult, SolverMissing

if TYPE_CHECKING:
    from mutproof.cli.console import Console
    from mutproof.cli.result import Result

SOLVER = "cvc5"
_DEFECT = "the proof did not stand up to another solver"


class Certification:
    """Keep the certificates of a run in a folder and have them checked; mutable, used once."""

    def __init__(self, folder: CertificateFolder, solver: str, timeout_s: float, jobs: int) -> None:
        self._folder = folder
        self._solver = solver
        self._timeout_s = timeout_s
        self._jobs = jobs
        self._scripts: dict[str, Script] = {}

    @staticmethod
    def of(arguments: Namespace) -> Certification | None:
        """Return the certification that the arguments ask for, with an empty folder; None if none.

        Raises:
            UserError: the solver is not installed, or the folder cannot be used.
        """
        if getattr(arguments, "certify", None) is None:
            return None
        from mutproof.runtime.jobs import default_jobs

        ensure_solver(SOLVER)
        folder = CertificateFolder(Path(arguments.certify))
        try:
            folder.prepare()
        except FolderError as error:
            raise UserError(
                "certify-folder", str(error), way_out="name a new folder with --certify"
            ) from error
        jobs = arguments.jobs or default_jobs()
        return Certification(folder, SOLVER, arguments.certify_timeout, jobs)

    def keep(self, finding: CertificateFinding) -> None:
        """Write a script as soon as it comes.

        Raises:
            UserError: it cannot be written.
        """
        try:
            written = self._folder.write(finding.file, finding.text)
        except FolderError as error:
            raise _unwritable(error) from error
        self._scripts[finding.file] = replace(written, checks=finding.checks)

    def concluded(
        self, results: Sequence[Result], console: Console, *, stopped: bool
    ) -> tuple[Result, ...]:
        """Write the index, have every script checked, and return the results with the outcome.

        After `stopped` nothing is checked any more.

        Raises:
            UserError: the index cannot be written, or the solver does not start any more.
        """
        verdicts = tuple(
            Certified(
                result.reported.path,
                found.property,
                shown.get(found.mutant, found.mutant),
                "survived" if found.mutant else "proved",
                found.file,
                found.k,
                found.how,
                found.reason,
            )
            for result in results
            for shown in (_shown(result.reported),)
            for found in result.certificates
        )
        named = {verdict.file for verdict in verdicts}
        scripts = {name: script for name, script in self._scripts.items() if name in named}
        for name in self._scripts.keys() - named:  # left by a worker that died and was restarted
            self._folder.remove(name)
        try:
            self._folder.write_index(Index(scripts, verdicts))
        except FolderError as error:
            raise _unwritable(error) from error
        checked: Mapping[str, ScriptResult] = {}
        if scripts and not stopped:
            noun = "certificate" if len(scripts) == 1 else "certificates"
            console.message(f"{self._solver} checks {len(scripts)} {noun}")
            checked = check_all(
                self._folder, scripts, self._solver, self._timeout_s, jobs=self._jobs
            )
        concluded = tuple(_concluded(result, checked, self._solver) for result in results)
        for result in concluded:
            for refuted in dict.fromkeys(result.refuted):
                where = self._folder.path / refuted.file
                console.problem(f"error[certificate-refuted]: {where}: {refuted.reason}")
                console.problem("  = help: this is a defect of mutproof; please report it")
        return concluded


def ensure_solver(solver: str) -> str:
    """Return name and version of a solver.

    Raises:
        UserError: it cannot be used.
    """
    checker = ScriptChecker(solver)
    try:
        return checker.start()
    except SolverMissing as error:
        raise UserError(
            "solver-missing",
            f"{solver} is needed to check certificates, and it is not here: {error}",
            way_out="pip install 'mutproof[certify]'",
        ) from error
    finally:
        checker.close()


def check_all(
    folder: CertificateFolder,
    scripts: Mapping[str, Script],
    solver: str,
    timeout_s: float,
    *,
    jobs: int,
) -> dict[str, ScriptResult]:
    """Return what a solver makes of scripts, by their names in order; `jobs` at a time.

    Raises:
        UserError: the solver does not start any more.
    """
    own = threading.local()
    checkers: list[ScriptChecker] = []

    def check(name: str) -> ScriptResult:
        if not hasattr(own, "checker"):
            own.checker = ScriptChecker(solver, timeout_s)
            checkers.append(own.checker)
        checker: ScriptChecker = own.checker
        return checker.check((folder.path / name).resolve(), scripts[name].checks)

    names = sorted(scripts)
    threads = ThreadPoolExecutor(max(1, min(jobs, len(names))))
    try:
        return dict(zip(names, threads.map(check, names), strict=True))
    except SolverMissing as error:
        raise UserError("solver-missing", f"{solver} does not start: {error}") from error
    finally:
        threads.shutdown(wait=False, cancel_futures=True)
        for checker in checkers:
            checker.close()


def _concluded(result: Result, checked: Mapping[str, ScriptResult], solver: str) -> Result:
    certificates: dict[tuple[str, str], CertifiedVerdict] = {}
    for found in result.certificates:
        if not found.file:
            verdict = CertifiedVerdict(Confirmation.NONE, reason=found.reason)
        elif found.file not in checked:
            verdict = CertifiedVerdict(Confirmation.UNKNOWN, found.file, "not checked")
        else:
            answer = checked[found.file]
            verdict = CertifiedVerdict(answer.confirmation, found.file, answer.reason)
        certificates[found.mutant, found.property] = verdict
    reported = replace(result.reported, certificates=certificates)
    return replace(result, reported=_downgraded(reported, certificates, solver))


def _shown(file: ReportedFile) -> Mapping[str, str]:
    """Return the shown form of the identity of each mutant."""
    return {} if file.listing is None else {m.mutant: m.shown for m in file.listing.mutants}


def _downgraded(
    file: ReportedFile, certificates: Mapping[tuple[str, str], CertifiedVerdict], solver: str
) -> ReportedFile:
    """Return the file with UNKNOWN for every verdict whose certificate is refuted."""
    refuted = {k for k, c in certificates.items() if c.confirmation is Confirmation.REFUTED}
    if file.report is None or not refuted:
        return file
    reason = f"{_DEFECT} ({solver})"
    properties = tuple(
        _open_property(found, reason) if ("", found.name) in refuted else found
        for found in file.report.properties
    )
    doubted: dict[str, list[str]] = {}
    for mutant, name in sorted(refuted):
        doubted.setdefault(mutant, []).append(name)
    mutants = tuple(
        _open_mutant(found, doubted[found.mutant], reason) if found.mutant in doubted else found
        for found in file.report.mutants
    )
    return replace(file, report=replace(file.report, properties=properties, mutants=mutants))


def _open_property(found: PropertyFinding, reason: str) -> PropertyFinding:
    return replace(
        found,
        verdict=PropertyVerdict.UNKNOWN,
        k=None,
        reason=reason,
        core=None,
        must=None,
        cores=None,
    )


def _open_mutant(found: MutantFinding, names: Sequence[str], reason: str) -> MutantFinding:
    return replace(
        found,
        status=MutantStatus.UNKNOWN,
        undecided=tuple(names),
        k=None,
        depth=None,
        reason=reason,
        equivalence=None,
    )


def _unwritable(error: FolderError) -> UserError:
    return UserError("certify-folder", str(error), way_out="name another folder with --certify")
