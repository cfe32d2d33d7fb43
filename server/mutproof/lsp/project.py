"""What a project says of its models, which counts for an editor as for the command."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.workspace.options import Options

Project: TypeAlias = Callable[[str, Options], tuple[Options, str]]
"""What is asked of a file (its name), by what the editor asks; with what is wrong there, if any."""


def no_project(_: str, options: Options) -> tuple[Options, str]:
    """Return what the editor asks."""
    return options, ""


@dataclass(slots=True)
class ProjectOptions:
    """Know what projects say; mutable in that it remembers what was wrong the last time."""

    project: Project
    _wrong: dict[str, str] = field(default_factory=dict)  # by the names of files

    def of(self, name: str, options: Options) -> tuple[Options, str]:
        """Return what is asked of a file, and what is wrong unless that was told already."""
        asked, wrong = self.project(name, options)
        told = wrong in self._wrong.values()
        self._wrong[name] = wrong
        return asked, "" if told else wrong
