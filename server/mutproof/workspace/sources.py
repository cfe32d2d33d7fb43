"""Which language a file is written in."""

from __future__ import annotations

from pathlib import PurePath

from mutproof.base.registry import Registry
from mutproof.languages import LANGUAGES
from mutproof.model.language import Language


def language_of(
    name: str, language_id: str = "", languages: Registry[Language] = LANGUAGES
) -> Language | None:
    """Return the language an editor names, else the one of the file's suffix, else None."""
    wanted = language_id.lower()
    if wanted:
        for language in languages:
            if wanted == language.name or wanted in language.aliases:
                return language
    suffix = PurePath(name).suffix.lower()
    for language in languages:
        if suffix in language.suffixes:
            return language
    return None


def suffixes(languages: Registry[Language] = LANGUAGES) -> tuple[str, ...]:
    """Return the suffixes of all languages, with their dots, in order of registration."""
    return tuple(suffix for language in languages for suffix in language.suffixes)
