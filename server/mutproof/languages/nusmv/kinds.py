"""Which operators may stand in which kind of expression, decided on the tree alone.

Source: NuSMV 2.6 grammar.y, `check_wff`; manual §2.2, §2.3.
"""

from __future__ import annotations

from enum import Enum

from mutproof.base.diagnostics import Diagnostic
from mutproof.base.giving_way import by_steps
from mutproof.languages.nusmv import errors
from mutproof.languages.nusmv.lexing import RESERVED
from mutproof.languages.nusmv.syntax import (
    BRANCHING,
    LINEAR,
    ArrayType,
    Assignment,
    AssignmentKind,
    Compassion,
    ConstraintKeyword,
    ConstraintSection,
    Declaration,
    DefineDeclaration,
    Expression,
    Form,
    InstanceType,
    ModuleHeader,
    RangeType,
    Specification,
    SpecificationKind,
    SyntaxNode,
    VariableDeclaration,
    WordType,
)


class ExpressionRole(Enum):
    """Say what an expression is for; the value is the words of a message."""

    SIMPLE = "a simple expression"
    NEXT = "a next expression"
    INVARIANT = "an INVARSPEC"
    DEFINE = "a DEFINE"
    CTL = "a CTL property"
    LTL = "an LTL property"
    PSL = "a PSL property"


_TRANSPARENT = (
    frozenset(
        {
            Form.NOT,
            Form.AND,
            Form.OR,
            Form.XOR,
            Form.XNOR,
            Form.IFF,
            Form.IMPLIES,
            Form.PSL,
            Form.SEQUENCE,
            Form.SET,
        }
    )
    | BRANCHING
    | LINEAR
)
"""The forms whose operands may be temporal wherever the form itself may be."""


_BOOLEAN_IN_PSL = frozenset({"&&", "||", "[*]"})


def check(declaration: Declaration | ModuleHeader) -> Diagnostic | None:
    """Return an error for the first misplaced operator of a declaration, None if there is none."""
    for expression, kind in _expressions(declaration):
        problem = _check(expression, kind)
        if problem is not None:
            return problem
    return None


def _expressions(
    declaration: Declaration | ModuleHeader,
) -> list[tuple[Expression, ExpressionRole]]:
    match declaration:
        case VariableDeclaration(_, _, type_):
            found: list[tuple[Expression, ExpressionRole]] = []
            while isinstance(type_, ArrayType):
                found += [(type_.low, ExpressionRole.SIMPLE), (type_.high, ExpressionRole.SIMPLE)]
                type_ = type_.element
            if isinstance(type_, RangeType):
                found += [(type_.low, ExpressionRole.SIMPLE), (type_.high, ExpressionRole.SIMPLE)]
            elif isinstance(type_, WordType):
                found.append((type_.width, ExpressionRole.SIMPLE))
            elif isinstance(type_, InstanceType):
                found += [(actual, ExpressionRole.NEXT) for actual in type_.actuals]
            return found
        case DefineDeclaration(_, body):
            return [(body, ExpressionRole.DEFINE)]
        case Assignment(kind, target, body, _):
            allowed = ExpressionRole.NEXT if kind is AssignmentKind.NEXT else ExpressionRole.SIMPLE
            return [(target, ExpressionRole.SIMPLE), (body, allowed)]
        case ConstraintSection(keyword, body, _):
            return [
                (
                    body,
                    ExpressionRole.NEXT
                    if keyword is ConstraintKeyword.TRANS
                    else ExpressionRole.SIMPLE,
                )
            ]
        case Compassion(premise, conclusion, _):
            return [(premise, ExpressionRole.SIMPLE), (conclusion, ExpressionRole.SIMPLE)]
        case Specification():
            logic = {
                SpecificationKind.INVARIANT: ExpressionRole.INVARIANT,
                SpecificationKind.LTL: ExpressionRole.LTL,
                SpecificationKind.PSL: ExpressionRole.PSL,
            }.get(declaration.kind, ExpressionRole.CTL)
            stated = [(declaration.body, logic)]
            if declaration.target is not None:
                stated.append((declaration.target, logic))
            return stated
        case _:
            return []


