"""A secret of the user's account: contents sealed with it were written by this account.

Others may be able to write to a store's folder, but cannot seal contents. The secret is in a file
that only this account can read, in a folder of the account: never beside contents, as these may
have come with a workspace.
"""

from __future__ import annotations

import contextlib
import os
import stat
from functools import cache
from pathlib import Path
from typing import Final

from mutproof.base import account_folders

KEY_BYTES: Final = 32
_NAME: Final = "seal.key"
_OTHERS: Final = stat.S_IRWXG | stat.S_IRWXO


def key_folder() -> Path:
    """Return the folder that holds the secret."""
    return account_folders.of_state()


@cache
def user_key() -> bytes | None:
    """Return the secret of this account, made if there is none; None where it cannot be kept."""
    return key_in(key_folder())


def key_in(folder: Path) -> bytes | None:
    """Return the secret in a folder, made if there is none; None where it cannot be kept.

    One that others can read, or have put there, is replaced: contents sealed with it become
    invalid.
    """
    try:
        folder.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not _is_ours(folder.stat(), stat.S_IWGRP | stat.S_IWOTH):
            return None
        path = folder / _NAME
        found = _read(path)
        if found is None:
            _write(path)
            found = _read(path)
    except OSError:
        return None
    return found


def belongs_to_us(status: os.stat_result) -> bool:
    """Tell whether a file belongs to this account, where the system has accounts."""
    return not hasattr(os, "geteuid") or status.st_uid == os.geteuid()


def _is_ours(status: os.stat_result, forbidden: int) -> bool:
    return belongs_to_us(status) and (os.name != "posix" or not status.st_mode & forbidden)


def _read(path: Path) -> bytes | None:
    """Return the content of a file of this account; None if absent or readable by others."""
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        number = os.open(path, flags | getattr(os, "O_BINARY", 0))
    except OSError:
        return None
    with os.fdopen(number, "rb") as stream:
        status = os.fstat(number)
        if not stat.S_ISREG(status.st_mode) or not _is_ours(status, _OTHERS):
            return None
        found = stream.read(KEY_BYTES + 1)
    return found if len(found) == KEY_BYTES else None


def _write(path: Path) -> None:
    """Write a new secret to a path; of two processes that do so at once, one succeeds.

    Raises:
        OSError: it cannot be written.
    """
    import secrets  # slow to import, and needed once only
    import tempfile

    number, unfinished = tempfile.mkstemp(dir=path.parent)  # readable by this account only
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(secrets.token_bytes(KEY_BYTES))
        if _read(path) is None and (path.exists() or path.is_symlink()):
            with contextlib.suppress(FileNotFoundError):
                path.unlink()
        with contextlib.suppress(FileExistsError):
            # Unlike a move, a link never replaces a secret that is in use already.
            _link(unfinished, path)
    finally:
        with contextlib.suppress(FileNotFoundError):
            os.unlink(unfinished)


def _link(source: str, target: Path) -> None:
    try:
        os.link(source, target)
    except FileExistsError:
        raise
    except OSError:  # a file system without links
        os.rename(source, target)
