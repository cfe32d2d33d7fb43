"""Write suggested properties into the files they are for."""

from __future__ import annotations

from pathlib import Path

from mutproof.base.text import visible
from mutproof.cli.console import Console
from mutproof.cli.exit_codes import ExitCode
from mutproof.cli.failure import UserError
from mutproof.model.editing import edited
from mutproof.reporters.reported_file import ReportedFile
from mutproof.runtime import files as stored
from mutproof.workspace.insertion import insertion


def write(
    files: tuple[ReportedFile, ...], console: Console, *, restating: bool = False
) -> ExitCode:
    """Add the best set of each file to it; one that changed meanwhile stays, which is no success.

    What restates an element of the model is added only if that is asked for.

    Raises:
        UserError: a file cannot be written.
    """
    code = ExitCode.OK
    for file in files:
        found = None if file.report is None else file.report.suggestions
        if found is None or file.language is None or file.elaborated is None:
            continue
        best = found.chosen(restating=restating)
        if not best:
            continue
        path, source = Path(file.path), file.source
        try:
            text = edited(source.content, insertion(file.language, file.elaborated, best))
            is_written = stored.rewrite(path, source.content, text)
        except OSError as error:
            raise UserError("cannot-write", f"{visible(file.path)}: {error.strerror}") from None
        if not is_written:
            console.problem(f"{visible(file.path)}: changed meanwhile, and left as it is")
            code = ExitCode.UNUSABLE
            continue
        noun = "property" if len(best) == 1 else "properties"
        console.message(f"{visible(file.path)}: {len(best)} {noun} added")
    return code
