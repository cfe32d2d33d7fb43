"""No module imports itself by way of others, whether at its start, later, or for its types."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

import mutproof

PACKAGE = Path(mutproof.__path__[0])


def module_of(path: Path) -> str:
    parts = ("mutproof", *path.relative_to(PACKAGE).with_suffix("").parts)
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_of(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def imported(module: str) -> Iterator[str]:
    """Yield what a module imports of this package, in functions and under conditions too."""
    for node in ast.walk(ast.parse(MODULES[module].read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.module is not None and not node.level:
            for alias in node.names:
                whole = f"{node.module}.{alias.name}"
                yield whole if whole in MODULES else node.module
        elif isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)


def test_there_is_no_circle() -> None:
    graph = {
        module: {other for other in imported(module) if other in MODULES and other != module}
        for module in MODULES
    }
    assert len(graph["mutproof.lsp.server"]) > 5
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" imports ".join(error.args[1]))
