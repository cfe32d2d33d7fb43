"""Tables of pages, each with a caption and headers for its columns, and executions as tables."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from typing import Final

from mutproof.analyses.claims.equivalence import Equivalence
from mutproof.analyses.claims.finding import PropertyFinding
from mutproof.model.program import Program
from mutproof.model.trace import Trace
from mutproof.reporters import comparisons, traces

_MOST_ROWS: Final = 60
_MOST_STEPS: Final = 60


def table(caption: str, header: Sequence[str], rows: Sequence[Sequence[str]]) -> Iterator[str]:
    """Yield a table of plain texts."""
    cells = ("".join(f"<td>{escape(cell)}</td>" for cell in row) for row in rows)
    heads = (f'<th scope="col">{escape(name)}</th>' for name in header)
    yield from framed(caption, "".join(heads), cells)


def framed(caption: str, heads: str, rows: Iterator[str], kind: str = "") -> Iterator[str]:
    """Yield a table of cells that are HTML already; wide ones scroll, also by keyboard."""
    label = escape(caption)
    shown = f' class="{kind}"' if kind else ""
    yield f'<div class="wide" role="region" tabindex="0" aria-label="{label}"><table{shown}>'
    yield f"<caption>{label}</caption><thead><tr>{heads}</tr></thead><tbody>"
    yield from (f"<tr>{row}</tr>" for row in rows)
    yield "</tbody></table></div>"


def comparison(
    caption: str, found: Equivalence, program: Program, sides: comparisons.Sides
) -> Iterator[str]:
    """Yield the executions of a gap; values that differ are marked, by text too."""
    rows = comparisons.rows(found, program, sides)
    of_model = {name: values for name, side, values in rows if side == sides.model}
    marked = [
        (
            name,
            side,
            [
                ("differs", value, f"<small>differs from the {sides.model}</small>")
                if side == sides.mutant and value != _at(of_model[name], step)
                else ("", value, "")
                for step, value in enumerate(values)
            ],
        )
        for name, side, values in rows
    ]
    yield from _execution(caption, marked, sided=bool(of_model))
    if found.mutant is not None:
        yield from _functions(found.mutant)


def counterexample(
    caption: str, trace: Trace, program: Program, finding: PropertyFinding
) -> Iterator[str]:
    """Yield an execution that violates a property; changed values are marked, by text too."""
    marked = [
        (
            name,
            "",
            [
                ("changed", value, '<span class="unseen"> changed</span>')
                if traces.is_changed(values, step)
                else ("", value, "")
                for step, value in enumerate(values)
            ],
        )
        for name, values in traces.rows(trace, program, finding).items()
    ]
    yield from _execution(caption, marked, sided=False)
    if trace.loop is not None:
        yield f"<p>Then again from step {trace.loop}.</p>"
    yield from _functions(trace)


def _execution(
    caption: str, rows: list[tuple[str, str, list[tuple[str, str, str]]]], *, sided: bool
) -> Iterator[str]:
    if not rows:
        return
    length = max(len(cells) for _, _, cells in rows)
    first = max(0, length - _MOST_STEPS)
    heads = ["variable", *(["side"] if sided else []), *map(str, range(first, length))]

    def lines() -> Iterator[str]:
        for name, side, cells in rows[:_MOST_ROWS]:
            shown = "".join(
                f'<td class="{kind}">{escape(value)}{words}</td>'
                if kind
                else f"<td>{escape(value)}</td>"
                for kind, value, words in cells[first:]
            )
            who = f"<td>{escape(side)}</td>" if sided else ""
            yield f'<th scope="row"><code>{escape(name)}</code></th>{who}{shown}'

    columns = "".join(f'<th scope="col">{escape(head)}</th>' for head in heads)
    yield from framed(caption, columns, lines(), "trace")
    if first:
        yield f"<p>{first} steps before these are left out; --format json has them.</p>"
    if len(rows) > _MOST_ROWS:
        left = len(rows) - _MOST_ROWS
        yield f"<p>{left} more rows are left out; --format json has them.</p>"


def _functions(trace: Trace) -> Iterator[str]:
    lines = traces.function_lines(trace)
    if lines:
        yield f"<pre>{escape(chr(10).join(lines))}</pre>"


def _at(values: Sequence[str], step: int) -> str:
    return values[step] if step < len(values) else ""
