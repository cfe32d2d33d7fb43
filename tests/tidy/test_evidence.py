"""Only the notary makes evidence: by construction, and no other module even tries."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

from mutproof.analyses.claims import verdict
from mutproof.analyses.claims.evidence import Evidence

PACKAGE = Path(__file__).parents[2] / "server" / "mutproof"
NOTARY = PACKAGE / "analyses" / "checking" / "notary.py"
OTHERS = sorted(path for path in PACKAGE.rglob("*.py") if path != NOTARY)
assert verdict  # its kinds of evidence are subclasses too
KINDS = {"Evidence", *(kind.__name__ for kind in Evidence.__subclasses__())}


def called(tree: ast.Module) -> set[str]:
    """Return the names that a module calls, those of attributes too."""
    functions = [node.func for node in ast.walk(tree) if isinstance(node, ast.Call)]
    return {f.id for f in functions if isinstance(f, ast.Name)} | {
        f.attr for f in functions if isinstance(f, ast.Attribute)
    }


def test_there_are_several_kinds() -> None:
    assert {"Holds", "Fails", "DeadEnd", "Equivalent", "Gap", "Evidence"} == KINDS


@pytest.mark.parametrize("path", OTHERS, ids=lambda path: str(path.relative_to(PACKAGE)))
def test_nobody_else_makes_evidence(path: Path) -> None:
    text = path.read_text()
    # Patterns (`case Holds(...)`) are no calls.
    assert not called(ast.parse(text)) & KINDS
    assert "object.__new__" not in text
    assert not re.search(r"checking\.notary import [^\n]*\b_", text)
