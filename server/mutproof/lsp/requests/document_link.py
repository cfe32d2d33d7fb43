"""Document links: model files that a text names, in comments or in includes of other dialects."""

from __future__ import annotations

import asyncio
import re
from collections.abc import Iterable, Iterator
from itertools import islice
from pathlib import Path
from typing import Final

from lsprotocol import types

from mutproof.base.span import Span
from mutproof.lsp import convert, documents
from mutproof.lsp.request import Request
from mutproof.lsp.view import View
from mutproof.workspace.sources import suffixes

MOST: Final = 200
"""How many names of a text are looked up."""

LONGEST: Final = 255
"""How many characters a name has at most."""

_PART: Final = re.compile(r"[\w./-]")


async def on_document_link(view: View, _: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Answer the links to existing models, relative to the folder of the file."""
    source = view.source
    if not view.uri.startswith("file:"):
        return []
    folder = Path(documents.name_of(view.uri)).parent
    found = list(islice(named(source.content, suffixes(view.session.languages)), MOST))
    targets = await asyncio.to_thread(_existing, folder, [source.slice(span) for span in found])
    return [
        types.DocumentLink(convert.range_(source, span, view.encoding), target)
        for span in found
        if (target := targets.get(source.slice(span))) is not None
    ]


def named(content: str, endings: Iterable[str]) -> Iterator[Span]:
    """Yield where a text names files with some endings, relative to the folder that it is in."""
    ending = re.compile(rf"(?:{'|'.join(map(re.escape, endings))})(?![\w.])")
    for match in ending.finditer(content):
        start = match.start()
        while start > max(0, match.start() - LONGEST) and _PART.match(content[start - 1]):
            start -= 1
        # Relative paths only: opening a file must not access other machines.
        if start < match.start() and content[start] != "/" and content[match.start() - 1] != "/":
            yield Span(start, match.end())


def _existing(folder: Path, names: list[str]) -> dict[str, str]:
    """Return the URIs of the files that exist, by their names in the text."""
    paths = {name: folder / name for name in names}
    return {name: path.resolve().as_uri() for name, path in paths.items() if path.is_file()}


REQUEST = Request(
    types.TEXT_DOCUMENT_DOCUMENT_LINK,
    on_document_link,
    types.DocumentLinkOptions(resolve_provider=False),
)
