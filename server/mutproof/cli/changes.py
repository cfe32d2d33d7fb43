"""`--since` and `--in-diff`: texts before a change, to restrict a run to what it concerns."""

from __future__ import annotations

import os
import sys
from argparse import ArgumentParser, Namespace
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Final

from mutproof.cli.failure import UserError
from mutproof.workspace.options import EarlierText

if TYPE_CHECKING:
    from mutproof.base.unified_diff import FileChange

STANDARD_INPUT: Final = "-"
_ANY_BYTE: Final = "surrogateescape"


def add_changes(parser: ArgumentParser) -> None:
    """Add which change a run is about."""
    group = parser.add_argument_group("changes").add_mutually_exclusive_group()
    group.add_argument(
        "--since",
        dest="since_revision",
        metavar="REF",
        default=None,
        help="decide only mutants that the change of a file since this revision of git concerns:"
        " new ones, and those that may fare differently now; the report counts the others",
    )
    group.add_argument(
        "--in-diff",
        metavar="FILE",
        default=None,
        help="likewise, the change that this unified diff says, which led to the files as they are"
        " (-: standard input)",
    )


def earlier_texts(arguments: Namespace) -> Callable[[str], EarlierText] | None:
    """Return a look-up of the earlier texts of files; None if no change was asked for.

    Raises:
        UserError: the diff cannot be read.
    """
    if getattr(arguments, "since_revision", None) is not None:
        return _AtRevision(arguments.since_revision)
    if getattr(arguments, "in_diff", None) is not None:
        return _BeforeDiff(arguments.in_diff)
    return None


class _AtRevision:
    """Return the texts of files at a revision; cache what git says."""

    def __init__(self, revision: str) -> None:
        self._revision = revision
        self._commits: dict[Path, str] = {}
        self._known: dict[str, EarlierText] = {}

    def __call__(self, name: str) -> EarlierText:
        """Return the text of a file at the revision; empty if there was no such file.

        Raises:
            UserError: git cannot tell.
        """
        if name not in self._known:
            path = Path(os.path.realpath(name))
            content = self._content(path) if path.is_file() else ""
            self._known[name] = EarlierText(content, f"the change since {self._revision}")
        return self._known[name]

    def _content(self, path: Path) -> str:
        from mutproof.runtime import files, git

        folder = path.parent
        try:
            if folder not in self._commits:
                self._commits[folder] = git.commit(folder, self._revision)
            found = git.content(path, self._commits[folder])
        except git.UnknownRevisionError as error:
            message = f"git knows no revision {self._revision!r} in {folder}"
            way_out = "name a commit, branch or tag that is here; shallow clones lack old ones"
            raise UserError("unknown-revision", message, way_out=way_out) from error
        except git.GitError as error:
            way_out = "--since asks git; --in-diff takes any unified diff"
            raise UserError("no-repository", f"{path}: {error}", way_out=way_out) from error
        return "" if found is None else files.readable(found, str(path)) or ""


class _BeforeDiff:
    """Return the texts of files before a diff was applied; cache them."""

    def __init__(self, name: str) -> None:
        from mutproof.base import unified_diff

        is_input = name == STANDARD_INPUT
        self._shown = "standard input" if is_input else name
        try:
            raw = sys.stdin.buffer.read() if is_input else Path(name).read_bytes()
        except OSError as error:
            message = f"{self._shown} cannot be read: {error.strerror}"
            raise UserError("not-a-diff", message) from error
        try:
            self._changes = unified_diff.parsed(raw.decode("utf-8", _ANY_BYTE))
        except unified_diff.DiffError as error:
            raise UserError(
                "not-a-diff",
                f"{self._shown}: {error}",
                way_out="`git diff main` writes one, and so does `diff -u`",
            ) from error
        self._folders = _folders()
        self._known: dict[str, EarlierText] = {}
        self._check_files()

    def __call__(self, name: str) -> EarlierText:
        """Return the text of a file before the diff: today's, if the diff does not name it.

        Raises:
            UserError: the diff does not fit the file.
        """
        if name not in self._known:
            self._known[name] = EarlierText(self._content(name), f"the change in {self._shown}")
        return self._known[name]

    def _content(self, name: str) -> str:
        from mutproof.base import unified_diff
        from mutproof.runtime import files

        path = _same(name)
        source, _ = files.read(Path(name))
        content = "" if source is None else Path(name).read_bytes().decode("utf-8-sig", _ANY_BYTE)
        for change in reversed(self._changes):
            if change.new is None or self._path(change.new) != path:
                continue
            if change.old is None:
                return ""
            try:
                content = change.undone(content)
            except unified_diff.DiffError as error:
                way_out = "the diff has to lead to the files as they are now"
                message = f"{self._shown} does not fit {name}: {error}"
                raise UserError("unfit-diff", message, way_out=way_out) from error
            path = self._path(change.old)
        return files.readable(content.encode("utf-8", _ANY_BYTE), name) or ""

    def _path(self, name: str) -> str:
        """Return the path of a file that a diff names, from the repository's root or here."""
        found = [_same(os.path.join(folder, name)) for folder in self._folders]
        return next(filter(os.path.exists, found), found[0])

    def _check_files(self) -> None:
        """Check that the models in the diff exist: otherwise it is of another folder.

        Raises:
            UserError: one does not exist.
        """
        from mutproof.workspace import sources

        def is_left(change: FileChange) -> bool:
            return change.old != change.new

        gone = {change.old for change in self._changes if is_left(change)}
        for change in self._changes:
            name = change.new
            if name is None or name in gone or not name.lower().endswith(sources.suffixes()):
                continue
            if not os.path.exists(self._path(name)):
                message = f"{self._shown} names {name}, which is not here"
                way_out = "run it in the folder from which the diff names files"
                raise UserError("unfit-diff", message, way_out=way_out)


def _same(name: str) -> str:
    """Return the canonical path of a file."""
    return os.path.normcase(os.path.realpath(name))


def _folders() -> tuple[str, ...]:
    """Return the folders from which a diff may name files."""
    here = Path.cwd()
    roots = (folder for folder in (here, *here.parents) if (folder / ".git").exists())
    return tuple(dict.fromkeys((str(next(roots, here)), str(here))))
