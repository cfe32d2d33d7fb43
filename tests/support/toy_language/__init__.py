"""A toy language in one folder: what a front end needs, and nothing beside.

A line declares an input (`input go : bool`), defines a variable by an expression (`n : int :=
first(0, pre(n) + 1)`) or states that one is always true (`check small`). Expressions are
written as in Python; `first(a, b)` is a in the first step and b later, `pre(a)` is a before.
"""

from __future__ import annotations

from mutproof.base.lexis import Lexis
from mutproof.model.language import Language
from support.toy_language.elaborate import elaborate
from support.toy_language.parse import CODES, parse
from support.toy_language.printer import print_replacement, print_term
from support.toy_language.traits import TRAITS

LANGUAGE = Language(
    traits=TRAITS,
    suffixes=(".toy",),
    line_comment="#",
    parse=parse,
    elaborate=elaborate,
    print_term=print_term,
    print_replacement=print_replacement,
    aliases=("ty",),
    lexis=Lexis(
        comment=r"#[^\n]*",
        keywords=("input", "check", "int", "bool", "and", "or", "not", "if", "else"),
    ),
    codes=CODES,
)
