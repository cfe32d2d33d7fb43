"""`mutproof suggest`: which properties would close the gaps? Each is proved already."""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace
from functools import partial

from mutproof.cli import arguments as shared
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode

FORMATS = ("text", "json", "html", "sarif", "source", "fret")
PURPOSES = (
    "text: for people; json: for programs; html: for browsers; sarif: for code scanning, with a fix"
    " for each; source, or what a language is called, such as smv: as source text; fret: as"
    " requirements that FRET imports (default text)"
)


def _format(name: str) -> str:
    if name not in FORMATS:
        from mutproof.languages import LANGUAGES

        if not any(name in language.called for language in LANGUAGES):
            known = ", ".join(FORMATS)
            message = f"no format and no language is called {name!r}; there are: {known}"
            raise ArgumentTypeError(message)
    return name


def _check_format(arguments: Namespace) -> None:
    """Check that some file is in the language whose source text is asked for."""
    if arguments.format in FORMATS:
        return
    from mutproof.cli import inputs
    from mutproof.cli.failure import UserError
    from mutproof.workspace import sources

    found = [sources.language_of(name) for name in inputs.expanded(arguments.files).files]
    if not any(language is None or arguments.format in language.called for language in found):
        message = f"no file is in the language of --format {arguments.format}"
        raise UserError("no-such-format", message, way_out="source stands for that of each file")


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    group = parser.add_argument_group("suggestions")
    group.add_argument(
        "--element",
        dest="elements",
        action="append",
        default=[],
        metavar="NAME",
        help="only for gaps of this element: an equation by its variable, all assertions by"
        " `assert`, … (may be repeated)",
    )
    group.add_argument(
        "--best",
        action="store_true",
        help="only a smallest set that was found to close what all of them close",
    )
    group.add_argument(
        "--restating",
        action="store_true",
        help="let the best set restate an element of the model where nothing else closes a gap",
    )
    group.add_argument(
        "--write",
        action="store_true",
        help="add the best set to the files",
    )
    shared.add_mutation(parser)
    shared.add_questions(parser)
    shared.add_output(parser, other=(_format, PURPOSES))


def run(arguments: Namespace) -> ExitCode:
    """Find the gaps of the models, and properties that close them; add these where asked.

    Raises:
        UserError: what was asked for does not exist, or a file cannot be written.
    """
    _check_format(arguments)
    arguments.equivalence = True
    arguments.suggest = True
    options = shared.options(arguments, mutate=True, cores=False)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, suggested, verdicts

        return session.report(
            arguments,
            "suggest",
            options,
            partial(verdicts.of_suggestions, restating=arguments.restating),
            launched=worker,
            then=partial(suggested.write, restating=arguments.restating)
            if arguments.write
            else None,
        )


COMMAND = Command(
    "suggest",
    "suggest properties that close the gaps, each proved already",
    configure,
    run,
    (
        ("mutproof suggest examples/demo2.lus", "properties to add, and the gaps each closes"),
        ("mutproof suggest --best --write model.lus", "add few properties that close all gaps"),
        ("mutproof suggest --format fret model.lus", "as requirements that FRET imports"),
    ),
)
