"""The semantic tokens of a text as the protocol encodes them, and their update after edits.

Each token is five numbers, its place relative to the token before it. So an edit changes the
numbers of the lines it touches and of the token after them; only those are recomputed.
"""

from __future__ import annotations

from array import array
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from typing import Final, TypeAlias

from mutproof.base.giving_way import give_way
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide import semantic_tokens
from mutproof.ide.names import Names
from mutproof.ide.semantic_tokens import PlacedToken
from mutproof.lsp import convert
from mutproof.lsp.convert import Encoding
from mutproof.lsp.regions import Regions
from mutproof.model.provenance import Provenance
from mutproof.workspace.snapshot import Migration

TOKEN_KINDS: Final = [kind.value for kind in semantic_tokens.TokenKind]
MODIFIERS: Final = [modifier.value for modifier in semantic_tokens.Modifier]
SIZE: Final = 5
"""Numbers for each token: lines and characters after the one before, length, kind, modifiers."""

# Keyed by identity, as hashing members of Enum is slow.
_KINDS: Final = {id(kind): number for number, kind in enumerate(semantic_tokens.TokenKind)}
_BITS: Final = {kind: 1 << number for number, kind in enumerate(semantic_tokens.Modifier)}

Data: TypeAlias = "array[int]"


@dataclass(frozen=True, slots=True)
class Colours:
    """Hold the tokens of one version of a text; `starts` are their 0-based offsets.

    `data` encodes them for that text; `lines` and `columns` are where they stand there.
    """

    source: SourceText
    encoding: Encoding
    marks: tuple[PlacedToken, ...]
    starts: Data
    lines: Data
    columns: Data
    data: Data


def colours(
    names: Names, provenance: Provenance, source: SourceText, encoding: Encoding
) -> Colours:
    """Return the colours of a version of a text."""
    kept: list[PlacedToken] = []
    starts, lines, columns, data = array("I"), array("I"), array("I"), array("I")
    line_starts, content = source.line_starts, source.content
    is_plain = content.isascii()
    ends = (*line_starts[1:], len(content) + 1)
    meanings: dict[int, int] = {}
    line = column = here = 0
    for mark in semantic_tokens.marks(names, provenance):
        give_way()
        start, end = mark.start, mark.end
        while ends[here] <= start:
            here += 1
        begin = line_starts[here]
        if end >= ends[here]:
            continue  # tokens of the protocol end at the end of a line
        at = start - begin if is_plain else convert.units(content[begin:start], encoding)
        length = end - start if is_plain else convert.units(content[start:end], encoding)
        kept.append(mark)
        starts.append(start)
        lines.append(here)
        columns.append(at)
        # Keyed by identity: there are few tuples of modifiers, all shared.
        bits = meanings.get(id(mark.modifiers))
        if bits is None:
            bits = meanings[id(mark.modifiers)] = _bits(mark)
        delta = at - column if here == line else at
        data.extend((here - line, delta, length, _KINDS[id(mark.kind)], bits))
        line, column = here, at
    return Colours(source, encoding, tuple(kept), starts, lines, columns, data)


def moved(found: Colours, source: SourceText, migration: Migration) -> Data:
    """Return the tokens encoded for a later text; text being typed has none yet."""
    if not migration.edits:
        return found.data
    data = array("I")
    line = column = 0  # place of the last token, in the later text
    shift = 0  # of the lines of the next tokens
    begin = 0  # index of the next token
    for region in Regions(found.source, source, migration).regions:
        first = max(begin, bisect_left(found.lines, region.first))
        behind = max(first, bisect_right(found.lines, region.last))
        if first > begin:
            line, column = _copy(found, data, begin, first, place=(line, column), shift=shift)
        for mark in found.marks[first:behind]:
            span = migration.span(Span(mark.start, mark.end))
            here, at = convert.place(source, span.start, found.encoding)
            last, end = convert.place(source, span.end, found.encoding)
            if span.start >= span.end or here != last or (here, at) < (line, column):
                continue  # its text is being changed
            delta = at - column if here == line else at
            data.extend((here - line, delta, end - at, _KINDS[id(mark.kind)], _bits(mark)))
            line, column = here, at
        begin, shift = behind, region.shift
    _copy(found, data, begin, len(found.marks), place=(line, column), shift=shift)
    return data


def difference(old: Data, new: Data) -> tuple[int, int, Data]:
    """Return the edit between two encodings: start, number of deleted numbers, inserted ones."""
    width, left, right = old.itemsize, old.tobytes(), new.tobytes()
    most = min(len(left), len(right))
    start = _common(left, right, most) // width
    end = _common(left, right, most - start * width, at_end=True) // width
    return start, len(old) - start - end, new[start : len(new) - end]


def written(data: Iterable[int]) -> str:
    """Return numbers as a JSON list."""
    return f"[{','.join(map(str, data))}]"


def _bits(mark: PlacedToken) -> int:
    return sum(_BITS[modifier] for modifier in mark.modifiers)


def _copy(
    found: Colours, data: Data, begin: int, behind: int, *, place: tuple[int, int], shift: int
) -> tuple[int, int]:
    """Copy tokens, the first one relative to `place`; return the place of the last one."""
    if begin >= behind:
        return place
    line, column = found.lines[begin] + shift, found.columns[begin]
    delta = line - place[0]
    data.append(delta)
    data.append(column if delta else column - place[1])
    data.extend(found.data[SIZE * begin + 2 : SIZE * behind])
    return found.lines[behind - 1] + shift, found.columns[behind - 1]


def _common(left: bytes, right: bytes, most: int, *, at_end: bool = False) -> int:
    """Return the length of the common prefix, or suffix (`at_end`), of two values."""
    low, high = 0, most
    while low < high:
        middle = (low + high + 1) // 2
        if at_end:
            one = left[len(left) - middle : len(left) - low]
            is_same = one == right[len(right) - middle : len(right) - low]
        else:
            is_same = left[low:middle] == right[low:middle]
        if is_same:
            low = middle
        else:
            high = middle - 1
    return low
