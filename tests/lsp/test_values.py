"""Values between the layers: messages, positions, moved spans, settings, order."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lsprotocol import types

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    Origin,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.budget import Budget
from mutproof.base.digest import Digest
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.lsp import convert, documents, settings
from mutproof.model.program import ElementId
from mutproof.model.trace import Choices, FunctionTable, Trace
from mutproof.runtime import files, messages
from mutproof.runtime.messages import (
    Analyse,
    Attend,
    Cancel,
    Ended,
    Expect,
    Forget,
    Happened,
    Listed,
    Repeated,
    Retold,
)
from mutproof.runtime.repeats import Repeats
from mutproof.runtime.scheduler import Scheduler
from mutproof.workspace.events import Progress
from mutproof.workspace.options import Options
from mutproof.workspace.report import Listing, MutantPlace
from mutproof.workspace.snapshot import migration

# --- messages -----------------------------------------------------------------------------------

names = st.text(min_size=1, max_size=5)
values = st.recursive(
    st.booleans() | st.integers() | st.fractions() | st.text(max_size=3),
    lambda part: st.lists(part, max_size=3).map(tuple),
    max_leaves=5,
)
steps = st.lists(st.dictionaries(names, values, max_size=3), max_size=3).map(tuple)
tables = st.builds(FunctionTable, st.dictionaries(st.tuples(values), values, max_size=2), values)
choices = st.builds(
    Choices,
    steps,
    st.dictionaries(names, values, max_size=2),
    st.dictionaries(st.tuples(names, st.integers(0, 3)), tables, max_size=2),
)
traces = st.none() | st.builds(Trace, choices, steps, st.none() | st.integers(0, 9))
elements = st.builds(ElementId, names, names, names)
optional_elements = st.none() | st.lists(elements, max_size=3).map(tuple)
texts = st.lists(names, max_size=3).map(tuple)
counts = st.none() | st.integers(0, 99)
seconds = st.floats(0, 9)
property_findings = st.builds(
    PropertyFinding, names, names, names, st.sampled_from(PropertyVerdict), counts, names,
    seconds, names, counts, optional_elements, optional_elements, traces,
)  # fmt: skip
mutant_findings = st.builds(
    MutantFinding, names, st.sampled_from(MutantStatus), texts,
    st.dictionaries(names, st.integers(0, 9), max_size=2), texts, texts, names, counts, counts,
    names, traces, seconds, st.sampled_from(Origin),
)  # fmt: skip
events = (
    property_findings
    | mutant_findings
    | st.builds(Progress, names, st.integers(0, 9), st.integers(0, 9))
    | st.builds(Statistics, st.integers(0, 9), seconds=seconds)
)
options = st.builds(
    Options,
    st.sampled_from(["default", "paper"]),
    texts,
    st.booleans(),
    st.booleans(),
    st.builds(Budget, st.integers(0, 10**12), seconds),
    seconds | st.just(float("inf")),
    texts,
)
paths = st.lists(st.integers(0, 9), max_size=3).map(tuple)
places = st.builds(
    MutantPlace, names, names, elements, names, paths, st.none() | paths, names, st.none() | names
)
listings = st.builds(
    Listing,
    st.binary(max_size=4).map(Digest),
    st.lists(places, max_size=3).map(tuple),
    st.lists(elements, max_size=2).map(tuple),
)
all_messages = (
    st.builds(Analyse, st.integers(), names, names, names, st.text(), options)
    | st.builds(Expect, names, names, st.text(), options)
    | st.builds(Cancel, st.integers())
    | st.builds(Attend, st.integers(), st.frozensets(elements, max_size=3))
    | st.builds(Forget, names)
    | st.builds(Listed, st.integers(), listings)
    | st.builds(Happened, st.integers(), events)
    | st.builds(Repeated, st.integers(), names, seconds, st.sampled_from(Origin))
    | st.builds(Retold, st.integers(), mutant_findings)
    | st.builds(Ended, st.integers(), names, names)
)


@given(all_messages)
def test_a_message_survives_its_frame(message):
    data = messages.frame(message)
    header, body = data[: messages.LENGTH_BYTES], data[messages.LENGTH_BYTES :]
    assert messages.body_length(header) == len(body)
    assert messages.unframe(body) == message


def test_a_number_of_ten_thousand_digits_survives():
    value = 10**10_000
    trace = Trace(Choices(({"x": value},)), ({"x": value, "y": Fraction(1, value)},))
    event = Happened(1, MutantFinding("m", MutantStatus.KILLED, trace=trace))
    assert messages.unframe(messages.frame(event)[messages.LENGTH_BYTES :]) == event


# --- repeats --------------------------------------------------------------------------------------


def told(trace: Trace | None, **changed: object) -> Happened:
    found = MutantFinding("m", MutantStatus.KILLED, ("p",), {"p": 1}, trace=trace)
    return Happened(1, replace(found, **changed))


def sent(messages_sent: list[Happened]) -> list[str]:
    """Return the types of what is sent, once what is heard was found to be what was told."""
    teller, hearer, kinds = Repeats(), Repeats(), []
    for message in messages_sent:
        short = teller.shortened(message)
        kinds.append(type(short).__name__)
        body = messages.frame(short)[messages.LENGTH_BYTES :]
        assert message == hearer.whole(messages.unframe(body))
    return kinds


def test_a_finding_that_stands_is_told_without_its_execution():
    trace = Trace(Choices(({"x": 1},)), ({"x": 1, "y": 2},))
    again = Trace(trace.choices, trace.steps)
    findings = [told(trace), told(again, seconds=2.0, origin=Origin.KEPT), told(None), told(None)]
    assert ["Happened", "Repeated", "Happened", "Repeated"] == sent(findings)


def test_a_finding_that_differs_is_told_without_the_execution_it_had_before():
    trace = Trace(Choices(({"x": 1},)), ({"x": 1, "y": 2},))
    other = Trace(trace.choices, ({"x": 1, "y": 3},))
    findings = [told(trace, how="bmc"), told(trace, how="kept"), told(other), told(other, k=1)]
    assert ["Happened", "Retold", "Happened", "Retold"] == sent(findings)


def test_a_value_of_another_type_is_no_repetition():
    number, truth = ({"x": 1},), ({"x": True},)
    assert ["Happened"] * 2 == sent([told(Trace(Choices(v), v)) for v in (number, truth)])


def test_what_was_never_told_cannot_be_repeated():
    with pytest.raises(ValueError, match="never told"):
        Repeats().whole(Repeated(1, "m", 0.0, Origin.KEPT))
    with pytest.raises(ValueError, match="never told"):
        Repeats().whole(Retold(1, MutantFinding("m", MutantStatus.KILLED)))


def test_mutants_that_are_listed_no_more_are_forgotten():
    repeats = Repeats()
    repeats.shortened(told(None))
    repeats.shortened(Listed(2, Listing(Digest(b""), (), ())))
    assert isinstance(repeats.shortened(told(None)), Happened)


# --- positions ----------------------------------------------------------------------------------

ENCODINGS = list(types.PositionEncodingKind)
lines = st.text(alphabet="ab\n\r\u00e9\u2028\x0c\U0001d4b3", max_size=20)


@given(lines, st.integers(0, 20), st.sampled_from(ENCODINGS))
def test_an_offset_survives_its_position(text, offset, encoding):
    source = SourceText("t", text)
    offset = min(offset, len(text))
    if text[offset - 1 : offset + 1] == "\r\n":
        return  # between the two characters of a line end there is no position
    place = convert.position(source, offset, encoding)
    assert convert.offset(source, place, encoding) == offset


def test_columns_count_code_units():
    source = SourceText("t", "a\U0001d4b3b")
    columns = [convert.position(source, 2, encoding).character for encoding in ENCODINGS]
    assert dict(zip(ENCODINGS, columns, strict=True)) == {
        types.PositionEncodingKind.Utf8: 5,
        types.PositionEncodingKind.Utf16: 3,
        types.PositionEncodingKind.Utf32: 2,
    }


def test_form_feeds_and_line_separators_end_no_line():
    source = SourceText("t", "a\x0cb\u2028c\nd")
    assert convert.position(source, 6, "utf-16") == types.Position(1, 0)


@given(lines, lines, st.integers(0, 20), st.integers(0, 20))
def test_a_partial_change_is_the_splice(text, inserted, start, end):
    start, end = sorted((min(start, len(text)), min(end, len(text))))
    if any(text[i - 1 : i + 1] == "\r\n" for i in (start, end)):
        return
    source = SourceText("t", text)
    place = convert.range_(source, Span(start, end), "utf-16")
    change = types.TextDocumentContentChangePartial(range=place, text=inserted)
    assert (
        documents.changed(source, [change], "utf-16")[0].content
        == text[:start] + inserted + text[end:]
    )


@pytest.mark.parametrize(
    ("uri", "name"),
    [
        ("file:///work/a%20b.lus", "/work/a b.lus"),
        ("file:///C%3A/model.lus", "C:/model.lus"),
        ("untitled:Untitled-1", "Untitled-1"),
        ("vscode-vfs://github/o/r/model.smv", "model.smv"),
    ],
)
def test_a_uri_stands_for_a_name(uri, name):
    assert documents.name_of(uri) == name


# --- moved spans --------------------------------------------------------------------------------

words = st.lists(st.sampled_from(["a;\n", "bb;\n", "c\n", "\n", "dddd "]), max_size=12)


@given(words, words, words)
def test_what_surrounds_an_edit_moves_with_it(before, removed, after):
    head, tail = "HEAD\n" + "".join(before), "".join(after) + "TAIL"
    old, new = head + "".join(removed) + tail, head + "inserted\n" + tail
    moved = migration(old, new)
    assert moved.span(Span(0, 4)) == Span(0, 4)
    assert moved.span(Span(len(old) - 4, len(old))) == Span(len(new) - 4, len(new))
    assert moved.back(len(new) - 4) == len(old) - 4


@given(lines, lines)
def test_moved_spans_stay_in_the_text(old, new):
    moved = migration(old, new)
    for start in range(len(old) + 1):
        span = moved.span(Span(start, len(old)))
        assert 0 <= span.start <= span.end <= len(new)
    for offset in range(len(new) + 1):
        assert 0 <= moved.back(offset) <= len(old)


def test_two_separate_edits_keep_what_is_between_them():
    old = "one\ntwo\nthree\nfour\n"
    new = "zero\none\ntwo\nthree\nfive\n"
    at = old.index("three")
    assert migration(old, new).span(Span(at, at + 5)) == Span(13, 18)


# --- settings, files, order ---------------------------------------------------------------------


def test_settings_are_read_nested_and_dotted_and_wrong_ones_are_ignored():
    nested = settings.read({"level": "paper", "budget": {"rlimit": 5, "timeoutSeconds": None}})
    budget = Budget(5, Budget().timeout_s)
    assert nested.options == Options(level="paper", budget=budget, equivalence="outputs")
    dotted = settings.read({"codeLens.enable": False, "level": "best", "run": 3, "jobs": 0})
    assert (dotted.code_lens, dotted.level, dotted.run, dotted.jobs) == (
        False,
        "default",
        "onOpenAndSave",
        1,
    )


def test_a_sample_of_the_mutants_is_decided_on_demand():
    assert settings.read({}).options.most_mutants == 0
    assert settings.read({"mostMutants": 100}).options.most_mutants == 100
    assert settings.read({"mostMutants": -1}).options.most_mutants == 0
    assert settings.read({"mostMutants": True}).options.most_mutants == 0


def test_what_survivors_are_is_asked_unless_it_is_off():
    assert settings.read({}).options.equivalence == "outputs"
    assert settings.read({"equivalence": "off"}).options.equivalence == ""
    assert settings.read({"equivalence": False}).options.equivalence == "outputs"


def test_all_cores_are_looked_for_on_demand_and_within_limits():
    one, everything = settings.read({}).options, settings.read({"cores": "all"}).options
    assert (one.core_search, everything.core_search) == ("one", "all")
    assert 0 < everything.core_limit < 1000
    assert everything.core_seconds < 60
    assert one.digest != everything.digest


@given(st.recursive(st.none() | st.booleans() | st.floats() | st.text(), lambda part: (
    st.dictionaries(
        st.sampled_from(
            ["level", "run", "budget", "rlimit", "jobs", "cores", "equivalence", "mostMutants"]
        ),
        part,
    )
)))  # fmt: skip
def test_no_settings_break_the_server(value):
    settings.read(value)


@pytest.mark.parametrize(
    ("content", "code"),
    [(b"\xff\xfe", "not-utf-8"), (b"a\0b", "not-a-text"), (b"x" * 4_000_001, "file-too-big")],
)
def test_what_is_no_model_gets_one_diagnostic(tmp_path: Path, content, code):
    path = tmp_path / "model.lus"
    path.write_bytes(content)
    source, diagnostics = files.read(path)
    assert source is None
    assert [diagnostic.code for diagnostic in diagnostics] == [code]


def test_a_missing_file_and_a_folder_get_one_diagnostic(tmp_path: Path):
    assert [d.code for d in files.read(tmp_path / "none.lus")[1]] == ["file-not-found"]
    assert [d.code for d in files.read(tmp_path)[1]] == ["file-unreadable"]


def test_last_edited_comes_first_then_what_is_seen():
    scheduler: Scheduler[str] = Scheduler()
    for key in "abc":
        scheduler.put(key, key)
    scheduler.seen("c")
    scheduler.edited("b")
    assert [scheduler.take(), scheduler.take(), scheduler.take(), scheduler.take()] == [
        ("b", "b"),
        ("c", "c"),
        ("a", "a"),
        None,
    ]


def test_newer_work_replaces_older_and_busy_files_wait():
    scheduler: Scheduler[int] = Scheduler()
    scheduler.put("a", 1)
    assert scheduler.put("a", 2) == 1
    assert scheduler.take(frozenset("a")) is None
    assert scheduler.take() == ("a", 2)
