"""The NuSMV front end (NuSMV 2.6, with the `integer` and `real` types of nuXmv)."""

from __future__ import annotations

from mutproof.languages.nusmv.elaborate import elaborate
from mutproof.languages.nusmv.parse import parse
from mutproof.languages.nusmv.printer import print_replacement, print_term
from mutproof.model.language import Language

LANGUAGE = Language(
    name="nusmv",
    suffixes=(".smv", ".nuxmv", ".xmv"),
    line_comment="--",
    parse=parse,
    elaborate=elaborate,
    print_term=print_term,
    print_replacement=print_replacement,
)
