"""Formats of single traces, one file each, and the registry; apart, as few reports need them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.reporters.trace_format import TraceFormat

TRACE_FORMATS: Registry[TraceFormat] = Registry(
    "trace format",
    (
        RegistryRow("xml", "mutproof.reporters.trace_xml", "of NuSMV"),
        RegistryRow("vcd", "mutproof.reporters.trace_vcd", "for waveform viewers"),
        RegistryRow("csv", "mutproof.reporters.trace_csv", "a table with a row for each step"),
    ),
    attribute="FORMAT",
)
