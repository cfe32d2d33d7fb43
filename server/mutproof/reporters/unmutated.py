"""Elements that have no mutants, in reports: what states properties, and what has no effect."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from mutproof.base.text import visible
from mutproof.model.program import ElementId
from mutproof.model.roles import without_effect
from mutproof.reporters.reported_file import ReportedFile

WHY: Final = {
    "specification": "specification",
    "withoutEffect": "without effect on the main node",
}
"""Why elements are not mutated: names for programs, and words."""

_EXPLAINED: Final = {"specification": " (`mutproof explain specification`)"}
_MOST_NAMES: Final = 5


def elements(file: ReportedFile) -> dict[str, tuple[ElementId, ...]]:
    """Return the elements that are not mutated, by a name of `WHY`."""
    program = None if file.elaborated is None else file.elaborated.program
    if program is None or file.listing is None:
        return {}
    design, idle = frozenset(file.listing.design), without_effect(program)
    left = [element for element in program.by_id if element not in design]
    found = {
        "specification": tuple(element for element in left if element not in idle),
        "withoutEffect": tuple(element for element in left if element in idle),
    }
    return {why: those for why, those in found.items() if those}


def lines(file: ReportedFile) -> Iterator[str]:
    """Yield for each such reason a sentence that counts and names the elements."""
    for why, those in elements(file).items():
        named = [visible(file.element_label(element)) for element in those[:_MOST_NAMES]]
        more = len(those) - len(named)
        named += [f"{more} more (--format json has all)"] if more else []
        are = "1 element is" if len(those) == 1 else f"{len(those)} elements are"
        explained = _EXPLAINED.get(why, "")
        yield f"{are} {WHY[why]}, so not mutated{explained}: {', '.join(named)}"


def encoded(file: ReportedFile) -> dict[str, list[str]]:
    """Return the names of the elements for JSON, by why they are not mutated."""
    return {why: [*map(file.element_name, those)] for why, those in elements(file).items()}
