"""Formats of services: each as its schema or reader has it, with what each verdict is to be."""

from __future__ import annotations

import csv
import json
import re
import xml.etree.ElementTree as ET
from dataclasses import replace
from pathlib import Path
from typing import Any

import jsonschema
import pytest
from process import EXAMPLES, ROOT, Ended, mutproof
from test_reports import decided, reported

from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.span import Span
from mutproof.reporters import REPORTERS, sarif
from mutproof.reporters.reported_file import Acceptance, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.style import Style

SARIF = json.loads((ROOT / "tests/support/sarif_schema.json").read_text())
CODE_QUALITY = json.loads((ROOT / "tests/support/code_quality_schema.json").read_text())
FORMATS = ("concise", "github", "gitlab", "sarif", "junit", "cobertura", "csv")
WEAK = """\
node main(x : int) returns (up, low : bool);
var y : int;
let
  y = if x > 0 then x else 0;
  up = y >= 0;
  low = y < 5;
  --%PROPERTY up;
  --%PROPERTY low;
tel;
"""
PROPERTY = re.compile(r"(file|line|endLine|col|endColumn|title)=([^,:]*)")
COMMAND = re.compile(r"::(error|warning|notice) ([^:]*)::(.*)")
LINE = re.compile(
    r"(?P<file>.*?):(?P<line>\d+):(?P<column>\d+): (?P<grade>error|warning|note): "
    r"(?P<message>.*) \[(?P<rule>[^\[\]]+)\]"
)
READ_BY_ALL = {
    "testsuites": ({"name", "tests", "failures", "errors", "skipped"}, {"testsuite"}),
    "testsuite": ({"name", "tests", "failures", "errors", "skipped"}, {"testcase"}),
    "testcase": (
        {"name", "classname", "file", "line", "time"},
        {"failure", "error", "skipped", "system-out"},
    ),
    "failure": ({"message", "type"}, set()),
    "error": ({"message", "type"}, set()),
    "skipped": ({"message"}, set()),
    "system-out": (set(), set()),
}
"""Attributes and children of each element of a JUnit report that all its readers understand."""


SURVIVED, UNKNOWN = MutantStatus.SURVIVED, MutantStatus.UNKNOWN


@pytest.fixture(name="weak")
def _weak(tmp_path: Path) -> Path:
    path = tmp_path / "weak.lus"
    path.write_text(WEAK, encoding="utf-8")
    return path


def mutated(name: str, *files: ReportedFile, **changes: Any) -> str:
    return REPORTERS[name].mutate(files, Presentation(**changes))


def mixed() -> ReportedFile:
    """Return demo2 with a survivor, an unknown and a stillborn mutant, and 19 that are killed."""
    file = decided(reported(), "g2ge", status=MutantStatus.SURVIVED, how="core")
    file = decided(file, "g2l", status=MutantStatus.UNKNOWN, reason="rlimit exhausted")
    return decided(file, "or2xor", status=MutantStatus.STILLBORN, reason="no model")


def annotations(text: str) -> list[dict[str, str]]:
    """Return the annotations that GitHub reads, each with its severity and message."""
    found = []
    for line in text.splitlines():
        if line.startswith("::"):
            command = COMMAND.fullmatch(line)
            assert command is not None, line
            properties = dict(PROPERTY.findall(command[2]))
            assert command[2] == ",".join(f"{k}={v}" for k, v in properties.items())
            found.append({"severity": command[1], **properties, "message": command[3]})
    return found


def as_sarif(text: str) -> Any:
    log = json.loads(text)
    jsonschema.validate(log, SARIF)
    (run,) = log["runs"]
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    assert len(set(rules)) == len(rules)
    for result in run["results"]:
        assert result["ruleId"] == rules[result["ruleIndex"]]
        assert ("kind" in result) != ("level" in result)
    return run


COVERAGE = {
    "coverage": {
        *("line-rate", "branch-rate", "lines-covered", "lines-valid", "branches-covered"),
        *("branches-valid", "complexity", "version", "timestamp"),
    },
    "package": {"name", "line-rate", "branch-rate", "complexity"},
    "class": {"name", "filename", "line-rate", "branch-rate", "complexity"},
    "line": {"number", "hits", "branch"},
}
"""The attributes that `coverage-04.dtd` requires; of a line it allows one more."""


