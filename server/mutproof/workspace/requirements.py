"""Requirements of FRET as properties of a model, each with its id as its name.

Source: NASA-SW-VnV/fret, requirements as it exports them (`reqid`, `fulltext`, `semantics` with
`CoCoSpecCode` and `ptExpanded`), and its library of past-time operators in Lustre.
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from mutproof.base import lexis
from mutproof.base.diagnostics import Severity
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.model.editing import NewProperty, TextEdit, with_insertions
from mutproof.model.language import Elaborated, Language
from mutproof.model.program import PropertyKind
from mutproof.model.traits import Semantics

OWN: Final = "mutproof"
"""The key under which a requirement has the property of the model that it was exported from."""

_PAST: Final = {
    "H": "node H(X: bool) returns (Y: bool);\nlet Y = X -> X and pre Y; tel;\n",
    "O": "node O(X: bool) returns (Y: bool);\nlet Y = X -> X or pre Y; tel;\n",
    "S": "node S(X, Y: bool) returns (Z: bool);\nlet Z = Y -> Y or X and pre Z; tel;\n",
    "SI": "node SI(X, Y: bool) returns (Z: bool);\nlet Z = X and Y -> X and (Y or pre Z); tel;\n",
    "YtoPre": "node YtoPre(X: bool) returns (Y: bool);\nlet Y = false -> pre X; tel;\n",
    "ZtoPre": "node ZtoPre(X: bool) returns (Y: bool);\nlet Y = true -> pre X; tel;\n",
    "FTP": "node FTP(X: bool) returns (Y: bool);\nlet Y = true -> false; tel;\n",
}
"""Operators of formulas in Lustre, as FRET defines them, `FTP` (at first) apart."""


@dataclass(frozen=True, slots=True)
class Requirement:
    """Hold a requirement: its formula in the words of the model, and its English sentence."""

    name: str
    component: str
    formula: str
    sentence: str
    kind: PropertyKind


@dataclass(frozen=True, slots=True)
class Imported:
    """Hold a text with properties, and the reasons for those left out."""

    text: str
    left: tuple[tuple[str, str], ...]


def read(content: str, semantics: Semantics) -> list[Requirement]:
    """Return the requirements of an exported file; the formula of one that has none is empty.

    Raises:
        ValueError: the content is no exported file.
    """
    try:
        found = json.loads(content)
    except json.JSONDecodeError as error:
        message = f"is not JSON: {error}"
        raise ValueError(message) from error
    listed = found.get("requirements") if isinstance(found, dict) else found
    if not isinstance(listed, list) or not all(
        isinstance(one, dict) and isinstance(one.get("reqid"), str) for one in listed
    ):
        message = "there is no list of requirements with a reqid"
        raise ValueError(message)
    return [_requirement(one, semantics) for one in listed]


def imported(
    elaborated: Elaborated, language: Language, requirements: Sequence[Requirement]
) -> Imported:
    """Return the text of a model with the requirements that it can express as properties."""
    known = elaborated.program
    assert known is not None
    source = elaborated.parsed.source
    taken = set(lexis.words(source.content, language.lexis)) | set(language.lexis.keywords)
    kept: list[Requirement] = []
    left: list[tuple[str, str]] = []
    for one in requirements:
        declared = any(component.name == one.component for component in known.components)
        placed = one if declared else replace(one, component=known.main)
        reason = "it has no formula" if not one.formula else ""
        if not reason and ";" in one.formula:
            reason = "its formula is more than an expression"
        if not reason and one.name in taken:
            reason = "the file has another thing of that name"
        if not reason:
            alone = language.elaborate(
                language.parse(SourceText(source.name, _written(elaborated, language, [placed])))
            )
            wrong = [one for one in alone.diagnostics if one.severity is Severity.ERROR]
            if alone.program is None or wrong:  # a model with a wrong property is one nevertheless
                reason = wrong[0].message if wrong else "the model cannot say it"
        if reason:
            left.append((one.name, reason))
        else:
            taken.add(one.name)
            kept.append(placed)
    text = _written(elaborated, language, kept)
    return Imported(text, tuple(left))


def _requirement(said: Mapping[str, Any], semantics: Semantics) -> Requirement:
    own, meant = (_mapping(said.get(key)) for key in (OWN, "semantics"))
    name = re.sub(r"\W", "_", said["reqid"]) or "requirement"
    name = f"_{name}" if name[0].isdigit() else name
    component = str(own.get("component") or meant.get("component_name") or "")
    sentence = " ".join(str(said.get("fulltext") or "").split())
    if isinstance(own.get("text"), str):
        kind = PropertyKind(str(own.get("logic") or "invariant"))
        return Requirement(name, component, own["text"], sentence, kind)
    if semantics is Semantics.FORWARD:
        formula = _at_every_step(_text(meant.get("CoCoSpecCode")))
        return Requirement(name, component, formula, sentence, PropertyKind.INVARIANT)
    formula = _text(meant.get("ptExpanded"))
    formula = formula and f"G ({formula})"
    return Requirement(name, component, formula, sentence, PropertyKind.LTL)


def _mapping(value: object) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}


def _text(value: object) -> str:
    return " ".join(value.split()) if isinstance(value, str) else ""


def _at_every_step(formula: str) -> str:
    """Return a formula without an enclosing `H`: properties are about every step anyway."""
    while (inner := re.fullmatch(r"H?\s*\((.*)\)", formula)) and _is_closed(inner[1]):
        formula = inner[1].strip()
    return formula


def _is_closed(text: str) -> bool:
    """Tell whether the parentheses of a text match each other."""
    depth = 0
    for character in text:
        depth += (character == "(") - (character == ")")
        if depth < 0:
            return False
    return depth == 0


def _written(
    elaborated: Elaborated, language: Language, requirements: Sequence[Requirement]
) -> str:
    source = elaborated.parsed.source
    by_component: dict[str, list[NewProperty]] = {}
    for one in requirements:
        comment = (f"{language.line_comment} {one.sentence}",) if one.sentence else ()
        stated = NewProperty(one.name, one.formula, comment, one.kind)
        by_component.setdefault(one.component, []).append(stated)
    edits = [
        edit
        for component, those in by_component.items()
        for edit in language.state(elaborated, component, tuple(those))
    ]
    if language.traits.semantics is Semantics.FORWARD:
        used = {word for one in requirements for word in re.findall(r"\w+", one.formula)}
        there = set(lexis.words(source.content, language.lexis))
        nodes = "".join(text for name, text in _PAST.items() if name in used - there)
        edits.insert(0, TextEdit(Span(0, 0), nodes))
    return with_insertions(source, edits)
