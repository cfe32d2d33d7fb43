"""The languages a model can be written in: one folder each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.model.language import Language

LANGUAGES: Registry[Language] = Registry(
    "language",
    (
        RegistryRow("lustre", "mutproof.languages.lustre"),
        RegistryRow("nusmv", "mutproof.languages.nusmv"),
    ),
    attribute="LANGUAGE",
)
