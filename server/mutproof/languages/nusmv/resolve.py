"""From a flat run of operands and operators to a tree, by the table of precedences.

The run is what the grammar reads; a shunting yard puts it together without recursion. What
the NuSMV grammar cannot derive (`{0,1} + 1`, `x = X y`) is a syntax error at the same token.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import field
from typing import TypeAlias

from mutproof.base.giving_way import STEPS, by_steps, give_way
from mutproof.base.grammar import Terminal
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import precedence
from mutproof.languages.nusmv.precedence import Binding
from mutproof.languages.nusmv.syntax import (
    BRANCHING,
    LINEAR,
    Expression,
    Form,
    NodeValue,
    SyntaxNode,
)


@dataclass(slots=True, eq=False)
class Tree:
    """Hold a node while its declaration is read; `outer` includes parentheses around it."""

    form: Form
    value: NodeValue
    args: list[Tree]
    whole: Span
    token: Span
    level: int = precedence.ATOM
    outer: Span = field(default=Span(0, 0))
    run: list[Part] | None = None  # the flat run it was made from, for PSL's brackets

    def __post_init__(self) -> None:
        if self.outer.end == 0:
            self.outer = self.whole

    @property
    def parenthesised(self) -> bool:
        """Tell whether parentheses stand around the node."""
        return self.outer != self.whole


@dataclass(slots=True, eq=False)
class Prefix:
    """Hold a prefix operator of a run."""

    form: Form
    value: NodeValue
    token: Span
    binding: Binding
    extra: list[Tree] = field(default_factory=list)


@dataclass(slots=True, eq=False)
class Binary:
    """Hold a binary operator of a run; `middle` is what stands between `?` and `:`."""

    form: Form
    value: NodeValue
    token: Span
    binding: Binding
    middle: Tree | None = None


Part: TypeAlias = Tree | Prefix | Binary


class Misplaced(Exception):  # noqa: N818 - the caller makes a diagnostic of it
    """Tell at which place a token is that the grammar cannot derive."""

    def __init__(self, span: Span) -> None:
        super().__init__(span)
        self.span = span


@dataclass(slots=True, eq=False)
class _Pending:
    operator: Prefix | Binary
    binding: Binding


def resolve(run: Sequence[Part], *, bracket: bool = False, psl: bool = False) -> Tree:
    """Return the tree of a run; in a `bracket`, as of `A [ ]`, `U` and `BU` bind loosest.

    In `psl` any operand may follow any operator.

    Raises:
        Misplaced: an operand or operator binds looser than its place allows.
    """
    operands: list[Tree] = []
    pending: list[_Pending] = []
    for part in by_steps(run):
        if isinstance(part, Tree):
            if pending and not psl and part.level > pending[-1].binding.right_limit:
                _loosen_not(pending, part.form, part.level, part.outer)
            operands.append(part)
        elif isinstance(part, Prefix):
            if pending and not psl and part.binding.level > pending[-1].binding.right_limit:
                _loosen_not(pending, part.form, part.binding.level, part.token)
            pending.append(_Pending(part, part.binding))
        else:
            binding = part.binding
            if bracket and part.form in {Form.U, Form.BU}:
                binding = Binding(precedence.UNTIL_BRACKET)
            while pending and (
                pending[-1].binding.level < binding.level
                or (pending[-1].binding.level == binding.level and not binding.right)
            ):
                _reduce(operands, pending)
            tight = not pending or pending[-1].binding.level >= binding.level
            if tight and not psl and operands[-1].level > binding.left_limit:
                raise Misplaced(part.token)
            pending.append(_Pending(part, binding))
    while pending:
        _reduce(operands, pending)
        if not len(pending) % STEPS:
            give_way()
    return operands[0]


def _loosen_not(pending: list[_Pending], form: Form, level: int, place: Span) -> None:
    """Let `!` take a temporal formula without parentheses; raise for other looser operands.

    Source: grammar.y, the productions `'!' ctl_pure` and `'!' ltl_pure`.
    """
    temporal = form in BRANCHING or form in LINEAR
    last = len(pending) - 1
    while last >= 0 and temporal and pending[last].operator.form is Form.NOT:
        pending[last] = _Pending(pending[last].operator, Binding(level, right=True))
        last -= 1
    if last >= 0 and level > pending[last].binding.right_limit:
        raise Misplaced(place)


def _reduce(operands: list[Tree], pending: list[_Pending]) -> None:
    top = pending.pop()
    operator = top.operator
    right = operands.pop()
    if isinstance(operator, Prefix):
        whole = operator.token.joined(right.outer)
        arguments = [*operator.extra, right]
    else:
        left = operands.pop()
        whole = left.outer.joined(right.outer)
        middle = [] if operator.middle is None else [operator.middle]
        arguments = [left, *middle, right]
    operands.append(
        Tree(operator.form, operator.value, arguments, whole, operator.token, top.binding.level)
    )


def flattened(tree: Tree) -> Expression:
    """Return the nodes of a tree in postorder."""
    nodes: list[SyntaxNode] = []
    index: dict[int, int] = {}
    stack: list[tuple[Tree, bool]] = [(tree, False)]
    while stack:
        current, done = stack.pop()
        if done or not current.args:
            arguments = tuple([index[id(arg)] for arg in current.args])
            index[id(current)] = len(nodes)
            if not len(nodes) % STEPS:
                give_way()
            nodes.append(
                SyntaxNode(current.form, current.value, arguments, current.whole, current.token)
            )
            continue
        stack.append((current, True))
        stack.extend((arg, False) for arg in reversed(current.args))
    return Expression(tuple(nodes))


def span_of(token: Terminal) -> Span:
    """Return the place of a token."""
    return Span(token.start, token.end)
