"""Reports for browsers: one page that needs nothing but itself, readable without colour.

Every table has a caption and headers for rows and columns; what colour says, words say too.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from html import escape

import mutproof
from mutproof.reporters import certified, matrix
from mutproof.reporters.matrix import Matrix, MatrixMark
from mutproof.reporters.reported_file import ReportedFile
from mutproof.reporters.reporter import Presentation, Reporter

_STYLE = """
:root { color-scheme: light dark; --line: #8888; --must: #0b6b2e; --may: #0b4f8a; }
@media (prefers-color-scheme: dark) { :root { --must: #7fdc9b; --may: #8cc4ff; } }
body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 80rem; padding: 0 1rem; }
.wide { overflow-x: auto; }
table { border-collapse: collapse; margin: 1rem 0; }
caption { text-align: left; font-weight: bold; padding: 0.3rem 0; }
th, td { border: 1px solid var(--line); padding: 0.2rem 0.6rem; text-align: left; }
thead th { position: sticky; top: 0; background: Canvas; }
td.MUST { color: var(--must); font-weight: bold; }
td.MAY { color: var(--may); }
code { font-family: ui-monospace, monospace; }
"""

_SHOWN = {MatrixMark.MUST: "MUST", MatrixMark.MAY: "MAY", MatrixMark.NONE: "–"}

Body = Callable[[ReportedFile], Iterator[str]]


def prove(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the verdict of every property."""
    return _page("Properties", files, lambda file: _properties(file, presentation))


def core(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the cores of every property and which element belongs to which."""

    def body(file: ReportedFile) -> Iterator[str]:
        yield from _properties(file, presentation)
        yield from _cores(file)
        shown = matrix.matrix(file)
        if shown.properties and shown.rows:
            yield from _matrix(shown)

    return _page("What each property needs", files, body)


def mutate(files: tuple[ReportedFile, ...], presentation: Presentation) -> str:
    """Return a page with the verdict of every mutant."""

    def body(file: ReportedFile) -> Iterator[str]:
        yield from _properties(file, presentation)
        rows = [
            (
                str(placed.place),
                placed.mutant.operator,
                placed.mutant.summary,
                placed.finding.status.value,
                ", ".join(placed.finding.killed_by) or placed.finding.reason,
            )
            for placed in file.placed
        ]
        yield from _table("Mutants", ("place", "operator", "change", "verdict", "by"), rows)

    return _page("Mutants", files, body)


def _properties(file: ReportedFile, presentation: Presentation) -> Iterator[str]:
    rows = []
    for found in file.properties:
        facts = [found.engine, "" if found.k is None else f"k = {found.k}", found.reason]
        facts.append(f"{found.seconds:.2f} s" if presentation.timings else "")
        facts += certified.facts(file, "", (found.name,))
        about = ", ".join(fact for fact in facts if fact)
        place = str(file.property_place(found))
        rows.append((place, found.name, found.verdict.value, about))
    yield from _table("Properties", ("place", "property", "verdict", "how"), rows)


def _cores(file: ReportedFile) -> Iterator[str]:
    for found in file.properties:
        if found.core is None:
            if found.cores is not None:
                about = matrix.summary(found.cores)
                yield f"<h3>{escape(found.name)}: {escape(about)}</h3>"
            continue
        cores = (found.core,) if found.cores is None else found.cores.cores
        about = "a core" if found.cores is None else matrix.summary(found.cores)
        yield f"<h3>{escape(found.name)}: {escape(about)}</h3>"
        yield "<ol>"
        for elements in cores:
            names = (f"<code>{escape(file.element_name(element))}</code>" for element in elements)
            yield f"<li>{', '.join(names) or 'nothing'}</li>"
        yield "</ol>"


def _matrix(shown: Matrix) -> Iterator[str]:
    yield '<div class="wide"><table><caption>Elements and the properties that need them</caption>'
    names = "".join(f'<th scope="col">{escape(found.name)}</th>' for found in shown.properties)
    yield f'<thead><tr><th scope="col">place</th><th scope="col">element</th>{names}</tr></thead>'
    yield "<tbody>"
    for row in shown.rows:
        cells = "".join(f'<td class="{mark.name}">{_SHOWN[mark]}</td>' for mark in row.marks)
        head = f'<td>{row.place}</td><th scope="row"><code>{escape(row.name)}</code></th>'
        yield f"<tr>{head}{cells}</tr>"
    yield "</tbody></table></div>"
    yield f"<p>{escape(matrix.legend(shown.properties)).replace(' -', ' –')}</p>"


def _table(caption: str, header: tuple[str, ...], rows: Sequence[tuple[str, ...]]) -> Iterator[str]:
    heads = "".join(f'<th scope="col">{escape(name)}</th>' for name in header)
    yield f'<div class="wide"><table><caption>{escape(caption)}</caption>'
    yield f"<thead><tr>{heads}</tr></thead><tbody>"
    for row in rows:
        yield f"<tr>{''.join(f'<td>{escape(cell)}</td>' for cell in row)}</tr>"
    yield "</tbody></table></div>"


def _page(title: str, files: tuple[ReportedFile, ...], body: Body) -> str:
    lines = [
        "<!DOCTYPE html>",
        '<html lang="en">',
        "<head>",
        '<meta charset="utf-8">',
        '<meta name="viewport" content="width=device-width, initial-scale=1">',
        f"<title>{escape(title)} – mutproof</title>",
        f"<style>{_STYLE}</style>",
        "</head>",
        "<body>",
        f"<main><h1>{escape(title)}</h1>",
    ]
    for file in files:
        lines.append(f"<section><h2><code>{escape(file.path)}</code></h2>")
        if not file.finished:
            lines.append("<p>The run did not reach its end: this is what was found until then.</p>")
        lines += [
            f"<p>{escape(found.code)}: {escape(found.message)}</p>" for found in file.diagnostics
        ]
        lines.extend(body(file))
        lines.append("</section>")
    lines.append(f"</main><footer><p>mutproof {escape(mutproof.__version__)}</p></footer>")
    lines += ["</body>", "</html>", ""]
    return "\n".join(lines)


REPORTER = Reporter("html", prove, core, mutate)
