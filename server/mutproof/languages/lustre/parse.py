"""From text to tree: every chunk is parsed by itself and remembered by its text."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from functools import cache

from mutproof.base import grammar
from mutproof.base.diagnostics import Diagnostic, Fix, Severity, told_once
from mutproof.base.giving_way import give_way
from mutproof.base.grammar import Grammar, Terminal, UnexpectedTokenError
from mutproof.base.memo import Memo
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.languages.lustre import chunks, dialects, errors, lexing, meant
from mutproof.languages.lustre.builder import Builder, NumberTooLongError, TooDeepError
from mutproof.languages.lustre.syntax import (
    DEPTH_LIMIT,
    KEYWORDS,
    NESTING_LIMIT,
    Chunk,
    ChunkKind,
    FileTree,
    NodeTree,
    PlacedChunk,
    Tree,
)
from mutproof.model.language import Parsed

ERROR_LIMIT = 100
"""How many syntax errors of a file are reported before the rest is left unread."""

REMEMBERED_LENGTH = 200_000
"""Chunks longer than this many characters, which are not written by hand, are not kept."""

STARTS = tuple(kind.value for kind in ChunkKind if kind is not ChunkKind.STRAY)
"""The rules of the grammar by which chunks are read."""

_DECLARING = frozenset({ChunkKind.HEADER, ChunkKind.LOCALS, ChunkKind.FUNCTION})
_FOLLOWING = frozenset({"syntax", errors.RESERVED_WORD})
"""What uses of a reserved word lead to that is declared as a name."""

_chunks: Memo[Chunk] = Memo(100_000)


@cache
def lustre_grammar() -> Grammar:
    """Return the grammar of chunks; its tables are read on the first call."""
    return grammar.load("lustre", start=STARTS, builder=Builder())


def parse(source: SourceText) -> Parsed:
    """Return the tree of a text and what is wrong with its syntax."""
    reader = _Reader(source.content)
    declarations: list[PlacedChunk | NodeTree] = []
    found = list(chunks.split(source.content, reader.diagnostics))
    reader.names_have_parts = _names_have_parts(source.content, found)
    for declaration in found:
        if isinstance(declaration, chunks.RawNode):
            declarations.append(reader.node(declaration))
        else:
            placed = reader.declaration(declaration)
            reader.report(placed)
            declarations.append(placed)
        if reader.stopped_at is not None:
            break
    reader.forgive_open_comment()
    told = told_once(source.content, reader.diagnostics, _FOLLOWING, reader.declared)
    diagnostics = sorted(told, key=lambda found: (found.span.start, found.code))
    if reader.stopped_at is not None:
        diagnostics.append(errors.too_many_errors(reader.stopped_at, ERROR_LIMIT))
    return Parsed(source, FileTree(tuple(declarations)), tuple(diagnostics))


def _names_have_parts(text: str, found: list[chunks.RawChunk | chunks.RawNode]) -> bool:
    """Tell whether names may have dots and indices here, and some do.

    They may if a program is one node without arrays, types and constants.

    Source: JKind, Main.flattenOrCheck.
    """
    nodes = [one for one in found if isinstance(one, chunks.RawNode)]
    others = [one for one in found if isinstance(one, chunks.RawChunk)]
    if len(nodes) != 1 or any(one.kind is not ChunkKind.FUNCTION for one in others):
        return False
    declaring = [nodes[0].header, *nodes[0].locals, *others]
    texts = [text[start:end] for _, start, end in declaring]
    try:
        return any(
            lexing.declares_parts(lexing.with_parts(lexing.tokens(one)))
            for one in texts
            if "." in one or "[" in one
        ) and not any(
            lexing.declares_arrays(lexing.with_parts(lexing.tokens(one)))
            for one in texts
            if "[" in one
        )
    except lexing.NestingTooDeepError:
        return False


class _Reader:
    """Parse the chunks of one text and collect diagnostics.

    `declared` are the places of reserved words that are declared as names.
    """

    def __init__(self, text: str) -> None:
        self._text = text
        self._errors = 0
        self.diagnostics: list[Diagnostic] = []
        self.declared: list[Span] = []
        self.stopped_at: Span | None = None
        self.names_have_parts = False
        self._ours = dialects.declared(text)

    def node(self, raw: chunks.RawNode) -> NodeTree:
        header = self.chunk(raw.header)
        variables = tuple(self.chunk(chunk) for chunk in raw.locals)
        before, self._ours = self._ours, self._ours.union(*map(_words_of, (header, *variables)))
        statements = tuple(self.chunk(chunk) for chunk in raw.statements)
        self._ours = before
        parts = (header, *variables, *statements)
        foreign = any(
            found.code == "unsupported-dialect"
            for part in parts
            for found in part.chunk.diagnostics
        )
        for part in parts:
            # Other errors in a declaration with a foreign construct are consequences of it.
            self.report(part, only="unsupported-dialect" if foreign else None)
        if not raw.has_body and not header.chunk.diagnostics and self.stopped_at is None:
            name = getattr(header.chunk.tree, "name", None)
            if name is not None:
                self.diagnostics.append(
                    errors.missing_body(name.name, name.span.shifted(header.base))
                )
        return NodeTree(header, variables, statements, raw.whole, raw.has_body)

    def declaration(self, raw: chunks.RawChunk) -> PlacedChunk:
        placed = self.chunk(raw)
        self._ours |= _words_of(placed)
        return placed

    def chunk(self, raw: chunks.RawChunk) -> PlacedChunk:
        give_way()
        kind, start, end = raw
        if self.stopped_at is not None:
            return PlacedChunk(Chunk(kind, None, (), (), end - start), start)
        text = self._text[start:end]
        have, ours = self.names_have_parts, self._ours

        def new() -> Chunk:
            return parse_chunk(kind, text, names_have_parts=have, ours=ours)

        is_short = len(text) <= REMEMBERED_LENGTH
        found = _chunks.get((kind, text, have, ours), new) if is_short else new()
        if found.tree is None:
            self._errors += 1
            if self._errors > ERROR_LIMIT:
                self.stopped_at = Span(start, min(end, start + 1))
        return PlacedChunk(found, start)

    def forgive_open_comment(self) -> None:
        """Drop what an open comment swallowed: it is missing because of the comment."""
        cut = [d.span.start for d in self.diagnostics if d.code == "unterminated-comment"]
        if not cut:
            return
        kept = len(self._text[: cut[0]].rstrip())
        self.diagnostics = [
            found
            for found in self.diagnostics
            if found.code not in {"syntax", "missing-tel", "missing-let"} or found.span.end < kept
        ]

    def report(self, placed: PlacedChunk, only: str | None = None) -> None:
        for found in placed.chunk.diagnostics:
            if only is None or found.code == only or found.severity is not Severity.ERROR:
                self.diagnostics.append(found.shifted(placed.base))
                if found.code == errors.RESERVED_WORD and placed.chunk.kind in _DECLARING:
                    self.declared.append(found.span.shifted(placed.base))


def _words_of(placed: PlacedChunk) -> frozenset[str]:
    """Return the words of other dialects that a valid declaration mentions as names."""
    found = placed.chunk
    return dialects.words_among(found.mentions) if found.tree is not None else frozenset()


def parse_chunk(
    kind: ChunkKind,
    text: str,
    *,
    names_have_parts: bool = False,
    ours: frozenset[str] = frozenset(),
) -> Chunk:
    """Return the chunk that a text is; its offsets count from the beginning of the text.

    `ours` are declared names that are words of other dialects.
    """
    seen: list[Terminal] = []
    tokens = lexing.tokens(text)
    read = _recorded(lexing.with_parts(tokens) if names_have_parts else tokens, seen)
    tree: Tree | None = None
    problem: Diagnostic | None = None
    try:
        if kind is ChunkKind.STRAY:
            problem = _stray(text)
        else:
            tree = lustre_grammar().parse(kind.value, read)
    except UnexpectedTokenError as unexpected:
        index = len(seen) - 1
        with suppress(lexing.NestingTooDeepError):
            next(read, None)  # the next token may tell more about the error
        problem = _name_error(kind, seen, index) or _syntax_error(
            kind, seen, index, unexpected, ours=ours
        )
        if problem.code == "syntax" and not problem.fixes and "SEMICOLON" in unexpected.expected:
            end = seen[index - (unexpected.token is not None)].end
            if _is_whole(kind, f"{text[:end]};", names_have_parts=names_have_parts):
                if "\n" in text[end : problem.span.start]:
                    problem = errors.unexpected("", Span(end - 1, end), problem.help)
                problem = replace(problem, fixes=(Fix(Span(end, end), ";"),))
    except lexing.NestingTooDeepError as deep:
        problem = errors.nesting_too_deep(Span(deep.start, deep.start + 1), NESTING_LIMIT)
    except TooDeepError as deep:
        problem = errors.nesting_too_deep(Span(deep.start, deep.start + 1), DEPTH_LIMIT)
    except NumberTooLongError as number:
        problem = errors.number_too_long(number.span)
    mentions = tuple(sorted({token.text for token in seen if token.type == "ID"}))
    return Chunk(kind, tree, (problem,) if problem else (), mentions, len(text))


def _is_whole(kind: ChunkKind, text: str, *, names_have_parts: bool) -> bool:
    """Tell whether a text is a chunk without syntax errors."""
    unread = (UnexpectedTokenError, lexing.NestingTooDeepError, TooDeepError, NumberTooLongError)
    with suppress(*unread):
        tokens = lexing.tokens(text)
        read = lexing.with_parts(tokens) if names_have_parts else tokens
        lustre_grammar().parse(kind.value, read)
        return True
    return False


def _recorded(tokens: Iterator[Terminal], seen: list[Terminal]) -> Iterator[Terminal]:
    for token in tokens:
        seen.append(token)
        yield token


def _stray(text: str) -> Diagnostic | None:
    """Return the error for text outside declarations; None if it is only a semicolon."""
    beginning = []
    try:
        for token in lexing.tokens(text):
            beginning.append(token)
            if len(beginning) > 8:
                break
    except lexing.NestingTooDeepError:
        pass
    for index, token in enumerate(beginning):
        if token.type == "SEMICOLON":
            continue
        return dialects.foreign(beginning, index) or errors.stray_text(
            _shown(token.text), Span(token.start, token.end)
        )
    return None


def _name_error(kind: ChunkKind, seen: list[Terminal], index: int) -> Diagnostic | None:
    """Return the error for a name with dots or indices where it may have none; None for others."""
    if kind not in _DECLARING or not 0 < index < len(seen) or seen[index - 1].type != "ID":
        return None
    if seen[index].type not in {"DOT", "LBRACKET"}:
        return None
    return errors.name_with_parts(Span(seen[index - 1].start, seen[index].end))


def _syntax_error(
    kind: ChunkKind,
    seen: list[Terminal],
    index: int,
    problem: UnexpectedTokenError,
    *,
    ours: frozenset[str],
) -> Diagnostic:
    """Return the error for the token at `index`, or for the end of the chunk after it."""
    found_sign = meant.sign(seen, index, problem.expected) if problem.token else None
    if found_sign is not None:
        return found_sign
    foreign = dialects.foreign(seen, index, ours)
    if foreign is not None:
        return foreign
    advice = _expected(problem.expected)
    if problem.token is not None:
        found = problem.token
        before = seen[max(index - 1, 0)]
        if better := meant.advice(seen, index, problem.expected):
            return errors.unexpected(_shown(found.text), Span(found.start, found.end), better)
        for word in (found, before):
            if _is_name(kind, word, found, problem.expected):
                return errors.reserved_word(word.text, Span(word.start, word.end))
        return errors.unexpected(_shown(found.text), Span(found.start, found.end), advice)
    end = seen[-1].end if seen else 1
    return errors.unexpected("", Span(end - 1, end), advice)


def _is_name(kind: ChunkKind, word: Terminal, found: Terminal, expected: frozenset[str]) -> bool:
    """Tell whether a reserved word, at or before an unexpected token, was meant as a name.

    A word before it is one that needs an operand, and has none.
    """
    if word is found and kind in _DECLARING and word.text in _DECLARED_AS_NAMES:
        return "ID" in expected
    if word.text not in _LIKE_NAMES:
        return False
    if word is found:
        begins = "LPAR" not in expected or "PRAGMA_MAIN" in expected
        return "ID" in expected and (begins or word.text in _NO_OPERANDS)
    return "LPAR" in expected and found.type in _BEHIND_NAMES


def _shown(text: str) -> str:
    return text if len(text) <= 40 else text[:39] + "…"


_NO_OPERANDS = frozenset({"enum", "int", "of", "real", "struct", "subrange"})
_LIKE_NAMES = _NO_OPERANDS | {"condact", "div", "floor", "mod", "pre"}
"""Reserved words that are easily taken for names of variables."""

_DECLARED_AS_NAMES = frozenset(KEYWORDS) - {"returns", "var", "let", "tel"}
"""Reserved words that are declared as names where a name is expected in a declaration."""

_BEHIND_NAMES = frozenset(
    {"SEMICOLON", "COMMA", "RPAR", "RBRACKET", "BINARY", "EQUALS", "THEN", "ELSE", "COLON", "DOT"}
)
_OPERATOR = frozenset({"BINARY", "MINUS", "EQUALS"})
_OPERAND = frozenset({"PREFIX", "IF", "DECIMAL", "TRUTH", "CONDACT"})
_NAMES = {
    "ID": "a name",
    "INT": "a number",
    "DECIMAL": "a number",
    "SEMICOLON": "`;`",
    "COLON": "`:`",
    "COMMA": "`,`",
    "EQUALS": "`=`",
    "ASSIGN": "`:=`",
    "LPAR": "`(`",
    "RPAR": "`)`",
    "LBRACE": "`{`",
    "RBRACE": "`}`",
    "LBRACKET": "`[`",
    "RBRACKET": "`]`",
    "RETURNS": "`returns`",
    "THEN": "`then`",
    "ELSE": "`else`",
    "OF": "`of`",
    "INT_TYPE": "`int`",
    "ASSERT": "`assert`",
}


def _expected(terminals: frozenset[str]) -> str:
    """Return a sentence on the expected terminals."""
    if terminals >= _OPERAND:
        return "expected an expression"
    if "SUBRANGE" in terminals:
        return "expected a type"
    if "PRAGMA_MAIN" in terminals:
        return "expected an equation, `assert` or a `--%` pragma"
    words = []
    if terminals >= _OPERATOR:
        words.append("an operator")
        # Open brackets are not known here, so no closing one is listed.
        terminals -= {"ASSIGN", "LBRACE", "LBRACKET", "DOT", "LPAR", "EQUALS"}
        if "THEN" in terminals:
            return "expected an operator or the end of the expression"
    words.extend(_NAMES[name] for name in _NAMES if name in terminals)
    if len(words) > 4:
        words = words[:4]
    if not words:
        return ""
    listed = words[0] if len(words) == 1 else ", ".join(words[:-1]) + " or " + words[-1]
    return f"expected {listed}"
