"""Formats of reports and of single traces: one file each, and their registries."""

from mutproof.base.registry import Registry
from mutproof.reporters import html, json, text, trace_csv, trace_vcd, trace_xml
from mutproof.reporters.reporter import Reporter
from mutproof.reporters.trace_format import TraceFormat

REPORTERS: Registry[Reporter] = Registry("format", (text.REPORTER, json.REPORTER, html.REPORTER))
TRACE_FORMATS: Registry[TraceFormat] = Registry(
    "trace format", (trace_xml.FORMAT, trace_vcd.FORMAT, trace_csv.FORMAT)
)
