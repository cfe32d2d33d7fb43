"""Write the suite of each file into a folder."""

from __future__ import annotations

from argparse import Namespace
from collections.abc import Callable
from pathlib import Path
from typing import Final

from mutproof.base.text import counted
from mutproof.cli import session, suite_export
from mutproof.cli.console import Console, open_folder, write_file
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.suites.document import SUFFIX, document, found_in, written
from mutproof.workspace.suites.recorded import read

_UNFINISHED: Final = "the run was given up; `-o` with another folder keeps what it finds until then"


def writing(arguments: Namespace) -> Callable[[tuple[ReportedFile, ...], Console], None]:
    """Return what writes the suites of files where the arguments say.

    Raises:
        UserError: nothing can be written there.
    """
    folder = Path(arguments.suites)
    open_folder(folder, "suites", "name another folder with -o")

    def write(files: tuple[ReportedFile, ...], console: Console) -> None:
        options = arguments.chosen.options
        used: set[str] = set()
        for file in files:
            found = found_in(file)
            if found.refused:
                continue
            own = options(file.path, options=arguments.made, of_run=arguments)
            shown = session.presentation(arguments, console, own)
            text = written(document(file, shown))
            path = folder / _unique(Path(file.path).stem, used)
            if not file.finished and path.exists():
                console.problem(f"{file.shown_path}: {path} stays as it is: {_UNFINISHED}")
                continue
            write_file(path, text, "name another folder with -o")
            if arguments.forms:
                stem = path.name.removesuffix(SUFFIX)
                suite_export.write(read(text), stem, arguments, console)
            console.message(f"{file.shown_path}: {counted(len(found.tests), 'test')} in {path}")

    return write


def _unique(stem: str, used: set[str]) -> str:
    number, name = 1, f"{stem}{SUFFIX}"
    while name.lower() in used:
        number += 1
        name = f"{stem}-{number}{SUFFIX}"
    used.add(name.lower())
    return name
