"""Where codes of diagnostics are explained: a page that comes with the package.

It says what `mutproof explain` says, without what that must import; a test compares.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Final

from lsprotocol import types

PAGE: Final = Path(__file__).parents[1] / "explained.md"
HEADING: Final = "## "


def linked(capabilities: types.ClientCapabilities) -> bool:
    """Tell whether a client shows links from codes of diagnostics, pushed or pulled."""
    text = capabilities.text_document
    if text is None:
        return False
    return any(
        kind is not None and bool(kind.code_description_support)
        for kind in (text.publish_diagnostics, text.diagnostic)
    )


@cache
def links() -> Mapping[str, str]:
    """Return where each code is explained: the page, and as fragment the line as in `#L1`."""
    try:
        lines = PAGE.read_text(encoding="utf-8").splitlines()
    except OSError:
        return {}
    page = PAGE.as_uri()
    return {
        line.removeprefix(HEADING): f"{page}#L{number}"
        for number, line in enumerate(lines, 1)
        if line.startswith(HEADING)
    }
