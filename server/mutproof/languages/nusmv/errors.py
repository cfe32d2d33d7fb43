"""What can be wrong in a NuSMV text: one function per diagnostic; `CODES` explains each code."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.base.diagnostics import Diagnostic, Related, Severity, meaning
from mutproof.base.near import asked, near
from mutproof.base.span import Span
from mutproof.base.text import counted
from mutproof.languages.nusmv.explanations import CODES

__all__ = ["CODES"]

RESERVED_WORD: Final = "reserved-word"


def error(
    code: str, message: str, span: Span, advice: str, *, related: tuple[Related, ...] = ()
) -> Diagnostic:
    """Return an error of a code that `CODES` explains."""
    assert code in CODES, code
    return Diagnostic(code, Severity.ERROR, message, span, advice, related)


# --- text -------------------------------------------------------------------------------------


def illegal_character(text: str, span: Span) -> Diagnostic:
    """Report characters that begin no token."""
    shown = text if len(text) <= 12 else text[:12] + "…"
    return error(
        "illegal-character",
        f"illegal character {shown!r}",
        span,
        "NuSMV writes `!`, `&`, `|`, `->`, `<->`, `=`, `mod`; other text belongs in a `--` comment",
    )


def unterminated_comment(span: Span) -> Diagnostic:
    """Report a `/--` without its `--/`."""
    return error("unterminated-comment", "this comment does not end", span, "close it with `--/`")


def directive(span: Span) -> Diagnostic:
    """Report a preprocessor line."""
    return error(
        "preprocessor-directive",
        "unexpected preprocessor directive",
        span,
        "run the file through `cpp` or `m4` first, or use a DEFINE",
    )


def literal(code: str, message: str, span: Span, advice: str) -> Diagnostic:
    """Report a constant that the language does not have."""
    return error(code, message, span, advice)


def syntax_error(found: str, span: Span, expected: str = "", advice: str = "") -> Diagnostic:
    """Report a token that fits no rule; `advice` says more than what was expected."""
    usual = f"expected {expected}" if expected else "see the grammar in the NuSMV user manual, §2"
    return error("syntax-error", f"syntax error at {found}", span, advice or usual)


def reserved_word(word: str, span: Span) -> Diagnostic:
    """Report a word of the language that stands for a name."""
    what = f"`{word}` is a reserved word of NuSMV"
    return error(RESERVED_WORD, what, span, "choose another name")


def missing(span: Span, expected: str) -> Diagnostic:
    """Report that the text ends too early, or a line does, behind its last token."""
    advice = f"expected {expected}" if expected else "see the grammar in the NuSMV user manual, §2"
    return error("syntax-error", "something is missing behind this", span, advice)


def nesting_too_deep(span: Span, limit: int) -> Diagnostic:
    """Report brackets nested deeper than is read."""
    return error(
        "nesting-too-deep",
        f"brackets are nested deeper than {limit} levels",
        span,
        "name parts of the expression with DEFINE",
    )


def too_many(count: int, span: Span) -> Diagnostic:
    """Report that further syntax errors are not shown."""
    return error(
        "too-many-errors",
        f"at least {count} more syntax errors are not shown",
        span,
        "correct the first ones; is this a NuSMV file?",
    )


def wrong_kind(what: str, where: str, span: Span, advice: str) -> Diagnostic:
    """Report an operator that may not stand in this kind of expression."""
    return error("unexpected-operator", f"unexpected {what} in {where}", span, advice)


def unsupported(what: str, span: Span, advice: str) -> Diagnostic:
    """Report a construct that NuSMV itself does not build models from."""
    return error("unsupported-construct", f"{what} not supported", span, advice)


# --- names ------------------------------------------------------------------------------------


def undefined(name: str, span: Span, close: Iterable[str] = ()) -> Diagnostic:
    """Report a name that nothing declares; `close` are names that look like it."""
    meant = tuple(close)
    advice = asked(meant) or "declare it in VAR, DEFINE or CONSTANTS"
    for sign in ("->", "--", "-"):
        if sign in name or (sign == "->" and name.endswith("-")):
            advice = f"`-` can be part of a name: put a space before `{sign}` if it is an operator"
            meant = ()
            break
    if name in {"true", "false"}:
        advice, meant = f"write {name.upper()}", (name.upper(),)
    return meaning(error("undefined-name", f"undefined identifier {name!r}", span, advice), meant)


_TYPES = {"boolean": "boolean", "bool": "boolean", "int": "integer", "float": "real"}
"""Types by what other languages call them."""


def undefined_module(name: str, span: Span, close: Iterable[str] = ()) -> Diagnostic:
    """Report an instance of a module that does not exist; `close` are names that look like it."""
    meant = [*close, *(type_ for other, type_ in _TYPES.items() if name.lower() == other)]
    meant += [] if meant else near(name, dict.fromkeys(_TYPES.values()))
    advice = asked(meant) or f"add `MODULE {name}` or correct the name"
    return meaning(error("undefined-module", f"undefined module {name!r}", span, advice), meant)


def no_main(span: Span, *, meant: bool) -> Diagnostic:
    """Report a file without `MODULE main`; where one is `meant`, at its name."""
    advice = "call it `main`" if meant else "add `MODULE main`"
    return error("no-main-module", "the file has no module main", span, advice)


def main_parameters(span: Span) -> Diagnostic:
    """Report parameters of `main`."""
    return error(
        "main-with-parameters",
        "module main cannot have parameters",
        span,
        "nothing instantiates main: declare variables instead",
    )


def declared_twice(name: str, span: Span, first: Span | None) -> Diagnostic:
    """Report a second declaration of a name."""
    related = () if first is None else (Related(f"{name} is declared here first", first),)
    return error(
        "declared-twice",
        f"multiple declaration of {name}",
        span,
        "rename one of them",
        related=related,
    )


def ambiguous(name: str, span: Span) -> Diagnostic:
    """Report a name that is both a symbolic constant and something else."""
    return error(
        "ambiguous-name",
        f"{name} is both a symbolic constant and a declared name",
        span,
        "constants are global: rename one of them",
    )


def recursive_module(name: str, span: Span) -> Diagnostic:
    """Report a module that contains itself."""
    return error(
        "recursive-module",
        f"module {name!r} is recursively defined",
        span,
        "remove this instance",
    )


def too_many_instances(limit: int, span: Span) -> Diagnostic:
    """Report a hierarchy that is too large to be flattened."""
    return error(
        "too-many-instances",
        f"the model has more than {limit} module instances",
        span,
        "nested instances multiply: share them through parameters",
    )


def wrong_arity(module: str, expected: int, found: int, span: Span) -> Diagnostic:
    """Report a wrong number of actual parameters."""
    return error(
        "wrong-arity",
        f"module {module} has {counted(expected, 'parameter')}, {found} given",
        span,
        "give one expression for each parameter",
    )


def recursive_definition(name: str, span: Span, related: tuple[Related, ...] = ()) -> Diagnostic:
    """Report a definition that depends on itself within an instant."""
    return error(
        "recursive-definition",
        f"recursively defined: {name}",
        span,
        "break the cycle with a delay: assign the next() value of one of them from current values",
        related=related,
    )


# --- assignments ------------------------------------------------------------------------------


def assigned_twice(name: str, span: Span, first: Span) -> Diagnostic:
    """Report a second assignment to a variable."""
    return error(
        "assigned-twice",
        f"variable is assigned more than once: {name}",
        span,
        "a variable has one `:=`, or one init() and one next()",
        related=(Related("assigned here first", first),),
    )


def bad_target(message: str, span: Span) -> Diagnostic:
    """Report a left-hand side that cannot be assigned to."""
    return error(
        "bad-assignment-target",
        message,
        span,
        "assign to a variable, or to an array element with a constant index",
    )


def storage(message: str, span: Span, advice: str) -> Diagnostic:
    """Report a use of an input or frozen variable that its section forbids."""
    return error("variable-kind", message, span, advice)


def nested_next(span: Span) -> Diagnostic:
    """Report `next` inside `next`."""
    return error("nested-next", "nested next operators", span, "`next` reaches one step only")


# --- types ------------------------------------------------------------------------------------


def operand(operator: str, operands: str, span: Span, advice: str) -> Diagnostic:
    """Report operands of types that an operator does not take."""
    plural = "types" if " and " in operands else "type"
    return error("type-error", f"illegal operand {plural} of {operator}: {operands}", span, advice)


def type_error(message: str, span: Span, advice: str) -> Diagnostic:
    """Report any other violation of the type system."""
    return error("type-error", message, span, advice)


def not_constant(what: str, span: Span) -> Diagnostic:
    """Report an expression that must be constant and is not."""
    return error(
        "not-constant", f"{what} must be a constant expression", span, "use numbers and DEFINEs"
    )


def bad_type(message: str, span: Span, advice: str) -> Diagnostic:
    """Report a type that has no values, or too many."""
    return error("bad-type", message, span, advice)


# --- values (what NuSMV reports when it builds the model) ------------------------------------


def case_not_exhaustive(span: Span) -> Diagnostic:
    """Report a `case` none of whose conditions may hold."""
    return error(
        "case-not-exhaustive",
        "case conditions are not exhaustive",
        span,
        "end it with `TRUE : …;`",
    )


def out_of_range(variable: str, span: Span) -> Diagnostic:
    """Report an assigned value outside the domain of the variable."""
    return error(
        "value-out-of-range",
        f"may assign a value outside the type of variable {variable}",
        span,
        "guard it with a case on the variables it mentions; INVAR and reachability do not count",
    )


def division_by_zero(span: Span) -> Diagnostic:
    """Report a division whose divisor may be zero."""
    return error(
        "division-by-zero", "division by zero", span, "guard it: `y = 0 | x / y …`, or a case"
    )


def index_out_of_bounds(span: Span) -> Diagnostic:
    """Report an array index that may be outside the bounds."""
    return error(
        "index-out-of-bounds", "array access out of bounds", span, "guard the index with a case"
    )


def compassion_ignored(span: Span) -> Diagnostic:
    """Warn that properties of branching time do not depend on a `COMPASSION`."""
    return Diagnostic(
        "compassion-ignored",
        Severity.WARNING,
        "CTL properties are checked without COMPASSION, as in NuSMV",
        span,
        "an execution that violates it may falsify them: state what needs it as LTLSPEC",
    )


def shift_out_of_range(span: Span) -> Diagnostic:
    """Report a shift by a negative amount or by more than the width."""
    return error(
        "shift-out-of-range",
        "the shift amount may be out of range",
        span,
        "it must lie between 0 and the width of the word",
    )
