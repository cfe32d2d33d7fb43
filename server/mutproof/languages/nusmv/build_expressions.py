"""What the rules for expressions build: called by the parser from the leaves up."""

from __future__ import annotations

import re
import threading
from fractions import Fraction
from typing import Any

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.grammar import Terminal
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, precedence, syntax
from mutproof.languages.nusmv.precedence import Binding
from mutproof.languages.nusmv.resolve import (
    Binary,
    Misplaced,
    Part,
    Prefix,
    Tree,
    resolve,
    span_of,
)
from mutproof.languages.nusmv.syntax import Form, WordLiteral

_BINARY_FORMS = {form.value: form for form in precedence.BINARY if form is not Form.IF}
_TEMPORAL_FORMS = {form.value: form for form in (*syntax.BRANCHING, *syntax.LINEAR)}
_TEMPORAL_FORMS["X!"] = Form.X  # every execution goes on for ever
_ARITY = {
    "extend": 2,
    "resize": 2,
    "uwconst": 2,
    "swconst": 2,
    "min": 2,
    "max": 2,
    "READ": 2,
    "WRITE": 3,
    "CONSTARRAY": 2,
}
_BITS = {"b": 1, "o": 3, "h": 4}
_BASE = {"b": 2, "o": 8, "d": 10, "h": 16}


def _bounds(low: Terminal | None, high: Terminal | None) -> tuple[int, int] | None:
    if low is None:
        return None
    return (int(low.text), int((high or low).text))


