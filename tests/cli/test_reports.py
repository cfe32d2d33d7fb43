"""Reports as values: the schema, the places, and every verdict in its own words."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from process import EXAMPLES, ROOT, mutproof

from mutproof.analyses.claims.finding import (
    MutantFinding,
    MutantStatus,
    PropertyFinding,
    PropertyVerdict,
    Statistics,
)
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Position, Span
from mutproof.base.text import SourceText
from mutproof.cli import session
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.model.trace import Choices, Trace
from mutproof.reporters import REPORTERS, advice, survivors, text, traces
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from support.reading import elaborated_in

SCHEMA = json.loads((ROOT / "tests/support/mutation_report_schema.json").read_text())
DEMO2 = (EXAMPLES / "demo2.lus").read_text()
PROVED = PropertyFinding("Prop1", "demo2", "Prop1", PropertyVerdict.PROVED, 1, "bmc", 0.5)
LEFT_OUT = """\
node inner(x : int) returns (y : int);
let
  assert x > 0;
  y = x;
tel;
node main(a : int; b : bool) returns (y : int; ok, same : bool);
var limit : int;
let
  limit = 3;
  y = inner(if b then a else 0);
  ok = y <= limit or a > 3;
  same = y = a or y = 0;
  --%PROPERTY ok;
  --%PROPERTY same;
  --%MAIN;
