"""Settings of projects, which apply in editors as on the command line."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field
from typing import TypeAlias

from mutproof.base.record import dataclass
from mutproof.workspace.options import Options

Project: TypeAlias = Callable[[str, Options], tuple[Options, str]]
"""Returns the options of a file from its name and the editor's options, and an error if any."""


def no_project(_: str, options: Options) -> tuple[Options, str]:
    """Return the editor's options unchanged."""
    return options, ""


@dataclass(slots=True)
class ProjectOptions:
    """Read the settings of projects; mutable: remembers the last errors."""

    project: Project
    _wrong: dict[str, str] = field(default_factory=dict)  # by file name

    def of(self, name: str, options: Options) -> tuple[Options, str]:
        """Return the options for a file, and an error unless it was reported before."""
        asked, wrong = self.project(name, options)
        told = wrong in self._wrong.values()
        self._wrong[name] = wrong
        return asked, "" if told else wrong
