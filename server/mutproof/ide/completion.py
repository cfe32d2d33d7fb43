"""What may be typed at a place: names in scope and words of the language."""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Final

from mutproof.ide import names
from mutproof.model import sorts
from mutproof.model.language import Elaborated


class CompletionKind(Enum):
    """Say what a proposal is."""

    VARIABLE = "variable"
    COMPONENT = "component"
    KEYWORD = "keyword"


@dataclass(frozen=True, slots=True)
class Completion:
    """Hold one proposal."""

    label: str
    kind: CompletionKind
    detail: str = ""


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


def completions(elaborated: Elaborated, offset: int) -> tuple[Completion, ...]:
    """Return the proposals at a 0-based offset; the editor filters by what is typed."""
    found: dict[str, Completion] = {}
    component = names.component_at(elaborated, offset)
    types: dict[str, str] = {}
    if elaborated.program is not None and component is not None:
        for declared in elaborated.program.components:
            if declared.name == component:
                types = {v.name: sorts.describe(v.sort) for v in declared.variables}
    for owner, name in elaborated.provenance.variables:
        if owner == component:
            found[name] = Completion(name, CompletionKind.VARIABLE, types.get(name, ""))
    for name in elaborated.provenance.components:
        found.setdefault(name, Completion(name, CompletionKind.COMPONENT))
    for word in _KEYWORDS.get(names.language_name(elaborated), ()):
        found.setdefault(word, Completion(word, CompletionKind.KEYWORD))
    return tuple(found.values())


def keywords(language: str) -> frozenset[str]:
    """Return the words a language keeps for itself."""
    return frozenset(_KEYWORDS.get(language, ()))
