"""While a text is typed: places move with the edits, and what is sent again is what changed."""

from __future__ import annotations

import importlib
import json
import os
import random
import socket
import tempfile

import pytest
from clients import started
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from mutproof.base import giving_way
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import completion, names, semantic_tokens, symbols
from mutproof.languages import LANGUAGES
from mutproof.languages.lustre import parse as lustre_parse
from mutproof.lsp import colours, convert, drawing, gate, outline, pipes
from mutproof.lsp.journal import Journal
from mutproof.lsp.regions import Regions
from mutproof.model.language import Elaborated
from mutproof.workspace.snapshot import Edit, Migration, migration
from support.profiles import profile
from support.reading import elaborated_in

# The package exports a function of that name.
nusmv_parse = importlib.import_module("mutproof.languages.nusmv.parse")

URI = "file:///typed.lus"
MODEL = """\
type mode = enum { on, off };
const limit = 3;

node count(step: bool) returns (n: int);
let
  n = (0 -> pre n) + (if step then 1 else 0); -- 100 %
tel;

node main(step: bool; m: mode) returns (ok: bool);
var
  total, rest: int;
let
  total = count(step);
  ok = total >= 0 or total <= limit;
  --%PROPERTY ok;
tel;
"""
MODULES = """\
MODULE cell(go, top)
VAR
  v : 0..7;
ASSIGN
  init(v) := 0;
  next(v) := case go & v < top : v + 1; TRUE : 0; esac;
DEFINE
  full := v = 7;
INVARSPEC v <= 7;

MODULE main
VAR
  go : boolean;
  a : cell(go, 3);
  b : cell(!go, 5);
ASSIGN
  next(go) := !go;
"""


def read(text: str, language: str = "lustre") -> Elaborated:
    return elaborated_in(language, text)


def drawn(found: Elaborated, language: str = "lustre", encoding: str = "utf-16"):
    return drawing.drawing(found, names.names(found, LANGUAGES[language]), encoding)


# --- texts and their edits ------------------------------------------------------------------------

edits = st.lists(
    st.tuples(st.floats(0, 1), st.integers(0, 12), st.sampled_from(["", "x", "\n", " y \n", "é𝕏"])),
    min_size=1,
    max_size=5,
)


def applied(source: SourceText, wanted: list[tuple[float, int, str]]) -> tuple[Journal, SourceText]:
    journal = Journal(source)
    for place, removed, text in wanted:
        start = int(place * len(source.content))
        end = min(len(source.content), start + removed)
        _ = source.line_starts
        source = source.replaced(Span(start, end), text)
        journal.edited(source, (Edit(start, end, len(text)),))
    return journal, source


@profile(150)
@given(edits)
def test_what_no_edit_touched_is_where_the_migration_says(wanted) -> None:
    old = SourceText("t", MODEL)
    journal, new = applied(old, wanted)
    moved = journal.since(old)
    shift = sum(edit.length - (edit.end - edit.start) for edit in moved.edits)
    assert len(old.content) + shift == len(new.content)
    ends = [edit.end for edit in moved.edits]
    assert ends == sorted(ends)
    for offset, character in enumerate(old.content):
        if not any(edit.start <= offset < edit.end for edit in moved.edits):
            assert character == new.content[moved.offset(offset)]
            assert offset == moved.back(moved.offset(offset))


@profile(100)
@given(edits)
def test_line_starts_are_those_of_the_text(wanted) -> None:
    _, new = applied(SourceText("t", MODEL), wanted)
    assert SourceText("t", new.content).line_starts == new.line_starts


def test_edits_far_apart_leave_what_is_between_alone() -> None:
    lines = [f"line {number}" for number in range(2_000)]
    old = SourceText("t", "\n".join(lines))
    journal, new = Journal(old), old
    for text in ("line 10\n", "line 1990\n"):
        at = new.content.index(text)
        new = new.replaced(Span(at, at), "more ")
        journal.edited(new, (Edit(at, at, 5),))
    between = old.content.index("line 1000")
    now = journal.since(old).span(Span(between, between + 9))
    assert "line 1000" == new.slice(now)


def test_a_text_that_is_replaced_as_a_whole_is_compared() -> None:
    old = SourceText("t", MODEL)
    journal = Journal(old)
    journal.edited(SourceText("t", f"-- new\n{MODEL}"), None)
    assert migration(MODEL, f"-- new\n{MODEL}") == journal.since(old)


