"""Contents that machines share, in a folder or on an HTTP server; losing some does no harm.

Contents are sealed with a secret that all the machines have, as those of an account are with its
own (`store`). Without the secret one can remove contents, but not forge any. Any server that keeps
what is `PUT` and returns it on `GET` will do: WebDAV, or bazel-remote, whose names are those of 64
hexadecimal digits. One that does not answer costs a few seconds in all.
"""

from __future__ import annotations

import contextlib
import os
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Final, Protocol

from mutproof.base.digest import Digest
from mutproof.base.store import SUFFIX, Seal, place, put

PLACE_VARIABLE: Final = "MUTPROOF_SHARED_CACHE"
"""The variable that names the folder, or the address of the server."""

SECRET_VARIABLE: Final = "MUTPROOF_SHARED_KEY"
WRITE_VARIABLE: Final = "MUTPROOF_SHARED_WRITE"
"""The variable that, if not empty, allows adding contents: one machine writes, many read."""

LEAST_SECRET: Final = 16
PATIENCE_S: Final = 2.0
"""How long a server may take for one answer, in seconds."""

MOST_FAILURES: Final = 2
"""After how many failures the store is no longer used."""

MOST_BYTES: Final = 64 << 20


class ByteStore(Protocol):
    """Keep bytes under names.

    Raises:
        OSError: from both methods, if the store is not available now.
    """

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name, None if there are none."""

    def put(self, name: str, data: bytes) -> None:
        """Keep bytes under a name in place of others."""


class SharedStore:
    """Keep contents of one maker where other machines find them; mutable."""

    def __init__(
        self, transport: ByteStore, *, made_by: Digest, secret: bytes, writes: bool
    ) -> None:
        self._transport = transport
        self._seal = Seal(made_by, secret)
        self._writes = writes
        self._failures = {"get": 0, "put": 0}

    def get(self, key: Digest) -> bytes | None:
        """Return the content that was put under a key; None if it is not there, or was changed."""
        data: list[bytes | None] = []
        name = _name(self._seal.maker, key)
        self._within("get", lambda: data.append(self._transport.get(name)))
        found = data[0] if data else None
        return None if found is None else self._seal.opened(key, found)

    def put(self, key: Digest, content: bytes) -> None:
        """Keep a content under a key, if that is allowed; failures are ignored."""
        if self._writes and len(content) <= MOST_BYTES:
            name, data = _name(self._seal.maker, key), self._seal.closed(key, content)
            self._within("put", lambda: self._transport.put(name, data))

    def _within(self, kind: str, work: Callable[[], None]) -> None:
        """Do work on a thread, as it may fail or take long, for instance to look up a host."""
        if self._failures[kind] >= MOST_FAILURES:
            return
        done: list[bool] = []

        def run() -> None:
            with contextlib.suppress(OSError, ValueError):
                work()
                done.append(True)

        thread = threading.Thread(target=run, name="shared store", daemon=True)
        thread.start()
        thread.join(2 * PATIENCE_S)
        self._failures[kind] = 0 if done else self._failures[kind] + 1


class FolderStore:
    """Keep bytes as files of a folder, which several machines may mount."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name, None if there are none."""
        try:
            with (self._folder / name[:2] / (name + SUFFIX)).open("rb") as stream:
                return stream.read(MOST_BYTES)
        except FileNotFoundError:
            return None

    def put(self, name: str, data: bytes) -> None:
        """Keep bytes under a name in place of others."""
        path = self._folder / name[:2] / (name + SUFFIX)
        path.parent.mkdir(parents=True, exist_ok=True)
        put(path, data, for_all=True)


class HttpStore:
    """Keep bytes on an HTTP server; the address may have a user and a password."""

    def __init__(self, address: str) -> None:
        import base64
        import urllib.parse

        parts = urllib.parse.urlsplit(address)
        host = parts.netloc.rpartition("@")[2]
        self._address = urllib.parse.urlunsplit(parts._replace(netloc=host)).rstrip("/")
        self._user = ""
        if parts.username is not None:
            named = f"{parts.username}:{parts.password or ''}"
            user = urllib.parse.unquote(named).encode()
            self._user = f"Basic {base64.b64encode(user).decode()}"

    def get(self, name: str) -> bytes | None:
        """Return the bytes of that name, None if there are none."""
        import urllib.error

        try:
            return self._asked(name, None)
        except urllib.error.HTTPError as error:
            if error.code == 404:
                return None
            raise

    def put(self, name: str, data: bytes) -> None:
        """Keep bytes under a name in place of others."""
        self._asked(name, data)

    def _asked(self, name: str, data: bytes | None) -> bytes:
        import urllib.request

        request = urllib.request.Request(
            f"{self._address}/{name}",
            data,
            {"Content-Type": "application/octet-stream"},
            method="GET" if data is None else "PUT",
        )
        if self._user:
            request.add_unredirected_header("Authorization", self._user)
        with urllib.request.urlopen(request, timeout=PATIENCE_S) as answer:
            found = answer.read(MOST_BYTES)
        assert isinstance(found, bytes)
        return found


def shared_store(made_by: Digest) -> SharedStore | None:
    """Return the store that the environment names, None where it names none or has no secret."""
    where, secret = os.environ.get(PLACE_VARIABLE, ""), os.environ.get(SECRET_VARIABLE, "")
    if not where or len(secret) < LEAST_SECRET:
        return None
    transport = _transport(where)
    if transport is None:
        return None
    return SharedStore(
        transport,
        made_by=made_by,
        secret=_sha256(secret.encode()),
        writes=bool(os.environ.get(WRITE_VARIABLE)),
    )


def _transport(where: str) -> ByteStore | None:
    """Return the store at a folder or URL; None if that is not a valid address."""
    if not where.startswith(("http://", "https://")):
        return FolderStore(Path(where))
    try:
        return HttpStore(where)
    except ValueError:
        return None


def warning() -> str | None:
    """Return a line that says why nothing is shared although asked for; None otherwise."""
    where = os.environ.get(PLACE_VARIABLE)
    if not where:
        return None
    if _transport(where) is None:  # not shown: it may hold a password
        return f"nothing is shared: {PLACE_VARIABLE} is no address"
    if len(os.environ.get(SECRET_VARIABLE, "")) < LEAST_SECRET:
        return f"nothing is shared: {SECRET_VARIABLE} has less than {LEAST_SECRET} characters"
    return None


def _name(maker: Digest, key: Digest) -> str:
    return _sha256(bytes.fromhex(place(maker, key))).hex()


def _sha256(content: bytes) -> bytes:
    import hashlib  # slow to import, and few share contents

    return hashlib.sha256(content).digest()
