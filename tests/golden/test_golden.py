"""Golden suites: a section of a Markdown file is a sentence that is true, and its example.

`tests/golden/<language>/*.md`, in the notation of `tests/README.md`: annotations of the source
block say what is found (`notation`, `features`, `questions`). Further blocks of the section, named
by `BLOCKS`, hold what else is expected of the source. `pytest --update` rewrites both.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import notation
import pytest
from features import KINDS, WHOLE, verdict_ends
from notation import Annotated, NotationError
from questions import ASKED
from seen import Seen

from mutproof.languages import LANGUAGES
from mutproof.model.language import Elaborated, Language
from mutproof.model.terms import Term

FOLDER = Path(__file__).parent
_HEADING = re.compile(r"^## (?P<title>.+)$", re.MULTILINE)
_FENCE = re.compile(
    r"^```(?P<name>[\w-]+)(?P<words>[^\n]*)\n(?P<text>.*?)^```$", re.MULTILINE | re.DOTALL
)


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
        titles = [heading["title"] for heading in headings]
        if not titles or len(set(titles)) < len(titles) or "```" in text[: headings[0].start()]:
            raise NotationError(f"{path} has no sections, two of one title, or a block in none")
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


BLOCKS: dict[str, Callable[[Language, Elaborated], str]] = {
    "terms": terms_block,
    "printed": printed_block,
    "places": places_block,
}


def annotated(
    language: Language, text: str, words: str, *, is_shown: bool = False
) -> tuple[Elaborated, str]:
    """Return what a text means, and the text with all that is found as annotations.

    `is_shown` tells that other blocks of the section say what is found.

    Raises:
        NotationError: it asks for nothing, or for what there is not.
    """
    expected = notation.read(text)
    seen = Seen(language, expected.source, tuple(words.split()))
    unknown = [n.lines[0] for n in expected.notes if n.kind not in ASKED.keys() | KINDS]
    if "verdicts" not in seen.plain:
        unknown += [f"--= {text}" for (_, kind), text in expected.ends.items() if kind == "="]
    if unknown:
        raise NotationError(f"no annotation is {unknown}")
    ends: dict[tuple[int, str], str] = {}
    for diagnostic in seen.elaborated.diagnostics:
        key = (seen.source.position(diagnostic.span.start).line, "!")
        note = f"{diagnostic.severity.value}[{diagnostic.code}]"
        ends[key] = " ".join(sorted([*ends.get(key, "").split(), note]))
    if "verdicts" in seen.plain:
        ends |= verdict_ends(seen)
    makers = [maker for word, maker in WHOLE.items() if word in seen.plain]
    notes = [note for maker in makers for note in maker(seen)]
    notes.sort(key=lambda note: note.span.start)
    notes += [ASKED[n.kind](seen, n) for n in expected.notes if n.kind in ASKED]
    is_silent = not (ends or notes or is_shown)
    if is_silent != ("accepted" in seen.plain):
        raise NotationError("finds nothing and does not say `accepted`, or the other way round")
    return seen.elaborated, notation.write(Annotated(seen.source, tuple(notes), ends))


def answered(language: Language, section: str) -> str:
    """Return a section with all its blocks as they should be."""
    elaborated: list[Elaborated] = []
    blocks = {match["name"] for match in _FENCE.finditer(section)}
    if language.name not in blocks or blocks - {language.name, *BLOCKS}:
        raise NotationError(f"has blocks of these kinds: {sorted(blocks)}")

    def block(match: re.Match[str]) -> str:
        name, words, text = match["name"], match["words"], match["text"]
        if name == language.name:
            found, text = annotated(language, text, words, is_shown=len(blocks) > 1)
            elaborated[:] = [found]
        else:
            text = BLOCKS[name](language, elaborated[0])
        return f"```{name}{words}\n{text}```"

    return _FENCE.sub(block, section)


@pytest.mark.parametrize(
    "case", cases(), ids=lambda case: f"{case.path.parent.name}/{case.path.stem}: {case.title}"
)
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
