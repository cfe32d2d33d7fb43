"""Functions take at most four positional parameters; callers name the others."""

from __future__ import annotations

import ast
from pathlib import Path

import mutproof

PACKAGE = Path(mutproof.__path__[0])
MOST = 4


def taken(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many positional parameters callers give a function."""
    named = [*function.args.posonlyargs, *function.args.args]
    return len(named) - (1 if named and named[0].arg in {"self", "cls"} else 0)


def test_functions_take_few_positional_parameters() -> None:
    found = [
        f"{path.relative_to(PACKAGE)}:{node.lineno} {node.name}"
        for path in sorted(PACKAGE.rglob("*.py"))
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8")))
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and taken(node) > MOST
    ]
    assert [] == found
