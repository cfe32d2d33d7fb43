"""Content digests: the keys by which results are found again."""

from __future__ import annotations

from hashlib import blake2b
from typing import NewType

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
    """Return the digest of parts that `framed` has made bytes of."""
    return Digest(blake2b(content, digest_size=DIGEST_BYTES).digest())


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


def short(digest: Digest, *, characters: int = 10) -> str:
    """Return the first hexadecimal `characters` of a digest, for people and identifiers."""
    return digest.hex()[:characters]