# --- colours and outline --------------------------------------------------------------------------


def decoded(data) -> list[tuple[int, ...]]:
    line = column = 0
    found = []
    for index in range(0, len(data), colours.SIZE):
        lines, characters, length, kind, bits = data[index : index + colours.SIZE]
        column = characters if lines else column + characters
        line += lines
        found.append((line, column, length, kind, bits))
    return found


def expected(found: Elaborated, language: str, new: SourceText, moved: Migration):
    """Return the colours as the protocol defines them, each placed by itself."""
    result = []
    last = (0, 0)
    kinds = {kind: number for number, kind in enumerate(semantic_tokens.TokenKind)}
    bits = {modifier: 1 << number for number, modifier in enumerate(semantic_tokens.Modifier)}
    named = names.names(found, LANGUAGES[language])
    for token in semantic_tokens.semantic_tokens(named, found.provenance):
        place = convert.range_(new, moved.span(token.span), "utf-16")
        start, end = (place.start.line, place.start.character), place.end
        if start[0] != end.line or start < last or start == (end.line, end.character):
            continue
        modifiers = sum(bits[modifier] for modifier in token.modifiers)
        result.append((*start, end.character - start[1], kinds[token.kind], modifiers))
        last = start
    return result


@profile(100)
@given(edits, st.sampled_from(["lustre", "nusmv"]))
def test_moved_colours_are_those_of_every_token_by_itself(wanted, language) -> None:
    found = read(MODEL if language == "lustre" else MODULES, language)
    old = found.parsed.source
    journal, new = applied(old, wanted)
    data = colours.moved(drawn(found, language).colours, new, journal.since(old))
    assert expected(found, language, new, journal.since(old)) == decoded(data)


@profile(60)
@given(edits)
def test_a_difference_of_colours_makes_the_new_of_the_old(wanted) -> None:
    found = read(MODEL)
    old = drawn(found).colours
    journal, new = applied(found.parsed.source, wanted)
    data = colours.moved(old, new, journal.since(found.parsed.source))
    start, count, added = colours.difference(old.data, data)
    result = old.data[:]
    result[start : start + count] = added
    assert data == result


def test_a_keystroke_changes_one_token() -> None:
    found = read(MODEL)
    journal, new = applied(found.parsed.source, [(0.5, 0, " ")])
    data = colours.moved(drawn(found).colours, new, journal.since(found.parsed.source))
    _, count, added = colours.difference(drawn(found).colours.data, data)
    assert (1, 1) == (count, len(added))


def flat(items) -> list[tuple[object, ...]]:
    """Return name, range and selected range of all symbols, as the protocol writes them."""
    found = []
    for item in items:
        places = [
            (place[end]["line"], place[end]["character"])
            for place in (item["range"], item["selectionRange"])
            for end in ("start", "end")
        ]
        found.append((item["name"], item["kind"], *places))
        found.extend(flat(item.get("children", ())))
    return found


@profile(60)
@given(edits, st.sampled_from([2, 3, 200]))
def test_a_moved_outline_is_that_of_every_symbol_by_itself(wanted, block) -> None:
    found = read(MODEL)
    old = found.parsed.source
    journal, new = applied(old, wanted)
    moved = journal.since(old)
    listed = symbols.symbols(names.names(found, LANGUAGES["lustre"]), found.provenance)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(outline, "BLOCK", block)
        made = outline.outline(listed, old, "utf-16")

    def placed(symbol):
        ends = [
            convert.place(new, offset, "utf-16")
            for span in (moved.span(symbol.whole), moved.span(symbol.name))
            for offset in (span.start, span.end)
        ]
        own = (symbol.label, outline.kind(symbol).value, *ends)
        return [own, *(row for child in symbol.children for row in placed(child))]

    rows = [row for symbol in listed for row in placed(symbol)]
    assert rows == flat(json.loads(outline.written(made, new, moved).text))


def test_untouched_lines_only_move() -> None:
    old = SourceText("t", "a\nb\nc\nd\n")
    new = SourceText("t", "a\nb!\n\nc\nd\n")
    found = Regions(old, new, Migration((Edit(3, 3, 2),)))
    assert [0, None, 1, 1] == [found.shift(at, at) for at in (0, 2, 4, 6)]
    assert found.shift(0, 7) is None


