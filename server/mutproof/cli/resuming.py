"""`--resume`: continue earlier runs, and report how much they had kept.

Every run continues; with the option, the amount is reported, and it is an error if nothing can be
kept or recalled.
"""

from __future__ import annotations

from argparse import ArgumentParser, Namespace
from typing import TYPE_CHECKING

from mutproof.cli.failure import UserError

if TYPE_CHECKING:
    from mutproof.cli.console import Console
    from mutproof.reporters.reported_file import ReportedFile


def add_resume(parser: ArgumentParser) -> None:
    """Add the option to continue earlier runs."""
    parser.add_argument_group("earlier runs").add_argument(
        "--resume",
        action="store_true",
        help="say how many mutants were recalled from earlier runs, as one that was killed, and"
        " refuse to run where nothing is kept; every run goes on from there, asked or not",
    )


def check(arguments: Namespace) -> None:
    """Check that this run can recall what earlier ones have kept, if there is anything.

    Raises:
        UserError: it cannot.
    """
    if not arguments.resume:
        return
    from mutproof.base import store

    for name, given in (
        ("--no-cache", not arguments.cache),
        ("--certify", arguments.certify is not None),
    ):
        if given:
            message = f"--resume goes on from what was kept, and {name} decides all anew"
            raise UserError("usage", message, way_out=f"leave out --resume, or {name}")
    reason = store.warning()
    if store.default_folder() is None:
        reason = f"nothing is kept: {store.FOLDER_VARIABLE} is empty"
    if reason is not None:
        way_out = f"name a folder in {store.FOLDER_VARIABLE}, or leave out --resume"
        raise UserError("usage", f"--resume: {reason}", way_out=way_out)


def told(files: tuple[ReportedFile, ...], console: Console) -> None:
    """Say how many mutants of the files were recalled."""
    reports = [file.report for file in files if file.report is not None]
    recalled = sum(
        one.statistics.kept + one.statistics.replayed + one.statistics.reproved for one in reports
    )
    mutants = sum(len(one.mutants) for one in reports)
    console.message(f"resumed: {recalled} of {mutants} mutants recalled")
