"""From terms to text that parses back to them, with as few parentheses as that takes.

Text is written from the root down on an explicit stack. How tightly an operator binds comes
from the table that the parser reads. Names inside a module are written as that module knows
them: without the path of the instance, parameters by their own name.
"""

from __future__ import annotations

import re
from dataclasses import field
from fractions import Fraction
from typing import Final, TypeAlias

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.languages.nusmv import precedence
from mutproof.languages.nusmv.syntax import Form
from mutproof.model import terms
from mutproof.model.operators import BRANCHING_TIME, LINEAR_TIME, Op
from mutproof.model.program import Element, ElementKind
from mutproof.model.sorts import WordSort
from mutproof.model.terms import Path, Term

_BINARY = {
    Op.CONCAT: Form.CONCAT,
    Op.MUL: Form.MULTIPLY,
    Op.TRUNC_DIV: Form.DIVIDE,
    Op.REAL_DIV: Form.DIVIDE,
    Op.TRUNC_MOD: Form.MODULO,
    Op.ADD: Form.ADD,
    Op.SUB: Form.SUBTRACT,
    Op.SHIFT_LEFT: Form.SHIFT_LEFT,
    Op.SHIFT_RIGHT: Form.SHIFT_RIGHT,
    Op.UNION: Form.UNION,
    Op.IN: Form.IN,
    Op.EQ: Form.EQUAL,
    Op.NE: Form.NOT_EQUAL,
    Op.LT: Form.LESS,
    Op.LE: Form.LESS_EQUAL,
    Op.GT: Form.GREATER,
    Op.GE: Form.GREATER_EQUAL,
    Op.AND: Form.AND,
    Op.OR: Form.OR,
    Op.XOR: Form.XOR,
    Op.XNOR: Form.XNOR,
    Op.IFF: Form.IFF,
    Op.IMPLIES: Form.IMPLIES,
    Op.U: Form.U,
    Op.V: Form.V,
    Op.S: Form.S,
    Op.T: Form.T,
}
_PREFIX = {Op.NOT: "!", Op.NEG: "-"}
_FUNCTIONS = {
    Op.COUNT: "count",
    Op.TO_INT: "toint",
    Op.TO_BOOL: "bool",
    Op.FLOOR: "floor",
    Op.SIGNED: "signed",
    Op.UNSIGNED: "unsigned",
    Op.WORD1: "word1",
    Op.NEXT: "next",
}
_BRACKETED = {Op.EU: "E", Op.AU: "A", Op.EBU: "E", Op.ABU: "A"}
_UNTIL_OPERAND = precedence.BINARY[Form.IMPLIES].level + 1
"""The limit between the brackets of `A [ p U q ]`, where `? :` alone needs parentheses."""
_GLUED = frozenset({Op.SUB, Op.IMPLIES, Op.TRUNC_MOD, Op.UNION, Op.IN, Op.XOR, Op.XNOR})
"""The binary operators that a name before them without a blank would swallow."""
_WORDS = _GLUED - {Op.SUB, Op.IMPLIES} | {Op.U, Op.V, Op.S, Op.T, Op.CASE, Op.EQ}
_IDENTIFIER = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_$#-")


SHORT_CHARACTERS: Final = 400
"""The longest text of a subterm that is cached for other terms with it."""


@dataclass(frozen=True, slots=True, eq=False)
class _Spelling:
    """Hold how names are written: `prefix` is dropped; with `braces`, no set is written as a range.

    `texts` caches short subterms by their limits, `branches` branches of cases: nearly all text
    of a mutant is part of another one's.
    """

    prefix: str = ""
    braces: bool = False
    texts: dict[tuple[Term, int], str] = field(default_factory=dict)
    branches: dict[tuple[Term, Term], str] = field(default_factory=dict)


_Piece: TypeAlias = "str | tuple[Term, int]"
_Kept: TypeAlias = "tuple[dict[tuple[Term, int], str], tuple[Term, int], int]"
_MAIN = _Spelling()

_names: Memo[_Spelling] = Memo(2)  # those of elements
_replaced: Memo[str] = Memo(2)
_limits: Memo[tuple[int, ...] | None] = Memo(2)


def forget() -> None:
    """Clear the cache of texts."""
    _names.clear()
    _replaced.clear()
    _limits.clear()


def print_term(term: Term) -> str:
    """Return a term over full names as text that module `main` parses back to it.

    A negative integer comes back as the negation of a positive one: NuSMV has no literal for
    it.
    """
    return _written(term, precedence.LOOSEST, _Spelling())


def print_replacement(element: Element, path: Path, term: Term) -> str:
    """Return a term as text that may replace the text at a path of an element.

    The text has parentheses, and blanks at its ends, where the surroundings need them.
    """
    names = _names.get(element, lambda: _names_of(element))
    limit = precedence.LOOSEST
    if path:
        parent = terms.at(element.body, path[:-1])
        limits = _limits.get(parent, lambda: _argument_limits(parent))
        if limits is not None:
            limit = limits[path[-1]]
    text = _written(term, limit, names)
    return _separated(text, element, path, names)


