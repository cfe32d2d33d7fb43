"""From terms to text that parses back to them, with as few parentheses as that takes.

A `_Context` describes the surroundings of a subterm, both for printing whole terms and for printing
replacements of parts.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final, NamedTuple, TypeAlias, cast
from weakref import WeakKeyDictionary

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.languages.lustre.syntax import (
    BINARY_OPERATORS,
    PREFIX_OPERATORS,
    RIGHT_ASSOCIATIVE,
)
from mutproof.model import constants
from mutproof.model.operators import Op
from mutproof.model.program import Element, ElementKind
from mutproof.model.sorts import RecordSort
from mutproof.model.terms import Path, Site, Term

_BINARY = {op: (text, level) for text, (op, level) in BINARY_OPERATORS.items()}
_PREFIX = {op: text for text, op in PREFIX_OPERATORS.items()}
_LOOSEST, _PREFIX_LEVEL, _POSTFIX_LEVEL, _ATOM = 0, 8, 9, 10

SHORT_PIECES: Final = 32
"""The most pieces of a subterm's text that is cached for other terms with it."""

SHORT_CHARACTERS: Final = 200
"""The longest text of a subterm that is cached."""


class _Context(NamedTuple):
    """Describe the text around a subterm.

    `level`: operators that bind looser need parentheses. `continued`: an operator follows, which
    an `if` would take in. `after_minus`: a minus precedes, and `--` begins a comment.
    `after_word`, `before_word`: a word precedes or follows, perhaps without space.
    """

    level: int = _LOOSEST
    continued: bool = False
    after_minus: bool = False
    after_word: bool = False
    before_word: bool = False


_FREE = _Context()


@dataclass(slots=True)
class _Spine:
    """Hold the subterms from the root of a body along a path, each with its context."""

    path: Path
    spots: list[tuple[Term, _Context]]


_spines: Memo[_Spine] = Memo(1)
_replaced: Memo[str] = Memo(1)

_Texts: TypeAlias = "WeakKeyDictionary[Term, dict[_Context, str]]"

_texts: _Texts = WeakKeyDictionary()
"""The cached texts of subterms in their contexts."""


def forget() -> None:
    """Clear the cache of texts."""
    _texts.clear()
    _spines.clear()
    _replaced.clear()


def print_term(term: Term) -> str:
    """Return a term as source text that parses back to it.

    A negative constant comes back as the negation of a positive one, and a rational without
    finite decimals as a quotient: Lustre has no literals for them.
    """
    return _print(term, _FREE)


def print_replacement(element: Element, path: Path, term: Term) -> str:
    """Return text that may stand at a path of the element, parenthesised if needed.

    Put at `Place.whole` of that path, it makes the element's body
    `terms.replaced(body, path, term)`. Where the source has neither space nor need for the
    parentheses around a neighbour, as in `(a)and b`, put it there `separated`.
    """
    current, context = _spot(element, path)
    text = _print(term, context)
    if context.after_word and _is_word(text[0]) and not _is_word(_replaced_text(current)[0]):
        text = " " + text
    if context.before_word and _is_word(text[-1]) and not _is_word(_replaced_text(current)[-1]):
        text += " "
    return text


def _replaced_text(term: Term) -> str:
    return _replaced.get(term, lambda: _print(term, _FREE))


def _spot(element: Element, path: Path) -> tuple[Term, _Context]:
    """Return the subterm at a path and its context.

    The subterms along the last path are cached: mutants come in the order of the source.
    """
    around = _Context(after_word=element.kind is ElementKind.ASSERT)
    spine = _spines.get(element, lambda: _Spine((), [(element.body, around)]))
    low, high = 0, min(len(path), len(spine.path))
    while low < high:  # binary search for the common prefix of both paths
        middle = (low + high + 1) // 2
        if path[:middle] == spine.path[:middle]:
            low = middle
        else:
            high = middle - 1
    del spine.spots[low + 1 :]
    for index in path[low:]:
        current, context = spine.spots[-1]
        inner = _around(current, index, _inside(current, context))
        spine.spots.append((current.args[index], inner))
    spine.path = path
    return spine.spots[-1]


