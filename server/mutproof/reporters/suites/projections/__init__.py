"""Projections of suites, one file each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.reporters.suites.projection import Projection

_HERE = "mutproof.reporters.suites.projections"

PROJECTIONS: Registry[Projection] = Registry(
    "projection",
    (
        RegistryRow("csv", f"{_HERE}.table", "a table with a row for each step of each test"),
        RegistryRow("pytest", f"{_HERE}.python", "a module for pytest"),
        RegistryRow("c", f"{_HERE}.c", "a program with a main function, and a header"),
        RegistryRow("kind2", f"{_HERE}.kind2", "inputs for Kind 2's interpreter"),
        RegistryRow("jkind", f"{_HERE}.jkind", "counterexamples in the XML of JKind"),
        RegistryRow("fret", f"{_HERE}.fret", "tests as FRET exports them"),
        RegistryRow("rif", f"{_HERE}.rif", "for the tools of Lustre V4 and V6"),
        RegistryRow("vcd", f"{_HERE}.vcd", "for waveform viewers"),
        RegistryRow("xml", f"{_HERE}.trace", "traces of NuSMV"),
    ),
    attribute="PROJECTION",
)
