"""What JKind accepts is accepted; README.md has the files about which we differ, and why."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from mutproof.base.diagnostics import Diagnostic, Severity
from mutproof.base.text import SourceText
from mutproof.languages import lustre

ROOT = Path(__file__).resolve().parents[2]
README = Path(__file__).with_name("README.md")


def errors_of(path: Path) -> list[Diagnostic]:
    source = SourceText(path.name, path.read_text(encoding="utf-8", errors="replace"))
    found = lustre.LANGUAGE.elaborate(lustre.LANGUAGE.parse(source))
    errors = [d for d in found.diagnostics if d.severity is Severity.ERROR]
    assert errors or found.program is not None
    return errors


def differences() -> dict[str, str]:
    """Return the documented differences: file and code of our error."""
    rows = re.findall(r"^\| `(\S+\.lus)` \| `([\w-]+)` \|", README.read_text("utf-8"), re.MULTILINE)
    return dict(rows)


@pytest.mark.parametrize("path", sorted((ROOT / "examples").glob("*.lus")), ids=lambda p: p.name)
def test_an_example_is_accepted(path: Path) -> None:
    assert errors_of(path) == []


def test_what_jkind_accepts_is_accepted(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so, and the examples above stand in for it
    expected = json.loads((corpus / "lustre" / "expected.json").read_text("utf-8"))
    found = {}
    for name, facts in expected.items():
        if "jkind" in facts["parses"] and (errors := errors_of(corpus / "lustre" / name)):
            found[name] = next((e for e in errors if e.code != "no-main"), errors[0]).code

    assert differences() == found


def test_every_other_file_is_read_without_a_crash(corpus: Path | None) -> None:
    if corpus is None:
        return
    for path in sorted((corpus / "lustre" / "kind2").glob("*.lus")):
        errors_of(path)
