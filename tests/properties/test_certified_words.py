"""What reports say of the certificates of a mutant."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

from mutproof.analyses.claims.finding import Confirmation
from mutproof.reporters import certified
from mutproof.reporters.reported_file import CertifiedVerdict

REASONS = ("decided twice by diagrams, no certificate", "not kept, no certificate (exploration)")


def told(*found: CertifiedVerdict) -> list[str]:
    known = {("m", str(number)): one for number, one in enumerate(found)}
    file: Any = SimpleNamespace(certificates=known)
    return certified.facts(file, "m", [name for _, name in known])


def test_that_there_is_no_certificate_is_said_once_in_a_line() -> None:
    none = [CertifiedVerdict(Confirmation.NONE, reason=reason) for reason in REASONS]
    some = [CertifiedVerdict(Confirmation.CONFIRMED, f"{n}.smt2") for n in "ab"]
    first, second = ("decided twice by diagrams", "not kept, no certificate (exploration)")
    assert [first, second] == told(*none)
    assert ["2 certificates confirmed", first, second] == told(*some, *none)
    assert ["a.smt2 confirmed", REASONS[0]] == told(some[0], none[0])
    assert [] == told()
