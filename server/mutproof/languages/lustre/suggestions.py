"""Names that a mistyped name may have meant."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from mutproof.base.diagnostics import Diagnostic
from mutproof.languages.lustre import dialects, errors
from mutproof.languages.lustre.environment import Environment
from mutproof.languages.lustre.expressions import UndefinedName

SEARCH_LIMIT = 2_000
"""The most names among which a similar one is sought; the search is not cheap."""


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
            report(errors.unsupported_dialect("`!`", "Kind 2", name.span.shifted(base)))
            continue
        match undefined.noun:
            case "node":
                known: Iterable[str] = scope.callees
            case "type":
                known = scope.types
            case _:
                known = scope.values
        from difflib import get_close_matches  # slow to import, and rarely needed

        candidates = list(known)
        close = (
            get_close_matches(name.name, candidates, n=2, cutoff=0.75)
            if len(candidates) <= SEARCH_LIMIT and len(name.name) <= 80
            else []
        )
        span = name.span.shifted(base)
        report(errors.undefined(undefined.noun, name.name, span, close))
