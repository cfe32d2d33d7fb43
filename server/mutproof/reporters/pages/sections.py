"""Sections of pages, with what the viewer of mutation reports does not show."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from html import escape
from typing import Final

from mutproof.analyses.claims.finding import PropertyVerdict
from mutproof.analyses.suggesting.finding import Suggestion
from mutproof.base.text import counted
from mutproof.model.program import ElementId
from mutproof.reporters import certified, comparisons, matrix, pairs, survivors
from mutproof.reporters.fate import MISSED, OPEN, fate
from mutproof.reporters.matrix import MatrixMark
from mutproof.reporters.pages import tables
from mutproof.reporters.reported_file import PlacedMutant, ReportedFile
from mutproof.reporters.reporter import Presentation
from mutproof.reporters.style import Style
from mutproof.workspace.insertion import new_property

_MOST_GAPS: Final = 300  # of a file; the viewer has all
_SHOWN: Final = {MatrixMark.MUST: "MUST", MatrixMark.MAY: "MAY", MatrixMark.NONE: "–"}

COPY_SCRIPT: Final = """
"use strict";
const said = document.getElementById("said");
document.addEventListener("click", async (event) => {
  const button = event.target.closest("button[data-copies]");
  if (button === null) return;
  const text = document.getElementById(button.dataset.copies);
  try {
    await navigator.clipboard.writeText(text.textContent);
    said.textContent = "copied";
    button.textContent = button.textContent.replace(/^Copy /, "Copied ");
  } catch {
    getSelection().selectAllChildren(text);
    said.textContent = "selected: copy it with the keyboard";
  }
});
"""


def properties(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    """Yield the verdict of every property, and executions that violate one."""
    rows = []
    for found in file.properties:
        facts = [found.engine, "" if found.k is None else f"k = {found.k}", found.reason]
        facts.append(f"vacuously: {found.vacuity}" if found.vacuity else "")
        facts.append(found.time if presentation.timings else "")
        facts += certified.facts(file, "", (found.name,))
        about = ", ".join(fact for fact in facts if fact)
        place = str(file.property_place(found))
        rows.append((place, found.name, found.verdict.value, about))
    if rows:
        yield from tables.table("Properties", ("place", "property", "verdict", "how"), rows)
    else:
        yield "<p>Nothing is known of a property.</p>"
    program = None if file.elaborated is None else file.elaborated.program
    for found in file.properties:
        if found.trace is not None and program is not None:
            shows = (
                "An execution that violates"
                if found.verdict is PropertyVerdict.FALSIFIED
                else "An execution that shows"
            )
            yield from tables.counterexample(f"{shows} {found.name}", found.trace, program, found)


def gaps(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    """Yield each survivor to look at, with both executions where it is known to be a gap."""
    shown = [
        placed
        for placed in file.placed
        if fate(placed.finding) in MISSED | OPEN and survivors.is_shown(file, placed, presentation)
    ]
    if not shown:
        return
    yield "<h3>What no property notices, or what is not known</h3>"
    yield from (f"<p>{escape(line)}</p>" for line in survivors.left_out(file, presentation))
    for element, number in survivors.hidden(file, presentation).items():
        name = f"<code>{escape(file.element_label(element))}</code>"
        yield f"<p>{name} has {survivors.stood_for(number)}.</p>"
    for placed in shown[:_MOST_GAPS]:
        yield from _gap(file, placed, presentation)
    if len(shown) > _MOST_GAPS:
        yield f"<p>{len(shown) - _MOST_GAPS} more are in the table of mutants above.</p>"


def _gap(file: ReportedFile, placed: PlacedMutant, presentation: Presentation) -> Iterator[str]:
    mutant, found = placed.mutant, placed.finding.equivalence
    before = file.source.content[placed.edit.span.start : placed.edit.span.end]
    yield "<article>"
    yield f"<h4>{placed.place} {escape(mutant.summary)}</h4>"
    words = placed.finding.status.value if found is None else survivors.words(found)
    words += survivors.more_like(file, placed, presentation)
    if placed.finding.reason:
        words += f": {placed.finding.reason}"
    accepted = file.accepted.get(mutant.mutant)
    words += "" if accepted is None else f"; {accepted.words}"
    element = f"in <code>{escape(file.element_title(mutant.element))}</code>"
    yield f"<p>{element}: {escape(words)} ({escape(mutant.operator)},"
    yield f"id {escape(mutant.shown)})</p>"
    after = (
        f'<ins title="mutant">{escape(placed.edit.text)}</ins>' if placed.edit.text else "nothing"
    )
    yield f'<p><del title="model">{escape(before)}</del> becomes {after}</p>'
    program = None if file.elaborated is None else file.elaborated.program
    if found is not None and program is not None:
        caption = f"Model and mutant {mutant.shown}: {survivors.words(found)}"
        sides = comparisons.Sides(element=mutant.element)
        yield from tables.comparison(caption, found, program, sides)
    yield "</article>"


def paired(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    """Yield the pairs of mutants to look at, and how many there are."""
    if file.pairs is None:
        return
    found = pairs.of(file)
    yield "<h3>Pairs of mutants</h3>"
    rows = [
        (
            *(f"{part.place} {part.mutant.summary}" for part in pair.parts),
            pair.outcome.value,
            pair.known,
        )
        for pair in found
        if pairs.is_shown(pair, presentation)
    ]
    if rows:
        yield from tables.table("Pairs to look at", ("one", "other", "both", "known"), rows)
    yield from (f"<p>{escape(line)}</p>" for line in pairs.sums(file, found, Style()))


def behaviours(file: ReportedFile) -> Iterator[str]:
    """Yield the behaviours of the gaps: which are one function, and which follow from others."""
    if not file.behaviours.all:
        return
    placed = {one.mutant.mutant: one for one in file.placed}
    rows = []
    for one in file.behaviours.all:
        first = placed[one.mutants[0]]
        follows = f"{one.implied_by} (in {counted(one.tests, 'test')})" if one.implied_by else ""
        rows.append(
            (
                one.name,
                file.element_title(one.element),
                str(len(one.mutants)),
                f"{first.place} {first.mutant.summary}",
                follows,
            )
        )
    header = ("behaviour", "element", "gaps", "such as", "follows from")
    yield from tables.table("Behaviours: gaps that are one function", header, rows)


def suggestions(file: ReportedFile, prefix: str) -> Iterator[str]:
    """Yield the properties that are suggested; ids of elements begin with `prefix`."""
    known = None if file.report is None else file.report.suggestions
    if known is None:
        return
    yield "<h3>Properties to add</h3>"
    if not known.suggestions:
        yield "<p>None was found.</p>"
    placed = {one.mutant.mutant: one for one in file.placed}
    for number, one in enumerate(known.suggestions):
        closes = counted(len(one.kills), "gap")
        said = f"{one.sentence} Proved already"
        if known.best == (one.name,):
            said += "; closes alone all that any of these closes"
        elif one.name in known.best:
            said += f"; one of {len(known.best)} that together close all that any of these closes"
        said += "; restates an element." if one.restates else "."
        yield f"<article><h4>{escape(one.name)} closes {closes}</h4>"
        yield f"<p>{escape(said)}</p>"
        name = f"{prefix}-{number}"
        yield f'<pre id="{name}">{escape(source(file, one))}</pre>'
        button = f'<button type="button" data-copies="{name}">Copy {escape(one.name)}</button>'
        yield f"<p>{button}</p>"
        places = [placed[m] for m in one.kills if m in placed]
        yield "<ul>"
        yield from (f"<li>{p.place} {escape(p.mutant.summary)}</li>" for p in places)
        yield "</ul></article>"
    rows = [
        (str(placed[mutant].place), placed[mutant].mutant.summary, reason)
        for mutant, reason in known.left
        if mutant in placed
    ]
    if rows:
        header = ("place", "change", "why nothing is suggested")
        yield from tables.table("Gaps that stay open", header, rows)


def source(file: ReportedFile, suggested: Suggestion) -> str:
    """Return a suggestion as lines of the language of its file."""
    if file.language is None:
        return suggested.text
    return "\n".join(file.language.property_lines(new_property(file.language, suggested)))


def cores(file: ReportedFile) -> Iterator[str]:
    """Yield the cores of each property."""
    for found in file.properties:
        if found.core is None:
            if found.cores is not None:
                about = matrix.summary(found.cores)
                yield f"<h3>{escape(found.name)}: {escape(about)}</h3>"
            continue
        every = (found.core,) if found.cores is None else found.cores.cores
        about = "a core" if found.cores is None else matrix.summary(found.cores)
        yield f"<h3>{escape(found.name)}: {escape(about)}</h3>"
        yield "<ol>"
        for elements in every:
            names = (f"<code>{escape(file.element_label(element))}</code>" for element in elements)
            yield f"<li>{', '.join(names) or 'nothing'}</li>"
        yield "</ol>"


def elements(file: ReportedFile) -> Iterator[str]:
    """Yield the matrix of elements and properties, with kills of each element's mutants."""
    shown = matrix.matrix(file)
    if not (shown.properties and shown.rows):
        return
    kills, total = _kills(file)

    def rows() -> Iterator[str]:
        for row in shown.rows:
            mutants = total[row.element]
            cells = []
            for found, mark in zip(shown.properties, row.marks, strict=True):
                killed = kills[row.element, found.name]
                beside = f" kills {killed} of {mutants}" if mutants else ""
                cells.append(f'<td class="{mark.name}">{_SHOWN[mark]}{beside}</td>')
            name = f'<th scope="row"><code>{escape(row.title)}</code></th>'
            yield f"<td>{row.place}</td>{name}{''.join(cells)}"

    names = "".join(f'<th scope="col">{escape(found.name)}</th>' for found in shown.properties)
    heads = f'<th scope="col">place</th><th scope="col">element</th>{names}'
    yield from tables.framed("Elements and the properties that need them", heads, rows())
    yield f"<p>{escape(matrix.legend(shown.properties)).replace(' -', ' –')}</p>"


def _kills(file: ReportedFile) -> tuple[Counter[tuple[ElementId, str]], Counter[ElementId]]:
    """Return the numbers of mutants of each element: killed by each property, and in total."""
    killed: Counter[tuple[ElementId, str]] = Counter()
    total: Counter[ElementId] = Counter()
    for placed in file.placed:
        total[placed.mutant.element] += 1
        killed.update((placed.mutant.element, name) for name in placed.finding.killed_by)
    return killed, total


Section = Callable[[ReportedFile], Iterator[str]]


def of_files(files: tuple[ReportedFile, ...], section: Section) -> Iterator[str]:
    """Yield a section for each file, with its name and what is wrong with it."""
    for file in files:
        name = escape(file.path)
        yield f'<section aria-label="{name}"><h2><code>{name}</code></h2>'
        if not file.finished:
            yield "<p>The run did not reach its end: this is what was found until then.</p>"
        for found in file.unnoted:
            yield f"<p>{escape(found.code)}: {escape(found.message)}</p>"
        for note in file.notes:
            yield f"<p>{escape(note)}</p>"
        yield from section(file)
        yield "</section>"
