"""Values of NuSMV terms in a state and the next one: sets of choices, and no value at all.

A set is a frozenset of values. A term has no value (`UNDEFINED`) where a case has no true
condition, a divisor is zero, an index or a shift is out of bounds; as in NuSMV that does not
matter where something else decides: `y = 0 | x / y > 1` is true where y is 0.
Source: NuSMV 2.6 user manual §2.2.3, §2.2.4, §2.3.8; probes of the 2.6.0 binary.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import field, replace
from enum import Enum
from functools import lru_cache
from itertools import count
from operator import itemgetter
from typing import Any, TypeAlias

from mutproof.base.record import dataclass
from mutproof.model import semantics
from mutproof.model.operators import Op
from mutproof.model.semantics import DivisionByZero
from mutproof.model.sorts import BOOL, ArraySort, SetSort, Sort, Value, WordSort
from mutproof.model.terms import Term
from mutproof.model.values import leaves_of

LONG = 3
"""From how many branches on those of a CASE have codes of their own: mutants differ in one."""

MOST_KEPT = 1_000
"""How many values of a term are kept: in executions, terms mostly read few different values."""


MOST_OF_STATE = 256
"""How many values of conditions are kept in a state."""


class NoValue(Enum):
    """Stand for the value of a term that has none."""

    UNDEFINED = "undefined"


UNDEFINED = NoValue.UNDEFINED


class Nowhere(dict[str, Any]):
    """Hold the values of variables in a state that is not there: they have none."""

    def __missing__(self, name: str) -> Any:
        return UNDEFINED


NOWHERE = Nowhere()


class State(dict[str, Any]):
    """Hold values of variables that never change, and those of codes there, by their numbers."""

    __slots__ = ("known",)

    def __init__(self, values: Mapping[str, Any]) -> None:
        super().__init__(values)
        self.known: dict[int, Any] = {}


class NamedParts:
    """Name the scalars in values of arrays; those of the latest value of each array are kept."""

    def __init__(self) -> None:
        self._latest: dict[str, tuple[Any, dict[str, Value]]] = {}

    def of(self, name: str, sort: Sort, value: Any) -> Mapping[str, Value]:
        """Return the scalars in the value of an array by their names, but those without a value."""
        known = self._latest.get(name)
        if known is None or known[0] is not value:  # tables are one object in all states
            parts = leaves_of(sort, value)
            found = {name + path: leaf for path, leaf in parts if not isinstance(leaf, NoValue)}
            known = self._latest[name] = value, found
        return known[1]


_numbers = count()
"""The numbers of codes, each given once."""

_Key: TypeAlias = "tuple[Term, bool]"
"""A subterm, and whether it is of the next state."""

Operation: TypeAlias = "tuple[int, Callable[..., Any], tuple[int, ...], Term]"


_Reader: TypeAlias = "Callable[[Mapping[str, Any], Mapping[str, Any]], tuple[Any, ...]]"
"""What gives the values that a code reads of this state and the next one, in order."""


@dataclass(frozen=True, slots=True)
class RelationalCode:
    """List the subterms of a term by slot, arguments first.

    A slot is for a subterm in this state or, below NEXT, in the next one. `initial` holds the
    constants; `reads` are variables: slot, name, whether in the next state. A long CASE has no
    slots but `branches`.
    """

    initial: tuple[Any, ...]
    reads: tuple[tuple[int, str, bool], ...]
    operations: tuple[Operation, ...]
    root: int
    branches: tuple[CodeBranch, ...] = ()
    number: int = field(default_factory=_numbers.__next__, init=False, compare=False, repr=False)
    _known: dict[tuple[Any, ...], Any] = field(
        default_factory=dict, init=False, compare=False, repr=False
    )
    _reader: list[_Reader] = field(default_factory=list, init=False, compare=False, repr=False)

    def value(self, now: Mapping[str, Any], after: Mapping[str, Any]) -> Any:
        """Return the value of the term in a state that is followed by another.

        Values of one variable must be equal only if they are the same: not 1 and TRUE.
        """
        if self.branches:
            return self._of_branch(now, after)
        if not self._reader:
            self._reader.append(_reader(self.reads))
        read = self._reader[0](now, after)
        known = self._known
        if read not in known:
            if len(known) >= MOST_KEPT:
                known.clear()
            known[read] = self._computed(read)
        return known[read]

    def _of_branch(self, now: Mapping[str, Any], after: Mapping[str, Any]) -> Any:
        """Return the value of the first branch whose condition is true."""
        known = now.known if isinstance(now, State) else {}
        if len(known) > MOST_OF_STATE:
            known.clear()
        for branch in self.branches:
            if branch.number not in known:
                chosen = branch.condition.value(now, after)
                if not branch.is_ahead:
                    known[branch.number] = chosen
            else:
                chosen = known[branch.number]
            if chosen is False:
                continue
            if chosen is UNDEFINED or isinstance(chosen, frozenset):
                return UNDEFINED
            if chosen:
                return branch.value.value(now, after)
        return UNDEFINED

    def _computed(self, read: tuple[Any, ...]) -> Any:
        """Return the value for these values of what the term reads."""
        values = list(self.initial)
        certain = True
        for (slot, _, _), value in zip(self.reads, read, strict=True):
            values[slot] = value
            certain = certain and value is not UNDEFINED and type(value) is not frozenset
        if certain:
            try:
                for slot, function, args, _ in self.operations:
                    values[slot] = function(*[values[arg] for arg in args])
                return values[self.root]
            except _NO_VALUE:
                pass
        for slot, function, args, term in self.operations:
            values[slot] = _careful(term, function, [values[arg] for arg in args])
        return values[self.root]

    def keeping(self, unchanging: frozenset[str]) -> RelationalCode:
        """Return the code that takes the next values of some names from the state itself."""
        if not any(shifted and name in unchanging for _, name, shifted in self.reads):
            return self
        reads = [(slot, name, ahead and name not in unchanging) for slot, name, ahead in self.reads]
        if self.branches:
            parts = [part for one in self.branches for part in (one.condition, one.value)]
            return chosen([part.keeping(unchanging) for part in parts])
        return replace(self, reads=tuple(reads))


@dataclass(frozen=True, slots=True)
class CodeBranch:
    """Hold the value of a CASE under a condition.

    The condition has the `number` of its code; `is_ahead`: it reads the next state.
    """

    condition: RelationalCode
    value: RelationalCode
    number: int
    is_ahead: bool


def branches_of(term: Term) -> tuple[Term, ...]:
    """Return the conditions of a long CASE, each with its value; none of any other term."""
    is_long = term.op is Op.CASE and len(term.args) >= 2 * LONG
    return term.args if is_long and all(c.sort is BOOL for c in term.args[::2]) else ()


def chosen(parts: Sequence[RelationalCode]) -> RelationalCode:
    """Return the code of a CASE with these conditions, each with its value."""
    names = dict.fromkeys([(name, ahead) for one in parts for _, name, ahead in one.reads])
    branches = [
        CodeBranch(one, value, one.number, any(ahead for *_, ahead in one.reads))
        for one, value in zip(parts[::2], parts[1::2], strict=True)
    ]
    return RelationalCode((), tuple([(0, *name) for name in names]), (), 0, tuple(branches))


def _reader(reads: Sequence[tuple[int, str, bool]]) -> _Reader:
    names = [name for _, name, _ in reads]
    if len(names) < 2 or any(shifted for *_, shifted in reads):
        return lambda now, after: tuple(
            [after[name] if shifted else now[name] for _, name, shifted in reads]
        )
    own = itemgetter(*names)
    return lambda now, _: own(now)


def code(root: Term, unchanging: frozenset[str] = frozenset()) -> RelationalCode:
    """Return the code of a term; operators of constants are applied here.

    The next values of `unchanging` variables are their values.
    """
    known: dict[_Key, Any] = {}
    slots: dict[_Key, int] = {}
    initial: list[Any] = []
    reads: list[tuple[int, str, bool]] = []
    operations: list[Operation] = []

    def slot_of(key: _Key) -> int:
        if key not in slots:
            slots[key] = len(initial)
            initial.append(known.get(key))
        return slots[key]

    stack: list[_Key] = [(root, False)]
    while stack:
        key = stack[-1]
        if key in slots or key in known:
            stack.pop()
            continue
        term, shifted = key
        listed = _listed(term) if term.op is Op.SET else None
        if listed is not None:
            known[key] = listed
            stack.pop()
            continue
        is_next = term.op is Op.NEXT
        needed = [(arg, shifted or is_next) for arg in term.args]
        missing = [item for item in needed if item not in slots and item not in known]
        if missing:
            stack.extend(reversed(missing))
            continue
        stack.pop()
        if term.op is Op.VAR:
            name = str(term.payload)
            reads.append((slot_of(key), name, shifted and name not in unchanging))
        elif term.op is Op.CONST:
            known[key] = term.payload
        elif is_next and not shifted:
            # The term shares the slot, or the constant, of its argument.
            found, place = (known, needed[0]) if needed[0] in known else (slots, needed[0])
            found[key] = found[place]
        else:
            function = _function(term)
            if all(item in known for item in needed):
                value = _careful(term, function, [known[item] for item in needed])
                if value is not UNDEFINED:
                    known[key] = value
                    continue
            args = tuple([slot_of(item) for item in needed])
            operations.append((slot_of(key), function, args, term))
    result = slot_of((root, False))
    return RelationalCode(tuple(initial), tuple(reads), tuple(operations), result)


@lru_cache(maxsize=256)
def _listed(term: Term) -> frozenset[Any] | None:
    """Return the members of a set of constants, of which mutants share long ones; else None."""
    if any(arg.op is not Op.CONST for arg in term.args):
        return None
    return frozenset([arg.payload for arg in term.args])


def includes(choice: Any, value: Any) -> bool:
    """Tell whether a value is the given one, or a member of it where that is a set."""
    if isinstance(choice, frozenset):
        return value in choice
    return choice is not UNDEFINED and bool(value == choice)


class _NoValue(Exception):  # noqa: N818 - control flow inside this module
    pass


_NO_VALUE = (_NoValue, DivisionByZero)
_OF_SETS = frozenset({Op.SET, Op.UNION, Op.IN, Op.CASE, Op.ITE})


def _function(term: Term) -> Callable[..., Any]:
    """Return an operator as a function of values, which raises if there is no value."""
    if term.op not in _OF_SETS and any(isinstance(arg.sort, SetSort) for arg in term.args):
        return _nothing
    match term.op:
        case Op.SET | Op.UNION:
            return _union
        case Op.IN:
            return lambda left, right: _members(left) <= _members(right)
        case Op.CASE:
            return _chosen
        case Op.INDEX:
            array = term.args[0].sort
            assert isinstance(array, ArraySort)
            return _element(array.low)
        case Op.SHIFT_LEFT | Op.SHIFT_RIGHT:
            assert isinstance(term.sort, WordSort)
            return _shift(term.sort.width, semantics.function(term))
        case Op.NEXT:
            # NuSMV has no nested `next`.
            return _nothing
        case _:
            return semantics.function(term)


def _nothing(*_: Any) -> Any:
    raise _NoValue


def _members(value: Any) -> frozenset[Any]:
    return value if isinstance(value, frozenset) else frozenset((value,))


def _union(*args: Any) -> frozenset[Any]:
    return frozenset().union(*(_members(arg) for arg in args))


def _chosen(*args: Any) -> Any:
    for position in range(0, len(args), 2):
        if args[position]:
            return args[position + 1]
    raise _NoValue


def _element(low: int) -> Callable[..., Any]:
    def element(array: tuple[Any, ...], index: int) -> Any:
        position = index - low
        if not 0 <= position < len(array) or array[position] is UNDEFINED:
            raise _NoValue
        return array[position]

    return element


def _shift(width: int, function: Callable[..., Any]) -> Callable[..., Any]:
    def shift(word: int, amount: int) -> Any:
        if not 0 <= amount <= width:
            raise _NoValue
        return function(word, amount)

    return shift


def _careful(term: Term, function: Callable[..., Any], args: list[Any]) -> Any:
    """Return the value of an operator whose arguments may be undefined or sets."""
    if any(isinstance(arg, frozenset) for arg in _single(term.op, args)):
        return UNDEFINED
    if not any(arg is UNDEFINED for arg in args):
        try:
            return function(*args)
        except _NO_VALUE:
            return UNDEFINED
    known = [arg for arg in args if arg is not UNDEFINED]
    decided: Any = UNDEFINED
    match term.op:
        case Op.AND if not isinstance(term.sort, WordSort):
            if not all(known):
                decided = False
        case Op.OR if not isinstance(term.sort, WordSort):
            if any(known):
                decided = True
        case Op.IMPLIES if not isinstance(term.sort, WordSort):
            if args[0] is False or args[1] is True:
                decided = True
        case Op.ITE:
            if args[0] is not UNDEFINED:
                decided = args[1] if args[0] else args[2]
        case Op.CASE:
            decided = _first(args)
        case Op.ARRAY:
            decided = tuple(args)
        case _:
            pass
    return decided


def _single(op: Op, args: list[Any]) -> list[Any]:
    """Return the arguments of an operator that cannot be sets."""
    match op:
        case Op.SET | Op.UNION | Op.IN:
            return []
        case Op.ITE:
            return args[:1]
        case Op.CASE:
            return args[::2]
        case _:
            return args


def _first(args: list[Any]) -> Any:
    for position in range(0, len(args), 2):
        if args[position] is UNDEFINED:
            return UNDEFINED
        if args[position]:
            return args[position + 1]
    return UNDEFINED
