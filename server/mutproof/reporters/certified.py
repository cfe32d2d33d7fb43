"""Certificates in reports: the file of each, and the result of another solver."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence

from mutproof.analyses.claims.finding import Confirmation
from mutproof.reporters.reported_file import CertifiedVerdict, ReportedFile
from mutproof.reporters.style import Style

_MEANING = {
    Confirmation.CONFIRMED: "good",
    Confirmation.REFUTED: "bad",
    Confirmation.UNKNOWN: "unsure",
    Confirmation.NONE: "quiet",
}
_NONE = ", no certificate"


def facts(file: ReportedFile, mutant: str, names: Sequence[str]) -> list[str]:
    """Return, for the properties of a mutant or of the model (empty), a phrase for each file.

    Several that are confirmed are only counted: JSON and the folder's index have their names.
    """
    known = file.certificates or {}
    found = [known[mutant, name] for name in names if (mutant, name) in known]
    confirmed = {one.file for one in found if one.confirmation is Confirmation.CONFIRMED}
    if len(confirmed) > 1:
        found = [one for one in found if one.confirmation is not Confirmation.CONFIRMED]
    said = dict.fromkeys(map(_words, found))
    *bare, last = [one for one in said if _NONE in one] or [""]
    shown = [one for one in said if _NONE not in one]
    shown += [one.replace(_NONE, "") for one in bare] + [last] * bool(last)
    return [f"{len(confirmed)} certificates confirmed", *shown] if len(confirmed) > 1 else shown


def encoded(file: ReportedFile, mutant: str, names: Sequence[str]) -> dict[str, object]:
    """Return the key `certificates` with those of a mutant or of the model, if there are any."""
    found = of_properties(file, mutant, names)
    return {"certificates": found} if found else {}


def of_properties(file: ReportedFile, mutant: str, names: Sequence[str]) -> dict[str, object]:
    """Return the certificates of a mutant or of the model (empty) for JSON, by property."""
    known = file.certificates or {}
    found = {name: known[mutant, name] for name in names if (mutant, name) in known}
    return {
        name: {
            "file": one.file or None,
            "result": one.confirmation.value,
            **({"reason": one.reason} if one.reason else {}),
        }
        for name, one in found.items()
    }


def sums(file: ReportedFile, style: Style) -> list[str]:
    """Return how many proofs are confirmed, refuted, open or without a certificate; or nothing."""
    if file.certificates is None:
        return []
    counts = Counter(found.confirmation for found in file.certificates.values())
    files = {found.file for found in file.certificates.values() if found.file}
    parts = []
    for confirmation in Confirmation:
        text = f"{counts[confirmation]} {confirmation.value}"
        parts.append(style.paint(_MEANING[confirmation], text) if counts[confirmation] else text)
    total = sum(counts.values())
    proofs = f"{total} proof{'' if total == 1 else 's'}"
    return [
        f"{proofs} in {len(files)} certificate{'' if len(files) == 1 else 's'}: " + ", ".join(parts)
    ]


def _words(found: CertifiedVerdict) -> str:
    if not found.file:
        return found.reason
    reason = f": {found.reason}" if found.reason else ""
    return f"{found.file} {found.confirmation.value}{reason}"