def test_an_outline_of_very_many_symbols_leaves_out_local_variables(monkeypatch) -> None:
    monkeypatch.setattr(drawing, "MAX_SYMBOLS", 5)
    text = drawn(read(MODEL)).outline
    listed = [
        row[0] for row in flat(json.loads(outline.written(text, text.source, Migration()).text))
    ]
    assert 1 == listed.count("total")  # the equation
    assert "rest" not in listed


def test_what_was_drawn_of_a_sound_text_outlasts_a_broken_one() -> None:
    sound = drawn(read(MODEL))
    broken = read(MODEL.replace("total <= limit", "total <= "))
    near = Migration((Edit(300, 305, 0),))
    far = Migration((Edit(3, 3, 1), Edit(9_000, 9_000, 1)))
    assert drawing.outlasts(sound, broken, near)
    assert not drawing.outlasts(sound, broken, far)
    assert not drawing.outlasts(sound, read(MODEL), near)
    assert not drawing.outlasts(drawn(broken), broken, near)


# --- proposals ------------------------------------------------------------------------------------


def test_few_proposals_are_complete_and_many_are_those_that_fit_best() -> None:
    variables = [f"{first}{number}" for first in ("ax", "xa", "by") for number in range(50)]
    text = (
        f"node n(i: int) returns (o: int);\nvar {', '.join(variables)}: int;\nlet\n  o = \ntel;\n"
    )
    found = names.names(read(text), LANGUAGES["lustre"])
    at = text.index("o = ") + 4
    full = completion.proposals(found, at, "  o = a")
    assert full.is_complete
    assert set(variables) < {item.label for item in full.items}
    few = completion.proposals(found, at, "  o = a", most=60)
    labels = [item.label for item in few.items]
    assert not few.is_complete
    assert 60 == len(labels)
    assert {label for label in variables if label.startswith("ax")} <= set(labels)
    assert not any(label.startswith("by") for label in labels)
    assert labels.index("ax49") < min(labels.index(x) for x in labels if x.startswith("xa"))


def test_of_many_proposals_the_values_of_the_variable_come_first() -> None:
    variables = [f"v{number}" for number in range(50)]
    text = (
        f"type t = enum {{v_on, v_off}};\nnode n(i: t) returns (o: t);\n"
        f"var {', '.join(variables)}: int;\nlet\n  o = v\ntel;\n"
    )
    found = names.names(read(text), LANGUAGES["lustre"])
    few = completion.proposals(found, text.index("o = ") + 5, "  o = v", most=20)
    assert ["v_on", "v_off"] == [item.label for item in few.items[:2]]
    assert [True, True, False] == [item.likely for item in few.items[:3]]


# --- what is read again ---------------------------------------------------------------------------


def test_only_the_changed_statement_is_parsed_again(monkeypatch) -> None:
    text = "\n".join(MODEL.replace("count", f"count{number}") for number in range(20))
    read(text)
    parsed = []
    parse_chunk = lustre_parse.parse_chunk
    monkeypatch.setattr(
        lustre_parse,
        "parse_chunk",
        lambda kind, part, **more: parsed.append(part) or parse_chunk(kind, part, **more),
    )
    read(text.replace("total = count7(step);", "total = 1 + count7(step);"))
    assert ["total = 1 + count7(step);"] == parsed


def test_only_the_changed_declaration_of_a_module_is_parsed_again(monkeypatch) -> None:
    read(MODULES, "nusmv")
    parsed = []
    parse_chunk = nusmv_parse._read
    monkeypatch.setattr(
        nusmv_parse, "_read", lambda kind, part: parsed.append(part) or parse_chunk(kind, part)
    )
    read(MODULES.replace("v + 1;", "v + 1 + 0;"), "nusmv")
    assert 1 == len(parsed)
    assert "v + 1 + 0" in parsed[0]


def meaning(found: Elaborated) -> tuple[object, ...]:
    provenance = found.provenance
    named = names.names(found, LANGUAGES["nusmv"])
    return (
        found.diagnostics,
        None if found.program is None else found.program.digest,
        {element: provenance.whole(element) for element in provenance.elements},
        provenance.variables,
        provenance.properties,
        named.declared,
        named.uses,
    )


