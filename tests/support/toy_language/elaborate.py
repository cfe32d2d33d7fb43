"""From lines to a program: one component, whose equations run forward."""

from __future__ import annotations

import ast
import re

from mutproof.base.span import Span
from mutproof.model import sorts, terms
from mutproof.model.language import Elaborated, Parsed
from mutproof.model.operators import Op
from mutproof.model.program import (
    Component,
    Element,
    ElementId,
    ElementKind,
    Program,
    Property,
    Variable,
    VariableKind,
)
from mutproof.model.provenance import ElementPlaces, Provenance, TermPlace
from mutproof.model.terms import Path, Term
from support.toy_language.parse import Line, error
from support.toy_language.traits import TRAITS

SORTS = {"int": sorts.INT, "bool": sorts.BOOL}
OPERATORS = {
    ast.Add: Op.ADD,
    ast.Sub: Op.SUB,
    ast.Mult: Op.MUL,
    ast.And: Op.AND,
    ast.Or: Op.OR,
    ast.Eq: Op.EQ,
    ast.NotEq: Op.NE,
    ast.Lt: Op.LT,
    ast.LtE: Op.LE,
    ast.Gt: Op.GT,
    ast.GtE: Op.GE,
}


def elaborate(parsed: Parsed) -> Elaborated:
    """Return the program of a text; None if any line is wrong."""
    wrong = list(parsed.diagnostics)
    variables: dict[str, Variable] = {}
    places, stated, declared = {}, {}, {}
    elements, properties = [], []
    for line in parsed.tree:
        name = line.match["input"] or line.match["name"]
        kind = VariableKind.INPUT if line.match["input"] else VariableKind.OUTPUT
        if name:
            sort = SORTS[line.match["of"] or line.match["sort"]]
            variables[name] = Variable(name, sort, kind)
            declared["main", name] = line.span("input" if line.match["input"] else "name")
    seen: set[str] = set()
    for line in parsed.tree:
        if line.body is not None:
            name, reader = line.match["name"], _Reader(line, variables, seen)
            try:
                body = reader.term(line.body, ())
                if body.sort != variables[name].sort:
                    raise _WrongError
            except _WrongError:
                wrong.append(error("this is no expression of its type", line.start, line.match[0]))
                continue
            element = ElementId("main", "equation", name)
            elements.append(Element(element, ElementKind.EQUATION, (name,), body))
            whole, head = Span(*line.match.span()), Span(*line.match.span("name"))
            right = Span(*line.match.span("body"))
            places[element] = ElementPlaces(line.start, whole, head, right, reader.places)
        elif line.match["check"] in variables:
            name = line.match["check"]
            properties.append(Property(name, terms.var(name, sorts.BOOL)))
            stated[f"main.{name}"] = line.span("check")
        elif line.match["check"]:
            wrong.append(error("there is no such variable", line.start, line.match[0]))
        seen.add(line.match["input"] or line.match["name"] or "")
    main = Component("main", tuple(variables.values()), tuple(elements), tuple(properties))
    everything = {"main": Span(0, len(parsed.source.content))}
    provenance = Provenance(places, stated, {"main": Span(0, 0)}, everything, declared)
    program = None if wrong else Program(TRAITS, (main,), "main")
    return Elaborated(parsed, program, provenance, tuple(wrong))


class _WrongError(Exception):
    pass


class _Reader:
    """Read the expression of one line; `seen` may be read in the same step."""

    def __init__(self, line: Line, variables: dict[str, Variable], seen: set[str]) -> None:
        self._body = line.match["body"]
        self._shift = line.match.start("body")
        self._variables = variables
        self._seen = seen
        self._is_past = False
        self.places: dict[Path, TermPlace] = {}

    def term(self, tree: ast.expr, path: Path) -> Term:
        """Return the term of a tree at a path."""
        term = self._term(tree, path)
        operands = [tree.left, *tree.comparators] if isinstance(tree, ast.Compare) else []
        operands = [tree.left, tree.right] if isinstance(tree, ast.BinOp) else operands
        operands = tree.values if isinstance(tree, ast.BoolOp) else operands
        whole = token = self._span(tree.col_offset, tree.end_col_offset)
        if operands:
            start = operands[0].end_col_offset
            sign = re.compile(r"[^\s()]+").search(self._body, start)
            token = self._span(*sign.span())
        self.places[path] = TermPlace(whole, token)
        return term

    def _span(self, start: int, end: int) -> Span:
        return Span(start, end).shifted(self._shift)

    def _term(self, tree: ast.expr, path: Path) -> Term:
        match tree:
            case ast.Constant(int() as value) if not isinstance(value, bool):
                return terms.int_(value)
            case ast.Name(("yes" | "no") as value):
                return terms.bool_(value == "yes")
            case ast.Name(name) if name in self._variables:
                if not self._is_past and name not in self._seen:
                    raise _WrongError
                return terms.var(name, self._variables[name].sort)
            case ast.UnaryOp(ast.Not(), operand):
                return terms.not_(self._of(sorts.BOOL, operand, path, 0))
            case ast.UnaryOp(ast.USub(), operand):
                return terms.arithmetic(Op.NEG, self._of(sorts.INT, operand, path, 0))
            case ast.BinOp(left, operator, right) if type(operator) in OPERATORS:
                pair = (self._of(sorts.INT, left, path, 0), self._of(sorts.INT, right, path, 1))
                return terms.arithmetic(OPERATORS[type(operator)], *pair)
            case ast.BoolOp(operator, [left, right]):
                pair = (self._of(sorts.BOOL, left, path, 0), self._of(sorts.BOOL, right, path, 1))
                return terms.make(OPERATORS[type(operator)], sorts.BOOL, pair)
            case ast.Compare(left, [operator], [right]) if type(operator) in OPERATORS:
                one = self.term(left, (*path, 0))
                other = self._of(one.sort, right, path, 1)
                op = OPERATORS[type(operator)]
                if one.sort is sorts.BOOL and op not in {Op.EQ, Op.NE}:
                    raise _WrongError
                return terms.make(op, sorts.BOOL, (one, other))
            case ast.IfExp(condition, then, otherwise):
                test = self._of(sorts.BOOL, condition, path, 0)
                one = self.term(then, (*path, 1))
                return terms.ite(test, one, self._of(one.sort, otherwise, path, 2))
            case ast.Call(ast.Name("first"), [one, other], []):
                first = self.term(one, (*path, 0))
                later = self._of(first.sort, other, path, 1)
                return terms.make(Op.ARROW, first.sort, (first, later))
            case ast.Call(ast.Name("pre"), [operand], []):
                before, self._is_past = self._is_past, True
                inner = self.term(operand, (*path, 0))
                self._is_past = before
                return terms.make(Op.PRE, inner.sort, (inner,))
            case _:
                raise _WrongError

    def _of(self, sort: sorts.Sort, tree: ast.expr, path: Path, position: int) -> Term:
        found = self.term(tree, (*path, position))
        if found.sort != sort:
            raise _WrongError
        return found
