"""Undefined names are reported with names that may have been meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.near import near
from mutproof.languages.lustre import dialects, errors, meant
from mutproof.languages.lustre.environment import Environment
from mutproof.languages.lustre.expressions import UndefinedName


def report_undefined(
    found: Iterable[UndefinedName],
    base: int,
    scope: Environment,
    report: Callable[[Diagnostic], None],
) -> None:
    """Report undefined names, with similar names."""
    for undefined in found:
        name = undefined.name
        foreign = dialects.foreign_call(name.name, name.span)
        if undefined.noun == "node" and foreign is not None:
            report(foreign.shifted(base))
            continue
        if name.name.startswith("!"):
            report(dialects.error("`!`", "Kind 2", name.span.shifted(base)))
            continue
        match undefined.noun:
            case "node":
                known: Iterable[str] = scope.callees
            case "type":
                known = scope.types
            case _:
                known = scope.values
        span, ours = name.span.shifted(base), meant.WORDS.get(name.name)
        close = [ours] if ours and undefined.noun != "type" else near(name.name, known)
        report(errors.undefined(undefined.noun, name.name, span, close))
