"""White space between the words of a text: spaces, indentation, blank lines; no word changes.

A language cuts its text into pieces and gives the spacing between them; the rest is here. Line
breaks stay where they are. A line that begins a statement is indented by the level of that
statement; its continuation lines keep their position relative to its first line.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from enum import Enum

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model.editing import TextEdit, edited


class Spacing(Enum):
    """Say what stands between two pieces of a line."""

    NONE = 0
    ONE = 1
    KEPT = 2  # one space where the text has white space, else none


@dataclass(frozen=True, slots=True)
class Layout:
    """Say how wide a level of indentation is, in columns, and whether it is written as a tab."""

    width: int = 2
    tabs: bool = False

    def indentation(self, columns: int) -> str:
        """Return the white space at the beginning of a line."""
        if not self.tabs:
            return " " * columns
        return "\t" * (columns // self.width) + " " * (columns % self.width)


@dataclass(frozen=True, slots=True)
class Piece:
    """Hold a word, a mark or a comment of a text, and what stands before it in its line.

    `level` is None where it goes on with a statement. What `closes` a bracket or a block may
    stand as far left as its statement.
    """

    span: Span
    gap: Spacing = Spacing.KEPT
    level: int | None = None
    closes: bool = False
    is_comment: bool = False


Cutter = Callable[[str], Sequence[Piece]]


def formatted(text: str, cut: Cutter, style: Layout) -> tuple[TextEdit, ...]:
    """Return the edits that format a text; none where words would run into each other."""
    pieces = cut(text)
    if not pieces:
        return ()
    edits = tuple(_edits(text, pieces, style))
    after = edited(text, edits)
    if _words(text, pieces) != _words(after, cut(after)):
        return ()
    return edits


def _words(text: str, pieces: Sequence[Piece]) -> list[str]:
    return [text[piece.span.start : piece.span.end] for piece in pieces]


@dataclass(frozen=True, slots=True)
class _Line:
    """Hold the first and the last piece of a line (inclusive), and its indentation in columns."""

    first: int
    last: int
    indent: int


def _edits(text: str, pieces: Sequence[Piece], style: Layout) -> list[TextEdit]:
    gaps = _gaps(text, pieces)
    lines = _lines(gaps, len(pieces), style)
    indents = _indents(lines, pieces, style)
    columns = _comment_columns(text, pieces, gaps, tuple(zip(lines, indents, strict=True)))
    starts = {line.first: indent for line, indent in zip(lines, indents, strict=True)}
    edits: list[TextEdit] = []
    for index, (gap, at) in enumerate(gaps):
        if not _is_plain(gap):
            continue
        if index in starts or index == len(pieces):
            ending = "" if index == len(pieces) else style.indentation(starts[index])
            edits += _break_edits(gap, at, ending, index in {0, len(pieces)})
            continue
        wanted = columns.get(index)
        new = _between(gap, pieces[index]) if wanted is None else " " * wanted
        if new != gap:
            edits.append(TextEdit(Span(at, at + len(gap)), new))
    if "\n" not in gaps[-1][0] and _is_plain(gaps[-1][0]):
        edits.append(TextEdit(Span(len(text), len(text)), "\r\n" if "\r\n" in text else "\n"))
    return edits


def _gaps(text: str, pieces: Sequence[Piece]) -> list[tuple[str, int]]:
    """Return the text before each piece and after the last, with its offset."""
    found = []
    last = 0
    for piece in pieces:
        found.append((text[last : piece.span.start], last))
        last = piece.span.end
    found.append((text[last:], last))
    return found


def _is_plain(gap: str) -> bool:
    return not gap.replace("\r\n", "\n").strip(" \t\n")


def _lines(gaps: list[tuple[str, int]], count: int, style: Layout) -> list[_Line]:
    # A gap that is not plain is left as it is, so no line that could be indented begins there.
    begins = [i for i in range(count) if i == 0 or ("\n" in gaps[i][0] and _is_plain(gaps[i][0]))]
    ends = [*(i - 1 for i in begins[1:]), count - 1]
    found = []
    for first, last in zip(begins, ends, strict=True):
        leading = gaps[first][0].rpartition("\n")[2] if _is_plain(gaps[first][0]) else ""
        found.append(_Line(first, last, len(leading.expandtabs(style.width))))
    return found


def _indents(lines: list[_Line], pieces: Sequence[Piece], style: Layout) -> list[int]:
    """Return the new indentation of every line, in columns."""
    indents = [line.indent for line in lines]
    index = 0
    base = shift = 0
    while index < len(lines):
        piece = pieces[lines[index].first]
        if piece.level is not None:
            indents[index] = piece.level * style.width
            index += 1
        else:
            index = _go_on(lines, pieces, indents, (index, base, shift, style.width))
        # Continuation lines move with the line in which their statement begins.
        base, shift = indents[index - 1], indents[index - 1] - lines[index - 1].indent
        if index < len(lines) and pieces[lines[index].first].level is None:
            began = _beginning(lines, pieces, index)
            base, shift = indents[began], indents[began] - lines[began].indent
    return indents


def _beginning(lines: list[_Line], pieces: Sequence[Piece], index: int) -> int:
    """Return the index of the line in which the statement of a continuation line begins."""
    for line in range(index - 1, -1, -1):
        if any(pieces[i].level is not None for i in range(lines[line].first, lines[line].last + 1)):
            return line
    return 0


def _go_on(
    lines: list[_Line],
    pieces: Sequence[Piece],
    indents: list[int],
    where: tuple[int, int, int, int],
) -> int:
    """Indent the continuation lines of a statement by one shift; return the index after them."""
    first, base, shift, width = where
    last = first
    while last < len(lines) and pieces[lines[last].first].level is None:
        last += 1
        inner = range(lines[last - 1].first, lines[last - 1].last + 1)
        if any(pieces[i].level is not None for i in inner):
            break
    more = 0
    for line in lines[first:last]:
        least = base if pieces[line.first].closes else base + width
        more = max(more, least - (line.indent + shift))
    for index in range(first, last):
        indents[index] = lines[index].indent + shift + more
    return last


def _between(gap: str, piece: Piece) -> str:
    if piece.gap is Spacing.KEPT:
        return " " if gap else ""
    return " " if piece.gap is Spacing.ONE else ""


def _break_edits(gap: str, at: int, ending: str, at_edge: bool) -> list[TextEdit]:
    """Return the edits of a gap with line breaks, separate ones for each line."""
    newline = "\r\n" if "\r\n" in gap else "\n"
    before, broken, _ = gap.partition("\n")
    if not broken:  # the beginning of the text, or its end without a line break
        return [TextEdit(Span(at, at + len(gap)), ending)] if gap != ending else []
    before = before.removesuffix("\r")
    blank, _, indent = gap.rpartition("\n")
    found = []
    if before:
        found.append(TextEdit(Span(at, at + len(before)), ""))
    middle = Span(at + len(before), at + len(blank) + 1)
    breaks = 1 if at_edge else min(2, gap.count("\n"))
    if at_edge and at == 0:
        breaks = 0
    new = newline * breaks
    if gap[middle.start - at : middle.end - at] != new:
        found.append(TextEdit(middle, new))
    if indent != ending:
        found.append(TextEdit(Span(at + len(blank) + 1, at + len(gap)), ending))
    return found


def _comment_columns(
    text: str,
    pieces: Sequence[Piece],
    gaps: list[tuple[str, int]],
    placed: tuple[tuple[_Line, int], ...],
) -> dict[int, int]:
    """Return the spaces before each comment after code; adjacent lines are aligned."""
    found: dict[int, int] = {}
    run: list[tuple[int, int]] = []  # comment, width of the code before it

    def align() -> None:
        widest = max((width for _, width in run), default=0)
        found.update({comment: widest + 1 - width for comment, width in run})
        run.clear()

    for line, indent in placed:
        last = pieces[line.last]
        if "\n" in gaps[line.first][0].partition("\n")[2]:
            align()
        if not (last.is_comment and line.last > line.first):
            align()
            continue
        width = indent
        for i in range(line.first, line.last):
            word = text[pieces[i].span.start : pieces[i].span.end]
            gap = "" if i == line.first else _between(gaps[i][0], pieces[i])
            width = len(word.rpartition("\n")[2]) + (0 if "\n" in word else width + len(gap))
        run.append((line.last, width))
    align()
    return found
