"""Formats of single traces, one file each, and the registry; apart, as few reports need them."""

from mutproof.base.registry import Registry
from mutproof.reporters import trace_csv, trace_vcd, trace_xml
from mutproof.reporters.trace_format import TraceFormat

TRACE_FORMATS: Registry[TraceFormat] = Registry(
    "trace format", (trace_xml.FORMAT, trace_vcd.FORMAT, trace_csv.FORMAT)
)
