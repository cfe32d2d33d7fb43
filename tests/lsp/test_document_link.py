"""Names of models in texts: relative ones alone, and none that takes long to find."""

from __future__ import annotations

import pytest

from mutproof.lsp.requests.document_link import LONGEST, named


def names(content: str) -> list[str]:
    return [content[span.start : span.end] for span in named(content, (".lus", ".smv"))]


@pytest.mark.parametrize(
    ("content", "found"),
    [
        ('include "a.lus"', ["a.lus"]),
        ("-- see ../lib/b-1.smv, and c.smv.", ["../lib/b-1.smv"]),
        ("-- /etc/a.lus //host/share/b.lus \\\\host\\share\\c.lus", ["c.lus"]),
        ("-- a.lusx .lus x/.lus", []),
    ],
)
def test_relative_names_of_models_are_found(content: str, found: list[str]) -> None:
    assert found == names(content)


def test_what_is_long_is_looked_at_in_part() -> None:
    assert names("a" * 200_000) == []
    assert [LONGEST + len(".lus")] == [len(name) for name in names("a" * 200_000 + ".lus")]
