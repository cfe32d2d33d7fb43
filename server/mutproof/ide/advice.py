"""Advice as diagnostics: hints, since much of it is a matter of style."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutproof.analyses.advising.advice import Advice, AdviceStatus
from mutproof.analyses.advising.meta_properties import META_PROPERTIES
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.workspace.advice_places import advice_span
from mutproof.workspace.snapshot import Analysed

_MOST_INSTANCES: Final = 4


@dataclass(frozen=True, slots=True)
class AdviceHint:
    """Hold what editors show of advice; `is_idle`: it marks something superfluous.

    `data` tells it from other advice.
    """

    span: Span
    code: str
    message: str
    is_idle: bool
    data: str


def hints(analysed: Analysed) -> Iterator[AdviceHint]:
    """Yield a hint for each piece of advice on this version; UNKNOWN ones are left out."""
    for advice in analysed.advice.of(AdviceStatus.FOUND):
        meta_property = META_PROPERTIES[advice.meta_property]
        if not meta_property.is_told_elsewhere:
            yield AdviceHint(
                advice_span(analysed.elaborated, advice),
                meta_property.code,
                _said(advice),
                meta_property.is_idle,
                identity(advice),
            )


def identity(advice: Advice) -> str:
    """Return what tells one piece of advice on a version of a text from others."""
    about = advice.element or f"{advice.component}.{advice.variable or advice.property}"
    return f"{advice.meta_property} {about} {advice.path} {advice.other}"


def _said(advice: Advice) -> str:
    named = [instance.removesuffix(".") or "main" for instance in advice.instances]
    more = len(named) - _MOST_INSTANCES
    where = ", ".join(named[:_MOST_INSTANCES]) + (f" and {more} more" if more > 0 else "")
    return f"{advice.message}{f', in {where}' if where else ''} ({advice.meta_property})"
