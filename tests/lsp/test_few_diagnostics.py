"""An editor underlines few survivors of a screen, those that tell most; all of them count."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
from clients import started
from lsprotocol import types

EXAMPLES = Path(__file__).parents[2] / "examples"
MOST = 12
"""How many diagnostics of any kind a screen shows of these models."""

CRUISE = """\
-- A cruise control: it keeps a speed while it is on, and gives way to the driver.
node cruise(on, off, brake, faster, slower: bool; speed: int) returns (active: bool; throttle: int);
var
  target, before, error: int;
  was, set, moves: bool;
  ok1, ok2: bool;
let
  was = false -> pre active;
  moves = speed > 30 and speed < 180;
  active =
    if brake or off or not moves then false
    else if on then true
    else was;
  set = active and not was;
  before = 0 -> pre target;
  target =
    if set then speed
    else if active and faster and before < 160 then before + 5
    else if active and slower and before > 40 then before - 5
    else before;
  error = target - speed;
  throttle =
    if not active then 0
    else if error > 10 then 100
    else if error > 0 then error * 10
    else 0;
  ok1 = not (brake and active);
  ok2 = throttle <= 100;
  --%PROPERTY ok1;
  --%PROPERTY ok2;
tel;
"""


def gaps_of(titles: list[str]) -> int:
    """Return how many gaps the lenses of equations count."""
    found = (re.search(r"(\d+) gaps?", title) for title in titles if "score" not in title)
    return sum(int(match[1]) for match in found if match is not None)


async def shown(
    uri: str, text: str, **settings: object
) -> tuple[list[types.Diagnostic], list[str]]:
    async with started(**settings) as client:
        client.open(uri, text, "nuxmv" if uri.endswith("smv") else "lustre")
        await client.done(uri)
        lenses = await client.lenses(uri)
        return client.shown(uri), [title for _, title in lenses]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("lift.smv", (EXAMPLES / "lift.smv").read_text(encoding="utf-8")),
        ("cruise.lus", CRUISE),
    ],
)
async def test_few_survivors_are_underlined_and_all_are_counted(name: str, text: str) -> None:
    uri = f"file:///{name}"
    asked = {"level": "default", "suggestions": {"enable": False}}
    few, titles = await shown(uri, text, **asked, diagnostics={})
    everything, same = await shown(uri, text, **asked, diagnostics={"allMutants": True})
    assert titles == same
    survivors = [d for d in everything if "survives" in d.message]
    assert gaps_of(titles) == len(survivors)
    assert len(survivors) > 2 * MOST
    assert len(few) <= MOST
    places = [(d.range.start.line, d.range.start.character) for d in few if "survives" in d.message]
    assert sorted(set(places)) == sorted(places)
    assert any(re.search(r"; \d+ more like it", d.message) for d in few)
    marked = {(d.code, d.range.start.line, d.range.start.character) for d in survivors}
    assert all(
        (d.code, d.range.start.line, d.range.start.character) in marked
        for d in few
        if "survives" in d.message
    )


def crowd(suffix: str, size: int, each: int, end: str) -> str:
    """Return a model of which most is in no proof, `each` assignments a line."""
    names = [f"x{number}" for number in range(size)]
    if suffix == "lus":
        parts = [f"{name} = a;" for name in names]
        first = f"node main(a: bool) returns ({', '.join(names)}: bool; ok: bool);{end}let"
        last = f"ok = x0 => a;{end}--%PROPERTY ok;{end}tel;{end}"
    else:
        parts = [f"{name} := a;" for name in names]
        first = f"MODULE main{end}VAR a : boolean;{end}DEFINE"
        last = f"INVARSPEC x0 -> a{end}"
    lines = [" ".join(parts[at : at + each]) for at in range(0, size, each)]
    return end.join([first, *lines, last])


@pytest.mark.parametrize(("suffix", "each", "end"), [("lus", 3, "\r\n"), ("smv", 1, "\n")])
async def test_a_screen_has_few_diagnostics_of_any_kind_at_any_time(
    suffix: str, each: int, end: str
) -> None:
    uri, size = f"file:///crowd.{suffix}", 30
    text = crowd(suffix, size, each, end)
    asked = {"level": "paper", "suggestions": {"enable": False}, "diagnostics": {}}
    async with started(**asked) as client:
        client.open(uri, text, "nuxmv" if suffix == "smv" else "lustre")
        await client.done(uri)
        lenses = await client.lenses(uri)
        told = [params.diagnostics for params in client.published if params.uri == uri]
        for diagnostics in told:
            lines = [found.range.start.line for found in diagnostics]
            assert all(sum(at <= line < at + 50 for line in lines) <= 25 for at in lines)
        assert [1] == [
            found.message.count("not listed") for found in told[-1] if not found.range.start.line
        ]
        left = [
            title for _, title in lenses if re.search(r"\d+ gap", title) and "score" not in title
        ]
        assert len(left) >= size - 1  # of each assignment but that a property needs
        client.settings["diagnostics"] = {"allMutants": True}
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams(settings={}))
        await client.until(lambda: len(client.shown(uri)) > 2 * 25)


async def test_lenses_count_facts_and_a_hint_says_where_nobody_notices() -> None:
    asked = {"level": "default", "suggestions": {"enable": False}}
    few, titles = await shown("file:///cruise.lus", CRUISE, **asked, invariants={"enable": True})
    assert any(re.search(r"noticed by \d+ propert(y|ies), [1-9]\d* facts?", t) for t in titles)
    hints = [d.message for d in few if d.code == "nobody-notices"]
    assert any("any change of the equation of was, and no fact does" in text for text in hints)
    without, titles = await shown("file:///cruise.lus", CRUISE, **asked)
    assert not any("noticed by" in title for title in titles)
    assert not any(d.code == "nobody-notices" for d in without)
