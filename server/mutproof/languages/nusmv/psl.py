"""The checkable part of PSL, rewritten to the temporal operators of NuSMV.

Source: IEEE 1850 for the meaning; NuSMV 2.6 user manual §2.5 for what can be checked.
"""

from __future__ import annotations

from mutproof.languages.nusmv.syntax import (
    Expression,
    Form,
    NodeValue,
    SyntaxNode,
    is_repeated,
)

LARGEST_COUNT = 1000


class NotCheckable(Exception):  # noqa: N818 - the caller makes a diagnostic of it
    """Tell which node has no translation, and why."""

    def __init__(self, node: SyntaxNode, reason: str) -> None:
        super().__init__(reason)
        self.node = node
        self.reason = reason


def translate(expression: Expression) -> Expression:
    """Return an expression without PSL operators; each node keeps the place of its origin.

    Raises:
        NotCheckable: it uses PSL that NuSMV does not check, or that is not read yet.
    """
    expanded = _without_forall(expression)
    return _Translation(expanded).run()


class _Translation:
    def __init__(self, expression: Expression) -> None:
        self._old = expression.nodes
        self._new: list[SyntaxNode] = []
        self._origin = expression.nodes[0]
        self._index: dict[int, int] = {}

    def run(self) -> Expression:
        sequences = self._sequence_positions()
        for position, node in enumerate(self._old):
            self._origin = node
            if position in sequences:
                continue
            self._index[position] = self._node(node)
        root = self._index[len(self._old) - 1]
        return _reachable(self._new, root)

    def _sequence_positions(self) -> set[int]:
        """Return the brace groups that are sequences: operands of `|->`, `|=>` and `never`.

        Sequences joined by `&&` and `&` are sequences as well, and what is repeated.
        """
        found = set()
        for node in self._old:
            if node.form is Form.PSL and node.value in {"|->", "|=>", "never"}:
                for arg in node.args:
                    if self._old[arg].form in {Form.SET, Form.SEQUENCE}:
                        found.add(arg)
        nested = [a for p in found for a in self._old[p].args]
        while nested:
            arg = nested.pop()
            nests = self._old[arg].form in {Form.SET, Form.SEQUENCE} or self._joins(arg)
            if nests or _count(self._old[arg]):
                found.add(arg)
                nested.extend(self._old[arg].args)
        return found

    def _joins(self, position: int) -> bool:
        """Tell whether a node is `s && t` or `s & t` of two sequences in braces."""
        node = self._old[position]
        both = node.form is Form.AND or (node.form is Form.PSL and node.value == "&&")
        groups = {Form.SET, Form.SEQUENCE}
        return both and all(self._old[arg].form in groups for arg in node.args)

    def _make(self, form: Form, *args: int, value: NodeValue = None) -> int:
        node = SyntaxNode(form, value, args, self._origin.whole, self._origin.token)
        self._new.append(node)
        return len(self._new) - 1

    def _not(self, arg: int) -> int:
        return self._make(Form.NOT, arg)

    def _repeat(self, form: Form, count: int, arg: int) -> int:
        if count > LARGEST_COUNT:
            raise NotCheckable(self._origin, f"a count above {LARGEST_COUNT}")
        for _ in range(count):
            arg = self._make(form, arg)
        return arg

    def _weak_until(self, left: int, right: int) -> int:
        return self._make(Form.V, right, self._make(Form.OR, left, right))

    def _node(self, node: SyntaxNode) -> int:
        args = tuple(self._index[arg] for arg in node.args if arg in self._index)
        if node.form is Form.NEXT:
            return self._make(Form.X, *args)
        if node.form is Form.SEQUENCE:
            raise NotCheckable(node, "a sequence outside a suffix implication")
        if node.form is not Form.PSL:
            self._new.append(SyntaxNode(node.form, node.value, args, node.whole, node.token))
            return len(self._new) - 1
        if _count(node):
            raise NotCheckable(node, "repetition that is no element of a sequence")
        if isinstance(node.value, tuple):
            return self._next(node, args)
        word = str(node.value)
        if word in {"|->", "|=>"}:
            return self._suffix_implication(node, word)
        if word in {"&&", "||"}:
            return self._make(Form.AND if word == "&&" else Form.OR, *args)
        if word == "never" and node.args[0] not in self._index:
            return self._make(Form.G, self._not(self._conjoined(self._steps(node.args[0]))))
        if word == "eventually!":
            return self._make(Form.F, args[0])
        if word in {"always", "never"}:
            return self._make(Form.G, args[0] if word == "always" else self._not(args[0]))
        if word.startswith(("until", "before")) or word == "W":
            return self._until(word, *args)
        raise NotCheckable(node, f"`{word}`")

    def _next(self, node: SyntaxNode, args: tuple[int, ...]) -> int:
        assert isinstance(node.value, tuple)
        word, low, high = str(node.value[0]), int(node.value[1]), int(node.value[2])
        if high < low or high - low > LARGEST_COUNT:
            raise NotCheckable(node, "this range")
        if word.startswith("next_event"):
            return self._next_event(node, args)
        if word == "next" and low == high:
            return self._repeat(Form.X, low, args[0])
        if word == "next":
            raise NotCheckable(node, "this range")
        form = Form.AND if word == "next_a" else Form.OR
        result = args[0]
        for _ in range(high - low):
            result = self._make(form, args[0], self._make(Form.X, result))
        return self._repeat(Form.X, low, result)

    def _next_event(self, node: SyntaxNode, args: tuple[int, ...]) -> int:
        """Say what holds at the `low`-th to `high`-th instant at which the condition does.

        Source: IEEE 1850; NuSMV 2.6 pslConv.c.
        """
        assert isinstance(node.value, tuple)
        word, low, high = str(node.value[0]), int(node.value[1]), int(node.value[2])
        if low < 1 or high > LARGEST_COUNT:
            raise NotCheckable(node, "this range")
        condition, result = args
        form = Form.AND if word.startswith("next_event_a") else Form.OR
        found: int | None = None
        for count in range(1, high + 1):
            if count > 1:
                result = self._make(Form.X, result)
            both = self._make(Form.AND, condition, result)
            if word.endswith("!"):
                result = self._make(Form.U, self._not(condition), both)
            else:
                result = self._weak_until(self._not(condition), both)
            if count >= low:
                found = result if found is None else self._make(form, found, result)
        assert found is not None
        return found

    def _until(self, word: str, left: int, right: int) -> int:
        strong = "!" in word
        if word.startswith("before"):
            goal = left if word.endswith("_") else self._make(Form.AND, left, self._not(right))
            if strong:
                return self._make(Form.U, self._not(right), goal)
            return self._weak_until(self._not(right), goal)
        goal = self._make(Form.AND, left, right) if word.endswith("_") else right
        if strong:
            return self._make(Form.U, left, goal)
        return self._weak_until(left, goal)

    def _steps(self, position: int) -> list[int]:
        """Return the nodes of the conditions of a sequence, one for each instant.

        Source: IEEE 1850, length-matching `&&`, where sequences of different lengths never match,
        and `&`, where the shorter one may end first.
        """
        results: list[list[int]] = []
        stack = [(position, False)]
        while stack:
            current, done = stack.pop()
            node = self._old[current]
            joined = self._joins(current)
            if done:
                parts = results[len(results) - len(node.args) :]
                del results[len(results) - len(node.args) :]
                if count := _count(node):
                    results.append(self._repeated(parts[0], count))
                elif joined:
                    results.append(self._joined(*parts, equal=node.form is Form.PSL))
                else:
                    results.append([step for part in parts for step in part])
            elif joined or _count(node) or node.form in {Form.SET, Form.SEQUENCE}:
                if node.form is Form.SET and len(node.args) > 1:
                    raise NotCheckable(node, "a set in a sequence")
                stack.append((current, True))
                stack.extend((arg, False) for arg in reversed(node.args))
            elif node.form is Form.PSL and node.value not in {"&&", "||"}:
                raise NotCheckable(node, "repetition in a sequence")
            else:
                results.append([self._index[current]])
        return results[0]

    def _repeated(self, steps: list[int], count: int) -> list[int]:
        """Return the conditions of a sequence that matches so many times, one after the other."""
        if len(steps) * count > LARGEST_COUNT:
            raise NotCheckable(self._origin, f"a sequence of more than {LARGEST_COUNT} instants")
        return steps * count

    def _joined(self, left: list[int], right: list[int], *, equal: bool) -> list[int]:
        """Return the conditions under which both sequences match."""
        if equal and len(left) != len(right):
            return [self._make(Form.BOOLEAN, value=False)]
        shorter, longer = sorted((left, right), key=len)
        both = [self._make(Form.AND, one, other) for one, other in zip(left, right, strict=False)]
        return both + longer[len(shorter) :]

    def _conjoined(self, steps: list[int]) -> int:
        """Return the formula that the conditions hold at consecutive instants."""
        result = steps[-1]
        for step in reversed(steps[:-1]):
            result = self._make(Form.AND, step, self._make(Form.X, result))
        return result

    def _suffix_implication(self, node: SyntaxNode, word: str) -> int:
        left, right = node.args
        premise = self._steps(left) if left not in self._index else None
        if premise is None:
            raise NotCheckable(node, "a premise that is no sequence")
        if right in self._index:
            result = self._index[right]
        else:
            conclusion = self._old[right]
            if conclusion.value is not True:
                raise NotCheckable(node, "weak suffix implication")
            result = self._conjoined(self._steps(right))
        if word == "|=>":
            result = self._make(Form.X, result)
        result = self._make(Form.IMPLIES, premise[-1], result)
        for step in reversed(premise[:-1]):
            result = self._make(Form.IMPLIES, step, self._make(Form.X, result))
        return result


