"""Small models with JKind's verdicts, and in what ours differ from them."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from mutproof.analyses.claims.finding import PropertyFinding, PropertyVerdict
from mutproof.base.budget import Budget
from mutproof.base.diagnostics import Severity
from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE
from mutproof.workspace.options import Options
from support.lustre_mutants import report

OPTIONS = Options(mutate=False, cores=False, budget=Budget(timeout_s=8))
_OURS = {PropertyVerdict.PROVED: "valid", PropertyVerdict.FALSIFIED: "invalid"}


def expected(corpus: Path) -> dict[str, Any]:
    """Return what JKind says of each probe, by its path below `lustre-probes`."""
    return dict(json.loads((corpus / "lustre-probes" / "expected.json").read_text("utf-8")))


def differences(path: Path, facts: dict[str, Any]) -> list[str]:
    """Return in what we differ from JKind on one probe: acceptance, verdicts, depths.

    Where JKind itself crashes or its engines disagree there is nothing to differ from.
    """
    if facts["accepted"] is None:
        return []
    source = SourceText(path.name, path.read_text("utf-8", errors="replace"))
    found = LANGUAGE.elaborate(LANGUAGE.parse(source))
    errors = [d.code for d in found.diagnostics if d.severity is Severity.ERROR]
    accepted = found.program is not None and not errors
    if accepted != facts["accepted"]:
        return [f"refused: {', '.join(errors)}" if facts["accepted"] else "accepted"]
    if not accepted:
        return []
    return list(_verdicts(report(found, OPTIONS).properties, facts["properties"]))


def _verdicts(ours: Iterable[PropertyFinding], theirs: dict[str, Any]) -> Iterable[str]:
    """Compare what both say of the properties of one name, whatever the instance is called."""
    said: dict[str, list[str]] = defaultdict(list)
    for stated in ours:
        k = f" at {stated.k}" if stated.verdict is PropertyVerdict.FALSIFIED else ""
        verdict = _OURS.get(stated.verdict, "unknown")
        said[_last(stated.declared)].append(verdict + k)
    wanted: dict[str, list[str]] = defaultdict(list)
    for name, fact in theirs.items():
        k = f" at {fact['k']}" if fact["verdict"] == "invalid" else ""
        open_ = fact["verdict"] is None or "no_slicing" in fact
        wanted[_last(name)].append("any" if open_ else fact["verdict"] + k)
    for name in sorted({*said, *wanted}):
        if "any" not in wanted[name] and sorted(said[name]) != sorted(wanted[name]):
            yield f"{name}: JKind {_listed(wanted[name])}, ours {_listed(said[name])}"


def _last(name: str) -> str:
    return re.split(r"[.]", name.removesuffix("~clocked_property"))[-1]


def _listed(verdicts: list[str]) -> str:
    return ", ".join(sorted(verdicts)) or "nothing"
