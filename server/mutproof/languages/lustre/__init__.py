"""The Lustre front end (JKind 4.6)."""

from __future__ import annotations

from mutproof.languages.lustre import editing, elaborate, formatting, parse, printer
from mutproof.languages.lustre.errors import CODES
from mutproof.languages.lustre.traits import TRAITS
from mutproof.model.language import Language

LANGUAGE = Language(
    traits=TRAITS,
    suffixes=(".lus", ".lustre"),
    line_comment="--",
    parse=parse.parse,
    elaborate=elaborate.elaborate,
    print_term=printer.print_term,
    print_replacement=printer.print_replacement,
    aliases=("lus",),
    lexis=editing.LEXIS,
    names=editing.names,
    restate=editing.restate,
    state=editing.state,
    property_lines=editing.property_lines,
    remove=editing.remove,
    without_variable=editing.without_variable,
    format=formatting.edits,
    prepare=parse.lustre_grammar,
    codes=CODES,
)
