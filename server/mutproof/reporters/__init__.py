"""Formats of reports, one file each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.reporters.reporter import Reporter

REPORTERS: Registry[Reporter] = Registry(
    "format",
    (
        RegistryRow("text", "mutproof.reporters.text", "for people"),
        RegistryRow("concise", "mutproof.reporters.concise", "a line for each finding"),
        RegistryRow("json", "mutproof.reporters.json", "for programs"),
        RegistryRow("html", "mutproof.reporters.html", "for browsers"),
        RegistryRow("github", "mutproof.reporters.github", "annotations and a job's summary"),
        RegistryRow("gitlab", "mutproof.reporters.gitlab", "for GitLab's Code Quality"),
        RegistryRow("sarif", "mutproof.reporters.sarif", "for code scanning"),
        RegistryRow("junit", "mutproof.reporters.junit", "test results"),
        RegistryRow("cobertura", "mutproof.reporters.cobertura", "specification as code coverage"),
        RegistryRow("csv", "mutproof.reporters.csv", "for spreadsheets"),
    ),
    attribute="REPORTER",
)
