"""Find the `pre` without a value at the first step.

Source: JKind, WarnUnguardedPreVisitor.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping

from mutproof.base.diagnostics import Diagnostic
from mutproof.languages.lustre.printer import print_term
from mutproof.languages.lustre.syntax import Expression, Shape
from mutproof.languages.lustre.warnings import unguarded_pre
from mutproof.model import sorts, terms
from mutproof.model.sorts import Sort


def warnings(
    root: Expression, is_constant: Callable[[str], bool], remembered: Mapping[int, Sort]
) -> list[Diagnostic]:
    """Return a warning for each `pre` of an expression that needs a first value.

    `remembered` are the sorts of `pre` by where they begin, as far as they have any.
    """
    return [
        unguarded_pre(found.token, found.span, _first(remembered.get(found.start)))
        for found in unguarded(root, is_constant)
    ]


def _first(sort: Sort | None) -> str:
    """Return a value that a `pre` may have at the first step; empty if there is no usual one."""
    if not isinstance(sort, sorts.BoolSort | sorts.IntSort | sorts.RealSort | sorts.EnumSort):
        return ""
    return print_term(terms.const(sorts.default_value(sort), sort))


def unguarded(root: Expression, is_constant: Callable[[str], bool]) -> list[Expression]:
    """Return the outermost `pre` that are not to the right of a `->`, in source order.

    One `->` guards one `pre`; the arguments of a call are guarded by nothing outside of it.
    Operands of literals and constants are left out: they have their value at the first step, too.
    """
    found: list[Expression] = []
    stack = [(root, False)]
    while stack:
        expression, guarded = stack.pop()
        match expression.kind:
            case Shape.BINARY if expression.text == "->":
                left, right = expression.args
                stack.append((right, True))
                stack.append((left, guarded))
                continue
            case Shape.PREFIX if expression.text == "pre":
                if not guarded and not _is_known(expression.args[0], is_constant):
                    found.append(expression)
                    continue
                guarded = False
            case Shape.CALL:
                guarded = False
            case _:
                pass
        stack.extend((arg, guarded) for arg in reversed(expression.args))
    return found


def _is_known(root: Expression, is_constant: Callable[[str], bool]) -> bool:
    """Tell whether an expression has only literals and constants, so that its value is known."""
    stack = [root]
    while stack:
        expression = stack.pop()
        timed = expression.text in {"->", "pre"}
        if timed or expression.kind in {Shape.CALL, Shape.CONDACT}:
            return False
        if expression.kind is Shape.NAME and not is_constant(expression.text):
            return False
        stack.extend(expression.args)
    return True
