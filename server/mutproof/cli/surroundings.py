"""The environment of a command: perhaps a job of a CI service, with a repository and a summary."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from mutproof.cli.failure import UserError

_SUMMARY: Final = "GITHUB_STEP_SUMMARY"  # the file for a job's summary
_ROOTS: Final = ("GITHUB_WORKSPACE", "CI_PROJECT_DIR")  # the repository's folder


def repository(names: Iterable[str]) -> dict[str, str]:
    """Return the names of files relative to the root of the repository; others keep theirs.

    Without a job the root is the folder in which the command runs.
    """
    here = os.getcwd()
    known = [os.path.abspath(os.environ[name]) for name in _ROOTS if os.environ.get(name)]
    root = next((root for root in known if _below(here, root)), here)
    found = {}
    for name in names:
        path = os.path.join(here, name)
        found[name] = Path(os.path.relpath(path, root)).as_posix() if _below(path, root) else name
    return found


def add_summary(text: str) -> None:
    """Add a text to the summary of the job, if this is a job that has one.

    Raises:
        UserError: it cannot be written.
    """
    path = os.environ.get(_SUMMARY)
    if not path:
        return
    try:
        with open(path, "a", encoding="utf-8", errors="backslashreplace") as file:
            file.write(text)
    except OSError as error:
        raise UserError(
            "output-unwritable",
            f"cannot write the summary of the job to {path}: {error.strerror}",
            way_out=f"unset {_SUMMARY} to have none",
        ) from error


def _below(path: str, root: str) -> bool:
    return not os.path.relpath(os.path.normpath(path), root).startswith("..")
