"""The languages a model can be written in: one folder each, and the registry."""

from mutproof.base.registry import Registry
from mutproof.languages import lustre, nusmv
from mutproof.model.language import Language

LANGUAGES: Registry[Language] = Registry("language", (lustre.LANGUAGE, nusmv.LANGUAGE))
