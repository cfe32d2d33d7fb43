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
    hasher = blake2b(digest_size=DIGEST_BYTES)
    for part in parts:
        if isinstance(part, bytes):
            raw, mark = part, b"b"
        elif isinstance(part, str):
            raw, mark = part.encode("utf-8", "surrogatepass"), b"s"
        else:
            raw, mark = str(part).encode(), b"i"
        hasher.update(mark)
        hasher.update(len(raw).to_bytes(8, "little"))
        hasher.update(raw)
    return Digest(hasher.digest())


def short(digest: Digest, *, characters: int = 10) -> str:
    """Return the first hexadecimal `characters` of a digest, for people and identifiers."""
    return digest.hex()[:characters]
