"""The NuSMV front end (NuSMV 2.6, with the `integer` and `real` types of nuXmv)."""

from __future__ import annotations

from mutproof.languages.nusmv import editing, formatting
from mutproof.languages.nusmv.control import controlled
from mutproof.languages.nusmv.elaborate import elaborate
from mutproof.languages.nusmv.errors import CODES
from mutproof.languages.nusmv.parse import nusmv_reader, parse
from mutproof.languages.nusmv.printer import print_replacement, print_term
from mutproof.languages.nusmv.traits import TRAITS
from mutproof.model.language import Language

LANGUAGE = Language(
    traits=TRAITS,
    suffixes=(".smv", ".nuxmv", ".xmv"),
    line_comment="--",
    parse=parse,
    elaborate=elaborate,
    print_term=print_term,
    print_replacement=print_replacement,
    aliases=("smv", "nuxmv"),
    lexis=editing.LEXIS,
    names=editing.names,
    restate=editing.restate,
    state=editing.state,
    property_lines=editing.property_lines,
    remove=editing.remove,
    without_branch=editing.without_branch,
    without_variable=editing.without_variable,
    control=controlled,
    format=formatting.edits,
    prepare=nusmv_reader,
    codes=CODES,
)
