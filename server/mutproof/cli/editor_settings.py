"""Settings from files for editors: what the nearest file says of `mutproof mutate`."""

from __future__ import annotations

import os
from argparse import Namespace

from mutproof.runtime.configuration import ConfigurationError, ConfigurationSearch
from mutproof.workspace.options import Options


def of_model(name: str, options: Options) -> tuple[Options, str]:
    """Return what is asked of a model; its file of settings counts before what an editor asks.

    The text says what is wrong in the file; then nothing in it counts.
    """
    try:
        if ConfigurationSearch().nearest(os.path.dirname(os.path.abspath(name))) is None:
            return options, ""
    except ConfigurationError as error:
        return options, f"{error.path} {error.message}"

    # What follows is slow to import, and most models have no such file.
    from mutproof.cli.commands import COMMANDS
    from mutproof.cli.configuration import Chosen
    from mutproof.cli.failure import UserError

    try:
        chosen = Chosen(COMMANDS["mutate"], ("--", name), used=True, path=None)
        return chosen.options(name, options, Namespace(**chosen.defaults)), ""
    except UserError as error:
        return options, f"{error.message}{f' ({error.way_out})' if error.way_out else ''}"
