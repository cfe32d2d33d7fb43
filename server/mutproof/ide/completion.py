"""Proposals for what is being typed: names in scope and words of the language."""

from __future__ import annotations

import re
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
    """Hold one proposal."""

    label: str
    kind: CompletionKind
    detail: str = ""


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
_DOTTED: Final = re.compile(r"((?:[A-Za-z_][\w$#-]*\s*(?:\[[^\]]*\]\s*)?\.\s*)+)[\w$#-]*\Z")


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
    items = {word: Completion(word, CompletionKind.KEYWORD) for word in words if typed}
    for declared in (*begin.values(), *match.values()):
        items.setdefault(declared.text, _proposal(declared))
    return Proposals(tuple(items.values())[:most], is_complete=False)


def completions(names: Names, offset: int, before: str = "") -> tuple[Completion, ...]:
    """Return the proposals at a 0-based offset; the editor filters by what is typed.

    `before` is the line up to there: behind a dot only parts of what stands before it fit.
    """
    dotted = _DOTTED.search(before)
    if dotted is not None:
        path = re.findall(r"[A-Za-z_][\w$#-]*(?=\s*(?:\[[^\]]*\]\s*)?\.)", dotted.group(1))
        behind = names.behind(tuple(path), offset)
        return tuple({declared.text: _proposal(declared) for declared in behind}.values())
    found: dict[str, Completion] = {}
    for declared in names.visible_at(offset):
        if declared.text not in found:
            found[declared.text] = _proposal(declared)
    for word in names.language.lexis.keywords:
        found.setdefault(word, Completion(word, CompletionKind.KEYWORD))
    return tuple(found.values())


def _proposal(declared: Declared) -> Completion:
    kind = _KINDS.get(declared.kind, CompletionKind.VARIABLE)
    return Completion(declared.text, kind, declared.described)