def _is_word(character: str) -> bool:
    return character.isalnum() or character in "_~!"


def _print(root: Term, context: _Context) -> str:
    pieces: list[str] = []
    stack: list[str | tuple[Term, _Context] | tuple[Term, _Context, int]] = [(root, context)]
    while stack:
        item = stack.pop()
        if isinstance(item, str):
            pieces.append(item)
            continue
        if len(item) == 3:
            _keep(*item, pieces)
            continue
        term, around = item
        if term.args:
            known = _texts.get(term)
            if known is not None and around in known:
                pieces.append(known[around])
                continue
            stack.append((term, around, len(pieces)))
        if term.op is Op.CONST and isinstance(term.payload, tuple):
            term = constants.as_term(term.payload, term.sort)
        inner = _inside(term, around)
        parts: list[str | tuple[Term, _Context]] = [
            part if isinstance(part, str) else (term.args[part], _around(term, part, inner))
            for part in _parts(term)
        ]
        if inner is not around:
            parts = ["(", *parts, ")"]
        stack.extend(reversed(parts))
    return "".join(pieces)


def _keep(term: Term, around: _Context, begin: int, pieces: list[str]) -> None:
    """Cache the text of a term, printed since `begin`, unless it is long."""
    if len(pieces) - begin > SHORT_PIECES:
        return
    text = "".join(pieces[begin:])
    if len(text) > SHORT_CHARACTERS:
        return
    pieces[begin:] = [text]
    _texts.setdefault(term, {})[around] = text


def _inside(term: Term, context: _Context) -> _Context:
    """Return the context inside the parentheses of a term; `context` if it needs none."""
    if term.op is Op.ITE:
        # An `if` needs parentheses only if an operator or a postfix follows.
        needed = context.continued or context.level >= _POSTFIX_LEVEL
    else:
        needed = _level(term) < context.level
    if context.after_minus and not needed:
        needed = term.op is Op.NEG or _is_negative(term)
    return _FREE if needed else context


def _is_negative(term: Term) -> bool:
    return (
        term.op is Op.CONST
        and isinstance(term.payload, int | Fraction)
        and not isinstance(term.payload, bool)
        and term.payload < 0
    )


def _level(term: Term) -> int:
    if term.op in _BINARY:
        return _BINARY[term.op][1]
    if term.op in _PREFIX:
        return _PREFIX_LEVEL
    if term.op in {Op.FIELD, Op.INDEX, Op.RECORD_UPDATE, Op.ARRAY_UPDATE}:
        return _POSTFIX_LEVEL
    if term.op is Op.CONST:
        text = _constant(term)
        if "/" in text:
            return BINARY_OPERATORS["/"][1]
        return _PREFIX_LEVEL if text.startswith("-") else _ATOM
    return _ATOM


def _around(term: Term, index: int, context: _Context) -> _Context:
    """Return the context of an argument of a term that is in `context` without parentheses."""
    op = term.op
    if op in _BINARY:
        text, level = _BINARY[op]
        right = level in RIGHT_ASSOCIATIVE
        if index == 0:
            return _Context(
                level + 1 if right else level,
                continued=True,
                after_minus=context.after_minus,
                after_word=context.after_word,
                before_word=text.isalpha(),
            )
        return _Context(
            level if right else level + 1,
            continued=context.continued,
            after_minus=op is Op.SUB,
            after_word=text.isalpha(),
            before_word=context.before_word,
        )
    if op in _PREFIX:
        return _Context(
            _PREFIX_LEVEL,
            continued=context.continued,
            after_minus=op is Op.NEG,
            after_word=op is not Op.NEG,
            before_word=context.before_word,
        )
    if op is Op.ITE:
        if index < 2:
            return _Context(after_word=True, before_word=True)
        return _Context(
            continued=context.continued, after_word=True, before_word=context.before_word
        )
    if op in {Op.FIELD, Op.INDEX, Op.RECORD_UPDATE, Op.ARRAY_UPDATE} and index == 0:
        return _Context(
            _POSTFIX_LEVEL,
            continued=True,
            after_minus=context.after_minus,
            after_word=context.after_word,
        )
    return _FREE


