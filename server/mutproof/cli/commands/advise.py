"""`mutproof advise`: what in the models is never true, never taken, never read or ambiguous?"""

from __future__ import annotations

from argparse import ArgumentParser, ArgumentTypeError, Namespace

from mutproof.cli import arguments as shared
from mutproof.cli import option_values
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode

FORMATS = ("text", "json")
CODES_BEGIN = "advice-"


def _selected(text: str) -> tuple[str, ...]:
    """Return the meta-properties in a list of names or of their advice's codes."""
    from mutproof.analyses.advising.meta_properties import META_PROPERTIES

    known = META_PROPERTIES.names()
    spelled = {name.lower(): name for name in known}
    chosen = option_values.names(text)
    if any(name.lower() not in spelled for name in chosen):
        codes = {one.code: one.name for one in META_PROPERTIES}
        named = {code.removeprefix(CODES_BEGIN): name for code, name in codes.items()}
        known, spelled = (*known, *named), spelled | codes | named
    for name in chosen:
        if name.lower() not in spelled:
            raise option_values.unknown("meta-property", name, known)
    if not chosen:
        message = f"no meta-property is named; there are: {', '.join(known)}"
        raise ArgumentTypeError(message)
    return tuple(dict.fromkeys(spelled[name.lower()] for name in chosen))


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    shared.add_files(parser)
    group = parser.add_argument_group("advice")
    group.add_argument(
        "--select",
        dest="advise",
        type=_selected,
        default=(),
        metavar="A,B",
        help="only advice of these meta-properties, such as MP1,conditions-overlap (`mutproof"
        " explain` lists them; default: all)",
    )
    shared.add_questions(parser)
    shared.add_output(parser, choices=FORMATS)


def run(arguments: Namespace) -> ExitCode:
    """Give advice on the models.

    Raises:
        UserError: what was asked for does not exist, or the report cannot be written.
    """
    from mutproof.analyses.advising.meta_properties import META_PROPERTIES

    arguments.advise = arguments.advise or META_PROPERTIES.names()
    options = shared.options(arguments, mutate=False, cores=False)
    from mutproof.cli import launch

    with launch.launched(arguments) as worker:
        from mutproof.cli import session, verdicts

        return session.report(arguments, "advise", options, verdicts.of_advice, launched=worker)


COMMAND = Command(
    "advise",
    "find what is never true, never taken, never read or ambiguous",
    configure,
    run,
    (
        ("mutproof advise examples/beverage.smv", "what could be clearer, shorter or wrong"),
        ("mutproof advise --select MP1,MP3 model.smv", "only two questions of each condition"),
        ("mutproof explain MP3", "what a meta-property asks for"),
    ),
)
