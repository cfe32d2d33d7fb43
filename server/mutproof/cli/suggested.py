"""Write suggested properties into the files they are for."""

from __future__ import annotations

from pathlib import Path

from mutproof.base.text import visible
from mutproof.cli.console import Console
from mutproof.cli.failure import UserError
from mutproof.model.editing import edited
from mutproof.reporters.reported_file import ReportedFile
from mutproof.workspace.insertion import insertion


def write(files: tuple[ReportedFile, ...], console: Console) -> None:
    """Add the best set of each file to it; one that changed meanwhile stays as it is.

    Raises:
        UserError: a file cannot be written.
    """
    for file in files:
        found = None if file.report is None else file.report.suggestions
        if found is None or file.language is None or file.elaborated is None or not found.best:
            continue
        best = found.best_set
        path, source = Path(file.path), file.source
        try:
            if path.read_bytes() != source.content.encode():
                console.problem(f"{visible(file.path)}: changed meanwhile, and left as it is")
                continue
            text = edited(source.content, insertion(file.language, file.elaborated, best))
            path.write_bytes(text.encode())
        except OSError as error:
            raise UserError("cannot-write", f"{visible(file.path)}: {error.strerror}") from None
        noun = "property" if len(best) == 1 else "properties"
        console.message(f"{visible(file.path)}: {len(best)} {noun} added")
