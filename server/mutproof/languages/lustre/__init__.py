"""The Lustre front end (JKind 4.6)."""

from __future__ import annotations

from mutproof.languages.lustre.elaborate import elaborate
from mutproof.languages.lustre.parse import parse
from mutproof.languages.lustre.printer import print_replacement, print_term
from mutproof.model.language import Language

LANGUAGE = Language(
    name="lustre",
    suffixes=(".lus", ".lustre"),
    line_comment="--",
    parse=parse,
    elaborate=elaborate,
    print_term=print_term,
    print_replacement=print_replacement,
)
