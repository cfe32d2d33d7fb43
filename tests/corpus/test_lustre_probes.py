"""What JKind says of small models of every corner; README.md lists where we differ, and why."""

from __future__ import annotations

import re
from pathlib import Path

from support import lustre_probes

README = Path(__file__).with_name("README.md")


def listed() -> set[str]:
    """Return the probes that the README explains."""
    text = README.read_text("utf-8")
    section = text.split("## Lustre: probes\n")[1].split("\n## ")[0]
    return set(re.findall(r"`([\w-]+/[\w-]+\.lus)`", section))


def test_probes_agree_with_jkind_or_are_explained(corpus: Path | None) -> None:
    if corpus is None:
        return  # the report header says so; tests/golden/lustre has models of our own
    found = {}
    for name, facts in lustre_probes.expected(corpus).items():
        if differing := lustre_probes.differences(corpus / "lustre-probes" / name, facts):
            found[name] = differing

    assert listed() == set(found), {n: d for n, d in found.items() if n not in listed()}
