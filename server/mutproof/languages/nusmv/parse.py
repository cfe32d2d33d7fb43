"""From a text to its tree: chunk by chunk, each chunk read once for each different content.

Keeps, per process, the parser's tables and the most recently read chunks.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import field, replace
from functools import cache, partial

from mutproof.base import grammar
from mutproof.base.diagnostics import Diagnostic, Fix, told_once
from mutproof.base.giving_way import give_way
from mutproof.base.grammar import Grammar, Terminal, UnexpectedTokenError
from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.languages.nusmv import errors, kinds, lexing, meant
from mutproof.languages.nusmv.build import Builder
from mutproof.languages.nusmv.chunks import ChunkKind, chunks
from mutproof.languages.nusmv.syntax import (
    Declaration,
    File,
    Item,
    Module,
    ModuleHeader,
    ParsedChunk,
    Storage,
)
from mutproof.model.language import Parsed

MOST_ERRORS = 100
STOP_AFTER_ERRORS = 1000

_IDENTIFIER = re.compile(r"[A-Za-z_][A-Za-z0-9_$#-]*")
_START = {
    ChunkKind.HEADER: "header",
    ChunkKind.VARIABLE: "variable",
    ChunkKind.INPUT: "variable",
    ChunkKind.FROZEN: "variable",
    ChunkKind.DEFINE: "define",
    ChunkKind.CONSTANTS: "constants",
    ChunkKind.ASSIGNMENT: "assignment",
    ChunkKind.CONSTRAINT: "constraint",
    ChunkKind.COMPASSION: "compassion",
    ChunkKind.SPECIFICATION: "specification",
    ChunkKind.PSL: "specification",
    ChunkKind.COMPUTE: "compute",
    ChunkKind.INCLUSION: "inclusion",
}
STARTS = (*sorted({*_START.values(), "expression"}),)
"""The rules of the grammar by which chunks are read."""

_STORAGE = {
    ChunkKind.VARIABLE: Storage.STATE,
    ChunkKind.INPUT: Storage.INPUT,
    ChunkKind.FROZEN: Storage.FROZEN,
}
_DECLARING = frozenset({*_STORAGE, ChunkKind.HEADER, ChunkKind.DEFINE, ChunkKind.CONSTANTS})
_FOLLOWING = frozenset({"syntax-error", errors.RESERVED_WORD})
"""What uses of a reserved word lead to that is declared as a name."""

_STATED = frozenset({ChunkKind.SPECIFICATION, ChunkKind.PSL, ChunkKind.COMPUTE})
_EXPECTED = {
    "SEMICOLON": "`;`",
    "BECOMES": "`:=`",
    "COLON": "`:`",
    "RPAR": "`)`",
    "RSQB": "`]`",
    "L_ESAC": "`esac` or another branch",
}


@dataclass(frozen=True, slots=True)
class NusmvReader:
    """Hold the grammar with its builder, which is reset before each use."""

    builder: Builder
    grammar: Grammar


@cache
def nusmv_reader() -> NusmvReader:
    """Return the reader of chunks; its tables are read on the first call."""
    builder = Builder()
    return NusmvReader(builder, grammar.load("nusmv", start=STARTS, builder=builder))


_chunks: Memo[ParsedChunk] = Memo(20_000)


def parse(source: SourceText) -> Parsed:
    """Return the tree of a text and its syntax errors; each declaration fails on its own."""
    text = source.content
    found: list[Diagnostic] = []
    modules: list[Module] = []
    current: _OpenModule | None = None
    orphaned = broken = False
    doubtful: set[str] = set()
    declared: list[Span] = []  # reserved words
    for chunk in chunks(text):
        give_way()
        if len(found) >= STOP_AFTER_ERRORS:
            broken = True
            break
        content = text[chunk.start : chunk.end]
        read = _chunks.get((chunk.kind, content), partial(_read, chunk.kind, content))
        found.extend(problem.shifted(chunk.start) for problem in read.diagnostics)
        declaration = read.declaration
        if declaration is None and chunk.kind not in _STATED:
            if chunk.kind in _DECLARING:
                doubtful.update(_IDENTIFIER.findall(content))
                declared += [
                    problem.span.shifted(chunk.start)
                    for problem in read.diagnostics
                    if problem.code == errors.RESERVED_WORD
                ]
            broken = broken or current is None or chunk.kind is ChunkKind.HEADER
            if current is not None:
                current.broken = True
        if chunk.kind is ChunkKind.HEADER:
            if current is not None:
                modules.append(current.closed())
            header = declaration if isinstance(declaration, ModuleHeader) else None
            current = None if header is None else _OpenModule(chunk.start, chunk.end, header)
            orphaned = header is None
        elif current is not None:
            current.end = chunk.end
            if declaration is not None and not isinstance(declaration, ModuleHeader):
                current.items.append(Item(chunk.start, content, declaration))
        elif not orphaned and chunk.kind not in {
            ChunkKind.STRAY,
            ChunkKind.DIRECTIVE,
            ChunkKind.COMMENT,
        }:
            found.append(
                errors.syntax_error(
                    "this declaration", Span(chunk.start, chunk.end), "`MODULE` before it"
                )
            )
            orphaned = broken = True
    if current is not None:
        modules.append(current.closed())
    found = told_once(text, found, _FOLLOWING, declared)
    if len(found) > MOST_ERRORS:
        rest = len(found) - MOST_ERRORS
        found = [*found[:MOST_ERRORS], errors.too_many(rest, found[MOST_ERRORS].span)]
    return Parsed(source, File(tuple(modules), broken, frozenset(doubtful)), tuple(found))


@dataclass(slots=True)
class _OpenModule:
    base: int
    end: int
    header: ModuleHeader
    items: list[Item] = field(default_factory=list)
    broken: bool = False

    def closed(self) -> Module:
        return Module(self.base, self.end, self.header, tuple(self.items), self.broken)


def _read(kind: ChunkKind, text: str) -> ParsedChunk:
    whole = Span(0, len(text))
    if kind is ChunkKind.DIRECTIVE:
        return ParsedChunk(None, (errors.directive(whole),))
    if kind is ChunkKind.COMMENT:
        return ParsedChunk(None, (errors.unterminated_comment(Span(0, 3)),))
    if kind is ChunkKind.FUNCTION:
        return ParsedChunk(
            None,
            (errors.unsupported("uninterpreted functions are", whole, "use a variable"),),
        )
    lexed = lexing.lex(text, psl=kind is ChunkKind.PSL)
    if lexed.diagnostics:
        return ParsedChunk(None, lexed.diagnostics)
    if kind is ChunkKind.STRAY:
        first = lexed.tokens[0] if lexed.tokens else None
        place = whole if first is None else Span(first.start, first.end)
        shown, section = text[place.start : place.end], "a section keyword, such as VAR"
        advice = meant.advice(kind, lexed.tokens, 0, frozenset()) if lexed.tokens else ""
        return ParsedChunk(None, (errors.syntax_error(f"{shown!r}", place, section, advice),))
    reader = nusmv_reader()
    reader.builder.problems = []
    reader.builder.psl = kind is ChunkKind.PSL
    reader.builder.storage = _STORAGE.get(kind, Storage.STATE)
    try:
        declaration: Declaration | ModuleHeader = reader.grammar.parse(_START[kind], lexed.tokens)
    except UnexpectedTokenError as problem:
        return ParsedChunk(None, (_syntax_error(kind, text, lexed.tokens, problem),))
    first_problem = min(reader.builder.problems, key=lambda p: p.span, default=None)
    misplaced = first_problem or kinds.check(declaration)
    if misplaced is not None:
        glued = meant.glued(lexed.tokens, misplaced.span)
        return ParsedChunk(None, (replace(misplaced, help=glued or misplaced.help),))
    return ParsedChunk(declaration, ())


def _syntax_error(
    kind: ChunkKind, text: str, tokens: Sequence[Terminal], problem: UnexpectedTokenError
) -> Diagnostic:
    """Return the error for a token that fits no rule, or for the end of the chunk.

    What is missing at the end of a line, or of the chunk, is missing behind the token before.
    """
    wanted, token = _expected(problem.expected), problem.token
    at = len(tokens)
    if token is not None and token.type != "$END":
        at = next(n for n, one in enumerate(tokens) if one.start >= token.start)
    at = meant.equation(kind, tokens, at, problem.expected)
    end = tokens[at - 1].end if at else 1
    is_due = wanted == _EXPECTED["SEMICOLON"]
    inserted = (Fix(Span(end, end), ";"),) if is_due else ()
    if at == len(tokens):
        return replace(errors.missing(Span(end - 1, end), wanted), fixes=inserted)
    advice = meant.advice(kind, tokens, at, problem.expected)
    if not advice and (word := meant.reserved(tokens, at, problem.expected)) is not None:
        return errors.reserved_word(word.text, Span(word.start, word.end))
    if is_due and not advice and "\n" in text[end : tokens[at].start]:
        return replace(errors.missing(Span(end - 1, end), wanted), fixes=inserted)
    fix = meant.correction(tokens, at, problem.expected)
    shown = "end of file" if not tokens[at].text else repr(tokens[at].text)
    error = errors.syntax_error(shown, Span(tokens[at].start, tokens[at].end), wanted, advice)
    if is_due and not advice:
        return replace(error, fixes=inserted)
    return replace(error, fixes=() if fix is None else (fix,))


def _expected(names: frozenset[str]) -> str:
    known = [shown for name, shown in _EXPECTED.items() if name in names]
    if "IDENTIFIER" in names and "LPAR" in names:
        known.append("an expression")
    elif "IDENTIFIER" in names:
        known.append("a name")
    return " or ".join(known)
