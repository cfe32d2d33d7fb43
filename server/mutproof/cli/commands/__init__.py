"""Commands, one per file, and the registry."""

from __future__ import annotations

from typing import TYPE_CHECKING

from mutproof.base.registry import Registry, RegistryRow

if TYPE_CHECKING:
    from mutproof.cli.command import Command

COMMANDS: Registry[Command] = Registry(
    "command",
    (
        RegistryRow("prove", "mutproof.cli.commands.prove"),
        RegistryRow("core", "mutproof.cli.commands.core"),
        RegistryRow("mutate", "mutproof.cli.commands.mutate"),
        RegistryRow("report", "mutproof.cli.commands.report"),
        RegistryRow("equivalent", "mutproof.cli.commands.equivalent"),
        RegistryRow("merge", "mutproof.cli.commands.merge"),
        RegistryRow("agent", "mutproof.cli.commands.agent"),
        RegistryRow("suggest", "mutproof.cli.commands.suggest"),
        RegistryRow("tests", "mutproof.cli.commands.tests"),
        RegistryRow("control", "mutproof.cli.commands.control"),
        RegistryRow("fret", "mutproof.cli.commands.fret"),
        RegistryRow("advise", "mutproof.cli.commands.advise"),
        RegistryRow("check-certificates", "mutproof.cli.commands.check_certificates"),
        RegistryRow("format", "mutproof.cli.commands.format"),
        RegistryRow("watch", "mutproof.cli.commands.watch"),
        RegistryRow("serve", "mutproof.cli.commands.serve"),
        RegistryRow("config", "mutproof.cli.commands.config"),
        RegistryRow("cache", "mutproof.cli.commands.cache"),
        RegistryRow("explain", "mutproof.cli.commands.explain"),
    ),
    attribute="COMMAND",
)
