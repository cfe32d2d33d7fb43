"""`mutproof config`: which settings apply to a model, and where each comes from."""

from __future__ import annotations

import math
import sys
from argparse import ArgumentParser, Namespace
from typing import Final

from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode

_COMMANDS: Final = (
    "mutate", "prove", "core", "report", "equivalent", "suggest", "advise", "tests", "watch",
)  # fmt: skip


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "file", nargs="?", default=".", metavar="FILE", help="a model or a folder (default: here)"
    )
    parser.add_argument(
        "--command",
        dest="asked",
        choices=_COMMANDS,
        default="mutate",
        help="the command whose settings are asked for (default mutate)",
    )
    parser.add_argument("--config", metavar="FILE", dest="settings", default=None,
                        help="read settings from this file")  # fmt: skip
    parser.add_argument("--schema", action="store_true",
                        help="print the JSON schema of files of settings, for editors")  # fmt: skip


def run(arguments: Namespace) -> ExitCode:
    """Print each setting with its value, as in a file of settings, and where it comes from.

    Raises:
        UserError: there is no such file, or settings cannot be read or have an invalid value.
    """
    import os

    if arguments.schema:
        from mutproof.cli.settings_schema import schema
        from mutproof.reporters import encoding

        sys.stdout.write(encoding.dumped(schema()))
        return ExitCode.OK
    from mutproof.cli.commands import COMMANDS
    from mutproof.cli.configuration import Chosen
    from mutproof.cli.failure import UserError

    if not os.path.exists(arguments.file):
        message = f"no such file: {arguments.file}"
        raise UserError("file-not-found", message, way_out="name a model or a folder")

    chosen = Chosen(COMMANDS[arguments.asked], ("--", "."), used=True, path=arguments.settings)
    whole = os.path.isdir(arguments.file)
    layers = chosen.of_run([arguments.file]) if whole else chosen.of_file(arguments.file)
    lines = []
    for key, action in chosen.keys.items():
        origin, value = "default", chosen.defaults.get(action.dest)
        for layer in layers:
            if action.dest in layer.values:
                origin, value = layer.origin, layer.values[action.dest]
        if action.nargs == 0:
            value = value == action.const
        unset = origin == "default" and action.nargs != 0 and value in (None, 0, math.inf)
        lines.append((f"# {key} is not set" if unset else _written(key, value), origin))
    width = max(len(text) for text, _ in lines)
    sys.stdout.writelines(f"{text.ljust(width)}  # {origin}\n" for text, origin in lines)
    return ExitCode.OK


def _written(key: str, value: object) -> str:
    """Return a setting as written in a file."""
    match value:
        case bool():
            return f"{key} = {str(value).lower()}"
        case list() | tuple():
            return f"{key} = [{', '.join(_quoted(str(one)) for one in value)}]"
        case str():
            return f"{key} = {_quoted(value)}"
        case _:
            return f"{key} = {value}"


def _quoted(text: str) -> str:
    import json

    return json.dumps(text, ensure_ascii=False)


COMMAND = Command(
    "config",
    "print the settings that count for a model, and where each is said",
    configure,
    run,
    (
        ("mutproof config models/lift.lus", "from the nearest mutproof.toml"),
        ("mutproof config --schema", "for an editor that completes mutproof.toml"),
    ),
)
