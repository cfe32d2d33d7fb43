"""Scalar terms as Python functions over rows of values; the text is generated and compiled."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from fractions import Fraction
from typing import Any

from mutproof.base.memo import Memo
from mutproof.base.record import dataclass
from mutproof.model import semantics, sorts, walk
from mutproof.model.operators import Op
from mutproof.model.sorts import Value, WordSort
from mutproof.model.terms import Term
from mutproof.model.trace import FunctionTable

Row = list[Any]
"""The values of all variables at one step, by index."""

Compiled = Callable[[Row, Row, "Functions"], Any]
"""A term as a function of this row, the next row and the function tables."""

Functions = Mapping[tuple[str, int], FunctionTable]

Patch = Callable[[tuple[Any, ...], Row, Row, "Functions"], Any]
"""A term as a function of the values of subterms of another term, and the arguments of `Compiled`.
"""

MOST_TOGETHER = 250
"""How many functions are compiled at once: more of them take more time each."""

MOST_KEPT = 20_000
"""About how many functions a compiler keeps for other versions of a model."""


@dataclass(frozen=True, slots=True, eq=False)
class CompiledParts:
    """Hold the function that gives the values of all subterms of a term, and their places."""

    root: Term
    function: Callable[[Row, Row, Functions], tuple[Any, ...]]
    texts: Mapping[Term, tuple[str, int]]


_INFIX = {
    Op.EQ: "==",
    Op.NE: "!=",
    Op.LT: "<",
    Op.LE: "<=",
    Op.GT: ">",
    Op.GE: ">=",
    Op.ADD: "+",
    Op.SUB: "-",
    Op.AND: "and",
    Op.OR: "or",
    Op.XOR: "!=",
    Op.XNOR: "==",
    Op.IFF: "==",
}

_PARTIAL = frozenset({Op.TRUNC_DIV, Op.TRUNC_MOD, Op.SHIFT_LEFT, Op.SHIFT_RIGHT})
"""Operators of words that have no value for some arguments."""


def built(names: Mapping[str, Any], parameters: str, bodies: Sequence[Sequence[str]]) -> list[Any]:
    """Return functions compiled from the lines of their bodies; they share globals `names`."""
    found: list[Any] = []
    for start in range(0, len(bodies), MOST_TOGETHER):
        together = bodies[start : start + MOST_TOGETHER]
        lines = [f"def build({', '.join(names)}):"]
        for number, body in enumerate(together):
            lines.append(f"  def f{number}({parameters}):")
            lines.extend([f"    {line}" for line in body])
        lines.append(f"  return [{', '.join([f'f{number}' for number in range(len(together))])}]")
        scope: dict[str, Any] = {}
        exec("\n".join(lines), scope)
        found += scope["build"](*names.values())
    return found


class Compiler:
    """Compile scalar terms over an indexed set of variables; keeps what it compiled."""

    def __init__(self, index: Mapping[str, int]) -> None:
        self.index = index
        self._constants: list[Any] = []
        self._compiled: dict[Term, Compiled] = {}
        self._parts: dict[Term, CompiledParts] = {}
        self._patches: dict[tuple[Term, Term], Patch] = {}

    @property
    def size(self) -> int:
        """Return the number of functions that are kept."""
        return len(self._compiled) + len(self._parts) + len(self._patches)

    def compile_all(self, terms: Iterable[Term]) -> list[Compiled]:
        """Return the functions of many terms, compiled in one go."""
        wanted = list(terms)
        fresh = list(dict.fromkeys(t for t in wanted if t not in self._compiled))
        if fresh:
            functions = self._built("v, n, F", [self._body(term, {}) for term in fresh])
            self._compiled.update(zip(fresh, functions, strict=True))
        return [self._compiled[term] for term in wanted]

    def parts(self, root: Term) -> CompiledParts:
        """Return the function that gives the values of all subterms of a term."""
        if root not in self._parts:
            self._parts[root] = self._made_parts(root)
        return self._parts[root]

    def _made_parts(self, root: Term) -> CompiledParts:
        lines: list[str] = []

        def combine(term: Term, args: tuple[tuple[str, int], ...]) -> tuple[str, int]:
            text = self._text(term, [text for text, _ in args])
            if not term.args:
                return text, 0
            lines.append(f"t{len(lines)} = {text}")
            return f"t{len(lines) - 1}", 0

        texts: dict[Term, tuple[str, int]] = {}
        walk.fold(root, combine, texts)
        lines.append(f"return ({''.join(f't{number}, ' for number in range(len(lines)))})")
        (function,) = self._built("v, n, F", [lines])
        places = {
            term: (f"t[{text[1:]}]" if term.args else text, 0) for term, (text, _) in texts.items()
        }
        return CompiledParts(root, function, places)

    def patches(self, wanted: Sequence[tuple[CompiledParts, Term]]) -> list[Patch]:
        """Return functions of terms, each of the values of parts of another term."""
        known = self._patches if self.size < MOST_KEPT else {}
        fresh = {(base.root, term): base for base, term in wanted if (base.root, term) not in known}
        if fresh:
            bodies = [self._body(term, base.texts) for (_, term), base in fresh.items()]
            known.update(zip(fresh, self._built("t, v, n, F", bodies), strict=True))
        return [known[base.root, term] for base, term in wanted]

    def _built(self, parameters: str, bodies: Sequence[list[str]]) -> list[Any]:
        return built({"K": self._constants, **_CALLED}, parameters, bodies)

    def _body(self, root: Term, known: Mapping[Term, tuple[str, int]]) -> list[str]:
        """Return the statements of a function's body; shared and deep subterms become locals."""
        uses: dict[Term, int] = {}
        stack = [root]
        while stack:
            term = stack.pop()
            if term not in known:
                for arg in term.args:
                    if arg not in uses:
                        stack.append(arg)
                    uses[arg] = uses.get(arg, 0) + 1
        lines: list[str] = []

        def combine(term: Term, args: tuple[tuple[str, int], ...]) -> tuple[str, int]:
            text = self._text(term, [text for text, _ in args])
            nesting = 1 + max((depth for _, depth in args), default=0)
            if term.args and (uses.get(term, 0) > 1 or nesting > 20):
                name = f"t{len(lines)}"
                lines.append(f"{name} = {text}")
                return name, 0
            return text, nesting

        text, _ = walk.refold(root, combine, known)
        return [*lines, f"return {text}"]

    def _text(self, term: Term, args: list[str]) -> str:
        op = term.op
        if op is Op.CONST:
            if isinstance(term.payload, bool | int):
                return repr(term.payload)
            self._constants.append(term.payload)
            return f"K[{len(self._constants) - 1}]"
        if op is Op.VAR:
            return f"v[{self.index[str(term.payload)]}]"
        if op is Op.NEXT_VAR:
            return f"n[{self.index[str(term.payload)]}]"
        words = isinstance(term.sort, WordSort)
        if op in _INFIX and not words:
            return f"({args[0]} {_INFIX[op]} {args[1]})"
        if not words:
            match op:
                case Op.NOT:
                    return f"(not {args[0]})"
                case Op.IMPLIES:
                    return f"(not {args[0]} or {args[1]})"
                case Op.ITE:
                    return f"({args[1]} if {args[0]} else {args[2]})"
                case Op.NEG:
                    return f"(-{args[0]})"
                case Op.MUL:
                    constant = any(arg.op is Op.CONST for arg in term.args)
                    return f"({args[0]} * {args[1]})" if constant else f"mul({args[0]}, {args[1]})"
                case Op.DIV:
                    return f"div({args[0]}, {args[1]})"
                case Op.MOD:
                    return f"mod({args[0]}, {args[1]})"
                case Op.TRUNC_DIV:
                    return f"tdiv({args[0]}, {args[1]})"
                case Op.TRUNC_MOD:
                    return f"tmod({args[0]}, {args[1]})"
                case Op.REAL_DIV:
                    return f"rdiv({args[0]}, {args[1]})"
                case Op.APPLY:
                    self._constants.append((term.payload, sorts.default_value(term.sort)))
                    joined = "".join(f"{arg}, " for arg in args)
                    return f"call(F, K[{len(self._constants) - 1}], ({joined}))"
                case _:
                    pass
        self._constants.append((_guarded if op in _PARTIAL else semantics.apply, term))
        key = f"K[{len(self._constants) - 1}]"
        return f"{key}[0]({key}[1], ({''.join(f'{a}, ' for a in args)}))"


