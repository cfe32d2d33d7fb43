"""Sections of the report: text, tables, and plots as SVG; and the files they are kept in.

A section stands between two markers of one of `REPORTS`, so that one can be measured again alone.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

HERE = Path(__file__).parent
REPORTS = (HERE / "README.md", HERE / "TABLES.md")
COLOURS = ("#1f6fb4", "#d1691f", "#3b8a3e", "#8a3b86", "#555555")
WIDTH, HEIGHT, LEFT, TOP, RIGHT, BOTTOM = 640, 360, 70, 24, 150, 48


@dataclass(frozen=True, slots=True)
class Plot:
    """Hold a plot with logarithmic axes: for each series its points, all of them positive."""

    file: str
    horizontal: str
    vertical: str
    series: Mapping[str, Sequence[tuple[float, float]]]


@dataclass(slots=True)
class Section:
    """Collect what was measured under one heading; mutable."""

    name: str
    title: str
    lines: list[str] = field(default_factory=list)
    plots: list[Plot] = field(default_factory=list)

    def say(self, text: str) -> None:
        """Add a paragraph."""
        self.lines += [text, ""]

    def table(self, head: Sequence[str], rows: Iterable[Sequence[object]]) -> None:
        """Add a table; the first column is text, the others are numbers."""
        self.lines.append("| " + " | ".join(head) + " |")
        self.lines.append("|---|" + "---:|" * (len(head) - 1))
        self.lines += ["| " + " | ".join(map(shown, row)) + " |" for row in rows]
        self.lines.append("")

    def text(self) -> str:
        """Return the section as Markdown."""
        pictures = [
            f"![{plot.vertical} over {plot.horizontal}]({plot.file})" for plot in self.plots
        ]
        return "\n".join([f"## {self.title}", "", *self.lines, *pictures]).rstrip() + "\n"


def shown(value: object) -> str:
    """Return a cell: floats with three digits that count, None as a dash."""
    if value is None:
        return "–"
    if not isinstance(value, float):
        return str(value)
    if value != 0 and math.isfinite(value):
        digits = max(0, 2 - math.floor(math.log10(abs(value))))
        return f"{value:.{min(digits, 4)}f}"
    return f"{value:.0f}"


def percentiles(values: Sequence[float], *parts: int) -> tuple[float, ...]:
    """Return percentiles, each a value that was measured."""
    ordered = sorted(values)
    return tuple(ordered[min(len(ordered) - 1, len(ordered) * part // 100)] for part in parts)


def median(values: Sequence[float]) -> float | None:
    """Return the median, None of nothing."""
    return statistics.median(values) if values else None


def write(section: Section) -> None:
    """Put a section where its markers are, else at the end of the last report; and its plots."""
    begin, end = f"<!-- {section.name} -->\n", f"<!-- end of {section.name} -->\n"
    for path in REPORTS:
        text = path.read_text(encoding="utf-8")
        if begin in text:
            break
    else:
        text += f"\n{begin}{end}"
    before, _, rest = text.partition(begin)
    _, _, after = rest.partition(end)
    path.write_text(f"{before}{begin}\n{section.text()}\n{end}{after}", encoding="utf-8")
    for plot in section.plots:
        (HERE / plot.file).write_text(drawn(plot), encoding="utf-8")


def drawn(plot: Plot) -> str:
    """Return a plot as SVG."""
    points = [point for series in plot.series.values() for point in series]
    low_x, high_x = _range([x for x, _ in points])
    low_y, high_y = _range([y for _, y in points])

    def at(x: float, y: float) -> tuple[float, float]:
        right = (math.log10(x) - low_x) / (high_x - low_x)
        up = (math.log10(y) - low_y) / (high_y - low_y)
        return (
            LEFT + right * (WIDTH - LEFT - RIGHT),
            HEIGHT - BOTTOM - up * (HEIGHT - TOP - BOTTOM),
        )

    lines = [
        (
            f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {HEIGHT}"'
            ' font-family="sans-serif" font-size="12">'
        ),
        f'<rect width="{WIDTH}" height="{HEIGHT}" fill="white"/>',
    ]
    for power in range(low_x, high_x + 1):
        x, bottom = at(10.0**power, 10.0**low_y)
        lines.append(f'<path d="M{x:.1f} {TOP}V{bottom:.1f}" stroke="#dddddd"/>')
        lines.append(_text(x, bottom + 16, _power(power), "middle"))
    for power in range(low_y, high_y + 1):
        left, y = at(10.0**low_x, 10.0**power)
        lines.append(f'<path d="M{left:.1f} {y:.1f}H{WIDTH - RIGHT}" stroke="#dddddd"/>')
        lines.append(_text(left - 6, y + 4, _power(power), "end"))
    middle = LEFT + (WIDTH - LEFT - RIGHT) / 2
    lines.append(_text(middle, HEIGHT - 10, plot.horizontal, "middle"))
    lines.append(_text(LEFT - 60, 14, plot.vertical, "start"))
    for number, (name, series) in enumerate(plot.series.items()):
        colour = COLOURS[number % len(COLOURS)]
        places = [at(x, y) for x, y in sorted(series)]
        path = "M" + "L".join(f"{x:.1f} {y:.1f}" for x, y in places)
        lines.append(f'<path d="{path}" fill="none" stroke="{colour}"/>')
        lines += [f'<circle cx="{x:.1f}" cy="{y:.1f}" r="3" fill="{colour}"/>' for x, y in places]
        row = TOP + 14 + 18 * number
        lines.append(f'<circle cx="{WIDTH - RIGHT + 12}" cy="{row - 4}" r="4" fill="{colour}"/>')
        lines.append(_text(WIDTH - RIGHT + 22, row, name, "start"))
    return "\n".join([*lines, "</svg>", ""])


def _range(values: Sequence[float]) -> tuple[int, int]:
    low = math.floor(math.log10(min(values)))
    return low, max(low + 1, math.ceil(math.log10(max(values))))


def _power(power: int) -> str:
    return f"{10.0**power:g}" if -4 < power < 6 else f"1e{power}"


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{text}</text>'
