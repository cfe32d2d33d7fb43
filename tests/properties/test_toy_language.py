"""A language is one folder and one line: nothing else knows that of `support/toy_language`."""

from __future__ import annotations

from dataclasses import replace
from functools import cache

import pytest

from mutproof.analyses.claims.finding import MutantStatus, PropertyVerdict
from mutproof.analyses.mutation.enumerate import mutants
from mutproof.analyses.mutation.mutators import MUTATORS
from mutproof.base.registry import Registry
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import completion, folding, hover, navigation, rename, symbols, traces
from mutproof.ide import names as naming
from mutproof.ide.action import Selection
from mutproof.ide.actions import actions
from mutproof.ide.verdicts import Verdicts
from mutproof.languages import LANGUAGES as KNOWN
from mutproof.model.language import Elaborated, Language
from mutproof.reporters import REPORTERS
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.trace_format import exported
from mutproof.reporters.trace_formats import TRACE_FORMATS
from mutproof.workspace import report as reports
from mutproof.workspace.analysis import Memory, analyse
from mutproof.workspace.findings import Report
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries
from mutproof.workspace.snapshot import Snapshot
from mutproof.workspace.sources import language_of, suffixes
from support import toy_language as toy

LANGUAGES: Registry[Language] = Registry("language", [*KNOWN, toy.LANGUAGE])  # the one line
QUERIES = Queries(LANGUAGES)
MODEL = """\
# counts to three, and begins again
input go : bool
n : int := first(0, 0 if pre(n) >= 3 else pre(n) + 1)
at_end : bool := go and n == 3
small : bool := n <= 3
quick : bool := first(yes, n < 2)
check small
check quick
"""
OPTIONS = Options(cores=False)
TOY = LANGUAGES["toy"]


@cache
def elaborated(text: str = MODEL) -> Elaborated:
    return QUERIES.elaborated("toy", SourceText("model.toy", text))


@cache
def run() -> tuple[Report, Verdicts]:
    """Return what an analysis finds, and the same for editors."""
    meaning, events = elaborated(), list[object]()
    assert meaning.program is not None, meaning.diagnostics
    found = analyse(meaning, OPTIONS, Memory(), events.append, cancelled=lambda: False)
    snapshot = Snapshot("file:///m.toy", 1, meaning.parsed.source, TOY, OPTIONS)
    report = reports.started(reports.FileReport(), reports.basis(meaning.program, OPTIONS))
    report = reports.listed(report, QUERIES.listing("toy", meaning, OPTIONS))
    report = reports.finished(reports.merged(report, events))
    analysed = snapshot.with_elaborated(meaning).with_report(report).analysed
    assert analysed is not None
    return found, Verdicts(analysed)


def names() -> naming.Names:
    return naming.names(elaborated(), TOY)


def test_files_are_known_by_suffix_and_by_what_editors_call_the_language() -> None:
    assert toy.LANGUAGE is language_of("m.toy", languages=LANGUAGES)
    assert toy.LANGUAGE is language_of("m", "TY", LANGUAGES)
    assert ".toy" in suffixes(LANGUAGES)


def test_its_properties_are_proved_and_falsified() -> None:
    found, _ = run()

    verdicts = {finding.name: finding.verdict for finding in found.properties}
    assert {
        "small": PropertyVerdict.PROVED,
        "quick": PropertyVerdict.FALSIFIED,
    } == verdicts


def test_its_mutants_are_decided() -> None:
    found, _ = run()
    listing = QUERIES.listing("toy", elaborated(), OPTIONS)

    decided = {finding.mutant: finding.status for finding in found.mutants}
    assert {place.mutant for place in listing.mutants} == decided.keys()
    assert {"n", "at_end"} == {place.element.name for place in listing.mutants}
    statuses = {
        (place.operator, place.summary): decided[place.mutant]
        for place in listing.mutants
        if place.operator in {"ge2g", "ifthen", "ifelsethen", "eq2neq"}
    }
    assert {
        ("ge2g", "`>=` → `>`"): MutantStatus.KILLED,
        ("ifthen", "`if` condition → `yes`"): MutantStatus.SURVIVED,
        ("ifelsethen", "`then` and `else` exchanged"): MutantStatus.SURVIVED,
        ("eq2neq", "`==` → `!=`"): MutantStatus.SURVIVED,
    } == statuses


