"""Terms as functions of the values that they read, built once for each term.

A formula knows no instance and no row: it says what it reads, and whoever runs it gathers that.
`pre` and node calls are read, not computed; everything else follows from `semantics`.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from operator import itemgetter
from typing import Any, NamedTuple, TypeAlias

from mutproof.base.memo import Memo
from mutproof.model import semantics
from mutproof.model.arbitrary import timeless
from mutproof.model.operators import Op
from mutproof.model.passes.division import BY_ZERO
from mutproof.model.sorts import WordSort
from mutproof.model.terms import Site, Term

MOST_KEPT = 20_000
"""How many terms keep their functions."""

DEEPEST = 40
"""How deep functions call each other; what is deeper is computed before."""


class Source(Enum):
    """Say where a value that a formula reads comes from."""

    __hash__ = object.__hash__

    VARIABLE = "variable"  # of: its name in the component
    BEFORE = "before"  # of: a term; its value when the instance last ran
    OUTPUT = "output"  # of: the site of a call; `number` is the output
    HELD = "held"  # of: the site of a call under `condact`; likewise
    RAN = "ran"  # whether the instance ran before
    BEGUN = "begun"  # whether there was a step before
    ACTIVE = "active"  # whether the instance runs now
    FUNCTIONS = "functions"  # the uninterpreted functions of the execution


class Read(NamedTuple):
    """Name one value that a formula reads."""

    source: Source
    of: str | Site | Term | None = None
    number: int = 0


Function: TypeAlias = Callable[[list[Any]], Any]
"""Takes the values that are read, as a list of its own that it may extend."""


@dataclass(frozen=True, slots=True)
class Formula:
    """Hold a function of the values of `reads`, in their order."""

    function: Function
    reads: tuple[Read, ...]


_formulas: Memo[Formula] = Memo(MOST_KEPT)


def formula(root: Term, part: int | None = None) -> Formula:
    """Return the formula of a term, or of one part of its value if that is a tuple."""
    return _formulas.get((root, part), lambda: _formula(root, part))


def clock(clocks: tuple[Term, ...]) -> Formula:
    """Return the formula of whether a call runs: its instance does and one of the clocks holds."""
    return _formulas.get(("clock", *clocks), lambda: _clock(clocks))


def needed(term: Term) -> tuple[Term, ...]:
    """Return the arguments whose values a term needs in the same step."""
    if term.op in {Op.PRE, Op.CALL}:
        return ()
    if term.op is Op.CONDACT:
        return (term.args[0], *term.args[2:])
    return term.args


def site_of(call: Term) -> Site:
    """Return the site of a call."""
    assert isinstance(call.payload, Site)
    return call.payload


def _formula(root: Term, part: int | None) -> Formula:
    order, uses = _listed(root)
    reads: dict[Read, int] = {}
    for term in order:
        for read in _reads(term):
            reads.setdefault(read, len(reads))
    functions: dict[Term, tuple[Function, int]] = {}
    first: list[Function] = []
    for term in order:
        args = [functions[arg] for arg in needed(term)]
        function = _function(term, [arg for arg, _ in args], reads)
        depth = 1 + max([depth for _, depth in args], default=0)
        if args and term is not root and (uses[term] > 1 or depth >= DEEPEST):
            first.append(function)
            function, depth = itemgetter(len(reads) + len(first) - 1), 0
        functions[term] = function, depth
    return Formula(_whole(functions[root][0], first, part), tuple(reads))


def _clock(clocks: tuple[Term, ...]) -> Formula:
    reads = [Read(Source.ACTIVE)]
    parts: list[tuple[Function, slice]] = []
    for one in map(formula, clocks):
        parts.append((one.function, slice(len(reads), len(reads) + len(one.reads))))
        reads.extend(one.reads)

    def runs(values: list[Any]) -> bool:
        return bool(values[0]) and any(part(values[places]) for part, places in parts)

    return Formula(runs, tuple(reads))


def _listed(root: Term) -> tuple[list[Term], dict[Term, int]]:
    """Return what a term needs, arguments first, and how often each is needed."""
    uses: dict[Term, int] = {root: 1}
    order: dict[Term, None] = {}
    stack = [root]
    while stack:
        term = stack[-1]
        missing = [arg for arg in needed(term) if arg not in order]
        if missing and term not in order:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if term not in order:
            order[term] = None
            for arg in needed(term):
                uses[arg] = uses.get(arg, 0) + 1
    return list(order), uses


def _whole(function: Function, first: list[Function], part: int | None) -> Function:
    if part is not None:
        inner = function
        function = lambda v: inner(v)[part]  # noqa: E731
    if not first:
        return function

    def whole(values: list[Any]) -> Any:
        for step in first:
            values.append(step(values))
        return function(values)

    return whole


_FUNCTIONS = Read(Source.FUNCTIONS)
_RAN = Read(Source.RAN)
_BEGUN = Read(Source.BEGUN)
_ACTIVE = Read(Source.ACTIVE)


def _reads(term: Term) -> tuple[Read, ...]:
    match term.op:
        case Op.VAR:
            return (Read(Source.VARIABLE, str(term.payload)),)
        case Op.PRE:
            return (Read(Source.BEFORE, term),)
        case Op.ARROW:
            return (_RAN,)
        case Op.CALL:
            return _outputs(Source.OUTPUT, term)
        case Op.CONDACT:
            call = term.args[1]
            held = _outputs(Source.HELD, call)
            return (_BEGUN, _ACTIVE, *_outputs(Source.OUTPUT, call), *held)
        case op if op is Op.APPLY or op in BY_ZERO:
            return (_FUNCTIONS,)
        case _:
            return ()


def _outputs(source: Source, call: Term) -> tuple[Read, ...]:
    site = site_of(call)
    return tuple(Read(source, site, number) for number in range(len(site.outputs)))


def _function(term: Term, args: list[Function], reads: dict[Read, int]) -> Function:
    """Return a term as a function of what is read, where its arguments are such functions."""
    op = term.op
    if op in _LOGIC and not isinstance(term.sort, WordSort):
        return _LOGIC[op](*args)
    match op:
        case Op.VAR | Op.PRE:
            return itemgetter(reads[_reads(term)[0]])
        case Op.CALL:
            # The getter of one place gives its value, that of several a tuple.
            return itemgetter(*[reads[read] for read in _reads(term)])
        case Op.ARROW:
            return _choice(itemgetter(reads[_RAN]), args[1], args[0])
        case Op.CONDACT:
            return _condact(term, args, reads)
        case _ if op is Op.APPLY or op in BY_ZERO:
            place = reads[_FUNCTIONS]
            return lambda v: timeless(term, tuple([arg(v) for arg in args]), v[place])
        case _:
            apply = semantics.function(term)
            if op is Op.CONST:
                value = apply()
                return lambda _: value
            if len(args) == 1:
                (only,) = args
                return lambda v: apply(only(v))
            return lambda v: apply(*[arg(v) for arg in args])


def _condact(term: Term, args: list[Function], reads: dict[Read, int]) -> Function:
    call, begun, active = term.args[1], reads[_BEGUN], reads[_ACTIVE]
    asked, ran = args[0], itemgetter(begun)
    outputs = [itemgetter(reads[read]) for read in _outputs(Source.OUTPUT, call)]
    held = [itemgetter(reads[read]) for read in _outputs(Source.HELD, call)]

    def runs(values: list[Any]) -> bool:
        return bool(asked(values) and values[active])

    parts = [
        _choice(runs, output, _choice(ran, kept, default))
        for output, kept, default in zip(outputs, held, args[1:], strict=True)
    ]
    return parts[0] if len(parts) == 1 else lambda v: tuple([part(v) for part in parts])


def _choice(condition: Function, then: Function, otherwise: Function) -> Function:
    return lambda v: then(v) if condition(v) else otherwise(v)


# What most terms consist of, without a call of the operator for each; `semantics` defines them.
_LOGIC: dict[Op, Callable[..., Function]] = {
    Op.AND: lambda a, b: lambda v: a(v) and b(v),
    Op.OR: lambda a, b: lambda v: a(v) or b(v),
    Op.IMPLIES: lambda a, b: lambda v: not a(v) or b(v),
    Op.NOT: lambda a: lambda v: not a(v),
    Op.XOR: lambda a, b: lambda v: a(v) != b(v),
    Op.IFF: lambda a, b: lambda v: a(v) == b(v),
    Op.XNOR: lambda a, b: lambda v: a(v) == b(v),
    Op.ITE: _choice,
    Op.EQ: lambda a, b: lambda v: a(v) == b(v),
    Op.NE: lambda a, b: lambda v: a(v) != b(v),
    Op.LT: lambda a, b: lambda v: a(v) < b(v),
    Op.LE: lambda a, b: lambda v: a(v) <= b(v),
    Op.GT: lambda a, b: lambda v: a(v) > b(v),
    Op.GE: lambda a, b: lambda v: a(v) >= b(v),
    Op.ADD: lambda a, b: lambda v: a(v) + b(v),
    Op.SUB: lambda a, b: lambda v: a(v) - b(v),
}