tel;
"""


def reported(path: str = "demo2.lus", text: str = DEMO2) -> ReportedFile:
    """Return demo2 with Prop1 proved and every mutant killed by it."""
    source = SourceText(path, text)
    lustre = LANGUAGES["lustre"]
    elaborated = lustre.elaborate(lustre.parse(source))
    listing = Queries().listing("lustre", elaborated, Options(level="paper"))
    findings = tuple(
        MutantFinding(
            place.mutant,
            MutantStatus.KILLED,
            ("Prop1",),
            {"Prop1": 2},
            covered_by=("Prop1",),
            how="bmc",
            seconds=0.25,
        )
        for place in listing.mutants
    )
    report = Report((PROVED,), findings, Statistics(mutants=22, decided=22, seconds=1.0))
    return ReportedFile(source, lustre, elaborated, (), report, listing)


def decided(file: ReportedFile, operator: str, **changes: Any) -> ReportedFile:
    """Return the file with another finding for the mutants of an operator."""
    assert file.report is not None
    assert file.listing is not None
    chosen = {place.mutant for place in file.listing.mutants if place.operator == operator}
    blank = {"killed_by": (), "steps": {}, **changes}
    mutants = tuple(
        replace(finding, **blank) if finding.mutant in chosen else finding
        for finding in file.report.mutants
    )
    return replace(file, report=replace(file.report, mutants=mutants))


def as_json(*files: ReportedFile, **changes: Any) -> Any:
    written = json.loads(REPORTERS["json"].mutate(files, Presentation(**changes)))
    jsonschema.validate(written, SCHEMA)
    return written


def as_text(*files: ReportedFile, **changes: Any) -> str:
    return REPORTERS["text"].mutate(files, Presentation(**changes))


def mutants_of(report: Any, operator: str) -> list[Any]:
    (file,) = report["files"].values()
    return [mutant for mutant in file["mutants"] if mutant["mutatorName"] == operator]


STATUSES = [
    (
        {"status": MutantStatus.SURVIVED, "how": "certificate", "k": 3},
        ("Survived", "all properties proved again (certificate, k = 3)"),
        "SURVIVED at 6:11 g2ge `>` → `>=` (certificate, k = 3)",
    ),
    (
        {"status": MutantStatus.SURVIVED, "covered_by": (), "how": "core"},
        ("NoCoverage", "outside the cone of influence of every proved property"),
        "SURVIVED at 6:11 g2ge `>` → `>=` (core)",
    ),
    (
        {"status": MutantStatus.UNKNOWN, "reason": "rlimit exhausted", "depth": 7},
        ("RuntimeError", "unknown: rlimit exhausted"),
        "UNKNOWN at 6:11 g2ge `>` → `>=`: rlimit exhausted, no violation in 7 steps",
    ),
    (
        {"status": MutantStatus.STILLBORN, "reason": "assumptions contradict"},
        ("CompileError", "assumptions contradict"),
        "STILLBORN at 6:11 g2ge `>` → `>=`: assumptions contradict",
    ),
    (
        {"status": MutantStatus.IGNORED, "reason": "by design"},
        ("Ignored", "by design"),
        "IGNORED at 6:11 g2ge `>` → `>=`: by design",
    ),
    (
        {"status": MutantStatus.KILLED, "killed_by": ("Prop1",), "steps": {"Prop1": 0}},
        ("Killed", "Prop1 falsified at step 0"),
        "KILLED at 6:11 g2ge by [Prop1] (k = 1, bmc)",
    ),
    (
        {
            "status": MutantStatus.KILLED,
            "killed_by": ("Prop1",),
            "steps": {"Prop1": 0},
            "shortest": True,
        },
        ("Killed", "Prop1 falsified at step 0"),
        "KILLED at 6:11 g2ge by [Prop1] (shortest k = 1, bmc)",
    ),
]


@pytest.mark.parametrize(("changes", "in_json", "in_text"), STATUSES)
def test_every_verdict_has_its_status_and_its_line(
    changes: dict[str, Any], in_json: tuple[str, str], in_text: str
) -> None:
    file = decided(reported(), "g2ge", **changes)
    (mutant,) = mutants_of(as_json(file), "g2ge")

    assert in_json == (mutant["status"], mutant["statusReason"])
    assert in_text in as_text(file).splitlines()


def test_classes_are_counted_separately() -> None:
    file = decided(reported(), "g2ge", status=MutantStatus.UNKNOWN, reason="time")
    file = decided(file, "g2l", status=MutantStatus.STILLBORN, reason="no model")
    file = decided(file, "or2xor", status=MutantStatus.SURVIVED)
    text = as_text(file)

    assert "22 mutants: 19 killed, 1 survived, 1 unknown, 1 stillborn, 0 ignored" in text
    assert "score 19/21 = 90.5 % killed/(killed+survived+unknown)" in text
    assert "raw ratio 19/22 = 86.4 % killed/all" in text
    assert ["Prop1", "9:15", "19", "19"] in [line.split() for line in text.splitlines()]


def test_a_mutant_starts_at_its_place_and_ends_where_its_edit_ends() -> None:
    (mutant,) = mutants_of(as_json(reported()), "g2ge")

    assert mutant["location"] == {
        "start": {"line": 6, "column": 11},
        "end": {"line": 6, "column": 14},
    }
    assert mutant["replacement"] == ">= 0"
    assert mutant["description"] == "`>` → `>=`"
    assert mutant["mutproof"]["edit"] == {
        "start": {"line": 6, "column": 8},
        "end": {"line": 6, "column": 14},
        "text": "a1 >= 0",
    }


def test_replacements_and_edits_give_models() -> None:
    source = SourceText("demo2.lus", DEMO2)

    def span(place: Any) -> tuple[int, int]:
        return tuple(
            source.offset(Position(place[end]["line"], place[end]["column"]))
            for end in ("start", "end")
        )

    for mutant in as_json(reported())["files"]["demo2.lus"]["mutants"]:
        start, end = span(mutant["mutproof"]["edit"])
        edited = DEMO2[:start] + mutant["mutproof"]["edit"]["text"] + DEMO2[end:]
        if mutant["mutatorName"] != "equation_remove":
            mutated = elaborated_in("lustre", edited)
            assert mutated.diagnostics == (), mutant
        start, end = span(mutant["location"])
        pasted = DEMO2[:start] + mutant["replacement"] + DEMO2[end:]
        assert edited.split() == pasted.split(), mutant


GLUED = {
    "lustre": """\
node main(a, b: bool; n: int) returns (y, ok: bool; z: int);
let
  y = (a)and(b)or(not(b))->pre(a)and(b);
  z = 0->if(a)and(b)then(pre(z)+1)else(-pre(z))-(-1);
  assert(a)or(not(a)or(b));
  ok = true; --%PROPERTY ok;
tel;
""",
    "nusmv": """\
