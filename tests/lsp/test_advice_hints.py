"""Advice in an editor: hints where the setting asks for them, none otherwise."""

from __future__ import annotations

import pytest
from clients import ROOT, started
from lsprotocol import types

URI = "file:///work/clock.smv"
CLOCK = (ROOT / "examples" / "clock.smv").read_text()


def hints(client) -> list[types.Diagnostic]:
    return [d for d in client.shown(URI) if str(d.code).startswith("advice-")]


async def test_advice_is_a_hint_at_its_place():
    async with started(level="default", advice={"enable": True}) as client:
        client.open(URI, CLOCK, "smv")
        await client.done(URI)

        (hint,) = await client.until(lambda: hints(client))
        assert ("advice-conditions-overlap", types.DiagnosticSeverity.Hint) == (
            hint.code,
            hint.severity,
        )
        assert (21, 6) == (hint.range.start.line, hint.range.start.character)
        assert "`hour >= 11` is also true where `hour < 12` is, at step 11" in hint.message
        assert hint.message.endswith("(MP3)")


@pytest.mark.parametrize("settings", [{}, {"advice": {"enable": False}}])
async def test_no_advice_unless_it_is_asked_for(settings):
    async with started(level="default", **settings) as client:
        client.open(URI, CLOCK, "smv")
        await client.done(URI)
        assert [] == hints(client)


IDLE = """\
MODULE main
VAR n : 0..3; unread : boolean;
ASSIGN
  init(n) := 0;
  next(n) := case
    n > 3 : 1;
    n < 3 : n + 1;
    TRUE : 0;
  esac;
INVARSPEC NAME small := n < 4;
"""


async def test_a_fix_follows_advice_and_belongs_to_its_diagnostic():
    async with started(level="default", advice={"enable": True}) as client:
        client.open(URI, IDLE, "smv")
        await client.done(URI)
        wanted = {"advice-condition-never-true", "advice-variable-unused"}
        by_code = await client.until(
            lambda: wanted <= (known := {str(d.code): d for d in hints(client)}).keys() and known
        )

        place = by_code["advice-condition-never-true"].range.start
        offered = await client.actions(URI, place.line, place.character)
        (removal,) = [one for one in offered if "never taken" in one.title]
        assert "Remove the branch of `n > 3`: it is never taken" == removal.title
        (edit,) = removal.edit.document_changes[0].edits
        assert ((5, 0), (6, 0), "") == (
            (edit.range.start.line, edit.range.start.character),
            (edit.range.end.line, edit.range.end.character),
            edit.new_text,
        )

        place = by_code["advice-variable-unused"].range.start
        offered = await client.actions(URI, place.line, place.character)
        assert "Remove `unread`: nothing reads it" in [one.title for one in offered]