def _check(expression: Expression, kind: ExpressionRole) -> Diagnostic | None:
    nodes = expression.nodes
    count = len(nodes)
    temporal = [True] * count
    inside_next = [False] * count
    arrays = [False] * count
    arrays[-1] = kind is ExpressionRole.DEFINE
    found: list[Diagnostic] = []
    for index in by_steps(range(count - 1, -1, -1)):
        node = nodes[index]
        if node.form is Form.NUMBER:  # of which a table may have many
            continue
        problem = _misplaced(
            node, nodes, kind, temporal=temporal[index], inside_next=inside_next[index]
        )
        if node.form is Form.ARRAY and not arrays[index]:
            problem = errors.syntax_error("'['", node.token, "an expression")
        if problem is not None:
            found.append(problem)
        for arg in node.args:
            temporal[arg] = temporal[index] and node.form in _TRANSPARENT
            inside_next[arg] = inside_next[index] or node.form is Form.NEXT
            arrays[arg] = arrays[index] and node.form is Form.ARRAY
    return min(found, key=lambda problem: problem.span) if found else None


def _misplaced(
    node: SyntaxNode,
    nodes: tuple[SyntaxNode, ...],
    kind: ExpressionRole,
    *,
    temporal: bool,
    inside_next: bool,
) -> Diagnostic | None:
    form = node.form
    if form is Form.NEXT:
        if inside_next or kind in {ExpressionRole.SIMPLE, ExpressionRole.CTL}:
            where = "next" if inside_next else kind.value
            advice = "`next` belongs in TRANS, next() assignments, DEFINE, INVARSPEC and LTLSPEC"
            return errors.wrong_kind("'next' operator", where, node.token, advice)
    elif form in BRANCHING:
        if kind not in {ExpressionRole.CTL, ExpressionRole.PSL} or not temporal:
            where = kind.value if temporal else f"an operand within {kind.value}"
            advice = "CTL operators stand in CTLSPEC, under Boolean and CTL operators only"
            return errors.wrong_kind("CTL operator", where, node.token, advice)
    elif form in LINEAR:
        if kind not in {ExpressionRole.LTL, ExpressionRole.PSL} or not temporal:
            where = kind.value if temporal else f"an operand within {kind.value}"
            advice = "LTL operators stand in LTLSPEC, under Boolean and LTL operators only"
            return errors.wrong_kind("LTL operator", where, node.token, advice)
    elif form is Form.RANGE:
        return _range(node, nodes)
    elif form in {Form.PSL, Form.SEQUENCE} and kind is not ExpressionRole.PSL:
        return errors.syntax_error("this operator", node.token, "PSL operators only in PSLSPEC")
    elif form is Form.PSL and not temporal and node.value not in _BOOLEAN_IN_PSL:
        where = f"an operand within {kind.value}"
        advice = "temporal operators stand under Boolean and temporal operators only"
        return errors.wrong_kind("PSL operator", where, node.token, advice)
    elif form is Form.CALL and node.value != "floor" and node.value not in RESERVED:
        return errors.syntax_error(
            f"'(' after {node.value!r}", node.token, "an operator: functions are not declared"
        )
    return None


def _range(node: SyntaxNode, nodes: tuple[SyntaxNode, ...]) -> Diagnostic | None:
    low, high = (nodes[arg] for arg in node.args)
    for side in (low, high):
        inner = side if side.form is Form.NUMBER else None
        if side.form is Form.NEGATE and nodes[side.args[0]].form is Form.NUMBER:
            inner = nodes[side.args[0]]
        if inner is None:
            place = side.token if side is high else node.token
            return errors.syntax_error("this bound", place, "a number: ranges here are literal")
    if low.whole.start != node.whole.start or high.whole.end != node.whole.end:
        return errors.syntax_error("'..'", node.token, "numbers without parentheses")
    return None
