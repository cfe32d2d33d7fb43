"""Where declarations begin and end: one pass over a file that looks at few tokens only.

Section keywords are reserved and occur nowhere else, and `:=` never occurs in a case, so a broken
declaration cannot swallow the ones after it.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from enum import Enum
from itertools import count

from mutproof.base.giving_way import STEPS, give_way
from mutproof.base.record import dataclass


class ChunkKind(Enum):
    """Say by which rule of the grammar a piece of text is read."""

    HEADER = "header"
    VARIABLE = "VAR"
    INPUT = "IVAR"
    FROZEN = "FROZENVAR"
    DEFINE = "define"
    CONSTANTS = "constants"
    ASSIGNMENT = "assignment"
    CONSTRAINT = "constraint"
    COMPASSION = "compassion"
    SPECIFICATION = "specification"
    PSL = "psl"
    COMPUTE = "compute"
    INCLUSION = "inclusion"
    STRAY = "stray"  # belongs to no declaration
    FUNCTION = "FUN"
    DIRECTIVE = "directive"
    COMMENT = "comment"  # not terminated


@dataclass(frozen=True, slots=True)
class Chunk:
    """Hold the extent of one declaration, offsets absolute."""

    kind: ChunkKind
    start: int
    end: int


_LISTS = {
    "VAR": ChunkKind.VARIABLE,
    "IVAR": ChunkKind.INPUT,
    "FROZENVAR": ChunkKind.FROZEN,
    "DEFINE": ChunkKind.DEFINE,
    "MDEFINE": ChunkKind.DEFINE,
    "CONSTANTS": ChunkKind.CONSTANTS,
    "ASSIGN": ChunkKind.ASSIGNMENT,
    "FUN": ChunkKind.FUNCTION,
}
_SINGLES = {
    "MODULE": ChunkKind.HEADER,
    **dict.fromkeys(("INIT", "TRANS", "INVAR", "FAIRNESS", "JUSTICE"), ChunkKind.CONSTRAINT),
    "COMPASSION": ChunkKind.COMPASSION,
    **dict.fromkeys(("SPEC", "CTLSPEC", "LTLSPEC", "INVARSPEC"), ChunkKind.SPECIFICATION),
    "PSLSPEC": ChunkKind.PSL,
    "COMPUTE": ChunkKind.COMPUTE,
    "ISA": ChunkKind.INCLUSION,
}
SECTIONS = (*_LISTS, *_SINGLES)
"""The words that begin declarations."""

_STRAY = frozenset(
    {"CONSTRAINT", "ITYPE", "SIMPWFF", "NEXTWFF", "CTLWFF", "LTLWFF", "COMPWFF", "COMPID"}
)
_TOKEN = re.compile(
    r"""--[^\n]*|/--.*?(?:--/|\Z)|"[^"\n]*"|[A-Za-z_][A-Za-z0-9_$\#-]*|:=|[;{}]|[ \t\r\n\f]+
    |[^\sA-Za-z_"/:;{}-]+(?:[ \t]+[^\sA-Za-z_"/:;{}-]+)*|.""",
    re.VERBOSE | re.DOTALL,
)
_DIRECTIVE = re.compile(r"^#[^\n]*", re.MULTILINE)
_LINE_MARKER = re.compile(r"#[ \t]*[0-9]+[^\n]*")


class _Scanner:
    """Hold the open chunk; mutable, single use."""

    def __init__(self) -> None:
        self.kind = ChunkKind.STRAY
        self.list_kind: ChunkKind | None = None
        self.start = -1
        self.end = 0
        self.cases = 0
        self.braces = 0
        self.semicolon = -1  # end of the last `;` inside an open case

    def open(self, kind: ChunkKind, start: int) -> None:
        self.kind, self.start = kind, start
        self.cases = self.braces = 0
        self.semicolon = -1

    def close(self) -> Iterator[Chunk]:
        if self.start >= 0:
            yield Chunk(self.kind, self.start, self.end)
        self.start = -1


def chunks(text: str) -> Iterator[Chunk]:
    """Yield the chunks of a text in order; they leave out only blanks and comments."""
    directives = {m.start(): m.group() for m in _DIRECTIVE.finditer(text)}
    scanner = _Scanner()
    position = 0
    for number in count():  # number of the token
        if position >= len(text):
            break
        if not number % STEPS:
            give_way()
        match = _TOKEN.match(text, position)
        assert match is not None
        start, position = match.span()
        word = match.group()
        if start in directives and word.startswith("#"):
            position = start + len(directives[start])
            if not _LINE_MARKER.match(directives[start]):
                yield Chunk(ChunkKind.DIRECTIVE, start, position)
            continue
        if word[0].isspace() or word.startswith(("--", "/--")):
            if word.startswith("/--") and (len(word) < 6 or not word.endswith("--/")):
                yield Chunk(ChunkKind.COMMENT, start, position)
            continue
        yield from _step(scanner, word, start, position)
    yield from scanner.close()


def _step(scanner: _Scanner, word: str, start: int, end: int) -> Iterator[Chunk]:
    if word in _LISTS or word in _SINGLES or word in _STRAY:
        yield from scanner.close()
        scanner.list_kind = _LISTS.get(word)
        if scanner.list_kind is None:
            scanner.open(_SINGLES.get(word, ChunkKind.STRAY), start)
            scanner.end = end
        return
    if scanner.start < 0:
        scanner.open(scanner.list_kind or ChunkKind.STRAY, start)
    if word == "case":
        scanner.cases += 1
    elif word == "esac":
        scanner.cases -= 1
    elif word == ":=" and scanner.cases > 0 and scanner.semicolon >= 0:
        # Without `esac`, the broken declaration ends after its last branch.
        cut = scanner.semicolon
        yield Chunk(scanner.kind, scanner.start, cut)
        scanner.open(scanner.kind, cut)
    elif word == "{" and scanner.kind is ChunkKind.PSL:
        scanner.braces += 1
    elif word == "}" and scanner.kind is ChunkKind.PSL:
        scanner.braces -= 1
    elif word == ";":
        if scanner.cases > 0:
            scanner.semicolon = end
        elif scanner.braces <= 0:
            scanner.end = end
            yield from scanner.close()
            return
    scanner.end = end
