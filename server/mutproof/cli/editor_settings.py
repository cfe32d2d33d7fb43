"""Settings from files for editors: those of `mutproof mutate` in the nearest file."""

from __future__ import annotations

import os
from argparse import Namespace
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from mutproof.workspace.options import Options


def of_model(name: str, options: Options) -> tuple[Options, str]:
    """Return the options for a model; its file of settings overrides the editor's options.

    The text says what is wrong in the file, which is then ignored.
    """
    # Imported here: the server first starts a worker.
    from mutproof.runtime.configuration import ConfigurationError, ConfigurationSearch

    try:
        if ConfigurationSearch().nearest(os.path.dirname(os.path.abspath(name))) is None:
            return options, ""
    except ConfigurationError as error:
        return options, f"{error.path} {error.message}"

    # Slow to import, and most models have no such file.
    from dataclasses import fields, replace

    from mutproof.cli import arguments
    from mutproof.cli.commands import COMMANDS
    from mutproof.cli.configuration import Chosen
    from mutproof.cli.failure import UserError

    try:
        chosen = Chosen(COMMANDS["mutate"], ("--", name), used=True, path=None)
        values = {d: v for layer in chosen.of_file(name) for d, v in layer.values.items()}
        asked = Namespace(**{**chosen.defaults, **values})
        said = arguments.options(asked, mutate=options.mutate, cores=options.cores)
    except UserError as error:
        return options, f"{error.message}{f' ({error.way_out})' if error.way_out else ''}"
    own = {one.name for one in fields(options)} & values.keys()
    if not values.keys().isdisjoint({"equivalence", "observe"}):
        own.add("equivalence")
    changes: dict[str, Any] = {field: getattr(said, field) for field in own}
    budget = options.budget
    if "rlimit" in values:
        budget = replace(budget, rlimit=said.budget.rlimit)
    if "timeout" in values:
        budget = replace(budget, timeout_s=said.budget.timeout_s)
    return replace(options, budget=budget, **changes), ""
