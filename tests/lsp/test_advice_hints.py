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
