"""Golden suites: a section of a Markdown file is a sentence that is true, and its example.

`tests/golden/<language>/*.md`. A section's source block carries its expectations as comments
at the end of lines: `--! error[code]` (several are separated by spaces, severities as in
`Severity`). What is expected nowhere must not be found. Further blocks of the section, named by
`BLOCKS`, hold what else is expected of the source. `pytest --update` rewrites both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from mutproof.analyses.finding import PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.text import SourceText
from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated, Language
from mutproof.model.terms import Term
from mutproof.workspace.options import Options
from support.lustre_mutants import report

FOLDER = Path(__file__).parent
VERDICTS = Options(mutate=False, cores=False, budget=Budget(timeout_s=60))
_HEADING = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
_FENCE = re.compile(r"^```(?P<name>[\w-]+)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL)
_EXPECTED = re.compile(r"[ \t]*--! (?P<found>(?:\w+\[[\w-]+\] ?)+)$")


@dataclass(frozen=True, slots=True)
class Case:
    """Hold one section: its file, its heading, and where its text stands in the file."""

    path: Path
    title: str
    start: int
    end: int


def cases() -> list[Case]:
    found = []
    for path in sorted(FOLDER.glob("*/*.md")):
        text = path.read_text(encoding="utf-8")
        headings = list(_HEADING.finditer(text))
        ends = [heading.start() for heading in headings[1:]] + [len(text)]
        for heading, end in zip(headings, ends, strict=True):
            found.append(Case(path, heading["title"], heading.end(), end))
    return found


def shape(term: Term) -> str:
    """Return a term with all its parentheses, operator first."""
    done: list[str] = []
    stack: list[tuple[Term, bool]] = [(term, False)]
    while stack:
        current, leaving = stack.pop()
        if not current.args:
            done.append(repr(current))
        elif leaving:
            args = done[-len(current.args) :]
            del done[-len(current.args) :]
            payload = "" if current.payload is None else f"[{_shown(current)}]"
            done.append(f"({current.op.value}{payload} {' '.join(args)})")
        else:
            stack.append((current, True))
            stack.extend((arg, False) for arg in reversed(current.args))
    return done[0]


def _shown(term: Term) -> str:
    component = getattr(term.payload, "component", None)
    if component is not None:
        return f"{component}#{getattr(term.payload, 'number', '')}"
    return str(term.payload)


def terms_block(language: Language, found: Elaborated) -> str:
    """List the elements of the program with the shape of their terms."""
    if found.program is None:
        return "no program\n"
    return "".join(f"{e.id}: {shape(e.body)}\n" for e in found.program.elements())


def printed_block(language: Language, found: Elaborated) -> str:
    """List the elements of the program as they are printed."""
    if found.program is None:
        return "no program\n"
    return "".join(f"{e.id}: {language.print_term(e.body)}\n" for e in found.program.elements())


def places_block(language: Language, found: Elaborated) -> str:
    """List the place of every subterm: path, line:column of the token, text."""
    lines = []
    source = found.parsed.source
    assert found.program is not None
    for element in found.program.elements():
        places = found.provenance.elements[element.id]
        for path in places.terms:
            place = places.place(path)
            assert place is not None
            position = source.position(place.token.start)
            text = " ".join(source.slice(place.whole).split())
            lines.append(f"{element.id} {path} {position} {text}\n")
    return "".join(lines)


def verdicts_block(language: Language, found: Elaborated) -> str:
    """List the properties with their verdicts and the number of steps of counterexamples."""
    if found.program is None:
        return "no program\n"
    lines = []
    for stated in report(found, VERDICTS).properties:
        falsified = stated.verdict is PropertyVerdict.FALSIFIED
        steps = f" at step {stated.k}" if falsified else ""
        lines.append(f"{stated.name}: {stated.verdict.value}{steps}\n")
    return "".join(lines)


BLOCKS: dict[str, Callable[[Language, Elaborated], str]] = {
    "terms": terms_block,
    "printed": printed_block,
    "places": places_block,
    "verdicts": verdicts_block,
}


def annotated(source: SourceText, found: Elaborated) -> str:
    """Return the text with what is found as comments, in the place of what is expected."""
    by_line: dict[int, list[str]] = {}
    for diagnostic in found.diagnostics:
        line = source.position(diagnostic.span.start).line
        by_line.setdefault(line, []).append(f"{diagnostic.severity.value}[{diagnostic.code}]")
    lines = []
    for number, line in enumerate(source.content.splitlines(), start=1):
        bare = _EXPECTED.sub("", line)
        notes = " ".join(sorted(by_line.get(number, [])))
        lines.append(f"{bare} --! {notes}" if notes else bare)
    return "".join(f"{line}\n" for line in lines)


def answered(language: Language, section: str) -> str:
    """Return a section with all its blocks as they should be."""
    elaborated: list[Elaborated] = []

    def block(match: re.Match[str]) -> str:
        name, text = match["name"], match["text"]
        if name == language.name:
            source = SourceText("golden", text)
            elaborated[:] = [language.elaborate(language.parse(source))]
            text = annotated(source, elaborated[0])
        elif name in BLOCKS:
            text = BLOCKS[name](language, elaborated[0])
        return f"```{name}\n{text}```"

    return _FENCE.sub(block, section)


@pytest.mark.parametrize("case", cases(), ids=lambda case: f"{case.path.stem}: {case.title}")
def test_golden(case: Case, update: bool) -> None:
    language = LANGUAGES[case.path.parent.name]
    text = case.path.read_text(encoding="utf-8")
    # A rewritten section may have moved the ones after it.
    start = text.index(f"\n## {case.title}\n") if update else case.start - 1
    end = text.find("\n## ", start + 4) if update else case.end
    section = text[start : end if end >= 0 else len(text)]

    found = answered(language, section)

    if update:
        case.path.write_text(text.replace(section, found, 1), encoding="utf-8")
    else:
        assert section == found
