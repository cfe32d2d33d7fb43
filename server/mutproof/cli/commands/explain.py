"""`mutproof explain`: what does this code, operator or word mean?"""

from __future__ import annotations

import sys
from argparse import ArgumentParser, Namespace

from mutproof.cli import option_values
from mutproof.cli.command import Command
from mutproof.cli.exit_codes import ExitCode


def configure(parser: ArgumentParser) -> None:
    """Add the arguments of the command."""
    parser.add_argument(
        "topics",
        nargs="*",
        metavar="TOPIC",
        help="code of a diagnostic, mutation operator, or word; none lists all",
    )


def run(arguments: Namespace) -> ExitCode:
    """Print the explanation of each topic, or the names of all.

    Raises:
        UserError: a topic is not known.
    """
    from mutproof.cli import topics

    known = topics.topics()
    if not arguments.topics:
        sys.stdout.write("`mutproof explain TOPIC` explains one of these.\n")
        for kind in dict.fromkeys(topic.kind for topic in known):
            names = ", ".join(topic.name for topic in known if topic.kind == kind)
            sys.stdout.write(f"\n{kind}:\n{topics.wrapped(names)}\n")
        return ExitCode.OK
    parts: list[str] = []
    for name in arguments.topics:
        wanted = name.lower()
        found = [topic for topic in known if topic.name.lower() == wanted]
        if not found:
            raise option_values.unknown("topic", name, (topic.name for topic in known))
        parts.extend(topics.explained(topic) for topic in found)
    sys.stdout.write("\n\n".join(parts) + "\n")
    return ExitCode.OK


COMMAND = Command(
    "explain",
    "explain a diagnostic code, a mutation operator or a word",
    configure,
    run,
    (
        ("mutproof explain g2ge", "a mutation operator"),
        ("mutproof explain not-utf-8", "a diagnostic"),
        ("mutproof explain", "everything there is"),
    ),
)
