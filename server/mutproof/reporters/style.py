"""Colours of text reports, by the meaning of what is coloured."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from mutproof.base.record import dataclass

if TYPE_CHECKING:
    from rich.style import Style as RichStyle

_COLOURS = {
    "good": "bold green",
    "bad": "bold red",
    "warning": "bold yellow",
    "unsure": "bold magenta",
    "note": "cyan",
    "quiet": "dim",
    "strong": "bold",
    "changed": "bold yellow",
}


@dataclass(frozen=True, slots=True)
class Style:
    """Paint text with terminal escapes, or leave it alone where `colour` is false."""

    colour: bool = False

    def paint(self, meaning: str, text: str) -> str:
        """Return the text in the colour of a meaning.

        Raises:
            KeyError: the meaning has no colour.
        """
        return _style(_COLOURS[meaning]).render(text) if self.colour and text else text


@cache
def _style(definition: str) -> RichStyle:
    from rich.style import Style as RichStyle  # slow to import, and often not needed

    return RichStyle.parse(definition)
