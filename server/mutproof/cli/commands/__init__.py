"""Commands, one per file, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, Row

if TYPE_CHECKING:
    from mutproof.cli.command import Command

COMMANDS: Registry[Command] = Registry(
    "command",
    (
        Row("prove", "mutproof.cli.commands.prove"),
        Row("core", "mutproof.cli.commands.core"),
        Row("mutate", "mutproof.cli.commands.mutate"),
        Row("equivalent", "mutproof.cli.commands.equivalent"),
        Row("check-certificates", "mutproof.cli.commands.check_certificates"),
        Row("watch", "mutproof.cli.commands.watch"),
        Row("serve", "mutproof.cli.commands.serve"),
        Row("cache", "mutproof.cli.commands.cache"),
        Row("explain", "mutproof.cli.commands.explain"),
    ),
    attribute="COMMAND",
)
