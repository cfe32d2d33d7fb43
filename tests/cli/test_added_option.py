"""An option is a field and an argument of its name: nothing else knows the option of this file."""

from __future__ import annotations

from argparse import ArgumentParser
from collections.abc import Callable
from dataclasses import field, fields

import pytest

from mutproof.base.record import dataclass
from mutproof.cli import arguments
from mutproof.cli.commands import COMMANDS
from mutproof.runtime import messages
from mutproof.workspace.options import Options

MADE = {"mutate", "cores", "budget", "equivalence", "certify", "suggest", "suite", "since"}
"""Options that are made of arguments with other names, or of the name of the command."""
INNER = {"share", "mutants", "stage", "only", "pairs"}
"""Options by which work is divided and chosen; users do not name these."""


@dataclass(frozen=True, slots=True)
class More:
    """Options with one more."""

    level: str = "default"
    mutate: bool = True
    cores: bool = True
    budget: object = None
    equivalence: str = ""
    certify: bool = field(default=False, metadata={"counts": False})
    favourites: tuple[str, ...] = ()


def parsed(configure: Callable[[ArgumentParser], None], words: list[str]) -> ArgumentParser:
    parser = ArgumentParser()
    configure(parser)
    parser.add_argument("--favourite", dest="favourites", action="append", default=[])
    return parser.parse_args(words)  # type: ignore[return-value]


@pytest.mark.parametrize("name", ["prove", "core", "mutate", "equivalent"])
def test_a_field_and_an_argument_are_an_option(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(arguments, "Options", More)
    words = ["model.lus", "--favourite", "n", "--favourite", "m"]
    found = parsed(COMMANDS[name].configure, words)
    options = arguments.options(found, mutate=False)  # type: ignore[arg-type]
    assert ("n", "m") == options.favourites  # type: ignore[attr-defined]


def test_every_option_is_an_argument_of_some_command() -> None:
    known: set[str] = set()
    for command in COMMANDS:
        parser = ArgumentParser()
        command.configure(parser)
        known |= {action.dest for action in parser._actions}
    assert {one.name for one in fields(Options)} - MADE - INNER <= known


def test_what_nobody_chooses_is_the_default() -> None:
    found = parsed(COMMANDS["equivalent"].configure, ["model.lus"])
    options = arguments.options(found, mutate=True)  # type: ignore[arg-type]
    assert Options(equivalence=options.equivalence) == options


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (["--file-timeout", "3"], Options(mutate=False, timeout_s=3.0)),
        (["--limit", "2", "--all"], Options(mutate=False, core_limit=2, core_search="all")),
        (["--search-timeout", "4"], Options(mutate=False, core_seconds=4.0)),
        (["--granularity", "instance"], Options(mutate=False, granularity="instance")),
        (["--property", "p", "--property", "q"], Options(mutate=False, properties=("p", "q"))),
    ],
)
def test_arguments_become_options(words: list[str], expected: Options) -> None:
    found = parsed(COMMANDS["core"].configure, ["model.lus", *words])
    assert expected == arguments.options(found, mutate=False)  # type: ignore[arg-type]


def test_shards_count_from_one() -> None:
    found = parsed(COMMANDS["mutate"].configure, ["model.lus", "--shard", "2/3"])
    assert (1, 3) == arguments.options(found, mutate=True).shard  # type: ignore[arg-type]


def test_messages_and_digests_have_all_options() -> None:
    asked = messages.Analyse(1, "m", "lustre", "k", "", Options(core_limit=3, most_mutants=5))
    (found,) = [messages.unframe(messages.frame(asked)[messages.LENGTH_BYTES :])]
    assert asked == found
    counted = {one.name for one in fields(Options) if one.metadata.get("counts", True)}
    assert {"core_limit", "granularity", "strategy", "inputs"} <= counted
