"""Who hears what a session and its reader find out."""

from __future__ import annotations

from typing import Protocol

from mutproof.lsp.documents import Document
from mutproof.runtime.jobs import JobOutcome


class Audience(Protocol):
    """Hear what changes, to tell the client."""

    def read(self, document: Document) -> None:
        """Hear that a text was understood anew."""

    def drawn(self, document: Document) -> None:
        """Hear that the colours and the outline were made anew."""

    def reported(self, document: Document) -> None:
        """Hear that verdicts or the phase changed."""

    def began(self, document: Document) -> None:
        """Hear that a run began."""

    def ended(self, document: Document, outcome: JobOutcome) -> None:
        """Hear that a run is over."""

    def closed(self, uri: str) -> None:
        """Hear that a file was closed."""

    def warned(self, message: str) -> None:
        """Hear of what is wrong with settings of a project."""
