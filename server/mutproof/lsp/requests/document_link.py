"""Document links: models that a text names, in a comment or where another dialect includes them."""

from __future__ import annotations

import asyncio
import re
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


async def on_document_link(view: View, _: types.DocumentLinkParams) -> list[types.DocumentLink]:
    """Answer where models are named that exist, seen from the folder of the file."""
    source = view.source
    if not view.uri.startswith("file:"):
        return []
    folder = Path(documents.name_of(view.uri)).parent
    endings = "|".join(re.escape(suffix) for suffix in suffixes(view.session.languages))
    named = re.compile(rf"[\w./-]*\w(?:{endings})(?![\w.])")
    found = list(islice(named.finditer(source.content), MOST))
    targets = await asyncio.to_thread(_existing, folder, [match[0] for match in found])
    return [
        types.DocumentLink(
            convert.range_(source, Span(*match.span()), view.encoding),
            targets[match[0]],
        )
        for match in found
        if match[0] in targets
    ]


def _existing(folder: Path, names: list[str]) -> dict[str, str]:
    """Return the addresses of the files that exist, by the names they have in the text."""
    paths = {name: folder / name for name in names}
    return {name: path.resolve().as_uri() for name, path in paths.items() if path.is_file()}


REQUEST = Request(
    types.TEXT_DOCUMENT_DOCUMENT_LINK,
    on_document_link,
    types.DocumentLinkOptions(resolve_provider=False),
)
