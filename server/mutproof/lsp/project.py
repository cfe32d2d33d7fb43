"""What a project says of its models, which counts for an editor as for the command."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

from mutproof.workspace.options import Options

Project: TypeAlias = Callable[[str, Options], tuple[Options, str]]
"""What is asked of a file (its name), by what the editor asks; with what is wrong there, if any."""


def no_project(_: str, options: Options) -> tuple[Options, str]:
    """Return what the editor asks."""
    return options, ""
