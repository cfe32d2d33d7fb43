"""Grammars in files and the parsers made of them: the only module that knows lark.

A language brings its own lexer: a parser reads tokens, not text. Rules of the grammar call the
methods of a builder, so no tree stands between the parser and the language's own. Lark makes the
tables; `base.lalr` parses with them.
"""

from __future__ import annotations

import contextlib
import pkgutil
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from mutproof.base.digest import digest_parts
from mutproof.base.giving_way import by_steps
from mutproof.base.lalr import Parser, RuleRow, Tables, UnfittingError


class _Token(NamedTuple):
    type: str
    text: str
    start: int
    end: int


class Terminal(_Token):
    """Hold a terminal of a grammar and where it stands: 0-based offsets, end exclusive."""

    __slots__ = ()


class UnexpectedTokenError(Exception):
    """Tell which token fits no rule, None for the end of the input, and what would have fitted."""

    def __init__(self, token: Terminal | None, expected: frozenset[str]) -> None:
        super().__init__(token, expected)
        self.token = token
        self.expected = expected


class Grammar:
    """Parse runs of tokens with the rules of one grammar.

    Its tables take long to build; `made` has the text of such that were built before.
    """

    def __init__(
        self, text: str, *, start: Iterable[str], builder: object, made: str | None = None
    ) -> None:
        self._parser = Parser(_tables(text, list(start), made), builder)

    def parse(self, start: str, tokens: Iterable[Terminal]) -> Any:
        """Return what the builder makes of the tokens.

        Raises:
            UnexpectedTokenError: they fit no rule.
        """
        try:
            return self._parser.parse(start, by_steps(tokens))
        except UnfittingError as problem:
            raise UnexpectedTokenError(problem.token, problem.accepted) from None


def load(name: str, *, start: Iterable[str], builder: object) -> Grammar:
    """Return the grammar of a file, with the tables in the file beside it if they are its own."""
    made = None
    with contextlib.suppress(OSError):
        made = load_text(f"{name}.tables")
    return Grammar(load_text(f"{name}.lark"), start=start, builder=builder, made=made)


def written_tables(text: str, start: Iterable[str]) -> str:
    """Return the text of the tables that are built for a grammar, to be read instead."""
    starts = list(start)
    return f"{_key(text, starts)}\n{_built(text, starts).written()}"


def _tables(text: str, start: list[str], made: str | None) -> Tables:
    """Return the tables of a grammar from a text that was written for it; else build them."""
    if made is not None:
        key, _, tables = made.partition("\n")
        if key == _key(text, start):
            return Tables.read(tables)
    return _built(text, start)


def _key(text: str, start: list[str]) -> str:
    return digest_parts("tables", str(_FORMAT), text, *start).hex()


_FORMAT = 3
"""Changes whenever other tables are made of the same grammar."""


def _built(text: str, start: list[str]) -> Tables:
    """Return the tables that Lark builds for a grammar."""
    import lark
    from lark.grammar import Rule
    from lark.lexer import Lexer, TerminalDef

    class Unused(Lexer):
        __future_interface__ = 1

        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: object, parser_state: object) -> Iterator[Any]:
            raise NotImplementedError

    made = lark.Lark(text, lexer=Unused, start=start, parser="lalr", maybe_placeholders=True)
    data, memo = made.memo_serialize([TerminalDef, Rule])
    table = data["parser"]["parser"]
    numbers = {key: place for place, key in enumerate(k for k in memo if "expansion" in memo[k])}
    symbols = table["tokens"]

    def entry(action: int, found: Any) -> int:
        return -1 - numbers[found["@"]] if action else int(found)

    states = {
        state: {symbols[symbol]: entry(*step) for symbol, step in row.items()}
        for state, row in table["states"].items()
    }
    starts = {name: (table["start_states"][name], table["end_states"][name]) for name in start}
    return Tables(tuple(_row(memo[key]) for key in numbers), states, starts)


def _row(rule: dict[str, Any]) -> RuleRow:
    """Return the part of a rule that parsing needs."""
    options, expansion = rule["options"], rule["expansion"]
    missing = options["empty_indices"] or [False] * len(expansion)
    before, kept, symbols = 0, [], iter(enumerate(expansion))
    for is_missing in missing:
        if is_missing:
            before += 1
            continue
        place, symbol = next(symbols)
        is_terminal = symbol["__type__"] == "Terminal"
        if options["keep_all_tokens"] or not (is_terminal and symbol["filter_out"]):
            inlined = not is_terminal and symbol["name"].startswith("_")
            kept.append((place, inlined, before))
            before = 0
    plain = [(place, False, 0) for place in range(len(expansion))]
    origin = rule["origin"]["name"]
    return (
        origin,
        len(expansion),
        rule["alias"] or options["template_source"] or origin,
        bool(options["expand1"]) and not rule["alias"],
        None if kept == plain and not before else tuple(kept),
        before,
    )


def load_text(file_name: str) -> str:
    """Return the text of a grammar file: of the installed package, or of the source tree.

    Raises:
        FileNotFoundError: there is no such grammar.
    """
    with contextlib.suppress(OSError):
        packaged = pkgutil.get_data("mutproof", f"grammars/{file_name}")
        assert packaged is not None
        return packaged.decode("utf-8")
    return (Path(__file__).parents[3] / "grammars" / file_name).read_text(encoding="utf-8")
