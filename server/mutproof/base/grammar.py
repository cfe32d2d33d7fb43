"""Grammars in files and the parsers made of them: the only module that knows lark.

A language brings its own lexer: a parser reads tokens, not text. Rules of the grammar call the
methods of a builder, so no tree stands between the parser and the language's own.
"""

from __future__ import annotations

import contextlib
import marshal
import sys
from collections.abc import Iterable, Iterator
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, cast

import lark
from lark.grammar import Rule
from lark.lexer import Lexer, TerminalDef

from mutproof.base import store
from mutproof.base.digest import digest_parts
from mutproof.base.giving_way import by_steps
from mutproof.base.store import Store


class _Token(NamedTuple):
    type: str
    text: str
    start: int
    end: int


class Terminal(_Token):
    """Hold a terminal of a grammar and where it stands: 0-based offsets, end exclusive."""

    __slots__ = ()

    # lark copies these from the last token to its mark of the end of the input.
    start_pos = line = column = end_line = end_column = end_pos = None


class UnexpectedTokenError(Exception):
    """Tell which token fits no rule, None for the end of the input, and what would have fitted."""

    def __init__(self, token: Terminal | None, expected: frozenset[str]) -> None:
        super().__init__(token, expected)
        self.token = token
        self.expected = expected


class _Tokens(Lexer):
    """Hand lark the tokens it is given."""

    __future_interface__ = 1

    def __init__(self, lexer_conf: object) -> None:
        pass

    def lex(self, lexer_state: Any, parser_state: Any) -> Iterator[Any]:  # noqa: ARG002
        return by_steps(lexer_state.text)


class Grammar:
    """Parse runs of tokens with the rules of one grammar.

    Its tables take long to build, so they are kept on disk, where there is a place for that.
    """

    def __init__(self, text: str, *, start: Iterable[str], builder: object) -> None:
        self._lark = _parser(text, list(start), builder)

    def parse(self, start: str, tokens: Iterable[Terminal]) -> Any:
        """Return what the builder makes of the tokens.

        Raises:
            UnexpectedTokenError: they fit no rule.
        """
        try:
            return self._lark.parse(cast("Any", tokens), start)
        except lark.exceptions.UnexpectedToken as problem:
            token = problem.token
            found = token if isinstance(token, Terminal) else None
            raise UnexpectedTokenError(
                found, frozenset(problem.accepts or problem.expected)
            ) from None


def _parser(text: str, start: list[str], builder: object) -> lark.Lark:
    """Return a parser with tables that were kept, or with new ones, which are kept then."""
    folder = store.default_folder()
    key = digest_parts("grammar", text, *start)
    tables = None if folder is None else Store(folder, made_by=_MAKER)
    kept = None if tables is None else tables.get(key)
    if kept is not None:
        # The seal says that they are whole; should lark not take them, they are built.
        with contextlib.suppress(Exception):
            return _loaded(kept, builder)
    parser = lark.Lark(
        text, lexer=_Tokens, start=start, transformer=cast("Any", builder), **_OPTIONS
    )
    if tables is not None:
        with contextlib.suppress(ValueError):  # another lark has what cannot be written
            tables.put(key, _written(parser))
    return parser


_OPTIONS: dict[str, Any] = {"parser": "lalr", "maybe_placeholders": True}
_FORMAT = 1
_MAKER = digest_parts("tables", str(_FORMAT), lark.__version__, sys.version, repr(_OPTIONS))


def _written(parser: lark.Lark) -> bytes:
    """Return tables as plain values: to read them back runs nothing, whoever wrote them.

    Raises:
        ValueError: there is something else in them.
    """
    data, memo = parser.memo_serialize([TerminalDef, Rule])
    data["options"] = {
        n: v for n, v in data["options"].items() if n not in {"lexer", "transformer"}
    }
    del data["parser"]["lexer_conf"]["lexer_type"]
    return marshal.dumps((data, memo))


def _loaded(written: bytes, builder: object) -> lark.Lark:
    data, memo = marshal.loads(written)
    data["options"]["lexer"] = data["parser"]["lexer_conf"]["lexer_type"] = _Tokens
    empty = lark.Lark.__new__(lark.Lark)
    return empty._load({"data": data, "memo": memo}, transformer=builder)  # noqa: SLF001


def load_text(file_name: str) -> str:
    """Return the text of a grammar file: of the installed package, or of the source tree.

    Raises:
        FileNotFoundError: there is no such grammar.
    """
    packaged = files("mutproof").joinpath("grammars", file_name)
    if packaged.is_file():
        return packaged.read_text(encoding="utf-8")
    return (Path(__file__).parents[3] / "grammars" / file_name).read_text(encoding="utf-8")
