"""Constructs of other Lustre dialects, so that syntax errors can name the dialect."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from mutproof.base.diagnostics import Diagnostic, meaning
from mutproof.base.grammar import Terminal
from mutproof.base.span import Span
from mutproof.languages.lustre import errors

_KIND2 = "Kind 2"
_CLASSIC = "Lustre V4 and V6"
_V6 = "Lustre V6"
_SCADE = "SCADE"

_WORDS: dict[str, tuple[str, str]] = {
    "con": ("a contract", _KIND2),
    "noc": ("a contract", _KIND2),
    "contract": ("a contract", _KIND2),
    "guarantee": ("a contract", _KIND2),
    "assume": ("a contract", _KIND2),
    "weakly": ("a contract", _KIND2),
    "mode": ("a contract", _KIND2),
    "ensure": ("a contract", _KIND2),
    "require": ("a contract", _KIND2),
    "check": ("`check`", _KIND2),
    "merge": ("`merge`", "Kind 2 and Lustre V6"),
    "when": ("`when`", "Kind 2 and Lustre V4"),
    "activate": ("`activate`", "Kind 2 and SCADE"),
    "restart": ("`restart`", "Kind 2 and SCADE"),
    "every": ("`every`", "Kind 2 and SCADE"),
    "imported": ("an imported node", _KIND2),
    "transparent": ("`transparent`", _KIND2),
    "opaque": ("`opaque`", _KIND2),
    "any": ("`any`", _KIND2),
    "choose": ("`choose`", _KIND2),
    "forall": ("a quantifier", _KIND2),
    "exists": ("a quantifier", _KIND2),
    "include": ("`include`", "Kind 2 and Lustre V4"),
    "fby": ("`fby`", "SCADE and Lustre V6"),
    "current": ("`current`", _CLASSIC),
    "nor": ("`nor`", _V6),
    "automaton": ("an automaton", "Kind 2 and SCADE"),
    "last": ("`last`", "SCADE and Kind 2"),
    "frame": ("a frame block", _KIND2),
    "fi": ("an `if` block", _KIND2),
    "elsif": ("an `if` block", _KIND2),
    "otherwise": ("a `cond` block", _KIND2),
    "cond": ("a `cond` block", _KIND2),
    "datatype": ("a data type", _KIND2),
    "match": ("`match`", _KIND2),
    "subtype": ("a refinement type", _KIND2),
    "set": ("a set type", _KIND2),
    "map": ("a map", "Kind 2 and Lustre V6"),
    "lemma": ("a lemma", _KIND2),
    "decreases": ("`decreases`", _KIND2),
    "provided": ("`check ... provided`", _KIND2),
    "param": ("a parameter", _KIND2),
    "with": ("`with`", _CLASSIC),
    "package": ("a package", _V6),
    "model": ("a model", _V6),
    "extern": ("an external declaration", _V6),
    "unsafe": ("`unsafe`", _V6),
    "open": ("`open`", _SCADE),
    "state": ("an automaton", "Kind 2 and SCADE"),
    "unless": ("an automaton", "Kind 2 and SCADE"),
    "until": ("an automaton", "Kind 2 and SCADE"),
    "sensor": ("a sensor", _SCADE),
    "operator": ("an operator", _SCADE),
    "flatten": ("`flatten`", _SCADE),
}

_DECLARED = rf"\b(?:node|function|type|const)\s+({'|'.join(_WORDS)})\b(?!\s+\w)"

_MARKS: dict[str, tuple[str, str]] = {
    "^": ("an array type or array with `^`", "Kind 2, Lustre V4 and V6"),
    "#": ("`#(...)`", _CLASSIC),
    "<<": ("a static parameter", _V6),
    ">>": ("a static parameter", _V6),
    "&&": ("`&&`", _KIND2),
    "||": ("`||`", _KIND2),
    "!": ("`!`", _KIND2),
    "|": ("array concatenation or a refinement type", "Kind 2 and Lustre V4"),
    "..": ("an array slice", _CLASSIC),
    "'": ("a tuple or type variable with `'`", "Kind 2 and SCADE"),
    "@": ("a type argument", _KIND2),
    "::": ("a qualified name", "Kind 2 and Lustre V6"),
    "//": ("a comment with `//`", _KIND2),
    "%": ("a projection `.%`", _KIND2),
    "$": ("`$`", _SCADE),
}

_OURS: dict[str, str] = {
    "`&&`": "write `and`",
    "`||`": "write `or`",
    "`!`": "write `not`",
    "`fby`": "write `a -> pre b` for `a fby b`",
    "`#(...)`": "a comment begins with `--`; that at most one holds is said with `and` and `or`",
    "a comment with `//`": "a comment begins with `--`",
    "a contract": "`assert` says what is assumed, and `--%PROPERTY name;` what is to be proved",
    "`check`": "`--%PROPERTY name;` says that a Boolean variable is to be true always",
    "`when`": "`condact` runs a node only where a condition holds",
    "`activate`": "`condact` runs a node only where a condition holds",
    "an array type or array with `^`": "a type is `int[3]`, and an array `[a, b, c]`",
    "`nor`": "write `not (a or b)`",
    "`last`": "`pre x` is the value of x at the step before",
    "`merge`": "write `if c then x else y`: all values exist at every step",
    "`restart`": "give the node an input that says when it begins anew",
    "`every`": "give the node an input that says when it begins anew",
    "`include`": "put the declarations into one file",
    "a quantifier": "write the cases out, with `and` or `or` between them",
    "an automaton": "hold the state in a variable of an `enum` type",
    "an imported node": "a `function` without body is uninterpreted",
    "a name in quotes": "properties go by the names of variables: `p = ...;` and `--%PROPERTY p;`",
    "a local or parameter constant": "declare it outside of nodes, or make it an input",
    "a tuple or record with braces only": "a type is `struct { a : int; b : bool }`, and a value"
    " `name { a = 1; b = true }`",
    "a function with a body": "write `node` for `function`",
    "a property that is an expression": "name it: `p = ...;` and `--%PROPERTY p;`",
}
"""How JKind says what constructs of other dialects say."""

_SIGNS = {"`&&`": ("and",), "`||`": ("or",)}
"""Signs of other dialects for which JKind has a word that stands in the same place."""

_IN_EXPRESSIONS = frozenset(
    {"BINARY", "MINUS", "EQUALS", "PREFIX", "LPAR", "IF", "TRUTH", "INT", "DECIMAL", "REAL"}
)

_INCOMPLETE = frozenset({"BINARY", "PREFIX", "IF", "REAL"})

MEANT_TYPES = {
    "boolean": "bool",
    "integer": "int",
    "number": "int",
    "float": "real",
    "double": "real",
}
"""Names of types in other languages, and what Lustre calls them."""

MACHINE_INTEGERS = frozenset(
    f"{prefix}int{width}" for prefix in ("", "u", "s") for width in (8, 16, 32, 64)
)
"""The names of Kind 2's and SCADE's bounded integer types."""


def foreign_call(name: str, span: Span) -> Diagnostic | None:
    """Return the error for the call of an operator that other Lustres have."""
    found = _WORDS.get(name)
    return error(*found, span) if found else None


def error(construct: str, dialect: str, span: Span) -> Diagnostic:
    """Return the error for a construct of another dialect, with how JKind says it if known."""
    found = errors.unsupported_dialect(construct, dialect, span, _OURS.get(construct, ""))
    return meaning(found, _SIGNS.get(construct, ()))


def words_among(names: Iterable[str]) -> frozenset[str]:
    """Return those of the names that are words of other Lustres."""
    return frozenset(name for name in names if name in _WORDS)


def declared(text: str) -> frozenset[str]:
    """Return the words of other Lustres that name something declared at the top of a file."""
    return frozenset(re.findall(_DECLARED, text))


def foreign(
    tokens: Sequence[Terminal], index: int, ours: frozenset[str] = frozenset()
) -> Diagnostic | None:
    """Return the error that names a foreign construct at or shortly before a syntax error.

    `index` is that of the token that does not fit; the nearest suspect wins. `ours` are words of
    other dialects that are names in this file.
    """
    for position in range(min(index, len(tokens) - 1), -1, -1):
        token = tokens[position]
        if token.type == "ID" and token.text in ours:
            continue
        found = _suspect(tokens, position, index)
        if found is not None:
            before = tokens[position - 1] if position > 0 else token
            if before.text not in ours and _suspect(tokens, position - 1, index) == found:
                token = before  # `automaton state`: its beginning says it best
            return error(*found, Span(token.start, token.end))
    return None


def _type(tokens: Sequence[Terminal], position: int) -> str:
    """Return the type of a token, empty if there is none."""
    return tokens[position].type if position < len(tokens) else ""


def _suspect(tokens: Sequence[Terminal], position: int, index: int) -> tuple[str, str] | None:
    token = tokens[position]
    near = index - position
    after = _type(tokens, position + 1)
    match token.type:
        case "ID":
            if token.text.startswith("!") and near <= 1:
                return _MARKS["!"]
            if token.text in MACHINE_INTEGERS and near <= 1 and after != "EQUALS":
                return f"the type `{token.text}`", "Kind 2 and SCADE"
            if after in {"EQUALS", "COMMA", "COLON"} and near > 0:
                return None  # a variable with such a name
            return _WORDS.get(token.text)
        case "FOREIGN":
            if token.text.startswith('"'):
                return "a name in quotes", _KIND2
            return _MARKS.get(token.text)
        case "PRAGMA_PROPERTY" if tokens[index].type in _IN_EXPRESSIONS:
            if tokens[index].type in _INCOMPLETE and _type(tokens, index + 1) == "SEMICOLON":
                return None  # a reserved word for a name
            return "a property that is an expression", _KIND2
        case "INT_TYPE" if near <= 1 and after == "LPAR":
            return "the cast `int(...)`", "Kind 2 and Lustre V6"
        case "CONST" if position > 0:
            return "a local or parameter constant", "Kind 2 and Lustre V6"
        case "CONST" if after == "ID" and tokens[index].type == "SEMICOLON":
            return "a constant without value", "Kind 2, Lustre V4 and V6"
        case "LET" | "VAR" if near == 0 and position > 0 and tokens[0].type == "FUNCTION":
            return "a function with a body", _KIND2
        case "LBRACE" if near == 0:
            return "a tuple or record with braces only", _KIND2
        case "BINARY" if token.text == "or" and after == "ELSE":
            return "`or else`", _KIND2
        case "BINARY" if token.text == "and" and after == "THEN":
            return "`and then`", _KIND2
        case _:
            return None
