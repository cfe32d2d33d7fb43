"""What the rules for declarations build: called by the parser from the leaves up."""

from __future__ import annotations

from typing import Any

from mutproof.base.span import Span
from mutproof.languages.nusmv import syntax
from mutproof.languages.nusmv.build_expressions import ExpressionBuilder
from mutproof.languages.nusmv.resolve import Tree, flattened, span_of
from mutproof.languages.nusmv.syntax import Form, Name


class Builder(ExpressionBuilder):
    """Make declarations; the section that is read gives variables their `storage`."""

    def __init__(self) -> None:
        super().__init__()
        self.storage = syntax.Storage.STATE

    def names(self, parts: list[Any]) -> tuple[Name, ...]:
        """Return the syntax that rule `names` reads."""
        return tuple(Name(t.text, span_of(t)) for t in parts if t.type == "IDENTIFIER")

    def header(self, parts: list[Any]) -> syntax.ModuleHeader:
        """Return the syntax that rule `header` reads."""
        name = Name(parts[1].text, span_of(parts[1]))
        return syntax.ModuleHeader(name, parts[3] or ())

    def declared_dot(self, parts: list[Any]) -> Name:
        """Return the syntax that rule `declared_dot` reads."""
        return Name(f".{parts[1].text}", Span(parts[0].start, parts[1].end))

    def declared_index(self, parts: list[Any]) -> Name:
        """Return the syntax that rule `declared_index` reads."""
        text = f"[{'-' if parts[1] else ''}{int(parts[2].text)}]"
        return Name(text, Span(parts[0].start, parts[3].end))

    def declared(self, parts: list[Any]) -> Name:
        """Return the syntax that rule `declared` reads."""
        text = parts[0].text + "".join(part.text for part in parts[1:])
        return Name(
            text, Span(parts[0].start, parts[0].end if len(parts) == 1 else parts[-1].span.end)
        )

    def boolean_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `boolean_type` reads."""
        return syntax.BooleanType(span_of(parts[0]))

    def word_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `word_type` reads."""
        signed = parts[0] is not None and parts[0].text == "signed"
        start = (parts[0] or parts[1]).start
        return syntax.WordType(signed, flattened(parts[3]), Span(start, parts[4].end))

    def array_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `array_type` reads."""
        span = Span(parts[0].start, parts[3].span.end)
        if parts[1].form is Form.RANGE:
            low, high = (flattened(arg) for arg in parts[1].args)
            return syntax.ArrayType(low, high, parts[3], span)
        if parts[1].form is not Form.NAME:
            self.syntax_error_at(parts[1].outer, "these bounds", "low .. high")
        return syntax.UnboundedArrayType(span)

    def word_array_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `word_array_type` reads."""
        return syntax.UnboundedArrayType(Span(parts[0].start, parts[6].span.end))

    def open_array_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `open_array_type` reads."""
        return syntax.UnboundedArrayType(Span(parts[0].start, parts[2].span.end))

    def process_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `process_type` reads."""
        made = self.expression_type(parts[1:])
        span = Span(parts[0].start, made.span.end)
        if isinstance(made, syntax.InstanceType):
            return syntax.InstanceType(made.module, made.module_span, made.actuals, True, span)
        self.syntax_error_at(made.span, "this type", "a module after `process`")
        return made

    def expression_type(self, parts: list[Any]) -> syntax.TypeSyntax:
        """Return the syntax that rule `expression_type` reads."""
        tree: Tree = parts[0]
        whole = tree.outer
        if tree.form is Form.RANGE:
            return syntax.RangeType(flattened(tree.args[0]), flattened(tree.args[1]), whole)
        if tree.form is Form.SET and not tree.parenthesised:
            return syntax.EnumerationType(tuple(self._constant(arg) for arg in tree.args), whole)
        if tree.form in {Form.NAME, Form.CALL} and tree.token.end - tree.token.start == len(
            str(tree.value)
        ):
            actuals = tuple(flattened(arg) for arg in tree.args)
            return syntax.InstanceType(str(tree.value), tree.token, actuals, False, whole)
        self.syntax_error_at(whole, "this type", "a type, such as boolean, {a, b} or 0..7")
        return syntax.BooleanType(whole)

    def _constant(self, tree: Tree) -> tuple[str | int | bool, Span]:
        match tree.form:
            case Form.NAME:
                return str(tree.value), tree.whole
            case Form.NUMBER | Form.BOOLEAN:
                assert isinstance(tree.value, int)
                return tree.value, tree.whole
            case Form.NEGATE if tree.args[0].form is Form.NUMBER:
                value = tree.args[0].value
                assert isinstance(value, int)
                return -value, tree.whole
            case Form.DOT:
                left, _ = self._constant(tree.args[0])
                return f"{left}.{tree.value}", tree.whole
            case _:
                self.syntax_error_at(tree.token, "this value", "a constant or an integer")
                return 0, tree.whole

    def variable(self, parts: list[Any]) -> syntax.VariableDeclaration:
        """Return the syntax that rule `variable` reads."""
        return syntax.VariableDeclaration(parts[0], self.storage, parts[2])

    def define(self, parts: list[Any]) -> syntax.DefineDeclaration:
        """Return the syntax that rule `define` reads."""
        return syntax.DefineDeclaration(parts[0], flattened(parts[2]))

    def constants(self, parts: list[Any]) -> syntax.ConstantsDeclaration:
        """Return the syntax that rule `constants` reads."""
        names = tuple(part for part in parts if isinstance(part, Name))
        for name in names:
            if "[" in name.text:
                self.syntax_error_at(name.span, "this constant", "a name without an index")
        return syntax.ConstantsDeclaration(names)

    def assignment(self, parts: list[Any]) -> syntax.Assignment:
        """Return the syntax that rule `assignment` reads."""
        target: Tree = parts[0]
        head = target.outer
        kind = syntax.AssignmentKind.CURRENT
        if target.form is Form.NEXT:
            kind = syntax.AssignmentKind.NEXT
            target = target.args[0]
        return self._assignment(kind, target, parts[2], head)

    def init_assignment(self, parts: list[Any]) -> syntax.Assignment:
        """Return the syntax that rule `init_assignment` reads."""
        head = Span(parts[0].start, parts[3].end)
        return self._assignment(syntax.AssignmentKind.INIT, parts[2], parts[5], head)

    def _assignment(
        self, kind: syntax.AssignmentKind, target: Tree, body: Tree, head: Span
    ) -> syntax.Assignment:
        base = target
        while base.form in {Form.DOT, Form.INDEX}:
            base = base.args[0]
        if base.form not in {Form.NAME, Form.SELF}:
            self.syntax_error_at(base.token, "this left-hand side", "a variable")
        return syntax.Assignment(kind, flattened(target), flattened(body), head)

    def constraint(self, parts: list[Any]) -> syntax.ConstraintSection:
        """Return the syntax that rule `constraint` reads."""
        keyword = syntax.ConstraintKeyword[parts[0].type]
        return syntax.ConstraintSection(keyword, flattened(parts[1]), span_of(parts[0]))

    def compassion(self, parts: list[Any]) -> syntax.Compassion:
        """Return the syntax that rule `compassion` reads."""
        return syntax.Compassion(flattened(parts[2]), flattened(parts[4]), span_of(parts[0]))

    def property_name(self, parts: list[Any]) -> Name:
        """Return the syntax that rule `property_name` reads."""
        return parts[1]  # type: ignore[no-any-return]

    def context(self, parts: list[Any]) -> syntax.Expression:
        """Return the syntax that rule `context` reads."""
        return flattened(parts[1])

    def specification(self, parts: list[Any]) -> syntax.Specification:
        """Return the syntax that rule `specification` reads."""
        kind = syntax.SpecificationKind(parts[0].type)
        body = flattened(parts[2])
        return syntax.Specification(kind, parts[1], body, None, parts[3])

    def compute(self, parts: list[Any]) -> syntax.Specification:
        """Return the syntax that rule `compute` reads."""
        kind = syntax.SpecificationKind(f"COMPUTE {parts[2].text}")
        start, target = flattened(parts[4]), flattened(parts[6])
        return syntax.Specification(kind, parts[1], start, target, parts[8])

    def inclusion(self, parts: list[Any]) -> syntax.Inclusion:
        """Return the syntax that rule `inclusion` reads."""
        return syntax.Inclusion(Name(parts[1].text, span_of(parts[1])))
