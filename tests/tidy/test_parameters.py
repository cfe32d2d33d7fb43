"""Functions take at most four positional parameters; callers name the others."""

from __future__ import annotations

import ast
from collections import Counter
from pathlib import Path

import mutproof

PACKAGE = Path(mutproof.__path__[0])
MOST = 4
LEFT: dict[str, int] = {"analyses": 28, "languages": 10, "workspace": 2}
"""How many functions of a folder still take more. These numbers only go down."""


def taken(function: ast.FunctionDef | ast.AsyncFunctionDef) -> int:
    """Return how many positional parameters callers give a function."""
    named = [*function.args.posonlyargs, *function.args.args]
    return len(named) - (1 if named and named[0].arg in {"self", "cls"} else 0)


def test_functions_take_few_positional_parameters() -> None:
    found: Counter[str] = Counter()
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef) and taken(node) > MOST:
                found[path.relative_to(PACKAGE).parts[0]] += 1
    assert LEFT == found