MODULE main
VAR n : 0..3; a : boolean; b : boolean;
TRANS(a)->(next(b)|a);
TRANS(a&b)<->(next(n)>n);
INIT(a)|!(a);
INVAR(a)|!(a)xor(b);
INVARSPEC NAME ok := TRUE;
""",
}


@pytest.mark.parametrize("name", GLUED)
def test_an_edit_keeps_its_words_apart_from_those_beside_it(name: str) -> None:
    text, language = GLUED[name], LANGUAGES[name]
    elaborated = language.elaborate(language.parse(SourceText("model", text)))
    listing = Queries().listing(name, elaborated, Options(level="all"))
    file = replace(reported(), elaborated=elaborated, source=elaborated.parsed.source)
    for mutant in (one for one in listing.mutants if one.replacement is not None):
        edit = file.placed_with(mutant, MutantFinding(mutant.mutant, MutantStatus.KILLED)).edit
        changed = elaborated_in(name, edited(text, (edit,)))
        severities = {one.severity for one in changed.diagnostics}
        assert Severity.ERROR not in severities, changed.parsed.source.content


def test_a_replacement_is_no_rest_of_a_longer_name() -> None:
    text = DEMO2.replace("d = (a1 > 0)", "d = a1 > 0; d1 = a2 > 0; e = d and d1")
    text = text.replace("d : bool", "d, d1, e : bool")
    (mutant,) = mutants_of(as_json(reported("demo2.lus", text)), "and2right")
    start, end = (mutant["location"][side]["column"] - 1 for side in ("start", "end"))
    line = text.splitlines()[mutant["location"]["start"]["line"] - 1]

    assert "e = d1;" in line[:start] + mutant["replacement"] + line[end:]


def test_properties_are_the_tests() -> None:
    report = as_json(reported())
    (mutant,) = mutants_of(report, "g2ge")

    assert report["testFiles"]["demo2.lus"]["tests"] == [
        {
            "id": "Prop1",
            "name": "Prop1",
            "location": {"start": {"line": 9, "column": 15}, "end": {"line": 9, "column": 20}},
        }
    ]
    assert mutant["killedBy"] == mutant["coveredBy"] == ["Prop1"]
    assert mutant["duration"] == 250


def test_properties_of_instances_come_as_declared(tmp_path: Path) -> None:
    # The first and the third are refuted, and after longer searches than the others take.
    (tmp_path / "cells.smv").write_text(
        """\
MODULE cell(step)
VAR n : integer;
ASSIGN init(n) := 0; next(n) := n + step;
INVARSPEC n < 20
MODULE main
VAR a10 : cell(1); a2 : cell(0); a3 : cell(3); a1 : cell(0);
"""
    )
    (tmp_path / "cells.lus").write_text(
        """\
node cell(step: int) returns (n: int; ok: bool);
let
  n = 0 -> pre n + step;
  ok = n < 20;
  --%PROPERTY ok;
tel;
node main(x: int) returns (y: int);
var b, c, d: int; p, q, r: bool;
let
  (b, p) = cell(1);
  (c, q) = cell(0);
  (d, r) = cell(3);
  y = b + c + d;
  --%MAIN;
