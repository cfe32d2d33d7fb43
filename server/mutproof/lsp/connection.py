"""The connection to the one client: its protocol, and how it counts columns."""

from __future__ import annotations

from lsprotocol import types
from pygls.lsp.server import LanguageServer

import mutproof
from mutproof.lsp.convert import Encoding
from mutproof.lsp.protocol import Protocol


class Connection(LanguageServer):
    """Speak with a client by our protocol."""

    protocol: Protocol

    def __init__(self) -> None:
        super().__init__(
            "mutproof",
            mutproof.__version__,
            text_document_sync_kind=types.TextDocumentSyncKind.Incremental,
            protocol_cls=Protocol,
        )

    @property
    def encoding(self) -> Encoding:
        """Return the negotiated encoding of positions."""
        return self.workspace.position_encoding or types.PositionEncodingKind.Utf16
