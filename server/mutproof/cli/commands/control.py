"""`mutproof control`: a model whose choices are inputs, so that tests can make them."""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument("file", metavar="FILE", help="a model")
    shared.add_written_model(parser)


def run(arguments: Namespace) -> ExitCode:
    """Write the model with inputs in place of its choices; print what each stands for.

    Raises:
        UserError: the model cannot be read, or its language has no choices.
    """
    from mutproof.base.text import SourceText
    from mutproof.cli import inputs
    from mutproof.cli.console import write_model
    from mutproof.cli.failure import UserError
    from mutproof.model.editing import with_insertions

    name = arguments.file
    source, language, elaborated = inputs.usable(name)
    if language.control is None:
        message = f"{name}: {language.traits.title} models choose nothing"
        raise UserError("nothing-to-control", message)
    found = language.control(elaborated)
    text = with_insertions(source, found.edits)
    again = language.elaborate(language.parse(SourceText(name, text)))
    if again.program is None:
        first = again.diagnostics[0].message if again.diagnostics else "it has no meaning"
        raise UserError("not-controlled", f"{name}: {first}", way_out="please report this")
    write_model(text, arguments.output, [name])
    for choice in found.choices:
        at = source.position(choice.offset)
        sys.stderr.write(f"{name}:{at}: {choice.input} stands for {choice.what}\n")
    for offset, why in found.left:
        sys.stderr.write(f"{name}:{source.position(offset)}: left as it is: {why}\n")
    return ExitCode.UNDECIDED if found.left else ExitCode.OK


COMMAND = Command(
    "control",
    "make inputs of the choices of a NuSMV model",
    configure,
    run,
    (
        ("mutproof control examples/beverage.smv -o controlled.smv", "each choice is an input"),
        ("mutproof tests controlled.smv", "tests that say how to choose"),
    ),
)
