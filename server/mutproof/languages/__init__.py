"""The languages a model can be written in: one folder each, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, Row

if TYPE_CHECKING:
    from mutproof.model.language import Language

LANGUAGES: Registry[Language] = Registry(
    "language",
    (
        Row("lustre", "mutproof.languages.lustre"),
        Row("nusmv", "mutproof.languages.nusmv"),
    ),
    attribute="LANGUAGE",
)
