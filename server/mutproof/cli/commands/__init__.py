"""Commands, one per file, and the registry."""

from mutproof.base.registry import Registry
from mutproof.cli.command import Command
from mutproof.cli.commands import (
    cache,
    check_certificates,
    core,
    equivalent,
    explain,
    mutate,
    prove,
    serve,
    watch,
)

COMMANDS: Registry[Command] = Registry(
    "command",
    (
        prove.COMMAND,
        core.COMMAND,
        mutate.COMMAND,
        equivalent.COMMAND,
        check_certificates.COMMAND,
        watch.COMMAND,
        serve.COMMAND,
        cache.COMMAND,
        explain.COMMAND,
    ),
)
