"""Binary decision diagrams: the only module that knows the library they come from.

CUDD is used where the wheel of `dd` brings it, else the pure Python diagrams of `dd.autoref`.
Variables are declared in pairs, current bit and next bit, which reordering keeps together.
"""

from __future__ import annotations

import math
import sys
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from types import ModuleType
from typing import Any, Protocol, cast

from mutproof.base.budget import Deadline
from mutproof.base.giving_way import may_stop
from mutproof.model.operators import Op

MOST_MEMORY = 2 * 2**30
"""The most memory of one manager, in bytes (CUDD only)."""

MOST_GROWTH = 1.05
"""How much diagrams may grow while a variable is moved in reordering (CUDD only). Less than the
library's 1.2, as reordering cannot be interrupted."""

LEAST_MEMORY = 2**26
"""The most memory of a manager that does not reorder, in bytes (CUDD only).

A bad order needs more; it shows soon. Near that limit operations become very slow.
"""

MOST_PAIRS = 10_000_000
"""The pairs of nodes from which two diagrams are taken apart, so that work can be interrupted."""

SMALL = 1_000
"""The nodes up to which the first of them is not taken apart in any case."""

MOST_SPLITS = 20
"""The most bits by whose values a diagram is taken apart."""

MANY = 10_000
"""The nodes from which on the first of them grows out of hand: then none of that counts."""

QUICK_S, SLOW_S = 0.02, 0.2
"""The seconds of an operation after which twice as many pairs stay together, and of one after which
no more do than at first."""

LARGE = 8
"""Operations on this part of the pairs that stay together, as a divisor, count: halves of two
diagrams have a quarter of their pairs."""

MOST_TOGETHER = 256
"""How many times as many pairs may stay together at most."""

OPERATION, MOST_UNSEEN = 100, 1_000
"""For how many nodes an operation counts at least, and after how many others go first."""

_OUT_OF_MEMORY = (
    "NULL", "out of memory", "failed to initialize", "failed to add var", "cofactor failed",
    "compose failed",
)  # fmt: skip
"""What the library says of a lack of memory, in the operations that are used here."""

_FIRST_CACHE = 2**14
"""The initial entries of the table of results (CUDD only); it grows on demand."""


class Diagram(Protocol):
    """A Boolean function; equal functions of one manager are equal."""

    def __and__(self, other: Diagram, /) -> Diagram: ...

    def __or__(self, other: Diagram, /) -> Diagram: ...

    def __invert__(self) -> Diagram: ...


class OutOfTime(Exception):  # noqa: N818 - the caller reports it as a reason
    """Say that the deadline has passed."""


class TooLarge(Exception):  # noqa: N818 - another manager takes over
    """Say that images have visited more nodes than their manager allows."""


@contextmanager
def _without(name: str) -> Iterator[None]:
    """Make imports of a module fail, unless it is loaded already."""
    if name in sys.modules:
        yield
        return
    sys.modules[name] = cast("ModuleType", None)
    try:
        yield
    finally:
        sys.modules.pop(name, None)


@cache
def _library() -> tuple[Any, bool]:
    # `dd` imports networkx, for drawing only, if it can: that takes six times as long.
    with _without("networkx"):
        try:
            from dd import cudd
        except ImportError:
            from dd import autoref

            return autoref, False
        return cudd, True