def as_coverage(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert ["sources", "packages"] == [child.tag for child in root]
    for element in root.iter():
        required = COVERAGE.get(element.tag, set())
        assert required <= set(element.keys())
        assert set(element.keys()) - required <= {"condition-coverage"}
    lines = list(root.iter("line"))
    assert int(root.get("lines-valid", "")) == len(lines)
    assert int(root.get("lines-covered", "")) == sum(line.get("hits") != "0" for line in lines)
    return root


def as_suites(text: str) -> ET.Element:
    root = ET.fromstring(text)
    assert root.tag == "testsuites"
    for element in root.iter():
        attributes, children = READ_BY_ALL[element.tag]
        assert attributes >= set(element.keys())
        assert children >= {child.tag for child in element}
    for suite in root:
        assert int(suite.get("tests", "")) == len(suite)
        for tag, key in (("failure", "failures"), ("error", "errors"), ("skipped", "skipped")):
            assert int(suite.get(key, "")) == len(suite.findall(f"testcase/{tag}"))
    for key in ("tests", "failures", "errors", "skipped"):
        assert int(root.get(key, "")) == sum(int(suite.get(key, "")) for suite in root)
    return root


def as_issues(text: str) -> Any:
    issues = json.loads(text)
    jsonschema.validate(issues, CODE_QUALITY)
    assert len({issue["fingerprint"] for issue in issues}) == len(issues)
    return issues


def as_lines(text: str) -> list[dict[str, str]]:
    found = [LINE.fullmatch(line) for line in text.splitlines()]
    assert None not in found, text
    return [match.groupdict() for match in found if match is not None]


def as_rows(text: str) -> list[dict[str, str]]:
    rows = list(csv.DictReader(text.splitlines()))
    assert all(None not in row and None not in row.values() for row in rows)
    return rows


def test_one_step_is_no_steps(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text("node m (x : bool) returns (p : bool);\nlet p = x; --%PROPERTY p;\ntel;\n")
    assert "p is falsified after 1 step [" in mutproof("prove", model, "--format", "concise").out


def test_each_finding_has_a_line() -> None:
    file = mixed()
    found = as_lines(mutated("concise", file))

    assert [(file.path, "warning"), (file.path, "note")] == sorted(
        ((one["file"], one["grade"]) for one in found), key=lambda pair: pair[1] == "note"
    )
    places = {str(p.place) for p in file.placed if p.finding.status in {SURVIVED, UNKNOWN}}
    assert places == {f"{one['line']}:{one['column']}" for one in found}
    painted = mutated("concise", file, style=Style(colour=True))
    assert "\x1b[" in painted
    assert mutated("concise", file) == re.sub(r"\x1b\[[0-9;]*m", "", painted)


def test_what_is_accepted_has_no_line() -> None:
    file = mixed()
    (survivor,) = [p for p in file.placed if p.finding.status is SURVIVED]
    accepted = replace(file, baseline={survivor.mutant.mutant: Acceptance("as agreed")})

    assert {"note"} == {one["grade"] for one in as_lines(mutated("concise", accepted))}


def test_no_finding_is_more_than_a_line() -> None:
    file = mixed()
    broken = replace(
        file,
        report=None,
        diagnostics=(Diagnostic("syntax", Severity.ERROR, "one\ntwo \x1b[2J", Span(0, 3)),),
    )

    (found,) = as_lines(mutated("concise", broken))
    assert ("error", "syntax", "1", "1") == tuple(
        found[name] for name in ("grade", "rule", "line", "column")
    )
    assert "\x1b" not in found["message"]


def test_a_message_and_its_advice_are_told_apart_in_a_line() -> None:
    advised = Diagnostic("type", Severity.ERROR, "no sum of bools", Span(0, 3), "write `or`")

    (found,) = as_lines(mutated("concise", replace(mixed(), report=None, diagnostics=(advised,))))
    assert "no sum of bools; write `or`" == found["message"]


def test_annotations_are_at_their_places() -> None:
    found = annotations(mutated("github", mixed()))

    assert found == [
        {
            "severity": "warning",
            "file": "demo2.lus",
            "line": "6",
            "endLine": "6",
            "col": "11",
            "endColumn": "14",
            "title": "mutant survives (g2ge)",
            "message": "`>` → `>=` in d survives: no proved property notices",
        },
        {
            "severity": "notice",
            "file": "demo2.lus",
            "line": "6",
            "endLine": "6",
            "col": "11",
            "endColumn": "14",
            "title": "mutant unknown",
            "message": "`>` → `<` in d is unknown: rlimit exhausted",
        },
    ]


def test_of_many_annotations_the_last_counts_what_is_left_out() -> None:
    survivors = [decided(reported(f"{n}.lus"), "g2ge", status=MutantStatus.SURVIVED)
                 for n in range(13)]  # fmt: skip
    found = annotations(mutated("github", *survivors))

    assert len(found) == 10
    assert found[-1]["message"] == "… and 4 more, see the summary"


def test_what_commands_of_a_workflow_would_obey_is_escaped() -> None:
    span = Span(0, 1)
    error = Diagnostic("x-y", Severity.ERROR, "50%\n::error::", span)
    file = replace(reported("a,b:c.lus"), diagnostics=(error,))

    assert (
        "::error file=a%2Cb%3Ac.lus,line=1,endLine=1,col=1,endColumn=2,title=x-y::50%25%0A::error::"
        in mutated("github", file).splitlines()
    )


def test_a_summary_is_added_for_a_job(weak: Path) -> None:
    path = weak.with_name("summary.md")
    path.write_text("before\n", encoding="utf-8")
    ended = mutproof(
        "mutate", weak.name, "--format", "github", cwd=weak.parent, GITHUB_STEP_SUMMARY=str(path)
    )
    lines = path.read_text(encoding="utf-8").splitlines()

    assert ended.code == 4
    assert lines[0] == "before"
    assert re.fullmatch(r"## mutproof: \d+ of \d+ mutants killed \(\d+\.\d %\)", lines[1])
    assert any("property-falsified" in line and "low is falsified" in line for line in lines)
    assert [line for line in lines if "survives" in line]


def test_markdown_means_nothing_but_the_text() -> None:
    cell = REPORTERS["github"].summary
    assert cell is not None
    file = decided(reported(), "g2ge", status=MutantStatus.UNKNOWN, reason="<b> a|b *c* `")
    (line,) = [line for line in cell((file,), Presentation()).splitlines() if "unknown:" in line]

    assert r"`>` → `>=` in d is unknown: &lt;b&gt; a\|b \*c\* \`" in line
    assert line.count("|") - line.count("\\|") == 4


@pytest.mark.parametrize("level", ["default", "all"])
def test_code_scanning_knows_all_rules_and_places(level: str, weak: Path) -> None:
    ended = mutproof("mutate", weak.name, "--format", "sarif", "--level", level, "--equivalence",
                     cwd=weak.parent)  # fmt: skip
    run = as_sarif(ended.out)
    rules = [rule["id"] for rule in run["tool"]["driver"]["rules"]]
    (falsified,) = [r for r in run["results"] if r["ruleId"] == "property-falsified"]

    assert set(MUTATORS.names()) <= set(rules)
    assert falsified["level"] == "error"
    (flow,) = falsified["codeFlows"]
    assert "x" in flow["threadFlows"][0]["locations"][0]["state"]
    survivors = [r for r in run["results"] if r.get("level") == "warning"]
    assert survivors
    for result in survivors:
        (location,) = result["locations"]
        artifact = location["physicalLocation"]["artifactLocation"]
        assert artifact == {"uri": "weak.lus", "uriBaseId": "%SRCROOT%"}
        assert location["physicalLocation"]["region"]["startLine"] == 4


def test_what_is_not_known_is_open_to_code_scanning() -> None:
    survivor, unknown = as_sarif(mutated("sarif", mixed()))["results"]

    assert (survivor["level"], unknown["kind"]) == ("warning", "open")


def test_code_scanning_gets_the_most_important_results(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sarif, "MOST_RESULTS", 1)
    file = decided(reported(), "g2ge", status=MutantStatus.UNKNOWN, reason="time")
    file = decided(file, "l2le", status=MutantStatus.SURVIVED)
    (result,) = as_sarif(mutated("sarif", file))["results"]

    assert result["ruleId"] == "l2le"


def fingerprints(text: str, **changes: Any) -> set[str]:
    file = decided(reported("m.lus", text), "g2ge", status=MutantStatus.SURVIVED, **changes)
    results = as_sarif(mutated("sarif", file))["results"]
    return {result["partialFingerprints"]["mutproof/finding/v1"] for result in results}


def test_fingerprints_last_where_text_moves_and_end_where_it_changes() -> None:
    text = (EXAMPLES / "demo2.lus").read_text()
    moved = "-- new first line\n\n" + text.replace("a1 > 0", "a1\n  >    0")
    changed = text.replace("a1 > 0", "a1 > 1")

    assert fingerprints(text) == fingerprints(moved)
    assert fingerprints(text).isdisjoint(fingerprints(changed))


def test_tests_are_properties_and_elements(weak: Path) -> None:
    ended = mutproof("mutate", weak.name, "--format", "junit", cwd=weak.parent)
    root = as_suites(ended.out)
    cases = {case.get("name"): case for case in root.iter("testcase")}

    assert list(cases) == ["up", "low", "mutants of y"]
    assert list(cases["up"]) == []
    (failure,) = cases["low"]
    assert failure.tag == "failure"
    assert ["weak.lus:8:15", "step      0"] == (failure.text or "").splitlines()[:2]
    (failure,) = cases["mutants of y"]
    assert "weak.lus:4:" in (failure.text or "")


def test_unknown_is_an_error_and_what_does_not_count_is_skipped() -> None:
    for status, tag in (
        (MutantStatus.UNKNOWN, "error"),
        (MutantStatus.STILLBORN, "skipped"),
        (MutantStatus.SURVIVED, "failure"),
    ):
        file = reported()
        for operator in {place.operator for place in file.listing.mutants}:  # type: ignore[union-attr]
            file = decided(file, operator, status=status, reason="none")
        root = as_suites(mutated("junit", file))
        assert {tag} == {child.tag for case in root[1] for child in case}


def test_a_text_that_is_no_model_is_an_error() -> None:
    broken = Diagnostic("syntax", Severity.ERROR, "no \x1b text", Span(0, 1))
    file = replace(reported(), diagnostics=(broken,), report=None, listing=None)
    (case,) = as_suites(mutated("junit", file)).iter("testcase")

    assert [child.tag for child in case] == ["error"]
    (said,) = (child.text or "" for child in case)
    assert said.endswith(":1:1: no \N{REPLACEMENT CHARACTER} text")


def test_issues_are_graded() -> None:
    issues = as_issues(mutated("gitlab", mixed()))

    assert ["major", "info"] == [issue["severity"] for issue in issues[:2]]
    assert issues[0]["location"] == {"path": "demo2.lus", "lines": {"begin": 6, "end": 6}}


def test_a_table_has_a_row_for_each_mutant() -> None:
    rows = as_rows(mutated("csv", mixed()))
    found = {row["operator"]: row for row in rows if row["outcome"] != "killed"}

    assert len(rows) == 22
    assert {"g2ge": "survived", "g2l": "unknown", "or2xor": "stillborn"} == {
        operator: row["outcome"] for operator, row in found.items()
    }
    assert found["g2ge"]["line"] == "6"
    assert found["g2ge"]["replacement"] == ">= 0"
    assert {row["killed_by"] for row in rows if row["outcome"] == "killed"} == {"Prop1"}


def test_cores_and_properties_are_tables() -> None:
    rows = as_rows(mutproof("core", EXAMPLES / "demo.lus", "--format", "csv").out)
    assert {"element", "property", "mark"} <= rows[0].keys()
    assert "MUST" in {row["mark"] for row in rows}
    rows = as_rows(mutproof("prove", EXAMPLES / "demo.lus", "--format", "csv").out)
    assert {"proved"} == {row["verdict"] for row in rows}


def run_in(folder: Path, name: str, **changes: str) -> Ended:
    return mutproof("mutate", "weak.lus", "--format", name, "--no-timings", cwd=folder, **changes)


def test_lines_are_covered_as_far_as_their_mutants_are_killed() -> None:
    asked = ("mutate", EXAMPLES / "demo2.lus", "--level", "paper", "--no-timings", "--format")
    found: dict[str, list[bool]] = {}
    for row in as_rows(mutproof(*asked, "csv").out):
        if row["mutant"]:
            found.setdefault(row["line"], []).append(row["outcome"] == "killed")
    root = as_coverage(mutproof(*asked, "cobertura").out)
    shown = {line.get("number"): line for line in root.iter("line")}
    assert shown.keys() == found.keys()
    for number, line in shown.items():
        assert number is not None
        kills, count = sum(found[number]), len(found[number])
        assert str(kills) == line.get("hits")
        assert f"({kills}/{count})" in line.get("condition-coverage", "")
    assert root.get("branches-covered") == str(sum(map(sum, found.values())))
    assert "No line is executed" in mutproof(*asked, "cobertura").out


TWO_ON_A_LINE = """\
node main(a: int) returns (OK, OK2: bool);
var x, y: int;
let
  x = a; y = a;
  OK = x = a; OK2 = x = a;
  --%PROPERTY OK;
  --%PROPERTY OK2;
tel;
"""


def test_what_many_properties_need_hides_no_element_that_none_needs(tmp_path: Path) -> None:
    model = tmp_path / "two.lus"
    model.write_text(TWO_ON_A_LINE)
    root = as_coverage(mutproof("core", model, "--format", "cobertura").out)
    (line,) = [line for line in root.iter("line") if line.get("number") == "4"]
    assert ("2", "50% (1/2)") == (line.get("hits"), line.get("condition-coverage"))


def test_a_file_of_which_nothing_was_measured_has_no_coverage(tmp_path: Path) -> None:
    model = tmp_path / "plain.lus"
    model.write_text("node main(a: bool) returns (b: bool);\nlet\n  b = a;\ntel;\n")
    asked = ("mutate", EXAMPLES / "demo2.lus", model, "--format", "cobertura")
    root = as_coverage(mutproof(*asked).out)

    assert ["demo2.lus"] == [Path(one.get("name", "")).name for one in root.iter("class")]


@pytest.mark.parametrize("name", FORMATS)
def test_the_same_input_gives_the_same_bytes(name: str, weak: Path) -> None:
    first, again = (run_in(weak.parent, name) for _ in range(2))

    assert first.out
    assert first == again


@pytest.mark.parametrize("name", FORMATS)
@pytest.mark.parametrize("command", ["prove", "core", "equivalent"])
def test_every_command_reports_in_it(name: str, command: str) -> None:
    ended = mutproof(command, EXAMPLES / "demo2.lus", "--format", name, "--no-timings")

    readers = {"concise": as_lines, "github": annotations, "gitlab": as_issues, "sarif": as_sarif}
    more = {"junit": as_suites, "cobertura": as_coverage, "csv": as_rows}
    {**readers, **more}[name](ended.out)
    assert ended.code in {0, 2}


@pytest.mark.parametrize("variable", ["GITHUB_WORKSPACE", "CI_PROJECT_DIR"])
def test_files_are_named_from_the_root_of_the_repository(variable: str, weak: Path) -> None:
    changes = {variable: str(weak.parents[1])}
    (*_, issue) = as_issues(run_in(weak.parent, "gitlab", **changes).out)
    assert issue["location"]["path"] == f"{weak.parent.name}/weak.lus"
    (*_, issue) = as_issues(mutproof("mutate", weak, "--format", "gitlab", cwd=weak.parent).out)
    assert issue["location"]["path"] == "weak.lus"


def cored(name: str, *arguments: str) -> str:
    ended = mutproof("core", EXAMPLES / "demo2.lus", "--format", name, "--no-timings", *arguments)
    assert ended.code == 0
    return ended.out


def test_cores_name_elements_in_every_format_of_services() -> None:
    needs = "Prop1 needs [b]; in every core: b (1 minimal core, complete)"
    free = "no core found of a proved property has d"
    expected = [(9, "property-core", needs), (6, "element-in-no-core", free)]

    lines = as_lines(cored("concise", "--all"))
    assert sorted(expected) == [(int(x["line"]), x["rule"], x["message"]) for x in lines]
    issues = as_issues(cored("gitlab", "--all"))
    found = [(x["location"]["lines"]["begin"], x["check_name"], x["description"]) for x in issues]
    assert sorted(expected) == found
    results = as_sarif(cored("sarif", "--all"))["results"]
    assert {(rule, text) for _, rule, text in expected} == {
        (result["ruleId"], result["message"]["text"]) for result in results
    }
    assert [needs, free] == [
        one["message"] for one in sorted(annotations(cored("github", "--all")), key=lambda x:
                                         -int(x["line"]))
    ]  # fmt: skip
    suites = as_suites(cored("junit", "--all"))
    assert [needs] == [case.findtext("system-out") for case in suites.iter("testcase")]


def test_a_core_that_is_one_of_several_is_not_said_to_be_all() -> None:
    (needs, _) = sorted(as_lines(cored("concise")), key=lambda line: line["rule"], reverse=True)

    assert needs["message"] == "Prop1 needs [b]; in every core: b"


LOOSE = """\
node main(a, b : int; c : bool) returns (x : int; d : bool; low, high : bool);
let
  x = if c then a - b + 1 else 0;
  d = a > b and
      c;
  low = not c => x = 0;
  high = c and not c => x > 100;
  --%PROPERTY low;
  --%PROPERTY high;
tel;
"""


def test_all_formats_give_a_mutant_the_same_place(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(LOOSE)

    def told(name: str) -> str:
        return mutproof("mutate", model, "--format", name, "--level", "all").out

    found = re.findall(r"^SURVIVED at (\d+):(\d+) ", told("text"), re.MULTILINE)
    places = sorted((int(line), int(column)) for line, column in found)
    lines = [one for one in as_lines(told("concise")) if "survives" in one["message"]]
    results = [r for r in as_sarif(told("sarif"))["results"] if "survives" in str(r["message"])]
    regions = [r["locations"][0]["physicalLocation"]["region"] for r in results]
    noted = [one for one in annotations(told("github")) if "survives" in one["title"]]

    assert (3, 19) in places  # the operator, not its left operand
    assert sorted((int(one["line"]), int(one["column"])) for one in lines) == places
    assert sorted((at["startLine"], at["startColumn"]) for at in regions) == places
    assert (3, 19) in {(int(one["line"]), int(one["col"])) for one in noted} <= set(places)
    rows = [one for one in as_rows(told("csv")) if one["outcome"] == "survived"]
    assert sorted((int(one["line"]), int(one["column"])) for one in rows) == places


def test_a_row_says_where_its_replacement_begins_and_ends(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(LOOSE)
    rows = as_rows(mutproof("mutate", model, "--format", "csv", "--level", "all").out)

    (one,) = [row for row in rows if row["operator"] == "plus2minus"]
    line = LOOSE.splitlines()[int(one["edit_line"]) - 1]
    start, end = int(one["edit_column"]) - 1, int(one["end_column"]) - 1
    (right,) = [row for row in rows if row["operator"] == "and2right"]

    assert "  x = if c then a - b - 1 else 0;" == line[:start] + one["replacement"] + line[end:]
    places = [(right[f"{name}line"], right[f"{name}column"]) for name in ("", "edit_", "end_")]
    assert [("4", "13"), ("4", "7"), ("5", "8")] == places


def test_what_holds_vacuously_is_marked_beside_its_kills(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(LOOSE)

    rows = mutproof("mutate", model).out.splitlines()

    (low,) = [row for row in rows if row.startswith("low ")]
    (high,) = [row for row in rows if row.startswith("high ")]
    assert "vacuously" not in low
    assert "vacuously: its premise never holds" in high


def test_constraints_in_lists_say_their_line(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(
        "node main(a : int) returns (ok : bool);\nlet\n  assert a > 0;\n  ok = a > -1;\n"
        "  --%PROPERTY ok;\ntel;\n"
    )

    for command in ("core", "mutate"):
        shown = mutproof(command, model).out
        cores = [line for line in shown.splitlines() if "VALIDITY CORE" in line]
        assert ["assert of line 3"] == [line.rpartition(": ")[2] for line in cores]
    assert re.search("^assert at 3:3, ", mutproof("mutate", model).out, re.MULTILINE)
    assert re.search("^3:3 +assert +MUST", mutproof("core", model).out, re.MULTILINE)
    for form in ("text", "html", "concise", "github"):
        assert not re.search("assert#", mutproof("mutate", model, "--format", form).out), form


def test_constraints_have_lasting_names_in_formats_for_programs(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(LOOSE.replace("let\n", "let\n  assert x > -9;\n"))
    names = set()
    for form in ("csv", "json", "sarif", "junit"):
        found = mutproof("mutate", model, "--format", form).out
        names |= set(re.findall("assert#[0-9a-f]{6}", found))
    assert 1 == len(names)


def test_gaps_of_all_constraints_are_asked_for_by_their_kind(tmp_path: Path) -> None:
    model = tmp_path / "model.lus"
    model.write_text(
        "node main(a : int) returns (b : int; ok : bool);\nlet\n  assert a > 0;\n"
        "  b = a + 1;\n  ok = b > -1;\n  --%PROPERTY ok;\ntel;\n"
    )

    ended = mutproof("suggest", model, "--element", "nowhere")
    assert "there are assert, b, ok, main.assert, " in ended.err

    ended = mutproof("suggest", model, "--element", "assert", "--restating")
    assert "unknown-element" not in ended.err
    assert "3:12" in ended.out
    assert not re.search(r"\b4:\d", ended.out)
