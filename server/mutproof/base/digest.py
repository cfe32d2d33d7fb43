"""Content digests: the keys of stored results."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import fields, is_dataclass
from itertools import zip_longest
from typing import Any, NewType

try:
    from _blake2 import blake2b  # what `hashlib` has, which loads OpenSSL first
except ImportError:  # an interpreter that has OpenSSL's only
    from hashlib import blake2b

Digest = NewType("Digest", bytes)
"""Sixteen bytes that stand for a content; equal contents have equal digests."""

DIGEST_BYTES = 16


def digest_text(text: str) -> Digest:
    """Return the digest of a text; lone surrogates are digested as they are."""
    return Digest(blake2b(text.encode("utf-8", "surrogatepass"), digest_size=DIGEST_BYTES).digest())


def digest_parts(*parts: bytes | str | int) -> Digest:
    """Return the digest of a sequence of parts; the sequence, not its concatenation, counts."""
    return Digest(blake2b(framed(*parts), digest_size=DIGEST_BYTES).digest())


def digest_framed(content: bytes) -> Digest:
    """Return the digest of parts that `framed` has encoded."""
    return Digest(blake2b(content, digest_size=DIGEST_BYTES).digest())


def keyed(secret: bytes, *, digest_size: int) -> blake2b:
    """Return an empty hasher for digests that only who has a secret can make."""
    return blake2b(key=secret, digest_size=digest_size)


def digest_fields(record: Any) -> Digest:
    """Return the digest of a dataclass's fields, by their names; plain values and other records.

    Fields whose metadata say `counts=False` are left out.

    Raises:
        TypeError: a value is of a type that has no fixed text.
    """
    return digest_parts(*_field_parts(record))


def _field_parts(record: Any) -> Iterator[bytes | str | int]:
    for declared in fields(record):
        if declared.metadata.get("counts", True):
            yield declared.name
            yield _text_of(getattr(record, declared.name))


def _text_of(value: Any) -> str | bytes:
    match value:
        case None | bool() | int() | float() | str() | bytes():
            return repr(value)
        case tuple():
            return framed(*(_text_of(part) for part in value))
        case _ if is_dataclass(value):
            return framed(*_field_parts(value))
        case _:
            message = f"a {type(value).__name__} has no digest"
            raise TypeError(message)


class Prefixed:
    """Digest sequences that begin with the same parts; immutable."""

    def __init__(self, *parts: bytes | str | int) -> None:
        self._hasher = blake2b(framed(*parts), digest_size=DIGEST_BYTES)

    def digest(self, *parts: bytes | str | int) -> Digest:
        """Return what `digest_parts` returns for the first parts and these."""
        hasher = self._hasher.copy()
        hasher.update(framed(*parts))
        return Digest(hasher.digest())


def framed(*parts: bytes | str | int) -> bytes:
    """Return parts as bytes, each with its kind and length before it.

    The bytes of a longer sequence are those of its parts one after the other.
    """
    found: list[bytes] = []
    for part in parts:
        if isinstance(part, bytes):
            raw, mark = part, b"b"
        elif isinstance(part, str):
            raw, mark = part.encode("utf-8", "surrogatepass"), b"s"
        else:
            raw, mark = str(part).encode(), b"i"
        found += (mark, len(raw).to_bytes(8, "little"), raw)
    return b"".join(found)


BEFORE_DIGEST = framed(bytes(DIGEST_BYTES))[:-DIGEST_BYTES]
"""What `framed` puts before a digest."""


def shortened(names: Iterable[str], least: int) -> dict[str, str]:
    """Return unique prefixes of digests in hexadecimal digits, for display.

    They have at least `least` characters. Use whole digests for look-up and decisions.
    """
    ordered = sorted(set(names))
    found: dict[str, str] = {}
    alike = 0  # characters in common with the previous digest
    for name, following in zip_longest(ordered, ordered[1:], fillvalue=""):
        common = _common(name, following)
        found[name] = name[: max(least, alike + 1, common + 1)]
        alike = common
    return found


def _common(one: str, other: str) -> int:
    """Return the length of the common prefix of two texts."""
    pairs = enumerate(zip(one, other, strict=False))
    return next((at for at, (a, b) in pairs if a != b), min(len(one), len(other)))
