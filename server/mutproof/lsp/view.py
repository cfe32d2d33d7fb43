"""An open file in the client's coordinates: offsets of older texts become ranges of today's."""

from __future__ import annotations

import re

from lsprotocol import types

from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.base.text import SourceText
from mutproof.ide.names import Names
from mutproof.lsp import convert, wire
from mutproof.lsp.convert import Encoding
from mutproof.lsp.documents import Document
from mutproof.lsp.session import Session
from mutproof.lsp.suites import Suites
from mutproof.lsp.wire import RangeText
from mutproof.model.language import Elaborated
from mutproof.workspace.snapshot import Migration


@dataclass(frozen=True, slots=True)
class ReadVersion:
    """Hold a version of the text that was read, and the edits to today's."""

    elaborated: Elaborated
    names: Names
    moved: Migration


@dataclass(frozen=True, slots=True)
class View:
    """Look at an open file in the client's coordinates; `source` is the text the client has.

    `lists_actions` says that the client has a list for all actions at a place, `links_codes` that
    codes of diagnostics lead to what explains them; `suites` are the tests kept beside files.
    """

    session: Session
    document: Document
    encoding: Encoding
    edits_are_versioned: bool = True
    lists_actions: bool = False
    suites: Suites | None = None
    links_codes: bool = False

    @property
    def source(self) -> SourceText:
        """Return the text the client has."""
        return self.document.snapshot.source

    @property
    def uri(self) -> str:
        """Return the client's name for the file."""
        return self.document.uri

    def offset(self, position: types.Position, moved: Migration) -> int:
        """Return the offset of a position in an older text."""
        return moved.back(convert.offset(self.source, position, self.encoding))

    def range(self, span: Span, moved: Migration) -> types.Range:
        """Return where a span of an older text is now."""
        return convert.range_(self.source, moved.span(span), self.encoding)

    def written(self, moved: Migration) -> RangeText:
        """Return a writer, as JSON, of the current ranges of spans of an older text."""
        return wire.ranges(self.source, moved, self.encoding)

    def known(self) -> ReadVersion | None:
        """Return the version that names are looked up in: the newest, or the last good one."""
        snapshot = self.document.snapshot
        current, good = snapshot.current, snapshot.good
        if current is not None and (good is None or current.provenance.components):
            return ReadVersion(current, self.document.names(current), self.document.since_current)
        if good is not None:
            return ReadVersion(good, self.document.names(good), self.document.since_good)
        return None

    def workspace_edit(self, edits: list[types.TextEdit]) -> types.WorkspaceEdit:
        """Return edits of the file in a form that the client supports, bound to its version.

        Inserted lines end as its first one, whatever clients make of line ends.
        """
        if (end := self.source.line_end) != "\n":
            edits = [types.TextEdit(e.range, re.sub(r"\r?\n", end, e.new_text)) for e in edits]
        if not self.edits_are_versioned:
            return types.WorkspaceEdit(changes={self.uri: edits})
        version = self.document.snapshot.version
        identifier = types.OptionalVersionedTextDocumentIdentifier(self.uri, version)
        return types.WorkspaceEdit(
            document_changes=[types.TextDocumentEdit(identifier, list(edits))]
        )
