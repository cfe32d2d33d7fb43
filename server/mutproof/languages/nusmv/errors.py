"""What can be wrong in a NuSMV text: one function per diagnostic, and what `explain` prints."""

from __future__ import annotations

from mutproof.base.diagnostics import Diagnostic, Related, Severity
from mutproof.base.span import Span


def error(
    code: str, message: str, span: Span, advice: str, related: tuple[Related, ...] = ()
) -> Diagnostic:
    """Return an error of a code that `CODES` explains."""
    return Diagnostic(code, Severity.ERROR, message, span, advice, related)


def warning(code: str, message: str, span: Span, advice: str) -> Diagnostic:
    """Return a warning of a code that `CODES` explains."""
    return Diagnostic(code, Severity.WARNING, message, span, advice)


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


def syntax_error(found: str, span: Span, expected: str = "") -> Diagnostic:
    """Report a token that fits no rule."""
    advice = f"expected {expected}" if expected else "see the grammar in the NuSMV user manual, §2"
    return error("syntax-error", f"syntax error at {found}", span, advice)


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
        "mend the first ones; is this a NuSMV file?",
    )


def wrong_kind(what: str, where: str, span: Span, advice: str) -> Diagnostic:
    """Report an operator that may not stand in this kind of expression."""
    return error("unexpected-operator", f"unexpected {what} in {where}", span, advice)


def unsupported(what: str, span: Span, advice: str) -> Diagnostic:
    """Report a construct that NuSMV itself does not build models from."""
    return error("unsupported-construct", f"{what} not supported", span, advice)


# --- names ------------------------------------------------------------------------------------


def undefined(name: str, span: Span) -> Diagnostic:
    """Report a name that nothing declares."""
    advice = "declare it in VAR, DEFINE or CONSTANTS"
    for sign in ("->", "--", "-"):
        if sign in name or (sign == "->" and name.endswith("-")):
            advice = f"`-` belongs to identifiers: put a blank before `{sign}` if it is an operator"
            break
    if name in {"true", "false"}:
        advice = f"write {name.upper()}"
    return error("undefined-name", f"undefined identifier {name!r}", span, advice)


def undefined_module(name: str, span: Span) -> Diagnostic:
    """Report an instance of a module that does not exist."""
    return error(
        "undefined-module",
        f"undefined module {name!r}",
        span,
        f"add `MODULE {name}` or mend the name",
    )


def no_main(span: Span) -> Diagnostic:
    """Report a file without `MODULE main`."""
    return error("no-main-module", "there is no module main", span, "add `MODULE main`")


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
        "declared-twice", f"multiple declaration of {name}", span, "rename one of them", related
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
        "recursive-module", f"module {name!r} is recursively defined", span, "remove the instance"
    )


def too_many_instances(limit: int, span: Span) -> Diagnostic:
    """Report a hierarchy that is too large to be flattened."""
    return error(
        "too-many-instances",
        f"the model has more than {limit} module instances",
        span,
        "instances of instances multiply: share them through parameters",
    )


def wrong_arity(module: str, expected: int, found: int, span: Span) -> Diagnostic:
    """Report a wrong number of actual parameters."""
    return error(
        "wrong-arity",
        f"module {module} has {expected} parameters, {found} are given",
        span,
        "give one expression for each parameter",
    )


def recursive_definition(name: str, span: Span, related: tuple[Related, ...] = ()) -> Diagnostic:
    """Report a definition that depends on itself within an instant."""
    return error(
        "recursive-definition",
        f"recursively defined: {name}",
        span,
        "break the cycle with a delay: let one of them be a next() assignment of current values",
        related,
    )


# --- assignments ------------------------------------------------------------------------------