def test_every_mutant_reads_back() -> None:
    provenance, listing = elaborated().provenance, QUERIES.listing("toy", elaborated(), OPTIONS)
    for place in listing.mutants:
        if place.replacement is not None:
            where = provenance.elements[place.element].place(place.path)
            assert where is not None
            span = where.whole
            text = MODEL[: span.start] + place.replacement + MODEL[span.end :]
            assert () == elaborated(text).diagnostics, text


def test_mutants_are_spelled_in_the_language_of_their_program() -> None:
    found = elaborated()
    program = found.program
    assert program is not None
    other = replace(program, traits=replace(program.traits, name="other", booleans=("off", "on")))
    chosen = (MUTATORS["ifthen"],)

    summaries = [
        mutant.summary
        for one in (program, other)
        for mutant in mutants(one, found.provenance, chosen, MODEL)
    ]
    assert ["`if` condition → `yes`", "`if` condition → `on`"] == summaries


def test_an_error_has_a_code_with_an_explanation() -> None:
    found = elaborated("n : int := yes + 1\nm : int := later\nnothing\n")

    assert found.program is None
    assert ["toy-line"] * 3 == [diagnostic.code for diagnostic in found.diagnostics]
    assert "toy-line" in TOY.codes


def hovered(mark: str) -> str:
    shown = hover.hover(run()[1], names(), MODEL.index(mark))
    assert shown is not None
    return shown.markdown


def test_hovers_show_declarations_and_values_in_its_words() -> None:
    assert "`n : int` (output)\n\nIn the shown trace: 0, 1, 2" in hovered("n : int")
    assert "In the shown trace: yes, yes, no" in hovered("quick :")
    assert "killed" in hovered(">= 3")


def test_its_names_and_keywords_are_completed() -> None:
    found = completion.completions(names(), MODEL.index("pre(n)"))

    labels = {item.label for item in found}
    assert {"go", "n", "at_end", "small", "quick", *TOY.lexis.keywords} <= labels


def test_its_names_are_found_and_renamed() -> None:
    use = MODEL.index("small", MODEL.index("check"))
    declared = navigation.definition(names(), use)
    assert declared is not None
    assert MODEL.index("small") == declared.name.start
    renamed = rename.rename(names(), use, "few")
    assert [MODEL.index("small"), use] == [span.start for span in renamed.spans]
    assert "'check' is a reserved word" == rename.rename(names(), use, "check").refusal


def test_its_text_has_an_outline_and_folds() -> None:
    (main,) = symbols.symbols(names(), elaborated().provenance)
    properties = [child.label for child in main.children if child.is_property]
    assert ["small", "quick"] == properties
    comments = folding.folds(elaborated("# a\n# b\n" + MODEL), TOY)
    assert folding.Fold(0, 2, folding.FoldKind.COMMENT) in comments


def test_its_executions_are_shown_and_exported_in_its_words() -> None:
    found, _ = run()
    program, trace = elaborated().program, found.properties[1].trace
    assert trace is not None
    assert program is not None
    assert "quick   yes  yes   no" in traces.table(trace, program)
    as_csv = TRACE_FORMATS["csv"].write(exported(trace, program, "t", ("quick",)))
    assert ["yes", "yes", "no"] == [line.split(",")[1] for line in as_csv.splitlines()[1:]]


@pytest.mark.parametrize("name", REPORTERS.names())
def test_every_format_reports_on_it(name: str) -> None:
    listing = QUERIES.listing("toy", elaborated(), OPTIONS)
    source = elaborated().parsed.source
    file = ReportedFile(source, TOY, elaborated(), (), run()[0], listing)

    text = REPORTERS[name].mutate((file,), Presentation(timings=False))
    assert "model.toy" in text
    if name in {
        "concise",
        "github",
        "gitlab",
        "junit",
    }:  # what to look at
        assert "survives" in text
    elif name == "cobertura":  # which counts
        assert 'condition-coverage="0% ' in text
    else:
        assert "ge2g" in text


def test_no_stub_and_no_removal_is_offered_where_a_language_has_none() -> None:
    at = MODEL.index("== 3")
    offered = actions(Selection(run()[1], Span(at, at)))

    titles = [action.title for action in offered]
    assert any(title.startswith("Show") for title in titles), titles
    assert not [title for title in titles if "stub" in title or title.startswith("Remove")]