class Manager:
    """Make diagrams until a deadline; `in_c` tells whether CUDD makes them.

    `most_memory`, in bytes, is for diagrams that are kept (0: the usual limits; CUDD only).
    `most_visited` are the nodes of all sets of states, together, of which images are computed.
    """

    def __init__(
        self,
        deadline: Deadline,
        *,
        reordering: bool = True,
        most_memory: int = 0,
        most_visited: float = math.inf,
    ) -> None:
        library, self.in_c = _library()
        self._bdd: Any = (
            library.BDD(initial_cache_size=_FIRST_CACHE) if self.in_c else library.BDD()
        )
        self._paired: dict[str, str] = {}
        self._and_exists: Any = getattr(library, "and_exists", None)
        self.deadline = deadline
        self._left = most_visited
        self._unseen = 0
        self.true: Diagram = self._bdd.true
        self.false: Diagram = self._bdd.false
        self._bdd.configure(reordering=reordering)
        self._reordering = reordering
        self._most_memory = most_memory or (MOST_MEMORY if reordering else LEAST_MEMORY)
        if self.in_c:
            self._bdd.configure(max_memory=self._most_memory, max_growth=MOST_GROWTH)

    @property
    def deadline(self) -> Deadline:
        """Return until when diagrams are made.

        With another deadline begins another question, of which nothing says how long it takes.
        """
        return self._deadline

    @deadline.setter
    def deadline(self, deadline: Deadline) -> None:
        self._deadline = deadline
        self._together = 1  # times `MOST_PAIRS`

    @contextmanager
    def in_fixed_order(self) -> Iterator[None]:
        """Do not reorder meanwhile, in as little memory as a manager has that never does."""
        if not (self._reordering and self.in_c):
            yield
            return
        self._bdd.configure(reordering=False, max_memory=LEAST_MEMORY)
        try:
            yield
        finally:
            self._bdd.configure(reordering=True, max_memory=self._most_memory)

    def tick(self, nodes: int = OPERATION) -> None:
        """Check the deadline before an operation on some nodes.

        After every few it may stop: whoever does not want the answer ends the work.

        Raises:
            OutOfTime: the deadline has passed.
        """
        self._unseen += nodes
        if self._unseen >= MOST_UNSEEN:
            self._unseen = 0
            may_stop()
        if self.deadline.passed():
            raise OutOfTime

    def pair(self, current: str, following: str) -> tuple[Diagram, Diagram]:
        """Return a bit of the current and the next state, declared side by side on first use."""
        if current not in self._paired:
            self._bdd.declare(current, following)
            if self.in_c:
                self._bdd.group({current: 2})
            self._paired[current] = following
        return self._bdd.var(current), self._bdd.var(following)

    def order(self) -> tuple[str, ...]:
        """Return the current bits of all pairs in their present order."""
        level = self._bdd.level_of_var
        return tuple(sorted(self._paired, key=level))

    def single(self, name: str) -> Diagram:
        """Declare a bit that is the same in all states."""
        self._bdd.declare(name)
        return cast("Diagram", self._bdd.var(name))

    def ite(self, condition: Diagram, then: Diagram, otherwise: Diagram) -> Diagram:
        """Return the choice between two functions."""
        return cast("Diagram", self._bdd.ite(condition, then, otherwise))

    def xor(self, left: Diagram, right: Diagram) -> Diagram:
        """Return the exclusive disjunction of two functions."""
        return cast("Diagram", self._bdd.apply("xor", left, right))

    def connective(self, op: Op, args: Sequence[Diagram]) -> Diagram | None:
        """Apply a Boolean operator to functions; None if the operator is no connective."""
        match op:
            case Op.NOT:
                return ~args[0]
            case Op.AND:
                return args[0] & args[1]
            case Op.OR:
                return args[0] | args[1]
            case Op.IMPLIES:
                return ~args[0] | args[1]
            case Op.XOR | Op.NE:
                return self.xor(args[0], args[1])
            case Op.IFF | Op.XNOR | Op.EQ:
                return ~self.xor(args[0], args[1])
            case Op.ITE:
                return self.ite(args[0], args[1], args[2])
            case _:
                return None

    def conjunction(self, nodes: Iterable[Diagram]) -> Diagram:
        """Return the conjunction, from the last to the first."""
        result = self.true
        for node in reversed(tuple(nodes)):
            result = node & result
        return result

    def disjunction(self, nodes: Iterable[Diagram]) -> Diagram:
        """Return the disjunction, of neighbours first: those of many nodes stay few."""
        left = list(nodes) or [self.false]
        while len(left) > 1:
            odd = left[len(left) & ~1 :]
            left = [one | other for one, other in zip(left[::2], left[1::2], strict=False)] + odd
        return left[0]

    def exists(self, names: Iterable[str], node: Diagram) -> Diagram:
        """Return a function with the named bits existentially quantified."""
        return cast("Diagram", self._bdd.exist(list(names), node))

    def and_exists(self, left: Diagram, right: Diagram, names: Sequence[str]) -> Diagram:
        """Return the conjunction of two functions with the named bits existentially quantified.

        Raises:
            OutOfTime: the deadline has passed.
            TooLarge: such functions have more nodes, together, than are allowed.
        """
        size = self.size(left)
        self._left -= size
        if self._left < 0:
            raise TooLarge
        if self._and_exists is None:
            self.tick()
            return self.exists(names, left & right)
        return self._split(left, right, names, MOST_SPLITS)

    def _split(self, left: Any, right: Any, names: Sequence[str], splits: int) -> Diagram:
        """Do `and_exists` in pieces, by the values of at most `splits` bits.

        Few operations take as long as their pairs of nodes allow: pieces grow while they are quick.
        """
        size = left.dag_size
        self.tick(max(size, OPERATION))
        if size < SMALL:
            return cast("Diagram", self._and_exists(left, right, names))
        pairs = size * right.dag_size
        together = MOST_PAIRS * (self._together if size < MANY else 1)
        if not splits or pairs < together:
            started = time.thread_time()
            found = cast("Diagram", self._and_exists(left, right, names))
            taken = time.thread_time() - started
            if taken > SLOW_S:
                self._together = 1
            elif taken < QUICK_S and together < LARGE * pairs:
                self._together = min(2 * self._together, MOST_TOGETHER)
            return found
        top = left.var if left.level <= right.level else right.var
        (left0, left1), (right0, right1) = self._cofactors(left, top), self._cofactors(right, top)
        high = self._split(left1, right1, names, splits - 1)
        if top not in names:
            return self.ite(self._bdd.var(top), high, self._split(left0, right0, names, splits - 1))
        return high if high == self.true else high | self._split(left0, right0, names, splits - 1)

    def _cofactors(self, node: Diagram, bit: str) -> tuple[Diagram, Diagram]:
        """Return a function for both values of a bit, which no other of its bits precedes."""
        if cast("Any", node).var != bit:
            return node, node
        _, low, high = self.branches(node)
        return low, high

    def renamed(self, names: Mapping[str, str], node: Diagram) -> Diagram:
        """Return a function with its bits renamed."""
        return cast("Diagram", self._bdd.let(dict(names), node)) if names else node

    def fixed(self, values: Mapping[str, bool], node: Diagram) -> Diagram:
        """Return a function with the named bits set to these values."""
        return cast("Diagram", self._bdd.let(dict(values), node)) if values else node

    def cube(self, values: Mapping[str, bool]) -> Diagram:
        """Return the conjunction of literals by which the named bits have these values."""
        return cast("Diagram", self._bdd.cube(dict(values)))

    def support(self, node: Diagram) -> frozenset[str]:
        """Return the names of the bits a function depends on."""
        return frozenset(self._bdd.support(node))

    def regular(self, node: Diagram) -> Diagram:
        """Return the canonical one of a function and its negation."""
        return ~node if cast("Any", node).negated else node

    def branches(self, node: Diagram) -> tuple[str, Diagram, Diagram]:
        """Return the first bit of a non-constant function, and its cofactors for 0 and 1."""
        function = cast("Any", node)
        low, high = function.low, function.high
        return (function.var, ~low, ~high) if function.negated else (function.var, low, high)

    def size(self, node: Diagram) -> int:
        """Return the number of nodes of a diagram."""
        return int(cast("Any", node).dag_size) if self.in_c else len(cast("Any", node))

    def count(self, node: Diagram, names: Sequence[str]) -> float:
        """Return for how many values of the named bits a function of these is true.

        What is too much for a float is infinity; the library fails on it, as if memory lacked.
        """
        try:
            return float(self._bdd.count(node, len(names)))
        except (OverflowError, RuntimeError):
            if len(names) < sys.float_info.max_exp:
                raise
            return math.inf

    def implies(self, left: Diagram, right: Diagram) -> bool:
        """Tell whether a function implies another."""
        return left & ~right == self.false


def is_out_of_memory(error: Exception) -> bool:
    """Tell whether the library failed because it had no memory left."""
    said = str(error)  # which error it is depends on the operation
    return isinstance(error, MemoryError) or any(words in said for words in _OUT_OF_MEMORY)
