"""Menus of code actions are short, say the most useful first, and everything can be reached."""

from __future__ import annotations

import pytest
from clients import CAPABILITIES, ROOT, Client, started
from lsprotocol import types

MOST = 8
MORE = "More changes here…"
CROWDED = """\
node main(a, b: int; p: bool) returns (ok, x: bool);
let
  x = (if p then a else b) + 1 > a - b and p;
  ok = x => p;
  --%PROPERTY ok;
tel;
"""
MODELS = {
    "lift.smv": ("nuxmv", (ROOT / "examples" / "lift.smv").read_text()),
    "crowded.lus": ("lustre", CROWDED),
}
LISTS = {**CAPABILITIES, "experimental": {"mutproof.showActions": True}}


def titles(found: list[types.CodeAction]) -> list[str]:
    return [action.title for action in found]


async def opened(client: Client, name: str) -> tuple[str, list[types.Position]]:
    """Open a model and return its name and where its survivors stand."""
    uri, (language, text) = f"file:///work/{name}", MODELS[name]
    client.open(uri, text, language)
    await client.done(uri)
    places = {(d.range.start.line, d.range.start.character) for d in client.shown(uri)}
    return uri, [types.Position(*place) for place in sorted(places)]


@pytest.mark.parametrize("lists", [False, True])
@pytest.mark.parametrize("name", MODELS)
async def test_a_menu_is_short_and_the_kinds_have_everything(name, lists):
    async with started(capabilities=LISTS if lists else None, level="all") as client:
        uri, places = await opened(client, name)
        crowded = 0
        for place in places:
            at = (uri, place.line, place.character)
            everything = titles(await client.actions(*at))
            menu = titles(await client.menu(*at))
            assert len(menu) == len(set(menu)) == min(len(everything), MOST)
            if len(everything) <= MOST:
                assert sorted(everything) == sorted(menu)
                continue
            crowded += 1
            assert lists == (menu[-1] == MORE)
            shown = menu[:-1] if lists else menu
            assert set(shown) < set(everything)
            assert any(title.startswith("Show ") for title in shown)
            fixes = titles(await client.menu(*at, ["quickfix"]))
            assert 1 < len(fixes) <= MOST
            assert not any(title.startswith("Apply ") for title in fixes)
        assert crowded


async def test_a_menu_begins_with_what_the_diagnostic_is_about():
    async with started(capabilities=LISTS, level="all") as client:
        uri, _ = await opened(client, "crowded.lus")
        of_place = [d for d in client.shown(uri) if d.range.start == types.Position(2, 31)]
        labels = [d.message.partition(" survives")[0] for d in of_place]
        assert len(labels) > 3
        for diagnostic, label in zip(of_place, labels, strict=True):
            asked = types.CodeActionParams(
                types.TextDocumentIdentifier(uri),
                diagnostic.range,
                types.CodeActionContext([diagnostic]),
            )
            found = titles(list(await client.text_document_code_action_async(asked) or []))
            (first, *_) = [title for title in found if " as a difference" in title]
            assert f"Show {label} as a difference" == first
