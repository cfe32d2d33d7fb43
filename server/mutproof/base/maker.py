"""The digest of this process's code: sources, solvers and the interpreter.

Reading all sources takes longer than proving a small model, so their digest is kept with the files'
sizes, inodes and modification times.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import Final

import mutproof
from mutproof.base import store
from mutproof.base.digest import DIGEST_BYTES, Digest, digest_parts, digest_text

_SOURCES: Final = (".py", ".lark", ".tables")
_SOLVERS: Final = {"dd": "dd", "z3": "z3-solver"}
"""The packages of solvers, and the distributions they are in."""


@cache
def maker() -> Digest:
    """Return a digest of all the code on which stored results of this process depend.

    These are the sources of this package, and the versions of the solvers and of the interpreter.
    """
    folder = store.default_folder()
    if folder is None:
        return of_contents()
    kept = store.Store(folder, made_by=digest_parts("looks", sys.version))
    looks = of_looks()
    found = kept.get(looks)
    if found is not None and len(found) == DIGEST_BYTES:
        return Digest(found)
    made = of_contents()
    if looks == of_looks():  # no file has changed meanwhile
        kept.put(looks, made)
    return made


def of_contents() -> Digest:
    """Return the digest of the files' contents."""
    parts: list[bytes | str] = [sys.implementation.name, sys.version]
    parts += [f"{name} {_version(name)}" for name in _SOLVERS.values()]
    for path in sorted(path for folder in _folders() for path, _ in _files(folder)):
        parts += [os.path.basename(path), Path(path).read_bytes()]
    return digest_parts(*parts)


def of_looks() -> Digest:
    """Return the digest of the files' metadata, without reading them."""
    found = [file for folder in _folders() for file in _files(folder)]
    for package in _SOLVERS:
        found += [file for place in _places(package) for file in _files(place, suffixes=())]
    looks = [(path, s.st_size, s.st_ino, s.st_mtime_ns, s.st_ctime_ns) for path, s in found]
    return digest_text(repr(sorted(looks)))


def _folders() -> tuple[str, str]:
    root = Path(mutproof.__path__[0])
    return str(root), str(root.parent.parent / "grammars")


def _places(package: str) -> list[str]:
    """Return the folders of an installed package, or of its metadata, by name."""
    places = [os.path.join(place, package) for place in sys.path]
    return [place for place in places if os.path.isdir(place)]


def _files(
    folder: str, suffixes: tuple[str, ...] = _SOURCES
) -> Iterator[tuple[str, os.stat_result]]:
    """Yield the files below a folder with these suffixes; without any, itself and its files."""
    if not suffixes:
        yield folder, os.stat(folder)
    todo = [folder]
    while todo:
        try:
            listed = list(os.scandir(todo.pop()))
        except OSError:
            continue
        for entry in listed:
            if entry.name == "__pycache__":
                continue
            if entry.is_dir():
                if suffixes:
                    todo.append(entry.path)
            elif not suffixes or entry.name.endswith(suffixes):
                yield entry.path, entry.stat()


def _version(package: str) -> str:
    from importlib import metadata  # slow to import

    try:
        return metadata.version(package)
    except metadata.PackageNotFoundError:
        return "none"
