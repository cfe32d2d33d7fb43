"""A setting is one row: the server reads by it, and VS Code is told what it says."""

from __future__ import annotations

import json
from dataclasses import fields, replace
from pathlib import Path
from typing import Any

import pytest
from clients import started
from lsprotocol import types

from mutproof.lsp import settings
from mutproof.lsp.settings import SETTINGS, Setting, Settings

ROOT = Path(__file__).resolve().parents[2]
MANIFEST = json.loads((ROOT / "vscode-client" / "package.json").read_text(encoding="utf-8"))
SHOWN: dict[str, dict[str, Any]] = MANIFEST["contributes"]["configuration"]["properties"]
CLIENT = {"server.path", "server.args", "trace.server"}
"""What only the extension itself reads."""


def default(setting: Setting) -> object:
    """Return what editors show where nothing is set: nothing for what the server chooses."""
    if "null" in setting.schema["type"]:  # type: ignore[operator]
        return None
    value = getattr(Settings(), setting.field)
    words = setting.schema.get("enum")
    if words is None:
        return value
    return next(word for word in words if setting.read(word) == value)  # type: ignore[attr-defined]


def test_the_extension_shows_the_settings_that_the_server_reads() -> None:
    shown = [name.removeprefix("mutproof.") for name in SHOWN]
    assert [name for name in shown if name not in CLIENT] == list(SETTINGS.names())


@pytest.mark.parametrize("name", SETTINGS.names())
def test_the_extension_offers_the_values_that_the_server_takes(name: str) -> None:
    told = SHOWN[f"mutproof.{name}"]
    rules = {key: told[key] for key in told if key in {"type", "enum", "minimum"} or "Min" in key}
    assert dict(SETTINGS[name].schema) == rules
    assert default(SETTINGS[name]) == told["default"]
    assert len(told.get("enum", ())) == len(told.get("enumDescriptions", ()))


def test_every_field_is_set_by_one_setting() -> None:
    assert {one.name for one in fields(Settings)} == {setting.field for setting in SETTINGS}
    assert len(SETTINGS) == len(fields(Settings))


@pytest.mark.parametrize("name", SETTINGS.names())
@pytest.mark.parametrize("wrong", [None, [], {}, "wrong", float("nan"), float("inf")])
def test_a_wrong_value_keeps_the_default(name: str, wrong: object) -> None:
    assert Settings() == settings.read({name: wrong})


def test_a_wrong_value_is_named_with_what_would_be_right() -> None:
    value = {"level": "most", "budget.rlimit": "9", "codeLens": {"enable": 1}, "jobs": None}
    assert settings.refused(value) == (
        'setting level cannot be "most": default or paper or all; setting budget.rlimit cannot be'
        ' "9": integer; setting codeLens.enable cannot be 1: boolean'
    )
    assert not settings.refused({"level": "all", "jobs": -5, "unknown": 7})
    assert not settings.refused(None)


async def test_a_wrong_value_is_told_once() -> None:
    async with started(level="nonsense") as client:
        await client.until(lambda: client.messages)
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        client.settings = {"level": "all", "run": 3}
        client.workspace_did_change_configuration(types.DidChangeConfigurationParams({}))
        await client.until(lambda: "run" in client.messages[-1].message)
        first, second = (told.message for told in client.messages)
        assert first.startswith('mutproof: setting level cannot be "nonsense": default or')
        assert second.startswith("mutproof: setting run cannot be 3: onSave or")


@pytest.mark.parametrize("nested", [False, True])
def test_a_row_is_all_that_a_setting_needs(nested: bool) -> None:
    row = settings.whole("deep.most", "memory_mb", least=7)
    value = {"deep": {"most": 3}} if nested else {"deep.most": 3}
    assert replace(Settings(), memory_mb=7) == settings.read(value, [*SETTINGS, row])
