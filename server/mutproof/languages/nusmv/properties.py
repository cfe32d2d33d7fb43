"""The properties of a model: their logic, their names, what they may read.

Source: NuSMV 2.6 user manual §2.4, §2.5.
"""

from __future__ import annotations

from mutproof.base.diagnostics import Related
from mutproof.base.digest import digest_text
from mutproof.base.record import dataclass
from mutproof.base.span import Span
from mutproof.languages.nusmv import errors, lexing, psl, types
from mutproof.languages.nusmv.expressions import ExpressionEvaluator
from mutproof.languages.nusmv.hierarchy import InstanceSymbol, ModuleInstance, PlacedItem
from mutproof.languages.nusmv.scope import NameScope, Reference
from mutproof.languages.nusmv.syntax import (
    BRANCHING,
    LINEAR,
    Expression,
    Specification,
    SpecificationKind,
)
from mutproof.languages.nusmv.uses import Uses
from mutproof.model import sorts, terms
from mutproof.model.operators import Op
from mutproof.model.program import Property, PropertyKind
from mutproof.model.terms import Term

LONGEST_NAME = 72
LEAST_DIGITS = 6

_KINDS = {
    SpecificationKind.INVARIANT: PropertyKind.INVARIANT,
    SpecificationKind.CTL: PropertyKind.CTL,
    SpecificationKind.LTL: PropertyKind.LTL,
    SpecificationKind.COMPUTE_MIN: PropertyKind.COMPUTE,
    SpecificationKind.COMPUTE_MAX: PropertyKind.COMPUTE,
    SpecificationKind.PSL: PropertyKind.PSL,
}


@dataclass(frozen=True, slots=True)
class StatedProperty:
    """Hold a property and the absolute place of its name, or of its expression."""

    property: Property
    span: Span


class Statements:
    """State the properties of one hierarchy; remembers the names in use."""

    def __init__(self, scope: NameScope, evaluator: ExpressionEvaluator, uses: Uses) -> None:
        self._scope = scope
        self._evaluator = evaluator
        self._uses = uses
        self._taken: dict[str, Span] = {}
        self._numbers: dict[str, int] = {}  # the least number that may be free, by name
        self._cut: dict[str, str] = {}

    def state(self, placed: PlacedItem) -> StatedProperty | None:
        """Return the property a specification states in an instance, None where it is wrong."""
        specification = placed.item.declaration
        assert isinstance(specification, Specification)
        instance = self._instance(specification, placed)
        if instance is None:
            return None
        base = placed.item.base
        body = self._term(specification.body, specification, instance, base)
        if body is None:
            return None
        if specification.target is not None:
            target = self._term(specification.target, specification, instance, base)
            if target is None:
                return None
            mark = specification.kind.value.removeprefix("COMPUTE ")
            pair = sorts.TupleSort((sorts.BOOL, sorts.BOOL))
            body = terms.make(Op.TUPLE, pair, (body, target), mark)
        name, span = self._name(specification, placed, instance)
        return StatedProperty(Property(name, body, _KINDS[specification.kind]), span)

    def _instance(self, specification: Specification, placed: PlacedItem) -> ModuleInstance | None:
        context = specification.context
        if context is None:
            return placed.scope
        base = placed.item.base
        meaning = self._evaluator.reference(context, placed.scope, base)
        if isinstance(meaning, Reference):
            symbol = self._scope.hierarchy.symbols.get(meaning.path)
            if isinstance(symbol, InstanceSymbol):
                return symbol.instance
            self._scope.report(errors.undefined(meaning.path, context.span.shifted(base)))
        return None

    def _term(
        self,
        expression: Expression,
        specification: Specification,
        instance: ModuleInstance,
        base: int,
    ) -> Term | None:
        place = expression.span.shifted(base)
        branching = specification.kind in {
            SpecificationKind.CTL,
            SpecificationKind.COMPUTE_MIN,
            SpecificationKind.COMPUTE_MAX,
        }
        if specification.kind is SpecificationKind.PSL:
            try:
                expression = psl.translate(expression)
            except psl.NotCheckable as problem:
                self._scope.report(
                    errors.error(
                        "psl-not-checkable",
                        f"{problem.reason} cannot be checked",
                        problem.node.whole.shifted(base),
                        "state it as LTLSPEC",
                    )
                )
                return None
            forms = {node.form for node in expression.nodes}
            branching = bool(forms & BRANCHING)
            if branching and forms & LINEAR:
                advice = "state two properties"
                self._scope.report(
                    errors.wrong_kind("LTL operator", "a CTL property", place, advice)
                )
                return None
        operand = self._evaluator.operand(expression, instance, base)
        if operand is None:
            return None
        if operand.type != types.BOOLEAN:
            token = expression.root.token.shifted(base)
            advice = "a property is a Boolean expression"
            keyword = f'"{specification.kind.value}"'
            self._scope.report(errors.operand(keyword, str(operand.type), token, advice))
            return None
        use = self._uses.of(operand.term)
        if use.nested_next:
            self._scope.report(errors.nested_next(place))
        elif use.next_of_input:
            advice = "inputs have no next value"
            message = "a next expression contains input variables"
            self._scope.report(errors.storage(message, place, advice))
        elif branching and use.inputs:
            advice = "CTL speaks of states: state it as LTLSPEC or INVARSPEC"
            self._scope.report(
                errors.storage("the property contains input variables", place, advice)
            )
        elif branching and use.next:
            advice = "a DEFINE or a parameter in it reads a next value"
            self._scope.report(errors.wrong_kind("'next' operator", "a property", place, advice))
        else:
            return operand.term
        return None

    def _name(
        self, specification: Specification, placed: PlacedItem, instance: ModuleInstance
    ) -> tuple[str, Span]:
        """Return a unique name: the NAME, or the text of the property as NuSMV prints it."""
        base = placed.item.base
        text = placed.item.text
        if specification.name is not None:
            span = specification.name.span.shifted(base)
            name = placed.scope.full(specification.name.text)
            if name in self._taken:
                first = self._taken[name]
                self._scope.report(
                    errors.error(
                        "duplicate-property",
                        f"a property named {name} is already declared",
                        span,
                        "rename one of them",
                        related=(Related("declared here first", first),),
                    )
                )
        else:
            last = specification.target or specification.body
            span = Span(specification.body.span.start, last.span.end).shifted(base)
            name = _shown(text[span.start - base : span.end - base], self._cut)
            if specification.target is not None:
                mark = specification.kind.value.removeprefix("COMPUTE ")
                name = f"{mark} [ {name} ]"
            if instance.path:
                name += f" IN {instance.path}"
        unique, number = name, self._numbers.get(name, 2)
        while unique in self._taken:
            unique = f"{name} #{number}"
            number += 1
        self._numbers[name] = number
        self._taken[unique] = span
        return unique, span


def _shown(text: str, cut: dict[str, str]) -> str:
    """Return a text with NuSMV's spacing, shortened if it is long; `cut` has earlier such names."""
    parts: list[str] = []
    end = 0
    for token in lexing.lex(text).tokens:
        if parts and token.start > end:
            parts.append(" ")
        parts.append(token.text)
        end = token.end
    shown = "".join(parts)
    if len(shown) <= LONGEST_NAME:
        return shown
    # More digits distinguish texts that are shortened to the same name.
    digest = digest_text(shown).hex()
    for digits in range(LEAST_DIGITS, len(digest)):
        name = f"{shown[: LONGEST_NAME - 10]}… #{digest[:digits]}"
        if cut.setdefault(name, shown) == shown:
            return name
    return f"{shown[: LONGEST_NAME - 10]}… #{digest}"
