"""Traces in the formats of other tools: what is written is read back as it was."""

from __future__ import annotations

import csv
import io
import re
from collections.abc import Mapping
from fractions import Fraction
from xml.etree import ElementTree as ET

from hypothesis import given
from hypothesis import strategies as st
from vcd.reader import TokenKind, tokenize

from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.languages import LANGUAGES
from mutproof.languages.lustre.traits import TRAITS as LUSTRE
from mutproof.model.sorts import Value
from mutproof.model.trace import Choices, Trace
from mutproof.reporters import trace_csv, trace_vcd, trace_xml
from mutproof.reporters.trace_format import ExportedTrace, exact, exported
from mutproof.reporters.trace_formats import TRACE_FORMATS
from mutproof.workspace.options import Options
from support.profiles import profile
from support.reading import accepted_in, analysed

LASSO = """\
MODULE main
IVAR go : boolean;
VAR x : 0..3; y : {here, there};
ASSIGN
  init(x) := 1;
  next(x) := go ? (x + 1) mod 4 : x;
  init(y) := here;
DEFINE
  top := x = 3;
  leaps := go & top;
LTLSPEC NAME rises := F top
"""

KINDS: Mapping[str, st.SearchStrategy[Value]] = {
    "bool": st.booleans(),
    "int": st.integers(-(2**70), 2**70),
    "small": st.integers(-9, 9),
    "real": st.fractions(-100, 100, max_denominator=64),
    "symbol": st.sampled_from(["idle", "on & off", "<x>", "a,b", 'say "so"']),
    "mixed": st.sampled_from(["none", 0, 1]),
}


@st.composite
def traces(draw: st.DrawFn) -> ExportedTrace:
    kinds = draw(st.lists(st.sampled_from(sorted(KINDS)), min_size=1, max_size=5))
    names = tuple(f"{'part.' * (i % 2)}{kind}_{i}[{i}]" for i, kind in enumerate(kinds))
    length = draw(st.integers(1, 5))
    steps = tuple(
        {
            name: draw(KINDS[kind])
            for name, kind in zip(names, kinds, strict=True)
            if draw(st.integers(0, 9))
        }
        for _ in range(length)
    )
    inputs = frozenset(draw(st.lists(st.sampled_from(names), max_size=2)))
    loop = draw(st.none() | st.integers(0, length - 1))
    title = draw(st.sampled_from(["Counterexample of P", 'a < b & "c"', "$end of all"]))
    traits = draw(st.sampled_from([language.traits for language in LANGUAGES]))
    return ExportedTrace(title, traits, names, inputs, frozenset(), steps, loop)


# --- readers ----------------------------------------------------------------------------------


def texts(trace: ExportedTrace) -> list[dict[str, str]]:
    """Return the values of a trace as texts, without those that a step lacks."""
    return [{n: exact(v, trace.traits) for n, v in step.items()} for step in trace.steps]


def read_vcd(text: str) -> tuple[list[dict[str, object]], dict[str, str]]:
    """Return the values of all variables at each time, and their types."""
    names: dict[str, str] = {}
    kinds: dict[str, str] = {}
    scope: list[str] = []
    now: dict[str, object] = {}
    found: list[dict[str, object]] = []
    last = 0
    for token in tokenize(io.BytesIO(text.encode())):
        match token.kind:
            case TokenKind.SCOPE:
                scope.append(token.scope.ident)
            case TokenKind.UPSCOPE:
                scope.pop()
            case TokenKind.VAR:
                name = ".".join([*scope, token.var.ref_str])
                names[token.var.id_code] = name
                kinds[name] = token.var.type_.value
            case TokenKind.CHANGE_TIME:
                # A time at which nothing changes is not written.
                found += [dict(now) for _ in range(token.time_change - last)]
                last = token.time_change
            case (
                TokenKind.CHANGE_SCALAR
                | TokenKind.CHANGE_VECTOR
                | TokenKind.CHANGE_REAL
                | TokenKind.CHANGE_STRING
            ):
                change = token.data
                now[names[change.id_code]] = change.value
            case _:
                pass
    return found, kinds


def signed(value: object, kind: str, width: int) -> object:
    if kind == "integer" and isinstance(value, int) and value >> (width - 1):
        return value - (1 << width)
    return value


# --- properties -------------------------------------------------------------------------------


@given(traces())
@profile(60)
def test_a_table_has_every_value_and_the_loop(trace: ExportedTrace) -> None:
    header, *rows = csv.reader(io.StringIO(trace_csv.write(trace)))

    looped = [] if trace.loop is None else ["(loop)"]
    assert ["(step)", *trace.names, *looped] == header
    assert texts(trace) == [
        {n: v for n, v in zip(trace.names, row[1:], strict=False) if v} for row in rows
    ]
    assert [str(number) for number in range(len(trace.steps))] == [row[0] for row in rows]
    if trace.loop is not None:
        assert trace.loop == [row[-1].lower() for row in rows].index("true")


