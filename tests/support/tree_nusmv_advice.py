"""What meta-properties say of a small NuSMV text, by trying all its states and steps.

Built on `tree_nusmv`: shares with the product only the parser, and which macros are design.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from mutproof.base.span import Span
from mutproof.languages.nusmv import syntax
from mutproof.languages.nusmv.syntax import (
    BRANCHING,
    LINEAR,
    AssignmentKind,
    ConstraintKeyword,
    Expression,
    Form,
)
from mutproof.model.program import ElementId, Role
from support.tree_nusmv import NOWHERE, SELECTOR, Meaning, State, _Reader, _Scope, read
from support.tree_nusmv_space import Space
from support.tree_nusmv_temporal import verdict
from support.tree_nusmv_values import key, members

Found = tuple[str, int, frozenset[str]]
"""A meta-property, the offset at which it is violated, and the instances (none: in all)."""

_FIRST = {AssignmentKind.INIT}


class _Whole(_Reader):
    def _forget_unused(self) -> None:
        """Keep all variables: what is asked may read any."""


@dataclass(frozen=True, slots=True)
class Condition:
    """Hold a demand, and whether it reads inputs or next values."""

    holds: Meaning
    of_steps: bool = False
    reads_next: bool = False

    def __and__(self, other: Condition) -> Condition:
        def both(state: State, after: State) -> bool:
            return bool(self.holds(state, after)) and bool(other.holds(state, after))

        return Condition(both, self.of_steps or other.of_steps, self.reads_next or other.reads_next)

    def __invert__(self) -> Condition:
        return Condition(lambda s, t: not self.holds(s, t), self.of_steps, self.reads_next)


TRUE = Condition(lambda s, t: True)


@dataclass(frozen=True, slots=True)
class Spoken:
    """Hold an expression of an instance, and where and when it is evaluated."""

    expression: Expression
    scope: _Scope
    base: int
    first: bool
    acts: Condition
    target: str | None = None  # of next(target)


class Brute:
    """Try everything that meta-properties ask of a text."""

    def __init__(self, text: str, roles: dict[ElementId, Role]) -> None:
        self.reader = _Whole(text)
        self.space = Space(self.reader.result)
        self.roles = roles
        self.found: dict[tuple[str, int, object, object], set[str]] = {}
        self.asked: dict[tuple[str, int, object], set[str]] = {}

    def advice(self) -> Counter[Found]:
        """Return what is found, with how often at each place."""
        for spoken in self._spoken():
            self._conditionals(spoken)
            if spoken.target is not None:
                self._assignments(spoken, spoken.target)
        self._values()
        counted: Counter[Found] = Counter()
        for (name, offset, detail, _), instances in self.found.items():
            everywhere = instances == self.asked[name, offset, detail]
            counted[name, offset, frozenset() if everywhere else frozenset(instances)] += 1
        return counted

    # --- what is said -------------------------------------------------------------------------

    def _spoken(self) -> Iterator[Spoken]:
        processes = len(self.reader.processes) > 1
        for scope in self.reader.scopes.values():
            for item in scope.module.items:
                match item.declaration:
                    case syntax.Assignment(kind, target, body, _):
                        acts = TRUE
                        if kind is AssignmentKind.NEXT and processes:
                            process = scope.process
                            acts = Condition(lambda s, t, p=process: s[SELECTOR] == p, True)
                        name = self.reader.path(target, len(target.nodes) - 1, scope)
                        assert isinstance(name, str)
                        is_next = kind is AssignmentKind.NEXT
                        first = kind in _FIRST
                        yield Spoken(body, scope, item.base, first, acts, name if is_next else None)
                    case syntax.DefineDeclaration(name, body):
                        identity = ElementId(scope.module.header.name.text, "define", name.text)
                        if self.roles.get(identity) is not Role.SPECIFICATION:
                            yield Spoken(body, scope, item.base, False, TRUE)
                    case syntax.ConstraintSection(keyword, body, _):
                        if keyword is not ConstraintKeyword.FAIRNESS:
                            first = keyword is ConstraintKeyword.INIT
                            yield Spoken(body, scope, item.base, first, TRUE)
                    case _:
                        pass

    def condition(self, spoken: Spoken, index: int) -> Condition:
        """Return the condition that a node is."""
        before, self.reader.used = self.reader.used, set()
        meaning = self.reader._node(spoken.expression, index, spoken.scope)
        used, self.reader.used = self.reader.used, before
        reads_next = Form.NEXT.value in used
        of_steps = reads_next or not used.isdisjoint(self.reader.result.inputs)
        return Condition(meaning, of_steps, reads_next)

    def ever(self, condition: Condition, spoken: Spoken | None = None) -> bool:
        """Tell whether a condition is true in a reachable state, or step."""
        space = self.space
        numbers: Iterable[int] = range(len(space.states))
        if spoken is not None and spoken.first:
            numbers = space.first
        for number in numbers:
            state = space.states[number]
            if condition.reads_next:
                afters = [space.states[other] for other in space.after[number]]
                if any(condition.holds(state, after) for after in afters):
                    return True
            elif condition.holds(state, NOWHERE) and (
                not condition.of_steps or space.after[number]
            ):
                return True
        return False

    def note(
        self,
        name: str,
        spoken_at: tuple[int, str],
        detail: object,
        *,
        found: bool,
        said: object = None,
    ) -> None:
        """Note what was asked of an instance, whether it was found, and what is said then."""
        offset, instance = spoken_at
        self.asked.setdefault((name, offset, detail), set()).add(instance)
        if found:
            self.found.setdefault((name, offset, detail, said), set()).add(instance)

    # --- conditionals -------------------------------------------------------------------------

    def _conditionals(self, spoken: Spoken) -> None:
        stack: list[tuple[int, Condition]] = [(len(spoken.expression.nodes) - 1, spoken.acts)]
        while stack:
            index, context = stack.pop()
            node = spoken.expression.nodes[index]
            if node.form not in {Form.CASE, Form.IF}:
                stack += [(arg, context) for arg in _written(node)]
                continue
            rows = self.branches(spoken, index)
            earlier = TRUE
            for row in rows:
                if row.place is not None:
                    stack.append((row.place, context & earlier))
                stack.append((row.value, context & earlier & row.condition))
                earlier = earlier & ~row.condition
            self._of_conditional(spoken, context, rows, is_case=node.form is Form.CASE)

    def branches(self, spoken: Spoken, index: int) -> list[Row]:
        """Return the branches of a conditional."""
        nodes = spoken.expression.nodes
        args = nodes[index].args
        rows = [
            Row(args[n], args[n + 1], self.condition(spoken, args[n]))
            for n in range(0, len(args) - 1, 2)
        ]
        if nodes[index].form is Form.IF:
            rows.append(Row(None, args[2], TRUE))
        return rows

    def _of_conditional(
        self, spoken: Spoken, context: Condition, rows: list[Row], *, is_case: bool
    ) -> None:
        nodes = spoken.expression.nodes

        def is_true(row: Row) -> bool:
            return row.place is not None and (nodes[row.place].form, nodes[row.place].value) == (
                Form.BOOLEAN,
                True,
            )

        def at(place: int) -> tuple[int, str]:
            return spoken.base + nodes[place].whole.start, spoken.scope.path

        has_default = is_case and is_true(rows[-1])
        checked = rows[:-1] if has_default else rows
        evaluated = self.ever(context, spoken)
        earlier = TRUE
        for number, row in enumerate(checked):
            taken = self.ever(context & earlier & row.condition, spoken)
            earlier = earlier & ~row.condition
            if row.place is not None:
                possible = self.ever(context & row.condition, spoken)
                self.note("MP1", at(row.place), row.place, found=evaluated and not possible)
            where = row.value if row.place is None else row.place
            self.note("MP2", at(where), where, found=evaluated and not taken)
            if not is_case or row.place is None or is_true(row):
                continue
            for other in checked[:number]:
                if not is_true(other):
                    both = self.ever(context & row.condition & other.condition, spoken)
                    self.note("MP3", at(row.place), (row.place, other.place), found=both)
        if has_default and len(rows) > 1:
            default = rows[-1].place
            assert default is not None
            self.note("MP4", at(default), default, found=self.ever(context & earlier, spoken))

    # --- assignments and values ---------------------------------------------------------------

    def _assignments(self, spoken: Spoken, target: str) -> None:
        nodes = spoken.expression.nodes
        stack: list[tuple[int, Condition, bool]] = [(len(nodes) - 1, spoken.acts, False)]
        while stack:
            index, applied, default = stack.pop()
            node = nodes[index]
            if node.form in {Form.CASE, Form.IF}:
                rows = self.branches(spoken, index)
                earlier = TRUE
                for row in rows:
                    last = row is rows[-1] and self._is_constant(spoken, row)
                    stack.append((row.value, applied & earlier & row.condition, last))
                    earlier = earlier & ~row.condition
                continue
            value = self.condition(spoken, index)
            if default and self._is_written_as(spoken, index, target):
                continue

            def changed(state: State, after: State, of: Meaning = value.holds) -> bool:
                return members(of(state, after)) != {key(state[target])}

            differs = Condition(changed, value.of_steps, value.reads_next)
            found = self.ever(applied) and not self.ever(applied & differs)
            offset = spoken.base + node.whole.start
            self.note("MP5", (offset, spoken.scope.path), index, found=found)

    def _is_written_as(self, spoken: Spoken, index: int, target: str) -> bool:
        """Tell whether a node names a variable, with numbers for indices."""
        nodes = spoken.expression.nodes
        node = nodes[index]
        while node.form is Form.INDEX:
            at = nodes[node.args[1]]
            number = nodes[at.args[0]] if at.form is Form.NEGATE else at
            if number.form is not Form.NUMBER:
                return False
            node = nodes[node.args[0]]
        return node.form in {Form.NAME, Form.DOT} and (
            self.reader.path(spoken.expression, index, spoken.scope) == target
        )

    def _is_constant(self, spoken: Spoken, row: Row) -> bool:
        if row.place is None:
            return True
        node = spoken.expression.nodes[row.place]
        return (node.form, node.value) == (Form.BOOLEAN, True)

    def _values(self) -> None:
        for scope in self.reader.scopes.values():
            for item in scope.module.items:
                declared = item.declaration
                if isinstance(declared, syntax.VariableDeclaration) and not isinstance(
                    declared.type, syntax.InstanceType
                ):
                    span = declared.name.span
                    self._values_of(scope, declared.name.text, span, item.base)

    def _values_of(self, scope: _Scope, name: str, span: Span, base: int) -> None:
        full = scope.full(name)
        leaves = [
            leaf
            for leaf in self.reader.result.domains
            if leaf == full or (leaf.startswith(f"{full}[") and full in self.reader.arrays)
        ]
        inputs = self.reader.result.inputs
        for leaf in leaves:
            missing = [
                value
                for value in self.reader.result.domains[leaf]
                if not self.ever(
                    Condition(lambda s, t, n=leaf, v=value: key(s[n]) == key(v), leaf in inputs)
                )
            ]
            at, said = (base + span.start, scope.path), tuple(map(key, missing))
            self.note("MP6", at, leaf[len(full) :], found=bool(missing), said=said)


def _written(node: syntax.SyntaxNode) -> tuple[int, ...]:
    """Return the arguments that terms have as the text has them: not those of such functions."""
    if node.form is not Form.CALL:
        return node.args if node.form is not Form.SLICE else node.args[:1]
    if node.value in {"abs", "min", "max", "uwconst", "swconst"}:
        return ()
    return node.args[:1] if node.value in {"extend", "resize"} else node.args


@dataclass(frozen=True, slots=True)
class Row:
    """Hold a branch: the nodes of its condition (None: else) and of its value."""

    place: int | None
    value: int
    condition: Condition


# --- vacuity --------------------------------------------------------------------------------------

_SAME = {Form.AND, Form.OR, *BRANCHING, *LINEAR}
_MIXED = {Form.IFF, Form.XOR, Form.XNOR}


def vacuous(text: str, number: int) -> bool:
    """Tell whether a property, which is true, is true whatever some innermost part of it is."""
    stated = read(text).properties[number]
    base = _base_of(text, number)
    start, end = base + stated.body.span.start, base + stated.body.span.end
    return any(
        _is_true(f"{text[:start]}{strongest}{text[end:]}", number)
        for strongest in _strongest(stated.body, text, base)
    )


def _is_true(text: str, number: int) -> bool:
    model = read(text)
    return verdict(Space(model), model.properties[number]) is True


def _base_of(text: str, number: int) -> int:
    """Return the offset from which the spans of a property count."""
    reader = _Reader(text)
    found = [
        item.base
        for scope in reader.scopes.values()
        for item in scope.module.items
        if isinstance(item.declaration, syntax.Specification)
    ]
    return found[number]


def _strongest(body: Expression, text: str, base: int) -> Iterator[str]:
    """Yield the text of a formula at its strongest without each of its innermost formulas."""
    for around, (_, strongest) in _extremes(body, text, base, len(body.nodes) - 1):
        if around:
            yield strongest


def _extremes(
    body: Expression, text: str, base: int, index: int
) -> Iterator[tuple[int, tuple[str, str]]]:
    """Yield a node at its weakest and its strongest, with how much is around each formula."""
    node = body.nodes[index]
    if node.form not in _SAME | _MIXED | {Form.NOT, Form.IMPLIES}:
        if node.form is not Form.BOOLEAN:
            yield 0, ("TRUE", "FALSE")
        return
    for number, arg in enumerate(node.args):
        inner = body.nodes[arg].whole
        before = text[base + node.whole.start : base + inner.start]
        behind = text[base + inner.end : base + node.whole.end]
        for around, (weakest, strongest) in _extremes(body, text, base, arg):
            pair = weakest, strongest
            if node.form is Form.NOT or (node.form is Form.IMPLIES and number == 0):
                pair = strongest, weakest
            if node.form in _MIXED:
                other = body.nodes[node.args[1 - number]].whole
                same = f"({text[base + other.start : base + other.end]})"
                signs = (same, f"(!{same})") if node.form is not Form.XOR else (f"(!{same})", same)
                weak = f"(({weakest}) & {signs[0]} | !({strongest}) & {signs[1]})"
                strong = f"(({strongest}) & {signs[0]} | !({weakest}) & {signs[1]})"
            else:
                weak, strong = (f"{before}({one}){behind}" for one in pair)
            yield around + 1, (weak, strong)
