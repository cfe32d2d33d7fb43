"""Contents on disk, for all processes of this user; losing some does no harm.

One file for each content, written beside its place and moved there, so that no process ever
sees half of one and none waits for another. Every file ends with a seal: a digest of its key,
of what wrote it and of its content, which only this user's account can make (`user_key`). What
does not bear the right seal, because it was cut short, changed, moved or forged, counts as absent
and is removed, before anything in it is looked at. So does what cannot be read or written: a
store never fails. When the files are larger than `most_bytes` together, those that nobody has
read for the longest time go.
"""

from __future__ import annotations

import contextlib
import os
import re
import stat
import time
import zlib
from _operator import _compare_digest as equal_bytes  # that of `hmac`, which loads OpenSSL
from pathlib import Path
from typing import Final

from mutproof.base import account_folders, user_key
from mutproof.base.digest import Digest, digest_parts, keyed
from mutproof.base.record import dataclass

FOLDER_VARIABLE: Final = "MUTPROOF_CACHE_DIR"
"""The variable that names the folder of the store; set but empty means that there is none."""

MOST_BYTES: Final = 256 << 20
SUFFIX: Final = ".mutproof"

_UNFINISHED: Final = ".part"
_LEVEL: Final = 1  # higher levels gain little
_SEAL_BYTES: Final = 32
_ABANDONED_S: Final = 3600.0
_MOST_CONTENT: Final = 1 << 30
_PART_OF_NAME: Final = re.compile("[0-9a-f]{2}")


def default_folder() -> Path | None:
    """Return the folder that the environment or the platform names; None: keep nothing."""
    named = os.environ.get(FOLDER_VARIABLE)
    if named is None:
        return account_folders.of_cache()
    return Path(named) if named else None


def refusal(folder: Path) -> str | None:
    """Return why a folder must not be used, None if it may be."""
    try:
        status = folder.stat()
    except OSError:
        return None  # created by the first `put`
    if not user_key.belongs_to_us(status):
        return "it belongs to another user"
    if os.name == "posix" and status.st_mode & stat.S_IWOTH:
        return "every user may write to it"
    return None


def warning() -> str | None:
    """Return a line that says why nothing is kept although asked for; None otherwise."""
    folder = default_folder()
    if folder is None:
        return None
    if (reason := refusal(folder)) is not None:
        return f"nothing is kept in {str(folder)!r}: {reason}"
    if user_key.user_key() is None:
        return f"nothing is kept: no secret can be kept in {str(user_key.key_folder())!r}"
    return None


@dataclass(frozen=True, slots=True)
class Size:
    """Say how much a store holds."""

    entries: int
    size: int  # bytes


@dataclass(frozen=True, slots=True)
class Seal:
    """Seal contents of one maker with a secret, and open sealed ones."""

    maker: Digest
    secret: bytes

    def closed(self, key: Digest, content: bytes) -> bytes:
        """Return the sealed bytes of a content under a key."""
        packed = zlib.compress(content, _LEVEL)
        return packed + self._of(key, packed)

    def opened(self, key: Digest, data: bytes) -> bytes | None:
        """Return the content sealed under a key; None for bytes without the right seal."""
        packed, seal = data[:-_SEAL_BYTES], data[-_SEAL_BYTES:]
        if not equal_bytes(seal, self._of(key, packed)):
            return None
        unpacking = zlib.decompressobj()
        try:
            content = unpacking.decompress(packed, _MOST_CONTENT)
        except (zlib.error, MemoryError):
            return None
        return content if unpacking.eof else None

    def _of(self, key: Digest, packed: bytes) -> bytes:
        hasher = keyed(self.secret, digest_size=_SEAL_BYTES)
        for part in (self.maker, key, packed):
            hasher.update(len(part).to_bytes(8, "little"))
            hasher.update(part)
        return hasher.digest()


def place(maker: Digest, key: Digest) -> str:
    """Return the file name of a content, distinct for each maker."""
    return digest_parts("place", maker, key).hex()


def put(path: Path, data: bytes, *, for_all: bool = False) -> None:
    """Write a file beside its place and move it there, where others read it too if it is `for_all`.

    Raises:
        OSError: that is not possible; nothing is left of it.
    """
    import tempfile  # slow to import, and for new contents only

    number, unfinished = tempfile.mkstemp(_UNFINISHED, dir=path.parent)
    try:
        with os.fdopen(number, "wb") as stream:
            stream.write(data)
        if for_all:
            os.chmod(unfinished, 0o644)
        os.replace(unfinished, path)
    except OSError:
        _remove(Path(unfinished))
        raise


