"""Proposals for what is being typed: names in scope and words of the language."""

from __future__ import annotations

import re
from collections.abc import Sequence
from enum import Enum
from typing import Final

from mutproof.base.record import dataclass
from mutproof.ide.names import Declared, NameKind, Names


class CompletionKind(Enum):
    """Say what a proposal is."""

    VARIABLE = "variable"
    COMPONENT = "component"
    TYPE = "type"
    CONSTANT = "constant"
    KEYWORD = "keyword"
    FIELD = "field"


@dataclass(frozen=True, slots=True)
class Completion:
    """Hold one proposal; a `likely` one is shown before all others."""

    label: str
    kind: CompletionKind
    detail: str = ""
    likely: bool = False


_KINDS: Final = {
    NameKind.COMPONENT: CompletionKind.COMPONENT,
    NameKind.FUNCTION: CompletionKind.COMPONENT,
    NameKind.TYPE: CompletionKind.TYPE,
    NameKind.ENUM_VALUE: CompletionKind.CONSTANT,
    NameKind.CONSTANT: CompletionKind.CONSTANT,
    NameKind.MODULE: CompletionKind.COMPONENT,
    NameKind.FIELD: CompletionKind.FIELD,
}
_WORD: Final = re.compile(r"[A-Za-z_~!][\w$#~!-]*\Z")
_NAME: Final = re.compile(r"[A-Za-z_][\w$#-]*")
_DOTTED: Final = re.compile(r"((?:[A-Za-z_][\w$#-]*\s*(?:\[[^\]]*\]\s*)?\.\s*)+)[\w$#-]*\Z")


_EQUATED: Final = re.compile(
    r"(?<![\w$#.-])([A-Za-z_][\w$#-]*)\s*\)?\s*(?::=|<>|!=|=)\s*(?:[A-Za-z_][\w$#-]*)?\Z"
)
"""A variable, perhaps in `next(…)`, that is equated to what is being typed."""

MAX_PROPOSALS: Final = 300


@dataclass(frozen=True, slots=True)
class Proposals:
    """Hold proposals; `is_complete` is False if further typing may bring up others."""

    items: tuple[Completion, ...]
    is_complete: bool


def proposals(
    names: Names, offset: int, before: str = "", *, most: int = MAX_PROPOSALS
) -> Proposals:
    """Return at most `most` proposals for what is being typed at a 0-based offset.

    If there are more, those with it as a prefix come first, then those with its letters in order,
    as editors match.
    """
    if _DOTTED.search(before) is None:
        visible = names.visible_at(offset)
    else:
        visible = ()
    if len(visible) <= most:
        found = completions(names, offset, before)
        return Proposals(found[:most], is_complete=len(found) <= most)
    word = _WORD.search(before)
    typed = "" if word is None else word.group().lower()
    letters = re.compile(".*".join(map(re.escape, typed)))
    begin: dict[str, Declared] = {}
    match: dict[str, Declared] = {}
    for declared in visible:
        label = declared.text.lower()
        if label.startswith(typed):
            begin.setdefault(declared.text, declared)
        elif len(match) < most and letters.search(label):
            match.setdefault(declared.text, declared)
        if len(begin) >= most:
            break
    words = (word for word in names.language.lexis.keywords if letters.search(word.lower()))
    items = {d.text: _proposal(d, likely=True) for d in _values(visible, before)}
    items |= {word: Completion(word, CompletionKind.KEYWORD) for word in words if typed}
    for declared in (*begin.values(), *match.values()):
        items.setdefault(declared.text, _proposal(declared))
    return Proposals(tuple(items.values())[:most], is_complete=False)


def completions(names: Names, offset: int, before: str = "") -> tuple[Completion, ...]:
    """Return the proposals at a 0-based offset; the editor filters by what is typed.

    `before` is the line up to there: behind a dot only parts of what stands before it fit, and
    behind a variable of an enumeration and `=` its values come first.
    """
    dotted = _DOTTED.search(before)
    if dotted is not None:
        path = re.findall(r"[A-Za-z_][\w$#-]*(?=\s*(?:\[[^\]]*\]\s*)?\.)", dotted.group(1))
        behind = names.behind(tuple(path), offset)
        return tuple({declared.text: _proposal(declared) for declared in behind}.values())
    visible = names.visible_at(offset)
    found = {one.text: _proposal(one, likely=True) for one in _values(visible, before)}
    for declared in visible:
        if declared.text not in found:
            found[declared.text] = _proposal(declared)
    for word in names.language.lexis.keywords:
        found.setdefault(word, Completion(word, CompletionKind.KEYWORD))
    return tuple(found.values())


def _values(visible: Sequence[Declared], before: str) -> list[Declared]:
    """Return the values of the enumeration whose variable is equated to what is being typed."""
    equated = _EQUATED.search(before)
    if equated is None:
        return []
    named = (one for one in visible if one.text == equated.group(1) and one.kind.is_variable)
    variable = next(named, None)
    if variable is None or not variable.detail:
        return []
    of = variable.detail
    listed = frozenset(_NAME.findall(of)) if of.startswith("{") else frozenset[str]()
    return [
        one
        for one in visible
        if one.kind in {NameKind.ENUM_VALUE, NameKind.CONSTANT}
        and (one.container == of or one.text in listed)
    ]


def _proposal(declared: Declared, *, likely: bool = False) -> Completion:
    kind = _KINDS.get(declared.kind, CompletionKind.VARIABLE)
    return Completion(declared.text, kind, declared.described, likely)
