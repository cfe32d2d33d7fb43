"""What the Lustre front end warns of: texts that are read, and may not mean what was meant."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from mutproof.base.diagnostics import Diagnostic, Fix, Severity
from mutproof.base.span import Span
from mutproof.languages.lustre.explanations import CODES


def _warning(code: str, message: str, span: Span, help_: str = "") -> Diagnostic:
    assert code in CODES, code
    return Diagnostic(code, Severity.WARNING, message, span, help_)


def contract_not_checked(span: Span) -> Diagnostic:
    """Warn that a Kind 2 contract in a comment is read as a comment."""
    return _warning(
        "contract-not-checked",
        "this contract is a comment here: it is not checked",
        span,
        "state what must hold as a Boolean variable and a `--%PROPERTY`",
    )


def unknown_pragma(written: str, meant: str, span: Span) -> Diagnostic:
    """Warn that a comment looks like a pragma; `meant` is the one it resembles, if any."""
    return _warning(
        "unknown-pragma",
        f"`{written}` is not a pragma: this line is read as a comment",
        span,
        f"write `--%{meant}`, or leave a space after `--`"
        if meant
        else "pragmas are `--%PROPERTY`, `--%MAIN`, `--%REALIZABLE` and `--%IVC`",
    )


def glued_pragma(pragma: str, rest: str, span: Span) -> Diagnostic:
    """Warn that what follows a pragma without a space is read as a name."""
    return _warning(
        "glued-pragma", f"`{pragma}{rest}` is read as `{pragma} {rest}`", span, "add a space"
    )


def unneeded_division(span: Span) -> Diagnostic:
    """Warn of a divisor that is zero in a part of a constant that is not needed."""
    return _warning(
        "division-by-zero", "the divisor is zero, in a part that is never evaluated", span
    )


def realizable_twice(name: str, span: Span) -> Diagnostic:
    """Warn that an input is listed twice in `--%REALIZABLE`."""
    return _warning("duplicate-pragma", f"input `{name}` is stated twice", span)


def realizable_input(name: str, span: Span) -> Diagnostic:
    """Warn of a `--%REALIZABLE` entry that is no input."""
    return _warning("realizable-input", f"`{name}` is not an input", span)


def instantaneous_loop(names: Iterable[str], span: Span) -> Diagnostic:
    """Warn that variables need their own value of the same step."""
    chain = " -> ".join(names)
    return _warning(
        "instantaneous-loop",
        f"a value depends on itself in the same step: {chain}",
        span,
        "its equations only constrain the values; `pre` breaks the loop",
    )


def unguarded_pre(span: Span, whole: Span, first: str) -> Diagnostic:
    """Warn that a `pre` has an arbitrary value at the first step; `first` is one it may have."""
    found = _warning(
        "unguarded-pre",
        "`pre` has an arbitrary value at the first step",
        span,
        "give it a first value: `... -> pre ...`",
    )
    return replace(found, fixes=(Fix(whole, f"({first} -> ", ")"),)) if first else found


def arrow_for_implication(span: Span) -> Diagnostic:
    """Warn of a `->` that looks like an implication."""
    return _warning(
        "arrow-for-implication",
        "`p -> q` is p at the first step and q at all others, no implication",
        span,
        "write `p => q` if you mean that q holds whenever p does",
    )


def assert_in_called_node(name: str, span: Span) -> Diagnostic:
    """Warn that an assertion of a called node does not count."""
    return _warning(
        "assert-in-called-node",
        f"assertions of the called node `{name}` are ignored",
        span,
        "assert it in the main node",
    )


def unreached_property(name: str, node: str, main: str, span: Span) -> Diagnostic:
    """Say that a property is not looked at, as the main node does not call its node."""
    return Diagnostic(
        "unreached-property",
        Severity.INFORMATION,
        f"`{name}` is not looked at: node `{node}` is not part of the main node `{main}`",
        span,
        f"the last node is the main one unless some node has `--%MAIN;`: `{node}` may have it",
    )
