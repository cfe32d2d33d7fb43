"""How values are written for users where a language does not define it."""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from mutproof.model.sorts import Sort, Value

MAX_DIGITS: Final = 40
MAX_DECIMALS: Final = 6


def text(value: Value, sort: Sort | None = None) -> str:  # noqa: ARG001 - languages may need it
    """Return a value as text for users; a very long number is shortened."""
    match value:
        case bool():
            return "true" if value else "false"
        case int():
            # Python refuses to print numbers of more than 4300 digits.
            if value.bit_length() > 4 * MAX_DIGITS:
                return f"{'-' if value < 0 else ''}2^{value.bit_length() - 1}…"
            return str(value)
        case Fraction(numerator=numerator, denominator=1):
            return f"{text(numerator)}.0"
        case Fraction():
            return decimal(value) or quotient(value)
        case tuple():
            return "[" + ", ".join(text(part) for part in value) + "]"
        case _:
            return str(value)


def decimal(value: Fraction) -> str:
    """Return a number with few decimals as these say it exactly; empty for others."""
    scaled = value * 10**MAX_DECIMALS
    if scaled.denominator != 1 or abs(scaled) >= 10**MAX_DIGITS:
        return ""
    whole, rest = divmod(abs(scaled.numerator), 10**MAX_DECIMALS)
    decimals = f"{rest:0{MAX_DECIMALS}}".rstrip("0") or "0"
    return f"{'-' if value < 0 else ''}{whole}.{decimals}"


def quotient(value: Fraction) -> str:
    """Return a number as a numerator and a denominator."""
    return f"{text(value.numerator)}/{text(value.denominator)}"