class ExpressionBuilder(threading.local):
    """Make syntax from what rules have read; `problems` collects what the rules cannot say.

    `psl` says whether operators bind as in PSL.

    Mutable, used by one parse of a thread at a time: the owner empties `problems` before each.
    Every thread has its own, as parsing may give way to another thread.
    """

    def __init__(self) -> None:
        self.problems: list[Diagnostic] = []
        self.psl = False

    def syntax_error_at(self, span: Span, found: str = "this place", expected: str = "") -> None:
        """Report a token that the rules accept and NuSMV does not."""
        self.problems.append(errors.syntax_error(found, span, expected))

    # --- leaves -------------------------------------------------------------------------------

    def _leaf(self, form: Form, value: syntax.NodeValue, token: Terminal) -> Tree:
        span = span_of(token)
        return Tree(form, value, [], span, span)

    def name(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `name` reads."""
        return self._leaf(Form.NAME, parts[0].text, parts[0])

    def number(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `number` reads."""
        return self._leaf(Form.NUMBER, int(parts[0].text), parts[0])

    def boolean(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `boolean` reads."""
        return self._leaf(Form.BOOLEAN, parts[0].text == "TRUE", parts[0])

    def self(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `self` reads."""
        return self._leaf(Form.SELF, None, parts[0])

    def real(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `real` reads."""
        text = parts[0].text
        exponent = text.lower().partition("e")[2]
        if len(text) > 100 or abs(int(exponent or "0")) > 400:
            self._bad_literal("this real constant is too long", parts[0], "scale the model")
            return self._leaf(Form.REAL, Fraction(0), parts[0])
        try:
            value = Fraction(text[2:]) if text[1] == "'" else Fraction(text)
        except ZeroDivisionError:
            self._bad_literal("the denominator is zero", parts[0], "mend the fraction")
            value = Fraction(0)
        return self._leaf(Form.REAL, value, parts[0])

    def _bad_literal(self, message: str, token: Terminal, advice: str) -> None:
        self.problems.append(errors.literal("bad-literal", message, span_of(token), advice))

    def word(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `word` reads."""
        token = parts[0]
        return self._leaf(Form.WORD, self._word_literal(token), token)

    def _word_literal(self, token: Terminal) -> WordLiteral:
        """Read a word constant. Source: manual §2.2.3; input.l."""
        match = re.fullmatch(r"0([us]?)([bodh])(\d*)_([0-9a-f_]+)", token.text.lower())
        problem = "this word constant cannot be read"
        if match is not None:
            sign, base, width_text, digits = match.groups()
            digits = digits.replace("_", "")
            known = int(width_text[-9:]) if width_text else len(digits) * _BITS.get(base, 0)
            width = min(known, 65) if len(width_text) < 9 else 65
            try:
                value = int(digits, _BASE[base])
            except ValueError:
                value = -1
            signed = sign == "s"
            limit = 1 << (width - 1) if signed and base == "d" and width else (1 << width) - 1
            if width == 0:
                problem = "a decimal word constant needs a width"
            elif width > 64:
                problem = "words are at most 64 bits wide"
            elif value < 0:
                problem = "a digit does not belong to the base of this word constant"
            elif value > limit:
                problem = "the value of this word constant is outside of its width"
            else:
                if signed and value >= 1 << (width - 1):
                    value -= 1 << width
                return WordLiteral(value, width, signed)
        self._bad_literal(problem, token, "write it as 0ud8_255, 0ub4_1010 or 0sh8_7f")
        return WordLiteral(0, 1, False)

    # --- operands -----------------------------------------------------------------------------

    def parenthesised(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `parenthesised` reads."""
        tree: Tree = parts[1]
        tree.outer = Span(parts[0].start, parts[2].end)
        tree.level = precedence.ATOM
        return tree

    def _group(self, form: Form, value: syntax.NodeValue, parts: list[Any], level: int) -> Tree:
        members = [part for part in parts if isinstance(part, Tree)]
        whole = Span(parts[0].start, parts[-1].end)
        return Tree(form, value, members, whole, span_of(parts[0]), level)

    def set(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `set` reads."""
        return self._group(Form.SET, None, [*map(self._member, parts)], precedence.SET)

    def sequence(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `sequence` reads."""
        members = [*map(self._member, parts)]
        return self._group(Form.SEQUENCE, None, members, precedence.ATOM)

    def _member(self, part: Any) -> Any:
        """Return a part of what is in braces; there `!p[*2]` is `{!p}[*2]`."""
        if not isinstance(part, Tree) or part.run is None or part.parenthesised:
            return part
        last = part.run[-1]
        if not (isinstance(last, Tree) and syntax.is_repeated(last.form, last.value)):
            return part
        repeated = self._resolved([*part.run[:-1], *last.args], bracket=False)
        return Tree(last.form, last.value, [repeated], part.whole, last.token)

    def array(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `array` reads."""
        if len(parts) == 3 and parts[1].run is not None:
            run: list[Part] = parts[1].run
            for part in run:
                if isinstance(part, Binary) and part.value == "W":
                    part.binding = Binding(precedence.UNTIL_BRACKET)
            tree = self._resolved(run, bracket=True)
            tree.outer = Span(parts[0].start, parts[2].end)
            tree.level = precedence.ATOM
            return tree
        return self._group(Form.ARRAY, None, parts, precedence.ATOM)

    def repetition(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `repetition` reads."""
        return self._group(Form.PSL, "[*]", [parts[0], parts[-1]], precedence.ATOM)

    def _call(self, form: Form, name: str | None, parts: list[Any]) -> Tree:
        found = parts[2]
        arguments = found if isinstance(found, list) else [found]
        arity = _ARITY.get(name or "", 1)
        if name != "count" and len(arguments) != arity:
            self.syntax_error_at(
                span_of(parts[3]), "')'", f"{arity} arguments of {name}, {len(arguments)} are given"
            )
        whole = Span(parts[0].start, parts[3].end)
        return Tree(form, name, arguments, whole, span_of(parts[0]))

    def function(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `function` reads."""
        return self._call(Form.CALL, parts[0].text, parts)

    def sign(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `sign` reads."""
        return self._call(Form.CALL, parts[0].text, parts)

    def next(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `next` reads."""
        return self._call(Form.NEXT, None, parts)

    def actuals(self, parts: list[Any]) -> list[Tree]:
        """Return the syntax that rule `actuals` reads."""
        return [part for part in parts if isinstance(part, Tree)]

    def branch(self, parts: list[Any]) -> tuple[Tree, Tree]:
        """Return the syntax that rule `branch` reads."""
        return parts[0], parts[2]

    def case(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `case` reads."""
        arguments = [tree for branch in parts[1:-1] for tree in branch]
        whole = Span(parts[0].start, parts[-1].end)
        return Tree(Form.CASE, None, arguments, whole, span_of(parts[0]))

    def until(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `until` reads."""
        quantifier, _, inner, close = parts
        token = span_of(quantifier)
        whole = Span(quantifier.start, close.end)
        branching = precedence.BRANCHING_TIME
        if inner.form is Form.U and inner.level == precedence.UNTIL_BRACKET:
            form = Form.AU if quantifier.text == "A" else Form.EU
            return Tree(form, None, inner.args, whole, token, branching)
        if inner.form is Form.BU and inner.level == precedence.UNTIL_BRACKET:
            form = Form.ABU if quantifier.text == "A" else Form.EBU
            return Tree(form, inner.value, inner.args, whole, token, branching)
        self.syntax_error_at(span_of(close), "']'", f"{quantifier.text} [ p U q ]")
        return inner  # type: ignore[no-any-return]

    # --- operators ----------------------------------------------------------------------------

    def prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `prefix` reads."""
        token = parts[0]
        span = span_of(token)
        if token.type == "NOT":
            return Prefix(Form.NOT, None, span, precedence.UNARY[Form.NOT])
        if token.type in {"MINUS", "PLUS"}:
            return Prefix(Form.NEGATE, token.text, span, precedence.UNARY[Form.NEGATE])
        form = _TEMPORAL_FORMS.get(token.text)
        if form is not None:
            return Prefix(form, None, span, precedence.UNARY[form])
        return Prefix(Form.PSL, token.text, span, precedence.PSL[token.text])

    def bounded_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `bounded_prefix` reads."""
        form = _TEMPORAL_FORMS[parts[0].text]
        bounds = _bounds(parts[2], parts[4])
        end = parts[0] if bounds is None else parts[5]
        return Prefix(form, bounds, Span(parts[0].start, end.end), precedence.UNARY[form])

    def real_time_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `real_time_prefix` reads."""
        form = _TEMPORAL_FORMS[parts[0].text]
        span = Span(parts[0].start, parts[3].end)
        return Prefix(form, _bounds(parts[1], parts[3]), span, precedence.UNARY[form])

    def next_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `next_prefix` reads."""
        word = parts[0].text.rstrip("!").replace("X", "next")
        low, high = self._counts(parts[1:])
        binding = precedence.PSL["next" if parts[1] is None else "next[]"]
        return Prefix(Form.PSL, (word, low, high), span_of(parts[0]), binding)

    def event_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `event_prefix` reads."""
        value = (parts[0].text, *self._counts(parts[4:]))
        binding = precedence.PSL["next[]"]
        return Prefix(Form.PSL, value, span_of(parts[0]), binding, [parts[2]])

    def _counts(self, parts: list[Any]) -> tuple[int, int]:
        """Return the numbers in the brackets of `next[2]` or `next_a[1:3]`, without any 1."""
        numbers = [int(p.text) for p in parts if p is not None and p.type == "NUMBER"] or [1]
        return numbers[0], numbers[-1]

    def forall_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `forall_prefix` reads."""
        members = [part for part in parts if isinstance(part, Tree)]
        value = ("forall", parts[1].text)
        return Prefix(Form.PSL, value, span_of(parts[0]), precedence.PSL["forall"], members)

    def forall_range_prefix(self, parts: list[Any]) -> Prefix:
        """Return the prefix operator that rule `forall_range_prefix` reads."""
        low, high = int(parts[4].text), int(parts[6].text)
        span = span_of(parts[4])
        if high - low > 1000:
            self.syntax_error_at(span, "this range", "at most 1000 values")
            high = low
        members = [Tree(Form.NUMBER, n, [], span, span) for n in range(low, high + 1)]
        value = ("forall", parts[1].text)
        return Prefix(Form.PSL, value, span_of(parts[0]), precedence.PSL["forall"], members)

    def binary(self, parts: list[Any]) -> Binary:
        """Return the binary operator that rule `binary` reads."""
        token = parts[0]
        span = span_of(token)
        form = _BINARY_FORMS.get(token.text)
        if form is not None:
            return Binary(form, None, span, precedence.BINARY[form])
        return Binary(Form.PSL, token.text, span, precedence.PSL[token.text])

    def ternary(self, parts: list[Any]) -> Binary:
        """Return the binary operator that rule `ternary` reads."""
        binding = precedence.BINARY[Form.IF]
        return Binary(Form.IF, None, span_of(parts[0]), binding, parts[1])

    def bounded_until(self, parts: list[Any]) -> Binary:
        """Return the binary operator that rule `bounded_until` reads."""
        bounds = _bounds(parts[1], parts[3])
        return Binary(Form.BU, bounds, span_of(parts[0]), precedence.BINARY[Form.BU])

    # The operand of a postfix operator is known later only.

    def dot(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `dot` reads."""
        return _Postfix(Form.DOT, parts[1].text, [], Span(parts[0].start, parts[1].end))

    def index(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `index` reads."""
        return _Postfix(Form.INDEX, None, [parts[1]], Span(parts[0].start, parts[2].end))

    def slice(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `slice` reads."""
        arguments = [parts[1], parts[3]]
        return _Postfix(Form.SLICE, None, arguments, Span(parts[0].start, parts[4].end))

    def arguments(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `arguments` reads."""
        return _Postfix(Form.CALL, None, parts[1] or [], Span(parts[0].start, parts[2].end))

    def strong(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `strong` reads."""
        return _Postfix(Form.SEQUENCE, True, [], span_of(parts[0]))

    def repeated(self, parts: list[Any]) -> _Postfix:
        """Return the postfix operator that rule `repeated` reads."""
        word, low, high = parts[1:4]
        count = int(low.text) if word.text == "*" and low is not None and high is None else 0
        value: syntax.NodeValue = (syntax.REPEATED, count) if count else "[*]"
        return _Postfix(Form.PSL, value, [], Span(parts[0].start, parts[-1].end))

    def _applied(self, operand: Tree, postfix: _Postfix) -> Tree:
        whole = operand.outer.joined(postfix.span)
        token = operand.token
        if postfix.form is Form.CALL:
            if operand.form is Form.NAME:
                return Tree(Form.CALL, operand.value, postfix.arguments, whole, token)
            if operand.form in {Form.SET, Form.SEQUENCE} and len(postfix.arguments) == 1:
                return Tree(Form.PSL, "|->", [operand, *postfix.arguments], whole, token)
            self.syntax_error_at(postfix.span, "'('")
            return operand
        if postfix.form is Form.SEQUENCE:
            if operand.form in {Form.SET, Form.SEQUENCE}:
                return Tree(Form.SEQUENCE, True, operand.args, whole, token)
            self.syntax_error_at(postfix.span, "'!'", "a binary operator")
            return operand
        return Tree(postfix.form, postfix.value, [operand, *postfix.arguments], whole, token)

    def _resolved(self, run: list[Part], *, bracket: bool) -> Tree:
        if self.psl:
            for part in run:
                if isinstance(part, Prefix | Binary) and part.form is not Form.PSL:
                    part.binding = precedence.IN_PSL[part.form]
        try:
            return resolve(run, bracket=bracket, psl=self.psl)
        except Misplaced as problem:
            self.syntax_error_at(problem.span, "this operator", "parentheses around the operand")
            return Tree(Form.NUMBER, 0, [], problem.span, problem.span)

    def expression(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `expression` reads."""
        return self._expression(parts, bracket=False)

    def until_expression(self, parts: list[Any]) -> Tree:
        """Return the operand that rule `until_expression` reads."""
        return self._expression(parts, bracket=True)

    def _expression(self, parts: list[Any], *, bracket: bool) -> Tree:
        if len(parts) == 1:
            return parts[0]  # type: ignore[no-any-return]
        run: list[Part] = []
        special = False
        for part in parts:
            if isinstance(part, _Postfix):
                last = run[-1]
                assert isinstance(last, Tree)
                run[-1] = self._applied(last, part)
                special |= syntax.is_repeated(part.form, part.value)
                continue
            if isinstance(part, Tree) and run and self._is_plus(run[-1]):
                plus = run.pop()
                assert isinstance(plus, Prefix)
                if part.form is not Form.NUMBER:
                    self.syntax_error_at(plus.token, "'+'", "a number after a unary plus")
            if isinstance(part, Binary) and (part.form is Form.U or part.value == "W"):
                special = True
            run.append(part)
        tree = self._resolved(run, bracket=bracket)
        if special and not bracket:
            tree.run = run
        return tree

    def _is_plus(self, part: Part) -> bool:
        return isinstance(part, Prefix) and part.form is Form.NEGATE and part.value == "+"


class _Postfix:
    """Hold a postfix operator until its operand is known."""

    __slots__ = ("arguments", "form", "span", "value")

    def __init__(
        self, form: Form, value: syntax.NodeValue, arguments: list[Tree], span: Span
    ) -> None:
        self.form = form
        self.value = value
        self.arguments = arguments
        self.span = span
