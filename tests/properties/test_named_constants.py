"""Mutants keep the names of constants in what they keep of the text."""

from __future__ import annotations

from said import bodies, plain

from mutproof.base.text import SourceText
from mutproof.languages.lustre import LANGUAGE
from mutproof.languages.lustre.printer import spliced
from mutproof.model import terms
from mutproof.workspace.options import Options
from mutproof.workspace.queries import Queries

TEXT = """const MinSpeed = 30;
const Limit: int = 30;
const Low = -5;
const Rate = 0.5;
const On = true;
const Table: int[2] = [1, 2];
type mode = enum {Idle, Busy};

node main(speed: int; share: real; m: mode) returns (fast, ok: bool; level: int; other: real);
let
  fast = speed >= MinSpeed and (speed + 30 < Limit or not On) and m = Busy;
  level = if speed - Low > (MinSpeed + speed) then Limit else -Low * Table[speed] + 30;
  other = (Rate + share) * 2.0 - Rate;
  ok = (On -> pre fast)or speed = MinSpeed;
  --%PROPERTY ok;
tel;
"""


def replacements(text: str) -> dict[str, str]:
    """Return the texts of the mutants by change, each read back as exactly that mutant."""
    queries, source, options = Queries(), SourceText("model.lus", text), Options(level="all")
    elaborated = queries.elaborated("lustre", source)
    assert elaborated.program is not None
    mutants = {one.id: one for one in queries.mutants(elaborated, options)}
    found = {}
    for listed in queries.listing("lustre", elaborated, options).mutants:
        if listed.replacement is None:
            continue
        place = elaborated.provenance.elements[listed.element].place(listed.path)
        assert place is not None
        written = spliced(text, place.whole, listed.replacement)
        program = LANGUAGE.elaborate(LANGUAGE.parse(SourceText("model.lus", written))).program
        assert program is not None, written
        mutant = mutants[listed.mutant]
        assert mutant.replacement is not None
        body = terms.replaced(mutant.source.body, mutant.path, mutant.replacement)
        expected = {**bodies(elaborated.program), listed.element: plain(body)}
        assert bodies(program) == expected, written
        found[f"{text[place.whole.start : place.whole.end]} / {listed.replacement}"] = listed.mutant
    return found


def test_every_mutant_reads_back_and_keeps_names() -> None:
    found = replacements(TEXT)
    assert len(found) > 100
    assert "speed >= MinSpeed / speed < MinSpeed" in found
    assert "speed + 30 < Limit / speed + 30 <= Limit" in found
    assert "MinSpeed + speed / MinSpeed - speed" in found
    assert "MinSpeed / 31" in found
    assert "(Rate + share) * 2.0 - Rate / (Rate + share) * (2.0 - Rate)" in found
    assert "(Rate + share) * 2.0 / Rate + share * 2.0" in found


def test_a_name_that_is_edited_is_the_one_shown() -> None:
    """What is remembered of a mutant is not shown of a text with another name."""
    other = TEXT.replace("speed >= MinSpeed", "speed >= Limit")
    queries, options = Queries(), Options(level="all")
    for text, shown in ((TEXT, "MinSpeed"), (other, "Limit")):
        elaborated = queries.elaborated("lustre", SourceText("model.lus", text))
        listed = queries.listing("lustre", elaborated, options).mutants
        assert f"speed < {shown}" in {one.replacement for one in listed}
