"""Selections grow from a word to the text, each inside the next."""

from __future__ import annotations

from itertools import pairwise

import pytest
from clients import ROOT, started
from hypothesis import given
from hypothesis import strategies as some
from lsprotocol import types

from mutproof.base.text import SourceText
from mutproof.ide.selection import selections
from mutproof.languages import LANGUAGES
from mutproof.workspace.queries import Queries
from support.profiles import profile

LUSTRE = (ROOT / "examples" / "demo2.lus").read_text(encoding="utf-8")
NUSMV = (ROOT / "examples" / "beverage.smv").read_text(encoding="utf-8")
QUERIES = Queries()
URI = "file:///work/demo2.lus"


def around(language: str, text: str, offset: int) -> list[str]:
    elaborated = QUERIES.elaborated(language, SourceText(f"model.{language}", text))
    (found,) = selections(elaborated, LANGUAGES[language], [offset])
    assert all(span.start <= offset <= span.end for span in found)
    for inner, outer in pairwise(found):
        assert outer.covers(inner)
        assert outer != inner
    assert (found[-1].start, found[-1].end) == (0, len(text))
    return [text[span.start : span.end] for span in found]


@profile(100)
@given(some.integers(0, len(LUSTRE)))
def test_selections_in_lustre_are_nested(offset: int) -> None:
    around("lustre", LUSTRE, offset)


@profile(100)
@given(some.integers(0, len(NUSMV)))
def test_selections_in_nusmv_are_nested(offset: int) -> None:
    around("nusmv", NUSMV, offset)


def test_a_selection_grows_by_expressions() -> None:
    found = around("lustre", LUSTRE, LUSTRE.index("a2 < 0"))
    assert found[:5] == [
        "a2",
        "a2 < 0",
        "d or (a2 < 0)",
        "if d or (a2 < 0) then a1 else a2",
        "b = if d or (a2 < 0) then a1 else a2;",
    ]
    assert found[-2].startswith("node demo2")

    found = around("nusmv", NUSMV, NUSMV.index("water > 0"))
    assert found[:3] == ["water", "water > 0", "button = request & water > 0"]
    assert found[-2].startswith("MODULE main")


def test_of_a_deep_expression_the_inner_and_the_largest_selections_are_told() -> None:
    chain = " or ".join(["a"] * 3_900)
    text = f"node n(a: bool) returns (b: bool);\nlet\n  b = {chain};\ntel;\n"

    found = around("lustre", text, text.index(chain))

    assert len(found) == 100
    assert found[:3] == ["a", "a or a", "a or a or a"]
    assert found[-4:] == [chain, f"b = {chain};", text.strip(), text]


@pytest.fixture
async def client():
    async with started() as made:
        yield made


async def test_the_server_answers_with_linked_ranges(client):
    client.open(URI, LUSTRE)
    offset = LUSTRE.index("a2 < 0")
    line = LUSTRE.count("\n", 0, offset)
    place = types.Position(line, offset - LUSTRE.rindex("\n", 0, offset) - 1)
    params = types.SelectionRangeParams(types.TextDocumentIdentifier(URI), [place, place])

    found = await client.text_document_selection_range_async(params)

    assert found is not None
    assert found[0] == found[1]
    starts = []
    link = found[0]
    while link is not None:
        starts.append((link.range.start.line, link.range.start.character))
        link = link.parent
    assert starts[0] == (place.line, place.character)
    assert starts == sorted(starts, reverse=True)
    assert starts[-1] == (0, 0)
