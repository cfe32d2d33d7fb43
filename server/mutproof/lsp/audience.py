"""The observer of a session and its reader."""

from __future__ import annotations

from typing import Protocol

from mutproof.lsp.documents import Document
from mutproof.runtime.jobs import JobOutcome


class Audience(Protocol):
    """Observe changes, to tell the client."""

    def read(self, document: Document) -> None:
        """Called when a text was elaborated anew."""

    def drawn(self, document: Document) -> None:
        """Called when colours and outline were made anew."""

    def reported(self, document: Document) -> None:
        """Called when verdicts or the phase changed."""

    def began(self, document: Document) -> None:
        """Called when a run began."""

    def ended(self, document: Document, outcome: JobOutcome) -> None:
        """Called when a run is over."""

    def closed(self, uri: str) -> None:
        """Called when a file was closed."""

    def warned(self, message: str) -> None:
        """Called with what is wrong with the settings of a project."""
