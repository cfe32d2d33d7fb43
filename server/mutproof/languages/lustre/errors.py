"""Every diagnostic of the Lustre front end, and what `mutproof explain CODE` says about it."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Final

from mutproof.base.diagnostics import Diagnostic, Related, Severity, meaning
from mutproof.base.near import asked, near
from mutproof.base.span import Span
from mutproof.languages.lustre.explanations import CODES
from mutproof.model import sorts
from mutproof.model.sorts import Sort

__all__ = ["CODES"]

RESERVED_WORD: Final = "reserved-word"


def _error(
    code: str, message: str, span: Span, help_: str = "", *, related: tuple[Related, ...] = ()
) -> Diagnostic:
    assert code in CODES, code
    return Diagnostic(code, Severity.ERROR, message, span, help_, related)


def _warning(code: str, message: str, span: Span, help_: str = "") -> Diagnostic:
    assert code in CODES, code
    return Diagnostic(code, Severity.WARNING, message, span, help_)


# --- text and syntax --------------------------------------------------------------------------


def unterminated_comment(span: Span) -> Diagnostic:
    """Report a comment that is opened and never closed."""
    return _error(
        "unterminated-comment",
        "this comment is not closed",
        span,
        "close it with `*)` or `*/`; the rest of the file is not read",
    )


def unexpected(found: str, span: Span, advice: str) -> Diagnostic:
    """Report a token that fits no rule; `found` is empty at the end of a chunk."""
    what = f"unexpected `{found}`" if found else "something is missing behind this"
    return _error("syntax", what, span, advice)


def reserved_word(word: str, span: Span) -> Diagnostic:
    """Report a word of the language that stands for a name."""
    what = f"`{word}` is a reserved word of Lustre"
    return _error(RESERVED_WORD, what, span, "choose another name")


def stray_text(found: str, span: Span) -> Diagnostic:
    """Report text outside of any declaration."""
    meant = near(found, ("node", "type", "const", "function"), most=1)
    advice = asked(meant) or "a file holds `type`, `const`, `function` and `node` declarations"
    if found.startswith("--%"):
        advice = "pragmas stand in a node, between `let` and `tel`"
    what = f"`{found}` does not start a declaration"
    return meaning(_error("stray-text", what, span, advice), meant)


def missing_tel(span: Span) -> Diagnostic:
    """Report a body that is not closed."""
    return _error("missing-tel", "the body of this node is not closed", span, "add `tel;`")


def missing_body(name: str, span: Span) -> Diagnostic:
    """Report a node without `let`."""
    return _error(
        "missing-let",
        f"node `{name}` has no body",
        span,
        "add `let ... tel;`, or declare a `function`, which is uninterpreted",
    )


def nesting_too_deep(span: Span, limit: int) -> Diagnostic:
    """Report an expression that is nested deeper than this tool follows."""
    return _error(
        "nesting-too-deep",
        f"nested more than {limit} levels deep",
        span,
        "name a part of the expression with a local variable",
    )


def number_too_long(span: Span) -> Diagnostic:
    """Report a number with thousands of digits."""
    return _error("number-too-long", "this number has too many digits", span)


def too_many_errors(span: Span, limit: int) -> Diagnostic:
    """Say that further syntax errors are not reported."""
    return _error(
        "too-many-errors",
        f"more than {limit} syntax errors; the rest of the file is not read",
        span,
        "is this a Lustre file?",
    )


def unsupported_dialect(construct: str, dialect: str, span: Span, help_: str = "") -> Diagnostic:
    """Report a construct of another Lustre."""
    return _error(
        "unsupported-dialect", f"{construct} belongs to {dialect}, not to JKind", span, help_
    )


# --- names ------------------------------------------------------------------------------------


def no_main(span: Span) -> Diagnostic:
    """Report a file without nodes."""
    return _error("no-main", "there is no node to analyse", span, "declare a `node`")


def several_mains(span: Span, first: Span, *, same_node: bool) -> Diagnostic:
    """Report a second `--%MAIN`; in the same node it does no harm."""
    related = (Related("the first one", first),)
    if same_node:
        message, severity = "this node is already the main one", Severity.WARNING
    else:
        message, severity = "another node is already the main one", Severity.ERROR
    return Diagnostic("several-mains", severity, message, span, "keep one `--%MAIN`", related)


def duplicate(noun: str, name: str, span: Span, first: Span | None) -> Diagnostic:
    """Report a second declaration of a name."""
    related = (Related("declared here first", first),) if first else ()
    return _error("duplicate-name", f"{noun} `{name}` is declared twice", span, "", related=related)


def undefined(
    noun: str, name: str, span: Span, close: Iterable[str] = (), *, advice: str = ""
) -> Diagnostic:
    """Report the use of a name that nothing declares; `close` are names that look like it."""
    message, meant = f"{noun} `{name}` is not declared", tuple(close)
    return meaning(_error(f"undefined-{noun}", message, span, asked(meant) or advice), meant)


def too_many_instances(limit: int, span: Span) -> Diagnostic:
    """Report calls that multiply beyond what can be inlined."""
    return _error(
        "too-many-instances",
        f"the calls of this node unfold to more than {limit} instances",
        span,
        "nested calls multiply: call a node once and reuse its outputs",
    )


def cyclic(noun: str, names: Iterable[str], span: Span) -> Diagnostic:
    """Report declarations that need themselves."""
    chain = " -> ".join(names)
    return _error(f"cyclic-{noun}", f"{noun} depends on itself: {chain}", span)


def recursive_node(names: Iterable[str], span: Span) -> Diagnostic:
    """Report a node that calls itself."""
    chain = " -> ".join(names)
    return _error(
        "recursive-node",
        f"node calls itself: {chain}",
        span,
        "calls are inlined, so a node cannot call itself",
    )


# --- types ------------------------------------------------------------------------------------


def mismatch(expected: Sort | str, found: Sort, span: Span) -> Diagnostic:
    """Report a value of the wrong type."""
    wanted = expected if isinstance(expected, str) else sorts.describe(expected)
    help_ = ""
    if isinstance(expected, sorts.RealSort) and isinstance(found, sorts.IntSort):
        help_ = "convert it with `real(...)`, or write `1.0` for `1`"
    elif isinstance(expected, sorts.IntSort) and isinstance(found, sorts.RealSort):
        help_ = "round it down with `floor(...)`"
    elif isinstance(expected, sorts.IntSort) and isinstance(found, sorts.IntSort):
        help_ = "a subrange takes only values that are known to be in its range"
    shown = sorts.describe(found)
    if isinstance(found, sorts.IntSort) and found.low is not None and found.low == found.high:
        shown = "int" if not isinstance(expected, sorts.IntSort) else str(found.low)
    return _error("type-mismatch", f"expected {wanted}, found {shown}", span, help_)


_ORDERS = frozenset({"<", "<=", ">", ">="})


def operands(operator: str, left: Sort, right: Sort, span: Span) -> Diagnostic:
    """Report operands that an operator does not take together."""
    first, second = (sorts.describe(sorts.widened(sort)) for sort in (left, right))
    help_ = ""
    if {type(left), type(right)} == {sorts.IntSort, sorts.RealSort}:
        help_ = "int and real do not mix: convert with `real(...)`, or write `1.0` for `1`"
    elif operator == "/" and isinstance(left, sorts.IntSort):
        help_ = "`/` divides reals; integers have `div` and `mod`"
    elif operator in {"div", "mod"} and isinstance(left, sorts.RealSort):
        help_ = "`div` and `mod` are for integers; reals have `/`"
    elif operator in _ORDERS and isinstance(left, sorts.BoolSort):
        help_ = f"comparisons are not chained: write `a {operator} b and b {operator} c`"
    return _error(
        "type-mismatch", f"`{operator}` is not defined for {first} and {second}", span, help_
    )


def operand(operator: str, found: Sort, span: Span) -> Diagnostic:
    """Report an operand that a prefix operator does not take."""
    widened = sorts.widened(found)
    shown = sorts.describe(widened)
    tight = operator == "not" and isinstance(widened, sorts.IntSort | sorts.RealSort)
    help_ = "`not` comes before comparisons: write `not (x > y)` for `not x > y`" if tight else ""
    return _error("type-mismatch", f"`{operator}` is not defined for {shown}", span, help_)


def unlike(first: Sort, second: Sort, span: Span) -> Diagnostic:
    """Report branches or elements that have no type in common."""
    left, right = (sorts.describe(sorts.widened(sort)) for sort in (first, second))
    help_ = ""
    if {type(first), type(second)} == {sorts.IntSort, sorts.RealSort}:
        help_ = "int and real do not mix: convert with `real(...)`, or write `1.0` for `1`"
    return _error("type-mismatch", f"expected {left}, found {right}", span, help_)


def no_field(field: str, found: Sort, span: Span) -> Diagnostic:
    """Report a field that a value does not have."""
    shown = sorts.describe(sorts.widened(found))
    known = ", ".join(name for name, _ in found.fields) if isinstance(found, _RECORD) else ""
    help_ = f"its fields are {known}" if known else ""
    return _error("undefined-field", f"{shown} has no field `{field}`", span, help_)


_RECORD = sorts.RecordSort


def missing_field(field: str, record: str, span: Span) -> Diagnostic:
    """Report a record literal without one of the fields."""
    return _error("missing-field", f"field `{field}` of `{record}` has no value", span)


def wrong_count(noun: str, expected: int, found: int, span: Span) -> Diagnostic:
    """Report the wrong number of arguments, defaults or values."""
    plural = noun if expected == 1 else f"{noun}s"
    advice = "give one for each output, separated by commas" if noun == "default" else ""
    return _error("wrong-count", f"expected {expected} {plural}, found {found}", span, advice)


def condact_of(span: Span) -> Diagnostic:
    """Report a condact of something that is not the call of a node."""
    return _error(
        "condact-target",
        "`condact` needs the call of a node here",
        span,
        "write `condact(clock, node(arguments), defaults)`",
    )


def type_too_large(span: Span) -> Diagnostic:
    """Report a type with more parts than can be handled."""
    return _error("type-too-large", "values of this type have too many parts", span)


def empty_subrange(low: int, high: int, span: Span) -> Diagnostic:
    """Report a subrange that contains nothing."""
    return _error("empty-subrange", f"the range is empty: {low} is greater than {high}", span)


def empty_array(span: Span) -> Diagnostic:
    """Report an array type of size zero."""
    return _error("empty-array", "an array must have at least one element", span)


def constrained_output(name: str, span: Span) -> Diagnostic:
    """Report a function with a subrange or enumeration as output."""
    return _error(
        "constrained-output",
        f"output `{name}` of a function may not be a subrange or an enumeration",
        span,
        "use `int`, and restrict the value where it is used",
    )


# --- values -----------------------------------------------------------------------------------


def not_constant(name: str, span: Span) -> Diagnostic:
    """Report a constant whose value depends on a state."""
    return _error("not-constant", f"constant `{name}` does not have a constant value", span)


def divisor(value: object, operator: str, span: Span) -> Diagnostic | None:
    """Return the diagnostic for a divisor with a constant value, None if it is legal."""
    if value == 0:
        return _error("division-by-zero", "the divisor is zero", span)
    if operator == "/" or not isinstance(value, int) or value > 0:
        return None
    return _warning(
        "negative-divisor",
        f"the divisor of `{operator}` is {value}: division is Euclidean, with a remainder ≥ 0",
        span,
        "JKind refuses such a divisor",
    )


def index_out_of_bounds(index: int, size: int, span: Span) -> Diagnostic:
    """Report a constant index that the array does not have."""
    return _error(
        "index-out-of-bounds",
        f"index {index} is out of bounds",
        span,
        f"valid indices are 0 to {size - 1}",
    )


# --- nodes ------------------------------------------------------------------------------------


def unassigned(name: str, span: Span) -> Diagnostic:
    """Report an output or local that no equation defines."""
    return _error(
        "unassigned-variable",
        f"`{name}` is never defined",
        span,
        "add an equation, or make it an input if it may have any value",
    )


def reassigned(name: str, span: Span, first: Span) -> Diagnostic:
    """Report a second equation for a variable."""
    return _error(
        "reassigned-variable",
        f"`{name}` is defined twice",
        span,
        "",
        related=(Related("defined here first", first),),
    )


def not_assignable(name: str, what: str, span: Span) -> Diagnostic:
    """Report an equation for something that is not an output or a local."""
    return _error("not-assignable", f"{what} `{name}` cannot be defined by an equation", span)


def property_not_boolean(name: str, found: Sort, span: Span) -> Diagnostic:
    """Report a property that is not a Boolean."""
    return _error("property-not-boolean", f"`{name}` is {sorts.describe(found)}, not bool", span)


def duplicate_pragma(noun: str, name: str, span: Span) -> Diagnostic:
    """Report a name listed twice."""
    return _error("duplicate-pragma", f"{noun} `{name}` is stated twice", span)


def core_candidate(name: str, span: Span) -> Diagnostic:
    """Report an `--%IVC` entry that is no local and no output."""
    return _error("core-candidate", f"`{name}` is neither a local variable nor an output", span)


def name_with_parts(span: Span) -> Diagnostic:
    """Report a declared name with dots or indices where names have none."""
    return _error(
        "name-with-parts",
        "a name with dots or indices is not allowed in this program",
        span,
        "JKind allows it only in a program of one node without types, constants and arrays",
    )
