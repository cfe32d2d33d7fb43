"""What may be typed at a place: names in scope and words of the language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mutproof.ide.names import Kind, Names


class CompletionKind(Enum):
    """Say what a proposal is."""

    VARIABLE = "variable"
    COMPONENT = "component"
    TYPE = "type"
    CONSTANT = "constant"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Completion:
    """Hold one proposal."""

    label: str
    kind: CompletionKind
    detail: str = ""


_KINDS: Final = {
    Kind.COMPONENT: CompletionKind.COMPONENT,
    Kind.FUNCTION: CompletionKind.COMPONENT,
    Kind.TYPE: CompletionKind.TYPE,
    Kind.ENUM_VALUE: CompletionKind.CONSTANT,
    Kind.CONSTANT: CompletionKind.CONSTANT,
}
_LUSTRE: Final = (
    "node function returns var let tel const type struct enum subrange of int bool real "
    "assert if then else true false not and or xor div mod pre condact floor "
    "--%PROPERTY --%MAIN --%IVC --%REALIZABLE"
)
_NUSMV: Final = (
    "MODULE VAR IVAR FROZENVAR DEFINE CONSTANTS ASSIGN INIT TRANS INVAR FAIRNESS JUSTICE "
    "COMPASSION ISA INVARSPEC CTLSPEC LTLSPEC SPEC COMPUTE NAME init next case esac boolean "
    "array of word signed unsigned process self union in mod xor xnor TRUE FALSE "
    "EX AX EF AF EG AG E A U X F G V Y Z O H S T"
)
_KEYWORDS: Final = {"lustre": tuple(_LUSTRE.split()), "nusmv": tuple(_NUSMV.split())}


def completions(names: Names, offset: int) -> tuple[Completion, ...]:
    """Return the proposals at a 0-based offset; the editor filters by what is typed."""
    found: dict[str, Completion] = {}
    for declared in names.visible_at(offset):
        kind = _KINDS.get(declared.kind, CompletionKind.VARIABLE)
        found.setdefault(declared.text, Completion(declared.text, kind, declared.detail))
    for word in _KEYWORDS.get(names.language, ()):
        found.setdefault(word, Completion(word, CompletionKind.KEYWORD))
    return tuple(found.values())


def keywords(language: str) -> frozenset[str]:
    """Return the words a language keeps for itself."""
    return frozenset(_KEYWORDS.get(language, ()))
