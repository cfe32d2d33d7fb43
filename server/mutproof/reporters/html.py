"""Reports for browsers: one self-contained page, readable without colour.

Mutants are shown in their text by the viewer of mutation testing reports; the rest is below it.
"""

from __future__ import annotations

from collections.abc import Iterator
from html import escape

from mutproof.reporters import unmutated
from mutproof.reporters.fate import MutantFate, fate, score
from mutproof.reporters.json import mutation_report
from mutproof.reporters.pages import sections, viewer
from mutproof.reporters.pages.frame import frame
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the verdict of every property."""
    body = sections.of_files(files, lambda file: sections.properties(file, presentation))
    return frame("Properties", body)


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the cores of every property and which element belongs to which."""

    def section(file: ReportedFile) -> Iterator[str]:
        yield from sections.properties(file, presentation)
        yield from sections.cores(file)
        yield from sections.elements(file)

    return frame("What each property needs", sections.of_files(files, section))


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with every mutant in its text, and what is known beside its verdict."""
    numbers = {file.path: number for number, file in enumerate(files)}

    def section(file: ReportedFile) -> Iterator[str]:
        yield from sections.suggestions(file, f"property-{numbers[file.path]}")
        yield from sections.gaps(file, presentation)
        yield from sections.behaviours(file)
        yield from sections.paired(file, presentation)
        yield from sections.properties(file, presentation)
        yield from sections.cores(file)
        yield from sections.elements(file)
        yield from (f"<p>{escape(line)}</p>" for line in unmutated.lines(file))

    def body() -> Iterator[str]:
        yield from _headline(files)
        yield from viewer.viewer(mutation_report(files, presentation))
        yield '<p id="said" class="unseen" role="status"></p>'
        yield from sections.of_files(files, section)

    return frame(
        "What no property notices",
        body(),
        scripts=(sections.COPY_SCRIPT,),
        viewer=viewer.scripts(),
    )


def _headline(files: tuple[ReportedFile, ...]) -> Iterator[str]:
    found = score(files)
    percent = "" if found.percent is None else f" ({found.percent:.1f} %)"
    yield '<section aria-label="Score">'
    yield f"<p>{found.killed} of {found.valid} mutants that count are killed{percent}."
    fates = [fate(placed.finding) for file in files for placed in file.placed]
    if equivalent := fates.count(MutantFate.EQUIVALENT):
        yield f"Equivalent to the model, and not counted: {equivalent}; the viewer shows them as"
        yield "survived."
    if unknown := fates.count(MutantFate.UNKNOWN):
        yield f"The viewer shows what is unknown ({unknown}) as runtime errors."
    yield "</p></section>"


REPORTER = Reporter("html", prove, core, mutate)