def _names_of(element: Element) -> _Spelling:
    return _Spelling(f"{element.instance}." if element.instance else "", braces=True)


def _argument_limits(parent: Term) -> tuple[int, ...] | None:
    """Return the loosest level of each argument of a term; None if it is printed with others."""
    pieces, _ = _layout(parent, _MAIN)
    limits = tuple(piece[1] for piece in pieces if not isinstance(piece, str))
    return limits if len(limits) == len(parent.args) else None


def _separated(text: str, element: Element, path: Path, names: _Spelling) -> str:
    """Return a text with space or parentheses where its ends would join operators beside it."""
    spine: list[Term] = []
    replaced = element.body
    for index in path:
        spine.append(replaced)
        replaced = replaced.args[index]
    old = _replaced.get((replaced, names), lambda: _written(replaced, precedence.LOOSEST, names))
    # The token after the text is of an operator whose left operand it ends.
    glued = any(p.op in _GLUED for p, i in zip(spine, path, strict=True) if i == 0)
    if glued and _ends_in_name(text) and not _ends_in_name(old):
        text += " "
    above = next(
        (
            p
            for p, i in zip(reversed(spine), reversed(path), strict=True)
            if i > 0 or len(p.args) == 1
        ),
        None,
    )
    if above is not None and above.op in {Op.SUB, Op.NEG} and text.startswith("-"):
        return f"({text})"
    word = above is not None and (above.op in _WORDS or above.op in BRANCHING_TIME | LINEAR_TIME)
    statement = not path and element.kind in {
        ElementKind.INIT,
        ElementKind.INVAR,
        ElementKind.TRANS,
    }
    first = path and all(i == 0 for i in path) and spine[0].op is Op.CASE
    if (word or statement or first) and text[0] in _IDENTIFIER and old[0] not in _IDENTIFIER:
        text = f" {text}"
    return text


def _ends_in_name(text: str) -> bool:
    """Tell whether the last token of a text would absorb a `-` or letters after it."""
    word = re.search(r"[A-Za-z0-9_$#-]+$", text)
    return word is not None and not word[0][0].isdigit()


def _written(root: Term, limit: int, names: _Spelling) -> str:
    out: list[str] = []
    stack: list[_Piece | _Kept] = [(root, limit)]
    while stack:
        piece = stack.pop()
        if isinstance(piece, str):
            out.append(piece)
            continue
        if len(piece) == 3:
            _keep(piece, out)
            continue
        term, allowed = piece
        known = names.texts.get(piece)
        if known is not None:
            out.append(known)
            continue
        stack.append((names.texts, piece, len(out)))
        pieces, level = _layout(term, names)
        if level > allowed or (allowed == _UNTIL_OPERAND and term.op is Op.ITE):
            stack.append(")")
            stack.extend(reversed(pieces))
            stack.append("(")
        else:
            stack.extend(reversed(pieces))
    return "".join(out)


def _keep(kept: _Kept, out: list[str]) -> None:
    """Cache the text of a subterm, written since `begin`, unless it is long."""
    texts, key, begin = kept
    if len(out) - begin > SHORT_CHARACTERS:
        return
    text = "".join(out[begin:])
    if len(text) <= SHORT_CHARACTERS:
        out[begin:] = [text]
        texts[key] = text


def _layout(term: Term, names: _Spelling) -> tuple[list[_Piece], int]:
    """Return the pieces of a term and the level at which it binds."""
    op = term.op
    if op in _BINARY:
        form = _BINARY[op]
        binding = precedence.BINARY[form]
        left, right = term.args
        return (
            [(left, binding.left_limit), f" {form.value} ", (right, binding.right_limit)],
            binding.level,
        )
    if op in _PREFIX:
        inner: _Piece = (term.args[0], precedence.PREFIX)
        if op is Op.NEG and _starts_with_minus(term.args[0]):
            inner = (term.args[0], precedence.ATOM)
        return [_PREFIX[op], inner], precedence.PREFIX
    if op in _FUNCTIONS:
        return [_FUNCTIONS[op], "(", *_listed(term.args), ")"], precedence.ATOM
    if op in BRANCHING_TIME or op in LINEAR_TIME:
        return _temporal(term)
    return _other(term, names)


def _listed(args: tuple[Term, ...]) -> list[_Piece]:
    pieces: list[_Piece] = []
    for index, arg in enumerate(args):
        if index:
            pieces.append(", ")
        pieces.append((arg, precedence.LOOSEST))
    return pieces


def _starts_with_minus(term: Term) -> bool:
    if term.op is Op.NEG:
        return True
    return term.op is Op.CONST and isinstance(term.payload, int | Fraction) and term.payload < 0


