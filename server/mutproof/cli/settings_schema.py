"""The JSON schema of `mutproof.toml`, made of the options, for editors that complete it."""

from __future__ import annotations

from argparse import Action
from collections.abc import Mapping
from typing import Any, Final

from mutproof.cli import configuration
from mutproof.cli.commands import COMMANDS
from mutproof.cli.file_values import Kind, kind
from mutproof.cli.option_values import nameless
from mutproof.runtime.configuration import FILES, PATH

_TEXTS: Final = {"type": "array", "items": {"type": "string"}}


def schema() -> dict[str, Any]:
    """Return the schema: keys for all files, tables of commands, and sections for some files."""
    tables = {command.name: configuration.keys(command) for command in COMMANDS}
    tables = {name: keys for name, keys in tables.items() if keys}
    every = {key: action for keys in tables.values() for key, action in keys.items()}
    single = {key: action for key, action in every.items() if key in configuration.single()}
    pattern = {"description": "patterns of files, as in .gitignore", "anyOf": [_text(), _TEXTS]}
    section = _table(single)
    section["properties"][PATH] = pattern
    section["required"] = [PATH]
    whole = _table(every)
    for name, keys in tables.items():
        whole["properties"][name] = {"description": f"for mutproof {name}", **_table(keys)}
    whole["properties"][FILES] = {"type": "array", "items": section}
    return {
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "mutproof.toml",
        **whole,
    }


def _text() -> dict[str, Any]:
    return {"type": "string"}


def _table(keys: Mapping[str, Action]) -> dict[str, Any]:
    found = {key: _value(action) for key, action in sorted(keys.items())}
    return {"type": "object", "additionalProperties": False, "properties": found}


def _value(action: Action) -> dict[str, Any]:
    said = {"description": (action.help or "").replace("%%", "%")}
    match kind(action):
        case Kind.SWITCH:
            return {**said, "type": "boolean"}
        case Kind.WHOLE | Kind.NUMBER as of_numbers if action.choices is None:
            return {**said, "type": "integer" if of_numbers is Kind.WHOLE else "number"}
    one: dict[str, Any] = _text()
    if nameless(action, ""):
        one = {**one, "minLength": 1}
    if action.choices is not None:
        one = {"enum": list(action.choices)}
    if kind(action) is Kind.TEXTS:
        return {**said, "anyOf": [one, {"type": "array", "items": one}]}
    return {**said, **one}