@given(traces())
@profile(60)
def test_xml_has_every_value_under_the_number_of_its_state(trace: ExportedTrace) -> None:
    root = ET.fromstring(trace_xml.write(trace).encode())

    assert ("counter-example", trace.title) == (root.tag, root.get("desc"))
    values: dict[tuple[str, int], dict[str, str]] = {}
    for section in root.iterfind("node/*"):
        number = int(section.get("id", ""))
        values[section.tag, number] = {
            value.get("variable", ""): value.text or "" for value in section
        }
    length = len(trace.steps)
    for number, step in enumerate(texts(trace), 1):
        state = {name: text for name, text in step.items() if name not in trace.inputs}
        assert state == values["state", number]
        if trace.inputs and (number < length or trace.loop is not None):
            rest = {name: text for name, text in step.items() if name in trace.inputs}
            assert rest == values["input", number + 1]
    loops = (root.findtext("loops") or "").split()
    if trace.loop is None:
        assert [] == loops
        assert ("state", length + 1) not in values
    else:
        assert [str(trace.loop + 1)] == loops
        assert values["state", trace.loop + 1] == values["state", length + 1]


@given(traces())
@profile(60)
def test_a_value_change_dump_has_every_value_at_its_time(trace: ExportedTrace) -> None:
    found, kinds = read_vcd(trace_vcd.write(trace))

    assert len(trace.steps) == len(found)
    for number, step in enumerate(trace.steps):
        for name in trace.names:
            shown = f"trace.{name}".replace("[", "(").replace("]", ")")
            value, kind, expected = found[number][shown], kinds[shown], step.get(name)
            match kind:
                case "wire":
                    assert ("x" if expected is None else str(int(bool(expected)))) == value
                case "integer":
                    width = trace_vcd._bits([s[name] for s in trace.steps if name in s])
                    assert ("x" if expected is None else expected) == signed(value, kind, width)
                case "real":
                    assert isinstance(expected, Fraction)
                    assert abs(float(expected) - float(str(value))) < 1e-12
                case _:
                    assert (exact(expected, trace.traits) or "-") == str(value).replace(
                        "\\x20", " "
                    )
    loops = [step.get("trace.(loop)") for step in found]
    after = [None if trace.loop is None else str(int(n >= trace.loop)) for n in range(len(found))]
    assert after == loops


# --- examples ---------------------------------------------------------------------------------


def test_inputs_of_nusmv_lead_to_the_next_state() -> None:
    elaborated = accepted_in("nusmv", LASSO)
    options = Options(mutate=False, cores=False)
    report = analysed(elaborated, options)
    found: PropertyFinding = report.properties[0]
    assert found.trace is not None
    assert found.trace.loop is not None

    trace = exported(found.trace, elaborated.program, "Counterexample of rises", ("top",))
    assert "top" == trace.names[0]
    assert frozenset({"go"}) == trace.inputs
    assert trace.mixed <= {"leaps"}
    root = ET.fromstring(trace_xml.write(trace).encode())
    first = root.find("node")
    assert first is not None
    assert ["state", "input"] == [s.tag for s in first if s.tag != "combinatorial"]
    assert "2" == first.findall("input")[0].get("id")
    assert len(trace.steps) + 1 == len(root.findall("node"))


def test_definitions_by_inputs_alone_are_beside_the_inputs() -> None:
    """NuSMV's `read_trace` refuses them elsewhere."""
    text = LASSO.replace("leaps :=", "stays := !go; rests := stays | FALSE; leaps := stays &")
    elaborated = accepted_in("nusmv", text.replace("& go & top", "& top"))
    steps: tuple[dict[str, Value], ...] = (
        {"go": True, "stays": False, "rests": False, "leaps": False, "x": 1, "top": False},
    )
    trace = exported(Trace(Choices(()), steps), elaborated.program, "")
    assert frozenset({"go", "stays", "rests"}) == trace.inputs
    assert frozenset({"leaps"}) == trace.mixed


WORDS = """\
MODULE main
IVAR add : unsigned word[2];
VAR
  u : unsigned word[2];
  s : signed word[3];
  all : array 0..1 of signed word[2];
ASSIGN
  init(u) := 0ud2_1;
  next(u) := u + add;
  init(s) := -0sd3_2;
  init(all[0]) := -0sd2_1;
DEFINE sum := u + add;
INVARSPEC NAME little := u < 0ud2_2
"""


def test_words_are_constants_of_nusmv() -> None:
    """Its `read_trace` refuses integers for them."""
    elaborated = accepted_in("nusmv", WORDS)
    options = Options(mutate=False, cores=False)
    report = analysed(elaborated, options)
    trace = report.properties[0].trace
    assert trace is not None
    text = trace_xml.write(exported(trace, elaborated.program, "Counterexample of little"))
    values = {
        one.get("variable"): one.text for one in ET.fromstring(text.encode())[0].iter("value")
    }
    assert ("0ud2_1", "-0sd3_2", "-0sd2_1") == (values["u"], values["s"], values["all[0]"])
    assert re.fullmatch("0ud2_[0-3]", values["add"] or "")
    assert re.fullmatch("0ud2_[0-3]", values["sum"] or "")


def test_variables_that_a_reader_would_take_for_parts_are_renamed() -> None:
    step: dict[str, Value] = {"a": 1, "a[0]": True, "a.b": Fraction(1, 2)}
    trace = ExportedTrace("t", LUSTRE, tuple(step), frozenset(), frozenset(), (step,), None)
    _, kinds = read_vcd(trace_vcd.write(trace))
    assert {"trace.a": "integer", "trace.a(0)": "wire", "trace.a.b": "real"} == kinds


def test_equal_traces_give_equal_bytes() -> None:
    trace = ExportedTrace("t", LUSTRE, ("a",), frozenset(), frozenset(), ({"a": 1},), None)
    for chosen in TRACE_FORMATS:
        assert chosen.write(trace) == chosen.write(trace)
        assert "$date" not in chosen.write(trace)
