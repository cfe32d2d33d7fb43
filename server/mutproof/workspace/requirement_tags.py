"""Requirements that comments of a model name: `@req SYS-12, SYS-13` before a property."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import Final

_TAG: Final = re.compile(r"@req[ \t]+(?P<ids>[\w./:-]+(?:[ \t]*,[ \t]*[\w./:-]+)*)")


def tagged(
    text: str, places: Iterable[tuple[int, str]]
) -> tuple[Mapping[str, tuple[str, ...]], tuple[str, ...]]:
    """Return the requirements of each property, and those that precede none.

    `places` are 0-based offsets of properties with their names. A tag belongs to the first property
    named in its line or after it.
    """
    found: dict[str, dict[str, None]] = {}
    left: dict[str, None] = {}
    ordered = sorted(places)
    for match in _TAG.finditer(text):
        ids = [one.strip().rstrip(".:") for one in match["ids"].split(",")]
        line = text.rfind("\n", 0, match.start()) + 1
        name = next((name for offset, name in ordered if offset >= line), None)
        known = left if name is None else found.setdefault(name, {})
        known.update(dict.fromkeys(ids))
    everywhere = {one for ids in found.values() for one in ids}
    return (
        {name: tuple(ids) for name, ids in found.items()},
        tuple(one for one in left if one not in everywhere),
    )