def compiler(names: tuple[str, ...]) -> Compiler:
    """Return a compiler over variables in this order, a kept one if there is one.

    Another version of a model has most of its terms, and has to compile the others only.
    """

    def new() -> Compiler:
        return Compiler({name: position for position, name in enumerate(names)})

    found = _compilers.get(names, new)
    if found.size >= MOST_KEPT:
        _compilers.clear()
        found = _compilers.get(names, new)
    return found


_compilers: Memo[Compiler] = Memo(2)


def _call(functions: Functions, what: tuple[Any, Value], args: tuple[Value, ...]) -> Value:
    table = functions.get(what[0])
    return what[1] if table is None else table(args)


# A division may be computed where its guard is false; its value is then not used.
def _guarded(term: Term, args: tuple[Any, ...]) -> Any:
    try:
        return semantics.apply(term, args)
    except (semantics.DivisionByZero, ValueError):
        return sorts.default_value(term.sort)


def _div(a: int, b: int) -> int:
    return semantics.euclidean(a, b)[0] if b else 0


def _mod(a: int, b: int) -> int:
    return semantics.euclidean(a, b)[1] if b else 0


def _tdiv(a: int, b: int) -> int:
    return semantics.truncated(a, b)[0] if b else 0


def _tmod(a: int, b: int) -> int:
    return semantics.truncated(a, b)[1] if b else 0


def _rdiv(a: Fraction, b: Fraction) -> Fraction:
    return semantics.quotient(a, b) if b else Fraction(0)


_CALLED = {
    "call": _call,
    "div": _div,
    "mod": _mod,
    "tdiv": _tdiv,
    "tmod": _tmod,
    "rdiv": _rdiv,
    "mul": semantics.product,
}
"""The functions that generated code calls, by name."""