@profile(40)
@given(st.integers(0, 10_000))
def test_a_nusmv_text_read_after_edits_is_the_text_read_anew(seed: int) -> None:
    source = random.Random(seed)
    pieces = [
        "",
        " ",
        ";",
        "esac",
        "v + 1",
        "MODULE ",
        "-- x\n",
        "a : cell(go, 2);",
        "next(v)",
        "x",
    ]
    text = MODULES
    for _ in range(4):
        start = source.randrange(len(text))
        text = text[:start] + source.choice(pieces) + text[start + source.choice([0, 0, 1, 6]) :]
        kept = meaning(read(text, "nusmv"))
        nusmv_parse._chunks._values.clear()
        assert meaning(read(text, "nusmv")) == kept


def test_a_text_without_modules_has_no_names() -> None:
    assert not names.names(read("-- nothing\n", "nusmv"), LANGUAGES["nusmv"]).declared


def test_reading_gives_way_between_declarations() -> None:
    met = []
    giving_way.arrange(lambda: met.append(1))
    try:
        for text, language in ((MODEL, "lustre"), (MODULES, "nusmv")):
            before = len(met)
            drawn(read(text, language), language)
            assert 20 < len(met) - before
    finally:
        giving_way._arranged.pause = None


def test_the_gate_holds_reading_while_messages_come_but_not_for_ever(monkeypatch) -> None:
    now = [100.0]
    monkeypatch.setattr(gate.time, "monotonic", lambda: now[0])
    slept = []

    def sleep(seconds: float) -> None:
        slept.append(seconds)
        now[0] += seconds

    monkeypatch.setattr(gate.time, "sleep", sleep)
    found = gate.Gate()
    found.wait()
    assert not slept
    found.close()
    found.wait()
    assert gate.QUIET_S <= sum(slept) <= gate.QUIET_S + gate.NAP_S
    slept.clear()
    monkeypatch.setattr(gate.time, "sleep", lambda seconds: (sleep(seconds), found.close()))
    found.close()
    found.wait()
    assert gate.MOST_S <= sum(slept) <= gate.MOST_S + 2 * gate.NAP_S
    slept.clear()
    found.close()
    found.wait()  # its turn
    assert not slept


# --- standard streams -----------------------------------------------------------------------------


async def test_a_pipe_is_read_on_the_loop_and_ends_with_no_bytes() -> None:
    inner, outer = os.pipe()
    with os.fdopen(inner, "rb") as stdin, tempfile.TemporaryFile() as stdout:
        reader = await pipes.reader_of(stdin, stdout)
        assert isinstance(reader, pipes.PipeReader)
        os.write(outer, b"Content-Length: 4\r\n\r\nbodyrest")
        os.close(outer)
        assert b"Content-Length: 4\r\n" == await reader.readline()
        assert b"\r\n" == await reader.readline()
        assert b"body" == await reader.readexactly(4)
        assert b"" == await reader.readexactly(9)
        assert b"" == await reader.readline()


async def test_one_socket_for_both_directions_stays_blocking() -> None:
    near, far = socket.socketpair()
    with near, far, near.makefile("rb") as stdin, near.makefile("wb") as stdout:
        assert not isinstance(await pipes.reader_of(stdin, stdout), pipes.PipeReader)
        assert os.get_blocking(near.fileno())


# --- the server -----------------------------------------------------------------------------------


async def test_a_client_gets_differences_of_colours_also_of_a_broken_text() -> None:
    async with started(run="manual") as client:
        client.open(URI, MODEL)
        document = types.TextDocumentIdentifier(URI)
        ask = client.text_document_semantic_tokens_full_async
        first = await ask(types.SemanticTokensParams(document))
        changed = await client.text_document_semantic_tokens_full_delta_async(
            types.SemanticTokensDeltaParams(document, first.result_id)
        )
        assert not changed.edits
        at = MODEL[: MODEL.index("total <= limit")].count("\n")
        end = types.Position(at, len(MODEL.split("\n")[at]) - 1)
        typed = types.TextDocumentContentChangePartial(range=types.Range(end, end), text=" and (")
        client.change(URI, typed)
        changed = await client.text_document_semantic_tokens_full_delta_async(
            types.SemanticTokensDeltaParams(document, changed.result_id)
        )
        assert not changed.edits  # behind the last name of its line
        found = await client.text_document_document_symbol_async(
            types.DocumentSymbolParams(document)
        )
        assert {"total", "ok"} <= {
            child.name for symbol in found for child in symbol.children or ()
        }
        await client.until(lambda: any(d.code == "syntax" for d in client.shown(URI)))
        again = await ask(types.SemanticTokensParams(document))
        assert first.data == again.data
