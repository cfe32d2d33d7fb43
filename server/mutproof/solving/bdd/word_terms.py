"""Operators on words, as functions on the diagrams of their bits."""

from __future__ import annotations

from typing import TypeAlias

from mutproof.model.operators import Op
from mutproof.model.sorts import BoolSort, Value, WordSort
from mutproof.model.terms import Term
from mutproof.solving.bdd import tables
from mutproof.solving.bdd.manager import Diagram, Manager
from mutproof.solving.bdd.tables import Table, TooManyValues
from mutproof.solving.bdd.words import Arithmetic, Word

Argument: TypeAlias = Diagram | Table | Word


class WordTerms:
    """Encode operators that take or give words."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager
        self._arithmetic = Arithmetic(manager)

    def encoded(self, term: Term, args: tuple[Argument, ...]) -> Diagram | Word | None:
        """Return the value of an operator; None where it gives a table."""
        if isinstance(term.sort, WordSort):
            return self._word(term, term.sort, args)
        if not isinstance(term.sort, BoolSort):
            return None
        arithmetic = self._arithmetic
        left = _word(args[0])
        if term.op is Op.TO_BOOL:
            return self._manager.disjunction(left.bits)
        right = _word(args[1])
        match term.op:
            case Op.EQ:
                return arithmetic.equal(left, right)
            case Op.NE:
                return ~arithmetic.equal(left, right)
            case Op.LT:
                return arithmetic.less(left, right)
            case Op.GT:
                return arithmetic.less(right, left)
            case Op.LE:
                return ~arithmetic.less(right, left)
            case Op.GE:
                return ~arithmetic.less(left, right)
            case _:
                raise NotImplementedError(term.op.value)

    def _word(self, term: Term, sort: WordSort, args: tuple[Argument, ...]) -> Word:
        m, arithmetic = self._manager, self._arithmetic
        match term.op:
            case Op.CONST:
                assert isinstance(term.payload, int)
                return arithmetic.constant(term.payload, sort.width, signed=sort.signed)
            case Op.WORD1:
                assert not isinstance(args[0], Table | Word)
                return Word((args[0],))
            case Op.ITE:
                assert not isinstance(args[0], Table | Word)
                return arithmetic.choice(args[0], _word(args[1]), _word(args[2]))
            case Op.SHIFT_LEFT | Op.SHIFT_RIGHT:
                return self._shifted(_word(args[0]), args[1], left=term.op is Op.SHIFT_LEFT)
            case Op.TO_INT | Op.TO_REAL:
                raise NotImplementedError(term.op.value)
        left = _word(args[0])
        match term.op:
            case Op.NOT:
                return arithmetic.complement(left)
            case Op.NEG:
                return arithmetic.negated(left)
            case Op.SIGNED | Op.UNSIGNED:
                return Word(left.bits, sort.signed)
            case Op.EXTEND:
                return arithmetic.extended(left, sort.width)
            case Op.RESIZE:
                return Word(arithmetic.resized(left, sort.width).bits, sort.signed)
            case Op.BIT_SELECTION:
                high, low = _bounds(term)
                return Word(left.bits[low : high + 1])
        right = _word(args[1])
        match term.op:
            case Op.CONCAT:
                return Word(right.bits + left.bits, sort.signed)
            case Op.AND:
                return arithmetic.bitwise(lambda a, b: a & b, left, right)
            case Op.OR:
                return arithmetic.bitwise(lambda a, b: a | b, left, right)
            case Op.XOR:
                return arithmetic.bitwise(m.xor, left, right)
            case Op.XNOR | Op.IFF:
                return arithmetic.bitwise(lambda a, b: ~m.xor(a, b), left, right)
            case Op.IMPLIES:
                return arithmetic.bitwise(lambda a, b: ~a | b, left, right)
            case Op.ADD:
                return arithmetic.sum(left, right)
            case Op.SUB:
                return arithmetic.difference(left, right)
            case Op.MUL:
                return arithmetic.product(left, right)
            case Op.TRUNC_DIV:
                return arithmetic.divided(left, right)[0]
            case Op.TRUNC_MOD:
                return arithmetic.divided(left, right)[1]
            case _:
                raise NotImplementedError(term.op.value)

    def _shifted(self, word: Word, amount: Argument, *, left: bool) -> Word:
        arithmetic = self._arithmetic
        if isinstance(amount, Table):
            choices = [(v, node) for v, node in amount.entries.items() if isinstance(v, int)]
        else:
            # All shifts by the width or more are equal, so the table of amounts ends there.
            unsigned = Word(_word(amount).bits)
            width = max(len(unsigned.bits), len(word.bits).bit_length())
            wide = arithmetic.extended(unsigned, width)
            choices = [
                (n, arithmetic.equal(wide, arithmetic.constant(n, width, signed=False)))
                for n in range(len(word.bits))
            ]
        result = arithmetic.shifted(word, len(word.bits), left=left)
        for number, condition in choices:
            shifted = arithmetic.shifted(word, number, left=left)
            result = arithmetic.choice(condition, shifted, result)
        return result

    def numbered(self, word: Word) -> Table:
        """Return the numbers a word stands for.

        Raises:
            TooManyValues: there are too many.
        """
        entries: dict[Value, Diagram] = {0: self._manager.true}
        last = len(word.bits) - 1
        for position, bit in enumerate(word.bits):
            self._manager.tick()
            weight = -(1 << position) if word.signed and position == last else 1 << position
            longer: list[tuple[Value, Diagram]] = []
            for value, node in entries.items():
                assert isinstance(value, int)
                longer.append((value, node & ~bit))
                longer.append((value + weight, node & bit))
            if len(longer) > 2 * tables.MOST_VALUES:
                raise TooManyValues
            entries = dict(tables.table(self._manager, longer).entries)
        return Table(entries)


def _word(value: Argument) -> Word:
    assert isinstance(value, Word)
    return value


def _bounds(term: Term) -> tuple[int, int]:
    assert isinstance(term.payload, tuple)
    high, low = term.payload
    assert isinstance(high, int)
    assert isinstance(low, int)
    return high, low
