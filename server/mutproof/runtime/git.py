"""Contents of files at a revision, read by git; changes nothing."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path
from typing import Final

_SAID_TO_HOOKS: Final = frozenset(
    {"GIT_DIR", "GIT_WORK_TREE", "GIT_INDEX_FILE", "GIT_PREFIX", "GIT_COMMON_DIR"}
)
"""Variables that git sets for hooks, removed here as they are about another folder."""

_FILE: Final = "100"
"""The prefix of the modes of files, as opposed to links and folders."""


PATIENCE_S: Final = 60.0
"""How long git may take for one answer, in seconds."""


class GitError(Exception):
    """Say why git does not answer."""


class UnknownRevisionError(GitError):
    """Say that a repository has no revision of a name."""


def commit(folder: Path, revision: str) -> str:
    """Return the commit that a revision names in the repository of a folder.

    Raises:
        UnknownRevisionError: it names none.
        GitError: git does not answer, or the folder is in no repository.
    """
    _asked(folder, "rev-parse", "--git-dir")
    names = ("rev-parse", "--verify", "--quiet", "--end-of-options", f"{revision}^{{commit}}")
    try:
        return _asked(folder, *names).decode().strip()
    except GitError as error:
        raise UnknownRevisionError(str(error)) from error


def content(path: Path, at: str) -> bytes | None:
    """Return the content of a file at a commit; None if there was no file.

    Raises:
        GitError: git does not answer.
    """
    listed = _asked(path.parent, "ls-tree", "-z", at, "--", path.name)
    mode, _, described = listed.partition(b" ")
    if not mode.startswith(_FILE.encode()):
        return None
    blob = described.split()[1].decode()
    return _asked(path.parent, "cat-file", "blob", blob)


def _asked(folder: Path, *words: str) -> bytes:
    """Run git in a folder and return its output.

    Raises:
        GitError: git cannot be run, takes too long or fails.
    """
    surroundings = {k: v for k, v in os.environ.items() if k not in _SAID_TO_HOOKS}
    surroundings |= {"GIT_LITERAL_PATHSPECS": "1", "GIT_TERMINAL_PROMPT": "0"}
    program = shutil.which("git")
    if program is None or Path(program).parent == Path():  # Windows looks in this folder first
        message = "git cannot be run: it is not installed"
        raise GitError(message)
    try:
        done = subprocess.run(
            [program, *words],
            cwd=folder,
            env=surroundings,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            check=False,
            timeout=PATIENCE_S,
        )
    except OSError as error:
        message = f"git cannot be run: {error.strerror}"
        raise GitError(message) from error
    except subprocess.TimeoutExpired as error:
        message = f"git {words[0]} does not come to an end"
        raise GitError(message) from error
    if done.returncode:
        said = done.stderr.decode("utf-8", "replace").strip().splitlines()
        raise GitError(said[0] if said else f"git {words[0]} failed")
    return done.stdout
