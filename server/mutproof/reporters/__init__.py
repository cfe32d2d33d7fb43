"""Formats of reports, one file each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, Row

if TYPE_CHECKING:
    from mutproof.reporters.reporter import Reporter

REPORTERS: Registry[Reporter] = Registry(
    "format",
    (
        Row("text", "mutproof.reporters.text", "for people"),
        Row("json", "mutproof.reporters.json", "for programs"),
        Row("html", "mutproof.reporters.html", "for browsers"),
    ),
    attribute="REPORTER",
)
