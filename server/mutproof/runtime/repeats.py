"""Findings that a worker has told before: only what differs is told again.

After an edit most mutants are what they were, and their executions are most of what is sent. Both
ends of a stream of messages remember the last finding of each mutant that was listed last.
"""

from __future__ import annotations

from dataclasses import fields, replace
from operator import attrgetter
from typing import Final

from mutproof.analyses.claims.finding import MutantFinding
from mutproof.model.trace import Trace
from mutproof.runtime.messages import Happened, Listed, Message, Repeated, Retold

_APART: Final = {"trace", "seconds", "origin"}
"""What is compared otherwise, or differs from run to run."""

_content: Final = attrgetter(*(f.name for f in fields(MutantFinding) if f.name not in _APART))


class Repeats:
    """Shorten messages at one end of a stream, and make them whole at the other; mutable."""

    def __init__(self) -> None:
        self._last: dict[str, MutantFinding] = {}

    def shortened(self, message: Message) -> Message:
        """Return what is sent instead of a message."""
        if isinstance(message, Happened) and isinstance(message.event, MutantFinding):
            found = message.event
            last = self._last.get(found.mutant)
            self._last[found.mutant] = found
            if last is None or not _is_same_trace(found.trace, last.trace):
                return message
            if _is_same(found, last):
                return Repeated(message.request, found.mutant, found.seconds, found.origin)
            if found.trace is not None:
                return Retold(message.request, replace(found, trace=None))
        elif isinstance(message, Listed):
            self._restrict(message)
        return message

    def whole(self, message: Message) -> Message:
        """Return the message that was shortened to this one.

        Raises:
            ValueError: it repeats what was never told.
        """
        match message:
            case Repeated(request, mutant, seconds, origin):
                found = replace(self._told(mutant), seconds=seconds, origin=origin)
                message = Happened(request, found)
                self._last[mutant] = found
            case Retold(request, finding):
                found = replace(finding, trace=self._told(finding.mutant).trace)
                message = Happened(request, found)
                self._last[found.mutant] = found
            case Happened(_, MutantFinding() as found):
                self._last[found.mutant] = found
            case Listed():
                self._restrict(message)
            case _:
                pass
        return message

    def _told(self, mutant: str) -> MutantFinding:
        if mutant not in self._last:
            error = f"never told: {mutant}"
            raise ValueError(error)
        return self._last[mutant]

    def _restrict(self, message: Listed) -> None:
        """Forget mutants that are not listed."""
        listed = {place.mutant for place in message.listing.mutants}
        self._last = {name: found for name, found in self._last.items() if name in listed}


def _is_same(found: MutantFinding, last: MutantFinding) -> bool:
    """Tell whether two findings with the same execution differ in their time and origin at most."""
    return found.equivalence is last.equivalence and bool(_content(found) == _content(last))


def _is_same_trace(one: Trace | None, other: Trace | None) -> bool:
    """Tell whether two executions are the very same: equal values may be shown differently."""
    if one is None or other is None:
        return one is other
    return one.choices is other.choices and one.steps is other.steps and one.loop == other.loop
