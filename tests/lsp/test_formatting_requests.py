"""The server formats texts, ranges and what is typed."""

from __future__ import annotations

import pytest
from clients import started
from lsprotocol import types

URI = "file:///work/model.lus"
MODEL = "node  main(x:bool)  returns (ok:bool);\nlet\nok=x;\n ok = not  x;\ntel;\n"
DOCUMENT = types.TextDocumentIdentifier(URI)
OPTIONS = types.FormattingOptions(tab_size=4, insert_spaces=True)


@pytest.fixture
async def client():
    async with started() as made:
        made.open(URI, MODEL)
        yield made


def applied(edits) -> list[str]:
    lines = MODEL.splitlines()
    for edit in sorted(edits, key=lambda one: one.range.start.character, reverse=True):
        start, end = edit.range.start, edit.range.end
        assert start.line == end.line
        line = lines[start.line]
        lines[start.line] = line[: start.character] + edit.new_text + line[end.character :]
    return lines


async def test_a_whole_text_is_formatted(client):
    params = types.DocumentFormattingParams(DOCUMENT, OPTIONS)
    found = await client.text_document_formatting_async(params)
    assert applied(found) == [
        "node main(x : bool) returns (ok : bool);",
        "let",
        "    ok = x;",
        "    ok = not x;",
        "tel;",
    ]


async def test_a_range_of_whole_lines_is_formatted(client):
    where = types.Range(types.Position(2, 0), types.Position(3, 0))
    params = types.DocumentRangeFormattingParams(DOCUMENT, where, OPTIONS)
    found = await client.text_document_range_formatting_async(params)
    assert applied(found)[2:4] == ["    ok = x;", " ok = not  x;"]
    assert applied(found)[0] == MODEL.splitlines()[0]


@pytest.mark.parametrize(("line", "typed"), [(3, "\n"), (2, ";")])
async def test_a_line_that_was_typed(client, line: int, typed: str):
    place = types.Position(line, 0)
    params = types.DocumentOnTypeFormattingParams(DOCUMENT, place, typed, OPTIONS)
    found = await client.text_document_on_type_formatting_async(params)
    assert applied(found)[2:4] == ["    ok = x;", " ok = not  x;"]


async def test_a_file_that_is_not_open(client):
    other = types.TextDocumentIdentifier("file:///work/other.lus")
    params = types.DocumentFormattingParams(other, OPTIONS)
    assert await client.text_document_formatting_async(params) is None
