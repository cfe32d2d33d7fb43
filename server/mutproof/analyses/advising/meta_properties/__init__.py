"""The meta-properties: one file each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.analyses.advising.meta_property import MetaProperty

_FOLDER = "mutproof.analyses.advising.meta_properties"

META_PROPERTIES: Registry[MetaProperty] = Registry(
    "meta-property",
    (
        RegistryRow("MP1", f"{_FOLDER}.conditions"),
        RegistryRow("MP2", f"{_FOLDER}.branches"),
        RegistryRow("MP3", f"{_FOLDER}.overlaps"),
        RegistryRow("MP4", f"{_FOLDER}.defaults"),
        RegistryRow("MP5", f"{_FOLDER}.assignments"),
        RegistryRow("MP6", f"{_FOLDER}.values"),
        RegistryRow("MP7", f"{_FOLDER}.unassigned_variables"),
        RegistryRow("MP8", f"{_FOLDER}.independent_variables"),
        RegistryRow("MP9", f"{_FOLDER}.properties"),
        RegistryRow("MP10", f"{_FOLDER}.vacuous_properties"),
        RegistryRow("constant-operand", f"{_FOLDER}.operands"),
        RegistryRow("constant-variable", f"{_FOLDER}.constant_variables"),
        RegistryRow("idle-arrow", f"{_FOLDER}.arrows"),
        RegistryRow("unread-macro", f"{_FOLDER}.macros"),
    ),
    attribute="META_PROPERTY",
)