class Store:
    """Keep contents by key in a folder; several processes may use it at the same time.

    Contents are of one maker: what another wrote is not found. Nothing is found or kept without a
    `secret` of the account, or in a folder that is refused.
    """

    def __init__(
        self,
        folder: Path,
        *,
        made_by: Digest,
        most_bytes: int = MOST_BYTES,
        secret: bytes | None = None,
    ) -> None:
        self.folder = folder
        self._maker = made_by
        self._most_bytes = most_bytes
        self._seal = None if secret is None else Seal(made_by, secret)

    def get(self, key: Digest) -> bytes | None:
        """Return the content that was put under a key, None if it is not there any more."""
        seal = self._usable()
        if seal is None:
            return None
        path = self._path(key)
        try:
            data = _read(path, self._most_bytes)
        except OSError:
            return None
        content = None if data is None else seal.opened(key, data)
        if content is None:
            _remove(path)
            return None
        with contextlib.suppress(OSError):
            os.utime(path)  # the time of last use
        return content

    def put(self, key: Digest, content: bytes) -> bool:
        """Keep a content under a key in place of an older one; tell whether that succeeded."""
        seal = self._usable()
        if len(content) > _MOST_CONTENT or seal is None:
            return False
        data = seal.closed(key, content)
        if len(data) > self._most_bytes // 2:
            return False
        try:
            path = self._path(key)
            for folder in (self.folder, path.parent):
                folder.mkdir(parents=True, exist_ok=True, mode=0o700)
            put(path, data)
        except OSError:
            return False
        self._make_room()
        return True

    def size(self) -> Size:
        """Return the size of all contents, of all makers."""
        found = [size for _, size, path in self._entries() if path.suffix == SUFFIX]
        return Size(len(found), sum(found))

    def clear(self) -> Size:
        """Remove all contents, of all makers; return their size.

        Nothing is removed in a folder that is refused.
        """
        if refusal(self.folder) is not None:
            return Size(0, 0)
        before = self.size()
        for _, _, path in self._entries():
            _remove(path)
        for folder in self._folders():
            with contextlib.suppress(OSError):
                folder.rmdir()
        return before

    # --- private ------------------------------------------------------------------------------

    def _usable(self) -> Seal | None:
        """Return the seal of contents; None if the store cannot be used."""
        if self._seal is None and (secret := user_key.user_key()) is not None:
            self._seal = Seal(self._maker, secret)
        return self._seal if refusal(self.folder) is None else None

    def _path(self, key: Digest) -> Path:
        name = place(self._maker, key)
        return self.folder / name[:2] / (name + SUFFIX)

    def _folders(self) -> list[Path]:
        """Return the folders that hold contents, and no others in the same place."""
        try:
            with os.scandir(self.folder) as listed:
                return sorted(Path(e.path) for e in listed if _PART_OF_NAME.fullmatch(e.name))
        except OSError:
            return []

    def _entries(self) -> list[tuple[float, int, Path]]:
        """Return time of last use, size in bytes and path of all files, also unfinished ones."""
        found: list[tuple[float, int, Path]] = []
        for folder in self._folders():
            with contextlib.suppress(OSError), os.scandir(folder) as listed:
                for entry in listed:
                    if entry.name.endswith((SUFFIX, _UNFINISHED)):
                        with contextlib.suppress(OSError):
                            about = entry.stat(follow_symlinks=False)
                            found.append((about.st_mtime, about.st_size, Path(entry.path)))
        return sorted(found)

    def _make_room(self) -> None:
        """Remove the least recently used files until the rest fits, and abandoned ones."""
        entries = self._entries()
        excess = sum(size for _, size, _ in entries) - self._most_bytes
        abandoned = time.time() - _ABANDONED_S
        for used, size, path in entries:
            if path.suffix == _UNFINISHED and used < abandoned:
                _remove(path)
            elif path.suffix == SUFFIX and excess > 0:
                _remove(path)
                excess -= size


def _read(path: Path, most_bytes: int) -> bytes | None:
    """Return the bytes of a file; None if it is not a regular file, or too large. Never blocks.

    Raises:
        OSError: it cannot be read.
    """
    flags = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    with os.fdopen(os.open(path, flags | getattr(os, "O_BINARY", 0)), "rb") as stream:
        status = os.fstat(stream.fileno())
        if not stat.S_ISREG(status.st_mode) or status.st_size > most_bytes:
            return None
        return stream.read(most_bytes)


def _remove(path: Path) -> None:
    with contextlib.suppress(OSError):
        path.unlink()
