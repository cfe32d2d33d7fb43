"""`mutproof cache`: what is kept of earlier runs, where, and its removal."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("--clear", action="store_true", help="remove what is kept")


def run(arguments: Namespace) -> ExitCode:
    """Print where things are kept and how much that is; with `--clear` remove it."""
    from mutproof.base import store
    from mutproof.base.digest import digest_text

    folder = store.default_folder()
    if folder is None:
        sys.stdout.write(f"nothing is kept: {store.FOLDER_VARIABLE} is empty\n")
        return ExitCode.OK
    if (warning := store.warning()) is not None:
        sys.stderr.write(f"warning: {warning}\n")
    kept = store.Store(folder, made_by=digest_text("anybody"))  # any maker will do: nothing is read
    found = kept.clear() if arguments.clear else kept.size()
    verb = "removed" if arguments.clear else "kept"
    megabytes = found.size / (1 << 20)
    noun = "entry" if found.entries == 1 else "entries"
    sys.stdout.write(f"{folder}\n{verb}: {found.entries} {noun}, {megabytes:.1f} MiB\n")
    return ExitCode.OK


COMMAND = Command(
    "cache",
    "show or remove what is kept of earlier runs",
    configure,
    run,
    (
        ("mutproof cache", "where it is, and how large"),
        ("mutproof cache --clear", "decide everything anew the next time"),
        ("MUTPROOF_CACHE_DIR=.cache mutproof mutate model.lus", "keep it elsewhere"),
        ("MUTPROOF_SHARED_CACHE=/mnt/team mutproof mutate model.lus", "use what others have found"),
    ),
)
