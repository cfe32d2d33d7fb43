"""`mutproof fret`: requirements of FRET as properties of a model."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("action", choices=("import",), help="what to do with the requirements")
    parser.add_argument("requirements", metavar="FILE.json", help="requirements, as FRET exports")
    parser.add_argument("file", metavar="MODEL", help="the model they are about")
    shared.add_written_model(parser)


def run(arguments: Namespace) -> ExitCode:
    """Write the model with the requirements as properties; say what was left out, and why.

    Raises:
        UserError: the model or the requirements cannot be read, or nothing can be written.
    """
    from mutproof.cli import inputs
    from mutproof.cli.console import write_model
    from mutproof.cli.failure import UserError
    from mutproof.workspace import requirements

    name = arguments.requirements
    _, language, elaborated = inputs.usable(arguments.file)
    try:
        wanted = requirements.read(inputs.content(name), language.traits.semantics)
    except ValueError as error:
        way_out = "FRET exports requirements as JSON; `suggest --format fret` writes such files"
        raise UserError("not-requirements", f"{name}: {error}", way_out=way_out) from None
    found = requirements.imported(elaborated, language, wanted)
    write_model(found.text, arguments.output)
    for one, reason in found.left:
        sys.stderr.write(f"{name}: {one} is left out: {reason}\n")
    return ExitCode.UNDECIDED if found.left else ExitCode.OK


COMMAND = Command(
    "fret",
    "make properties of requirements that FRET exports",
    configure,
    run,
    (
        ("mutproof fret import requirements.json model.lus -o stated.lus", "with their ids"),
        ("mutproof prove stated.lus", "proved like any others"),
    ),
)