tel;
"""
    )
    shown = {}
    for name in "cells.smv", "cells.lus":
        ran = mutproof("prove", "--no-core", "--no-progress", "--format", "json", name,
                       cwd=tmp_path)  # fmt: skip
        stated = json.loads(ran.out)["properties"]
        shown[name] = [(one["name"], one["verdict"]) for one in stated]

    assert shown["cells.smv"] == [
        ("n < 20 IN a10", "falsified"),
        ("n < 20 IN a2", "proved"),
        ("n < 20 IN a3", "falsified"),
        ("n < 20 IN a1", "proved"),
    ]
    assert shown["cells.lus"] == [
        ("cell@b.ok", "falsified"),
        ("cell@c.ok", "proved"),
        ("cell@d.ok", "falsified"),
    ]


def test_each_mutant_has_a_line_of_its_own() -> None:
    text = REPORTERS["json"].mutate((reported(),), Presentation())
    (report,) = json.loads(text)["files"].values()
    lines = [line.strip().removesuffix(",") for line in text.splitlines()]

    assert report["mutants"]
    assert [json.dumps(each, ensure_ascii=False) in lines for each in report["mutants"]] == [
        True for _ in report["mutants"]
    ]


def test_assignments_of_other_modules_than_the_main_one_name_it(tmp_path: Path) -> None:
    path = tmp_path / "cells.smv"
    path.write_text(
        "MODULE up\nVAR n : 0..3;\nASSIGN init(n) := 0; next(n) := n < 3 ? n + 1 : n;\n"
        "MODULE down\nVAR n : 0..3;\nASSIGN init(n) := 3; next(n) := n > 0 ? n - 1 : n;\n"
        "MODULE main\nVAR a : up; b : down; on : boolean;\nASSIGN init(on) := FALSE;\n"
        "INVAR on -> a.n = 3\nINVARSPEC a.n + b.n = 3 | on\n"
    )
    found = mutproof("core", path, "--no-progress").out
    for name in (
        " INVAR ",
        "up.init(n)",
        "up.next(n)",
        "down.init(n)",
        "down.next(n)",
        " init(on)",
    ):
        assert name in found
        only = ("--element", name.strip())
        assert "unknown-element" not in mutproof("suggest", path, *only, "--no-progress").err


def test_an_execution_below_a_proved_property_is_called_its_witness(tmp_path: Path) -> None:
    path = tmp_path / "model.smv"
    path.write_text(
        "MODULE main\nVAR n : 0..3;\nASSIGN init(n) := 0; next(n) := n < 3 ? n + 1 : 0;\n"
        "CTLSPEC EF n = 2\nCTLSPEC AG n < 2\nCTLSPEC AG EF n = 0\n"
    )
    lines = mutproof("prove", path, "--no-progress").out.splitlines()
    assert lines[1].startswith("PROVED EF n = 2 ")
    assert "  witness, an execution that shows it:" == lines[2]
    assert ["  step  0  1  2", "  n     0  1  2"] == lines[3:5]
    assert lines[5].startswith("FALSIFIED")
    assert lines[6].startswith("  step")
    assert 1 == sum("witness" in line for line in lines)


def test_killed_mutants_that_look_alike_are_told_apart(tmp_path: Path) -> None:
    path = tmp_path / "alike.smv"
    path.write_text(
        "MODULE main\nVAR n : 0..3; b : boolean;\n"
        "ASSIGN init(n) := 0; next(n) := n < 3 ? n + 1 : 0; init(b) := FALSE; next(b) := low;\n"
        "DEFINE low := n < 3;\nINVARSPEC b -> n > 0\nCTLSPEC EF b\n"
    )
    lines = mutproof("mutate", path, "--no-progress").out.splitlines()
    killed = [line for line in lines if line.startswith("KILLED at 4:")]
    assert len(killed) > 2
    assert len(killed) == len(set(killed))
    assert any(line.startswith("KILLED at 4:17 ROR `<` → `=` by [") for line in killed)
    assert not any(line.startswith("KILLED at 4:17 EN negated") for line in killed)


def test_what_is_not_mutated_is_counted_and_named(tmp_path: Path) -> None:
    path = tmp_path / "model.lus"
    path.write_text(LEFT_OUT)
    line = "3 elements are specification, so not mutated (`mutproof explain specification`):"
    ignored = "1 element is without effect on the main node, so not mutated: inner.assert"

    told = mutproof("mutate", path)
    assert f"{line} limit, ok, same" in told.out.splitlines()
    assert ignored in told.out
    assert "limit, ok, same" in mutproof("mutate", path, "--format", "html").out
    found = json.loads(mutproof("mutate", path, "--format", "json").out)["mutproof"]["notMutated"]
    assert ["limit", "ok", "same"] == found[str(path)]["specification"]
    assert 1 == len(found[str(path)]["withoutEffect"])


@pytest.mark.parametrize("kind", ["prove", "core", "equivalent", "suggest", "advise"])
def test_every_report_on_a_file_has_its_warnings_for_programs(kind: session.Kind) -> None:
    warning = Diagnostic("some-code", Severity.WARNING, "odd", Span(5, 9), "mend it")
    file = replace(reported(), diagnostics=(warning,))
    found = json.loads(session.writer(kind, "json")((file,), Presentation()))
    place = {"line": 1, "column": 6}
    said = {"code": "some-code", "severity": "warning", "message": "odd", "help": "mend it"}
    assert [said | place] == found["diagnostics"]


def test_names_that_files_share_are_told_apart() -> None:
    report = as_json(reported("a.lus"), reported("b.lus"))
    tests = [
        test["id"] for path in ("a.lus", "b.lus") for test in report["testFiles"][path]["tests"]
    ]
    mutants = [m for file in report["files"].values() for m in file["mutants"]]

    assert tests == ["a.lus:Prop1", "b.lus:Prop1"]
    assert len({mutant["id"] for mutant in mutants}) == len(mutants) == 44
    assert {killer for mutant in mutants for killer in mutant["killedBy"]} == set(tests)


def test_without_timings_nothing_depends_on_the_clock() -> None:
    slow = decided(reported(), "g2ge", seconds=9.0)
    assert slow.report is not None
    slow = replace(
        slow, report=replace(slow.report, statistics=Statistics(mutants=22, seconds=7.0))
    )
    quick = decided(reported(), "g2ge", seconds=1.0)

    assert as_json(slow, timings=False) == as_json(quick, timings=False)
    assert as_text(slow, timings=False) == as_text(quick, timings=False)


def test_what_was_given_up_is_marked() -> None:
    given_up = as_text(replace(reported(), finished=False))
    assert "incomplete: the run was given up, 22 of 22 mutants decided" in given_up
    assert "\nso far 22 mutants: " in given_up
    assert "so far" not in as_text(reported())


@pytest.mark.parametrize(
    ("write", "clean"),
    [
        (text.prove, "0 properties: "),
        (text.mutate, "0 mutants: "),
        (survivors.text, "no survivors"),
        (advice.text, "no findings, "),
    ],
)
def test_what_was_given_up_at_once_is_no_clean_result(
    write: Callable[..., str], clean: str
) -> None:
    nothing = replace(reported(), report=Report((), (), Statistics()), listing=None)
    lines = write((replace(nothing, finished=False),), Presentation()).splitlines()
    assert f"so far {clean}" in "\n".join(lines)
    assert not any(line.startswith(clean) for line in lines)
    assert not any(line.startswith("score 0") for line in lines)


def test_values_are_exact_and_cut_only_for_people() -> None:
    assert traces.shown_value(True) == "true"
    assert traces.shown_value(10**30) == "1" + "0" * 30
    assert traces.shown_value(Fraction(1, 3)) == "1/3"
    assert traces.shown_value(Fraction(2)) == "2.0"
    assert traces.shown_value(Fraction(-1, 8)) == "-0.125"
    assert traces.shown_value(Fraction(1, 2**7)) == "1/128"
    assert traces.shown_value(10**50 + Fraction(1, 2)).endswith("(51 digits)/2")
    assert traces.encoded_value((1, Fraction(1, 2))) == [1, "1/2"]
    assert traces.shown_value(10**60) == "1" + "0" * 19 + "…(61 digits)"
    assert traces.encoded_value(10**60) == 10**60


def test_a_trace_shows_inputs_then_what_the_property_reads_in_blocks_that_fit() -> None:
    program = reported().elaborated.program
    steps = tuple(
        {"Prop1": step < 9, "a1": step, "a2": 0, "b": step, "d": step > 0} for step in range(10)
    )
    found = replace(PROVED, verdict=PropertyVerdict.FALSIFIED)
    trace = Trace(Choices(steps), steps)
    lines = traces.table(trace, program, found, Presentation().style, width=50)
    names = [line.split()[0] for line in lines]

    assert names == ["step", "a1", "a2", "Prop1", "b", "d"] * 2
    assert max(map(len, lines)) <= 50
    assert traces.encoded(trace, program, found)["inputs"] == ["a1", "a2"]


def test_steps_beside_a_long_name_are_not_one_in_a_line() -> None:
    assert [(0, 10), (10, 12)] == traces.blocks([3] * 12, 100, 50)
    assert [(0, 10), (10, 12)] == traces.blocks([3] * 12, 100, 300)


def test_the_command_writes_a_valid_report(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    ended = mutproof(
        "mutate", EXAMPLES / "demo2.lus", "--level", "paper", "--format", "json", "--output", path
    )
    report = json.loads(path.read_text(encoding="utf-8"))

    assert (ended.code, ended.out) == (2, "")
    jsonschema.validate(report, SCHEMA)
    statuses = [m["status"] for f in report["files"].values() for m in f["mutants"]]
    assert (len(statuses), statuses.count("Killed")) == (22, 5)