def _count(node: SyntaxNode) -> int:
    """Return how often a node repeats its argument; 0: it is no `e[*n]`."""
    if not is_repeated(node.form, node.value):
        return 0
    assert isinstance(node.value, tuple)
    return int(node.value[1])


def _without_forall(expression: Expression) -> Expression:
    """Replace `forall i in {…}: p` by the conjunction of its cases, the innermost first."""
    nodes = list(expression.nodes)
    while True:
        position = next(
            (
                index
                for index, node in enumerate(nodes)
                if node.form is Form.PSL
                and isinstance(node.value, tuple)
                and node.value[0] == "forall"
            ),
            None,
        )
        if position is None:
            return _reachable(nodes, len(nodes) - 1)
        nodes = _expanded(nodes, position)
        if len(nodes) > 100 * LARGEST_COUNT:
            raise NotCheckable(expression.root, "a forall with that many cases")


def _expanded(nodes: list[SyntaxNode], position: int) -> list[SyntaxNode]:
    quantified = nodes[position]
    assert isinstance(quantified.value, tuple)
    name = quantified.value[1]
    *members, body = quantified.args
    first = _first_of(nodes, body)
    made = nodes[:position]
    result = -1
    for member in members:
        offset = len(made) - first
        for node in nodes[first : body + 1]:
            if node.form is Form.NAME and node.value == name:
                value = nodes[member]
                made.append(SyntaxNode(value.form, value.value, value.args, node.whole, node.token))
            else:
                args = tuple(arg + offset for arg in node.args)
                made.append(SyntaxNode(node.form, node.value, args, node.whole, node.token))
        case = len(made) - 1
        if result >= 0:
            both = (result, case)
            made.append(SyntaxNode(Form.AND, None, both, quantified.whole, quantified.token))
            case = len(made) - 1
        result = case
    shift = len(made) - 1 - position
    for node in nodes[position + 1 :]:
        args = tuple(
            result if arg == position else arg + shift if arg > position else arg
            for arg in node.args
        )
        made.append(SyntaxNode(node.form, node.value, args, node.whole, node.token))
    return made


def _first_of(nodes: list[SyntaxNode], root: int) -> int:
    """Return the first position of a subtree in postorder."""
    while nodes[root].args:
        root = nodes[root].args[0]
    return root


def _reachable(nodes: list[SyntaxNode], root: int) -> Expression:
    """Return the expression of the nodes below a root, in the same order."""
    used = {root}
    for position in range(root, -1, -1):
        if position in used:
            used.update(nodes[position].args)
    moved: dict[int, int] = {}
    kept: list[SyntaxNode] = []
    for position in sorted(used):
        node = nodes[position]
        moved[position] = len(kept)
        args = tuple(moved[arg] for arg in node.args)
        kept.append(SyntaxNode(node.form, node.value, args, node.whole, node.token))
    return Expression(tuple(kept))