def _temporal(term: Term) -> tuple[list[_Piece], int]:
    op, bounds = term.op, term.payload
    if op in _BRACKETED:
        word = "U"
        if isinstance(bounds, tuple):
            word = f"BU {bounds[0]}..{bounds[1]}"
        limit = _UNTIL_OPERAND
        left, right = term.args
        pieces: list[_Piece] = [
            f"{_BRACKETED[op]} [",
            (left, limit),
            f" {word} ",
            (right, limit),
            "]",
        ]
        return pieces, precedence.BRANCHING_TIME
    text = op.value
    level = precedence.BRANCHING_TIME if op in BRANCHING_TIME else precedence.LINEAR_TIME
    if isinstance(bounds, tuple):
        shown = (
            f"{bounds[0]}..{bounds[1]}" if op in BRANCHING_TIME else f"[{bounds[0]},{bounds[1]}]"
        )
        text = f"{text} {shown}"
    return [f"{text} ", (term.args[0], level)], level


def _other(term: Term, names: _Spelling) -> tuple[list[_Piece], int]:
    args = term.args
    match term.op:
        case Op.CONST:
            return _constant(term)
        case Op.VAR:
            name = str(term.payload).removeprefix(names.prefix)
            is_range = ".." in name and "(" not in name
            return [name], precedence.SET if is_range else precedence.ATOM
        case Op.ITE:
            binding = precedence.BINARY[Form.IF]
            condition: _Piece = (args[0], binding.left_limit)
            otherwise: _Piece = (args[2], binding.right_limit)
            pieces: list[_Piece] = [
                condition,
                " ? ",
                (args[1], precedence.LOOSEST),
                " : ",
                otherwise,
            ]
            return pieces, binding.level
        case Op.CASE:
            pieces = ["case "]
            for branch in zip(args[::2], args[1::2], strict=True):
                known = names.branches.get(branch)
                pieces += _branch(branch, names) if known is None else [known]
            return [*pieces, "esac"], precedence.ATOM
        case Op.SET:
            return _set(args, names), precedence.SET
        case Op.ARRAY:
            return ["[", *_listed(args), "]"], precedence.ATOM
        case Op.TUPLE:
            return [f"{term.payload} [", *_listed(args), "]"], precedence.ATOM
        case Op.INDEX:
            array: _Piece = (args[0], precedence.ATOM)
            return [array, "[", (args[1], precedence.LOOSEST), "]"], precedence.ATOM
        case Op.BIT_SELECTION:
            assert isinstance(term.payload, tuple)
            word: _Piece = (args[0], precedence.ATOM)
            return [word, f"[{term.payload[0]} : {term.payload[1]}]"], precedence.ATOM
        case Op.EXTEND | Op.RESIZE:
            assert isinstance(term.sort, WordSort)
            assert isinstance(args[0].sort, WordSort)
            extra = args[0].sort.width if term.op is Op.EXTEND else 0
            count = term.payload or term.sort.width - extra
            operand: _Piece = (args[0], precedence.LOOSEST)
            return [f"{term.op.value}(", operand, f", {count})"], precedence.ATOM
        case Op.TO_REAL:
            return [(args[0], precedence.ATOM)], precedence.ATOM
        case _:
            message = f"NuSMV has no text for {term.op}"
            raise ValueError(message)


def _branch(branch: tuple[Term, Term], names: _Spelling) -> list[_Piece]:
    """Return the pieces of a branch of a case; one, cached, if the texts of its parts are."""
    condition, value = [(part, precedence.LOOSEST) for part in branch]
    if condition in names.texts and value in names.texts:
        names.branches[branch] = f"{names.texts[condition]} : {names.texts[value]}; "
        return [names.branches[branch]]
    return [condition, " : ", value, "; "]


def _set(args: tuple[Term, ...], names: _Spelling) -> list[_Piece]:
    if names.braces:
        return ["{", *_listed(args), "}"]
    numbers = [arg.payload for arg in args if arg.op is Op.CONST and type(arg.payload) is int]
    if len(numbers) == len(args) > 1 and numbers == list(
        range(int(str(numbers[0])), int(str(numbers[0])) + len(numbers))
    ):
        return [f"{numbers[0]}..{numbers[-1]}"]
    return ["{", *_listed(args), "}"]


def _constant(term: Term) -> tuple[list[_Piece], int]:
    value = term.payload
    if isinstance(value, bool):
        return ["TRUE" if value else "FALSE"], precedence.ATOM
    if isinstance(term.sort, WordSort):
        assert isinstance(value, int)
        width, sign = term.sort.width, "s" if term.sort.signed else "u"
        if value < 0:
            bits = format(value & ((1 << width) - 1), f"0{width}b")
            return [f"0sb{width}_{bits}"], precedence.ATOM
        return [f"0{sign}d{width}_{value}"], precedence.ATOM
    if isinstance(value, Fraction):
        sign = "-" if value < 0 else ""
        size = abs(value)
        shown = (
            f"{size.numerator}.0"
            if size.denominator == 1
            else f"f'{size.numerator}/{size.denominator}"
        )
        return [sign + shown], precedence.PREFIX if sign else precedence.ATOM
    if isinstance(value, int):
        return [str(value)], precedence.PREFIX if value < 0 else precedence.ATOM
    return [str(value)], precedence.ATOM
