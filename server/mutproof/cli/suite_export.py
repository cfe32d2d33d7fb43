"""Write suites in the forms of other tools."""

from __future__ import annotations

from argparse import Namespace
from pathlib import Path

from mutproof.cli.console import Console, open_folder, write_file
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.cli.replay import opened
from mutproof.reporters.suites.document import SUFFIX
from mutproof.reporters.suites.projection import NotProjectableError, in_full
from mutproof.reporters.suites.projections import PROJECTIONS
from mutproof.workspace.suites.recorded import RecordedSuite


def export(arguments: Namespace) -> ExitCode:
    """Write recorded suites in the forms that the arguments name.

    Raises:
        UserError: a suite cannot be read, or a file not be written.
    """
    console = Console.of(arguments)
    for name in arguments.files[1:]:
        suite = opened(name)
        stem = Path(name).name.removesuffix(SUFFIX)
        write(suite, stem, arguments, console)
    return ExitCode.OK


def write(suite: RecordedSuite, stem: str, arguments: Namespace, console: Console) -> None:
    """Write a suite in the forms that the arguments name, into the folder for suites.

    Raises:
        UserError: a form cannot express the suite, or a file cannot be written.
    """
    folder = Path(arguments.suites)
    suite = in_full(suite)
    for name in arguments.forms:
        try:
            files = PROJECTIONS[name].write(suite, stem)
        except NotProjectableError as error:
            way_out = "leave that form out"
            raise UserError(
                "not-projectable", f"{stem}, {name}: {error}", way_out=way_out
            ) from error
        open_folder(folder, "suites", "name another folder with -o")
        for file, text in files.items():
            write_file(folder / file, text, "name another folder with -o")
        console.message(f"{name}: {', '.join(files)}")
