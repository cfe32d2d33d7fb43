"""Formats of reports, one file each, and the registry."""

from mutproof.base.registry import Registry
from mutproof.reporters import html, json, text
from mutproof.reporters.reporter import Reporter

REPORTERS: Registry[Reporter] = Registry("format", (text.REPORTER, json.REPORTER, html.REPORTER))
