"""Requirements that comments of a model name: `@req SYS-12, SYS-13` before a property."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Final

from mutproof.base import lexis
from mutproof.base.lexis import Lexeme
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.model.language import Elaborated, Language
from mutproof.model.provenance import Provenance

_TAG: Final = re.compile(r"@req[ \t]+(?P<ids>[\w./:-]+(?:[ \t]*,[ \t]*[\w./:-]+)*)")
_VARIABLE: Final = re.compile(r"(?P<name>[^\W\d][\w$#~!-]*)(?:[.\[].*)?", re.DOTALL)


@dataclass(frozen=True, slots=True)
class RequirementTags:
    """Hold the requirements of properties, by their keys in the provenance.

    `unbound` are requirements of comments that stand at no property, each with the 0-based offset
    of its tag.
    """

    of_properties: dict[str, tuple[str, ...]]
    unbound: tuple[tuple[str, int], ...]

    @property
    def without_property(self) -> dict[str, int]:
        """Return the requirements that no property has, with where each is first named."""
        known = {one for ids in self.of_properties.values() for one in ids}
        first = dict(reversed(self.unbound))
        return {one: first[one] for one, _ in self.unbound if one not in known}


def tagged(elaborated: Elaborated, language: Language) -> RequirementTags:
    """Return what the tags in the comments of a text belong to.

    A comment belongs to the statement that ends before it in its line, else to the one that
    directly follows, after no more than other comments. It counts for a property if that is the
    property's statement, or defines its variable.
    """
    text = elaborated.parsed.source.content
    places = tuple(_places(text, elaborated.provenance))
    comments = [t.span for t in lexis.tokens(text, language.lexis) if t.kind is Lexeme.COMMENT]
    code = _without(text, comments)
    found: dict[str, dict[str, None]] = {}
    unbound: list[tuple[str, int]] = []
    for comment in comments:
        tags = list(_TAG.finditer(text, comment.start, comment.end))
        at = _anchor(code, comment) if tags else len(text)
        keys = [key for span, key in places if span.start <= at < span.end]
        for tag in tags:
            for one in tag["ids"].split(","):
                name = one.strip().rstrip(".:")
                for key in keys:
                    found.setdefault(key, {})[name] = None
                if not keys:
                    unbound.append((name, tag.start()))
    return RequirementTags({key: tuple(ids) for key, ids in found.items()}, tuple(unbound))


def _places(text: str, provenance: Provenance) -> Iterator[tuple[Span, str]]:
    """Yield the statement of each property, and what defines its variable, with its key."""
    equations: dict[tuple[str, str], list[Span]] = {}
    for element in provenance.elements:
        for target in element.name.split(","):
            whole = provenance.whole(element)
            equations.setdefault((element.component, target.strip()), []).append(whole)
    for key, span in provenance.properties.items():
        yield provenance.statement(key), key
        variable = _VARIABLE.fullmatch(text, span.start, span.end)
        for component, body in provenance.component_bodies.items():
            if variable is not None and body.start <= span.start < body.end:
                for whole in equations.get((component, variable["name"]), ()):
                    yield whole, key


def _without(text: str, comments: list[Span]) -> str:
    """Return a text with blanks for its comments; lines stay as they are."""
    parts, end = [], 0
    for comment in comments:
        blank = re.sub(r"[^\r\n]", " ", text[comment.start : comment.end])
        parts += [text[end : comment.start], blank]
        end = comment.end
    return "".join((*parts, text[end:]))


def _anchor(code: str, comment: Span) -> int:
    """Return the offset of a character of the code at which a comment stands."""
    before = code[code.rfind("\n", 0, comment.start) + 1 : comment.start].rstrip()
    after = code[comment.end :].partition("\n")[0]
    if before and not after.strip():
        return code.rfind("\n", 0, comment.start) + len(before)
    rest = code[comment.end :]
    return comment.end + len(rest) - len(rest.lstrip())
