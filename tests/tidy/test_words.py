"""One word means one thing: a public class has a name of its own."""

from __future__ import annotations

import ast
from collections import defaultdict
from pathlib import Path

PACKAGE = Path(__file__).parents[2] / "server" / "mutproof"
LANGUAGES = "languages"
"""Each language has a folder, and its own of what all front ends have: there alone."""


def defined() -> dict[str, list[Path]]:
    """Return the modules that define a public class, by its name."""
    found: dict[str, list[Path]] = defaultdict(list)
    for path in sorted(PACKAGE.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                found[node.name].append(path.relative_to(PACKAGE))
    return found


def test_no_two_classes_have_one_name() -> None:
    twice = {
        name: [str(path) for path in paths]
        for name, paths in defined().items()
        if len({path.parts[:2] for path in paths if path.parts[0] == LANGUAGES}) != len(paths)
        and len(paths) > 1
    }
    assert {} == twice


def test_front_ends_have_the_same_words_for_the_same_things() -> None:
    twice = {name for name, paths in defined().items() if len(paths) > 1}
    assert {"Builder", "Chunk", "ChunkKind", "Expression"} == twice