def _shared_call(term: Term) -> tuple[str, tuple[Term, ...]] | None:
    """Return name and arguments if a tuple holds the outputs of one function call; else None."""
    first = term.args[0] if term.args else None
    if first is None or first.op is not Op.APPLY or len(term.args) < 2:
        return None
    name, _ = cast("tuple[str, int]", first.payload)
    for position, arg in enumerate(term.args):
        if arg.op is not Op.APPLY or arg.payload != (name, position) or arg.args != first.args:
            return None
    return name, first.args


def _parts(term: Term) -> list[str | int]:
    """Return the text of a term, with the positions of its arguments in it."""
    op = term.op
    if op in _BINARY:
        return [0, f" {_BINARY[op][0]} ", 1]
    if op in _PREFIX:
        return ["-" if op is Op.NEG else f"{_PREFIX[op]} ", 0]
    match op:
        case Op.CONST:
            return [_constant(term)]
        case Op.VAR:
            return [str(term.payload)]
        case Op.ITE:
            return ["if ", 0, " then ", 1, " else ", 2]
        case Op.TO_REAL:
            return ["real(", 0, ")"]
        case Op.FLOOR:
            return ["floor(", 0, ")"]
        case Op.CALL:
            return [cast("Site", term.payload).component, *_listed(term, "(", ")")]
        case Op.APPLY:
            return [str(cast("tuple[str, int]", term.payload)[0]), *_listed(term, "(", ")")]
        case Op.CONDACT:
            return ["condact", *_listed(term, "(", ")")]
        case Op.TUPLE:
            return [0] if _shared_call(term) else _listed(term, "(", ")")
        case Op.ARRAY:
            return _listed(term, "[", "]")
        case Op.FIELD:
            return [0, f".{term.payload}"]
        case Op.RECORD_UPDATE:
            return [0, f" {{{term.payload} := ", 1, "}"]
        case Op.INDEX:
            return [0, "[", 1, "]"]
        case Op.ARRAY_UPDATE:
            return [0, "[", 1, " := ", 2, "]"]
        case Op.RECORD:
            sort = cast("RecordSort", term.sort)
            parts: list[str | int] = [f"{sort.name} {{"]
            for index, (name, _) in enumerate(sort.fields):
                parts.extend((f"{'; ' if index else ''}{name} = ", index))
            return [*parts, "}"]
        case _:
            return [op.value, *_listed(term, "(", ")")]


def _listed(term: Term, opening: str, closing: str) -> list[str | int]:
    parts: list[str | int] = [opening]
    for index in range(len(term.args)):
        if index:
            parts.append(", ")
        parts.append(index)
    return [*parts, closing]


def _constant(term: Term) -> str:
    value = term.payload
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Fraction):
        return _decimal(value)
    return str(value)


def _decimal(value: Fraction) -> str:
    """Return a rational as a decimal; as a quotient of decimals if it has no finite one."""
    digits = 0
    denominator = value.denominator
    while denominator % 10 == 0:
        denominator //= 10
        digits += 1
    while denominator % 2 == 0:
        denominator //= 2
        digits += 1
    while denominator % 5 == 0:
        denominator //= 5
        digits += 1
    if denominator != 1:
        return f"{value.numerator}.0 / {value.denominator}.0"
    scaled = abs(value.numerator) * 10**digits // value.denominator
    text = str(scaled).rjust(digits + 1, "0")
    sign = "-" if value < 0 else ""
    if not digits:
        return f"{sign}{text}.0"
    whole, fraction = text[:-digits], text[-digits:].rstrip("0")
    return f"{sign}{whole}.{fraction or '0'}"
