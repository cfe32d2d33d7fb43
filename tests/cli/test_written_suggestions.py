"""Every suggestion, written into its file, is proved and kills in a process that knows of none."""

from __future__ import annotations

import json
import random
from pathlib import Path

import pytest
from lustre_models import random_model
from nusmv_random import random_text
from process import mutproof

from mutproof.analyses.suggesting.finding import SuggestionsFinding
from mutproof.languages import LANGUAGES
from mutproof.model.editing import edited
from mutproof.workspace.insertion import insertion
from mutproof.workspace.options import Options
from support.reading import analysed, elaborated_in

OPTIONS = Options(level="paper", cores=False, equivalence="outputs", suggest=True)
CELLS = """\
MODULE cell(go)
VAR n : 0..4;
ASSIGN
  init(n) := 0;
  next(n) := case go & n < 4 : n + 1; !go : 0; TRUE : n; esac;
MODULE main
VAR go : boolean; one : cell(go); two : cell(one.n = 4);
INVARSPEC one.n <= 4
"""
HEATER = """\
node heater(t: int; on: bool) returns (heat, alarm: bool; OK: bool);
let
  heat = false -> if not on then false else if t < 18 then true
         else if t > 22 then false else pre heat;
  alarm = t > 40 or t < -10;
  OK = not (heat and t > 22);
  --%PROPERTY OK;
tel;
"""


def check_written(name: str, language: str, text: str, folder: Path) -> SuggestionsFinding | None:
    """Write all that is offered into a file, and have another process prove it and mutate."""
    found = elaborated_in(language, text)
    if found.program is None:
        return None
    suggested = analysed(found, OPTIONS).suggestions
    if suggested is None or not suggested.suggestions:
        return suggested
    path = folder / name
    path.write_text(edited(text, insertion(LANGUAGES[language], found, suggested.suggestions)))
    options = ("--level", "paper", "--format", "json", "--no-timings", "--no-cache")
    ended = mutproof("mutate", path, *options)
    (file,) = json.loads(ended.out)["files"].values()
    unproved = [one.name for one in suggested.suggestions if f"{one.name} (" in ended.err]
    assert [] == unproved, (ended.err, path.read_text())
    for one in suggested.suggestions:
        assert one.kills
        for mutant in one.kills:
            (after,) = (m for m in file["mutants"] if mutant.startswith(m["id"]))
            killers = [killer.rpartition(".")[2] for killer in after["killedBy"]]
            assert one.name in killers, (one, after, path.read_text())
    return suggested


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_in_random_nodes_is_proved(seed: int, tmp_path: Path) -> None:
    text = random_model(random.Random(f"written {seed}"), finite=True, size=3).text
    check_written("random.lus", "lustre", text, tmp_path)


@pytest.mark.parametrize("seed", range(6))
def test_what_is_written_in_random_modules_is_proved(seed: int, tmp_path: Path) -> None:
    check_written("random.smv", "nusmv", random_text(random.Random(f"written {seed}")), tmp_path)


@pytest.mark.parametrize(
    ("name", "language", "text"), [("h.lus", "lustre", HEATER), ("c.smv", "nusmv", CELLS)]
)
def test_what_is_written_in_models_of_people_is_proved(
    name: str, language: str, text: str, tmp_path: Path
) -> None:
    found = check_written(name, language, text, tmp_path)

    assert found is not None
    assert 3 <= len(found.suggestions)


# --- the model again ------------------------------------------------------------------------------

PARITY = """\
node parity(a, b, c, d: bool) returns (y: bool; OK: bool);
let
  y = a xor b xor c xor d;
  OK = y or not y;
  --%PROPERTY OK;
tel;
"""


def test_what_restates_an_element_is_marked_comes_last_and_is_counted_apart(tmp_path: Path) -> None:
    path = tmp_path / "parity.lus"
    path.write_text(PARITY)

    found = check_written("again.lus", "lustre", PARITY, tmp_path)

    assert found is not None
    assert () == found.left
    said = {one.text: one.restates for one in found.suggestions}
    again = [text for text, restates in said.items() if restates]
    assert again == [text for text in said if "xor" in text]
    assert again == list(said)[-len(again) :]
    out = mutproof("suggest", path, "--no-timings", "--level", "paper").out
    assert len(again) == out.count("restates an element: it says what the model says")
    assert not any(one.restates for one in found.best_set)
    best = [one for one in found.chosen(restating=True) if one.restates]
    which = "property that restates" if len(best) == 1 else "properties that restate"
    assert f"closed by {len(best)} {which} an element (--restating)" in out
    out = mutproof("suggest", path, "--no-timings", "--level", "paper", "--restating").out
    assert f"({len(best)} only restating the model): " in out
    assert "(--restating)" not in out
