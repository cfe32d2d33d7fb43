"""Signatures: what a node, function or module expects where its arguments are written."""

from __future__ import annotations

import re
from typing import Final

from mutproof.base import lexis
from mutproof.base.record import dataclass
from mutproof.ide.names import NameKind, Names

FARTHEST: Final = 10_000
"""How many characters before a place are searched for the beginning of a call."""

_CALLED: Final = frozenset({NameKind.COMPONENT, NameKind.FUNCTION, NameKind.MODULE})
_PARAMETERS: Final = frozenset({NameKind.INPUT, NameKind.PARAMETER})
_NAME: Final = re.compile(r"([A-Za-z_~!][A-Za-z0-9_~!$#-]*)\s*\Z")


@dataclass(frozen=True, slots=True)
class CallSignature:
    """Hold the signature of what is called, and which parameter is being written (0-based).

    `parameters` are ranges of the `label` (end exclusive); `active` may lie behind the last one.
    """

    label: str
    parameters: tuple[tuple[int, int], ...]
    active: int


def signature(names: Names, text: str, offset: int) -> CallSignature | None:
    """Return the signature of the innermost call around a 0-based offset of today's text."""
    for name, active in _calls(names, text, offset):
        for declared in names.declared:
            if declared.text != name or declared.kind not in _CALLED:
                continue
            label = name + declared.detail
            at = len(name)
            parameters = []
            for one in names.declared:
                if one.container == name and one.kind in _PARAMETERS:
                    found = re.compile(rf"(?<!\w){re.escape(one.text)}(?!\w)").search(label, at)
                    if found is not None:
                        parameters.append(found.span())
                        at = found.end()
            return CallSignature(label, tuple(parameters), active)
    return None


def _calls(names: Names, text: str, offset: int) -> list[tuple[str, int]]:
    """Return the names before brackets that are open at an offset, innermost first.

    Each has the number of commas between its bracket and the offset.
    """
    first = max(0, offset - FARTHEST)
    before = text[first:offset]
    for token in lexis.tokens(before, names.language.lexis):
        if token.kind is lexis.Lexeme.COMMENT:
            span = token.span
            before = before[: span.start] + " " * (span.end - span.start) + before[span.end :]
    found = []
    depth = commas = 0
    for index in range(len(before) - 1, -1, -1):
        character = before[index]
        if character in ")]}":
            depth += 1
        elif character in "([{" and depth:
            depth -= 1
        elif character in "([{":
            name = _NAME.search(before[:index])
            if character == "(" and name is not None:
                found.append((name.group(1), commas))
            commas = 0
        elif character == "," and not depth:
            commas += 1
        elif character == ";" and not depth:
            break
    return found
