"""Pages for browsers: one file that fetches nothing, with the viewer as it is published."""

from __future__ import annotations

import base64
import hashlib
import json
import re
from collections.abc import Callable
from dataclasses import replace
from html import unescape
from html.parser import HTMLParser
from importlib.resources import files
from typing import Any

import jsonschema
import pytest
from process import EXAMPLES, mutproof
from test_reports import SCHEMA, as_json, decided, reported

from mutproof.analyses.claims.equivalence import Equivalence, EquivalenceStatus
from mutproof.analyses.claims.finding import MutantStatus
from mutproof.analyses.suggesting.finding import Suggestion, SuggestionsFinding
from mutproof.model.trace import Choices, Trace
from mutproof.reporters import REPORTERS
from mutproof.reporters.pages import viewer
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation

VIEWER = files("mutproof.reporters.pages").joinpath("viewer")


class PageText(HTMLParser):
    """Collect scripts, styles, the policy and what a page refers to; elements must nest."""

    EMPTY = frozenset({"meta"})

    def __init__(self, text: str) -> None:
        super().__init__()
        self.scripts: list[str] = []
        self.styles: list[str] = []
        self.reports: list[str] = []
        self.policy: dict[str, list[str]] = {}
        self.refers: list[str] = []
        self.styled: list[str] = []
        self._open: list[tuple[str, dict[str, str | None]]] = []
        self.feed(text)
        assert self._open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        self.refers += [value or "" for name, value in attrs if name in {"src", "href"}]
        self.styled += [value or "" for name, value in attrs if name == "style"]
        assert not [name for name in named if name.startswith("on")]
        if named.get("http-equiv") == "Content-Security-Policy":
            for directive in (named["content"] or "").split("; "):
                name, *sources = directive.split(" ")
                self.policy[name] = sources
        if tag not in self.EMPTY:
            self._open.append((tag, named))

    def handle_endtag(self, tag: str) -> None:
        assert self._open.pop()[0] == tag

    def handle_data(self, data: str) -> None:
        tag, named = self._open[-1] if self._open else ("", {})
        if tag == "script":
            kept = self.reports if named.get("type") == "application/json" else self.scripts
            kept.append(data)
        elif tag == "style":
            self.styles.append(data)


def allowed(text: str) -> str:
    digest = hashlib.sha256(text.encode()).digest()
    return f"'sha256-{base64.b64encode(digest).decode()}'"


def page_of(*given: ReportedFile, **changes: Any) -> str:
    return REPORTERS["html"].mutate(given, Presentation(**changes))


def gap() -> ReportedFile:
    steps = Choices(({}, {}))
    model = Trace(steps, ({"a1": 1, "b": 1}, {"a1": 2, "b": 2}))
    mutant = Trace(steps, ({"a1": 1, "b": 1}, {"a1": 2, "b": 7}))
    known = Equivalence(EquivalenceStatus.GAP, "outputs", "bmc", step=1, shortest=True,
                        differing=("b",), model=model, mutant=mutant)  # fmt: skip
    return decided(reported(), "g2ge", status=MutantStatus.SURVIVED, equivalence=known)


@pytest.mark.parametrize("kind", ["prove", "core", "mutate"])
def test_a_page_runs_only_what_its_policy_names_and_fetches_nothing(kind: str) -> None:
    page = PageText(getattr(REPORTERS["html"], kind)((gap(),), Presentation()))

    assert page.policy["default-src"] == ["'none'"]
    assert page.policy["script-src"] == ([allowed(x) for x in page.scripts] or ["'none'"])
    assert page.policy["style-src-elem"] == [allowed(x) for x in page.styles]
    assert not {"connect-src", "frame-src", "font-src"} & page.policy.keys()
    assert (page.refers, page.styled) == ([], [])


def test_the_viewer_is_the_one_that_was_published() -> None:
    sums = dict(
        reversed(line.split("  "))
        for line in VIEWER.joinpath("SHA256SUMS").read_text(encoding="utf-8").splitlines()
    )

    assert {"mutation-test-elements.js", "LICENSE"} == sums.keys()
    for name, digest in sums.items():
        assert digest == hashlib.sha256(VIEWER.joinpath(name).read_bytes()).hexdigest()
    assert "Apache License" in VIEWER.joinpath("LICENSE").read_text(encoding="utf-8")
    assert "version 3.9.0" in VIEWER.joinpath("NOTICE").read_text(encoding="utf-8")
    assert "751fb010242b0b44e32d84fe7fe0b9ff1da182823b94f59f5c52b001fcfc163b" in sums.values()


def test_the_page_holds_the_report_of_the_schema() -> None:
    (text,) = PageText(page_of(gap())).reports
    found = json.loads(text)

    jsonschema.validate(found, SCHEMA)
    assert as_json(gap()) == found


def test_the_viewer_is_there_before_what_stands_below_it() -> None:
    text = page_of(gap())

    for script in viewer.scripts():
        assert text.index(script) < text.index('<section aria-label="demo2.lus">')


def test_a_text_that_ends_scripts_stays_text() -> None:
    evil = "-- </script><script>alert(1)</script><!-- <b>\n"
    page = PageText(page_of(reported("<b>.lus", evil + gap().source.content)))

    assert list(page.scripts) == [*PageText(page_of(gap())).scripts]
    (found,) = json.loads(page.reports[0])["files"].values()
    assert found["source"].startswith(evil)


def test_the_report_needs_no_javascript_to_say_what_differs() -> None:
    text = page_of(gap())

    assert 1 == text.count('<td class="differs">7<small>differs from the model</small></td>')
    assert "b differs first at step 1" in text


def test_a_suggestion_can_be_copied_as_source() -> None:
    file = gap()
    mutant = next(p for p in file.placed if p.finding.status is MutantStatus.SURVIVED).mutant
    one = Suggestion("demo2", "b_low", "b < 9", (), "b < 9", "always", (mutant.mutant,))
    assert file.report is not None
    suggested = SuggestionsFinding((one,), ("b_low",))
    text = page_of(replace(file, report=replace(file.report, suggestions=suggested)))

    (name,) = re.findall(r'data-copies="([^"]*)"', text)
    found = re.search(rf'<pre id="{name}">(.*?)</pre>', text, re.DOTALL)
    assert found is not None
    assert "Always b < 9. Proved already; closes alone all" in unescape(text)
    assert "b < 9" in unescape(found[1])
    assert "--%PROPERTY b_low;" in unescape(found[1])


WRITERS: list[Callable[..., str]] = [REPORTERS["html"].mutate, REPORTERS["html"].core]


@pytest.mark.parametrize("write", WRITERS)
def test_the_same_findings_give_the_same_page(write: Callable[..., str]) -> None:
    assert write((gap(),), Presentation()) == write((gap(),), Presentation())


def test_suggest_writes_a_page() -> None:
    ended = mutproof("suggest", EXAMPLES / "demo2.lus", "--format", "html", "--no-timings")

    assert "data-copies=" in ended.out
    (report,) = PageText(ended.out).reports
    jsonschema.validate(json.loads(report), SCHEMA)
    assert ended.out == mutproof("suggest", EXAMPLES / "demo2.lus", "--format", "html",
                                 "--no-timings").out  # fmt: skip
