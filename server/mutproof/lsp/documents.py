"""Texts of open files: incremental changes applied one after the other."""

from __future__ import annotations

from collections.abc import Sequence
from urllib.parse import unquote, urlsplit

from lsprotocol import types

from mutproof.base.text import SourceText
from mutproof.lsp import convert
from mutproof.lsp.convert import Encoding


def changed(
    source: SourceText,
    changes: Sequence[types.TextDocumentContentChangeEvent],
    encoding: Encoding,
) -> SourceText:
    """Return a text after changes; each counts positions in the result of those before it."""
    for change in changes:
        if isinstance(change, types.TextDocumentContentChangePartial):
            replaced = convert.span(source, change.range, encoding)
            content = source.content
            content = content[: replaced.start] + change.text + content[replaced.end :]
        else:
            content = change.text
        source = SourceText(source.name, content)
    return source


def name_of(uri: str) -> str:
    """Return the file name a URI stands for; other schemes keep their last part."""
    parts = urlsplit(uri)
    path = unquote(parts.path)
    if parts.scheme == "file":
        # `/C:/model.lus` on Windows.
        return path[1:] if path[2:3] == ":" else path
    return path.rpartition("/")[2] or uri