def assigned_twice(name: str, span: Span, first: Span) -> Diagnostic:
    """Report a second assignment to a variable."""
    return error(
        "assigned-twice",
        f"variable is assigned more than once: {name}",
        span,
        "a variable has one `:=`, or one init() and one next()",
        (Related("assigned here first", first),),
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


def out_of_range(variable: str, span: Span, value: str = "") -> Diagnostic:
    """Report an assigned value outside the domain of the variable."""
    shown = f"cannot assign value {value} to" if value else "may assign a value outside the type of"
    return error(
        "value-out-of-range",
        f"{shown} variable {variable}",
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


def shift_out_of_range(span: Span) -> Diagnostic:
    """Report a shift by a negative amount or by more than the width."""
    return error(
        "shift-out-of-range",
        "the shift amount may be out of range",
        span,
        "it must lie between 0 and the width of the word",
    )


CODES: dict[str, str] = {
    "illegal-character": "A character that begins no NuSMV token. `~`, `@`, `%`, `^` and `\\` are "
    "not used by NuSMV 2.6; outside comments only ASCII is allowed (manual §2.1).",
    "unterminated-comment": "A multi-line comment `/-- … --/` runs to the end of the file.",
    "preprocessor-directive": "A line starts with `#`. Only the line markers that cpp leaves "
    "(`# 12 …`) are read.",
    "bad-literal": "A number or word constant that NuSMV cannot read: integers fit in "
    "0..2147483647, a word constant fits its width, and a decimal word names its width.",
    "real-constant": "Real constants (`1.5`, `1e3`, `f'1/2`) belong to nuXmv: they are read only "
    "in a model that declares `integer` or `real` variables.",
    "syntax-error": "A token that fits no rule of the grammar. Every declaration in VAR, DEFINE "
    "and ASSIGN ends with `;`, every branch of a case too, and sets bind looser than `+`.",
    "nesting-too-deep": "Parentheses, brackets and cases are nested deeper than any model is.",
    "too-many-errors": "Only the first syntax errors of a file are listed.",
    "unexpected-operator": "`next` and the temporal operators are allowed in some expressions "
    "only: INIT, INVAR, FAIRNESS, init() and `:=` take neither; TRANS, next(), DEFINE and "
    "INVARSPEC take `next`; CTLSPEC takes CTL operators, LTLSPEC takes LTL operators and `next` "
    "(manual §2.3).",
    "unsupported-construct": "The construct is read but no finite model can be built from it.",
    "undefined-name": "Nothing in this instance declares the name and it is no symbolic constant. "
    "Identifiers may contain `-`, so `x-1` is one name.",
    "undefined-module": "An instance names a module that the file does not contain.",
    "no-main-module": "A model is its module `main`.",
    "main-with-parameters": "Nothing can instantiate `main`, so it has no parameters.",
    "declared-twice": "Variables, DEFINEs, parameters and instances of a module share one name "
    "space; modules have their own.",
    "ambiguous-name": "Symbolic constants are global; a variable of the same name hides nothing.",
    "recursive-module": "Instances are copies, so a module cannot contain itself.",
    "too-many-instances": "Each instance is a copy; nested instances multiply.",
    "wrong-arity": "The number of actual parameters differs from the number of formal ones.",
    "recursive-definition": "Within one instant a value depends on itself. The check is made on "
    "the text of the assignments, as in the manual §2.3.8.",
    "assigned-twice": "Each variable is defined by `:=` alone, or by at most one init() and at "
    "most one next(); only different processes may share a next().",
    "bad-assignment-target": "The left-hand side of an assignment names a variable, an element "
    "with a constant index, or a parameter bound to one of these.",
    "variable-kind": "Input variables stand in TRANS, next(), DEFINE, LTLSPEC, INVARSPEC and "
    "FAIRNESS only, never inside `next`, never assigned; frozen ones only have an init().",
    "nested-next": "`next(next(x))`, possibly through a DEFINE or a parameter.",
    "type-error": "The operator has no meaning for operands of these types: there is no implicit "
    "conversion between Booleans, integers and words (manual §2.2).",
    "not-constant": "Bounds, widths and shift counts in types are fixed when the model is built.",
    "bad-type": "The type has no values, repeats one, or a word is wider than 64 bits.",
    "case-not-exhaustive": "Some values of the variables involved satisfy no condition. NuSMV "
    "looks at all values, not at reachable ones, and not at INVAR.",
    "value-out-of-range": "For some values of the variables involved the assigned value is not in "
    "the type of the variable. NuSMV looks at all values, not at reachable ones.",
    "division-by-zero": "For some values of the variables involved the divisor is zero and no "
    "guard decides the expression without the quotient.",
    "index-out-of-bounds": "For some values of the variables involved the index is no element.",
    "shift-out-of-range": "A shift amount lies between 0 and the width of the word.",
    "psl-not-checkable": "NuSMV checks the CTL part of PSL and the part that has an LTL "
    "translation: no weak suffix implication, no repetition in sequences.",
    "duplicate-property": "Two properties have the same NAME.",
}
"""What `mutproof explain CODE` prints for each code of this module."""
