"""Arithmetic on words of bits, lowest bit first, as functions on diagrams.

The deadline is checked at each bit: diagrams can double there.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from mutproof.base.record import dataclass
from mutproof.solving.bdd.manager import Diagram, Manager


@dataclass(frozen=True, slots=True)
class Word:
    """Hold the bits of a word, lowest first, and how its highest bit counts."""

    bits: tuple[Diagram, ...]
    signed: bool = False

    @property
    def sign(self) -> Diagram:
        """Return the highest bit."""
        return self.bits[-1]


class Arithmetic:
    """Compute with words in one manager; results have the width of the first operand."""

    def __init__(self, manager: Manager) -> None:
        self._manager = manager

    def constant(self, value: int, width: int, *, signed: bool) -> Word:
        """Return a constant word."""
        m = self._manager
        bits = tuple(m.true if value >> i & 1 else m.false for i in range(width))
        return Word(bits, signed)

    def choice(self, condition: Diagram, then: Word, otherwise: Word) -> Word:
        """Return one of two words of one width."""
        return self.bitwise(lambda a, b: self._manager.ite(condition, a, b), then, otherwise)

    def bitwise(
        self, combine: Callable[[Diagram, Diagram], Diagram], left: Word, right: Word
    ) -> Word:
        """Return the word whose bits are combined from those of two words."""
        bits = tuple(combine(a, b) for a, b in self._pairs(left, right))
        return Word(bits, left.signed)

    def _pairs(self, left: Word, right: Word) -> Iterator[tuple[Diagram, Diagram]]:
        for pair in zip(left.bits, right.bits, strict=True):
            self._manager.tick()
            yield pair

    def complement(self, word: Word) -> Word:
        """Return the word with all bits negated."""
        return Word(tuple(~bit for bit in word.bits), word.signed)

    def _added(self, left: Word, right: Word, carry: Diagram) -> tuple[Word, Diagram]:
        m = self._manager
        bits = []
        for a, b in self._pairs(left, right):
            different = m.xor(a, b)
            bits.append(m.xor(different, carry))
            carry = (a & b) | (carry & different)
        return Word(tuple(bits), left.signed), carry

    def sum(self, left: Word, right: Word) -> Word:
        """Return the sum modulo 2^width."""
        return self._added(left, right, self._manager.false)[0]

    def difference(self, left: Word, right: Word) -> Word:
        """Return the difference modulo 2^width."""
        return self._added(left, self.complement(right), self._manager.true)[0]

    def negated(self, word: Word) -> Word:
        """Return the two's complement."""
        return self.difference(self.constant(0, len(word.bits), signed=word.signed), word)

    def product(self, left: Word, right: Word) -> Word:
        """Return the product modulo 2^width."""
        m, width = self._manager, len(left.bits)
        total = self.constant(0, width, signed=left.signed)
        for shift, bit in enumerate(right.bits):
            m.tick()
            row = (m.false,) * shift + tuple(bit & a for a in left.bits[: width - shift])
            total = self.sum(total, Word(row, left.signed))
        return total

    def less(self, left: Word, right: Word) -> Diagram:
        """Return the condition that a word is less than another, signed if the first is."""
        m = self._manager
        result = m.false
        for position, (a, b) in enumerate(self._pairs(left, right)):
            if left.signed and position == len(left.bits) - 1:
                a, b = b, a
            result = m.ite(m.xor(a, b), b, result)
        return result

    def equal(self, left: Word, right: Word) -> Diagram:
        """Return the condition that two words are equal."""
        m = self._manager
        result = m.true
        for same in reversed([~m.xor(a, b) for a, b in self._pairs(left, right)]):
            m.tick()
            result = same & result  # from the highest bit on, which comes first in their order
        return result

    def divided(self, left: Word, right: Word) -> tuple[Word, Word]:
        """Return quotient and remainder, towards zero; for divisor 0, all ones and the dividend."""
        if not left.signed:
            return self._divided_unsigned(left, right)
        m = self._manager
        top = self.choice(left.sign, self.negated(left), left)
        bottom = self.choice(right.sign, self.negated(right), right)
        quotient, remainder = self._divided_unsigned(Word(top.bits), Word(bottom.bits))
        quotient, remainder = Word(quotient.bits, True), Word(remainder.bits, True)
        return (
            self.choice(m.xor(left.sign, right.sign), self.negated(quotient), quotient),
            self.choice(left.sign, self.negated(remainder), remainder),
        )

    def _divided_unsigned(self, left: Word, right: Word) -> tuple[Word, Word]:
        m, width = self._manager, len(left.bits)
        # The remainder needs one more bit before the divisor is subtracted.
        divisor = Word((*right.bits, m.false))
        rest = self.constant(0, width + 1, signed=False)
        quotient: list[Diagram] = []
        for bit in reversed(left.bits):
            m.tick()
            rest = Word((bit, *rest.bits[:-1]))
            fits = ~self.less(rest, divisor)
            rest = self.choice(fits, self.difference(rest, divisor), rest)
            quotient.append(fits)
        return Word(tuple(reversed(quotient))), Word(rest.bits[:-1])

    def shifted(self, word: Word, amount: int, *, left: bool) -> Word:
        """Return the word shifted by a known amount; a signed word keeps its sign."""
        m, width = self._manager, len(word.bits)
        amount = max(0, min(amount, width))
        if left:
            return Word((m.false,) * amount + word.bits[: width - amount], word.signed)
        fill = word.sign if word.signed else m.false
        return Word(word.bits[amount:] + (fill,) * amount, word.signed)

    def extended(self, word: Word, width: int) -> Word:
        """Return the word with its sign, or zeros, in front."""
        fill = word.sign if word.signed else self._manager.false
        return Word(word.bits + (fill,) * (width - len(word.bits)), word.signed)

    def resized(self, word: Word, width: int) -> Word:
        """Return the word in another width; shrinking a signed one keeps its sign bit."""
        if width >= len(word.bits):
            return self.extended(word, width)
        if not word.signed:
            return Word(word.bits[:width])
        return Word((*word.bits[: width - 1], word.sign), True)
